"""Block Hill: walking, mining and placing, what is read from the picture, and the way to the next block."""

from __future__ import annotations

import pytest
from tests.plugins.pages.rendered_page import HeadlessBrowser
from tests.plugins.pages.stage_pages import StagePage, game_of

from pitwall.core.conditions import parse_condition

_KEYS = {"down": "arrowdown", "right": "arrowright"}


@pytest.fixture
def page(browser: HeadlessBrowser) -> StagePage:
    """A bare plain of grass, three blocks thick; the player looks along z."""
    page = StagePage(browser, "quarry", seed=4)
    page.begin()
    page.js(
        "const world = stage.game.world; world.blocks.fill(0);"
        "for (let x = 0; x < 30; x += 1) for (let z = 0; z < 30; z += 1)"
        " for (let y = 0; y < 3; y += 1) world.put(x, y, z, BLOCK.grass);"
        "Object.assign(stage.game.at, { x: 15.5, y: 3, z: 15.5, vy: 0 });"
        "Object.assign(stage.game, { turn: 0, eyeY: 3 })"
    )
    return page


def _put(page: StagePage, kind: str, *cells: tuple[int, int, int]) -> None:
    for x, y, z in cells:
        page.js(f"stage.game.world.put({x}, {y}, {z}, BLOCK.{kind})")


def test_a_step_of_one_block_is_climbed_and_a_wall_of_two_stops(page: StagePage) -> None:
    _put(page, "stone", (15, 3, 17))
    page.step(30, hold=["w"])
    assert page.state().game_state.player["y"] == 4
    _put(page, "stone", (15, 3, 19), (15, 4, 19), (14, 3, 19), (14, 4, 19))
    page.step(90, hold=["w"])
    player = page.state().game_state.player
    assert (player["y"], round(player["z"], 1)) == (3, 18.7)


def test_a_block_is_mined_while_the_key_is_held_and_can_be_placed_again(page: StagePage) -> None:
    _put(page, "copper", (15, 4, 18))
    page.step(30, hold=["e"])
    page.step()
    page.step(30, hold=["e"])
    page.step()
    assert page.state().metrics["copper"] == 0, "letting go begins anew"
    page.step(45, hold=["e"])
    assert (page.state().metrics["copper"], page.state().game_state.score) == (1, 1)
    page.js("stage.game.tilt = 40; stage.game.step(stage.keys)")
    page.tap("q")
    state = page.state()
    assert (state.metrics["copper"], state.metrics["placed"]) == (0, 1)
    assert state.game_state.entities[0]["kind"] == "copper"


def test_the_whole_set_wins(page: StagePage) -> None:
    page.js("Object.assign(stage.game.bag, { wood: 4, stone: 9, copper: 2 })")
    _put(page, "copper", (15, 4, 18))
    page.step(45, hold=["e"])
    assert page.state().terminal.outcome == "win"


@pytest.mark.parametrize(
    ("kind", "cell", "move"),
    [
        ("wood", (15, 4, 18), "mine"),
        ("stone", (15, 4, 22), "forward"),
        ("copper", (12, 4, 19), "turn_left"),
        ("copper", (16, 4, 21), "nudge_right"),
    ],
)
def test_blocks_in_sight_and_the_way_to_them_are_read(
    page: StagePage, kind: str, cell: tuple[int, int, int], move: str
) -> None:
    _put(page, kind, cell)
    page.step()
    seen = page.seen()
    assert (seen[f"{kind}_move"], seen["in_reach"]) == (move, move == "mine")
    assert seen["under_cross"] == (kind if cell[0] == 15 else "other")
    others = {"wood", "stone", "copper"} - {kind}
    assert [seen[f"{other}_x"] for other in others] == [None, None]
    assert seen["wood"] == seen["earth"] == 0


def test_the_mouse_turns_the_view_once_the_game_has_taken_it(page: StagePage) -> None:
    page.js("window.dispatchEvent(new MouseEvent('mousemove', { movementX: 100 }))")
    assert page.state().game_state.player["turn"] == 0
    page.js("Object.defineProperty(document, 'pointerLockElement', { value: canvas })")
    page.js("window.dispatchEvent(new MouseEvent('mousemove', { movementX: 100, movementY: 40 }))")
    player = page.state().game_state.player
    assert (player["turn"], player["tilt"]) == (pytest.approx(15), pytest.approx(6))


def test_the_skills_place_all_the_earth_of_a_builder(browser: HeadlessBrowser) -> None:
    page, profile = StagePage(browser, "quarry", "kind=builder", seed=2), game_of("quarry").profile
    page.begin()
    task = next(task for task in profile.tasks if task.id == "place_8")
    actions = {action.name: action for action in profile.actions}
    skills = sorted(profile.skills, key=lambda skill: -skill.priority)
    pressed = 0
    while page.state().metrics["placed"] < task.target:
        seen = page.seen()
        skill = next(skill for skill in skills if parse_condition(skill.when).holds(seen))
        for name in skill.actions[: skill.steps]:
            action = actions[name]
            (key,) = (_KEYS.get(key, key) for key in action.keys)
            hold_ms = int(action.hold_ms)
            page.step(round(hold_ms * 0.06), hold=[key])
            page.step(round((action.duration_ms - hold_ms) * 0.06))
            pressed += 1
        assert pressed <= task.steps, f"{skill.name} still: {seen}"
