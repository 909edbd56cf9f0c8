"""Events and their order, what could be made, what was carried, what hurt and what killed."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.compat.published_episodes import Play, answer, ground, line

from pitwall_exam.compat.world import World

NONE = "not answerable"
HURT = "you first took damage from an enemy"
LOW = "your health first became 2 or lower"
DRY = "your water first dropped below 3"
DEAD = "you died at the end of the episode"
TABLE = "you first placed a table"
FURNACE = "you first placed a furnace"
DRANK = "you first drank from a lake"
ATE = "you first ate any food"
SAND = "you first stepped onto a sand tile"


@pytest.fixture
def eventful() -> World:
    play = Play()
    play.go("PLACE_TABLE")  # 1: has no wood, and counts
    play.go("NOOP", drink=2)  # 2
    play.go("DO", drink=3)  # 3: drinks
    play.go("NOOP", health=7)  # 4: hurt
    play.go("MOVE_RIGHT", health=2)  # 5: onto sand, hurt again
    play.go("PLACE_TABLE", health=3, earn="place_table")  # 6
    play.go("DO", food=9, health=3)  # 7
    play.go("MOVE_LEFT", health=0)  # 8: dies
    return play.world(ground({(33, 32): 4}))


@pytest.mark.parametrize(
    ("event", "other", "said"),
    [
        *((TABLE, HURT, "before"), (HURT, TABLE, "after"), (LOW, SAND, "after"), (SAND, LOW, "after")),
        *((DRANK, DRY, "after"), (DEAD, LOW, "after"), (TABLE, FURNACE, NONE), (ATE, DEAD, NONE)),
    ],
)
def test_order_says_after_also_of_events_at_once(eventful: World, event: str, other: str, said: str) -> None:
    assert answer(eventful, "E_event_order", event=event, other=other) == said


@pytest.mark.parametrize(
    ("event", "step"),
    [
        *(
            ("you first placed a plant", 2),
            ("you first collected wood", 3),
            ("you first collected any coal", 0),
        ),
        *(("your food first dropped below 5", 4), ("your rest first became 6 or lower", 1)),
        *(("you first stepped onto a sand tile", 5), ("you first stepped onto a path tile", 0)),
    ],
)
def test_events_of_the_same_wording_are_read_too(event: str, step: int) -> None:
    play = Play().go("NOOP", energy=6).go("PLACE_PLANT").go("DO", wood=1).go("NOOP", food=4).go("MOVE_UP")
    end = "you died at the end of the episode"
    text = answer(play.world(ground({(32, 31): 4})), "E_event_interval", event=event, other=end)
    assert text == (5 - step if step else NONE)


def test_a_placed_table_is_its_first_attempt(eventful: World) -> None:
    assert answer(eventful, "E_event_interval", event=TABLE, other=HURT) == 3
    asked = line(eventful, "E_event_interval", event=TABLE, other=HURT)
    assert (asked.range, asked.difficulty) == ([0, 3], 3)


def test_counting_between_events_includes_both(eventful: World) -> None:
    low, dry = "your health was 2 or lower", "your water was below 3"
    assert answer(eventful, "E_event_count", event=LOW, other=DEAD, counted=low) == 2  # steps 5 and 8
    assert answer(eventful, "E_event_count", event=TABLE, other=LOW, counted=dry) == 1  # step 2
    assert answer(eventful, "E_event_count", event=HURT, other=DEAD, counted="you were attacked") == 3
    assert answer(eventful, "E_event_count", event=TABLE, other=DEAD, counted="you drank from a lake") == 1
    asked = line(eventful, "E_event_count", event=LOW, other=DEAD, counted=low)
    assert (asked.range, asked.difficulty) == ([4, 7], 4)


def test_the_state_beside_an_event(eventful: World) -> None:
    under, health = "the terrain directly under you", "your health value"

    def beside(side: str, event: str, state: str) -> object:
        return answer(eventful, f"E_state_{side}_event", event=event, state=state, offset=1, unit="step")

    assert beside("before", SAND, under) == "grass"
    assert beside("after", SAND, under) == "sand"
    assert beside("before", DEAD, health) == 3
    assert beside("after", DEAD, health) == NONE
    two = line(eventful, "E_state_after_event", event=HURT, state=health, offset=2, unit="steps")
    assert two.question == f"2 steps after the step when {HURT}, what was your health value?"
    assert (two.gt, two.range, two.difficulty) == (3, [5, 5], 1)


def test_events_heed_no_horizon(eventful: World) -> None:
    assert answer(eventful, "E_event_interval", horizon=2, event=TABLE, other=DEAD) == 7
    assert line(eventful, "E_event_order", horizon=2, event=TABLE, other=DEAD).range == [0, 7]


def test_any_fall_of_health_after_the_first_step_is_an_attack() -> None:
    play = Play().go("NOOP", health=5).go("NOOP", health=4, food=0).go("NOOP").go("NOOP", health=6)
    world = play.go("NOOP", health=3).world()
    assert answer(world, "F_attack_count") == 2
    assert answer(world, "F_attack_count", horizon=4) == 1
    assert answer(world, "F_first_attack_step") == "2"
    assert answer(world, "F_last_attack_step") == "5"
    assert answer(world, "F_last_attack_step", horizon=3) == "5"
    assert answer(Play().many("NOOP", "NOOP").world(), "F_first_attack_step") == NONE


@pytest.mark.parametrize(
    ("lacking", "cause"),
    [
        (("food", "drink", "energy"), "starvation and dehydration"),
        (("food", "energy"), "starvation"),
        (("drink", "energy"), "dehydration"),
        (("energy",), "exhaustion"),
        ((), "damage from enemies or environment"),
    ],
)
def test_the_cause_of_death_is_what_the_last_step_lacked(lacking: tuple[str, ...], cause: str) -> None:
    play = Play().many("NOOP").has(dict.fromkeys(lacking, 0)).go("NOOP")
    assert answer(play.world(), "F_death_reason") == NONE
    assert answer(play.go("NOOP", health=0).world(), "F_death_reason", horizon=1) == cause


@pytest.mark.parametrize(
    ("craft", "enough", "short"),
    [
        ("place_table", {"wood": 2}, {"wood": 1}),
        ("place_furnace", {"stone": 2}, {"stone": 1, "wood": 9}),
        ("build a wood_pickaxe", {"wood": 1}, {"stone": 9}),
        ("build a stone_pickaxe", {"wood": 1, "stone": 1}, {"wood": 9}),
        ("build a iron_pickaxe", {"wood": 1, "coal": 1, "iron": 1}, {"wood": 1, "coal": 1}),
        ("build a wood_sword", {"wood": 1}, {}),
        ("build a stone_sword", {"wood": 1, "stone": 1}, {"stone": 9}),
        ("build a iron_sword", {"wood": 1, "coal": 1, "iron": 1}, {"iron": 9, "coal": 9}),
    ],
)
def test_crafting_looks_at_resources_only(craft: str, enough: dict[str, int], short: dict[str, int]) -> None:
    assert answer(Play().has(enough).go("NOOP").world(), "F_craft_feasibility", step=1, craft=craft) == "yes"
    assert answer(Play().has(short).go("NOOP").world(), "F_craft_feasibility", step=1, craft=craft) == "no"


def test_steps_of_drinking_and_eating() -> None:
    play = Play().go("NOOP", drink=5, food=3).go("DO", drink=6).go("DO", drink=7, food=9).go("NOOP", drink=6)
    world = play.go("DO", drink=7).go("NOOP", drink=4).world()
    assert answer(world, "F_event_loc", event="drink") == "2, 3, 5"
    assert answer(world, "F_event_loc", horizon=4, event="drink") == "2, 3"
    assert answer(world, "F_event_loc", event="eat") == "3"
    assert answer(world, "F_event_loc", horizon=2, event="eat") == NONE


def test_contents_are_told_by_name_whatever_the_horizon() -> None:
    world = Play().many("NOOP").go("DO", stone=4, sapling=1, wood_pickaxe=1, wood=2).world()
    assert answer(world, "F_inventory_contents", step=1) == "empty"
    message = line(world, "F_inventory_contents", horizon=1, step=2)
    assert message.gt == "sapling:1, stone:4, wood:2, wood_pickaxe:1"
    assert (message.range, message.difficulty) == ([1, 1], 1)
