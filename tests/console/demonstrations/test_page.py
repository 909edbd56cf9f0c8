"""The Demonstrations page on made sessions: film, keys, trims with undo, tags, deletion, damage, commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on
from tests.demonstrations.made import BEGAN_NS, begun, demonstrated

from pitwall.console.demonstrations.dialogs import ExportDialog, ExportOrder, TagsDialog, TrainDialog
from pitwall.console.demonstrations.film import lanes_of
from pitwall.console.demonstrations.page import DemonstrationsPage
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.theme import Look
from pitwall.core.clock import NS_PER_S
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.manifest import DemonstratedEvent

_NAMED = ("--game", "flappy", "--module", "fly")
_NAME = "20261123-192500-flappy"


@pytest.fixture
def page(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[DemonstrationsPage]:
    assert screen
    data = DataFolder(tmp_path)
    demonstrated(data, _NAME)
    (data.demonstrations / "20261101-080000-broken").mkdir()
    page = DemonstrationsPage(bridge_on(data.root), Look(qapp, "dark"))
    qtbot.addWidget(page)
    page.resize(1220, 640)
    page.show()
    page.opened()
    qtbot.waitUntil(lambda: page.detail.film is not None and not page.detail.picture.image.isNull())
    yield page
    page.close_reading()
    page.bridge.shutdown()


def test_lanes_pair_presses_with_releases() -> None:
    def event(at_s: float, kind: str, key: str = "", **more: str) -> DemonstratedEvent:
        at_ns = BEGAN_NS + round(at_s * NS_PER_S)
        return DemonstratedEvent(at_ns=at_ns, kind=kind, key=key, **more)  # type: ignore[arg-type]

    events = [
        event(1, "key_down", "a", action="left"),
        event(1.2, "key_down", "a", action="left"),  # the keyboard repeats it
        event(2, "key_up", "a"),
        event(3, "mouse_down", button="left"),
        event(4, "key_up", "b"),
    ]
    held, clicked = lanes_of(events, BEGAN_NS, 9.0)
    assert (held.name, held.spans) == ("left", ((1.0, 2.0),))
    assert (clicked.name, clicked.spans) == ("mouse left", ((3.0, 9.0),))
    assert held.down_at(1.5) and not held.down_at(2.0) and not held.down_at(0.5)


def test_the_film_shows_pictures_keys_and_state(page: DemonstrationsPage, qtbot: QtBot) -> None:
    assert "1 press" not in page.detail.lanes.accessibleName()
    assert page.detail.lanes.accessibleName() == "Presses over time: flap 12, mouse left 6"
    page.detail.go_to(1.4)
    assert page.detail.keys.full_text() == "flap"
    qtbot.waitUntil(lambda: "score: 1" in page.detail.fields.full_text())
    qtbot.waitUntil(lambda: page.detail.picture.image.pixelColor(15, 0).blue() == 14)
    page.detail.go_to(6.2)
    qtbot.waitUntil(lambda: "not in play" in page.detail.fields.full_text())
    page.table.choose("20261101-080000-broken")
    assert page._right.currentWidget() is page._fault and not page.train.isEnabled()


def test_a_part_is_left_out_by_its_handles_and_comes_back(page: DemonstrationsPage, qtbot: QtBot) -> None:
    kept = DemonstrationFolder(page.bridge.data)
    lanes = page.detail.lanes
    assert not page.detail.keep.isEnabled()
    start, end = (QPoint(round(lanes._x(at)), 30) for at in (0.0, 3.0))
    QTest.mousePress(lanes, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(lanes, end)
    QTest.mouseRelease(lanes, Qt.MouseButton.LeftButton, pos=end)
    assert lanes.part[0] == pytest.approx(3.0, abs=0.05)
    page.detail.keep.click()
    qtbot.waitUntil(lambda: bool(kept.open(_NAME).manifest.trims))
    assert kept.open(_NAME).manifest.kept_seconds == pytest.approx(8.9, abs=0.1)
    qtbot.waitUntil(page.detail.restore.isVisible)
    page.notifications.undo_wanted.emit()
    qtbot.waitUntil(lambda: not kept.open(_NAME).manifest.trims)


def test_the_list_shows_all_games_or_one(page: DemonstrationsPage, qtbot: QtBot) -> None:
    assert not page.games.isVisible(), "one game: nothing to choose"
    other = "20261102-080000-snake"
    demonstrated(page.bridge.data, other, start=begun(other).model_copy(update={"game": "snake"}))
    page.read()
    qtbot.waitUntil(page.games.isVisible)
    assert page.table.rows.rowCount() == 3
    QTest.keyClick(page.games, Qt.Key.Key_End)
    QTest.keyClick(page.games, Qt.Key.Key_Return)
    assert page.games.current == "snake"
    assert [row.id for at in range(page.table.rows.rowCount()) if (row := page.table.rows.row_at(at))] == [
        other
    ]


def test_tags_are_kept_and_deletion_asks_first(page: DemonstrationsPage, qtbot: QtBot) -> None:
    kept = DemonstrationFolder(page.bridge.data)
    page._actions["Tags and note…"].trigger()
    (dialog,) = page.findChildren(TagsDialog)
    dialog.form.enter({"tags": "calm, first, calm", "note": "Slow."})
    dialog.take_order()
    qtbot.waitUntil(lambda: kept.open(_NAME).manifest.tags == ("calm", "first"))
    page._actions["Delete…"].trigger()
    (question,) = page.findChildren(Confirm)
    question.go.click()
    qtbot.waitUntil(lambda: [folder.id for folder in kept.all()] == ["20261101-080000-broken"])


def test_training_and_export_are_commands(page: DemonstrationsPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.ask_training()
    qtbot.waitUntil(lambda: bool(page.findChildren(TrainDialog)))
    (dialog,) = page.findChildren(TrainDialog)
    assert dialog.order.arguments() == ["teach", "train", *_NAMED, "--from", _NAME, "--detach"]
    dialog.form.enter({"sees": "--pixels"})
    assert dialog.order.arguments()[-2:] == ["--pixels", "--detach"]
    order = ExportOrder((_NAME,), "mcap", tmp_path / "out")
    assert order.arguments()[:3] == ["teach", "export", _NAME]
    export = ExportDialog([_NAME], page)
    export.form.enter({"folder": str(tmp_path)})
    assert export.order is None
    export.close()
