"""The tour of the first start: five plain sentences, each beside the part of the window that it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPolygon
from PySide6.QtWidgets import QFrame, QWidget

from pitwall.console.kit.elements import Button, Label, PrimaryButton, column, key_words, row
from pitwall.console.kit.page import Page
from pitwall.console.kit.places import MEMORY_PAGE, brought
from pitwall.console.kit.theme import GAP, PAD, STEP, WIDE, Look
from pitwall.console.live.game_choice import GameTile
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.rail import Rail
from pitwall.console.shell.top_bar import TopBar
from pitwall.console.state.view_state import IN_VIEW, RUNNING


def console_tour(bridge: Bridge, page: Page, top: TopBar, rail: Rail) -> Sequence[TourStep]:
    """Return the stops, each with the part of the window that it points at; `page` is the first."""
    state, keys = bridge.state, bridge.settings.hotkeys
    start, stop = key_words(keys.start), key_words(keys.stop)
    memory = (
        [
            TourStep(
                rail.button(MEMORY_PAGE),
                "See what it remembers",
                "Here is what the agent has learned. Change an entry, and it plays by that.",
            )
        ]
        if brought(MEMORY_PAGE)
        else []
    )
    return (
        TourStep(
            page.middle,
            "Choose a game",
            "Click the card of a game. It opens in a window of its own, beside this one.",
            inside=_first_card,
            done=lambda: state.phase in IN_VIEW,
        ),
        TourStep(
            top.start,
            "Start",
            f"Click here or press {start}, also in the game, and the agent plays.",
            done=lambda: state.phase in RUNNING,
        ),
        TourStep(
            page.middle,
            "Watch it play",
            "Here is the game's picture, with what the agent reads and which keys it presses.",
        ),
        *memory,
        TourStep(
            top.emergency,
            "Stop it at once",
            f"This button, or the {stop} key in the game, lifts every key and stops the agent.",
        ),
    )


def _first_card(part: QWidget) -> QWidget:
    """Return the first game's card inside a part in view; the part itself where there is none."""
    return next((card for card in part.findChildren(GameTile) if card.isVisible()), part)


_WIDTH = 320
_TIP = 10
"""Half the base of the pointer, and its height, in pixels."""
_MOVED = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
_LAID_OUT_MS = 50
"""Time until a part that was just made has its place."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """Holds one stop: the part it points at, and what the part is for.

    Attributes:
        done: returns whether the operator already did what the stop suggests; the tour then goes on.
        inside: returns the place inside the part that the card stands beside.
    """

    part: QWidget
    title: str
    text: str
    done: Callable[[], bool] = lambda: False
    inside: Callable[[QWidget], QWidget] = lambda part: part


class _Pointer(QWidget):
    """A triangle between a card and the part that it explains."""

    def __init__(self, window: QWidget, look: Look) -> None:
        super().__init__(window)
        self._look, self._tip = look, QPoint()
        self._base: tuple[QPoint, QPoint] = (QPoint(), QPoint())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def point(self, card: QRect, part: QRect) -> None:
        """Point from a card to the nearest place of a part; hidden where the card lies over the part."""
        self.setVisible(not part.isEmpty() and not card.intersects(part))
        if self.isHidden():
            return
        middle = part.center()
        x = max(card.left() + 2 * _TIP, min(middle.x(), card.right() - 2 * _TIP))
        y = max(card.top() + 2 * _TIP, min(middle.y(), card.bottom() - 2 * _TIP))
        if part.bottom() < card.top() or part.top() > card.bottom():
            edge, away = (card.top(), -_TIP) if part.bottom() < card.top() else (card.bottom(), _TIP)
            self._base, self._tip = (QPoint(x - _TIP, edge), QPoint(x + _TIP, edge)), QPoint(x, edge + away)
        else:
            edge, away = (card.left(), -_TIP) if part.right() < card.left() else (card.right(), _TIP)
            self._base, self._tip = (QPoint(edge, y - _TIP), QPoint(edge, y + _TIP)), QPoint(edge + away, y)
        self.setGeometry(QPolygon([*self._base, self._tip]).boundingRect().adjusted(-2, -2, 2, 2))
        self.update()

    @property
    def tip(self) -> QPoint:
        """Return the place that it points at, in the window."""
        return self._tip

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(-self.pos())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colour("reactive"))
        painter.drawPolygon(QPolygon([*self._base, self._tip]))


class Tour(QFrame):
    """A card beside the part that it explains; it takes no keyboard and never covers that part.

    Args:
        window: whose parts are shown.
        ended: called once the tour was finished or skipped.

    Attributes:
        parts: the parts that the steps point at, in order.
    """

    def __init__(
        self, window: QWidget, look: Look, steps: Sequence[TourStep], ended: Callable[[], object]
    ) -> None:
        super().__init__(window)
        self.setProperty("kind", "tour")
        self._steps, self._at, self._ended = steps, 0, ended
        self._ring = QFrame(window)
        self._ring.setProperty("kind", "tourRing")
        self._ring.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.pointer = _Pointer(window, look)
        self._title, self._text = Label("", "title"), Label("", wrap=True)
        self._count = Label("", "note")
        self._skip = Button("Skip", self.end, kind="quiet", name="Skip the tour")
        self._back = Button("Back", lambda: self._show(self._at - 1), name="Back in the tour")
        self._next = PrimaryButton("Next", lambda: self._show(self._at + 1), name="Next in the tour")
        for button in (self._skip, self._back, self._next):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = row(self._skip, None, self._back, self._next)
        head = row(self._title, None, self._count)
        self.setLayout(column(head, self._text, buttons, gap=GAP, margins=(WIDE, PAD, WIDE, PAD)))
        self._soon = QTimer(self, singleShot=True, interval=_LAID_OUT_MS)
        self._soon.timeout.connect(self._place)
        self.parts = [step.part for step in steps]
        for watched in (window, *self.parts):
            watched.installEventFilter(self)
        self._show(0)

    def follow(self) -> None:
        """Go on where what the step says was done; stay beside a part that was laid out anew."""
        if self._steps[self._at].done():
            self._show(self._at + 1)
        self._soon.start()

    def end(self) -> None:
        """Go away for good."""
        self._ring.deleteLater()
        self.pointer.deleteLater()
        self.hide()
        self.deleteLater()
        self._ended()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVED:
            self._soon.start()
        return super().eventFilter(watched, event)

    def _show(self, at: int) -> None:
        if at >= len(self._steps):
            self.end()
            return
        self._at = at
        step = self._steps[at]
        self._title.set_text(step.title)
        self._text.set_text(step.text)
        self._count.set_text(f"{at + 1} of {len(self._steps)}")
        self._back.setVisible(at > 0)
        last = at == len(self._steps) - 1
        self._skip.setVisible(not last)
        self._next.setText("Done" if last else "Next")
        self.setAccessibleName(f"Tour, {at + 1} of {len(self._steps)}. {step.title}. {step.text}")
        self._place()
        self._soon.start()

    def _place(self) -> None:
        window, step = self.parentWidget(), self._steps[self._at]
        part = step.inside(step.part)
        if window is None:
            return
        shown = part.isVisibleTo(window)
        place = QRect(part.mapTo(window, QPoint()), part.size()) if shown else QRect()
        self._ring.setGeometry(place.adjusted(-STEP, -STEP, STEP, STEP).intersected(window.rect()))
        width = min(_WIDTH, window.width() - 2 * PAD)
        height = max(self.heightForWidth(width), self.sizeHint().height())
        self.setGeometry(beside(place, window.rect(), width, height))
        for widget in (self._ring, self):
            widget.setVisible(shown)  # another page is in view: the card waits, and covers nothing there
            widget.raise_()
        self.pointer.point(self.geometry(), place)
        self.pointer.raise_()


def beside(part: QRect, room: QRect, width: int, height: int) -> QRect:
    """Return a place of this size beside a part of the room, else in the room's lower right corner."""
    inside = room.adjusted(PAD, PAD, -PAD, -PAD)
    corner = QRect(inside.right() + 1 - width, inside.bottom() + 1 - height, width, height)
    left = max(inside.left(), min(part.left(), corner.left()))
    top = max(inside.top(), min(part.top(), corner.top()))
    places = (
        QRect(left, part.bottom() + PAD, width, height),
        QRect(part.right() + PAD, top, width, height),
        QRect(part.left() - PAD - width, top, width, height),
        QRect(left, part.top() - PAD - height, width, height),
    )
    return next((place for place in places if inside.contains(place)), corner)
