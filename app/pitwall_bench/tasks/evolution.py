"""Accepts and retires skills after a run without a person, behind the gate and within a budget (SPEC §4).

A proposed skill has passed the write gate's levels of likeness and the trial on recorded outcomes. Here it is
played: the same task from seeds that no run plays, with the skill and without it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pitwall.core.errors import PitwallError
from pitwall.core.memories import JudgeSkill, MemoryEdit, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.core.settings import MemorySettings
from pitwall.memory.discovery.write_gate import gate, more_evidence
from pitwall.memory.reader import MemoryReader
from pitwall.memory.retrieval.sentence_vectors import SentenceVectors
from pitwall.memory.store import MemoryStore
from pitwall_bench.suites.memories import keep_snapshot
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import Evolution
from pitwall_bench.tasks.messages import LentMemory
from pitwall_bench.tasks.skill_review import review

TRIALS = "trials"
"""Folder of a session in which trials are played; removed afterwards."""
HELD_OUT = 1_000_000
"""Seeds of trials begin here (choice); a suite's own seeds and a climb's attempts lie below it."""
_SEEDS_A_RUN = 100
_ROLE = "task-seat"
Verdict = Literal["accepted", "refused", "open"]
PlayTrial = Callable[[Cell, LentMemory, Evolution, float], TaskRun]
"""Plays a cell once with a memory, at most so many seconds; returns its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTrial:
    """The result of playing a skill: pairs in which it did better, and worse; the others were equal."""

    seeds: tuple[int, ...]
    wins: int
    losses: int
    verdict: Verdict

    @property
    def sentence(self) -> str:
        """Return the trial as a sentence of evidence."""
        if not self.seeds:
            return "It was not played: the budget was used up."
        seeds = ", ".join(map(str, self.seeds))
        return (
            f"Played with it and without it on {counted(len(self.seeds), 'seed')} that no run plays "
            f"({seeds}): better in {self.wins}, worse in {self.losses}; {self.verdict}."
        )


@dataclass(frozen=True, slots=True)
class Evolved:
    """Names of the skills that were accepted, and retired or refused; seconds that trials took."""

    accepted: tuple[str, ...]
    retired: tuple[str, ...]
    tried_s: float


def play_pairs(
    play: Callable[[int, bool], TaskRun | None], seeds: Sequence[int], *, trials: int
) -> PlayedTrial:
    """Play pairs with a skill and without it, until the verdict is certain.

    It is accepted if it did better in two thirds of the pairs and worse in none (SPEC §4).

    Args:
        play: plays a seed with the skill or without it; None: the budget is used up.
    """
    played: list[int] = []
    wins = losses = 0
    for seed in seeds[:trials]:
        without, mine = play(seed, False), play(seed, True)
        if without is None or mine is None:
            return PlayedTrial(seeds=tuple(played), wins=wins, losses=losses, verdict="open")
        played.append(seed)
        if without.played and mine.played:
            wins += _worth(mine) > _worth(without)
            losses += _worth(mine) < _worth(without)
        if losses or 3 * (wins + trials - len(played)) < 2 * trials:
            return PlayedTrial(seeds=tuple(played), wins=wins, losses=losses, verdict="refused")
    return PlayedTrial(seeds=tuple(played), wins=wins, losses=losses, verdict="accepted")


def _worth(run: TaskRun) -> tuple[float, ...]:
    """Return what a play came to, for comparing: success, progress, score; of two successes the shorter."""
    return (run.success, run.progress or 0.0, run.score or 0.0, -run.steps if run.success else 0.0)


class SkillEvolution:
    """Decides about the skills of one session's memory.

    Args:
        run: the finished run. play: plays a trial; a stopped one ends all trials.
    """

    def __init__(
        self,
        data: DataFolder,
        game_id: str,
        run: TaskRun,
        budget: Evolution,
        settings: MemorySettings,
        play: PlayTrial,
    ) -> None:
        self._data, self._game_id, self._run, self._budget = data, game_id, run, budget
        self._settings, self._play = settings, play
        self._scratch = data.root / TRIALS
        self._began_s = time.monotonic()
        self._stopped = False
        self._accepted: list[str] = []
        self._retired: list[str] = []

    def evolve(self) -> Evolved:
        """Merge, try and judge what was proposed; retire what harms.

        Raises:
            DataFolderError: the memory cannot be written.
        """
        waiting = [entry for entry in self._skills() if _skill(entry).status == "proposed"]
        with SentenceVectors(self._data.logs) as vectors:
            for entry in sorted(waiting, key=lambda entry: -entry.entry_id)[: self._budget.skills]:
                self._decide(entry, vectors)
        skills = {entry.entry_id: entry for entry in self._skills()}
        for removal in review(list(skills.values()), self._settings, run_id=self._run.run_id):
            if skills[removal.entry_id].provenance.author == "agent":
                self._settle(skills[removal.entry_id], "retired", removal.why)
        return Evolved(tuple(self._accepted), tuple(self._retired), time.monotonic() - self._began_s)

    def _decide(self, entry: MemoryEntry, vectors: SentenceVectors) -> None:
        skill = _skill(entry)
        if skill.similar_to is not None:
            others = [other for other in self._skills() if other.entry_id != entry.entry_id]
            verdict = gate(skill, others, vectors.of, self._settings)
            retired = {other.entry_id for other in others if _skill(other).status == "retired"}
            if verdict.level in ("merge", "duplicate") and skill.similar_to in retired:
                self._settle(entry, "retired", verdict.why)
            elif verdict.level in ("merge", "duplicate"):
                self._apply(JudgeSkill(entry_id=entry.entry_id, verdict="merge", reason=verdict.why))
            if verdict.level != "accept":
                return  # in doubt: without a judge's answer it waits
        trial = self._tried(entry)
        if trial.verdict != "open":
            self._settle(entry, "active" if trial.verdict == "accepted" else "retired", trial.sentence)

    def _tried(self, entry: MemoryEntry) -> PlayedTrial:
        """Play a skill; the memory is as before afterwards."""
        without = self._lent("without")
        self._put(entry, replace(_skill(entry), status="active"), "on trial")
        mine = self._lent("with")
        self._put(entry, _skill(entry), "the trial is over")
        first = HELD_OUT + _SEEDS_A_RUN * (self._run.cell.seed + (self._run.run_id or 0))
        cell = self._run.cell

        def play(seed: int, skilled: bool) -> TaskRun | None:
            left_s = self._budget.seconds - (time.monotonic() - self._began_s)
            if left_s <= 0 or self._stopped:
                return None
            trial_cell = cell.model_copy(update={"seed": seed})
            run = self._play(trial_cell, mine if skilled else without, self._budget, left_s)
            self._stopped = run.ended == "stopped"
            return None if run.ended in ("stopped", "outside") else run

        return play_pairs(play, range(first, first + self._budget.trials), trials=self._budget.trials)

    def _lent(self, name: str) -> LentMemory:
        self._scratch.mkdir(parents=True, exist_ok=True)
        file = self._scratch / f"{name}.jsonl"
        return LentMemory(content_hash=keep_snapshot(self._data, self._game_id, file, role=_ROLE), file=file)

    # ---- the memory

    def _skills(self) -> list[MemoryEntry]:
        with contextlib.closing(MemoryReader(self._data)) as reader:
            return reader.entries(self._game_id, [MemoryKind.SKILL])

    def _settle(self, entry: MemoryEntry, status: Literal["active", "retired"], why: str) -> None:
        skill = _skill(entry)
        evidence = more_evidence(skill, (why,))
        self._put(entry, replace(skill, status=status, similar_to=None, evidence=evidence), why)
        (self._accepted if status == "active" else self._retired).append(skill.name)

    def _put(self, entry: MemoryEntry, skill: SkillMemory, why: str) -> None:
        self._apply(PutEntry(game_id=self._game_id, content=skill, entry_id=entry.entry_id, reason=why))

    def _apply(self, edit: MemoryEdit) -> None:
        by = Provenance(author="agent", run_id=self._run.run_id, source="gate")
        with MemoryStore.open(self._data, role=_ROLE) as store:
            result = store.apply([edit], by)
        if result.what:
            raise PitwallError(result.what, result.fix)


def _skill(entry: MemoryEntry) -> SkillMemory:
    assert isinstance(entry.content, SkillMemory)
    return entry.content
