"""Choices without progress are barred for longer and longer: the bound, what is spared, what forgives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from tests.engine.control.model_fakes import walker

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.core.observations import GameStatus
from pitwall.engine.control.tabu import (
    MOST_DOUBLINGS,
    WRITE,
    OpenActions,
    TabuList,
    action_choice,
    bars_in_words,
    plan_choice,
    skill_choice,
    still_open,
)
from pitwall.games.actions.vocabulary import Vocabulary

PLAYING, MENU = GameStatus.PLAYING, GameStatus.MENU


def _bound(useless: int, patience: int) -> int:
    """Steps without progress at most, as the module says."""
    times = next(number for number in range(1, 99) if 2**number > useless * number)
    return patience * useless * times


ADVERSARIES: dict[str, Callable[[Sequence[str], random.Random], str]] = {
    "the first again and again": lambda options, _: options[0],
    "the last": lambda options, _: options[-1],
    "by chance": lambda options, chance: chance.choice(options),
}


@pytest.mark.parametrize("prefers", ADVERSARIES, ids=str)
@pytest.mark.parametrize("useless", [1, 2, 3, 5, 9, 16, 31])
@pytest.mark.parametrize("patience", [1, 4])
def test_whatever_is_preferred_something_useful_is_left_alone_in_the_bound(
    prefers: str, useless: int, patience: int
) -> None:
    chance = random.Random(useless)
    tabu = TabuList(patience)
    bad, good = [skill_choice(f"bad {number}") for number in range(useless)], skill_choice("good")
    for steps in range(_bound(useless, patience) + 1):
        options = [choice for choice in still_open([*bad, good], tabu.bars(PLAYING, steps)) if choice != good]
        if not options:
            return
        tabu.note([ADVERSARIES[prefers](options, chance)], PLAYING, step=steps, progressed=False)
    raise AssertionError(f"{useless} useless choices were not all barred")


def test_a_bar_grows_up_to_the_longest_and_its_own_progress_forgives_it() -> None:
    tabu, step, lengths = TabuList(2), 0, []
    for _ in range(MOST_DOUBLINGS + 2):
        for _ in range(2):
            tabu.note(["a"], PLAYING, step=step, progressed=False)
            step += 1
        until = tabu.bars(PLAYING, step)["a"]
        lengths.append(until - step)
        step = until
        assert "a" not in tabu.bars(PLAYING, step)
    assert lengths[:3] == [4, 8, 16] and lengths[-1] == lengths[-2] == 2 * 2**MOST_DOUBLINGS
    tabu.note(["a"], PLAYING, step=step, progressed=True)
    for _ in range(2):
        tabu.note(["a"], PLAYING, step=step, progressed=False)
    assert tabu.bars(PLAYING, step) == {"a": step + 1 + 4}


def test_progress_of_another_choice_ends_counts_but_no_bar() -> None:
    tabu = TabuList(2)
    for choice in ("a", "a", "b"):
        tabu.note([choice], PLAYING, step=1, progressed=False)
    tabu.note(["c"], PLAYING, step=2, progressed=True)
    tabu.note(["b"], PLAYING, step=3, progressed=False)
    assert set(tabu.bars(PLAYING, 4)) == {"a"}


def test_bars_hold_in_the_status_they_came_from_and_not_where_they_are_off() -> None:
    tabu = TabuList(1)
    tabu.note(["a"], PLAYING, step=1, progressed=False)
    assert set(tabu.bars(PLAYING, 2)) == {"a"} and not tabu.bars(MENU, 2)
    tabu.patience = 0
    assert not tabu.bars(PLAYING, 2)


def test_where_every_choice_is_barred_the_one_whose_bar_ends_first_is_left() -> None:
    assert still_open(["a", "b"], {"a": 9, "b": 5}) == ["b"]
    assert still_open([], {"a": 9}) == []


def test_barred_actions_leave_forms_and_parsing_and_the_plans_own_are_spared() -> None:
    space = Vocabulary(walker().profile)
    left, use = SemanticAction(name="turn_left"), SemanticAction(name="use")
    bars = {action_choice(action): 9 for action in (left, use, "forward(ms=200)")}
    spared = OpenActions(space, bars, [use])
    assert [form.name for form in spared.forms] == ["forward", "turn_right", "use"]
    assert spared.parse("use") == use and spared.parse("forward(ms=300)")
    for barred in ("turn_left", "forward(ms=200)"):
        with pytest.raises(IllegalAction, match="no progress"):
            spared.parse(barred)


def test_no_bar_takes_the_last_action_away() -> None:
    space = Vocabulary(walker().profile)
    bars = {action_choice(form.name): 9 for form in space.forms}
    only = [form for form in space.forms if not form.arguments]

    class Short:
        forms = tuple(only)
        parse = space.parse

    left = OpenActions(Short(), bars)
    assert left.forms == tuple(only) and left.parse("use")


def test_a_plan_is_the_choice_it_came_from() -> None:
    plan = Proposal(proposal_id=1, situation="", subgoal="", source="model:x skill:wait")
    assert plan_choice(plan) == "skill 'wait'"
    assert plan_choice(Proposal(proposal_id=1, situation="", subgoal="", source="model:x")) == WRITE
    words = bars_in_words({plan_choice(plan): 14}, 10)
    assert words == "Set aside, as it brought no progress: skill 'wait' (4 steps more)."
