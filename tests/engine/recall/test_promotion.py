"""What becomes long-term evidence: progress, a declared effect, a recovery, a validation; nothing else."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import count

import pytest

from pitwall.core.actions import Effect
from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import ActionEdge, ActionMemory, StateNode
from pitwall.core.settings import MemorySettings
from pitwall.core.signals import Failure
from pitwall.engine.recall.promotion import PromotionJudge
from pitwall.engine.recall.write_rules import ActionOutcome, MemoryWriter
from pitwall.models.replies.plan import Reflection

MEMORY = MemorySettings()


class Memory:
    """A run's lessons, judged and written, as entries in the order of their writing."""

    def __init__(self) -> None:
        self._lessons: deque[ActionOutcome] = deque()
        self._writer = MemoryWriter("walker")
        self._ids = count(1)
        self.entries: dict[int, MemoryEntry] = {}
        self.judge = PromotionJudge(self._learn)

    def note(self, step: int, before: str, action: str, effect: Effect, *, sure: bool = False) -> None:
        progressed = sure
        self.judge.note(
            ActionOutcome(
                before=before,
                after=f"after {action}",
                action=action,
                effect=effect,
                progressed=progressed,
                confidence=float(sure),
                step=step,
            )
        )

    def _learn(self, lesson: ActionOutcome) -> None:
        self._lessons.append(lesson)
        while changes := self._writer.next(self._lessons, MEMORY):
            for change in changes:
                number = change.entry_id or next(self._ids)
                entry = MemoryEntry(
                    entry_id=number,
                    game_id="walker",
                    content=change.content,
                    provenance=change.provenance,
                    changed_by=change.provenance,
                )
                self.entries[number] = entry
                self._writer.put(entry)

    @property
    def edges(self) -> dict[str, tuple[int, int]]:
        """Action → (successes, attempts) of the graph's edges."""
        contents = (entry.content for entry in self.entries.values())
        return {
            edge.action: (edge.successes, edge.attempts) for edge in contents if isinstance(edge, ActionEdge)
        }

    @property
    def reasons(self) -> list[str]:
        return [
            entry.provenance.reason
            for entry in self.entries.values()
            if isinstance(entry.content, ActionEdge)
        ]

    def tries(self, action: str) -> int:
        contents = (entry.content for entry in self.entries.values())
        return sum(
            item.attempts for item in contents if isinstance(item, ActionMemory) and item.action == action
        )


def verdict(confidence: float, *, effect: bool = True) -> Reflection:
    return Reflection(
        effect=effect, cause="", next="go on", done=False, failure=Failure.NONE, confidence=confidence
    )


def test_a_mere_change_of_the_picture_promotes_nothing_and_progress_does() -> None:
    memory = Memory()
    memory.note(1, "hall", "turn", Effect.CONFIRMED)
    assert memory.edges == {} and memory.tries("turn") == 1, "the action bank keeps it all the same"
    memory.note(2, "hall", "chop", Effect.CONFIRMED, sure=True)
    assert memory.edges == {"chop": (1, 1)}
    states = [entry.content.text for entry in memory.entries.values() if isinstance(entry.content, StateNode)]
    assert states == ["hall", "after chop"]


@pytest.mark.parametrize(("confidence", "promoted"), [(0.69, False), (0.7, True), (1.0, True)])
def test_the_planner_validates_with_its_own_confidence(confidence: float, promoted: bool) -> None:
    memory = Memory()
    memory.note(1, "hall", "push", Effect.UNVERIFIED)
    memory.judge.reflected(1, verdict(confidence))
    assert ("push" in memory.edges) is promoted
    assert memory.tries("push") == 1, "a validation is no second try"
    memory.judge.reflected(1, verdict(1.0))
    assert len(memory.edges) == promoted, "a step is validated once"


def test_an_edge_counts_unsure_successes_as_well_as_failures_and_each_once() -> None:
    memory = Memory()
    memory.note(1, "hall", "chop", Effect.CONFIRMED, sure=True)
    memory.note(2, "hall", "chop", Effect.CONFIRMED)
    assert memory.edges == {"chop": (2, 2)}
    memory.judge.reflected(2, verdict(1.0))
    assert memory.edges == {"chop": (2, 2)}, "its validation is no second success"
    memory.note(3, "hall", "chop", Effect.UNVERIFIED)
    assert memory.edges == {"chop": (2, 3)}
    memory.note(4, "hall", "turn", Effect.CONFIRMED)
    memory.note(5, "hall", "chop", Effect.CONFIRMED, sure=True)
    assert memory.edges == {"chop": (3, 4), "turn": (1, 1)}, "the recovery's way is new in the graph"


def test_a_denied_effect_is_a_failure_and_promotes_nothing() -> None:
    memory = Memory()
    memory.note(1, "hall", "turn", Effect.CONFIRMED)
    memory.judge.reflected(1, verdict(0.9, effect=False))
    assert memory.edges == {}


def test_a_denied_effect_is_no_way_out_of_a_failure() -> None:
    memory = Memory()
    memory.note(1, "hall", "push", Effect.UNVERIFIED)
    memory.note(2, "hall", "turn", Effect.CONFIRMED)
    memory.judge.reflected(2, verdict(0.9, effect=False))
    memory.note(3, "hall", "jump", Effect.CONFIRMED, sure=True)
    assert memory.edges == {"jump": (1, 1), "push": (0, 1), "turn": (0, 1)}


def test_a_recovery_is_promoted_with_its_way_and_with_what_failed_before() -> None:
    memory = Memory()
    memory.note(1, "hall", "push", Effect.UNVERIFIED)
    memory.note(2, "hall", "turn", Effect.CONFIRMED)
    memory.note(3, "hall", "jump", Effect.CONFIRMED, sure=True)
    assert memory.edges == {"turn": (1, 1), "push": (0, 1), "jump": (1, 1)}
    assert all("recovery" in reason for reason in memory.reasons)
    assert memory.tries("turn") == 1


def test_a_success_long_after_a_failure_is_no_recovery() -> None:
    memory = Memory()
    memory.note(1, "hall", "push", Effect.UNVERIFIED)
    memory.note(2, "hall", "turn", Effect.CONFIRMED)
    memory.note(5, "hall", "jump", Effect.CONFIRMED, sure=True)
    assert memory.edges == {"jump": (1, 1)}


def test_promotion_follows_the_threshold_of_the_settings() -> None:
    lessons = deque(
        [
            ActionOutcome(
                before="a", after="b", action="go", effect=Effect.CONFIRMED, progressed=False, confidence=0.75
            )
        ]
    )
    strict = MEMORY.model_copy(update={"promote_at": 0.8})
    kinds = {type(change.content) for change in MemoryWriter("walker").next(deque(lessons), strict)}
    assert kinds == {ActionMemory}
    kinds = {type(change.content) for change in MemoryWriter("walker").next(deque(lessons), MEMORY)}
    assert kinds == {ActionMemory, StateNode}
    known = replace(lessons[0], known=True)
    assert {type(change.content) for change in MemoryWriter("walker").next(deque([known]), MEMORY)} == {
        StateNode
    }
