"""Results as CSV: one file of runs, one of tasks. Plain figures, shares between 0 and 1, times in seconds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pitwall.store.csv_text import csv_text
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import Mean, Row
from pitwall_evaluation.published_scores import published

_RUN_COLUMNS = (
    *("game", "task", "agent", "seed", "wave", "rung", "attempt", "genre", "level", "played", "ended", "why"),
    *("success", "progress", "score", "start", "target", "unit", "verified", "steps", "resets", "unopened_s"),
    *("seconds", "proposed", "invalid", "invalid_by_kind", "refusals_by_cause", "calls", "prompt_tokens"),
    *("cached_tokens", "output_tokens", "tries", "load", "at", "difficulty", "within_calls", "deciders"),
    "sides",
)
_TASK_COLUMNS = (
    *("game", "task", "agent", "runs", "not_played", "not_played_by_cause", "wins", "success", "wilson_low"),
    *("wilson_high", "exact_low", "exact_high", "progress", "progress_low", "progress_high", "progress_sd"),
    *("waves", "wave_success_sd", "wave_progress_sd", "score", "best_score", "unit", "verified", "steps"),
    *("step_s", "proposed", "invalid_by_kind", "iar", "refusals_by_cause", "calls", "fresh_tokens"),
    *("cached_tokens", "output_tokens", "seconds", "human_normalised", "human_low", "human_high"),
    *("published_random", "published_human", "published_dqn", "within_calls", "deciders", "strategic_step"),
    *("tokens_step", "stuck", "recovery", "recovery_ratio"),
)


def runs_csv(runs: Iterable[TaskRun]) -> str:
    """Write a line for each run."""
    return _csv(_RUN_COLUMNS, (_run(run) for run in runs))


def tasks_csv(rows: Iterable[Row]) -> str:
    """Write a line for each task of each agent, with 95 % intervals."""
    return _csv(_TASK_COLUMNS, (_task(row) for row in rows))


def _run(run: TaskRun) -> dict[str, Any]:
    tiers = list(run.summary.tiers.values()) if run.summary else []
    own = run.model_dump(exclude={"cell", "invalid", "refusals", "summary", "run_id"})
    return {
        **run.cell.model_dump(),
        **own,
        "played": run.played,
        "sides": _sides(run),
        "within_calls": run.within_calls,
        "deciders": _counts(run.summary.deciders) if run.summary else "",
        "invalid": sum(run.invalid.values()),
        "invalid_by_kind": _counts(run.invalid),
        "refusals_by_cause": _counts(run.refusals),
        "calls": sum(tier.calls for tier in tiers),
        "prompt_tokens": sum(tier.prompt_tokens for tier in tiers),
        "cached_tokens": sum(tier.cached_tokens for tier in tiers),
        "output_tokens": sum(tier.output_tokens for tier in tiers),
    }


def _task(row: Row) -> dict[str, Any]:
    record: dict[str, Any] = row.model_dump(include={"game", "task", "agent", "runs", "unit", "verified"})
    record |= row.model_dump(include={"steps", "step_s", "proposed", "iar", "strategic_step", "tokens_step"})
    record |= row.model_dump(include={"stuck", "recovery", "recovery_ratio"})
    record |= {
        "within_calls": row.budgeted.share if row.budgeted else None,
        "deciders": _counts(row.deciders),
    }
    record |= {
        "not_played": sum(row.unplayed.values()),
        "not_played_by_cause": _counts(row.unplayed),
        "invalid_by_kind": _counts(row.invalid),
        "refusals_by_cause": _counts(row.refusals),
        "best_score": row.best,
        "score": row.score.mean if row.score else None,
    }
    if row.success is not None:
        record |= {"wins": row.success.wins, "success": row.success.share}
        record |= {"wilson_low": row.success.low, "wilson_high": row.success.high}
        record |= {"exact_low": row.success.exact_low, "exact_high": row.success.exact_high}
    if row.progress is not None:
        record |= {"progress": row.progress.mean, "progress_sd": row.progress.sd}
        record |= _bounds("progress", row.progress)
    if row.human is not None and (scores := published(row.game)) is not None:
        record |= {"human_normalised": row.human.mean, **_bounds("human", row.human)}
        record |= {f"published_{name}": value for name, value in asdict(scores).items()}
    if row.waves is not None:
        record |= {"waves": row.waves.waves, "wave_success_sd": row.waves.success_sd}
        record |= {"wave_progress_sd": row.waves.progress_sd}
    return record | (row.cost.model_dump(exclude={"model_s"}) if row.cost else {})


def _bounds(name: str, mean: Mean) -> dict[str, float]:
    """Return the interval of a mean; a single run has none."""
    return {f"{name}_low": mean.low, f"{name}_high": mean.high} if mean.n > 1 else {}


def _sides(run: TaskRun) -> str:
    """Return who played each side of a task for two, and with which score, as JSON; empty for others."""
    sides = [side.model_dump(include={"role", "agent", "score", "steps"}) for side in run.sides]
    return json.dumps(sides) if sides else ""


def _counts(counts: Mapping[str, int] | Mapping[str, float]) -> str:
    return json.dumps(counts, sort_keys=True) if counts else ""


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    return csv_text(columns, ([_plain(row.get(name)) for name in columns] for row in rows))


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
