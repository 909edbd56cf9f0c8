"""Placeholders for the picture of a chosen game: opening, failed, disconnected."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QProgressBar, QWidget

from pitwall.console.kit.elements import (
    Button,
    EmptyState,
    Label,
    PrimaryButton,
    clear_layout,
    column,
    holder,
    row,
    set_property,
)
from pitwall.console.kit.theme import GAP, PAD, WIDE, Tone, mono_font
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Phase
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import UntrustedPlugin, WindowLost

_LOOK_FIRST = "Look at the folder first: its programs run as you do."
_SAFE = (
    "Every key is up: the broker brings them up when an engine ends. "
    "Steps that were saved are in the log; the run can be found under Runs."
)


class Opening(QWidget):
    """The engine starts, launches the game, waits for its window: progress, and a way out."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._since_ns, self._name = now_ns(), ""
        progress = QProgressBar()
        progress.setRange(0, 0)
        progress.setTextVisible(False)
        progress.setFixedWidth(260)
        progress.setAccessibleName("Opening the game")
        self._cancel = Button("Cancel", bridge.close_game)
        lines = column(progress, row(None, self._cancel, None), gap=WIDE)
        self._empty = EmptyState("", "", holder(lines))
        self.setLayout(column(self._empty, margins=GAP))
        self._timer = QTimer(self, interval=250)
        self._timer.timeout.connect(self._show)
        self._timer.start()

    def begin(self) -> None:
        """Count the seconds from now."""
        self._since_ns = now_ns()
        asked = self._bridge.state.game_asked
        self._name = next((game.name for game in self._bridge.games() if game.game_id == asked), asked)
        self._show()

    def _show(self) -> None:
        if not self.isVisible() and self._empty.title.full_text():
            return
        state = self._bridge.state
        closing = state.phase is Phase.CLOSING
        name = state.game.name if state.game is not None else self._name
        seconds = (now_ns() - self._since_ns) / NS_PER_S
        text = "Keys are up; the engine ends." if closing else state.text or "The engine starts."
        title = f"Closing {name}" if closing else f"Opening {name}"
        self._empty.say(title, f"{text} {seconds:.0f} s")
        self._cancel.setVisible(not closing)


class Failed(QWidget):
    """Says why the game could not be opened and how to mend it; tries again or leaves.

    Args:
        choose_window: lets the operator click the game's window.
    """

    def __init__(self, bridge: Bridge, choose_window: Callable[[], None]) -> None:
        super().__init__()
        self._bridge = bridge
        self._trust = PrimaryButton("Trust this folder and open", bridge.trust_and_restart)
        self._again = PrimaryButton("Try again", bridge.restart)
        self._open = PrimaryButton("Open again", bridge.restart)
        self._pick = Button("Choose its window…", choose_window)
        other = Button("Choose another game", bridge.close_game)
        self._list = _log("What is wrong, line by line")
        self._list.setFixedSize(620, 130)
        buttons = row(None, self._trust, self._again, self._open, self._pick, other, None)
        inside = holder(column(self._list, buttons, gap=WIDE))
        self._empty = EmptyState("The game could not be opened", "", inside, width=560)
        self.setLayout(column(self._empty, margins=GAP))

    def show_failure(self) -> None:
        state = self._bridge.state
        title, *lines = (state.text or "The game could not be opened.").strip().splitlines()
        self._list.setVisible(bool(lines))
        self._list.setPlainText("\n".join(line.strip() for line in lines))
        untrusted = state.cause == UntrustedPlugin.__name__
        self._trust.setVisible(untrusted)
        closed = state.cause == WindowLost.__name__ and state.game is not None and state.game.starts
        self._open.setVisible(closed)
        self._again.setVisible(not (untrusted or closed))
        self._pick.setVisible(state.game is not None)
        self._empty.say(title, _LOOK_FIRST if untrusted else state.fix)


class Disconnected(QWidget):
    """Says how the engine ended unasked, with the end of its log and a restart."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._text = Label("", wrap=True)
        self._safe = Label(_SAFE, "dim", wrap=True)
        self._log = _log("The engine's last words")
        restart = PrimaryButton("Restart the engine", bridge.restart)
        buttons = row(restart, Button("Choose another game", bridge.forget), None)
        title = Label("The engine is gone", "heading")
        parts = (title, self._text, self._safe, self._log, buttons)
        self.setLayout(column(*parts, stretch=3, margins=(2 * WIDE, WIDE, 2 * WIDE, WIDE)))

    def show_loss(self) -> None:
        loss = self._bridge.state.loss
        if loss is None:
            return
        self._text.set_text(f"{loss.message[:1].upper()}{loss.message[1:]}")
        self._log.setPlainText(loss.log)
        self._log.setVisible(bool(loss.log))


def _log(name: str) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setReadOnly(True)
    text.setFont(mono_font())
    text.setAccessibleName(name)
    return text


_WIDTH = 460
Offers = Sequence[tuple[str, Callable[[], object]]]
"""Names of a banner's buttons, and what they do."""


class Banner(QFrame):
    """Lies over its parent: in the middle, or as a slim line at the lower end."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setProperty("kind", "banner")
        self._big = True
        self._title = Label("", "heading", wrap=True)
        self._text = Label("", wrap=True)
        self._fix = Label("", "dim", wrap=True)
        self._names: list[str] = []
        self._buttons = row(None)
        self._offer = holder(self._buttons)
        parts = (self._title, self._text, self._fix, self._offer)
        self._column = column(*parts, margins=(WIDE, PAD, WIDE, PAD))
        self.setLayout(self._column)
        over.installEventFilter(self)
        self.hide()

    def show_big(self, tone: Tone, title: str, text: str, fix: str, offers: Offers = ()) -> None:
        """Show a message in the middle, and buttons: play rests until the operator acts."""
        names = [name for name, _ in offers]
        if names != self._names:
            self._names = names
            clear_layout(self._buttons)
            for at, (name, act) in enumerate(offers):
                self._buttons.addWidget(Button(name, act) if at else PrimaryButton(name, act))
            self._buttons.addStretch(1)
        self._offer.setVisible(bool(offers))
        self._show(tone, title, text, fix, big=True)

    def show_slim(self, tone: Tone, text: str) -> None:
        """Show a line at the lower end, for a state that ends without the operator."""
        self._offer.hide()
        self._show(tone, "", text, "", big=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _show(self, tone: Tone, title: str, text: str, fix: str, *, big: bool) -> None:
        self._big = big
        set_property(self, "tone", tone)
        for label, words in ((self._title, title), (self._text, text), (self._fix, fix)):
            label.show_text(words)
        self._title.set_tone(tone)
        centre = Qt.AlignmentFlag.AlignHCenter if not big else Qt.AlignmentFlag.AlignLeft
        self._text.setAlignment(centre)
        self.setAccessibleName(". ".join(part for part in (title, text, fix) if part))
        self._place()
        self.show()

    def _place(self) -> None:
        over = self.parentWidget()
        if over is None:
            return
        width = min(_WIDTH, over.width() - 2 * PAD)
        self._column.activate()
        wanted = max(self._column.totalHeightForWidth(width), self._column.totalMinimumSize().height())
        height = min(wanted, over.height() - 2 * PAD)
        left = (over.width() - width) // 2
        top = (over.height() - height) // 2 if self._big else over.height() - height - PAD
        self.setGeometry(left, top, width, height)
