"""Thorn Rooms: what is read from its pixels is what is there, and its rules at the edges."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage

_BARE = "{ ground: Array(20).fill(9), thorns: new Set(), low: new Map(), gates: [], embers: [] }"


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    page = StagePage(browser, "thorns", seed=4)
    page.begin()
    return page


def _lay(page: StagePage, things: str, x: int = 100) -> None:
    """Put these things into a bare room, and the imp where it says."""
    page.js(f"roomKey({{}}); Object.assign(stage.game.room, {_BARE}, {things}); stage.game.setOut()")
    page.js(f"stage.game.imp.x = {x}; 0")


@pytest.mark.parametrize(
    ("things", "fields"),
    [
        ("{ thorns: new Set([5, 6]) }", {"thorn_ahead": 40, "thorn_wide": 64, "low": False}),
        (
            "{ thorns: new Set([5]), low: new Map([[4, 5], [5, 5]]) }",
            {"thorn_ahead": 40, "thorn_wide": 32, "low": True},
        ),
        (
            "{ ground: [...Array(6).fill(9), 11, 11, ...Array(12).fill(9)], thorns: new Set([6, 7]) }",
            {"thorn_ahead": 72, "thorn_wide": 64},
        ),
        ("{ ground: [...Array(6).fill(9), ...Array(14).fill(7)] }", {"wall_ahead": 72, "wall_high": 64}),
        ("{ gates: [{ column: 7, width: 3, row: 9, phase: 0 }] }", {"gate_ahead": 104, "thorn_ahead": None}),
    ],
)
def test_what_lies_ahead_is_read(page: StagePage, things: str, fields: dict[str, object]) -> None:
    _lay(page, things)
    seen = page.seen()
    assert {name: seen[name] for name in fields} == fields
    assert (seen["x"], seen["y"], seen["standing"]) == (110, 40 + 288, True)
    assert seen["candle"] == pytest.approx(240, abs=14)


def test_a_gates_lamp_says_how_long_its_thorns_stay_sunk(page: StagePage) -> None:
    _lay(page, "{ gates: [{ column: 7, width: 3, row: 9, phase: 30 }] }")
    assert page.seen()["gate_s"] == pytest.approx(84 / 60, abs=0.06)
    page.js("stage.game.room.gates[0].phase = 120")
    assert page.seen()["gate_s"] == 0


def test_a_touch_sets_the_imp_back_and_the_door_leads_on(page: StagePage) -> None:
    _lay(page, "{ thorns: new Set([5]) }")
    page.step(20, hold=["arrowright"])
    state = page.state()
    assert (state.metrics["deaths"], state.metrics["rooms"]) == (1, 0)
    _lay(page, "{ embers: [{ x: 580, y: 270 }] }", x=560)
    page.step(20, hold=["arrowright"])
    state = page.state()
    assert (state.metrics["rooms"], state.metrics["clean"], state.metrics["embers"]) == (1, 0, 1)
    assert state.game_state.level == 2


@pytest.mark.parametrize(("hold_steps", "deaths"), [(4, 0), (24, 1)])
def test_under_a_low_ceiling_only_a_hop_passes(page: StagePage, hold_steps: int, deaths: int) -> None:
    _lay(page, "{ thorns: new Set([7]), low: new Map([[5, 5], [6, 5], [7, 5], [8, 5]]) }", x=180)
    page.js("stage.pressed('arrowright')")
    page.step(hold_steps, hold=["arrowup"])
    page.step(24)
    assert page.state().metrics["deaths"] == deaths


def test_the_candle_goes_out(page: StagePage) -> None:
    page.js("stage.game.steps = CANDLE_STEPS - 1")
    page.step()
    assert page.state().terminal.outcome == "loss"
