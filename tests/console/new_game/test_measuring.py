"""What is measured is the live picture, and a thing is looked for where it can move."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from tests.console.new_game.wizard import PageHarness, buttons

from pitwall.console.kit.form.inputs import Combo
from pitwall.console.new_game.draft_edits import KIND_TIPS, KIND_WORDS
from pitwall.console.new_game.page import READINGS, WATCH
from pitwall.desktops.window_search import window_by_id
from pitwall.games.drafting.search_area import TIGHT_WORDS
from pitwall.games.schema.fields import BlobField

pytestmark = pytest.mark.timeout(1200)

_PADDLE = (196, 324, 88, 22)
"""A tight box around the paddle, in the game's own pixels."""
_ITS_ROW = (2, 312, 476, 44)
_WATCHED_S = 6.0


def _begin(wizard: PageHarness) -> None:
    window = window_by_id(wizard.window_id)
    assert window is not None
    wizard.page.window_chosen(window)
    wizard.until(lambda: wizard.page.eyes.in_view)
    wizard.page.show_step(READINGS)
    wizard.until(lambda: wizard.page.sight.view.picture().width() > 0)
    wizard.bot.wait(1_000)  # a person looks first


def _pin(wizard: PageHarness) -> None:
    """Show an earlier picture of the last minute in place of the live one."""
    wizard.bot.wait(2_000)
    wizard.scroll_to("Show pictures of the last minute")
    wizard.until(lambda: bool(buttons(wizard.page, "Show the picture")))
    wizard.scroll_to("Show the picture")
    wizard.until(lambda: wizard.page.readings.minute._live.isEnabled())


def test_a_pinned_picture_is_never_measured_as_if_it_were_live(wizard: PageHarness) -> None:
    page, answers = wizard.page, list[dict[str, Any]]()
    _begin(wizard)
    _pin(wizard)
    page.eyes.ask({"watch": _WATCHED_S / 3}, answers.append)
    wizard.until(lambda: len(answers) == 1)
    assert answers[0]["still_share"] < 0.5, "a coin falls all the time"

    page.eyes.ask({"watch": _WATCHED_S}, answers.append)
    _pin(wizard)
    wizard.bot.wait(int(1_000 * _WATCHED_S))
    assert len(answers) == 1, "the watch waits while a still picture is shown"
    page.show_step(WATCH)
    assert not page.readings.minute._live.isEnabled(), "the live picture is back"
    wizard.until(lambda: len(answers) == 2)
    assert answers[1]["still_share"] < 0.5


def test_a_tight_box_is_no_search_area_in_silence(wizard: PageHarness) -> None:
    page = wizard.page
    _begin(wizard)
    wizard.draw(_PADDLE, "the paddle")
    wizard.until(lambda: len(wizard.draft.fields) == 1)
    name = wizard.draft.fields[0].name
    page._read_as(name, "blob")
    wizard.until(lambda: isinstance(wizard.draft.fields[0], BlobField))

    def warned() -> bool:
        labels = page.readings.findChildren(QLabel)
        return any(label.text() == TIGHT_WORDS and label.isVisibleTo(page) for label in labels)

    wizard.until(warned)
    (kinds,) = [combo for combo in page.findChildren(Combo) if "is read as" in combo.accessibleName()]
    assert kinds.toolTip() == KIND_TIPS["blob"]
    assert set(KIND_TIPS) == set(KIND_WORDS) - {""}
    wizard.scroll_to(f"Draw the search area of {name}")
    wizard.draw(_ITS_ROW, "where the paddle moves")
    wizard.until(lambda: wizard.draft.fields[0].box != _PADDLE and not warned())
    (field,) = wizard.draft.fields
    assert field.name == name and field.box is not None
    assert all(abs(now - drawn) <= 3 for now, drawn in zip(field.box, _ITS_ROW, strict=True))
    wizard.scroll_to(f"Look for {name} in the whole picture")
    wizard.until(lambda: wizard.draft.fields[0].box is None)
