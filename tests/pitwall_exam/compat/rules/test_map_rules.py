"""The published map: its shifted names, how it changes, what of it is seen, and ways over it."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.compat.published_episodes import Play, answer, ground

NONE = "not answerable"


@pytest.mark.parametrize(
    ("digit", "name"),
    [
        *((0, "lake"), (2, "stone"), (3, "path"), (4, "sand"), (5, "tree")),
        *((6, "coal"), (7, "iron"), (8, "diamond"), (9, "lava")),
    ],
)
def test_the_questions_name_digits_shifted_from_six_on(digit: int, name: str) -> None:
    world = Play().go("NOOP").world(ground({(33, 32): digit}))
    assert answer(world, "C_visible_count", terrain=name) == 1
    assert answer(world, "C_adjacent_count", terrain=name) == 1
    assert answer(world, "C_visible_count", terrain="furnace") == 0


@pytest.mark.parametrize(
    ("earned", "digit", "left"),
    [
        *(("collect_wood", 5, "grass"), ("collect_stone", 2, "path"), ("collect_coal", 7, "path")),
        *(("collect_iron", 8, "path"), ("collect_diamond", 9, "path")),
        *(("place_table", 1, "table"), ("place_furnace", 1, "furnace"), ("place_stone", 0, "stone")),
    ],
)
def test_an_achievement_changes_the_tile_in_front(earned: str, digit: int, left: str) -> None:
    play = Play().go("MOVE_RIGHT", blocked=True).go("DO", earn=earned).go("NOOP")
    world = play.world(ground({(33, 32): digit}))
    assert answer(world, "D_predict_terrain", step=2, turn="right", offset=1) == left
    assert answer(world, "D_predict_terrain", step=3, turn="right", offset=1) == left
    beside = 3 if left == "grass" else 2
    assert answer(world, "C_adjacent_count", terrain=left) == beside


def test_other_achievements_leave_the_map_alone() -> None:
    play = (
        Play().go("MOVE_RIGHT", blocked=True).go("DO", earn="collect_sapling").go("DO", earn="collect_drink")
    )
    world = play.world(ground({(33, 32): 5}))
    assert answer(world, "D_predict_terrain", step=3, turn="right", offset=1) == "tree"


def test_the_front_is_where_the_last_move_led_however_long_ago() -> None:
    play = Play().go("MOVE_DOWN", blocked=True).many("NOOP", "SLEEP").go("DO", earn="collect_wood")
    world = play.world(ground({(32, 33): 5}))
    assert answer(world, "D_predict_terrain", step=3, turn="down", offset=1) == "tree"
    assert answer(world, "D_predict_terrain", step=4, turn="down", offset=1) == "grass"


def test_before_any_move_the_own_tile_changes() -> None:
    world = Play().go("PLACE_STONE", earn="place_stone").world()
    assert answer(world, "A_terrain", step=1) == "stone"


def test_two_earned_at_once_change_one_tile() -> None:
    play = Play().go("MOVE_RIGHT", blocked=True)
    play.achievements = {"collect_wood": 1}
    play.go("DO", earn="collect_wood").go("MOVE_LEFT", blocked=True).go("DO")
    world = play.world(ground({(33, 32): 5, (31, 32): 5}))
    assert answer(world, "D_predict_terrain", step=4, turn="right", offset=1) == "grass"
    assert answer(world, "D_predict_terrain", step=4, turn="left", offset=1) == "tree"


def test_the_view_is_nine_wide_and_seven_high() -> None:
    world = Play().go("NOOP").world(ground({(36, 32): 4, (37, 32): 2, (32, 35): 5, (32, 36): 3}))
    seen = {
        name: answer(world, "C_visible_count", terrain=name) for name in ("sand", "stone", "tree", "path")
    }
    assert seen == {"sand": 1, "stone": 0, "tree": 1, "path": 0}


def test_the_view_ends_with_the_map() -> None:
    world = Play((0, 0)).go("NOOP").world(ground({(4, 3): 5, (63, 0): 4, (0, 63): 2}))
    assert answer(world, "C_visible_count", terrain="tree") == 1
    assert answer(world, "C_visible_count", terrain="sand") == 0
    assert answer(world, "C_adjacent_count", terrain="lake") == 0  # nothing lies beyond the edge
    assert answer(world, "D_predict_terrain", step=1, turn="up", offset=1) == NONE


def test_trees_count_once_and_while_they_stand() -> None:
    play = Play().go("MOVE_RIGHT", blocked=True).go("DO", earn="collect_wood").go("MOVE_LEFT")
    world = play.world(ground({(33, 32): 5, (27, 32): 5, (30, 30): 5}))
    # (33, 32) stood during step 1; (27, 32) comes into view at step 3; (30, 30) all the time
    assert answer(world, "C_distinct_trees") == 3
    assert answer(world, "C_distinct_trees", horizon=2) == 2


def test_what_lies_off_is_told_through_rock_but_not_in_a_lake_or_unseen() -> None:
    world = Play().many("NOOP", "MOVE_UP").world(ground({(33, 32): 2, (34, 32): 4, (30, 32): 0, (32, 28): 3}))
    assert answer(world, "D_predict_terrain", step=1, turn="right", offset=1) == "stone"
    assert answer(world, "D_predict_terrain", step=1, turn="right", offset=2) == "sand"
    assert answer(world, "D_predict_terrain", step=1, turn="left", offset=2) == NONE
    assert answer(world, "D_predict_terrain", step=1, turn="up", offset=4) == NONE
    assert answer(world, "D_predict_terrain", step=2, turn="up", offset=3) == "path"
    assert answer(world, "D_predict_terrain", step=2, turn="down", offset=4) == "grass"  # seen at step 1


def test_the_nearest_direction_is_of_what_was_seen_by_then() -> None:
    world = (
        Play().many("NOOP", "MOVE_RIGHT").world(ground({(37, 32): 5, (28, 33): 5, (32, 31): 4, (31, 32): 4}))
    )
    assert answer(world, "D_nearest_dir", step=1, terrain="tree") == "down-left"
    assert answer(world, "D_nearest_dir", step=2, terrain="tree") == "right"
    assert answer(world, "D_nearest_dir", step=1, terrain="sand") == ["left", "up"]
    assert answer(world, "D_nearest_dir", step=2, terrain="sand") == [
        "left",
        "up-left",
    ]  # two tiles off, both
    assert answer(world, "D_nearest_dir", step=2, terrain="iron") == NONE


def test_ways_go_up_before_down_before_left_before_right() -> None:
    world = Play().go("NOOP").world(ground({(34, 34): 5}))
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == "2 steps down and 2 steps right"
    world = Play().go("NOOP").world(ground({(30, 31): 5}))
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == "1 step up and 2 steps left"


def test_of_two_ways_round_a_lake_the_upper_or_left_one_is_told() -> None:
    world = Play().go("NOOP").world(ground({(33, 32): 0, (34, 32): 0, (35, 32): 5}))
    way = "1 step up, 3 steps right and 1 step down"
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == way
    world = Play().go("NOOP").world(ground({(32, 33): 0, (32, 34): 0, (32, 35): 5}))
    way = "1 step left, 3 steps down and 1 step right"
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == way


def test_each_nearest_tile_has_a_way_and_they_are_sorted() -> None:
    world = Play().go("NOOP").world(ground({(32, 30): 5, (34, 32): 5, (33, 33): 5}))
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == [
        "1 step down and 1 step right",
        "2 steps right",
        "2 steps up",
    ]


def test_a_way_leads_over_grass_path_sand_and_the_sixth_digit_alone() -> None:
    wall = {(33, y): 2 for y in range(64)}
    for digit, open_ in ((0, False), (1, True), (3, True), (4, True), (5, False), (6, True), (7, False)):
        world = Play().go("NOOP").world(ground({**wall, (33, 32): digit, (35, 32): 8}))
        way = "3 steps right" if open_ else NONE
        assert answer(world, "D_nav_to_target", step=1, terrain="diamond") == way, digit


def test_no_way_leads_through_a_target() -> None:
    # the nearer tree bars the way to the farther one, which is not nearest anyway
    world = Play().go("NOOP").world(ground({(33, 32): 5, (34, 32): 5}))
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == "1 step right"


def test_a_way_is_told_in_runs() -> None:
    wall = {(33, y): 0 for y in range(30, 64)}
    world = Play().go("NOOP").world(ground({**wall, (35, 32): 4}))
    # round the wall's end at y = 29; down as soon as the wall is passed, for down comes before right
    way = "3 steps up, 2 steps right, 3 steps down and 1 step right"
    assert answer(world, "D_nav_to_target", step=1, terrain="sand") == way


def test_a_way_of_nothing_is_nought() -> None:
    world = Play().go("NOOP").world()
    assert answer(world, "D_nav_to_target", step=1, terrain="grass") == "0"


def test_ways_are_over_the_map_at_the_very_end() -> None:
    play = Play().many("NOOP").go("MOVE_RIGHT", blocked=True).go("DO", earn="collect_wood")
    world = play.world(ground({(33, 32): 5, (32, 29): 5}))
    assert answer(world, "D_nav_to_target", step=1, terrain="tree") == "3 steps up"
    assert answer(world, "D_nav_to_target", horizon=1, step=1, terrain="tree") == "3 steps up"


def test_ways_lead_to_what_was_not_seen_but_the_unseen_is_no_answer_of_its_own_template() -> None:
    world = Play().go("NOOP").world(ground({(42, 32): 9}))
    assert answer(world, "D_nav_to_target", step=1, terrain="lava") == "10 steps right"
    assert answer(world, "G_unreachable_nav", step=1, terrain="lava") == NONE


def test_distances_are_of_ways_over_the_final_map_and_the_first_of_equals_wins() -> None:
    # the only lake is at (32, 36): 4 steps from the spawn
    play = Play().many("NOOP", "MOVE_DOWN", "NOOP", "MOVE_UP", "MOVE_UP", "MOVE_UP", "NOOP")
    world = play.world(ground({(32, 36): 0}))
    assert answer(world, "D_min_dist", terrain="lake") == 2
    assert answer(world, "D_max_dist", terrain="lake") == 6
    assert answer(world, "D_max_dist", horizon=4, terrain="lake") == 1
    assert answer(world, "D_min_dist", terrain="stone") == NONE


def test_steps_from_which_no_way_leads_are_passed_over() -> None:
    # water rings the spawn; the log has the player outside it from step 2 on
    ring = {(x, y): 0 for x in (31, 32, 33) for y in (31, 32, 33) if (x, y) != (32, 32)}
    play = Play().go("NOOP")
    play.at = (34, 32)
    play.many("NOOP", "MOVE_RIGHT")
    world = play.world(ground({**ring, (38, 32): 5}))
    assert answer(world, "D_max_dist", terrain="tree") == 2
    assert answer(world, "D_min_dist", terrain="tree") == 3
