"""A run's figures (SPEC §10) as a report tells them, every number with its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pitwall.core.runs import RunSummary, Spread
from pitwall.store.run_metrics import (
    cached_share,
    invalid_action_rate,
    recovery_rate,
    recovery_ratio,
    stuck_rate,
)
from pitwall.store.run_reader import RunRow

Lines = tuple[tuple[str, str], ...]


def headline(run: RunRow) -> Lines:
    """What stands in large type at the top."""
    summary = run.summary
    return (
        ("score", score_text(run)),
        ("length", f"{summary.seconds:,.1f} s"),
        ("steps", f"{summary.steps:,}"),
        ("plans asked for", f"{summary.routes.get('strategic', 0):,}"),
        ("model calls", f"{sum(tier.calls for tier in summary.tiers.values()):,}"),
        ("reaction, median", _ms(summary.reaction_ms.p50)),
        ("events refused", f"{sum(summary.refusals.values()):,}"),
    )


def score_text(run: RunRow) -> str:
    """How the run ended, and its best."""
    score = run.score
    if score is None:
        return "none told"
    unit = f" {score.unit}" if score.unit else ""
    best = f", best {score.best:,.6g}{unit}" if score.best != score.last else ""
    return f"{score.last:,.6g}{unit}{best}"


def figure_groups(run: RunRow) -> Iterator[tuple[str, Lines]]:
    """Titles with their lines."""
    summary, manifest = run.summary, run.manifest
    source = "" if run.score is None else f" ({'true' if run.score.true else 'as read from the screen'})"
    yield (
        "Play",
        (
            ("Score", score_text(run) + source),
            ("Length", f"{summary.seconds:,.1f} s"),
            ("Steps", f"{summary.steps:,}"),
            ("Frames seen", f"{summary.frames:,}"),
            ("Frames dropped", f"{summary.dropped_frames:,}"),
            ("Events sent", f"{summary.events_sent:,}"),
            ("Takeovers", f"{summary.takeovers:,}"),
        ),
    )
    yield (
        "Decisions",
        (
            ("Routes", _tally(summary.routes)),
            ("Escalations", _tally(summary.escalations)),
            ("Effects", _tally(summary.effects)),
            ("Refused", _tally(summary.refusals)),
            ("Invalid actions", _share(invalid_action_rate(summary), "no model proposed any")),
            ("Stuck", _share(stuck_rate(summary), "no steps") if summary.stuck else "no stuck events"),
            ("Recovered", _share(recovery_rate(summary), "no stuck events")),
            ("Recovery / stuck", _ratio(recovery_ratio(summary))),
            ("Plans dropped", f"{summary.plans_dropped:,}"),
        ),
    )
    yield "Times", tuple((name, _spread(spread)) for name, spread in _times(summary).items())
    for name, tier in summary.tiers.items():
        share = cached_share(tier)
        cached = f" ({100 * share:.0f} %)" if share is not None else ""
        lost = {"dropped": tier.dropped, "invalid": tier.invalid, "failed": tier.failed}
        yield (
            f"Models, {name} tier",
            (
                ("Model", tier.model),
                ("Calls", f"{tier.calls:,}"),
                ("Tokens in", f"{tier.prompt_tokens:,}, of which cached {tier.cached_tokens:,}{cached}"),
                ("Tokens out", f"{tier.output_tokens:,}"),
                ("Took", _spread(tier.took_ms)),
                ("Not used", _tally(lost)),
            ),
        )
    width, height = manifest.screen
    yield (
        "Played with",
        (
            ("Game", f"{manifest.game_name} {manifest.game_version}"),
            ("Profile", manifest.profile_hash[:12]),
            ("Role", manifest.role or "–"),
            ("Planner", manifest.planner),
            ("Seed", "none" if manifest.seed is None else str(manifest.seed)),
            ("Screen", f"{width}×{height} px"),
            ("Memory", manifest.memory[:12] or "empty at the beginning"),
            *manifest.versions.items(),
        ),
    )


def _times(summary: RunSummary) -> dict[str, Spread]:
    return {
        "Reaction": summary.reaction_ms,
        "Step": summary.step_ms,
        "Loop": summary.loop_ms,
        "Frame age": summary.frame_age_ms,
    }


def _spread(spread: Spread) -> str:
    if spread.p50 is None or spread.p95 is None:
        return "not measured"
    return f"{_ms(spread.p50)} median, {_ms(spread.p95)} p95, {spread.n:,} times"


def _ms(value: float | None) -> str:
    return "not measured" if value is None else f"{value:,.1f} ms"


def _share(value: float | None, none: str) -> str:
    return none if value is None else f"{100 * value:.1f} %"


def _ratio(value: float | None) -> str:
    return "no stuck events" if value is None else f"{value:.2f}"


def _tally(counts: Mapping[str, int]) -> str:
    found = [f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items() if count]
    return ", ".join(found) or "none"
