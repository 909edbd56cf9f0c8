"""The overlay on the game itself: route, reason, last action. It never takes a click or the focus.

It bypasses the window manager and is transparent to input, so clicks, keys and the focus stay with
the game. Without a compositor nothing is translucent: the window is cut to its labels' shapes.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QRegion,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from pitwall.console.kit.elements import key_words
from pitwall.console.kit.screen_places import rect_to_qt, screen_places
from pitwall.console.kit.theme import DARK, RADIUS, ROUTE_SIGNS, SMALL_PX, ui_font
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.overlay_state import OverlayState, Pill, Tone
from pitwall.console.state.view_state import IN_VIEW
from pitwall.core.signals import Route
from pitwall.core.telemetry import Telemetry
from pitwall.desktops.here import this_desktop

_MARGIN = 8
_GAP = 4
_PAD = 8
_HEIGHT = 24
_LEAST_CUT = 90
"""A label that must be cut keeps this width, or is left out: "re…" says nothing."""
_STAY_ON_TOP_MS = 500

_SIGNS = {
    Tone.STRATEGIC: ROUTE_SIGNS[Route.STRATEGIC],
    Tone.REACTIVE: ROUTE_SIGNS[Route.REACTIVE],
    Tone.REFLEX: ROUTE_SIGNS[Route.REFLEX],
    Tone.STOP: "■",
    Tone.PAUSE: "▮▮",
    Tone.HUMAN: ROUTE_SIGNS[Route.PERSON],
}
_ACCENTS = {
    Tone.STRATEGIC: DARK.strategic,
    Tone.REACTIVE: DARK.reactive,
    Tone.REFLEX: DARK.reflex,
    Tone.STOP: DARK.stop,
    Tone.HUMAN: DARK.human,
}


_PILLS_EVERY_MS = 150
"""Its shape changes at most this often: each change makes the server report damage on the game below."""


class GameOverlay(QWidget):
    """A strip of labels in the game's top left corner.

    Args:
        wanted: whether it shows at first (setting console.overlay); the overlay key toggles it.

    `follow` a bridge, or feed it every telemetry message through `receive`.
    """

    def __init__(self, *, wanted: bool = True) -> None:
        super().__init__(
            None,
            Qt.WindowType.Window
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.X11BypassWindowManagerHint
            | Qt.WindowType.WindowTransparentForInput
            | Qt.WindowType.WindowDoesNotAcceptFocus
            | Qt.WindowType.NoDropShadowWindowHint,
        )
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWindowTitle("Pitwall overlay")
        self.setAccessibleName("Overlay on the game")
        self._setting = wanted
        self._state = OverlayState(wanted=wanted)
        self._laid_out: list[tuple[QRect, Pill]] = []
        self._font = ui_font(SMALL_PX, bold=True)
        self._on_top = QTimer(self, interval=_STAY_ON_TOP_MS)
        self._on_top.timeout.connect(self._keep_on_top)
        self._soon = QTimer(self, interval=_PILLS_EVERY_MS, singleShot=True)
        self._soon.timeout.connect(lambda: self._settle(repaint=True))

    @property
    def state(self) -> OverlayState:
        """Return the overlay's present state."""
        return self._state

    def follow(self, bridge: Bridge) -> None:
        """Follow a bridge's telemetry, and hide when its engine ends."""
        bridge.received.connect(self.receive)

        def look_at_phase(_: object) -> None:
            if bridge.state.phase not in IN_VIEW:
                self.forget()

        bridge.changed.connect(look_at_phase)

    def forget(self) -> None:
        """Hide until an engine reports again."""
        self._state = self._state.without_engine()
        self._settle(repaint=True)

    def receive(self, message: Telemetry) -> None:
        """Take one telemetry message: follow the window, repaint, show or hide."""
        before, self._state = self._state, self._state.after(message)
        repaint = before.pills() != self._state.pills()
        if (before.shown, before.rect, before.engine) != (
            self._state.shown,
            self._state.rect,
            self._state.engine,
        ):
            self._settle(repaint=repaint)
        elif repaint and not self._soon.isActive():
            self._soon.start()

    def set_wanted(self, wanted: bool) -> None:
        """Apply the setting: show it while the agent plays, or never. The key overrides it."""
        if wanted != self._setting:
            self._setting = wanted
            self._state = replace(self._state, wanted=wanted)
            self._settle(repaint=True)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._soon.stop()
        self.forget()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        this_desktop().keep_out_of_captures(int(self.winId()))

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        for place, pill in self._laid_out:
            _paint_pill(painter, place, pill)

    def _settle(self, *, repaint: bool) -> None:
        rect = self._state.rect
        if (
            not self._state.shown or rect is None or not this_desktop().free_placement
        ):  # on sway, captured frames would contain the overlay
            self._on_top.stop()
            self.hide()
            return
        area = rect_to_qt(rect, screen_places())
        corner = area.topLeft() + QPoint(_MARGIN, _MARGIN)
        room = max(_HEIGHT, area.width() - 2 * _MARGIN)
        self._lay_out(room)
        size = self._size()
        if self.geometry() != QRect(corner, size):
            self.setGeometry(QRect(corner, size))
        if repaint or not self.isVisible():
            self.setMask(self._shape())
            self.update()
        self._keep_on_top()
        if not self._on_top.isActive():
            self._on_top.start()

    def _lay_out(self, room: int) -> None:
        metrics = QFontMetrics(self._font)
        x = 0
        laid_out: list[tuple[QRect, Pill]] = []
        for pill in self._state.pills():
            left = room - x
            if left < _HEIGHT:
                break
            words = _words(pill)
            whole = max(_HEIGHT, metrics.horizontalAdvance(words) + 2 * _PAD)
            if left < min(whole, _LEAST_CUT) and laid_out:
                break
            width = min(left, whole)
            text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width - 2 * _PAD + 1)
            laid_out.append((QRect(x, 0, width, _HEIGHT), Pill(text, pill.tone)))
            x += width + _GAP
        self._laid_out = laid_out

    def _size(self) -> QSize:
        right = self._laid_out[-1][0].right() + 1 if self._laid_out else 1
        return QSize(right, _HEIGHT)

    def _shape(self) -> QRegion:
        shape = QRegion()
        for place, _ in self._laid_out:
            path = QPainterPath()
            path.addRoundedRect(QRectF(place), RADIUS, RADIUS)
            shape |= QRegion(path.toFillPolygon().toPolygon())
        return shape

    def _keep_on_top(self) -> None:
        if self._under_console():
            self.hide()
            return
        if not self.isVisible():
            self.show()
        self.raise_()

    def _under_console(self) -> bool:
        active = QApplication.activeWindow()
        return (
            active is not None and active.isVisible() and active.frameGeometry().intersects(self.geometry())
        )


def _words(pill: Pill) -> str:
    if pill.tone in (Tone.KEY, Tone.KEY_DOWN):
        return key_words(pill.text)
    return f"{_SIGNS.get(pill.tone, '')} {pill.text}".strip()


def _paint_pill(painter: QPainter, place: QRect, pill: Pill) -> None:
    accent = _ACCENTS.get(pill.tone)
    ground, line, text = DARK.panel, accent or DARK.line, accent or DARK.text
    if pill.tone is Tone.KEY_DOWN:
        ground, line, text = DARK.reactive, DARK.reactive, DARK.inverse
    elif pill.tone is Tone.KEY:
        text = DARK.dim
    painter.setBrush(QColor(ground))
    painter.setPen(QColor(line))
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    painter.setPen(QColor(text))
    painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), pill.text)
