"""A run's figures as an operator reads them, every number with its unit. No Qt."""

from __future__ import annotations

from pitwall.console.kit import format as words
from pitwall.console.kit.format import Badge
from pitwall.core.quantities import NONE, count_share, figure, score_text, tally
from pitwall.core.runs import RunManifest, RunOutcome, RunSummary
from pitwall.core.steps import StepRecord
from pitwall.store.true_scores import RunScore

OUTCOMES: dict[RunOutcome, Badge] = {
    "playing": Badge("▶", "playing", "ok"),
    "stopped": Badge("■", "stopped", "neutral"),
    "finished": Badge("✓", "finished", "ok"),
    "emergency": Badge("!", "emergency stop", "stop"),
    "hung": Badge("!", "loop stood still", "stop"),
    "lost_window": Badge("!", "window lost", "stop"),
    "crashed": Badge("✕", "broke off", "stop"),
}
"""How a run ended."""


def score_words(score: RunScore | None) -> tuple[str, str]:
    """Write a run's last score, its best where that is higher, and the source of the score."""
    if score is None:
        return NONE, "neither the game nor the screen showed a score"
    last, best = (score_text(number, score.unit) for number in (score.last, score.best))
    text = last if score.last == score.best else f"{last} · best {best}"
    return text, "the game's own word" if score.true else "as read from the screen"


def escalations(summary: RunSummary) -> int:
    """Return the steps that went strategic. (A step with two reasons counts once.)"""
    return summary.routes.get("strategic", 0)


def stuck(summary: RunSummary) -> tuple[str, str]:
    """Return stuck rate and recovery rate (SPEC §10); without stuck events, words in place of 0."""
    if not summary.stuck:
        return "no stuck events", "no stuck events"
    return count_share(summary.stuck, summary.steps), count_share(summary.recovered, summary.stuck)


def invalid_rate(summary: RunSummary) -> str:
    """Write the invalid action rate (SPEC §5): of the models' proposed actions, else of all steps."""
    if summary.proposed_actions:
        return count_share(sum(summary.illegal_actions.values()), summary.proposed_actions)
    return count_share(sum(summary.invalid.values()), summary.steps)


def tier_lines(summary: RunSummary) -> tuple[tuple[str, str], ...]:
    """Write a line for each tier's model: calls, tokens, and replies that were not used."""
    if not summary.tiers:
        return (("Calls", "none was asked"),)
    lines: list[tuple[str, str]] = []
    for name, tier in summary.tiers.items():
        fresh = tier.prompt_tokens - tier.cached_tokens
        unused = {"dropped": tier.dropped, "invalid": tier.invalid, "failed": tier.failed}
        lines += [
            (f"{name.capitalize()} tier", tier.model or NONE),
            ("Calls", f"{tier.calls:,} · {figure(tier.took_ms.p50, 'ms')} median"),
            ("Tokens in", f"{fresh:,} fresh, {count_share(tier.cached_tokens, tier.prompt_tokens)} cached"),
            ("Tokens out", f"{tier.output_tokens:,}"),
            ("Not used", tally({kind: count for kind, count in unused.items() if count})),
        ]
    return (*lines, ("Plans dropped", f"{summary.plans_dropped:,}"))


def refused(step: StepRecord) -> str:
    """Say why events of a step were refused; empty where none was."""
    causes = dict.fromkeys(words.refusal(sent.refused) for sent in step.sent if sent.refused is not None)
    return ", ".join(causes)


def versions(manifest: RunManifest) -> str:
    """Write the versions: "pitwall 0.1.0 · python 3.11.2"."""
    return " · ".join(f"{name} {number}" for name, number in manifest.versions.items()) or NONE
