"""Measures where strategic calls go: the long task under four rules of who decides, with the same planner.

Event-triggered control (SPIKE's, the project's own) beside its ablations: the planner at every step, the
planner never, and the planner every so many steps. Each play is a real `pitwall run` in a fresh world, the
same seeds for each rule; success and progress come from the game's true state, which only this evaluator
reads. Each play has a data folder of its own: none knows what another remembered. With the skill planner and
with the shipped model everything counts, and the model also plays the ablations of memory; with a model whose
weights are random only costs do.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Task
from pitwall.host.backends.gguf.library import threads_for
from pitwall.models.shipped import NAME as SHIPPED
from pitwall.models.shipped import shipped_entry
from workshop.benchmarks.benchmark_model import (
    BenchmarkModel,
    benchmark_model,
    copy_model_entry,
    named_model,
)
from workshop.benchmarks.planning.allocation_play import Play, Rules, play_once
from workshop.benchmarks.report import check, report, spread

GAME, TASK = "crafter", "the_long_task"
EVENTS = "event-triggered"
RULES: Mapping[str, Sequence[str]] = {
    EVENTS: (),
    "always strategic": ("--ablate", "strategic-only"),
    "reactive only": ("--ablate", "reactive-only"),
    "fixed schedule": ("--ablate", "fixed-schedule"),
}
"""Who decides: name → options of `pitwall run`."""
MEMORIES: Mapping[str, Sequence[str]] = {
    "no action bank": ("--ablate", "no-action-bank"),
    "no knowledge graph": ("--ablate", "no-knowledge-graph"),
    "global memory only": ("--ablate", "global-memory-only"),
    "no skills": ("--layer", "L5=disable"),
}
"""What the shipped model remembers: name → options."""
_ALWAYS = "always strategic"
_TOKENS_SHARE, _SECONDS_SHARE = 0.45, 0.59
"""Aims: of what the planner at every step costs."""

_SEEDS, _QUICK_SEEDS = (1, 2, 3), (1,)
_QUICK_STEPS = 15
_MODEL_SEEDS, _MODEL_STEPS = (1,), 30
_STEP_S, _MODEL_STEP_S = 4.0, 120.0
_LAYERS, _WIDTH = 4, 256

Plays = Mapping[str, Sequence[Play]]


def run(*, quick: bool) -> dict[str, Any]:
    """Play every rule with the skill planner; a full run also with a model."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder:
        scratch = Path(folder)
        data = DataFolder(scratch / "own")
        task = _task(data)
        steps = _QUICK_STEPS if quick else task.steps
        skills = played(
            scratch,
            Rules(game=GAME, task=task, steps=steps, step_s=_STEP_S, options=("--planner", "skills")),
            _QUICK_SEEDS if quick else _SEEDS,
        )
        whole = steps >= task.steps
        checks = checks_of(skills, whole=whole)
        conditions: dict[str, Any] = {"skill_planner": {name: figures(skills[name]) for name in skills}}
        if not quick and not named_model() and shipped_entry() is not None:
            asked = played(scratch, _with_shipped(task), _SEEDS, ways={**RULES, **MEMORIES})
            checks += shipped_checks_of(asked, floor=skills)
            conditions["model_planner"] = {name: figures(asked[name]) for name in asked}
            conditions["of_the_model"] = "it ships with Pitwall: everything counts"
        elif not quick:
            model = benchmark_model(data, layers=_LAYERS, width=_WIDTH, threads=threads_for(0))
            asked = played(scratch, _with(model, task), _MODEL_SEEDS, model=model)
            checks += model_checks_of(asked)
            conditions["model_planner"] = {name: figures(asked[name]) for name in asked}
            conditions["model"] = model.conditions
            conditions["of_the_model"] = _model_note(model)
    return report(
        "allocation",
        checks,
        game=GAME,
        task=TASK,
        steps=steps,
        seeds=list(_QUICK_SEEDS if quick else _SEEDS),
        success_measured=whole,
        **conditions,
        load_average=os.getloadavg()[0],
    )


def figures(plays: Sequence[Play]) -> dict[str, Any]:
    """Return a rule's figures over its plays (SPEC §10); None if the divisor is zero."""
    runs = [play.summary for play in plays]
    steps, stuck = sum(run.steps for run in runs), sum(run.stuck for run in runs)
    recovered = sum(run.recovered for run in runs)
    stuck_rate = stuck / steps if steps else None
    recovery_rate = recovered / stuck if stuck else None
    tiers = [tier for run in runs for tier in run.tiers.values()]
    cached = sum(tier.cached_tokens for tier in tiers)
    return {
        "plays": len(plays),
        "success": sum(play.success for play in plays),
        "progress": [round(play.progress, 3) for play in plays],
        "turns_to_success": [play.turns for play in plays],
        "steps": steps,
        "strategic_calls": sum(run.strategic_calls for run in runs),
        "model_calls": sum(tier.calls for tier in tiers),
        "tokens": {
            "fresh": sum(tier.prompt_tokens for tier in tiers) - cached,
            "cached": cached,
            "output": sum(tier.output_tokens for tier in tiers),
        },
        "seconds_per_step": sum(run.seconds for run in runs) / steps if steps else None,
        "step_ms_p50": [run.step_ms.p50 for run in runs],
        "escalations": _summed(run.escalations for run in runs),
        "routes": _summed(run.routes for run in runs),
        "stuck": stuck,
        "recovered": recovered,
        "stuck_rate": stuck_rate,
        "recovery_rate": recovery_rate,
        "recovery_ratio": recovery_rate / stuck_rate if recovery_rate is not None and stuck_rate else None,
        "plans_dropped": sum(run.plans_dropped for run in runs),
        "replayed": sum(play.replayed for play in plays),
    }


def played(
    scratch: Path,
    rules: Rules,
    seeds: Sequence[int],
    *,
    ways: Mapping[str, Sequence[str]] = RULES,
    model: BenchmarkModel | None = None,
) -> dict[str, list[Play]]:
    """Play every rule. The rules alternate within a seed, so that noise affects all alike."""
    plays: dict[str, list[Play]] = {name: [] for name in ways}
    for seed in seeds:
        for name, options in ways.items():
            data = DataFolder(Path(tempfile.mkdtemp(prefix="play-", dir=scratch)))
            if model is not None:
                copy_model_entry(model.entry, data)
            plays[name].append(play_once(data, rules.with_options(options), seed))
    return plays


def _task(data: DataFolder) -> Task:
    tasks = Registry(data).load(GAME).profile.tasks
    declared = next((task for task in tasks if task.id == TASK), None)
    if declared is None:
        raise PitwallError(f"{GAME} has no task {TASK!r}.", "Take its folder as it came with Pitwall.")
    return declared


def _with(model: BenchmarkModel, task: Task) -> Rules:
    """Return rules in which the model plans; they ground its plans as they do the skill planner's."""
    return Rules(
        game=GAME,
        task=task,
        steps=_MODEL_STEPS,
        step_s=_MODEL_STEP_S,
        options=("--planner", "model", "--model", model.entry.name, "--fast-model", "none"),
    )


def _with_shipped(task: Task) -> Rules:
    """Return rules in which the shipped model plans and reacts."""
    options = ("--planner", "model", "--model", SHIPPED)
    return Rules(game=GAME, task=task, steps=task.steps, step_s=_STEP_S, options=options)


def _model_note(model: BenchmarkModel) -> str:
    if model.generated:
        return "its weights are random: calls, tokens and times count, success and progress mean nothing"
    return f"{len(_MODEL_SEEDS)} seed, {_MODEL_STEPS} steps: calls, tokens and times count"


# ---- checks


def checks_of(plays: Plays, *, whole: bool) -> list[dict[str, Any]]:
    """Return fewer strategic calls than at every step; progress not lower than any ablation's.

    Args:
        whole: the task's own step cap was played: then success is compared too.
    """
    others = [name for name in plays if name != EVENTS]
    checks = [
        _less(plays, "strategic calls", "1/100", lambda play: _per_step(play.summary.strategic_calls, play))
    ]
    checks += [_no_lower(plays, "progress", name, lambda play: 100.0 * play.progress) for name in others]
    if whole:
        checks += [_no_lower(plays, "success", name, lambda play: 100.0 * play.success) for name in others]
    return checks


def shipped_checks_of(plays: Plays, *, floor: Plays) -> list[dict[str, Any]]:
    """Check the shipped model: success as with planning at every step, at a share of its tokens and time."""
    return [
        _no_lower(plays, "success, model", _ALWAYS, lambda play: 100.0 * play.success),
        _less(plays, "tokens evaluated", "1/100", _tokens_per_step, most=_TOKENS_SHARE),
        _less(plays, "time a step", "s", _seconds_per_step, most=_SECONDS_SHARE),
        _beyond(plays, floor),
    ]


def model_checks_of(plays: Plays) -> list[dict[str, Any]]:
    """Check a model's cost: less than at every step."""
    return [
        _less(plays, "model calls", "1/100", lambda play: _per_step(_calls(play), play)),
        _less(plays, "tokens evaluated", "1/100", _tokens_per_step),
        _less(plays, "time a step", "s", _seconds_per_step),
    ]


def _less(
    plays: Plays, name: str, unit: str, of: Callable[[Play], float], *, most: float = 1.0
) -> dict[str, Any]:
    """Less than with the planner at every step; most: what share of it at most."""
    ours, peer = ([of(play) for play in plays[way]] for way in (EVENTS, _ALWAYS))
    return _share(name, unit, ours, mean(peer), most)


def _share(name: str, unit: str, ours: Sequence[float], peer: float, most: float) -> dict[str, Any]:
    """Return the share of the value with planning at every step; none of zero."""
    ratio = mean(ours) / peer if peer > 0 else None
    return check(
        name,
        unit,
        spread(ours),
        peer=(_ALWAYS, peer),
        ratio=ratio,
        aim=f"< {_ALWAYS}" if most == 1.0 else f"≤ {most:.0%} of {_ALWAYS}",
        met=ratio is not None and (ratio < 1.0 if most == 1.0 else ratio <= most),
    )


def _beyond(plays: Plays, floor: Plays) -> dict[str, Any]:
    """Calculate the time a model adds to a step: the quicker it is, the less of a step is its."""
    added = {
        way: [
            _seconds_per_step(play) - _seconds_per_step(bare)
            for play, bare in zip(plays[way], floor[way], strict=True)
        ]
        for way in (EVENTS, _ALWAYS)
    }
    name = "time a step beyond the game's pace"
    return _share(name, "s", added[EVENTS], mean(added[_ALWAYS]), _SECONDS_SHARE)


def _no_lower(plays: Plays, name: str, other: str, of: Callable[[Play], float]) -> dict[str, Any]:
    ours, peer = [of(play) for play in plays[EVENTS]], mean(of(play) for play in plays[other])
    return check(
        name,
        "%",
        {**spread(ours), "mean": mean(ours)},
        peer=(other, peer),
        ratio=mean(ours) / peer if peer else None,
        aim=f"≥ {other}",
        met=mean(ours) >= peer,
    )


def _per_step(amount: float, play: Play) -> float:
    """Return the value per hundred steps."""
    return 100.0 * amount / max(1, play.summary.steps)


def _tokens_per_step(play: Play) -> float:
    return _per_step(_tokens(play), play)


def _seconds_per_step(play: Play) -> float:
    return play.summary.seconds / max(1, play.summary.steps)


def _calls(play: Play) -> int:
    return sum(tier.calls for tier in play.summary.tiers.values())


def _tokens(play: Play) -> int:
    """Prompt tokens evaluated, and those written."""
    tiers = play.summary.tiers.values()
    return sum(tier.prompt_tokens - tier.cached_tokens + tier.output_tokens for tier in tiers)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
