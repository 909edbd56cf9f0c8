"""One chart: several runs over one axis, read with a crosshair, zoomed by dragging."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pitwall.console.charts.axes import Scale
from pitwall.console.charts.data import ChartData
from pitwall.console.charts.painter import ChartPainter, Frame, frame_of, reach_of
from pitwall.console.charts.readout import Reading, reading_of
from pitwall.console.charts.shared_view import SharedView
from pitwall.console.kit.theme import SMALL_PX, Look, ui_font

_DRAG_PX = 6
_KEY_SHARE = 0.01
HOW = (
    "Drag to look at a stretch, Shift+drag to move, Ctrl+wheel to zoom, double click for everything. "
    "Keys: ←/→ read, Shift+←/→ move, + and − zoom, 0 everything."
)

Read = Callable[["Chart", QPointF], None]
"""(chart, where the pointer is in it): show the values there."""


class Chart(QWidget):
    """Paints a picture; curves are drawn once into a layer, and the crosshair over it.

    Args:
        view: what it shares with the panel's other charts.
        name: for screen readers.
        read: called where the pointer or the keys read it.
    """

    def __init__(self, look: Look, view: SharedView, name: str, read: Read, *, height: int = 96) -> None:
        super().__init__()
        self._look, self._view, self._read = look, view, read
        self._name, self._height = name, height
        self.picture = ChartData()
        self._layer: QPixmap | None = None
        self._frame: Frame | None = None
        self._grip: QPointF | None = None
        self._dragged: QPointF | None = None
        self._panning = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)
        self.setToolTip("")
        view.moved.connect(self.redraw)
        view.pointed.connect(self.update)
        look.changed.connect(self.redraw)

    def sizeHint(self) -> QSize:
        return QSize(240, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._height)

    def set_least_height(self, height: int) -> None:
        """How low it may become."""
        if height != self._height:
            self._height = height
            self.updateGeometry()

    def show_picture(self, picture: ChartData) -> None:
        """Show other lines."""
        self.picture = picture
        self.redraw()

    def redraw(self) -> None:
        """Draw the curves anew, at the next painting."""
        self._layer = self._frame = None
        self.update()

    def frame(self) -> Frame:
        """Where everything lies."""
        if self._frame is None:
            area = QRectF(self.rect())
            self._frame = frame_of(self._scale, self._view.axis, self._view.stretch, area)
        return self._frame

    @property
    def bare(self) -> bool:
        """Whether there is nothing to draw."""
        return self.picture.bare

    @property
    def empty_text(self) -> str:
        """What is said then."""
        return self.picture.empty

    def readings(self, at: float, unit: str) -> list[Reading]:
        """Every run's values at a place of the axis."""
        reach = reach_of(self.frame())
        return [reading_of(line, at, reach, unit) for line in self.picture.lines]

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._layer is None or self._layer.devicePixelRatioF() != self.devicePixelRatioF():
            self._layer = self._draw_layer()
        painter.drawPixmap(0, 0, self._layer)
        over = ChartPainter(painter, self._look, self.frame())
        if self._view.at is not None and not self.bare:
            self._paint_reading(over, self._view.at)
        if self._grip is not None and self._dragged is not None and not self._panning:
            over.picked(self._grip.x(), self._dragged.x())
        if self.hasFocus():
            painter.setPen(self._look.colour("focus"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def _draw_layer(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        layer = QPixmap(self.size() * ratio)
        layer.setDevicePixelRatio(ratio)
        layer.fill(Qt.GlobalColor.transparent)
        painter = QPainter(layer)
        drawn = ChartPainter(painter, self._look, self.frame())
        if self.bare:
            drawn.say(self.empty_text, ui_font(SMALL_PX))
        else:
            self._paint_curves(drawn)
        painter.end()
        return layer

    def _scale(self, left: float, right: float, ticks: int) -> Scale:
        return self.picture.scale(left, right, ticks)

    def _paint_curves(self, drawn: ChartPainter) -> None:
        drawn.grid()
        drawn.lines(self.picture.lines)
        drawn.references(self.picture.references)
        drawn.whiskers(self.picture.lines)

    def _paint_reading(self, over: ChartPainter, at: float) -> None:
        over.crosshair(self.picture.lines, at)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    # ---- reading, zooming, moving

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._grip is not None:
            self._drag(place)
        if self._grip is None or not self._panning:
            self._point(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        middle = event.button() == Qt.MouseButton.MiddleButton
        if event.button() == Qt.MouseButton.LeftButton or middle:
            self._grip, self._dragged = event.position(), None
            shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._panning = middle or shifted
            if self._panning:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        grip, dragged, panning = self._grip, self._dragged, self._panning
        self._grip, self._dragged, self._panning = None, None, False
        self.unsetCursor()
        if grip is not None and dragged is not None and not panning:
            frame = self.frame()
            if abs(dragged.x() - grip.x()) >= _DRAG_PX:
                self._view.zoom(frame.place(grip.x()), frame.place(dragged.x()))
        self.update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._view.reset()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            about = self.frame().place(event.position().x())
            self._view.zoom_by(1.25 ** (event.angleDelta().y() / 120), about)
            event.accept()
        else:
            event.ignore()

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
                super().keyPressEvent(event)
                return
        event.accept()

    def _drag(self, place: QPointF) -> None:
        if self._panning and self._grip is not None:
            by = (self._grip.x() - place.x()) / self.frame().plot.width()
            self._grip = place
            self._view.pan(by)
        else:
            self._dragged = place
            self.update()

    def _step(self, by: int) -> None:
        low, high = self._view.stretch
        at = self._view.at
        at = (high if by < 0 else low) if at is None else at + by * _KEY_SHARE * (high - low)
        self._point(QPointF(self.frame().x_of(min(max(at, low), high)), self.frame().plot.top()))

    def _point(self, place: QPointF) -> None:
        frame = self.frame()
        inside = frame.plot.left() - 2 <= place.x() <= frame.plot.right() + SLACK
        if self.bare or not inside:
            self._view.point(None)
            return
        at = frame.place(min(max(place.x(), frame.plot.left()), frame.plot.right()))
        self._view.point(at)
        self._read(self, place)


SLACK = 10
"""Pixels right of the plot that still read its last place."""
