"""A run's figures (SPEC §10) as `pitwall runs` prints them, for a person and for a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pitwall.core.actions import Invalid
from pitwall.core.quantities import count_share, counted, duration_text, score_text, share, spread_text, tally
from pitwall.core.runs import (
    RunSummary,
    TierFigures,
    invalid_action_rate,
    recovery_rate,
    recovery_ratio,
    stuck_rate,
)
from pitwall.core.steps import StepRecord
from pitwall.store.run_reader import RunRow


def figures_json(summary: RunSummary) -> dict[str, Any]:
    """Return the rates of a run, 0 … 1, its calls and tokens; a rate is null where it has no base."""
    tiers = summary.tiers.values()
    prompt = sum(tier.prompt_tokens for tier in tiers)
    cached = sum(tier.cached_tokens for tier in tiers)
    return {
        "invalid_action_rate": invalid_action_rate(summary),
        "no_tool_call_rate": invalid_action_rate(summary, Invalid.NO_CALL),
        "out_of_space_rate": invalid_action_rate(summary, Invalid.OUT_OF_SPACE),
        "malformed_rate": invalid_action_rate(summary, Invalid.MALFORMED),
        "stuck_rate": stuck_rate(summary),
        "recovery_rate": recovery_rate(summary),
        "recovery_ratio": recovery_ratio(summary),
        "calls": sum(tier.calls for tier in tiers),
        "fresh_tokens": prompt - cached,
        "cached_tokens": cached,
        "output_tokens": sum(tier.output_tokens for tier in tiers),
    }


def run_line(row: RunRow) -> str:
    """Describe a run on one line."""
    summary = row.summary
    return (
        f"{row.run_id:5d}  {row.manifest.started_at[:19]} UTC  {row.manifest.game_id:12s} "
        f"{summary.seconds:8.1f} s  {summary.steps:5d} steps  {summary.outcome}{_score(row)}"
    )


def run_lines(row: RunRow, steps: Sequence[StepRecord], calls: Mapping[int, int]) -> Iterator[str]:
    """Describe a run with its figures and steps; `calls` counts the model calls of each step."""
    yield from _figure_lines(row)
    for step in steps:
        reasons = f" ({', '.join(step.reasons)})" if step.reasons else ""
        asked = f"  [{counted(calls[step.step], 'call')}]" if step.step in calls else ""
        effect = f"{step.effect}: {step.effect_why}" if step.effect_why else step.effect
        yield f"{step.step:5d}  {step.route}{reasons}{asked}  {step.action}  {effect}  {step.why}"
    if calls:
        yield f"What a model was asked: pitwall prompt {row.run_id} {max(calls)}"


def _figure_lines(row: RunRow) -> Iterator[str]:
    summary, manifest = row.summary, row.manifest
    yield (
        f"run {row.run_id}: {manifest.game_name}, {summary.outcome} after {duration_text(summary.seconds)}, "
        f"{summary.steps} steps, {summary.frames} frames, planner {manifest.planner}{_score(row)}"
    )
    yield f"  routes: {tally(summary.routes)}; escalations: {tally(summary.escalations)}"
    by = f"; ended by its {summary.ended_by}" if summary.ended_by else ""
    yield f"  decided by: {tally(summary.deciders)}{by}"
    yield f"  step {spread_text(summary.step_ms)}; reaction {spread_text(summary.reaction_ms)}"
    yield f"  refused: {tally(summary.refusals)}; takeovers: {summary.takeovers}"
    yield f"  {_stuck(summary)}"
    if not summary.tiers:
        yield "  models: none was asked"
        return
    for name, tier in summary.tiers.items():
        lost = {"dropped": tier.dropped, "invalid": tier.invalid, "failed": tier.failed}
        took = spread_text(tier.took_ms)
        yield f"  {name}: {tier.calls} calls of {tier.model}, {took}; not used: {tally(lost)}"
        yield f"    tokens: {_tokens(tier)}"
    yield f"  invalid actions: {_invalid(summary)}"
    yield f"  plans dropped: {summary.plans_dropped}"


def _score(row: RunRow) -> str:
    if row.summary.score_unread and (row.score is None or not row.score.true):
        return ", the score cannot be read reliably"
    if row.score is None:
        return ""
    source = "true" if row.score.true else "as read"
    return f", score {score_text(row.score.last)}, best {score_text(row.score.best)} ({source})"


def _tokens(tier: TierFigures) -> str:
    fresh = tier.prompt_tokens - tier.cached_tokens
    cached = count_share(tier.cached_tokens, tier.prompt_tokens)
    return f"{fresh:,} fresh, {cached} cached, {tier.output_tokens:,} output"


def _invalid(summary: RunSummary) -> str:
    rate = invalid_action_rate(summary)
    if rate is None:
        return "no model proposed an action"
    counts = summary.illegal_actions
    return (
        f"{share(rate)} of {summary.proposed_actions} proposed "
        f"(no tool call {counts.get(Invalid.NO_CALL.value, 0)}, "
        f"malformed {counts.get(Invalid.MALFORMED.value, 0)}, "
        f"out of space {counts.get(Invalid.OUT_OF_SPACE.value, 0)})"
    )


def _stuck(summary: RunSummary) -> str:
    rate, recovery, ratio = stuck_rate(summary), recovery_rate(summary), recovery_ratio(summary)
    if not rate or recovery is None or ratio is None:
        return "no stuck events"
    return (
        f"stuck: {summary.stuck} of {summary.steps} steps ({share(rate)}), "
        f"recovered: {summary.recovered} ({share(recovery)}), ratio {ratio:.2f}"
    )
