"""Orders, delays, what held afterwards, what could be made, and what hurt."""

from __future__ import annotations

from tests.pitwall_exam.grid.small_worlds import ask, state, trace

WOOD = "the step when you first collected wood"
HUNGRY = "the step when your food first fell below 7"
STONE = "the step when you first collected stone"
HIT = "the step when you were first attacked"
WALK = trace(
    [
        state(),
        state(items={"wood": 1}),
        state(items={"wood": 2}, food=6),
        state(items={"wood": 2}, food=6, health=7),
        state(items={"wood": 2, "wood_pickaxe": 1}, food=6, health=8),
        state(items={"wood": 2, "wood_pickaxe": 1}, food=6, health=5),
    ],
    ["interact"] * 5,
)


def test_orders_need_both_events() -> None:
    assert ask(WALK, "E_event_order", event_a=WOOD, event_b=HUNGRY) == ("yes",)
    assert ask(WALK, "E_event_order", event_a=HUNGRY, event_b=WOOD) == ("no",)
    assert ask(WALK, "E_event_order", event_a=WOOD, event_b=WOOD) == ("no",)
    assert ask(WALK, "E_event_order", event_a=WOOD, event_b=STONE) == ()
    assert ask(WALK, "E_event_order", event_a=STONE, event_b=WOOD) == ()
    assert ask(WALK, "E_event_order", event_a="the day you were born", event_b=WOOD) == ()


def test_intervals_run_forward() -> None:
    assert ask(WALK, "E_event_interval", event_a=WOOD, event_b=HIT) == ("2",)
    assert ask(WALK, "E_event_interval", event_a=HIT, event_b=WOOD) == ()
    peckish = "the step when your food first fell below 8"
    assert ask(WALK, "E_event_interval", event_a=HUNGRY, event_b=peckish) == ("0",)
    assert ask(WALK, "E_event_interval", event_a=WOOD, event_b=STONE) == ()


def test_states_are_those_right_after_the_event() -> None:
    assert ask(WALK, "E_state_after_event", event=HIT, stat="health") == ("7",)
    assert ask(WALK, "E_state_after_event", event=HUNGRY, stat="food") == ("6",)
    assert ask(WALK, "E_state_after_event", event=STONE, stat="food") == ()
    died = trace([state(health=1), state(health=0, dead=True)])
    assert ask(died, "E_state_after_event", event=HIT, stat="health") == ()


def test_what_can_be_made_depends_on_resources_alone() -> None:
    assert ask(WALK, "F_craft_feasibility", craft="table", step=2) == ("no",)
    assert ask(WALK, "F_craft_feasibility", craft="table", step=3) == ("yes",)
    assert ask(WALK, "F_craft_feasibility", craft="stone_pickaxe", step=3) == ("no",)
    assert ask(WALK, "F_craft_feasibility", craft="ship", step=3) == ()


def test_deeds_are_listed_step_by_step() -> None:
    assert ask(WALK, "F_event_loc", deed="collect wood") == ("1, 2",)
    assert ask(WALK, "F_event_loc", deed="make a wood_pickaxe") == ("4",)
    assert ask(WALK, "F_event_loc", deed="collect stone") == ()


def test_attacks_are_counted() -> None:
    assert ask(WALK, "F_attack_count") == ("2",)
    assert ask(WALK, "F_first_attack_step") == ("3",)
    assert ask(WALK, "F_last_attack_step") == ("5",)
    assert ask(WALK.until(4), "F_last_attack_step") == ("3",)
    assert ask(WALK.until(2), "F_attack_count") == ("0",)
    assert ask(WALK.until(2), "F_first_attack_step") == ()


def test_what_is_carried_is_listed_with_and_without_amounts() -> None:
    assert ask(WALK, "F_inventory_contents", step=5)[:2] == ("wood, wood_pickaxe", "wood:2, wood_pickaxe:1")
    assert "nothing" in ask(WALK, "F_inventory_contents", step=1)
    assert ask(WALK, "F_inventory_contents", step=6) == ()
