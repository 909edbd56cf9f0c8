"""The settings page: entered, checked, saved, marked, reset, searched; chords by pressing them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot
from tests.console.recorded_runs import bridge_on

from pitwall.console.kit.form.chord import ChordEditor, key_name
from pitwall.console.kit.form.inputs import Combo, NumberBox
from pitwall.console.kit.theme import Look
from pitwall.console.settings.page import SettingsPage
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings
from pitwall.models.registry import ModelRegistry


@pytest.fixture
def page(screen: str, tmp_path: Path, qtbot: QtBot, qapp: QApplication) -> Iterator[SettingsPage]:
    assert screen
    bridge = bridge_on(tmp_path)
    widget = SettingsPage(bridge, Look(qapp, "dark"))
    qtbot.addWidget(widget)
    widget.resize(1220, 640)
    widget.advanced.click()
    widget.show()
    qtbot.waitExposed(widget)
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    yield widget
    bridge.shutdown()


def _stored(page: SettingsPage) -> Settings:
    return load_settings(DataFolder(page.bridge.data.root).settings)


def _marked(page: SettingsPage, key: str) -> bool:
    return page.form(key).is_marked(key)


def _shown(page: SettingsPage, key: str) -> bool:
    return page.form(key).editor(key).isVisible()


def _type_number(page: SettingsPage, key: str, text: str) -> NumberBox:
    box = page.form(key).editor(key)
    assert isinstance(box, NumberBox)
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)
    return box


def test_a_number_that_fits_is_saved_and_marked(page: SettingsPage, qtbot: QtBot) -> None:
    key = "broker.actions_per_second"
    assert not _marked(page, key)
    with qtbot.waitSignal(page.changed):
        box = _type_number(page, "broker.actions_per_second", "12")
    assert box.text() == "12 1/s"
    assert _stored(page).broker.actions_per_second == 12
    assert _marked(page, key)
    assert page.bridge.settings.broker.actions_per_second == 12


def test_a_number_that_does_not_fit_is_answered_beside_it_and_not_saved(page: SettingsPage) -> None:
    key = "broker.actions_per_second"
    _type_number(page, "broker.actions_per_second", "400")
    assert "400 1/s is more than the most, 50 1/s" in page.form(key).fault(key)
    assert page.bridge.settings == _stored(page) == Settings().with_value("console", "advanced", True)
    _type_number(page, "recording.video_fps", "20")
    assert page.form(key).fault(key), "another setting's change leaves the sentence where it is"
    _type_number(page, "broker.actions_per_second", "20")
    assert not page.form(key).fault(key)


def test_arrows_stay_inside_the_bounds(page: SettingsPage, qtbot: QtBot) -> None:
    box = _type_number(page, "capture.screen_fps", "239")
    for _ in range(4):
        box.stepUp()
    assert box.value() == 240
    qtbot.waitUntil(lambda: _stored(page).capture.screen_fps == 240)


def test_reset_goes_back_to_the_default(page: SettingsPage) -> None:
    _type_number(page, "capture.screen_fps", "30")
    assert _marked(page, "capture.screen_fps")
    page.form("capture.screen_fps").reset_button("capture.screen_fps").click()
    assert not _marked(page, "capture.screen_fps")
    assert _stored(page) == Settings().with_value("console", "advanced", True)


def test_the_wheel_changes_nothing_in_passing(page: SettingsPage) -> None:
    box = page.form("capture.backend").editor("capture.backend")
    assert isinstance(box, QComboBox)
    page.form("capture.screen_fps").editor("capture.screen_fps").setFocus()
    turn = QWheelEvent(
        QPointF(5, 5),
        QPointF(box.mapToGlobal(QPoint(5, 5))),
        QPoint(0, 0),
        QPoint(0, -240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, turn)
    assert box.currentText() == "Automatic"


def test_every_choice_is_shown_whole(page: SettingsPage) -> None:
    lists = [widget for widget in page.findChildren(Combo) if widget.isVisibleTo(page)]
    assert len(lists) > 10
    longest = [_longest_px(widget) for widget in lists]
    assert not [
        at.accessibleName() for at, px in zip(lists, longest, strict=True) if at.width() < min(px, 260)
    ]


def _longest_px(choices: Combo) -> int:
    """Return the width of the longest choice with the list's arrow."""
    words = [choices.fontMetrics().horizontalAdvance(choices.itemText(at)) for at in range(choices.count())]
    return max(words) + choices.height()


def test_a_choice_and_a_switch_are_saved_at_once(page: SettingsPage) -> None:
    theme = page.form("console.theme").editor("console.theme")
    assert isinstance(theme, QComboBox)
    theme.setFocus()
    QTest.keyClick(theme, Qt.Key.Key_Down)
    assert _stored(page).console.theme == "light"
    takeover = page.form("broker.takeover").editor("broker.takeover")
    QTest.keyClick(takeover, Qt.Key.Key_Space)
    assert _stored(page).broker.takeover is False


def test_a_chord_is_pressed_and_a_taken_one_refused(page: SettingsPage) -> None:
    editor = page.form("hotkeys.overlay").editor("hotkeys.overlay")
    assert isinstance(editor, ChordEditor)
    QTest.mouseClick(editor, Qt.MouseButton.LeftButton)
    assert "Press keys" in editor.text()
    QTest.keyClick(
        editor, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert _stored(page).hotkeys.overlay == "Control+Shift+o"
    assert editor.text() == "Ctrl+Shift+O"
    QTest.mouseClick(editor, Qt.MouseButton.LeftButton)
    QTest.keyClick(editor, Qt.Key.Key_Pause)
    assert "Pause is taken" in page.form("hotkeys.overlay").fault("hotkeys.overlay")
    QTest.mouseClick(editor, Qt.MouseButton.LeftButton)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.listening
    assert _stored(page).hotkeys.overlay == "Control+Shift+o"


@pytest.mark.parametrize(
    ("key", "modifiers", "name"),
    [
        (Qt.Key.Key_Exclam, Qt.KeyboardModifier.ShiftModifier, "1"),
        (Qt.Key.Key_7, Qt.KeyboardModifier.KeypadModifier, "Numpad7"),
        (Qt.Key.Key_F12, Qt.KeyboardModifier.NoModifier, "F12"),
        (Qt.Key.Key_ScrollLock, Qt.KeyboardModifier.NoModifier, "ScrollLock"),
        (Qt.Key.Key_MediaPlay, Qt.KeyboardModifier.NoModifier, ""),
    ],
)
def test_keys_have_canonical_names(key: Qt.Key, modifiers: Qt.KeyboardModifier, name: str) -> None:
    assert key_name(key, modifiers) == name


def test_search_shows_what_holds_the_words(page: SettingsPage) -> None:
    page.search("hold")
    shown = {key for key in page.fields if _shown(page, key)}
    assert "broker.hold_ms" in shown
    assert "console.theme" not in shown
    page.search("zebra")
    assert not any(_shown(page, key) for key in page.fields)
    page.search("")
    assert all(_shown(page, key) for key in page.fields)


def test_a_folder_that_cannot_be_written_is_told(page: SettingsPage) -> None:
    page.bridge.data.settings.unlink()
    page.bridge.data.settings.mkdir(parents=True)
    (page.bridge.data.settings / "in the way").touch()
    _type_number(page, "capture.screen_fps", "30")
    assert "not saved" in page.notifications.text
    assert page.bridge.settings.capture.screen_fps == 30
    assert _marked(page, "capture.screen_fps")


def test_every_editor_has_a_name_and_says_what_fits(page: SettingsPage) -> None:
    for key in page.fields:
        control = page.form(key).editor(key)
        assert control.accessibleName(), key
        assert key in control.accessibleDescription()
        assert key in control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, key


def test_the_checks_can_be_asked_for(page: SettingsPage, qtbot: QtBot) -> None:
    deed = page.commands()[0]
    with qtbot.waitSignal(page.preflight_wanted):
        deed.run()


def test_basic_settings_are_shown_first_and_a_search_finds_every_one(page: SettingsPage) -> None:
    assert _shown(page, "memory.jaccard")
    page.advanced.click()
    assert _shown(page, "recording.video") and not _shown(page, "memory.jaccard")
    page.search("jaccard")
    assert _shown(page, "memory.jaccard") and not _shown(page, "recording.video")
    page.search("")
    page.bridge.save_settings(page.bridge.settings.with_value("memory", "jaccard", 0.4))
    page.search("")
    page.advanced.click()
    page.advanced.click()
    assert _shown(page, "memory.jaccard"), "what was changed stays in view"


def test_a_search_hides_a_changed_setting_with_its_reset_button(page: SettingsPage) -> None:
    _type_number(page, "capture.screen_fps", "30")
    back = page.form("capture.screen_fps").reset_button("capture.screen_fps")
    assert back.isVisible()
    page.search("browser")  # of another line of the same section
    assert not _shown(page, "capture.screen_fps") and not back.isVisible()
    page.search("")
    assert back.isVisible()


def test_a_search_leaves_no_reset_button_without_its_setting(page: SettingsPage) -> None:
    for section in page.fields.values():
        form = page.form(section.key)
        if section.field.kind == "number":
            assert isinstance(section.default, int | float)
            form.enter({section.key: section.default + 1})
    for words in ("fps", "keys", "image", "zebra", "memory", "capture"):
        page.search(words)
        for key in page.fields:
            form = page.form(key)
            assert not form.reset_button(key).isVisible() or form.editor(key).isVisible(), (words, key)


def test_a_model_is_chosen_from_a_list_and_a_name_that_is_gone_stays(page: SettingsPage) -> None:
    ModelRegistry(page.bridge.data).add_remote("far", "http://127.0.0.1:9/v1", "big")
    page.bridge.save_settings(page.bridge.settings.with_value("models", "strategic", "gone-model"))
    combo = page.form("models.strategic").combo("models.strategic")
    offered = [combo.itemText(at) for at in range(combo.count())]
    assert offered[0] == "None chosen" and "far" in offered and offered[-1].startswith("gone-model")
    assert combo.current == "gone-model"
    combo.setCurrentIndex(offered.index("far"))
    assert _stored(page).models.strategic == "far"
    page.bridge.save_settings(page.bridge.settings.with_value("models", "strategic", ""))
    assert combo.current == ""
