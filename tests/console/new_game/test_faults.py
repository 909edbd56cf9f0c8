"""Faults of "Add a game" that once were: each shown by what its author did."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from tests.console.new_game import menu_game
from tests.console.new_game.wizard import PATIENCE_MS
from tests.console.scripted_session import STATE, ScriptedOpener, opened, state

from pitwall.console.kit.theme import Look
from pitwall.console.new_game.draft_edits import renamed_field, with_field, without_field
from pitwall.console.new_game.key_pad import KeyPad
from pitwall.console.new_game.page import READINGS, NewGamePage
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.application import Console
from pitwall.console.state.view_state import Phase
from pitwall.core import commands
from pitwall.core.clock import now_ns
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ProbeResult
from pitwall.engine.session.game_view import GameView
from pitwall.games.drafting.draft import Draft
from pitwall.games.registry import Registry
from pitwall.games.schema.fields import SpriteField

BOX = (10, 10, 60, 20)


def _draft() -> Draft:
    return Draft.model_validate(
        {
            "game_id": "hops",
            "name": "Hops",
            "window": {"title": "^Hops$"},
            "screen": {"width": 480, "height": 360},
            "actions": [{"name": "hop", "keys": ["Space"]}],
            "fields": [{"kind": "text", "name": "score", "box": BOX, "number": True}],
        }
    )


@pytest.fixture
def page(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[NewGamePage]:
    assert screen
    data = DataFolder(tmp_path / "data")
    bridge = Bridge(data, ScriptedOpener(), Registry(data).games)
    page = NewGamePage(bridge, Look(qapp, "dark"))
    page.resize(1080, 700)
    page.show()
    qtbot.waitExposed(page)
    page.set_draft(_draft())
    page.show_step(READINGS)
    yield page
    page.close_reading()
    bridge.shutdown()
    shiboken6.delete(page)


def test_a_name_that_is_being_typed_outlives_the_box_that_is_drawn_meanwhile(
    page: NewGamePage, qtbot: QtBot
) -> None:
    line = next(line for line in page.findChildren(QLineEdit) if line.text() == "score")
    page.activateWindow()
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    line.selectAll()
    QTest.keyClicks(line, "points")
    field = {"kind": "text", "name": "lives", "box": (90, 10, 60, 20), "number": True}
    page._read(None, {"field": field, "pictures": {}})
    assert page.draft is not None
    assert [field.name for field in page.draft.fields] == ["points", "lives"]
    read = {"value": 7, "unit": "", "confidence": 1.0, "found": None}

    def shown() -> list[str]:
        lines = page.readings.findChildren(QLineEdit)
        named = [line for line in lines if line.accessibleName().startswith("Name of the reading")]
        return [button.text() for button in named if button.isVisible()]

    qtbot.waitUntil(lambda: shown() == ["points", "lives"])
    page.readings.show_values({"points": read, "lives": read})
    assert page.readings._values["points"].full_text() == "7"


def test_escape_is_a_key_of_a_game(screen: str, qtbot: QtBot) -> None:
    assert screen
    pad = KeyPad()
    qtbot.addWidget(pad)
    pad.show()
    with qtbot.waitSignal(pad.typed) as typed:
        QTest.keyClick(pad, Qt.Key.Key_Escape)
    assert typed.args == ["Escape"]


def test_the_first_starts_checks_come_after_the_game_that_was_added_played(
    screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    opener = ScriptedOpener()
    console = Console(qapp, DataFolder(tmp_path), opener, list, preflight=True)
    console.window.show()
    try:
        console.new_game.set_draft(_draft())
        console.new_game.play()
        session = opener.last
        session.tell(opened(), state(STATE.READY))
        qtbot.waitUntil(lambda: any(isinstance(command, commands.Start) for command in session.sent))
        qtbot.waitUntil(lambda: not console.new_game.will_play)
        assert console._preflight is None
        session.tell(state(STATE.PLAYING), state(STATE.READY))
        qtbot.waitUntil(lambda: console.bridge.state.phase is Phase.READY)
        session.sent.clear()
        console.bridge.start()
        assert session.sent == [commands.Probe(name="capture")]
        console.bridge.start()
        assert len(session.sent) == 1, "a second press waits for the checks too"
        for name in ("capture", "leak", "input", "stop"):
            console.bridge.probe_done.emit(ProbeResult(name=name, passed=True, text="seen"))
        assert session.sent[-1] == commands.Start()
    finally:
        console.close()
        shiboken6.delete(console.window)


@pytest.mark.timeout(900)
def test_a_game_that_was_started_here_goes_on_in_its_window_when_it_is_played(
    page: NewGamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program that the wizard started is the one that the engine plays: none is started anew."""
    data = page.bridge.data
    page.set_draft(_draft().changed(command=[sys.executable, menu_game.__file__], fields=[]))
    ended: list[str] = []
    page.eyes.ended.connect(lambda error: ended.append(str(error)))
    page._open_eyes()
    qtbot.waitUntil(lambda: page.eyes.in_view or bool(ended), timeout=PATIENCE_MS)
    assert page.eyes.in_view, ended
    page.save_game(replace=False)
    opened_games: list[commands.Open] = []
    monkeypatch.setattr(page.bridge, "open", opened_games.append)
    page.play()
    qtbot.waitUntil(lambda: bool(opened_games), timeout=PATIENCE_MS)
    opening = replace(opened_games[0], owner=os.getpid())
    view = GameView(Registry(data).load("hops"), opening, data.root)
    try:
        view.begin()
        assert view.adopted
        qtbot.waitUntil(lambda: view.look(now_ns()), timeout=PATIENCE_MS)
        assert view.window is not None
        assert view.window.title == "Hops"
    finally:
        view.close(close_game=True)


def test_what_is_read_anew_stays_the_reading_that_was_renamed_or_removed_meanwhile() -> None:
    seen = {"kind": "colour", "name": "panel", "box": BOX, "colour": (9, 9, 9)}
    draft = Draft.model_validate({**_draft().model_dump(), "fields": [seen]})
    number = {"kind": "text", "name": "panel", "box": BOX, "number": True}
    late = with_field(renamed_field(draft, "panel", "score"), number, {}, draft.fields[0])
    assert [(field.name, field.kind) for field in late.fields] == [("score", "text")]
    assert with_field(without_field(draft, "panel"), number, {}, draft.fields[0]).fields == []


def test_two_pictured_things_keep_a_picture_each_whatever_they_are_called() -> None:
    draft, read = _draft(), {"kind": "sprite", "name": "thing", "template": "templates/thing.png", "box": BOX}
    draft = renamed_field(with_field(draft, read, {"templates/thing.png": "one"}), "thing", "paddle")
    draft = with_field(draft, read, {"templates/thing.png": "two"})
    shown = {
        field.name: draft.pictures[field.template] for field in draft.fields if isinstance(field, SpriteField)
    }
    assert shown == {"paddle": "one", "thing": "two"}
    draft = with_field(draft, read, {"templates/thing.png": "three"}, draft.fields[2])
    assert sorted(draft.pictures.values()) == ["one", "three"]
