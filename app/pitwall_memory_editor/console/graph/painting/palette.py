"""Colours and pens of the graph: success as a ramp from red over amber to green, and dashed below a half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from pitwall.console.kit.theme import Look
from pitwall_memory_editor.console.graph.model import Floats, Ints

RATE_STEPS = (0.3, 0.5, 0.7, 0.85)
"""Success rates at which the colour changes."""
UNTRIED = len(RATE_STEPS) + 1
"""Step of an action that has no attempts yet."""
DASHED_BELOW = 0.5
WIDTHS = (1.0, 1.6, 2.4, 3.4)
_WIDER_AT = (3.0, 10.0, 40.0)
"""Counts from which a line is wider."""
REACH_STEPS = (3.0, 8.0)
"""Lengths, in spacings, from which a line of a far picture is fainter."""
_FAR_STRENGTH = (0.55, 0.30, 0.13)
LIKE_STRENGTH = 0.45
_DASH = (4.0, 3.0)
_DOT = (1.0, 3.0)


def rate_step(rates: Floats) -> Ints:
    """Return the step of each success rate on the ramp, `UNTRIED` for NaN."""
    steps = np.searchsorted(np.array(RATE_STEPS), rates, side="right")
    return np.asarray(np.where(np.isnan(rates), UNTRIED, steps), np.int64)


def width_step(counts: Floats) -> Ints:
    return np.asarray(np.searchsorted(np.array(_WIDER_AT), counts, side="right"), np.int64)


def reach_step(lengths: NDArray[np.float64]) -> Ints:
    """Grade how far a line reaches: 0 beside, 1 across, 2 right through the picture."""
    return np.asarray(np.searchsorted(np.array(REACH_STEPS), lengths, side="right"), np.int64)


class Ink:
    """Colours in the theme in force; make a new one when it changes."""

    def __init__(self, look: Look) -> None:
        self.ground = look.colour("background")
        self.chip, self.hover, self.line = look.colour("raised"), look.colour("hover"), look.colour("line")
        self.text, self.dim, self.faint = look.colour("text"), look.colour("dim"), look.colour("faint")
        self.focus, self.inverse = look.colour("focus"), look.colour("inverse")
        self.now, self.now_soft = look.colour("reactive"), look.colour("reactive_soft")
        stop, middle, good = look.colour("stop"), look.colour("reflex"), look.colour("ok")
        self.ramp = (stop, mixed(stop, middle, 0.55), middle, mixed(middle, good, 0.55), good, self.faint)

    def rate(self, rate: float) -> QColor:
        """Return the colour of a success rate; NaN where nothing was tried."""
        return self.ramp[int(rate_step(np.array([rate]))[0])]

    def link_pens(self) -> Sequence[QPen]:
        """Return pens of near lines: rate step × width step."""
        pens = []
        for step, colour in enumerate(self.ramp):
            for width in WIDTHS:
                pen = QPen(colour, width)
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                if step < RATE_STEPS.index(DASHED_BELOW) + 1 or step == UNTRIED:
                    pen.setDashPattern([part / max(1.0, width * 0.6) for part in _DASH])
                pens.append(pen)
        return pens

    def far_pens(self) -> Sequence[QPen]:
        """Return pens of a far picture's lines: reach step × rate step.

        They are opaque: a see-through pen is eight times as slow.
        """
        pens = []
        for strength in _FAR_STRENGTH:
            for colour in self.ramp:
                pen = QPen(mixed(self.ground, colour, strength), 1)
                pen.setCosmetic(True)
                pens.append(pen)
        return pens

    def like_pen(self, *, far: bool) -> QPen:
        """Return the pen of likenesses: dotted, without a colour."""
        pen = QPen(mixed(self.ground, self.dim, LIKE_STRENGTH * (0.6 if far else 1.6)), 1)
        pen.setCosmetic(True)
        if not far:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern(list(_DOT))
        return pen


def mixed(first: QColor, other: QColor, share: float) -> QColor:
    """Mix two colours: `share` of the second."""
    parts = zip(first.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a + (b - a) * share) for a, b in parts))
