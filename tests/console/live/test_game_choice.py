"""The cards of the choice of games: picture and scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from tests.console.conftest import ConsoleHarness
from tests.console.recorded_runs import bridge_on, record_run
from tests.console.scripted_session import GAMES

from pitwall.console.kit.theme import Look
from pitwall.console.live.game_choice import GAME_PICTURE, ChooseGame, GameTile, read_game_facts
from pitwall.console.live.rename_dialog import RenameGame
from pitwall.core.paths import DataFolder
from pitwall.games.own_names import own_names
from pitwall.games.seat_checks import SeatCheck
from pitwall.store.run_reader import RunReader
from pitwall.store.true_scores import TrueScoreLog


def test_a_card_shows_the_newest_runs_picture_else_the_folders_and_the_scores(
    tmp_path: Path, screen: str, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    data = DataFolder(tmp_path)
    for best in (40, 12):
        TrueScoreLog(data, record_run(data, 6, frames=6), "pipes").add(best, 0)
    picture = QImage(90, 30, QImage.Format.Format_RGB32)
    picture.fill(QColor("#00f000"))
    assert picture.save(str(tmp_path / GAME_PICTURE))
    flappy, doom, broken = (replace(entry, folder=tmp_path / "none") for entry in GAMES)
    shares = SeatCheck(arrives=False, game_version="1", pitwall="1", desktop="X", checked="2026-11-27")
    doom = replace(doom, folder=tmp_path, seat=shares)
    facts = read_game_facts(RunReader(data), data, (flappy, doom, broken))
    assert facts.pictures["flappy"].width() == 64, "a step's picture"

    bridge = bridge_on(tmp_path)
    choice = ChooseGame(bridge, Look(qapp, "dark"), QLabel(), lambda: None)
    qtbot.addWidget(choice)
    choice.show()
    choice.show_games((flappy, doom, broken))
    choice.show_facts(facts)
    tiles = {tile.game_id: tile for tile in choice.findChildren(GameTile)}
    assert tiles["flappy"].accessibleDescription() == "Best 40 pipes · last 12 pipes"
    assert not tiles["doom"].accessibleDescription()
    assert "The agent shares your keyboard and pointer here" in tiles["doom"].toolTip()
    assert "\n" not in tiles["flappy"].toolTip(), "nothing was tried there"
    shown = tiles["doom"].thumbnail.pixmap().toImage()
    assert shown.pixelColor(5, 50) == QColor("#00f000"), "it fills its place"
    assert tiles["broken"].thumbnail.pixmap().width() < tiles["doom"].thumbnail.pixmap().width(), "a sign"
    choice.close_reading()


def test_a_game_whose_component_is_still_to_come_is_no_fault(
    tmp_path: Path, screen: str, qtbot: QtBot, qapp: QApplication
) -> None:
    assert screen
    _, doom, broken = GAMES
    coming = replace(doom, playable=False, lacking="Further games: on its way (Text reading).", fault="")
    choice = ChooseGame(bridge_on(tmp_path), Look(qapp, "dark"), QLabel(), lambda: None)
    qtbot.addWidget(choice)
    choice.show_games((coming, broken))
    assert not choice.findChildren(GameTile), "no card is made before it is looked at"
    choice.show()
    tones = {
        tile.game_id: {label.property("tone") for label in tile.findChildren(QLabel)}
        for tile in choice.findChildren(GameTile)
    }
    assert "stop" in tones[broken.game_id]
    assert "stop" not in tones[coming.game_id]
    choice.close_reading()


def test_a_game_is_renamed_from_its_card(room: ConsoleHarness) -> None:
    tile = next(tile for tile in room.console.live.findChildren(GameTile) if tile.game_id == "flappy")
    [action] = tile.actions()
    action.trigger()
    dialog = room.console.window.findChildren(RenameGame)[0]
    dialog.name.setText("The yellow bird")
    with room.bot.waitSignal(room.console.live.games_changed):
        dialog.take_order()
    assert own_names(room.console.bridge.data) == {"flappy": "The yellow bird"}
