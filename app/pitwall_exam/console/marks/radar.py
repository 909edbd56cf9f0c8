"""The radar of the seven abilities: one answerer, optionally a second one, and a published baseline."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.series_style import marker_name, paint_marker, series_colour
from pitwall.console.kit.theme import Look
from pitwall.core.quantities import interval_text
from pitwall_evaluation.console.radar import RadarChart, RadarLine, Spoke
from pitwall_exam.console.format import ASKS, TITLES
from pitwall_exam.marking.baselines import Baseline
from pitwall_exam.marking.comparison import AnswererMarks
from pitwall_exam.questions.abilities import Ability

PUBLISHED_INK, FIRST_INK, SECOND_INK = 1, 2, 3
"""Numbers of their colours and markers (`charts.series_style`)."""
_KEY_PX = 14
HOW = "Arrow keys go through it; Enter shows the ability's questions."


class AbilityRadar(RadarChart):
    """The radar chart. Signals: opened(ability): show its questions."""

    how = HOW

    def __init__(self, look: Look) -> None:
        spokes = [
            Spoke((TITLES[ability],), f"{TITLES[ability]}: {_lower(ASKS[ability])}", ability.value)
            for ability in Ability
        ]
        super().__init__(look, "Abilities", spokes)
        self._size, self._least = (360, 280), (280, 216)

    def show_sides(
        self, first: AnswererMarks | None, second: AnswererMarks | None, published: Baseline | None
    ) -> None:
        """Show the answerers and the baseline that are given."""
        lines = []
        if published is not None:
            shares = [published.of(ability) / 100 for ability in Ability]
            lines.append(RadarLine(published.who, PUBLISHED_INK, shares, dashed=True))
        for side, ink in ((second, SECOND_INK), (first, FIRST_INK)):
            if side is not None:
                lines.append(RadarLine(side.name, ink, _shares(side), _noted(side)))
        names = ", ".join(line.name for line in lines[::-1])
        self.show_web(lines, f"Accuracy by ability: {names}" if names else "Accuracy by ability")


def _shares(side: AnswererMarks) -> Sequence[float]:
    accuracies = (side.marks.of(ability).accuracy for ability in Ability)
    return [math.nan if share is None else share for share in accuracies]


def _noted(side: AnswererMarks) -> Sequence[str]:
    noted = []
    for ability in Ability:
        mark = side.marks.of(ability)
        known = mark.low is not None and mark.high is not None
        words = interval_text(mark.low or 0.0, mark.high or 0.0) if known else ""
        noted.append(f"{words} of {mark.n}" if words else "")
    return noted


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


class AnswererKey(QWidget):
    """The marker and colour that identify an answerer on the radar.

    Args:
        number: of the colour and marker (`charts.series_style`). hollow: as a comparison line has it.
    """

    def __init__(self, look: Look, number: int, *, hollow: bool = False) -> None:
        super().__init__()
        self._look, self._number, self._hollow = look, number, hollow
        self.setFixedSize(_KEY_PX, _KEY_PX)
        self.setAccessibleName(marker_name(number))
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        centre = QPointF(_KEY_PX / 2, _KEY_PX / 2)
        paint_marker(
            painter, centre, self._number, series_colour(self._look, self._number), 4.2, hollow=self._hollow
        )
