"""Writes the places and sizes of the Live page's panes as one line of settings, and reads them. No Qt."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, fields
from typing import Literal

from pitwall.console.kit.theme import SIDE_WIDTH

LOWER_SHARE = 0.385
"""Share of the height that signals and events take."""
SIDE_LEAST, SIDE_MOST = 200, 640
_LOWER = (0.1, 0.8)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveLayout:
    """The panes' places.

    Attributes:
        side: where plan and events stand. plan, events: their widths in pixels.
        lower: share of the height that signals and events take.
    """

    side: Literal["right", "left"] = "right"
    plan: int = SIDE_WIDTH
    events: int = SIDE_WIDTH
    lower: float = LOWER_SHARE

    @classmethod
    def parse(cls, text: str) -> LiveLayout:
        """Read a layout like "side=left plan=300"; what is missing or makes no sense is as delivered."""
        given = dict(part.partition("=")[::2] for part in text.split())

        def number(name: str, usual: float, least: float, most: float) -> float:
            with contextlib.suppress(ValueError):
                usual = float(given.get(name, usual))
            return min(max(least, usual), most) if usual == usual else least

        return cls(
            side="left" if given.get("side") == "left" else "right",
            plan=round(number("plan", SIDE_WIDTH, SIDE_LEAST, SIDE_MOST)),
            events=round(number("events", SIDE_WIDTH, SIDE_LEAST, SIDE_MOST)),
            lower=number("lower", LOWER_SHARE, *_LOWER),
        )

    @property
    def text(self) -> str:
        """Return the layout as settings keep it; empty as delivered."""
        usual = LiveLayout()
        values = {each.name: (getattr(self, each.name), getattr(usual, each.name)) for each in fields(self)}
        return " ".join(f"{name}={_written(own)}" for name, (own, other) in values.items() if own != other)


def _written(value: float | str) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
