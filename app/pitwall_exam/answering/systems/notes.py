"""Linked notes, after A-MEM (arXiv 2502.12110): a note for each event, links to like notes, evolution.

A new note is linked with the notes most like it, and these learn of it: their context grows by a line. Recall
takes the notes most like the question, and then the notes they are linked with. A-MEM lets a model write
keywords, tags and context, and decide on links; here rules do, and likeness of vectors and words links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.ranking import Ranking, words_of
from pitwall_exam.answering.systems.protocol import Entry
from pitwall_exam.answering.systems.statements import changes, statements_of
from pitwall_exam.answering.turns import Turn, turn_text
from pitwall_exam.episode.remembered import Statement

_LINKS = 3
"""Most links that a new note begins with."""
_NEAR = 0.35
"""Least likeness of two notes that are linked: shared words over all words (Jaccard)."""
_CONTEXT = 4
"""Most lines of context; the oldest are forgotten."""


@dataclass(slots=True)
class _Note:
    content: str
    step: int
    statements: tuple[Statement, ...]
    words: frozenset[str]
    context: list[str] = field(default_factory=list)
    links: list[int] = field(default_factory=list)

    @property
    def entry(self) -> Entry:
        later = f" ({'; '.join(self.context)})" if self.context else ""
        return Entry(f"{self.content}{later}", self.statements)


class NoteMemory:
    """Keeps a note for each turn in which something changed or another action began."""

    title: ClassVar[str] = "linked notes, after A-MEM"
    about: ClassVar[str] = (
        "a note for each change or new action, linked with like notes, whose context grows; by rules"
    )

    def __init__(self, vectors: SentenceVectors) -> None:
        self._vectors = vectors
        self._notes: list[_Note] = []
        self._before: Mapping[str, str] = {}
        self._action = ""

    def observe(self, turn: Turn) -> None:
        """Write a note if the turn brought something, and link it."""
        changed = changes(self._before, turn.known)
        if changed or turn.action != self._action:
            subjects = ", ".join(subject for subject, _, _ in changed)
            content = f"{turn_text(turn)}{f' Changed: {subjects}.' if subjects else ''}"
            self._link(
                _Note(content, turn.step, statements_of(turn), words_of(content)), turn.action or "the end"
            )
        self._before, self._action = turn.known, turn.action

    def entries(self) -> Sequence[Entry]:
        """Return all notes with their context."""
        return [note.entry for note in self._notes]

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return the notes most like the question, then those linked with them."""
        ranking = Ranking([note.entry.text for note in self._notes], self._vectors)
        first = ranking.best(question, -(-k // 2))
        linked = [other for number in first for other in self._notes[number].links]
        others = ranking.best(question, k)
        numbers = list(dict.fromkeys((*first, *linked, *others)))[:k]
        return [self._notes[number].entry for number in numbers]

    def _link(self, note: _Note, action: str) -> None:
        """Link a note with those most like it, and let them learn of it."""
        likeness = [
            (len(note.words & other.words) / len(note.words | other.words), number)
            for number, other in enumerate(self._notes)
        ]
        near = sorted((pair for pair in likeness if pair[0] >= _NEAR), reverse=True)[:_LINKS]
        for _, number in near:
            note.links.append(number)
            other = self._notes[number]
            other.links.append(len(self._notes))
            other.context = [*other.context, f"like step {note.step}, {action}"][-_CONTEXT:]
        self._notes.append(note)
