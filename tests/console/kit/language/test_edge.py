"""A console that speaks German shows no word cut off, and Qt is as before when it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot
from tests.console.conftest import ConsoleHarness
from tests.console.cut_texts import cut_texts
from tests.console.kit.language.cut_words import cut_words
from tests.console.recorded_runs import record_run
from tests.console.scripted_session import GAMES, ScriptedOpener

from pitwall.console.kit.elements import Button, row
from pitwall.console.kit.form.inputs import Combo, NumberBox
from pitwall.console.kit.format import value
from pitwall.console.kit.language.change import Language
from pitwall.console.kit.language.edge import speak
from pitwall.console.live.game_choice import GameTile
from pitwall.console.live.signals.thresholds import AllThresholds
from pitwall.console.shell.application import Console
from pitwall.console.shell.manual import ManualWindow
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings

PAGES = ("live", "runs", "settings")


@pytest.fixture
def german(screen: str, tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[ConsoleHarness]:
    """Open a German console, 1280 by 720, with a run in its log."""
    assert screen
    record_run(DataFolder(tmp_path), 8, frames=4)
    edge = speak("de")
    opener = ScriptedOpener()
    console = Console(qapp, DataFolder(tmp_path), opener, lambda: GAMES, preflight=False)
    console.window.resize(1280, 720)
    console.window.show()
    qtbot.waitExposed(console.window)
    yield ConsoleHarness(console, opener, qtbot)
    console.close()
    edge.lift()
    console.window.deleteLater()


def test_the_tip_of_a_drawing_and_the_title_of_a_file_dialog_are_translated(
    screen: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert screen
    titles: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda _parent, title, *_: titles.append(title))
    edge, below = speak("de", advanced=True), QWidget()
    qtbot.addWidget(below)
    below.show()
    try:
        QToolTip.showText(below.mapToGlobal(QPoint(5, 5)), "step 3: reactive drove", below)
        assert QToolTip.text() == "Schritt 3: reaktiv spielte"
        QFileDialog.getOpenFileName(below, "Open a bundle")
        assert titles == ["Ein Paket öffnen"]
    finally:
        QToolTip.hideText()
        edge.lift()


@pytest.mark.usefixtures("inter")
def test_a_german_console_speaks_german_and_cuts_no_word(german: ConsoleHarness) -> None:
    german.play()
    window = german.console.window
    texts: list[str] = []
    for key in PAGES:
        window.show_page(key)
        if key == "runs":
            german.bot.waitUntil(lambda: german.console.runs.detail.run_id is not None)
        QApplication.processEvents()
        texts += [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
        texts += [button.text() for button in window.findChildren(QAbstractButton) if button.isVisible()]
        assert cut_words(window) == [], key
    text = "\n".join(texts)
    for word in (
        "Läufe",
        "Optionen",
        "Warum diese Aktion".upper(),
        "SIGNALE",
        "Sprache",
    ):
        assert word in text, word
    for word in ("Runs", "Settings", "WHY THIS ACTION", "Language"):
        assert word not in texts
    assert window.palette_commands()[0].name
    tiles = [tile.accessibleName() for tile in window.findChildren(GameTile)]
    assert "Flappy Bird spielen" in tiles, "whatever words a game's name has"
    assert value(False, "") == "nein"
    window.show_manual()
    (manual,) = window.findChildren(ManualWindow)
    assert not list(cut_texts(manual))
    manual.close()
    thresholds = AllThresholds(window, german.console.bridge)
    labels = "\n".join(label.text() for label in thresholds.findChildren(QLabel))
    thresholds.close()
    assert "Schritte ohne Fortschritt" in labels
    assert "Steps" not in labels


def test_a_german_number_field_shows_a_comma_and_takes_a_point(screen: str, qtbot: QtBot) -> None:
    assert screen
    edge = speak("de")
    try:
        box = NumberBox("Share", 0, 5000, decimals=2)
        qtbot.addWidget(box)
        box.lineEdit().selectAll()
        QTest.keyClicks(box.lineEdit(), "1234.5")
        assert (box.number, box.text()) == (1234.5, "1234,5")
        box.show_number(0.25)
        assert box.text() == "0,25"
    finally:
        edge.lift()


def test_qt_is_as_before_and_an_unknown_language_is_said(screen: str, qtbot: QtBot) -> None:
    assert screen
    before = QLabel.setText
    edge = speak("de")
    assert QLabel.setText is not before
    button = Button("Close")
    qtbot.addWidget(button)
    assert button.text() == "Schließen"
    edge.lift()
    assert QLabel.setText is before
    plain = Button("Close")
    qtbot.addWidget(plain)
    assert plain.text() == "Close"
    with pytest.raises(DamagedFile, match="is missing"):
        speak("xx")


def test_numbers_and_lists_in_view_follow_a_change_of_language(screen: str, qtbot: QtBot) -> None:
    assert screen
    settings = Settings()
    language, page = Language(settings), QWidget()
    try:
        tokens = NumberBox("Most tokens", 0, 5_000, unit="msgs", value=1_200)
        fitted, plain = Combo("Fitted", ("skills", "idle")), Combo("Plain", ("skills", "idle"))
        fitted.fit(10)
        page.setLayout(row(tokens, fitted, plain, None))
        qtbot.addWidget(page)
        page.resize(600, 60)
        page.show()
        qtbot.waitExposed(page)
        assert tokens.text() == "1,200 msgs"
        language.follow(settings.with_value("console", "language", "de"))
        assert tokens.text() == "1.200 Nachr."
        assert (fitted.currentText(), plain.currentText()) == ("Fertigkeiten", "Fertigkeiten")
        qtbot.waitUntil(lambda: not list(cut_texts(page)), timeout=20_000)
        language.follow(settings)
        assert tokens.text() == "1,200 msgs"
    finally:
        language.end()
