"""Words the agent's memory as sentences, and finds those most similar to a question."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.memories import Provenance
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import (
    ActionEdge,
    ActionMemory,
    EpisodeMemory,
    GlobalNote,
    KnowledgeMemory,
    MemoryContent,
    ProcedureMemory,
    SkillMemory,
    StateNode,
)
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall.memory.value_format import quoted
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.ranking import Ranking

_TEXT_LENGTH = 500
_OWN_RUN = 0.05
"""Added to the share of words of entries learnt in the run that is asked about."""


@dataclass(frozen=True, slots=True)
class MemorySentence:
    """A memory entry as a sentence. run, step: where it was learnt; 0: unknown."""

    text: str
    run: int = 0
    step: int = 0

    @property
    def with_source(self) -> str:
        """Return the sentence with the run and step it comes from."""
        if self.run and self.step:
            return f"(run {self.run}, step {self.step}) {self.text}"
        return f"(run {self.run}) {self.text}" if self.run else self.text


@dataclass(frozen=True, slots=True)
class GameMemory:
    """The memory of one game. content_hash: hash of all its entries."""

    content_hash: str
    entries: tuple[MemorySentence, ...]


def memory_of(
    data: DataFolder, game_id: str, *, snapshot: str = "", run_id: int = 0, last_step: int = 0
) -> GameMemory:
    """Read a game's memory as it is now, or from a snapshot.

    Args:
        run_id, last_step: leave out what was learnt from later steps of this run, or written after its end;
            0: leave nothing out.

    Raises:
        UnknownSnapshot: there is no such snapshot.
    """
    with contextlib.closing(MemoryReader(data)) as reader:
        if snapshot:
            content_hash, kept = reader.snapshot_entries(snapshot)
            rows = [
                (entry.number, entry.content, entry.provenance) for entry in kept if entry.game_id == game_id
            ]
        else:
            content_hash = reader.snapshot_hash(game_id)
            entries = reader.entries(game_id, list(MemoryKind))
            rows = [(entry.entry_id, entry.content, entry.provenance) for entry in entries]
    states = {number: content.text for number, content, _ in rows if isinstance(content, StateNode)}
    sentences = [
        MemorySentence(text, by.run_id or 0, by.step or 0)
        for _, content, by in rows
        if not _is_later(by, run_id, last_step) and (text := _sentence(content, states))
    ]
    return GameMemory(content_hash, tuple(sentences))


class MemoryFinder:
    """Finds the memories most similar to a question; those learnt in the run that is asked about lead."""

    def __init__(
        self, entries: Sequence[MemorySentence], vectors: SentenceVectors, *, run_id: int = 0
    ) -> None:
        self._entries = entries
        self._ranking = Ranking(
            [entry.text for entry in entries],
            vectors,
            matched=[entry.with_source for entry in entries],
            bonus=[_OWN_RUN if run_id and entry.run == run_id else 0.0 for entry in entries],
        )

    def best(self, question: str, k: int) -> list[MemorySentence]:
        """Return the k most similar memories, best first; equally similar ones in entry order."""
        return [self._entries[number] for number in self._ranking.best(question, k)]


def _is_later(by: Provenance, run_id: int, last_step: int) -> bool:
    return bool(run_id and last_step and by.run_id == run_id and (by.step is None or by.step > last_step))


def _sentence(content: MemoryContent, states: Mapping[int, str]) -> str:
    """Word a memory as a sentence; empty if it says nothing on its own."""
    match content:
        case ActionMemory():
            tried = f"worked {content.successes} of {content.attempts} times, reward {content.reward:.2f}"
            return f"In the state {quoted(content.state)} the action {content.action} {tried}."
        case ActionEdge():
            return _edge(content, states)
        case StateNode():
            return f"The state {quoted(content.text, _TEXT_LENGTH)} was seen."
        case EpisodeMemory():
            run = f" of run {content.run_id}" if content.run_id is not None else ""
            return f"Summary{run}: {quoted(content.text, _TEXT_LENGTH)}"
        case KnowledgeMemory():
            return f"{content.heading}: {quoted(content.text, _TEXT_LENGTH)}"
        case GlobalNote():
            return f"Note on a {content.about}: {quoted(content.text, _TEXT_LENGTH)}"
        case ProcedureMemory():
            tried = f"worked {content.successes} of {content.attempts} times"
            return f"The action {content.action} written as {quoted(content.construction)} {tried}."
        case SkillMemory(status="active"):
            listed = ", ".join(content.actions)
            actions = f" by {listed}." if listed else "."
            return f"Skill {content.name}: when {content.when}, {quoted(content.subgoal)}{actions}"
    return ""


def _edge(edge: ActionEdge, states: Mapping[int, str]) -> str:
    source = states.get(edge.source)
    if source is None:
        return ""
    target = states.get(edge.target) if edge.target is not None else None
    led = f"led to {quoted(target)}" if target else "led nowhere known"
    return f"From the state {quoted(source)} the action {edge.action} {led}, {edge.count} times."
