"""A run's figures (SPEC §10) for a report, every number with its unit."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.core import quantities
from pitwall.core.quantities import count_share, duration_text, figure, share, spread_text, tally
from pitwall.core.runs import (
    RunSummary,
    Spread,
    invalid_action_rate,
    recovery_rate,
    recovery_ratio,
    stuck_rate,
)
from pitwall.store.run_reader import RunRow

Lines = tuple[tuple[str, str], ...]


def headline(run: RunRow) -> Lines:
    """Return the figures in large type at the top."""
    summary = run.summary
    return (
        ("score", score_text(run)),
        ("length", duration_text(summary.seconds)),
        ("steps", f"{summary.steps:,}"),
        ("plans asked for", f"{summary.routes.get('strategic', 0):,}"),
        ("model calls", f"{sum(tier.calls for tier in summary.tiers.values()):,}"),
        ("reaction, median", figure(summary.reaction_ms.p50, "ms")),
        ("events refused", f"{sum(summary.refusals.values()):,}"),
    )


def score_text(run: RunRow) -> str:
    """Write the run's last score and its best."""
    score = run.score
    if score is None:
        return "none told"
    best = f", best {quantities.score_text(score.best, score.unit)}" if score.best != score.last else ""
    return quantities.score_text(score.last, score.unit) + best


def figure_groups(run: RunRow) -> Iterator[tuple[str, Lines]]:
    """Yield titles with their lines."""
    summary, manifest = run.summary, run.manifest
    source = "" if run.score is None else f" ({'true' if run.score.true else 'as read from the screen'})"
    yield (
        "Play",
        (
            ("Score", score_text(run) + source),
            ("Length", duration_text(summary.seconds)),
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
            ("Routes", tally(summary.routes)),
            ("Escalations", tally(summary.escalations)),
            ("Effects", tally(summary.effects)),
            ("Refused", tally(summary.refusals)),
            ("Invalid actions", _share(invalid_action_rate(summary), "no model proposed any")),
            ("Stuck", _share(stuck_rate(summary), "no steps") if summary.stuck else "no stuck events"),
            ("Recovered", _share(recovery_rate(summary), "no stuck events")),
            ("Recovery / stuck", _ratio(recovery_ratio(summary))),
            ("Plans dropped", f"{summary.plans_dropped:,}"),
        ),
    )
    yield "Times", tuple((name, spread_text(spread)) for name, spread in _times(summary).items())
    for name, tier in summary.tiers.items():
        cached = count_share(tier.cached_tokens, tier.prompt_tokens)
        lost = {"dropped": tier.dropped, "invalid": tier.invalid, "failed": tier.failed}
        yield (
            f"Models, {name} tier",
            (
                ("Model", tier.model),
                ("Calls", f"{tier.calls:,}"),
                ("Tokens in", f"{tier.prompt_tokens:,}, of which cached {cached}"),
                ("Tokens out", f"{tier.output_tokens:,}"),
                ("Took", spread_text(tier.took_ms)),
                ("Not used", tally(lost)),
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


def _share(value: float | None, none: str) -> str:
    return none if value is None else share(value)


def _ratio(value: float | None) -> str:
    return "no stuck events" if value is None else f"{value:.2f}"
