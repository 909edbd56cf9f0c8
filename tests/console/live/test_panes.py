"""The panes of the Live page: their borders are dragged, kept in the settings, reset; sides are changed."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QSplitter
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import prefill

from pitwall.console.live.layout import LiveLayout
from pitwall.core.settings import load_settings


@pytest.mark.parametrize("text", ["", "side=left plan=300 lower=0.500", "events=420"])
def test_a_layout_is_one_line_of_settings(text: str) -> None:
    assert LiveLayout.parse(text).text == text


def test_a_layout_that_makes_no_sense_is_as_delivered() -> None:
    assert LiveLayout.parse("plan=nan side=up lower=x junk") == LiveLayout(
        plan=LiveLayout.parse("plan=0").plan
    )
    assert LiveLayout.parse("lower=7").lower == 0.8


def test_borders_stay_where_they_were_dragged_until_the_layout_is_reset(room: ConsoleHarness) -> None:
    console, bot = room.console, room.bot
    panes, window = console.live.panes, console.window
    window.resize(1600, 1000)
    console.bridge.open_game("flappy")
    prefill(room.opener.last)
    bot.waitUntil(panes.plan_side.isVisible, timeout=30_000)
    usual = panes.plan_side.width()
    upper = panes.plan_side.parentWidget()
    assert isinstance(upper, QSplitter)
    upper.handle(1).moveSplitter(upper.width() - usual - 120)
    upper.splitterMoved.emit(0, 1)
    wide = panes.plan_side.width()
    assert wide > usual + 60
    bot.waitUntil(lambda: f"plan={wide}" in load_settings(console.bridge.data.settings).console.live_layout)
    panes.change_sides()
    window.resize(1500, 900)
    bot.waitUntil(lambda: panes.plan_side.x() == 0 and panes.plan_side.width() == wide)
    panes.reset()
    bot.waitUntil(lambda: panes.plan_side.x() > 0 and panes.plan_side.width() == usual)
    assert load_settings(console.bridge.data.settings).console.live_layout == ""
