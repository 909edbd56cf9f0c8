"""The top bar: which game in which window, its state, and the commands, always in the same place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout

from pitwall.console.inspector.format import controllers_text
from pitwall.console.kit.elements import Button, Chip, key_words
from pitwall.console.kit.format import phase_badge
from pitwall.console.kit.language.catalogue import keep_names, spoken
from pitwall.console.kit.theme import GAP, PAD, STEP, TOP_HEIGHT, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.key_button import KeyButton
from pitwall.console.state.start_command import start_command
from pitwall.console.state.subject import Subject
from pitwall.console.state.view_state import HALTED, IN_VIEW, RUNNING, Part, Phase
from pitwall.core.geometry import WindowHealth
from pitwall.core.quantities import score_text
from pitwall.store.true_scores import RunScore, ScoreTally, TrueScore, last_true_score

_EVERY_MS = 500
ScoreForm = Literal["whole", "now", "none"]


class ScoreChip(Chip):
    """Shows the run's score twice a second; hidden where there is none.

    Signals:
        widened: its width changed.
    """

    widened = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("")
        self._bridge = bridge
        self._subject = Subject()
        self._read = ScoreTally("")
        self._shown: RunScore | None = None
        self._form: ScoreForm = "whole"
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.show_score)
        self._timer.start()
        self.show_score()

    def show_score(self) -> None:
        """Show the present score."""
        before = (self.isHidden(), self.sizeHint().width())
        self._show(self._score())
        if before != (self.isHidden(), self.sizeHint().width()):
            self.widened.emit()

    def set_form(self, form: ScoreForm) -> None:
        """Leave the best to the tooltip where room is short, or the whole score."""
        if form != self._form:
            self._form = form
            self._show(self._shown)

    def _show(self, score: RunScore | None) -> None:
        self._shown = score
        self.setVisible(score is not None and self._form != "none")
        if score is None:
            return
        best = score_text(score.best, score.unit)
        only = f"Score {score_text(score.last, score.unit)}"
        whole = only if score.last == score.best else f"Score {score_text(score.last)} · best {best}"
        self.set_text(whole if self._form == "whole" else only)
        source = "the game's own word" if score.true else "as read from the screen"
        self.setToolTip(f"Score now, and the best of this run, {best}: {source}")
        self.setAccessibleName(f"{whole}, {source}")

    def _score(self) -> RunScore | None:
        state = self._bridge.state
        field = state.game.score_field if state.game is not None else ""
        run_id = state.run.run_id if state.run is not None else None
        if state.phase not in IN_VIEW:
            return None
        if state.subject != self._subject:
            self._subject, self._read = state.subject, ScoreTally(field)
        true: TrueScore | None = last_true_score(self._bridge.data, run_id) if run_id is not None else None
        if true is not None:
            return RunScore(true.score, true.best, True, true.unit)
        if state.note is not None:
            self._read.add(
                {reading.name: reading.value for reading in state.note.readings if reading.name == field}
            )
        read = self._read.score
        return None if read is None else RunScore(read.last, read.best, False, read.unit)


STOP_KEYS = "Shift+F5"
_LEVELS = 6
_COMMANDS_SHARE = 0.42
"""Of the bar's width for the commands: where they need more they leave their keys to tooltips."""
_WINDOW_ICON = "mdi6.target"
_MIND_ICON = "mdi6.head-cog-outline"
_MIND_LEAST, _MIND_MOST = 56, 220
"""With less room than this for its words, who thinks is an icon with a tip; more is not taken."""
_FOLDER = "\0folder"
_ADD = "\0add"


class TopBar(QFrame):
    """Asks the bridge; shows the view state.

    Args:
        choose_window: opens the window picker; None where there is none.
        choose_folder: asks for a game folder and opens it.
        show_models: opens the page of models; None where there is none.
        add_game: opens the page where games are added; None where there is none.

    Attributes:
        start, emergency: what the tour points at.
    """

    def __init__(
        self,
        bridge: Bridge,
        look: Look,
        choose_window: Callable[[], None] | None,
        choose_folder: Callable[[], None],
        show_models: Callable[[], None] | None = None,
        add_game: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self.setObjectName("topBar")
        self.setFixedHeight(TOP_HEIGHT)
        self._bridge = bridge
        self._choose_folder = choose_folder
        self._add_game = add_game
        self._games = QComboBox()
        self._games.setObjectName("gamePicker")
        self._games.setAccessibleName("Game")
        self._games.setPlaceholderText("Pick a game")
        self._games.activated.connect(self._chosen)
        self._window = Button("Window", choose_window, name="Choose the game's window")
        self._window.setEnabled(choose_window is not None)
        self._pick = choose_window
        self._size = ""
        look.changed.connect(lambda: self._window.setIcon(look.icon(_WINDOW_ICON)))
        self._window.setIcon(look.icon(_WINDOW_ICON))
        self._mind = Button("", show_models, name="Who thinks")
        self._mind.setEnabled(show_models is not None)
        self._mind_words = ""
        look.changed.connect(lambda: self._mind.setIcon(look.icon(_MIND_ICON)))
        self._mind.setIcon(look.icon(_MIND_ICON))
        self.score = ScoreChip(bridge)
        self._state = Chip("")
        self._state.setObjectName("phaseChip")
        keys = bridge.settings.hotkeys
        self.start = KeyButton(look, ("Start", "Resume"), key_words(keys.start), bridge.start, kind="primary")
        self._pause = KeyButton(look, ("Pause",), key_words(keys.pause), bridge.pause)
        self._stop = KeyButton(look, ("Stop",), STOP_KEYS, bridge.stop)
        self.emergency = KeyButton(
            look, ("Emergency stop",), key_words(keys.stop), bridge.emergency_stop, kind="danger"
        )
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(PAD, 0, PAD, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._games)
        layout.addWidget(self._window)
        layout.addWidget(self._mind)
        layout.addStretch(1)
        self._commands = (self.start, self._pause, self._stop, self.emergency)
        for widget in (self.score, self._state, *self._commands):
            layout.addWidget(widget)
        bridge.settings_changed.connect(lambda *_: self._show_keys())
        self.score.widened.connect(self._fit)
        self.read_games()
        self.refresh(Part.ALL)

    def read_games(self) -> None:
        """List the known games again; faulty ones are shown and cannot be chosen."""
        keep_names(entry.name for entry in self._bridge.games())
        self._games.clear()
        for entry in self._bridge.games():
            self._games.addItem(entry.name or entry.game_id, entry.game_id)
            if not entry.playable:
                at = self._games.count() - 1
                self._games.setItemData(at, spoken(entry.fault), Qt.ItemDataRole.ToolTipRole)
                model = self._games.model()
                assert isinstance(model, QStandardItemModel)
                model.item(at).setEnabled(False)
        self._games.insertSeparator(self._games.count())
        if self._add_game is not None:
            self._games.addItem("Add a game…", _ADD)
        self._games.addItem("Open a game folder…", _FOLDER)
        self._show_game()

    def refresh(self, changed: Part) -> None:
        """Show these parts of the state."""
        if changed & (Part.PHASE | Part.GAME):
            self._show_phase()
            self._show_game()
        if changed & (Part.WINDOW | Part.PHASE):
            self._show_window()
        if changed & (Part.MIND | Part.PHASE):
            mind = self._bridge.state.mind
            if mind is not None:
                self._mind_words, tip = controllers_text(mind)
                self._mind.setToolTip(tip)
                self._mind.setAccessibleName(f"Who thinks: {self._mind_words}")
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out what a narrow window has no room for, one after the other; the commands stay."""
        self._form_commands()
        for level in range(_LEVELS):
            self._leave_out(level)
            if self._room() >= 0:
                break
        room = self._room()
        if self._mind_words and room >= _MIND_LEAST:
            cut = self._mind.fontMetrics().elidedText(
                self._mind_words, Qt.TextElideMode.ElideRight, min(room - GAP, _MIND_MOST)
            )
            self._mind.setText(cut)
        self._layout.activate()  # show only the final form: Qt lays out again whenever a widget is hidden

    def _form_commands(self) -> None:
        """Arrange the commands by the bar's width alone, so that none moves under the pointer."""
        for tight in range(3):
            for button in (self.start, self._pause, self._stop):
                button.set_compact(tight >= 1)
            self.emergency.set_compact(tight >= 2)
            if sum(button.sizeHint().width() for button in self._commands) <= _COMMANDS_SHARE * self.width():
                break
        self._layout.setSpacing(STEP + 1 if tight else GAP)

    def _leave_out(self, level: int) -> None:
        """Level 0 shows everything; from each next one on more is left to tooltips."""
        self._window.setText(self._size if level < 1 else "")
        self._games.setFixedWidth(200 if level < 2 else 132 if level < 3 else 108)
        self._window.setVisible(level < 3)
        self._mind.setVisible(level < 4 and self._thinks)
        choosing = self._bridge.state.phase not in RUNNING
        self.score.set_form("whole" if level < 4 else "none" if level == 5 and choosing else "now")
        self._games.setVisible(level < 5 or choosing)

    def _room(self) -> int:
        """Return the pixels that are left, with who thinks as an icon."""
        self._mind.setText("")
        inside = (self._games, self._window, self._mind, self.score, self._state, *self._commands)
        shown = [max(w.sizeHint().width(), w.minimumWidth()) for w in inside if not w.isHidden()]
        return self.width() - 2 * PAD - sum(shown) - len(shown) * self._layout.spacing()

    @property
    def _thinks(self) -> bool:
        """Return whether there is anything to show about the deciders."""
        return self._bridge.state.mind is not None and self._bridge.state.phase in IN_VIEW

    def _show_phase(self) -> None:
        phase = self._bridge.state.phase
        words = phase_badge(phase, self._bridge.state.cause)
        self._state.set_text(f"{words.sign} {words.word}")
        self._state.set_tone(words.tone)
        halted = phase in HALTED
        name, possible = start_command(self._bridge.state)
        self.start.set_name("Resume" if halted else "Start")
        self.start.setEnabled(possible and name == self.start.name())  # the picture offers to open again
        self._pause.setEnabled(phase in RUNNING)
        self._stop.setEnabled(phase in RUNNING or halted)
        self.emergency.setEnabled(self._bridge.connected)
        self._fit()
        self._games.setEnabled(phase not in RUNNING and phase is not Phase.CLOSING)
        self._games.setToolTip("Stop the run to choose another game" if phase in RUNNING else "")

    def _show_game(self) -> None:
        asked = self._bridge.state.game_asked if self._bridge.state.phase is not Phase.EMPTY else ""
        game = self._bridge.state.game
        at = self._games.findData(game.game_id if game else asked)
        if at < 0 and game is not None:
            self._games.insertItem(0, game.name, game.game_id)
            at = 0
        self._games.setCurrentIndex(at)

    def _show_window(self) -> None:
        state = self._bridge.state
        window = state.window.window if state.window is not None else None
        self._window.setEnabled(
            self._pick is not None and state.phase in IN_VIEW | {Phase.FAILED, Phase.OPENING}
        )
        if state.window is None or window is None:
            self._size = "Choose window…"
            self._window.setToolTip("Click the window to play")
            self._fit()
            return
        size = f"{window.rect.width}×{window.rect.height} px"
        health = state.window.health
        self._size = size if health is WindowHealth.VISIBLE else f"{size} · {health.value}"
        self._fit()
        self._window.setToolTip(
            f"{window.title}\n{size} at {window.rect.x}, {window.rect.y} · captured by {state.window.backend}"
            "\nClick to choose another window"
        )

    def _show_keys(self) -> None:
        keys = self._bridge.settings.hotkeys
        self.start.set_keys(key_words(keys.start))
        self._pause.set_keys(key_words(keys.pause))
        self.emergency.set_keys(key_words(keys.stop))

    def _chosen(self, at: int) -> None:
        game = self._games.itemData(at)
        self._show_game()
        if game == _FOLDER:
            self._choose_folder()
        elif game == _ADD and self._add_game is not None:
            self._add_game()
        elif game:
            self._bridge.open_game(game)
