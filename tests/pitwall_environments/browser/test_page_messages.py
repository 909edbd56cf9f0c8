"""What goes into a page and what comes out of it, without a browser: scenario, script, state, sentences."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pitwall.games.schema.launching import Browser
from pitwall.games.schema.profile import Profile
from pitwall_environments.browser import main
from pitwall_environments.browser.contract import StateFault, true_state
from pitwall_environments.browser.incidents import PageLog
from pitwall_environments.browser.page import GamePage, Playing
from pitwall_environments.browser.page_script import expressions, page_script
from pitwall_environments.browser.scenario import address, configuration
from pitwall_environments.browser.tab import Tab
from pitwall_environments.hosting import TruthFile
from pitwall_evaluation.truth.state import TruthReader

TOLD: dict[str, Any] = {"timestampMs": 1.0, "gameTimeMs": 2.0}


def test_words_of_a_scenario() -> None:
    words = ("level=2", "name=a b", "hard", "share=0.5", "quick=true")
    expected = {"seed": 3, "level": 2, "name": "a b", "hard": True, "share": 0.5, "quick": True}
    assert configuration(3, words) == expected


def test_the_scenario_stands_in_the_query(tmp_path: Path) -> None:
    page = Browser(page="my page.html")
    at = f"{tmp_path.as_uri()}/my%20page.html"
    assert address(page, tmp_path, ()) == at
    assert address(page, tmp_path, ("level=2", "hard")) == f"{at}?level=2&hard=1"
    assert address(Browser(url="http://a/b?c=1"), tmp_path, ("d=e",)) == "http://a/b?c=1&d=e"


def test_only_the_status_is_asked_for_where_nobody_wants_the_truth() -> None:
    browser = Browser(page="x", state={"status": "phase", "game_state.score": "points"})
    assert "points" in page_script(browser, seed=1, watch=True)
    unwatched = page_script(browser, seed=1, watch=False)
    assert "phase" in unwatched
    assert "points" not in unwatched


def test_every_expression_is_known_by_its_key() -> None:
    browser = Browser(page="x", state={"status": "a"}, init="b", ready="c", reset="d")
    keys = {"browser.state.status", "browser.init", "browser.ready", "browser.reset"}
    assert set(expressions(browser)) == keys


@pytest.mark.parametrize(
    ("told", "status", "over"),
    [
        ({}, "playing", False),
        ({"status": "menu"}, "menu", False),
        ({"status": None, "terminal": None}, "playing", False),
        ({"status": "terminal"}, "terminal", True),
        ({"terminal": {"isTerminal": True, "outcome": "win"}}, "terminal", True),
    ],
)
def test_what_a_page_leaves_out_is_filled_in(told: dict[str, Any], status: str, over: bool) -> None:
    state = true_state({**TOLD, **told}, game_id="x", seed=4)
    assert (state.game_id, state.seed, state.status) == ("x", 4, status)
    assert state.terminal.is_terminal is over
    assert state.game_state.score == 0


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({"status": "over"}, "status"),
        ({"game_state": {"score": "many"}}, "game_state.score"),
        ({"game_state": 7}, "game_state"),
        ({"metrics": [1]}, "metrics"),
        ({"terminal": {"isTerminal": "perhaps"}}, "terminal.isTerminal"),
        ({"terminal": {"outcome": "victory"}}, "terminal.outcome"),
    ],
)
def test_a_wrong_type_is_told_by_its_path(told: dict[str, Any], path: str) -> None:
    with pytest.raises(StateFault, match=rf"the page's state is wrong: {path}: found"):
        true_state({**TOLD, **told}, game_id="x", seed=4)


def test_the_truth_is_read_as_it_was_written(tmp_path: Path) -> None:
    state = true_state({**TOLD, "metrics": {"deep": {"jumps": 3}}}, game_id="x", seed=4)
    TruthFile(tmp_path / "truth.json").write(state)
    assert TruthReader(tmp_path / "truth.json").read() == state
    assert [file.name for file in tmp_path.iterdir()] == ["truth.json"]


def test_a_page_that_repeats_itself_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    teller = PageLog()
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            teller.say("again\nand again")
        for number in range(2000):
            teller.say(f"{number} {'x' * 1000}")
    assert [line for line in caplog.messages if line.startswith("again")] == [
        *["again and again"] * 2,
        "again and again (not repeated)",
    ]
    assert len(caplog.messages) == 500
    assert max(map(len, caplog.messages)) <= 420


def _break(*_: object) -> Any:
    raise RuntimeError("the wire broke.\nTraceback (most recent call last):\n  File 'x'")


async def _break_later() -> None:
    _break()


def test_an_error_nobody_foresaw_in_a_page_s_task_ends_the_page_with_a_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def followed() -> str:
        profile = cast(Profile, SimpleNamespace(browser=Browser(page="x")))
        playing = Playing(profile=profile, url="http://a/b", config={}, seed=1, truth=None)
        page = GamePage(Tab.__new__(Tab), playing, PageLog())
        page._run(_break_later())
        return await asyncio.wait_for(page.ended, 60)

    assert asyncio.run(followed()) == "the page cannot be followed any more."
    assert "the wire broke." in caplog.text


def test_an_error_nobody_foresaw_in_the_page_s_process_is_told_last(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(main, "_order", _break)
    assert main.main([]) == 1
    assert "Traceback" in caplog.text, "the log holds the rest"
    assert "\n" not in caplog.messages[-1] and "the wire broke" in caplog.messages[-1]
