"""The form of templates: slots offer what the draft has, a template says what it would do, edits reach it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QPushButton
from pytestqt.qtbot import QtBot
from tests.console.models.models_page import texts

from pitwall.console.kit.form.inputs import Combo, Line
from pitwall.console.new_game.draft_edits import (
    renamed_action,
    renamed_field,
    with_value,
    without_action,
    without_field,
)
from pitwall.console.new_game.play_step import PlayPanel, _value_words
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import faults_of_draft
from pitwall.games.drafting.template_slots import slots
from pitwall.games.drafting.templates import TEMPLATES


def _draft(**more: Any) -> Draft:
    whole: dict[str, Any] = {
        "game_id": "a",
        "name": "A",
        "window": {"title": "A"},
        "screen": {"width": 200, "height": 100},
        "actions": [{"name": "left", "keys": ["ArrowLeft"]}, {"name": "right", "keys": ["ArrowRight"]}],
        "fields": [{"kind": "blob", "name": name, "colour": (1, 2, 3)} for name in ("me", "coin")],
    }
    return Draft.model_validate({**whole, **more})


@pytest.fixture
def panel(screen: str, qtbot: QtBot) -> PlayPanel:  # noqa: ARG001
    """The panel on a draft, on a screen; what it makes of it is shown in it."""
    made = PlayPanel()
    qtbot.addWidget(made)
    made.changed.connect(made.show_draft)
    made.show_draft(_draft())
    return made


def _fill(panel: PlayPanel, **words: str) -> None:
    panel._kinds.choose("follow")
    panel._show_form("follow")
    for name, word in words.items():
        editor = panel._slots[name]
        assert isinstance(editor, Combo)
        editor.choose(word)
    next(button for button in panel.findChildren(QPushButton) if button.text() == "Add it").click()


def test_a_form_becomes_a_template_that_says_what_it_would_do(panel: PlayPanel) -> None:
    _fill(panel, me="me", thing="coin", less="left", more="right")
    assert panel.draft is not None
    assert [template.kind for template in panel.draft.templates] == ["follow"]
    assert "me: me · less: left · more: right · thing: coin" in texts(panel)
    assert faults_of_draft(panel.draft) == []
    panel.show_values({"me": {"value": 100}, "coin": {"value": 40}})
    assert "now: left" in texts(panel)
    panel.show_values({"me": {"value": 100}, "coin": {"value": None}})
    assert "now: nothing" in texts(panel)
    assert _value_words("every_ms", 900) == "every 900 ms"


def test_a_form_begins_with_what_likely_belongs_into_its_slots(panel: PlayPanel) -> None:
    panel._show_form("fire")
    chosen = {name: slot.current for name, slot in panel._slots.items() if isinstance(slot, Combo)}
    assert chosen == {"me": "me", "less": "left", "more": "right", "thing": "coin", "fire": ""}


def test_a_slot_that_is_left_empty_is_told(panel: PlayPanel) -> None:
    _fill(panel, me="me", thing="", less="left", more="right")
    assert panel.draft is not None
    assert not panel.draft.templates
    assert "thing" in panel._message.text()


def test_templates_follow_renames_and_go_with_what_they_name(panel: PlayPanel) -> None:
    _fill(panel, me="me", thing="coin", less="left", more="right")
    assert panel.draft is not None
    draft = renamed_action(renamed_field(panel.draft, "coin", "gold"), "left", "west")
    assert faults_of_draft(draft) == []
    assert draft.templates[0].named("field") == ("me", "gold")
    assert not without_field(draft, "gold").templates
    assert not without_action(draft, "west").templates


def test_a_value_of_the_page_becomes_a_task_by_its_own_word() -> None:
    draft = with_value(_draft(url="file:///a.html"), "game.score")
    assert draft.state == {"game_state.score": "game.score"}
    assert (draft.truth, draft.tasks[0].score) == ("file", "game_state.score")
    assert faults_of_draft(draft) == []


def test_readings_and_actions_are_completed_while_they_are_typed(panel: PlayPanel, qtbot: QtBot) -> None:
    panel.show()
    qtbot.waitExposed(panel)
    panel.activateWindow()
    for slot, typed, word in (("condition", "not coi", "not coin"), ("actions", "left; rig", "left; right")):
        kind = next(kind for kind, made in TEMPLATES.items() if any(each.of == slot for each in slots(made)))
        panel._show_form(kind)
        name = next(each.name for each in slots(TEMPLATES[kind]) if each.of == slot)
        line = panel._slots[name]
        assert isinstance(line, Line)
        line.clear()
        line.setFocus()
        qtbot.waitUntil(line.hasFocus)
        QTest.keyClicks(line, typed)
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, QAbstractItemView)
        QTest.keyClick(popup, Qt.Key.Key_Return)
        assert line.text() == word
