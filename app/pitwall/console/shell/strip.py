"""The strip beside a game that leaves no room for the whole console: state, commands, the last decision."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Chip, Label, key_words, row
from pitwall.console.kit.flow_layout import FlowLayout
from pitwall.console.kit.format import phase_badge
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.key_button import KeyButton
from pitwall.console.shell.top_bar import STOP_KEYS, ScoreChip
from pitwall.console.state.start_command import start_command
from pitwall.console.state.view_state import HALTED, RUNNING, Part, Phase


class Strip(QWidget):
    """Everything that an operator must have at hand while a run plays.

    Args:
        whole: shows the whole console again.
    """

    def __init__(self, look: Look, bridge: Bridge, keyboard: QWidget, whole: Callable[[], None]) -> None:
        super().__init__()
        self._bridge = bridge
        self._state = Chip("")
        self._start = KeyButton(look, ("Start", "Resume", "Open again"), "", bridge.start, kind="primary")
        self._pause = KeyButton(look, ("Pause",), "", bridge.pause)
        self._stop = KeyButton(look, ("Stop",), STOP_KEYS, bridge.stop)
        self._emergency = KeyButton(look, ("Emergency stop",), "", bridge.emergency_stop, kind="danger")
        self._last = Label("", wrap=True)
        self._last.setAccessibleName("Last decision")
        parts = FlowLayout(GAP)
        buttons = (self._start, self._pause, self._stop, self._emergency, keyboard)
        for widget in (self._state, ScoreChip(bridge), *buttons, Button("Whole console", whole, kind="link")):
            parts.addWidget(widget)
        inside = QWidget()
        inside.setLayout(parts)
        policy = inside.sizePolicy()
        policy.setHeightForWidth(True)
        inside.setSizePolicy(policy)
        layout = row(gap=0, margins=(PAD, GAP, PAD, GAP))
        layout.setDirection(layout.Direction.TopToBottom)
        layout.addWidget(inside)
        layout.addWidget(self._last)
        layout.addStretch(1)
        self.setLayout(layout)

    def refresh(self, changed: Part) -> None:
        """Show these parts of the state."""
        state = self._bridge.state
        if changed & (Part.PHASE | Part.GAME):
            words = phase_badge(state.phase, state.cause)
            self._state.set_text(f"{words.sign} {words.word}")
            self._state.set_tone(words.tone)
            halted = state.phase in HALTED
            keys = self._bridge.settings.hotkeys  # shown: a game may keep the mouse inside its window
            for button, key in (
                (self._start, keys.start),
                (self._pause, keys.pause),
                (self._emergency, keys.stop),
            ):
                button.set_keys(key_words(key))
            name, possible = start_command(state)
            self._start.set_name(name)
            self._start.setEnabled(possible)
            self._start.setVisible(halted or state.phase is Phase.READY)
            self._pause.setVisible(state.phase in RUNNING)
            self._stop.setVisible(state.phase in RUNNING | HALTED)
            self._emergency.setEnabled(self._bridge.connected)
        if changed & (Part.PHASE | Part.FRAME | Part.STEP):
            note = state.note if state.phase in RUNNING else None
            decided = " · ".join(part for part in (note.badge, note.last_action) if part) if note else ""
            self._last.set_text(f"Last decision: {decided}" if decided else state.text)
