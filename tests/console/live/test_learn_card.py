"""The Live page's way to learn by playing: one button begins it, the version drives, and its end keeps it."""

from __future__ import annotations

import dataclasses

import pytest
from tests.console.conftest import ConsoleHarness
from tests.console.live.test_teach_card import _offered, _press, _shown, _tell
from tests.console.scripted_session import STATE, opened, state

from pitwall.console.services.job import Job
from pitwall.core import commands
from pitwall.core.memories import PutEntry
from pitwall.core.memory_kinds import KnowledgeMemory
from pitwall.core.telemetry import ModulesNote, ModuleState
from pitwall_lab.console.learn_card import LearnCard


def _without_processes(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let a job only note its orders; a test tells what it says."""
    orders: list[list[str]] = []
    running = [False]

    def start(_: Job, arguments: list[str]) -> None:
        orders.append(list(arguments))
        running[0] = True

    def cancel(job: Job) -> None:
        if running[0]:
            running[0] = False
            job.cancelled.emit()

    monkeypatch.setattr(Job, "start", start)
    monkeypatch.setattr(Job, "cancel", cancel)
    monkeypatch.setattr(Job, "running", property(lambda _: running[0]))
    return orders


def test_one_click_learns_by_playing_and_a_stop_keeps_what_was_learned(
    room: ConsoleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = _without_processes(monkeypatch)
    (card,) = room.console.window.findChildren(LearnCard)
    room.console.bridge.open_game("flappy")
    _tell(room, opened(), state(STATE.READY))
    assert _offered(card) == ["Learn by playing"]
    _press(card, "Learn by playing")
    assert orders == [["learn", "--game", "flappy", "--no-play"]]
    assert "Preparing to learn" in _shown(card)
    card.job.line.emit({"ready": True, "module": "fly", "version": "v3"})
    assert room.session.sent[-1] == commands.ChooseVersion(module="fly", version="v3", explore=1.0)
    room.session.tell(ModulesNote(modules=(ModuleState(name="fly", version="v3", driven_by="policy"),)))
    room.bot.waitUntil(lambda: room.session.sent[-1] == commands.Start())
    _tell(room, state(STATE.PLAYING))
    card.job.line.emit({"progress": 66.0, "of": 900.0, "score": 4.25, "chance": 0.5, "explore": 0.1})
    assert "fly v3 learns: newest minute 4.2, chance 0.5." in _shown(card)
    assert "Stop learning" in _offered(card)
    _tell(room, state(STATE.PAUSED, cause="takeover"))
    assert card.job.running, "who took over may resume it"
    _press(card, "Stop learning")
    assert room.session.sent[-2:] == [
        commands.Stop(),
        commands.ChooseVersion(module="fly", version="v3", explore=0.0),
    ]
    written = {
        "kind": "put",
        "game_id": "flappy",
        "content": {"kind": "knowledge", "heading": "What fly learned by playing", "text": "It flaps."},
    }
    card.job.line.emit({"module": "fly", "memory_edit": written})
    sent = room.session.sent[-1]
    assert isinstance(sent, commands.EditMemory) and sent.author == "agent"
    (edit,) = sent.edits
    assert isinstance(edit, PutEntry) and isinstance(edit.content, KnowledgeMemory)
    assert edit.content.text == "It flaps."
    _tell(room, state(STATE.READY))
    assert "fly v3 learned: newest minute 4.2, chance 0.5. It plays as long as this game is open." in _shown(
        card
    )
    assert _offered(card)[0] == "Learn by playing"


def test_another_game_ends_the_learning_and_is_not_played_for_it(
    room: ConsoleHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_processes(monkeypatch)
    (card,) = room.console.window.findChildren(LearnCard)
    room.console.bridge.open_game("flappy")
    _tell(room, opened(), state(STATE.READY))
    _press(card, "Learn by playing")
    flappy = room.session
    room.console.bridge.open_game("doom")
    room.bot.waitUntil(lambda: room.session is not flappy)
    _tell(room, dataclasses.replace(opened(), game_id="doom", name="Freedoom"), state(STATE.READY))
    card.job.line.emit({"ready": True, "module": "played", "version": "v1"})
    room.session.tell(ModulesNote(modules=(ModuleState(name="played", version="v1", driven_by="policy"),)))
    room.bot.waitUntil(lambda: "played" in room.console.bridge.state.modules)
    _tell(room, state(STATE.READY))
    unasked = (commands.ChooseVersion, commands.Start)
    assert not [command for command in room.session.sent if isinstance(command, unasked)]
    assert not card.job.running
    assert _offered(card) == ["Learn by playing"]
    assert "The agent plays by itself" in _shown(card)
