"""The box beside the crosshair: where it stands, and every run's value there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.charts.data import Line
from pitwall.console.charts.series_style import ink, paint_marker
from pitwall.console.kit.number_format import number
from pitwall.console.kit.theme import GAP, RADIUS, SMALL_PX, TINY_PX, Look, ui_font

_ROW = 18
_OFF = 14
"""Pixels between the crosshair and the box."""
_WIDEST_NAME = 180


@dataclass(frozen=True, slots=True)
class Reading:
    """One run's values at the crosshair, in words.

    Attributes:
        strong: the smoothed value. faint: the raw one, and its evaluation where one is near; or empty.
    """

    label: str
    ink: int
    strong: str
    faint: str = ""


def reading_of(line: Line, at: float, reach: float, unit: str) -> Reading:
    """One line's values at a place of the axis."""
    place = line.near(at, reach)
    strong = number(float(line.strong[place]), unit) if place is not None else number(float("nan"))
    notes = []
    if place is not None and line.smooth is not None:
        notes.append(f"raw {number(float(line.raw[place]))}")
    found = line.whiskers
    if found is not None and len(found.x):
        near = int(abs(found.x - at).argmin())
        if abs(float(found.x[near]) - at) <= reach:
            low, mean, high = (number(float(one[near])) for one in (found.low, found.mean, found.high))
            notes.append(f"held-out {mean} ({low} … {high})")
    return Reading(line.label, line.ink, strong, " · ".join(notes))


class ReadOut(QWidget):
    """A box over a panel that takes no pointer and no focus."""

    def __init__(self, look: Look, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        self._look = look
        self._head = ""
        self._rows: Sequence[Reading] = ()
        self._fonts = ui_font(TINY_PX), ui_font(SMALL_PX), ui_font(SMALL_PX, bold=True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_at(self, place: QPoint, head: str, rows: Sequence[Reading]) -> None:
        """Show values beside a place of the panel, where there is room.

        Args:
            place: of the crosshair, in the panel's pixels.
        """
        self._head, self._rows = head, rows
        self._lay_out()
        panel = self._panel
        left = place.x() + _OFF
        if left + self.width() > panel.width() - 2:
            left = place.x() - _OFF - self.width()
        top = min(max(2, place.y() - self.height() - 4), panel.height() - self.height() - 2)
        self.move(max(2, left), max(2, top))
        self.show()
        self.raise_()
        self.update()

    def text(self) -> str:
        """What it shows, for screen readers: "step 51,200: v2 41.2, v1 18"."""
        return f"{self._head}: " + ", ".join(f"{row.label} {row.strong}" for row in self._rows)

    def _lay_out(self) -> None:
        tiny, plain, bold = (QFontMetrics(font) for font in self._fonts)
        self._names = min(
            _WIDEST_NAME, max((plain.horizontalAdvance(row.label) for row in self._rows), default=0)
        )
        self._values = max((bold.horizontalAdvance(row.strong) for row in self._rows), default=0)
        faint = max((tiny.horizontalAdvance(row.faint) for row in self._rows), default=0)
        width = 2 * GAP + 18 + self._names + 16 + self._values + (faint + 10 if faint else 0)
        head = tiny.horizontalAdvance(self._head) + 2 * GAP
        self.resize(max(width, head) + 2, _ROW * (len(self._rows) + 1) + GAP + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._look.colour("line"))
        painter.setBrush(self._look.colour("panel", 252))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS - 2, RADIUS - 2)
        tiny, plain, bold = self._fonts
        painter.setFont(tiny)
        painter.setPen(self._look.colour("dim"))
        painter.drawText(QPointF(GAP, GAP / 2 + 13), self._head)
        for at, row in enumerate(self._rows, 1):
            middle = GAP / 2 + at * _ROW + _ROW / 2
            paint_marker(painter, QPointF(GAP + 5, middle), row.ink, ink(self._look, row.ink), 3.8)
            base = middle + 4.5
            painter.setFont(plain)
            painter.setPen(self._look.colour("dim"))
            name = QFontMetrics(plain).elidedText(row.label, Qt.TextElideMode.ElideRight, self._names)
            painter.drawText(QPointF(GAP + 16, base), name)
            painter.setFont(bold)
            painter.setPen(self._look.colour("text"))
            right = GAP + 16 + self._names + 16 + self._values
            painter.drawText(
                QPointF(right - QFontMetrics(bold).horizontalAdvance(row.strong), base), row.strong
            )
            painter.setFont(tiny)
            painter.setPen(self._look.colour("faint"))
            painter.drawText(QPointF(right + 10, base), row.faint)
