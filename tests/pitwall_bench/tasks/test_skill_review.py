"""The skills that a suite's gate retires: those that harm, and those that nothing used for long."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.memory.discovery.recorded_steps import entry

from pitwall.core.memories import MemoryEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.settings import MemorySettings
from pitwall_bench.tasks.skill_review import review

SKILL = SkillMemory(name="drink", when="health < 30", subgoal="get well", actions=("drink",))
SETTINGS = MemorySettings()


def entry_of(uses: int, successes: int, *, run_id: int | None = None, pinned: bool = False) -> MemoryEntry:
    candidate = entry(1, replace(SKILL, uses=uses, successes=successes), run_id=run_id)
    return replace(candidate, pinned=pinned)


@pytest.mark.parametrize(
    ("uses", "successes", "harms"),
    [(10, 2, True), (10, 3, False), (9, 0, False), (100, 29, True), (100, 30, False), (0, 0, False)],
)
def test_harmful_skills_go(uses: int, successes: int, harms: bool) -> None:
    result = review([entry_of(uses, successes)], SETTINGS)
    assert bool(result) == harms
    if result:
        assert (result[0].entry_id, result[0].name) == (1, "drink")
        assert f"{successes} of {uses} uses" in result[0].why
    assert review([entry_of(uses, successes, pinned=True)], SETTINGS) == []


def test_unused_skills_go_after_as_many_runs() -> None:
    assert review([entry_of(0, 0, run_id=5)], SETTINGS, run_id=14) == []
    (result,) = review([entry_of(0, 0, run_id=5)], SETTINGS, run_id=15)
    assert "never used in the 10 runs" in result.why
    assert review([entry_of(0, 0, run_id=5)], SETTINGS) == []
