"""The results of runs that share a memory: curves with bands, the chain of memories, and its skills.

The console and `pitwall study show`, `pitwall suite memory` show the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pitwall.core.errors import PitwallError
from pitwall.core.memory_kinds import SkillMemory
from pitwall.memory.reader import MemoryReader
from pitwall_bench.suites.memories import EMPTY, SuiteMemories, chains_of
from pitwall_bench.suites.results import MemoryLink, TaskRun
from pitwall_bench.suites.statistics import Mean, Share, mean_of, share_of

WINDOW = 10
"""Newest carried runs that a point of the curve of carried runs stands for (choice)."""
_MOST_POINTS = 100


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class CurvePoint(_Figures):
    """A point of a learning curve. after: carried runs up to here. score: on a scale to 100."""

    after: int
    success: Share
    score: Mean


class ChainStep(_Figures):
    """A carried run. number: in its chain, from 1. entries: of the memory after it."""

    number: int
    run: str
    success: bool
    played: bool
    score: float
    before: str
    after: str
    entries: int
    accepted: tuple[str, ...]
    retired: tuple[str, ...]
    verdict: str


class SkillHistory(_Figures):
    """A skill of a chain.

    Attributes:
        accepted, retired: numbers of the runs after which the gate accepted and retired it.
        status: in the last memory; empty: it is not there. uses: decisions of it in carried runs;
        measured: in runs that measure the chain's memories.
    """

    name: str
    when: str
    accepted: tuple[int, ...]
    retired: tuple[int, ...]
    status: str
    uses: int
    measured: int


class Learning(_Figures):
    """A chain of runs that share a memory.

    Attributes:
        memory: data folder of its snapshots, for `pitwall memory diff A B --data`.
        carried: success of the newest `WINDOW` carried runs. measured: of runs that measure its memories.
        problem: why its memories cannot be read; empty if they can.
    """

    suite: str
    chain: str
    memory: Path
    steps: tuple[ChainStep, ...]
    carried: tuple[CurvePoint, ...]
    measured: tuple[CurvePoint, ...]
    skills: tuple[SkillHistory, ...]
    problem: str = ""

    @property
    def hashes(self) -> dict[str, int]:
        """Return each memory of the chain with the number of carried runs after which it was first there."""
        first: dict[str, int] = {self.steps[0].before: 0} if self.steps else {}
        for step in self.steps:
            first.setdefault(step.after, step.number)
        return first


def score_of(run: TaskRun) -> float:
    """Return a run's score on a scale to 100: 100 for a success, else its progress."""
    return 100.0 if run.success else 100.0 * (run.progress or 0.0)


def learning_of(root: Path, runs: Iterable[TaskRun]) -> tuple[Learning, ...]:
    """Return what each chain of a suite came to. root: the suite's folder."""
    runs = list(runs)
    return tuple(_learning(root, chain, members, runs) for chain, members in chains_of(runs).items())


def _learning(root: Path, chain: str, members: Sequence[TaskRun], runs: Sequence[TaskRun]) -> Learning:
    memories = SuiteMemories(root)
    last = _link(members[-1]).after
    counts: Mapping[str, int] = {}
    skills: list[SkillMemory] = []
    problem = ""
    try:
        with contextlib.closing(MemoryReader(memories.data)) as reader:
            counts = {row.content_hash: sum(row.counts.values()) for row in reader.snapshots()}
            entries = reader.snapshot_entries(last)[1] if last != EMPTY else []
        skills = [entry.content for entry in entries if isinstance(entry.content, SkillMemory)]
    except PitwallError as error:
        problem = str(error)
    measuring: dict[int, list[TaskRun]] = {}
    for run in runs:
        if run.memory is not None and run.memory.measures == chain and run.played:
            measuring.setdefault(run.memory.position, []).append(run)
    return Learning(
        suite=root.name,
        chain=chain,
        memory=memories.data.root,
        steps=tuple(_step(run, counts) for run in members),
        carried=_windows(members),
        measured=tuple(_point(after, measuring[after]) for after in sorted(measuring)),
        skills=_skills(members, skills, [run for group in measuring.values() for run in group]),
        problem=problem,
    )


def _step(run: TaskRun, counts: Mapping[str, int]) -> ChainStep:
    link = _link(run)
    return ChainStep(
        number=link.position + 1,
        run=run.cell.key,
        success=run.success,
        played=run.played,
        score=score_of(run),
        before=link.before,
        after=link.after,
        entries=counts.get(link.after, 0),
        accepted=link.accepted,
        retired=link.retired,
        verdict=link.verdict,
    )


def _windows(members: Sequence[TaskRun]) -> tuple[CurvePoint, ...]:
    """Return a point for each played run of a chain from the fifth on, or for every so many of a long one."""
    played = [(_link(run).position + 1, run) for run in members if run.played]
    every = -(-len(played) // _MOST_POINTS) or 1
    ends = [end for end in range(WINDOW // 2, len(played)) if end % every == 0]
    ends += [len(played)] if played else []
    return tuple(
        _point(played[end - 1][0], [run for _, run in played[max(0, end - WINDOW) : end]]) for end in ends
    )


def _point(after: int, runs: Sequence[TaskRun]) -> CurvePoint:
    success = share_of(sum(run.success for run in runs), len(runs))
    return CurvePoint(after=after, success=success, score=mean_of([score_of(run) for run in runs]))


def _skills(
    members: Sequence[TaskRun], now: Sequence[SkillMemory], measuring: Sequence[TaskRun]
) -> tuple[SkillHistory, ...]:
    """Return every skill that was accepted, is used or is there, those in use first."""
    by_name = {skill.name: skill for skill in now}
    links = [_link(run) for run in members]
    accepted = _numbers((link.position + 1, link.accepted) for link in links)
    retired = _numbers((link.position + 1, link.retired) for link in links)
    carried, measured = _uses(links), _uses(map(_link, measuring))
    names = dict.fromkeys([*accepted, *by_name, *(name for name in carried if name)])
    rows = [
        SkillHistory(
            name=name,
            when=by_name[name].when if name in by_name else "",
            accepted=accepted.get(name, ()),
            retired=retired.get(name, ()),
            status=by_name[name].status if name in by_name else "",
            uses=carried.get(name, 0) + (by_name[name].uses if name in by_name else 0),
            measured=measured.get(name, 0),
        )
        for name in names
    ]
    return tuple(sorted(rows, key=lambda row: (row.status != "active", -row.uses, -row.measured, row.name)))


def _numbers(named: Iterable[tuple[int, tuple[str, ...]]]) -> dict[str, tuple[int, ...]]:
    numbers: dict[str, tuple[int, ...]] = {}
    for number, names in named:
        for name in names:
            numbers[name] = (*numbers.get(name, ()), number)
    return numbers


def _uses(links: Iterable[MemoryLink]) -> dict[str, int]:
    uses: dict[str, int] = {}
    for link in links:
        for name, count in link.uses.items():
            uses[name] = uses.get(name, 0) + count
    return uses


def _link(run: TaskRun) -> MemoryLink:
    assert run.memory is not None
    return run.memory
