"""The Live page's way to teach: a button while nothing is played, counts while a person does."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import TAUGHT
from tests.console.scripted_session import STATE, opened, state

from pitwall.console.kit.elements import Label
from pitwall.console.kit.places import LEARNING_PAGE
from pitwall.console.live.teach_card import TeachCard
from pitwall.console.services.job import Job
from pitwall.console.state.view_state import Phase
from pitwall.core import commands, rail
from pitwall.core.telemetry import ModulesNote, ModuleState, StateChanged
from pitwall.demonstrations.manifest import Demonstration, Kind
from pitwall.demonstrations.writer import DemonstrationWriter


def _shown(card: QWidget) -> str:
    labels = [label for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    return " | ".join(label.full_text() if isinstance(label, Label) else label.text() for label in labels)


def _press(card: QWidget, words: str) -> None:
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


def _keep(room: ConsoleHarness, kind: Kind, number: int) -> None:
    begun = Demonstration(
        id=f"20261123-19250{number}-flappy",
        game="flappy",
        kind=kind,
        picture_size=(36, 64),
        window_size=(288, 512),
        rate_fps=20,
        started_at="2026-11-23T19:25:00",
    )
    DemonstrationWriter(room.console.bridge.data.demonstrations / begun.id, begun).close()


def _offered(card: QWidget) -> list[str]:
    return [button.text() for button in card.findChildren(QPushButton) if button.isVisibleTo(card)]


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of the jobs that were started; none of them runs."""
    started: list[list[str]] = []
    monkeypatch.setattr(Job, "start", lambda _, arguments: started.append(list(arguments)))
    return started


def test_each_step_offers_the_next_one_until_the_taught_version_plays(
    room: ConsoleHarness, orders: list[list[str]]
) -> None:
    (card,) = room.console.window.findChildren(TeachCard)
    room.console.bridge.open_game("flappy")
    _tell(room, opened(), state(STATE.READY))
    assert _offered(card) == ["Teach"]
    _keep(room, "play", 0)
    _keep(room, "correction", 1)
    _tell(room, state(STATE.PLAYING))
    _tell(room, state(STATE.READY, text="Again."))
    room.bot.waitUntil(lambda: "2 recordings of this game, 1 correction among them" in _shown(card))
    assert _offered(card) == ["Train now", "Record more"]
    _press(card, "Train now")
    assert orders[-1] == ["teach", "train", "--game", "flappy"]
    about = {"version": "v4"}
    card.training.job.answered.emit(
        {"module": "fly", "about": about, "cloned": {"agreement": 0.88, "before": 0.81}}
    )
    assert "fly v4 does as you did in 88 % of the play that it had not seen." in _shown(card)
    assert "The version before it agreed on 81 %." in _shown(card)
    _press(card, "Play beside it")
    assert room.session.sent[-1] == commands.ChooseVersion(module="fly", version="v4")
    room.session.tell(ModulesNote(modules=(ModuleState(name="fly", version="v4", driven_by="policy"),)))
    room.bot.waitUntil(lambda: room.session.sent[-1] == commands.Start(mode=commands.PlayMode.SHADOW))
    _tell(room, state(STATE.PLAYING))
    assert "fly v4 plays as you taught it, as long as this game is open." in _shown(card)
    _press(card, "Let it drive always")
    assert orders[-1][:4] == ["gsm", "promote", "flappy/fly", "v4"]
    assert "--force" not in orders[-1]
    _tell(room, state(STATE.READY))
    assert "Open the GSM lab" in _offered(card)
    _press(card, "Open the GSM lab")
    assert room.console.window.page.place.key == LEARNING_PAGE


def test_another_game_has_nothing_of_what_was_taught_before(
    room: ConsoleHarness, orders: list[list[str]]
) -> None:
    (card,) = room.console.window.findChildren(TeachCard)
    room.console.bridge.open_game("flappy")
    _keep(room, "play", 0)
    _tell(room, opened(), state(STATE.READY))
    room.bot.waitUntil(lambda: "Train now" in _offered(card))
    _press(card, "Train now")
    assert orders
    card.training.job.answered.emit(
        {"module": "fly", "about": {"version": "v1"}, "cloned": {"agreement": 0.9}}
    )
    assert "Play beside it" in _offered(card)
    before = room.session
    room.console.bridge.open_game("dino")
    room.bot.waitUntil(lambda: room.session is not before)
    _tell(room, state(STATE.READY))
    assert _offered(card) == ["Teach"]


def test_without_the_lab_the_card_says_what_is_missing(
    room: ConsoleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {name: point for name, point in rail.contributions(rail.COMMANDS).items() if "teach" not in name}
    monkeypatch.setattr(rail, "contributions", lambda group: there if group == rail.COMMANDS else {})
    (card,) = room.console.window.findChildren(TeachCard)
    room.console.bridge.open_game("flappy")
    _keep(room, "play", 0)
    _tell(room, opened(), state(STATE.READY))
    room.bot.waitUntil(lambda: "pitwall_lab" in _shown(card))
    assert _offered(card) == ["Record more"]


def test_a_narrow_window_shows_a_new_game_s_card_at_once(room: ConsoleHarness) -> None:
    room.console.window.resize(900, 720)
    room.console.bridge.open_game("flappy")
    _tell(room, opened(), state(STATE.READY))
    (card,) = room.console.window.findChildren(TeachCard)
    room.bot.waitUntil(card.isVisible)
    _tell(room, state(STATE.PLAYING))
    tabs = room.console.live.panes._tabs
    assert tabs.tabText(tabs.currentIndex()) == "Plan · Teach", "nothing jumps as it plays"
