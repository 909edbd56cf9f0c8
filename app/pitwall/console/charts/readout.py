"""The box beside the crosshair: its place, and the value of every series there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QWidget

from pitwall.console.charts.data import Line
from pitwall.console.charts.series_style import marker_glyph, series_colour
from pitwall.console.kit.theme import GAP, RADIUS, SMALL_PX, TINY_PX, Look, ui_font
from pitwall.core.quantities import number

_OFF = 14
"""Pixels between the crosshair and the box."""
_WIDEST_NAME = 180


@dataclass(frozen=True, slots=True)
class Reading:
    """Values of one series at the crosshair, in words.

    Attributes:
        strong: the smoothed value. faint: the raw one, and its evaluation where one is near; or empty.
    """

    label: str
    ink: int
    strong: str
    faint: str = ""


def reading_of(line: Line, at: float, reach: float, unit: str) -> Reading:
    """Read one line's values at a place of the axis; leave out points farther away than `reach`."""
    place = line.near(at, reach)
    strong = number(float(line.strong[place]), unit) if place is not None else number(float("nan"))
    notes = []
    if place is not None and line.smooth is not None:
        notes.append(f"raw {number(float(line.raw[place]))}")
    whiskers = line.whiskers
    if whiskers is not None and len(whiskers.x):
        near = int(abs(whiskers.x - at).argmin())
        if abs(float(whiskers.x[near]) - at) <= reach:
            low, mean, high = (
                number(float(values[near])) for values in (whiskers.low, whiskers.mean, whiskers.high)
            )
            notes.append(f"held-out {mean} ({low} … {high})")
    return Reading(line.label, line.ink, strong, " · ".join(notes))


class ReadOut(QLabel):
    """A box over a window that takes no pointer and no focus."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look, self._window = look, window
        self.words = ""
        """The read-out for screen readers: "step 51,200: v2 41.2, v1 18"."""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFont(ui_font(SMALL_PX))
        self.hide()

    def show_at(self, place: QPoint, head: str, rows: Sequence[Reading]) -> None:
        """Show values beside a pixel of the window, where there is room."""
        self.words = f"{head}: " + ", ".join(f"{row.label} {row.strong}" for row in rows)
        palette = self._look.palette
        self.setStyleSheet(
            f"background: {palette.panel}; border: 1px solid {palette.line}; border-radius: {RADIUS - 2}px;"
            f"color: {palette.text}; padding: {GAP // 2}px {GAP}px;"
        )
        self.setText(self._table(head, rows))
        self.adjustSize()
        window = self._window
        left = place.x() + _OFF
        if left + self.width() > window.width() - 2:
            left = place.x() - _OFF - self.width()
        top = min(max(2, place.y() - self.height() - 4), window.height() - self.height() - 2)
        self.move(max(2, left), max(2, top))
        self.show()
        self.raise_()

    def _table(self, head: str, rows: Sequence[Reading]) -> str:
        palette, metrics = self._look.palette, QFontMetrics(self.font())
        cells = [f'<tr><td colspan="4" style="color:{palette.dim}; {_TINY}">{escape(head)}</td></tr>']
        for row in rows:
            colour = series_colour(self._look, row.ink).name()
            name = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, _WIDEST_NAME)
            cells.append(
                f'<tr><td style="color:{colour}; {_TINY}">{marker_glyph(row.ink)}&nbsp;&nbsp;</td>'
                f'<td style="color:{palette.dim}">{_whole(name)}</td>'
                f'<td align="right">&nbsp;&nbsp;&nbsp;<b>{_whole(row.strong)}</b></td>'
                f'<td style="color:{palette.faint}; {_TINY}">&nbsp;&nbsp;{_whole(row.faint)}</td></tr>'
            )
        return f'<table cellspacing="0" cellpadding="1">{"".join(cells)}</table>'


_TINY = f"font-size:{TINY_PX}px; vertical-align:middle"


def _whole(words: str) -> str:
    """Return the words as HTML that never breaks them."""
    return escape(words).replace(" ", "&nbsp;")
