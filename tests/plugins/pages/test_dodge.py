"""The dodge maze: two roles that cannot do each other's part, its rules, and what is read from its pixels."""

from __future__ import annotations

import numpy as np
import pytest
from dodge_eyes.ways import COLUMNS, LANES, ROWS, Sweepers, next_move
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage, game_of

from pitwall.core.actions import Invalid, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.games.actions.vocabulary import Vocabulary

EMPTY = np.ones((ROWS, COLUMNS), np.bool_)


@pytest.mark.parametrize(("role", "other", "key"), [("ember", "frost", "w"), ("frost", "ember", "ArrowUp")])
def test_a_role_may_do_its_own_part_alone(role: str, other: str, key: str) -> None:
    vocabulary = Vocabulary(game_of("dodge").profile, role)
    done = vocabulary.resolve(vocabulary.parse(f"{role}_up"), width=600, height=480)
    assert [timed.event.key for timed in done.events] == [key, key]
    with pytest.raises(IllegalAction):
        vocabulary.parse(f"{other}_up")
    refused = vocabulary.resolve(SemanticAction(name=f"{other}_up"), width=600, height=480)
    assert (refused.invalid, refused.events) == (Invalid.OUT_OF_SPACE, ())


def test_each_role_has_its_own_keys_on_the_page(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "dodge")
    page.begin()
    page.tap("a", then=8)
    assert _places(page) == {"ember": (2, 10), "frost": (11, 10)}
    page.tap("arrowright", then=8)
    assert _places(page) == {"ember": (2, 10), "frost": (12, 10)}


def _places(page: StagePage) -> dict[str, tuple[int, int]]:
    player = page.state().game_state.player
    return {role: (player[role]["x"], player[role]["y"]) for role in ("ember", "frost")}


def test_figures_gems_and_lives_are_read(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "dodge", "level=2&partner=frost", seed=4)
    page.begin()
    page.js("stage.game.lives = 3")
    page.step(300)
    seen, state = page.seen(), page.state()
    left = [entity["role"] for entity in state.game_state.entities if entity["kind"] == "gem"]
    assert (seen["level"], seen["lives"]) == (2, state.metrics["lives"])
    for role, (x, y) in _places(page).items():
        assert (seen[f"{role}_x"], seen[f"{role}_y"]) == (x, y)
        assert seen[f"{role}_gems_left"] == left.count(role)


def test_a_touch_sends_back_and_costs_a_life_and_home_opens_with_all_gems(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "dodge")
    page.begin()
    page.js("Object.assign(stage.game.figures[0], placed({ x: 7, y: 4 })); stage.game.sweepers[2].x = 7")
    page.js("stage.game.sweepers[2].y = 4")
    page.step()
    assert (_places(page)["ember"], page.state().metrics["lives"]) == ((3, 10), 4)
    page.js("Object.assign(stage.game.figures[0], placed({ x: 10, y: 0 }))")
    page.tap("d", then=8)
    assert page.state().metrics["ember_homes"] == 0
    page.js("stage.game.left = stage.game.left.filter((gem) => gem.role !== 'ember')")
    page.tap("a", then=8)
    page.tap("d", then=8)
    assert (page.state().metrics["ember_homes"], page.seen()["ember_home"]) == (1, True)
    page.tap("a", then=8)
    assert _places(page)["ember"] == (11, 0), "home is home"


def test_the_pages_partner_comes_home_by_itself(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "dodge", "partner=frost", seed=3)
    page.begin()
    page.step(60 * 90)
    assert page.state().metrics["frost_homes"] == 1
    assert _places(page)["ember"] == (3, 10)


def test_the_next_move_waits_for_a_sweeper_and_goes_once_it_has_passed() -> None:
    calm = Sweepers({lane: [] for lane in LANES}, dict.fromkeys(LANES, 1), 2.2)
    coming = Sweepers({**calm.places, 8: [5.0]}, calm.ways, 2.2)
    going = Sweepers({**calm.places, 8: [5.0]}, {**calm.ways, 8: -1}, 2.2)
    assert next_move(EMPTY, calm, (6, 9), [(6, 7)]) == "up"
    assert next_move(EMPTY, coming, (6, 9), [(6, 7)]) != "up"
    assert next_move(EMPTY, going, (8, 9), [(8, 7)]) == "up"


def test_sweepers_are_seen_where_they_are_and_where_they_go(browser: HeadlessBrowser) -> None:
    page = StagePage(browser, "dodge", seed=6)
    page.begin()
    page.step(40)
    before = page.state().game_state.entities
    page.js("Object.assign(stage.game.figures[0], placed({ x: 7, y: 9 }))")
    page.js(
        "stage.game.sweepers.filter((one) => one.y === 8).forEach((one) => { one.x = 6.2; one.way = 1; })"
    )
    page.js("stage.game.left = [{ role: 'ember', x: 7, y: 7 }]; stage.game.walls[7][7] = false")
    assert any(entity["kind"] == "sweeper" for entity in before)
    assert page.seen()["ember_move"] != "ember_up", "a sweeper is about to roll by"
    page.js("stage.game.sweepers.filter((one) => one.y === 8).forEach((one) => { one.x = 10.5; })")
    assert page.seen()["ember_move"] == "ember_up"
