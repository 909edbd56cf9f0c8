"""The stage that the pages share: time in steps, keys, panels, the state contract, one seed one play."""

from __future__ import annotations

from typing import Any

import pytest
from tests.plugins.pages.rendered_page import PLUGINS, HeadlessBrowser
from tests.plugins.pages.stage_pages import STAGED, StagePage, game_of

from pitwall.games.checks.folder import check_game


def _play(page: StagePage) -> dict[str, Any]:
    """The same keys at the same steps; everything that the game then says, but the time of day."""
    page.begin()
    for keys in (["arrowright", "d"], ["arrowup", "w"], [" "], ["arrowdown"], ["arrowleft", "a"]):
        page.step(25, hold=keys)
    return page.state().model_dump(exclude={"timestamp_ms"})


def test_the_stage_is_the_same_in_every_page() -> None:
    assert (PLUGINS / "shared" / "stage.js").is_file()
    for name in STAGED:
        page = (PLUGINS / name / "page" / "index.html").read_text(encoding="utf-8")
        assert '<script src="../../shared/stage.js"></script>' in page, name
        assert not list((PLUGINS / name).rglob("stage.js")), name


@pytest.mark.parametrize("name", STAGED)
def test_it_passes_the_checker_and_has_rising_tasks(name: str) -> None:
    assert check_game(PLUGINS / name) == []
    tasks = game_of(name).profile.tasks
    assert len(tasks) >= 5
    assert tasks[0].steps < tasks[-1].steps


@pytest.mark.parametrize("name", STAGED)
def test_one_seed_is_one_play_and_panels_tell_the_status(browser: HeadlessBrowser, name: str) -> None:
    page = StagePage(browser, name, seed=5)
    assert (page.seen()["status"], page.state().status.value) == ("menu", "menu")
    first = _play(page)
    assert first["raw"]["steps"] == 125
    page.reset(5)
    second = _play(page)
    assert second.pop("metrics") == {**first.pop("metrics"), "plays": 2}
    assert second == first
    page.reset(6)
    assert _play(page)["game_state"] != first["game_state"]
    assert page.seen()["status"] == "playing"
    page.js("stage.pressed(stage.pauseKey)")
    assert (page.seen()["status"], page.state().status.value) == ("paused", "paused")
    page.js(
        "stage.pressed(stage.pauseKey); stage.status = 'terminal';"
        "stage.game.over = { outcome: 'loss', reason: 'so' }"
    )
    seen, state = page.seen(), page.state()
    assert (seen["status"], seen["lost"], seen["won"]) == ("terminal", True, False)
    assert (state.terminal.is_terminal, state.terminal.outcome, state.terminal.reason) == (True, "loss", "so")


def test_time_goes_on_by_itself_and_keys_come_as_they_are_pressed(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "snake")
    key = "window.dispatchEvent(new KeyboardEvent('{}', {{ key: '{}' }}))"
    page.js(key.format("keydown", " "))
    page.js(key.format("keydown", "ArrowUp") + ";" + key.format("keyup", "ArrowUp"))
    browser.run(600)
    state = page.state()
    assert 500 <= state.game_time_ms <= 620
    assert state.game_state.player["way"] == {"x": 0, "y": -1}, "a tap between two frames counts"


def test_a_panel_stands_before_space_begins_anew(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "maze")
    page.begin()
    page.js(
        "stage.game.over = { outcome: 'win', reason: 'so' }; stage.status = 'terminal'; stage.panelSteps = 0"
    )
    page.tap(" ", then=10)
    assert page.state().status.value == "terminal"
    page.step(30)
    page.tap(" ")
    assert (page.state().status.value, page.state().metrics["plays"]) == ("playing", 2)
