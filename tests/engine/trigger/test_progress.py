"""What counts as progress, by kind."""

from __future__ import annotations

import pytest

from pitwall.core.errors import ConditionError
from pitwall.core.observations import Value
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.games.schema.profile import ProgressRules

RULES = ProgressRules(
    position=["x", "y"],
    facing=["heading"],
    selection=["slot"],
    inventory=["wood", "stone"],
    dialogue=["line"],
    tolerance={"x": 2.0},
    done="score >= 10",
)
START: dict[str, Value] = {
    "x": 10,
    "y": 5,
    "heading": "north",
    "slot": 1,
    "wood": 0,
    "stone": 0,
    "line": "",
    "score": 0,
    "status": "playing",
}


def _counter() -> ProgressCounter:
    counter = ProgressCounter(RULES)
    assert counter.update(START, effect_confirmed=False) == ()
    return counter


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({}, ()),
        ({"x": 12}, ()),
        ({"x": 12.5}, ("position",)),
        ({"x": 20, "y": 6}, ("position",)),
        ({"heading": "east"}, ("facing",)),
        ({"slot": 2}, ("selection",)),
        ({"wood": 1}, ("inventory",)),
        ({"wood": None}, ()),
        ({"line": "Hello."}, ("dialogue",)),
        ({"status": "menu"}, ("dialogue",)),
        ({"status": "menu", "line": "Save?"}, ("dialogue",)),
        ({"status": "loading"}, ()),
        ({"score": 9}, ()),
        ({"score": 10}, ("done",)),
        ({"x": 0, "heading": "south", "wood": 3, "score": 11}, ("position", "facing", "inventory", "done")),
    ],
)
def test_kinds(changed: dict[str, Value], kinds: tuple[str, ...]) -> None:
    counter = _counter()
    assert counter.update({**START, **changed}, effect_confirmed=False) == kinds
    assert counter.count == len(kinds)


def test_the_way_back_from_a_menu_counts_too() -> None:
    counter = _counter()
    counter.update({**START, "status": "menu"}, effect_confirmed=False)
    assert counter.update(START, effect_confirmed=False) == ("dialogue",)
    assert counter.update(START, effect_confirmed=False) == ()
    assert counter.count == 2


def test_a_confirmed_effect_counts_unless_the_profile_says_no() -> None:
    assert _counter().update(START, effect_confirmed=True) == ("effect",)
    without = ProgressCounter(RULES.model_copy(update={"effects": False}))
    assert without.update(START, effect_confirmed=True) == ()


def test_done_counts_each_time_it_becomes_true() -> None:
    counter = _counter()
    scores = [9, 10, 11, 3, 12]
    grown = [counter.update({**START, "score": score}, effect_confirmed=False) for score in scores]
    assert grown == [(), ("done",), (), (), ("done",)]


def test_done_from_the_start_is_no_progress() -> None:
    counter = ProgressCounter(RULES)
    assert counter.update({**START, "score": 99}, effect_confirmed=False) == ()
    assert counter.update({**START, "score": 99}, effect_confirmed=False) == ()


def test_jitter_never_counts_and_drift_counts_when_it_adds_up() -> None:
    counter = _counter()
    jitter = [counter.update({**START, "x": x}, effect_confirmed=False) for x in (11, 9, 12, 8, 10)]
    drift = [counter.update({**START, "x": x}, effect_confirmed=False) for x in (11, 12, 13, 14, 15, 16)]
    assert jitter == [()] * 5
    assert drift == [(), (), ("position",), (), (), ("position",)]


def test_an_unreadable_field_is_compared_with_its_last_value() -> None:
    counter = _counter()
    assert counter.update({**START, "wood": None}, effect_confirmed=False) == ()
    assert counter.update({**START, "wood": 0}, effect_confirmed=False) == ()
    assert counter.update({**START, "wood": 2}, effect_confirmed=False) == ("inventory",)


def test_a_field_first_read_later_is_no_change() -> None:
    counter = ProgressCounter(RULES)
    assert counter.update({"status": "playing"}, effect_confirmed=False) == ()
    assert counter.update(START, effect_confirmed=False) == ()
    assert counter.update({**START, "x": 90}, effect_confirmed=False) == ("position",)


def test_without_rules_only_effects_and_menus_count() -> None:
    counter = ProgressCounter(ProgressRules())
    assert counter.update(START, effect_confirmed=True) == ("effect",)
    assert counter.update({**START, "x": 99}, effect_confirmed=False) == ()
    assert counter.update({**START, "status": "menu"}, effect_confirmed=False) == ("dialogue",)


def test_a_done_condition_that_does_not_parse() -> None:
    with pytest.raises(ConditionError, match="score >="):
        ProgressCounter(ProgressRules(done="score >="))
