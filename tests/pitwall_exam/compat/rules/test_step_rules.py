"""What was so at a step, when it was, and what a stretch comes to; how lines are worded and filled in."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.compat.published_episodes import Play, answer, ground, line

from pitwall_exam.compat.catalogue import TEMPLATES

NONE = "not answerable"


def test_there_are_66_templates() -> None:
    assert len(TEMPLATES) == 66


def test_a_step_is_asked_about_after_its_action() -> None:
    play = Play().go("DO", wood=1, reason="Chop.").go("PLACE_TABLE", wood=0, drink=8, energy=7)
    world = play.world(ground({(32, 32): 4}))
    assert answer(world, "A_action", step=1) == "DO"
    assert answer(world, "A_reason", step=1) == "Chop."
    assert answer(world, "A_reason", step=2) == ""
    assert answer(world, "A_inventory", step=1, resource="wood") == 1
    assert answer(world, "A_inventory", step=2, resource="wood") == 0
    assert answer(world, "A_stat", step=2, stat="water") == 8
    assert answer(world, "A_stat", step=2, stat="rest") == 7
    assert answer(world, "A_terrain", step=2) == "sand"
    assert answer(world, "A_action", step=3) == NONE


def test_occurrences_are_counted_within_the_horizon() -> None:
    world = Play().many("DO", "NOOP", "DO", "DO", "NOOP", "DO").world()
    result = [answer(world, f"A_occ_action_{which}", which=which, action="DO") for which in _WHICH]
    assert result == [1, 3, 4, 6]
    result = [answer(world, f"A_occ_action_{which}", 3, which=which, action="DO") for which in _WHICH]
    assert result == [1, 3, NONE, 3]
    assert answer(world, "A_occ_action_missing", which="first", action="SLEEP") == NONE


_WHICH = ("first", "second", "third", "last")


def test_a_keyword_is_found_within_words_and_in_any_case() -> None:
    world = Play().go("NOOP", reason="A GREAT day").go("NOOP").go("NOOP", reason="eat, eat").world()
    assert answer(world, "A_occ_keyword_first", which="first", keyword="eat") == 1
    assert answer(world, "A_occ_keyword_last", which="last", keyword="eat") == 3
    assert answer(world, "C_keyword_count", keyword="eat") == 2  # steps, not mentions
    assert answer(world, "G_unused_keyword", which="first", keyword="cave") == NONE


def test_terrain_underfoot_is_found_on_the_map_of_its_time() -> None:
    play = (
        Play().go("MOVE_RIGHT", blocked=True).go("DO", earn="collect_stone").many("MOVE_RIGHT", "MOVE_LEFT")
    )
    world = play.world(ground({(33, 32): 2}))
    assert answer(world, "A_occ_terrain_first", which="first", terrain="path") == 3
    assert answer(world, "A_occ_terrain_second", which="second", terrain="path") == NONE
    assert answer(world, "A_occ_terrain_last", which="last", terrain="grass") == 4


def test_the_action_beside_an_occurrence_must_lie_in_the_stretch() -> None:
    world = Play().many("NOOP", "DO", "SLEEP", "MOVE_UP", "DO").world()

    def beside(which: str, offset: int, side: str, horizon: int = -1) -> object:
        return answer(world, f"B_action_{which}", horizon, which=which, offset=offset, side=side, action="DO")

    assert beside("first", 1, "before") == "NOOP"
    assert beside("first", 2, "after") == "MOVE_UP"
    assert beside("first", 2, "after", 3) == NONE
    assert beside("first", 2, "before") == NONE
    assert beside("last", 1, "after") == NONE
    assert beside("third", 1, "before") == NONE


@pytest.mark.parametrize(
    ("actions", "most"),
    [
        (("MOVE_UP", "MOVE_LEFT", "MOVE_LEFT"), "MOVE_LEFT"),
        (("MOVE_UP", "MOVE_RIGHT", "DO", "DO", "DO"), "MOVE_RIGHT"),  # a tie: the first by name
        (("MOVE_RIGHT", "MOVE_LEFT", "MOVE_DOWN", "MOVE_UP"), "MOVE_DOWN"),
        (("DO", "NOOP"), NONE),
    ],
)
def test_the_most_common_move(actions: tuple[str, ...], most: str) -> None:
    assert answer(Play().many(*actions).world(), "C_most_move") == most


def test_blocked_moves_count_as_moves_but_not_as_steps_walked() -> None:
    play = Play().many("MOVE_UP").go("MOVE_LEFT", blocked=True).go("MOVE_LEFT", blocked=True)
    assert answer(play.world(), "C_most_move") == "MOVE_LEFT"
    assert answer(play.world(), "D_path_length") == 1  # the very first step, from the spawn


def test_the_longest_run() -> None:
    world = Play().many("DO", "DO", "NOOP", "DO", "DO", "DO", "SLEEP").world()
    assert answer(world, "C_longest_run", action="DO") == 3
    assert answer(world, "C_longest_run", 5, action="DO") == 2
    assert answer(world, "C_longest_run", action="PLACE_TABLE") == 0


def test_collecting_counts_rises_from_the_second_step_on() -> None:
    play = (
        Play().go("DO", wood=1).go("DO", wood=3).go("PLACE_TABLE", wood=1).go("DO", wood=2).go("NOOP", wood=0)
    )
    assert answer(play.world(), "C_collect_res", resource="wood") == 2
    assert answer(play.world(), "C_collect_res", 2, resource="wood") == 1
    assert answer(play.world(), "C_resource_change", resource="wood") == -1  # 0 less the 1 after step 1


def test_a_peak_is_the_first_maximum_of_the_whole_episode() -> None:
    play = Play().go("DO", wood=1).go("DO", wood=3).go("DO", wood=2).go("DO", wood=3)
    assert answer(play.world(), "C_resource_peak", resource="wood") == 2
    assert answer(play.world(), "C_resource_peak", horizon=1, resource="wood") == 2
    assert answer(play.world(), "G_unused_resource_peak", resource="coal") == NONE


def test_displacement_is_from_the_spawn_or_from_after_the_first_step() -> None:
    play = Play().many("MOVE_RIGHT", "MOVE_RIGHT", "MOVE_DOWN", "MOVE_LEFT")
    assert answer(play.world(), "D_displacement") == "1 step right and 1 step down"
    assert answer(play.world(), "D_displacement", horizon=4) == "1 step down"
    assert answer(play.world(), "D_displacement", horizon=2) == "1 step right"
    assert answer(play.world(), "D_displacement", horizon=1) == "0"
    left = Play().many("MOVE_LEFT", "MOVE_LEFT", "MOVE_UP")
    assert answer(left.world(), "D_displacement") == "2 steps left and 1 step up"


def test_a_horizon_begins_questions_about_a_stretch_and_keeps_their_capital() -> None:
    world = Play().many(*["NOOP"] * 60).world()
    message = line(world, "F_attack_count", horizon=50)
    assert message.question == "From step 1 to 50, How many times were you attacked?"
    assert (message.range, message.difficulty, message.type) == ([0, 49], 50, "Logical")
    untold = line(world, "F_attack_count")
    assert untold.question == "How many times were you attacked?"
    assert (untold.range, untold.difficulty) == ([0, 59], 60)
    at_step = line(world, "A_action", horizon=50, step=7)
    assert at_step.question == "What is the action at step 7?"
    assert (at_step.range, at_step.difficulty) == ([0, 49], 50)
    assert line(world, "A_action", step=7).difficulty == 1
    way = line(world, "G_unreachable_nav", horizon=50, step=7, terrain="lava").question
    assert way.startswith("From step 1 to 50, At step 7, starting from your current position, ")


def test_kinds_are_spelled_as_published() -> None:
    world = Play().many("NOOP", "DO").world()
    assert line(world, "A_action", step=1).type == "Single\u2011Hop"
    beside = line(world, "B_action_first", side="before", which="first", action="DO", offset=1)
    assert beside.type == "Multi\u2011Hop"
    beyond = line(world, "B_action_first", side="after", which="first", action="DO", offset=1)
    assert beyond.type == "adversarial"
    assert line(world, "C_most_move").type == "adversarial"
    assert line(world, "D_path_length").type == "Spatial"
    end = "you died at the end of the episode"
    assert line(world, "E_event_order", event=end, other=end).type == "Time"
