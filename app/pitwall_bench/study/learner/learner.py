"""A learner without a model: it plays, keeps statistics of its choices, and lets the gate judge their skills.

It goes on from what a position left (`Learner.resume`). Three ranges of seeds never meet: those of carried
runs, of the gate, and of the measurement. Everything follows from the seeds: the same study gives the same
memories, hash by hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEdit, MemoryEntry, Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.discovery.write_gate import more_evidence
from pitwall.memory.store import MemoryStore
from pitwall_bench.study.learner.choice_statistics import ChoiceRecord
from pitwall_bench.study.learner.gate import LEAST_PAIRS, PairTrial, play_against
from pitwall_bench.study.learner.skills_alone import SkillsAlone
from pitwall_bench.study.learner.twin_player import PlayedRun, TwinPlayer
from pitwall_bench.suites.memories import EMPTY, keep_snapshot

CARRIED, GATE, MEASURED = 3_000_000, 4_000_000, 5_000_000
"""First seeds of the three ranges."""
EXPLORE = 0.3
"""Share of choices by chance while it learns, in carried runs and in those of the gate (choice)."""
_PAIRS_A_RUN, _PAIRS_A_LEARNER, _RUNS_A_LEARNER = 1000, 100, 1000
_ROLE = "task-seat"


class LearnedRun(BaseModel):
    """A carried run: its result, the memory before and after it, and the verdict of the gate."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: int
    seed: int
    score: float
    won: bool
    before: str
    after: str
    trial: PairTrial | None = None
    accepted: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    skills: int = 0


class StudyStopped(Exception):
    """Somebody stopped the study between two runs; the position that was begun is not kept."""


class Learner:
    """Carries one memory from run to run.

    Args:
        data: an empty data folder; its memory is the one that is carried. pairs: most pairs of the gate
            after each run; least: fewest before a verdict. number: of the learner, from 1; another number
            has other seeds. should_stop: asked before each run.

    Attributes:
        recorded: runs that were recorded at the last position: the carried one, then those of the gate.
    """

    def __init__(
        self,
        player: TwinPlayer,
        data: DataFolder,
        *,
        pairs: int,
        least: int = LEAST_PAIRS,
        number: int = 1,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._player, self._data = player, data
        self._pairs, self._least, self._should_stop = pairs, least, should_stop
        self._carried = CARRIED + _RUNS_A_LEARNER * (number - 1)
        self._gate = GATE + _PAIRS_A_LEARNER * (number - 1)
        self._game_id = player.profile.game.id
        self._record = ChoiceRecord(player.profile)
        self._above = max(
            (skill.priority for skill in player.profile.skills if skill.priority < 90), default=0
        )
        self._hash = EMPTY
        self.recorded: list[PlayedRun] = []
        data.root.mkdir(parents=True, exist_ok=True)

    @property
    def runs(self) -> int:
        """Return the number of recorded runs, carried and of the gate."""
        return self._record.runs

    def resume(self, recorded: Iterable[PlayedRun], content_hash: str, file: Path | None) -> None:
        """Go on after a position.

        Args:
            recorded: every run that was recorded so far. content_hash: of the memory that the position left.
            file: its snapshot; None: it is empty.

        Raises:
            ImportRefused: the file is another memory.
        """
        for run in recorded:
            self._record.add(run)
        self._hash = content_hash
        if file is not None:
            with MemoryStore.open(self._data, role=_ROLE) as store:
                store.begin_from(file, content_hash)

    def entries(self) -> list[MemoryEntry]:
        """Return the memory's skills."""
        with MemoryStore.open(self._data, role=_ROLE) as store:
            return [entry for entry in store.entries(self._game_id) if isinstance(entry.content, SkillMemory)]

    def carry(self, position: int, file: Path | None = None) -> LearnedRun:
        """Play a run, and let the gate judge the skills that follow from all recorded runs.

        Args:
            file: the memory afterwards is written there as a snapshot.

        Raises:
            StudyStopped: somebody stopped the study.
        """
        self.recorded = []
        before, known = self._hash, self.entries()
        run = self._played(self._carried + position, self._player.skills(known))
        proposed = self._proposed(position + 1)
        trial: PairTrial | None = None
        accepted: tuple[str, ...] = ()
        retired: tuple[str, ...] = ()
        if proposed:
            trial = self._tried(known, proposed, self._gate + _PAIRS_A_RUN * position)
            if trial.verdict == "accepted":
                accepted, retired = self._accept(known, proposed, trial, position + 1)
        self._hash = keep_snapshot(self._data, self._game_id, file, role=_ROLE, name=f"run {position + 1}")
        return LearnedRun(
            position=position,
            seed=run.seed,
            score=run.score,
            won=run.won,
            before=before,
            after=self._hash,
            trial=trial,
            accepted=accepted,
            retired=retired,
            skills=sum(_skill(entry).status == "active" for entry in self.entries()),
        )

    def _played(self, seed: int, skills: SkillsAlone) -> PlayedRun:
        if self._should_stop():
            raise StudyStopped
        run = self._player.play(seed, skills, explore=EXPLORE)
        self._record.add(run)
        self.recorded.append(run)
        return run

    def _proposed(self, run_id: int) -> list[SkillMemory]:
        """Return the skills that follow from the recorded runs, for every kind of screen that has enough."""
        proposals = [self._record.propose(screen, above=self._above) for screen in self._record.screens]
        by = f"Read from {self._record.runs} recorded runs, up to run {run_id}."
        return [
            replace(skill, evidence=(*skill.evidence, by))
            for proposal in proposals
            if proposal is not None
            for skill in proposal.skills
        ]

    def _tried(
        self, known: Sequence[MemoryEntry], proposed: Sequence[SkillMemory], first_seed: int
    ) -> PairTrial:
        by = Provenance(author="agent")
        mine = [
            MemoryEntry(
                entry_id=number,
                game_id=self._game_id,
                content=replace(skill, status="active"),
                provenance=by,
                changed_by=by,
            )
            for number, skill in enumerate(proposed, 1)
        ]
        arms = {True: self._player.skills(mine), False: self._player.skills(known)}

        return play_against(
            lambda seed, skilled: self._played(seed, arms[skilled]).score,
            first_seed,
            most=self._pairs,
            least=self._least,
        )

    def _accept(
        self, known: Sequence[MemoryEntry], proposed: Sequence[SkillMemory], trial: PairTrial, run_id: int
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Put the proposed skills in the place of the known ones, in one transaction."""
        names = {skill.name for skill in proposed}
        by_name = {_skill(entry).name: entry for entry in known}
        gone = [
            entry for name, entry in by_name.items() if name not in names and _skill(entry).status == "active"
        ]
        edits: list[MemoryEdit] = []
        for skill in proposed:
            entry = by_name.get(skill.name)
            now = replace(skill, status="active", evidence=more_evidence(skill, (trial.sentence,)))
            edits.append(self._edit(now, entry, "accepted"))
        for entry in gone:
            retired = replace(_skill(entry), status="retired")
            edits.append(self._edit(retired, entry, "the newer skills do without it"))
        with MemoryStore.open(self._data, role=_ROLE) as store:
            result = store.apply(edits, Provenance(author="agent", run_id=run_id, source="gate"))
        if result.what:
            raise PitwallError(result.what, result.fix)
        return tuple(sorted(names)), tuple(sorted(_skill(entry).name for entry in gone))

    def _edit(self, skill: SkillMemory, entry: MemoryEntry | None, why: str) -> MemoryEdit:
        number = entry.entry_id if entry is not None else None
        return PutEntry(game_id=self._game_id, content=skill, entry_id=number, reason=why)


def _skill(entry: MemoryEntry) -> SkillMemory:
    assert isinstance(entry.content, SkillMemory)
    return entry.content
