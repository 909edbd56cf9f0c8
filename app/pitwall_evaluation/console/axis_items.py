"""Axes of results: shares, values with few ticks, and named places."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pitwall.console.charts.axes import Axis, Scale, axis_text, time_step
from pitwall.console.charts.axis_items import CalmAxis
from pitwall.core.quantities import share


class ShareAxis(CalmAxis):
    """Shares of one in per cent: a tick at every quarter."""

    def __init__(self, side: str) -> None:
        super().__init__(side, share)

    def tickSpacing(self, _low: float, _high: float, _pixels: float) -> list[tuple[float, float]]:
        return [(0.25, 0.0)]


class ValueAxis(CalmAxis):
    """The values of a `Scale`, linear or logarithmic."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.shown = Scale(0.0, 1.0)

    def tickValues(self, low: float, high: float, pixels: float) -> Any:
        powers = self.shown.powers(self.most(pixels))
        if powers:
            return [(0.0, [float(position) for position in self.shown.place(np.asarray(powers))])]
        return super().tickValues(low, high, pixels)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if not self.shown.bend:
            return super().tickStrings(values, scale, spacing)
        return [f"{self.shown.value(value):.4g}".replace("-", "−") for value in values]


class PlaceAxis(CalmAxis):
    """Steps, training time or the clock along the bottom."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.kind: Axis = "step"
        self._span = 1.0

    def tickSpacing(self, low: float, high: float, pixels: float) -> list[tuple[float, float]]:
        if self.kind == "step":
            return super().tickSpacing(low, high, pixels)
        shift = float(time.localtime(low).tm_gmtoff) if self.kind == "wall" else 0.0
        return [(time_step((high - low) / self.most(pixels)), -shift)]

    def tickValues(self, low: float, high: float, pixels: float) -> Any:
        self._span = high - low
        return super().tickValues(low, high, pixels)

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [axis_text(self.kind, value, self._span) for value in values]
