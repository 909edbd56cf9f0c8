"""Plays a suite from its plan to its end: starts it, or continues where an earlier runner ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitwall.core.paths import DataFolder
from pitwall.games.trust import require_trust
from pitwall_bench.playing.runner import SuiteRunner
from pitwall_bench.playing.workers import LocalWorkers, TaskWorkers
from pitwall_bench.suites.first_memory import memory_as_file
from pitwall_bench.suites.folder import SuiteFolder, begun_now
from pitwall_bench.suites.memories import SuiteMemories, chains_of, check_chains
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.surroundings import surroundings

if TYPE_CHECKING:
    from pathlib import Path

ProgressCallback = Callable[[TaskRun, SuiteProgress], None]


@dataclass(frozen=True, slots=True)
class PlayedSuite:
    """A finished suite: its folder, board, runs by key; `kept`: runs from before; `aside`: the old folder."""

    folder: SuiteFolder
    board: SuiteProgress
    runs: Mapping[str, TaskRun]
    kept: int
    aside: Path | None


def play_suite(
    plan: Plan,
    data: DataFolder,
    *,
    suite: str = "",
    file: str = "",
    workers: str = "",
    parallel: int | None = None,
    fresh: bool = False,
    failed_again: bool = False,
    keep_frames: bool = False,
    on_begin: Callable[[SuiteProgress], None] = lambda _board: None,
    on_run: ProgressCallback = lambda _run, _board: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> PlayedSuite:
    """Play a suite to its end; finished runs are not played again.

    Args:
        suite: its id; empty: the spec's name. file: the file it was read from.
        workers: "": this machine's processes; "local-ray", "ray://…": see `playing.ray_workers`.
        parallel: instead of the spec's. fresh: set an earlier suite aside and start over.
        failed_again: play again what could not be played.
        on_begin: called once, before the first run. on_run, should_stop: as `SuiteRunner`.

    Raises:
        SuiteChanged: the suite was begun with other games, agents, limits, models or settings.
        BrokenChain: results and memories that runs hand on do not fit.
        UntrustedPlugin: one of its games may not be started.
        DataFolderError: another runner plays it, or it cannot be written.
    """
    for game in plan.games.values():
        require_trust(game)
    folder = SuiteFolder(data, suite or plan.spec.name)
    with folder.lock():
        aside = folder.set_aside() if fresh else None
    side_by_side = parallel or plan.spec.parallel
    around = surroundings(plan.spec.agents, data)
    with folder.lock():
        kept = _kept(folder, plan, around, failed_again)
        if not folder.exists:
            folder.begin(plan.spec, begun_now(plan, plan.hashes(), around=around, file=file))
        folder.clear_stale(kept)
        memories = SuiteMemories(folder.root)
        _keep_first(plan, data, memories)
        check_chains(kept.values(), plan.memories, memories, folder.root / ".memory.tmp")
        runner = SuiteRunner(
            plan,
            folder,
            data,
            _workers(workers, side_by_side),
            runs=list(kept.values()),
            parallel=side_by_side,
            keep_frames=keep_frames,
            on_run=on_run,
            should_stop=should_stop,
        )
        on_begin(runner.board())
        board = runner.run()
    return PlayedSuite(folder, board, runner.runs, len(kept), aside)


def _kept(
    folder: SuiteFolder, plan: Plan, around: Mapping[str, str], failed_again: bool
) -> dict[str, TaskRun]:
    """Return earlier results that count; runs that somebody stopped do not."""
    if not folder.exists:
        return {}
    folder.check_begun(plan.hashes(), around)
    runs = folder.runs()
    again = {key for key, run in runs.items() if run.ended == "stopped" or (failed_again and not run.played)}
    for chain in chains_of(runs.values()).values():  # a later run began with what an earlier one left
        last = max((at for at, run in enumerate(chain) if run.cell.key not in again), default=-1)
        again -= {run.cell.key for run in chain[:last]}
    return {key: run for key, run in runs.items() if key not in again}


def _keep_first(plan: Plan, data: DataFolder, memories: SuiteMemories) -> None:
    """Keep the memories that agents begin with, where the suite does not have them yet.

    Raises:
        BrokenChain: one was changed since the suite was checked.
    """
    for agent, content_hash in plan.memories.items():
        if not memories.has(content_hash):
            with memory_as_file(plan.agents[agent].memory, data) as file:
                memories.keep(file, content_hash)


def _workers(named: str, parallel: int) -> TaskWorkers:
    if not named:
        return LocalWorkers()
    from pitwall_bench.playing.ray_workers import ray_workers  # an extra: loaded where it is asked for

    return ray_workers(named, parallel)
