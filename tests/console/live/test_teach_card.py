"""The Live page's way to teach: a button while nothing is played, counts while a person does."""

from __future__ import annotations

import dataclasses
from typing import Any

from PySide6.QtWidgets import QLabel, QPushButton
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import TAUGHT
from tests.console.scripted_session import STATE, state

from pitwall.console.kit.elements import Label
from pitwall.console.live.teach_card import TeachCard
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.telemetry import StateChanged


def _shown(card: TeachCard) -> str:
    labels = [label for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    return " | ".join(label.full_text() if isinstance(label, Label) else label.text() for label in labels)


def _press(card: TeachCard, words: str) -> None:
    next(
        button
        for button in card.findChildren(QPushButton)
        if button.text() == words and not button.isHidden()
    ).click()


def _tell(room: ConsoleHarness, *records: Any) -> None:
    """Make the engine report something, and wait until the window shows it."""
    room.session.tell(*records)
    room.wait_for(next(Phase(record.state.value) for record in records if isinstance(record, StateChanged)))


def test_one_click_teaches_and_what_there_is_too_little_of_is_said(room: ConsoleHarness) -> None:
    room.console.bridge.open_game("flappy")
    _tell(room, state(STATE.READY))
    (card,) = room.console.window.findChildren(TeachCard)
    assert "Nothing is sent to the game" in _shown(card)
    room.session.tell(TAUGHT)  # the engine's first note comes before its state
    room.bot.waitUntil(lambda: "3 episodes" in _shown(card))
    next(button for button in card.findChildren(QPushButton) if button.text() == "Teach").setFocus()
    _press(card, "Teach")
    assert room.session.sent[-1] == commands.Start(mode=commands.PlayMode.TEACH)
    _tell(room, TAUGHT, state(STATE.PLAYING))
    room.bot.waitUntil(lambda: "2 of 20 · too few" in _shown(card))
    for words in ("0:42 min", "41", "Other keys | 3", "3 episodes", "typing left out (4 keys)"):
        assert words in _shown(card), words
    focused = room.console.window.focusWidget()
    assert isinstance(focused, QPushButton) and focused.text() == "Stop recording"
    _press(card, "Stop recording")
    assert isinstance(room.session.sent[-1], commands.Stop)
    _tell(room, dataclasses.replace(TAUGHT, complete=True), state(STATE.READY))
    assert "Kept as 20261123-192500-flappy: 0:42 min" in _shown(card)
    _tell(room, state(STATE.OPENING))
    assert card.isHidden()
