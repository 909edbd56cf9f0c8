"""A semantic and an episodic store, after LangMem: profiles of subjects, and episodes with their course.

The semantic store consolidates: one profile for each subject of the state and each action, rewritten as turns
come in. The episodic store closes an episode at a new place or after some turns, and keeps its course in
short. LangMem lets a model write both; here rules do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.systems.facts import listed
from pitwall_exam.answering.systems.protocol import Entry
from pitwall_exam.answering.systems.statements import changes
from pitwall_exam.answering.systems.turns_memory import most_alike
from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import ACTION

_EPISODE_TURNS = 10
_FIRST_STEPS = 6
"""Steps of changes that a profile lists, from the first."""


@dataclass(slots=True)
class _Profile:
    """Everything that was learnt of one subject. seen: value → first step."""

    seen: dict[str, int] = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)
    last: str = ""

    def entry(self, subject: str) -> Entry:
        values = ", ".join(f"{value} from step {step}" for value, step in self.seen.items())
        text = f"{subject}: now {self.last}; changed {len(self.steps)} times; {values}"
        return Entry(text, tuple((step, subject, value) for value, step in self.seen.items()))


class StoreMemory:
    """Keeps profiles and episodes; recall takes half of each."""

    title: ClassVar[str] = "two stores, after LangMem"
    about: ClassVar[str] = (
        "a profile for each subject and action, and a short course of each episode; written by rules"
    )

    def __init__(self, vectors: SentenceVectors) -> None:
        self._vectors = vectors
        self._profiles: dict[str, _Profile] = {}
        self._actions: dict[str, list[int]] = {}
        self._episodes: list[Entry] = []
        self._open: list[Turn] = []
        self._before: Mapping[str, str] = {}

    def observe(self, turn: Turn) -> None:
        """Write the turn into its profiles, and close the episode where it ends."""
        now = turn.known
        for subject, _, value in changes(self._before, now):
            profile = self._profiles.setdefault(subject, _Profile())
            profile.seen.setdefault(value, turn.step)
            profile.steps.append(turn.step)
            profile.last = value
        if not turn.is_outcome:  # an outcome belongs to the episode that it ends
            self._actions.setdefault(turn.action, []).append(turn.step)
            moved = self._before.get("location") != now.get("location")
            if self._open and (moved or len(self._open) >= _EPISODE_TURNS):
                self._episodes.append(_episode(self._open))
                self._open = []
        self._open.append(turn)
        self._before = now

    def entries(self) -> Sequence[Entry]:
        """Return the profiles, then the episodes with the open one."""
        return [*self._semantic(), *self._episodic()]

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return the best of each store, in turns."""
        half = -(-k // 2)
        semantic = most_alike(self._semantic(), question, half, self._vectors)
        episodic = most_alike(self._episodic(), question, k - half, self._vectors)
        return [*semantic, *episodic]

    def _semantic(self) -> list[Entry]:
        actions = [
            Entry(
                f"the action {action}: done {len(steps)} times, first at steps "
                f"{listed(steps[:_FIRST_STEPS])}, last at step {steps[-1]}",
                tuple((step, ACTION, action) for step in (*steps[:_FIRST_STEPS], *steps[_FIRST_STEPS:][-1:])),
            )
            for action, steps in self._actions.items()
        ]
        return [*(profile.entry(subject) for subject, profile in self._profiles.items()), *actions]

    def _episodic(self) -> list[Entry]:
        return [*self._episodes, *([_episode(self._open)] if self._open else [])]


def _episode(turns: Sequence[Turn]) -> Entry:
    """Write the course of an episode: its steps, actions, and what changed over it."""
    actions = Counter(turn.action for turn in turns if not turn.is_outcome)
    done = ", ".join(f"{action} ×{count}" for action, count in actions.items())
    first, last = turns[0].known, turns[-1].known
    changed = "; ".join(f"{subject} {former} to {value}" for subject, former, value in changes(first, last))
    place = f" at {first['location']}" if "location" in first else ""
    ends = ((turns[0].step, first), (turns[-1].step, last))
    statements = tuple(
        (step, subject, state[subject])
        for step, state in ends
        for subject in ("location", *(subject for subject, _, _ in changes(first, last)))
        if subject in state
    )
    end = turns[-1].step - turns[-1].is_outcome
    text = f"Steps {turns[0].step} to {end}{place}: {done}. {changed or 'nothing changed'}."
    return Entry(text, statements)
