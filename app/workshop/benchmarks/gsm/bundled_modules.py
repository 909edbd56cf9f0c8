"""`gsm-flappy`, `gsm-arena`, `gsm-doom`: bundled modules on the screen, against the paper's figures.

Every run is a game of its own in real time, unpaused, through capture and keys, on held-out seeds; rules and
learned policies are reported separately. The shipped policy is measured against the aim, or the rules if none
ships. A full benchmark is long: its finished runs are kept in the data folder and not played again.
`$PITWALL_BENCH_PARALLEL` lets runs play side by side, which compete for processor time.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.registry import Registry
from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import RULES, SHIPPED, ModuleFolder
from pitwall_lab.game_trials.evaluation import evaluate
from pitwall_lab.game_trials.messages import TrialRun
from pitwall_lab.orders import EvaluationOrder
from pitwall_lab.trials.twin_trials import trial_named
from workshop.benchmarks.parallel import side_by_side
from workshop.benchmarks.report import check, report

RUNS = 20
_QUICK_S = 6.0
"""Quick runs are cut short: they show that everything works, and measure delay, not skill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One trial with its aims.

    Attributes:
        aim: for the version that is measured against it. rules_aim: for the rules, if they have their own.
        paper, rules_paper: the paper's figures. by: what is compared: the mean score, or the percentage of
            successful runs. cap: replaces the trial's.
    """

    game: str
    module: str
    trial: str
    by: str = "success"
    aim: float
    paper: float
    rules_aim: float | None = None
    rules_paper: float | None = None
    cap: float | None = None


FLAPPY = (Contest(game="flappy", module="fly", trial="pipes", by="mean", aim=90.0, paper=28.3, cap=100.0),)
BOSS = Contest(
    game="arena", module="boss", trial="boss", aim=95.0, paper=60.0, rules_aim=60.0, rules_paper=15.0
)
ARENA = (
    BOSS,
    Contest(game="arena", module="mobs", trial="mobs", aim=98.0, paper=95.0),
    Contest(game="arena", module="mobs", trial="hard_mobs", aim=90.0, paper=70.0),
)
DOOM = (
    Contest(game="shooting", module="shoot", trial="slow", aim=95.0, paper=85.0),
    Contest(game="shooting", module="shoot", trial="fast", aim=85.0, paper=65.0),
    Contest(game="shooting", module="aim", trial="slow", aim=95.0, paper=85.0),
    Contest(game="shooting", module="aim", trial="fast", aim=85.0, paper=65.0),
)


def flappy(*, quick: bool) -> dict[str, Any]:
    """Play 20 runs of at most 100 pipes; the paper's mean is 28.3, its best 35."""
    return _bench("gsm-flappy", FLAPPY, quick=quick)


def arena(*, quick: bool) -> dict[str, Any]:
    """Play 20 fights with the boss, with mobs and with harder mobs; the boss also after each improvement."""
    improvements = _improvements(DataFolder(default_data_dir()))
    return _bench("gsm-arena", ARENA, quick=quick, boss_after_improvements=improvements)


def doom(*, quick: bool) -> dict[str, Any]:
    """Play 20 runs each against slow and fast monsters, turning by keys and by the mouse: three kills before
    dying, within 60 s."""
    return _bench("gsm-doom", DOOM, quick=quick)


def _bench(name: str, contests: Sequence[Contest], *, quick: bool, **conditions: Any) -> dict[str, Any]:
    checks: list[dict[str, Any]] = []
    played: list[dict[str, Any]] = []
    load = os.getloadavg()[0]
    with _data(quick=quick) as data:
        for contest in contests:
            for version, carries in _versions(data, contest):
                runs: list[TrialRun] = []
                score = _played(data, contest, version, runs, quick=quick)
                checks.append(check_of(contest, version, score, carries=carries, quick=quick))
                played.append(_figures(contest, version, score, runs))
    return report(
        name,
        checks,
        screen="a virtual one for each run, real time, unpaused",
        aims_judged=not quick,
        played=played,
        parallel=side_by_side(),
        load_before=load,
        load_after=os.getloadavg()[0],
        **conditions,
    )


def check_of(contest: Contest, version: str, score: Score, *, carries: bool, quick: bool) -> dict[str, Any]:
    """Compare a score with its aim.

    Args:
        carries: the contest's aim applies to this version. quick: check only that it was played.
    """
    of_rules = version == RULES and contest.rules_aim is not None
    aim = contest.rules_aim if of_rules else contest.aim if carries else None
    paper = contest.rules_paper if of_rules else contest.paper if carries else None
    mean = contest.by == "mean"
    ours = score.mean if mean else 100.0 * score.win_rate
    low, high = (score.low, score.high) if mean else (100.0 * score.win_low, 100.0 * score.win_high)
    unit = score.unit if mean else "%"
    judged = aim is not None and not quick
    return check(
        f"{contest.module} {contest.trial}, {'rules' if version == RULES else 'learned'}",
        unit,
        {
            "p50": float(np.median(score.values)) if mean else ours,
            "p95": None,
            "p99": None,
            "n": score.runs,
            "mean": ours,
            "low": low,
            "high": high,
        },
        peer=None if paper is None else ("the paper", paper),
        ratio=None if paper is None else ours / paper,
        aim=f"≥ {aim:g} {unit}" if judged else "played" if quick else "told beside",
        met=aim is None or quick or ours >= aim,
    )


def _played(data: DataFolder, contest: Contest, version: str, runs: list[TrialRun], *, quick: bool) -> Score:
    folder = ModuleFolder(data, Registry(data).load(contest.game), contest.module)
    trial = trial_named(folder.declared, contest.trial, contest.cap)
    if quick:
        trial = trial.model_copy(update={"seconds": min(trial.seconds, _QUICK_S)})

    def keep(run: TrialRun, _kept: bool) -> None:
        runs.append(run)

    order = EvaluationOrder(runs=1 if quick else RUNS, parallel=side_by_side())
    return evaluate(data, folder, version, order, trial=trial, on_run=keep)


def _versions(data: DataFolder, contest: Contest) -> Iterator[tuple[str, bool]]:
    """Return the versions to play, and whether the aim applies to each."""
    folder = ModuleFolder(data, Registry(data).load(contest.game), contest.module)
    names = folder.names()
    if RULES in names:
        yield RULES, SHIPPED not in names
    if SHIPPED in names:
        yield SHIPPED, True


def _figures(contest: Contest, version: str, score: Score, runs: Sequence[TrialRun]) -> dict[str, Any]:
    """List the figures beside a score: every run, and how it was played."""
    return {
        "module": f"{contest.game}/{contest.module}",
        "trial": contest.trial,
        "version": version,
        "first_seed": score.first_seed,
        "values": score.values,
        "wins": score.wins,
        "pixel_to_key_ms": score.delay_ms,
        "reaction_p95_ms": [run.reaction_p95_ms for run in runs],
        "dropped_frames": sum(run.dropped_frames for run in runs),
        "frames": sum(run.frames for run in runs),
        "refusals": sum(sum(run.refusals.values()) for run in runs),
        "ends": {cause: sum(run.cause == cause for run in runs) for cause in {run.cause for run in runs}},
        "replayed": sum(run.replayed for run in runs),
        "load": [round(run.load, 1) for run in runs],
    }


def _improvements(data: DataFolder) -> list[dict[str, Any]]:
    """Measure fights with the boss on the screen after 0 … 3 improvements, of the data folder's versions."""
    folder = ModuleFolder(data, Registry(data).load(BOSS.game), BOSS.module)
    scores = []
    for kind in ("rules", "policy"):
        for iteration in range(4):
            of = [
                (version, score)
                for version in folder.all()[0]
                if (version.kind, version.iteration) == (kind, iteration)
                and version.version != SHIPPED
                and (score := version.score("screen", BOSS.trial)) is not None
            ]
            if of:
                about, score = max(of, key=lambda pair: pair[0].created_at)
                scores.append({"iteration": iteration, **_brief(about), "score": score})
    return scores


def _brief(about: VersionRecord) -> dict[str, Any]:
    return {"version": about.version, "kind": about.kind, "standing": about.standing, "title": about.title}


@contextmanager
def _data(*, quick: bool) -> Iterator[DataFolder]:
    """Return the operator's data folder, where a long evaluation can continue; a quick one gets its own."""
    if not quick:
        yield DataFolder(default_data_dir())
        return
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        yield DataFolder(Path(scratch))
