"""Events are told from what the screen shows before and after a step: what did it, and what only looks so."""

from __future__ import annotations

from tests.pitwall_exam.grid.small_worlds import ask, state, trace
from tests.pitwall_exam.grid_world import WORDS, World

from pitwall_exam.episode.states import GridState
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.grid.events import ATTACK, DEADLY, as_player_knows, catalogue, cause_of_harm
from pitwall_exam.grid.index import GridIndex


def step(before: GridState, after: GridState, action: str = "wait_turn") -> Moment[GridState]:
    return Moment(1, action, "", before, after)


def happened(walk: Trace[GridState], when: str) -> list[int]:
    index = GridIndex(walk, WORDS)
    return list(index.happened(index.catalogue[when]))


def test_a_loss_is_an_attack_unless_want_explains_it() -> None:
    assert cause_of_harm(step(state(), state(health=7)), WORDS) == ATTACK
    assert cause_of_harm(step(state(), state(health=8)), WORDS) == ATTACK  # health came back in the same turn
    assert cause_of_harm(step(state(food=0), state(food=0, health=8)), WORDS) == "starvation"
    assert cause_of_harm(step(state(food=0, drink=0), state(health=8)), WORDS) == "starvation and dehydration"
    assert (
        cause_of_harm(step(state(food=0), state(food=0, health=7)), WORDS) == ATTACK
    )  # more than want takes
    assert cause_of_harm(step(state(health=5), state(health=6)), WORDS) == ""
    assert cause_of_harm(step(state(), state()), WORDS) == ""


def test_lava_is_no_attack() -> None:
    into = step(state((0, 0), "@!"), state((1, 0), health=0, dead=True), "move_right")
    past = step(state((0, 0), "@!", health=2), state((0, 0), health=0, dead=True), "move_left")
    assert cause_of_harm(into, WORDS) == DEADLY
    assert cause_of_harm(past, WORDS) == ATTACK


def test_of_a_death_only_what_the_end_screen_leaves_is_known() -> None:
    before = state((0, 0), "@T", health=2, items={"wood": 1})
    true = step(before, state((0, 0), health=0, food=0, items={"wood": 2}, dead=True))
    read = step(before, GridState(None, dead=True))
    assert as_player_knows(true, WORDS) == as_player_knows(read, WORDS)
    assert as_player_knows(true, WORDS).after.stats["health"] == 0
    assert as_player_knows(true, WORDS).after.items == {"wood": 1}
    alive = step(state(), state(food=0))
    assert as_player_knows(alive, WORDS) is alive


def test_placing_counts_where_what_it_takes_is_gone() -> None:
    wood = {"wood": 3}
    walk = trace(
        [
            state(items={"wood": 1}),
            state(items={"wood": 1}),
            state(items=wood),
            state(items={"wood": 1}),
            state(),
        ],
        ["place_table", "wait_turn", "place_table", "wait_turn"],
    )
    assert happened(walk, "the step when you first placed a table") == [3]


def test_collecting_making_falling_and_rising() -> None:
    states = [
        state(),
        state(items={"wood": 1}, food=7),
        state(items={"wood": 2}, food=5),
        state(items={"wood": 1, "wood_pickaxe": 1}, food=9),
    ]
    walk = trace(states, ["interact", "interact", "make_wood_pickaxe"])
    assert happened(walk, "the step when you first collected wood") == [1, 2]
    assert happened(walk, "the step when you first made a wood_pickaxe") == [3]
    assert happened(walk, "the step when your food first fell below 8") == [1]
    assert happened(walk, "the step when your food first fell below 6") == [2]
    assert happened(walk, "the step when your food first fell below 5") == []
    assert happened(walk, "the step when you first ate") == [3]
    assert happened(walk, "the step when you first drank") == []


def test_standing_seeing_sleeping() -> None:
    states = [
        state((0, 0), "@T"),
        state((1, 0), "@.", ground="sand"),
        state((1, 0), "@~", ground="sand"),
        state(),
    ]
    walk = trace(states, ["move_right", "sleep", "wait_turn"])
    assert happened(walk, "the step when you first stepped onto sand") == [1]
    assert happened(walk, "the step when you first stepped onto grass") == [3]
    assert happened(walk, "the step when you first saw water") == [3]
    assert happened(walk, "the step when you first went to sleep") == [2]


def test_an_unread_screen_makes_no_event() -> None:
    blank = GridState(None)
    walk = trace([state(items={"wood": 2}), blank, state(items={"wood": 2}, food=3)], ["place_table"])
    index = GridIndex(walk, WORDS)
    assert {event.when for event in index.catalogue.values() if index.happened(event)} == set()


def test_every_event_is_said_once_and_in_the_same_order() -> None:
    phrases = [event.when for event in catalogue(WORDS)]
    deeds = [event.deed for event in catalogue(WORDS) if event.deed]
    assert len(phrases) == len(set(phrases))
    assert len(deeds) == len(set(deeds))
    assert phrases == [event.when for event in catalogue(WORDS)]
    assert " before " not in " ".join(phrases)  # where one event ends and the next begins must be plain


def test_deaths_have_their_causes() -> None:
    def death(*states: GridState, action: str = "wait_turn") -> tuple[str, ...]:
        return ask(
            trace([state(), *states, GridState(None, dead=True)], ["wait_turn"] * len(states) + [action]),
            "F_death_reason",
        )

    assert death(state(health=1, food=0))[0] == "starvation"
    assert set(death(state(health=1, food=0, drink=0))) >= {
        "starvation and dehydration",
        "dehydration and starvation",
        "dehydration",
    }
    assert death(state(health=1, energy=0))[0] == "exhaustion"
    assert death(state(health=2, food=0))[0] == "an attack"
    assert death(state((0, 0), "@!"), action="move_right")[0] == "lava"
    assert ask(trace([state(), state()]), "F_death_reason") == ()  # the living died of nothing


def test_whoever_walks_on_has_not_died_yet() -> None:
    for seed in range(40):
        walk = World(seed).trace(400)
        if walk.ended:
            assert ask(walk, "F_death_reason")
            assert ask(walk.until(len(walk) - 1), "F_death_reason") == ()
            return
    raise AssertionError("no walk of these ends by death")
