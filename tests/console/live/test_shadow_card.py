"""The Live page's agent beside a playing person: its score, its disagreements, and giving it control."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QPushButton
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import began_beside, shadow_note
from tests.console.scripted_session import STATE, began, state

from pitwall.console.kit.elements import Label
from pitwall.console.live.shadow_card import ShadowCard
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.clock import now_ns
from pitwall.core.model_telemetry import ModuleState
from pitwall.core.runs import RunSummary
from pitwall.core.telemetry import ModulesNote, RunEnded, StateChanged


def _button(card: ShadowCard, words: str) -> QPushButton:
    return next(
        button
        for button in card.findChildren(QPushButton)
        if words in button.text() and not button.isHidden()
    )


def _has(card: ShadowCard, words: str) -> bool:
    return any(words in button.text() for button in card.findChildren(QPushButton) if not button.isHidden())


def _shown(card: ShadowCard) -> str:
    labels = [label for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    return " | ".join(label.full_text() if isinstance(label, Label) else label.text() for label in labels)


def _tell(room: ConsoleHarness, *records: Any) -> None:
    room.session.tell(*records)
    room.wait_for(next(Phase(record.state.value) for record in records if isinstance(record, StateChanged)))


def test_you_play_beside_the_agent_and_give_it_control_once_it_agrees(room: ConsoleHarness) -> None:
    room.console.bridge.open_game("flappy")
    _tell(room, state(STATE.READY))
    (card,) = room.console.window.findChildren(ShadowCard)
    room.session.tell(
        ModulesNote(
            modules=(ModuleState(name="watched", version="", driven_by="nothing", made=("v1", "v2")),)
        )
    )
    room.bot.waitUntil(lambda: "No version of watched (v1, v2) drives" in _shown(card))
    room.session.tell(ModulesNote(modules=(ModuleState(name="watched", version="v2", driven_by="policy"),)))
    room.bot.waitUntil(lambda: "drives" not in _shown(card))
    _button(card, "Play beside the agent").click()
    assert room.session.sent[-1] == commands.Start(mode=commands.PlayMode.SHADOW)
    _tell(room, began_beside(), shadow_note(spans=4), state(STATE.PLAYING))
    room.bot.waitUntil(lambda: "8 of 20 s" in _shown(card))
    assert not _button(card, "Give it control").isEnabled()
    room.session.tell(shadow_note())
    room.bot.waitUntil(_button(card, "Give it control").isEnabled)
    for words in ("87 % (73 … 94 %)", "0.58 (0.30 to 0.80)"):
        assert words in _shown(card), words
    room.bot.waitUntil(lambda: _has(card, "you: ArrowLeft"))
    _button(card, "you: ArrowLeft · agent: nothing").click()
    assert "ArrowLeft" in _shown(card)
    _button(card, "Give it control").click()
    assert room.session.sent[-1] == commands.Stop()
    room.session.tell(RunEnded(run_id=1, summary=RunSummary(), keys_down=0))
    playing_on = commands.Start(mode=commands.PlayMode.AGENT)
    room.bot.waitUntil(lambda: room.session.sent[-1] == playing_on)
    room.session.tell(state(STATE.READY), began(now_ns(), 129), state(STATE.PLAYING))
    room.bot.waitUntil(card.isHidden)


def test_a_run_beside_the_agent_leaves_the_settings_as_they_were(room: ConsoleHarness) -> None:
    room.console.bridge.open_game("flappy")
    _tell(room, state(STATE.READY))
    (card,) = room.console.window.findChildren(ShadowCard)
    _button(card, "Play beside the agent").click()
    with room.bot.waitSignal(room.console.bridge.run_ended):
        room.session.tell(began_beside(), RunEnded(run_id=128, summary=RunSummary(), keys_down=0))
    assert not any(isinstance(command, commands.SetSettings) for command in room.session.sent)
