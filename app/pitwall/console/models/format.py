"""Models in words: counts, speeds and tiers, every number with its unit. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pitwall.core.calls import Tier
from pitwall.core.quantities import NONE, figure

NOT_MEASURED = "not measured"


def tokens(count: int, *, short: bool = False) -> str:
    """Write a count of tokens: "4,096 tokens", or "4,096 tok" where room is short."""
    return f"{count:,} {'tok' if short else 'tokens'}" if count else NONE


def speed(tokens_per_s: float | None) -> str:
    """Write a speed: "41 tok/s", "6.4 tok/s", "not measured"."""
    return figure(tokens_per_s, "tok/s") if tokens_per_s is not None else NOT_MEASURED


def layers(on_gpu: int, of: int) -> str:
    """Write the number of layers on the GPU: "all 28", "12 of 28", "none of 28"."""
    if on_gpu < 0 or (of and on_gpu >= of):
        return f"all {of}" if of else "all"
    return f"{on_gpu or 'none'} of {of}" if of else f"{on_gpu or 'none'}"


def listed(names: Iterable[str]) -> str:
    """Join names: "fast, strategic and analysis"."""
    parts = list(names)
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


@dataclass(frozen=True, slots=True)
class TierWords:
    """A tier on the screen: its task, the colour of its controller, and the words for no model."""

    title: str
    does: str
    without: str
    tone: Literal["neutral", "strategic", "reactive"] = "neutral"


TIERS: dict[Tier, TierWords] = {
    Tier.FAST: TierWords("Fast", "reacts, action by action", "no model: rules", "reactive"),
    Tier.STRATEGIC: TierWords("Strategic", "plans when a plan is due", "no model: skills", "strategic"),
    Tier.ANALYSIS: TierWords("Analysis", "sums a run up after it", "no model: rules"),
    Tier.EVOLUTION: TierWords("Evolution", "improves skills, modules", "none: no changes"),
}
"""In the order in which they are shown."""
