"""Draws a chart: several runs over one axis, read with a crosshair, zoomed by dragging."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QLabel

from pitwall.console.charts.axes import Numbers, Scale, place_text
from pitwall.console.charts.canvas import Canvas
from pitwall.console.charts.data import ChartData, Line, Reference, Whiskers
from pitwall.console.charts.readout import Reading, reading_of
from pitwall.console.charts.series_style import add_markers, mixed, series_colour
from pitwall.console.kit.theme import STEP, TINY_PX, Look
from pitwall_evaluation.console.axis_items import PlaceAxis, ValueAxis
from pitwall_lab.console.charts.series import without_short_gaps
from pitwall_lab.console.charts.shared_view import SharedView

HOW = (
    "Drag to look at a stretch, Shift+drag to move, Ctrl+wheel to zoom, double click for everything. "
    "Keys: ←/→ read, Shift+←/→ move, + and − zoom, 0 everything."
)
_LEFT_PX, _BOTTOM_PX, _RIGHT_PX, _TOP_PX = 46, 20, 12, 6
_END_PX = 6
_WHISKERS_PX = 10
"""Evaluations nearer to one another are left out of the drawing, never the best."""
_FAINT = 0.4
"""How much of a run's colour its raw values have; the rest is the card's ground."""
_STRONG_PX = 1.8
_KEY_SHARE = 0.01
_REACH_PX = 10


class StretchBox(pg.ViewBox):  # type: ignore[misc]
    """The inside of a chart: dragging picks a stretch of the shared axis, or moves it."""

    def __init__(self, view: SharedView) -> None:
        super().__init__(enableMenu=False)
        self._view = view

    def mouseDragEvent(self, event: Any, _axis: int | None = None) -> None:
        event.accept()
        middle = event.button() == Qt.MouseButton.MiddleButton
        if middle or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            low, high = (self.mapToView(place).x() for place in (event.lastPos(), event.pos()))
            stretch = self._view.stretch
            self._view.pan((low - high) / (stretch[1] - stretch[0]))
            return
        start, end = event.buttonDownPos(), event.pos()
        if event.isFinish():
            self.rbScaleBox.hide()
            self._view.zoom(self.mapToView(start).x(), self.mapToView(end).x())
        else:
            inside = self.rect()
            self.updateScaleBox(QPointF(start.x(), inside.top()), QPointF(end.x(), inside.bottom()))

    def wheelEvent(self, event: Any, _axis: int | None = None) -> None:
        event.accept()
        self._view.zoom_by(1.25 ** (event.delta() / 120), self.mapToView(event.pos()).x())


class Chart(Canvas):
    """Draws the lines of runs; all charts of a panel share one `SharedView`.

    Args:
        name: for screen readers. height: least height in pixels.
    """

    named_outside = True

    def __init__(self, look: Look, view: SharedView, name: str, *, height: int = 96) -> None:
        self._view = view
        self.unit = ""
        self.picture = ChartData()
        self._whiskers: list[Any] = []
        self._crosshair: list[Any] = []
        self._values, self._places = ValueAxis("left"), PlaceAxis()
        self._empty: QLabel | None = None
        super().__init__(
            look,
            name,
            box=StretchBox(view),
            axes={"left": self._values, "bottom": self._places},
            size=(240, height),
            least=(120, height),
        )
        self._empty = QLabel(self, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._empty.setProperty("kind", "note")
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_axes(left=_LEFT_PX, bottom=_BOTTOM_PX)
        self._values.setGrid(255)
        self._places.setStyle(tickLength=-3)
        self.set_margins(top=_TOP_PX, right=_RIGHT_PX)
        self.csv = lambda: self.picture.as_csv(self._view.axis)
        view.moved.connect(self._move)
        view.pointed.connect(self._show_crosshair)
        self.redraw()

    def show_picture(self, picture: ChartData) -> None:
        """Show other lines."""
        self.picture = picture
        self.redraw()

    @property
    def bare(self) -> bool:
        """Return whether there is nothing to draw."""
        return self.picture.bare

    @property
    def empty_text(self) -> str:
        """Return the sentence that an empty chart shows."""
        return self.picture.empty

    @property
    def shown_scale(self) -> Scale:
        """Return the scale of the visible values."""
        return self._values.shown

    @property
    def left(self) -> float:
        """Return the axis place at the plot's left edge."""
        return float(self.box.viewRange()[0][0])

    def x_of(self, place: float) -> float:
        """Return the pixel of an axis place."""
        return self.pixel(place, 0.0).x()

    def readings(self, at: float) -> list[Reading]:
        """Return every run's values at an axis place."""
        return [reading_of(line, at, self._reach, self.unit) for line in self.picture.lines]

    # ---- drawing

    def redraw(self) -> None:
        if self._empty is None:  # still being built
            return
        self.wipe()
        self._whiskers.clear()
        self._crosshair.clear()
        self._places.kind = self._view.axis
        self._empty.setVisible(self.bare)
        self._empty.setText(self.empty_text if self.bare else "")
        self._values.shown = self._scale(*self._view.stretch)
        self._values.picture = None
        if not self.bare:
            self._draw()
        self.show_legend()
        self._move()

    def _draw(self) -> None:
        scale = self.shown_scale
        for line in reversed(self.picture.lines):
            if line.smooth is not None:
                self._stroke(line.x, scale.place(line.raw), self._faint(line.ink), 1, line.bridge)
        for line in reversed(self.picture.lines):
            strong = scale.place(line.strong)
            self._stroke(line.x, strong, series_colour(self.look, line.ink), _STRONG_PX, line.bridge)
            finite = np.flatnonzero(np.isfinite(strong))
            if len(finite):
                end = self.markers([line.x[finite[-1]]], [strong[finite[-1]]], line.ink)
                self.legend.insert(0, (end, line.label))

    def _stroke(self, x: Numbers, y: Numbers, colour: QColor, width: float, bridge: int) -> None:
        x, y = without_short_gaps(x, y, bridge)
        pen = QPen(colour, width)
        pen.setCosmetic(True)
        item = self.draw_item(pg.PlotDataItem(x, y, pen=pen, connect="finite"))
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)

    def _faint(self, index: int) -> QColor:
        """Blend a run's colour with the card, because a transparent pen is ten times as slow."""
        return mixed(self.look.colour("raised"), series_colour(self.look, index), _FAINT)

    def _move(self) -> None:
        """Follow the shared view and fit the scale to the visible values."""
        left, right = self._view.stretch
        if self._places.kind != self._view.axis:
            return  # other lines are about to be shown
        bend = self.shown_scale.bend
        scale = self._scale(left, right)
        self._values.shown = Scale(scale.low, scale.high, bend)
        low, high = self.shown_scale.ends
        area = self.plot_area  # the last marker stays whole
        beyond = _END_PX * (right - left) / max(1.0, area.width())
        below = _END_PX * (high - low) / max(1.0, area.height())
        self.box.setRange(xRange=(left, right + beyond), yRange=(low - below, high), padding=0)
        for item in self._whiskers:
            self.box.removeItem(item)
            self._drawn.remove(item)
        before = len(self._drawn)
        if not self.bare:
            self._draw_over()
        self._whiskers = self._drawn[before:]
        self._show_crosshair()

    def _scale(self, left: float, right: float) -> Scale:
        return self.picture.scale(left, right)

    def _draw_over(self) -> None:
        """Draw what depends on the stretch in view."""
        for at, reference in enumerate(self.picture.references):
            self._draw_reference(reference, 0.99 - 0.35 * (at % 3))
        for line in reversed(self.picture.lines):
            if line.whiskers is not None and len(line.whiskers.x):
                self._draw_whiskers(line.whiskers, line.ink)

    def _draw_reference(self, reference: Reference, along: float) -> None:
        """Draw a dashed line with its text; outside the scale, an arrow at the edge."""
        low, high = self.shown_scale.low, self.shown_scale.high
        value = float(self.shown_scale.place(np.asarray([min(max(reference.value, low), high)]))[0])
        left, right = self._view.stretch
        if low <= reference.value <= high:
            self.line([left, right], [value, value], self.look.colour("dim"), dashed=True)
        sign = "↑ " if reference.value > high else "↓ " if reference.value < low else ""
        near_top = self.pixel(left, value).y() < self.plot_area.top() + 16
        self.text(
            f"{sign}{reference.text}",
            left + along * (right - left),
            value,
            colour="dim",
            pixels=TINY_PX,
            anchor=(1, 0 if near_top else 1),
        )

    def _draw_whiskers(self, whiskers: Whiskers, index: int) -> None:
        """Evaluations: hollow shapes with their intervals; the best so far is filled."""
        bests = np.flatnonzero(whiskers.best)
        best = int(bests[-1]) if len(bests) else -1
        left, right = self._view.stretch
        per_px = (right - left) / max(1.0, self.plot_area.width())
        low, mean, high = (
            self.shown_scale.place(value) for value in (whiskers.low, whiskers.mean, whiskers.high)
        )
        shown = [at for at in spaced(whiskers.x / per_px, best, _WHISKERS_PX) if np.isfinite(mean[at])]
        known = [at for at in shown if np.isfinite(low[at]) and np.isfinite(high[at])]
        pen = QPen(series_colour(self.look, index), 1)
        pen.setCosmetic(True)
        top, bottom = (high - mean)[known], (mean - low)[known]
        self.draw_item(
            pg.ErrorBarItem(
                x=whiskers.x[known], y=mean[known], top=top, bottom=bottom, beam=6 * per_px, pen=pen
            )
        )
        rest = [at for at in shown if at != best]
        self.markers(whiskers.x[rest], mean[rest], index, 8, hollow=True)
        if best in shown:
            self.markers([whiskers.x[best]], [mean[best]], index, 9)

    def _show_crosshair(self) -> None:
        """Draw a line at the read place and a marker on every run."""
        for item in self._crosshair:
            self.box.removeItem(item)
        self._crosshair.clear()
        at = self._view.at
        if at is None:
            self.hide_reading()
        if at is None or self.bare or not self.isVisible():
            return
        pen = QPen(self.look.colour("faint"), 1)
        pen.setCosmetic(True)
        self._crosshair.append(pg.InfiniteLine(at, pen=pen))
        for line in reversed(self._read_lines()):
            place = line.near(at, self._reach)
            if place is not None:
                y = self.shown_scale.place(line.strong[place : place + 1])
                self._crosshair.append(add_markers(self.look, line.x[place : place + 1], y, line.ink, 9))
        for item in self._crosshair:
            self.box.addItem(item, ignoreBounds=True)

    def _read_lines(self) -> list[Line]:
        return list(self.picture.lines)

    @property
    def _reach(self) -> float:
        """Return the reading distance of the pointer in units of the axis: a few pixels."""
        left, right = self._view.stretch
        return _REACH_PX * (right - left) / max(1.0, self.plot_area.width())

    # ---- reading, zooming, moving

    def refit(self) -> None:
        if self._empty is not None:
            self._empty.setGeometry(self.rect().adjusted(_LEFT_PX, STEP, -STEP, -_BOTTOM_PX))
            self.show_legend()
            self._move()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.read_at(event.position())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._view.reset()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._view.point(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._view.point(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                by = 1 if key == Qt.Key.Key_Right else -1
                self._view.pan(0.1 * by) if shifted else self._step(by)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._view.zoom_by(1.25, self._view.at)
            case Qt.Key.Key_Minus:
                self._view.zoom_by(1 / 1.25, self._view.at)
            case Qt.Key.Key_0:
                self._view.reset()
            case _:
                event.ignore()
                return
        event.accept()

    def read_at(self, pixel: QPointF) -> None:
        """Read every run at a pixel of the widget; beside the plot nothing is read."""
        area = self.plot_area
        if self.bare or not area.left() - 2 <= pixel.x() <= area.right() + _RIGHT_PX:
            self._view.point(None)
            return
        low, high = self._view.stretch
        at = min(max(self.place(pixel).x(), low), high)
        self._view.point(at)
        self.show_reading(pixel, place_text(self._view.axis, at), self.readings(at))

    def _step(self, by: int) -> None:
        low, high = self._view.stretch
        at = self._view.at
        at = (high if by < 0 else low) if at is None else at + by * _KEY_SHARE * (high - low)
        at = min(max(at, low), high)
        self._view.point(at)
        corner = QPointF(self.x_of(at), self.plot_area.top())
        self.show_reading(corner, place_text(self._view.axis, at), self.readings(at))


def spaced(x: Numbers, kept: int, gap: float) -> list[int]:
    """Return the places of x (rising, in pixels) that lie at least so far apart; `kept` is always among them.

    Args:
        kept: place that stays; −1: none has to.
    """
    chosen: list[int] = []
    for at in range(len(x) - 1, -1, -1):
        far = not chosen or x[chosen[-1]] - x[at] >= gap
        clear = kept in (-1, at) or abs(x[at] - x[kept]) >= gap
        if at == kept or (far and clear):
            chosen.append(at)
    return chosen[::-1]
