"""`suite`: the cost of the harness.

A step of a random agent in a suite's session (capture, perception, gate, real keys, run log, judge) against
the same page driven over the debugging protocol alone (`peers.bare_cdp`), with the same fixed time per
action. Sessions per hour of a three-second task with 1, 2 and 4 side by side. Memory of a session: the
highest proportional set size of everything that its task worker started, screen and game included. The window
of a bridged environment: `environment_step`.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_bench.playing.runner import SuiteRunner
from pitwall_bench.playing.workers import LocalWorkers
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from workshop.benchmarks.evaluation.environment_step import environment_checks
from workshop.benchmarks.peers.bare_cdp import bare_steps_ms
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.cpu_time import descendants
from workshop.fixtures.processes import pss_kib

AIM_OVERHEAD, AIM_SESSION_MIB = 1.15, 1024.0
_SEED = 7
_SHORT_S = 3.0
_PAGE, _PAGE_TASK = "tiles", "rich_1024"
_WINDOW, _WINDOW_TASK = "flappy", "long_flight"
_LOOK_EVERY_S = 0.5


def run(*, quick: bool) -> dict[str, Any]:
    """Measure everything."""
    steps = 25 if quick else 150
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-", ignore_cleanup_errors=True) as scratch:
        data = DataFolder(Path(scratch))
        ours, page_mib = _harness(data, steps)
        bare_ms = bare_steps_ms(Registry(data).load(_PAGE), steps, _SEED)
        rates = {side: _rate(data, side, side * (1 if quick else 3)) for side in _sides(quick)}
    bare = spread(bare_ms)
    ratio = ours["p50"] / bare["p50"]
    most_mib = max(page_mib, *(mib for _, mib in rates.values()))
    return report(
        "suite",
        [
            check(
                f"a step of {_PAGE}",
                "ms",
                ours,
                aim=f"≤ {AIM_OVERHEAD:g}× bare",
                met=ratio <= AIM_OVERHEAD,
                peer=("bare CDP", bare["p50"]),
                ratio=ratio,
            ),
            *(_rate_check(side, rate, rates[1][0]) for side, (rate, _) in rates.items()),
            check(
                "memory of a session",
                "MiB",
                figure(most_mib),
                aim=f"≤ {AIM_SESSION_MIB:g} MiB",
                met=most_mib <= AIM_SESSION_MIB,
            ),
            *environment_checks(quick=quick),
        ],
        task_s=_SHORT_S,
        bare_p95_ms=bare["p95"],
        browser_session_mib=page_mib,
        window_session_mib={side: mib for side, (_, mib) in rates.items()},
        load_average=os.getloadavg()[0],
    )


def _sides(quick: bool) -> tuple[int, ...]:
    return (1, 2) if quick else (1, 2, 4)


def _rate_check(side: int, rate: float, alone: float) -> dict[str, Any]:
    more = side > 1
    return check(
        f"sessions an hour, {side} at once",
        "/h",
        figure(rate),
        aim="more than one at a time" if more else "told",
        met=rate > alone if more else rate > 0,
        ratio=rate / alone if more else None,
    )


def _harness(data: DataFolder, steps: int) -> tuple[dict[str, Any], float]:
    """Return the times between decisions of a session on the page, and the session's MiB."""
    spec = _spec(_PAGE, _PAGE_TASK, "random", {"limits": {"steps": steps, "opening_s": 120}})
    runs, mib, _ = _played(data, "page", spec)
    summary = runs[0].summary
    if summary is None or summary.step_ms.p50 is None:
        raise PitwallError(f"the session made {runs[0].steps} steps: {runs[0].why}")
    step = summary.step_ms
    return {"p50": step.p50, "p95": step.p95, "p99": step.p99, "n": step.n}, mib


def _rate(data: DataFolder, side_by_side: int, runs: int) -> tuple[float, float]:
    """Return sessions per hour, and MiB of each while all of them played."""
    changes = {"limits": {"seconds": _SHORT_S, "opening_s": 120}, "seeds": {"first": 1, "count": runs}}
    spec = _spec(_WINDOW, _WINDOW_TASK, "idle", changes)
    played, mib, took_s = _played(data, f"at-once-{side_by_side}", spec, side_by_side)
    return 3600.0 * len(played) / took_s, mib


def _spec(game: str, task: str, agent: str, changes: dict[str, Any]) -> SuiteSpec:
    games, agents = [{"game": game, "tasks": [task]}], [{"name": agent, "kind": agent}]
    return SuiteSpec.model_validate({"name": "bench", "games": games, "agents": agents, **changes})


def _played(
    data: DataFolder, name: str, spec: SuiteSpec, side_by_side: int = 1
) -> tuple[list[TaskRun], float, float]:
    """Return the runs of a suite, the most MiB of a session, and its seconds.

    Raises:
        PitwallError: a run could not be played.
    """
    game = Registry(data).load(spec.games[0].game)
    plan = Plan(spec, {game.game_id: game}, {game.game_id: game.game_id})
    watch = _MemoryWatch(side_by_side)
    runner = SuiteRunner(
        plan,
        SuiteFolder(data, name),
        data,
        LocalWorkers(),
        parallel=side_by_side,
        should_stop=watch.look,
    )
    began_s = time.monotonic()
    runner.run()
    took_s = time.monotonic() - began_s
    runs = list(runner.runs.values())
    for run in runs:
        if not run.played:
            raise PitwallError(f"{run.cell.key} could not be played ({run.ended}): {run.why}")
    return runs, watch.most_mib, took_s


class _MemoryWatch:
    """Sums the memory of this process's children at intervals; a runner calls it every turn.

    Args:
        sessions: sessions that play at the same time.
    """

    def __init__(self, sessions: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._sessions, self._clock = sessions, clock
        self._looked_s = 0.0
        self.most_mib = 0.0

    def look(self) -> bool:
        """Measure if it is time; return False, so that the suite never stops."""
        if self._clock() - self._looked_s >= _LOOK_EVERY_S:
            self._looked_s = self._clock()
            own = os.getpid()
            held = sum(pss_kib(pid) for pid in descendants(own) if pid != own) / 1024
            self.most_mib = max(self.most_mib, held / self._sessions)
        return False
