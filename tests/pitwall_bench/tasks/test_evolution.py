"""The gate without a person: skills played in pairs on held-out seeds, with a session's real memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core.memories import Author, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.settings import MemorySettings
from pitwall.memory.retrieval import sentence_vectors
from pitwall.memory.store import MemoryStore
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import Evolution
from pitwall_bench.tasks.carried_memory import begin_memory
from pitwall_bench.tasks.evolution import HELD_OUT, Evolved, SkillEvolution
from pitwall_bench.tasks.messages import LentMemory

CELL = Cell(game="snake", task="one_fruit", agent="learner", seed=3)
RUN = TaskRun(cell=CELL, ended="steps", run_id=7)
NEW = SkillMemory(
    name="after wait begin",
    when="menu",
    subgoal="begin",
    actions=("begin",),
    status="proposed",
    evidence=("Run 7, steps 1–5: wait was stuck; then begin made progress.",),
)
Score = Callable[[int, bool], float]


class Desk:
    """A session's memory, and plays whose score is told by seed and by whether the new skill is active."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, DataFolder(folder / "session")
        self.data.root.mkdir()
        self.played: list[tuple[int, bool]] = []

    def has(self, skill: SkillMemory, author: Author = "agent") -> int:
        by = Provenance(author=author, run_id=7)
        with MemoryStore.open(self.data, role="test") as store:
            return store.apply([PutEntry(game_id="snake", content=skill)], by).entry_ids[0]

    def evolve(self, score: Score, *, ended: str = "steps", **budget: float) -> Evolved:
        def play(cell: Cell, lent: LentMemory, _budget: Evolution, most_s: float) -> TaskRun:
            assert most_s > 0
            skilled = self._active(lent)
            self.played.append((cell.seed, skilled))
            return TaskRun.model_validate(
                {"cell": cell, "ended": ended, "progress": score(cell.seed, skilled), "steps": 9}
            )

        settings = MemorySettings()
        evolution = SkillEvolution(self.data, "snake", RUN, Evolution.model_validate(budget), settings, play)
        return evolution.evolve()

    def _active(self, lent: LentMemory) -> bool:
        """Begin a session with the lent memory as a seat does, and look for the skill there."""
        data = DataFolder(self.folder / f"trial-{len(self.played)}")
        begin_memory(lent, data, "snake")
        with MemoryStore.open(data, role="test") as store:
            return any(_skill(entry).status == "active" for entry in store.entries("snake"))

    def skill(self, number: int) -> SkillMemory:
        with MemoryStore.open(self.data, role="test") as store:
            return _skill(store.some([number])[0])


def _skill(entry: MemoryEntry) -> SkillMemory:
    assert isinstance(entry.content, SkillMemory)
    return entry.content


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(sentence_vectors, "installed_embedder", lambda: None)  # words are hashed
    return Desk(tmp_path)


def test_a_skill_that_does_better_on_held_out_seeds_is_accepted_with_its_evidence(desk: Desk) -> None:
    number = desk.has(NEW)
    evolved = desk.evolve(lambda seed, skilled: 0.5 + 0.4 * (skilled and seed % 3 > 0))
    assert evolved.accepted == (NEW.name,) and not evolved.retired
    seeds = sorted({seed for seed, _ in desk.played})
    assert len(seeds) == 3 and seeds[0] >= HELD_OUT
    assert sorted(desk.played) == [(seed, skilled) for seed in seeds for skilled in (False, True)]
    accepted = desk.skill(number)
    assert accepted.status == "active" and accepted.evidence[0] == NEW.evidence[0], "where it comes from"
    assert (
        "better in 2, worse in 0; accepted" in accepted.evidence[-1]
        and str(seeds[0]) in accepted.evidence[-1]
    )


@pytest.mark.parametrize(
    ("score", "pairs"),
    [
        pytest.param(lambda _seed, skilled: 0.5 - 0.1 * skilled, 1, id="harmful"),
        pytest.param(lambda *_: 0.5, 2, id="no better"),
    ],
)
def test_a_skill_that_harms_or_does_no_better_is_refused_as_soon_as_that_is_certain(
    desk: Desk, score: Score, pairs: int
) -> None:
    number = desk.has(NEW)
    assert desk.evolve(score).retired == (NEW.name,)
    assert len(desk.played) == 2 * pairs
    assert desk.skill(number).status == "retired"


def test_what_the_budget_or_a_stop_leaves_untried_waits(desk: Desk) -> None:
    first, second = (
        desk.has(NEW),
        desk.has(SkillMemory(name="b", when="menu", subgoal="b", actions=("begin",), status="proposed")),
    )
    stopped = desk.evolve(lambda *_: 1.0, ended="stopped")
    assert not stopped.accepted and not stopped.retired
    assert len(desk.played) == 1, "nothing is begun after a stop"
    desk.evolve(lambda _seed, skilled: float(skilled), skills=1)
    assert (desk.skill(first).status, desk.skill(second).status) == ("proposed", "active"), "the newest first"
    desk.evolve(lambda _seed, skilled: float(skilled), seconds=1e-9)
    assert desk.skill(first) == NEW


def test_a_near_duplicate_is_merged_without_a_play_and_what_harms_is_retired(desk: Desk) -> None:
    known = desk.has(replace(NEW, name="begin", status="active"))
    twin = replace(NEW, name="begin at once", evidence=("Run 7.",), similar_to=known)
    waiting = desk.has(twin)
    used = SkillMemory(
        name="bad", when="score > 5", subgoal="turn", actions=("turn_up",), uses=10, successes=1
    )
    bad, mine = desk.has(used), desk.has(replace(used, name="mine"), "operator")
    evolved = desk.evolve(lambda *_: 1.0)
    assert evolved.retired == ("bad",) and not desk.played
    assert desk.skill(waiting).status == "retired" and "Run 7." in desk.skill(known).evidence
    assert (desk.skill(bad).status, desk.skill(mine).status) == ("retired", "active"), "only the agent's own"


def test_a_near_duplicate_of_a_rejected_skill_is_rejected_without_a_play(desk: Desk) -> None:
    known = desk.has(replace(NEW, name="begin", status="retired"))
    waiting = desk.has(replace(NEW, name="begin at once", evidence=("Run 7.",), similar_to=known))
    assert desk.evolve(lambda *_: 1.0).retired == ("begin at once",) and not desk.played
    assert desk.skill(waiting).status == "retired" and "Run 7." not in desk.skill(known).evidence
