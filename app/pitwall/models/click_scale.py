"""The scale in which a model that sees writes the places of its clicks, and how a click test finds it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core import quantities

ClickScale = Literal["sent", "window", "thousand", "percent", "unit"]
CLICK_SCALES: tuple[ClickScale, ...] = get_args(ClickScale)
CLICK_SCALE_WORDS: dict[ClickScale, str] = {
    "sent": "pixels of the picture that is sent",
    "window": "pixels of the game's window",
    "thousand": "0 to 1000 across and down",
    "percent": "percent across and down",
    "unit": "0 to 1 across and down",
}
_NEAR = 0.06
"""Distance from a target, in lengths of the picture, within which a click hits it (choice)."""
_LEAST_HITS = 0.5
"""Least share of hits at which a scale is believed (choice)."""


@dataclass(frozen=True, slots=True)
class Aim:
    """One click of the test: where the target was, and what the model wrote.

    Attributes:
        window, sent: size of the picture before and after it was shrunk.
        target: place in the picture, 0 … 1. written: the model's two numbers; None: it wrote no place.
    """

    window: tuple[int, int]
    sent: tuple[int, int]
    target: tuple[float, float]
    written: tuple[float, float] | None


def length_in(scale: ClickScale, window: tuple[int, int], sent: tuple[int, int]) -> tuple[int, int]:
    """Return the width and height of the picture in a scale."""
    lengths = {
        "sent": sent,
        "window": window,
        "thousand": (1000, 1000),
        "percent": (100, 100),
        "unit": (1, 1),
    }
    return lengths[scale]


def scale_of(aims: Sequence[Aim]) -> tuple[ClickScale | None, float]:
    """Return the scale in which most clicks hit their targets, and the share of hits; None: no scale fits."""
    best: tuple[float, float, ClickScale] | None = None
    for scale in CLICK_SCALES:
        misses = [_miss(aim, scale) for aim in aims]
        share = sum(miss <= _NEAR for miss in misses) / max(1, len(misses))
        rank = (share, -sum(min(1.0, miss) for miss in misses))
        if best is None or rank > best[:2]:
            best = (*rank, scale)
    if best is None or best[0] < _LEAST_HITS:
        return None, best[0] if best is not None else 0.0
    return best[2], best[0]


class ClickTest(BaseModel):
    """The result of a click test.

    Attributes:
        scale: scale in which most clicks hit; None: no scale fits. hits: share of the targets, 0 … 1.
        at: ISO 8601, UTC.
    """

    model_config = ConfigDict(frozen=True)

    scale: ClickScale | None
    hits: float = Field(ge=0, le=1)
    at: str = ""

    @property
    def words(self) -> str:
        """Describe the result."""
        hits = f"hit {quantities.share(self.hits)} of the marked targets"
        if self.scale is None:
            return f"{hits}: it does not see where things are, or writes places in a scale of its own"
        return f"{hits} in {CLICK_SCALE_WORDS[self.scale]}"


def _miss(aim: Aim, scale: ClickScale) -> float:
    """Return the distance of a click from its target, in lengths of the picture."""
    if aim.written is None:
        return math.inf
    width, height = length_in(scale, aim.window, aim.sent)
    return math.hypot(aim.written[0] / width - aim.target[0], aim.written[1] / height - aim.target[1])
