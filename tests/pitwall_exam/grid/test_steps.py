"""What one step held, which step was the nth of its kind, and what was done around it."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.grid.small_worlds import ask, find, state, trace
from tests.pitwall_exam.grid_world import WORDS

from pitwall_exam.grid.index import Indexes
from pitwall_exam.grid.steps import keywords, strange_keywords

ACTIONS = ["move_up", "sleep", "move_up", "interact", "move_up", "move_up"]
REASONS = ["Look for trees.", "Tired.", "A tree: gather it.", "", "The TREE is near.", "Streets of trees."]
GROUNDS = ["grass", "sand", "sand", "grass", "path", "sand", "grass"]
WALK = trace([state(ground=ground) for ground in GROUNDS], ACTIONS, REASONS)


@pytest.mark.parametrize(("which", "step"), [("first", "1"), ("second", "3"), ("third", "5"), ("last", "6")])
def test_occurrences_of_an_action(which: str, step: str) -> None:
    assert ask(WALK, "A_occ_action", nth=which, action="move_up") == (step,)


def test_an_occurrence_that_there_was_not_is_not_answerable() -> None:
    assert ask(WALK, "A_occ_action", nth="last", action="sleep") == ("2",)
    assert ask(WALK, "A_occ_action", nth="second", action="sleep") == ()
    assert ask(WALK, "A_occ_action", nth="first", action="place_table") == ()


def test_keywords_are_whole_words_in_any_case() -> None:
    assert ask(WALK, "A_occ_keyword", nth="first", keyword="tree") == ("3",)
    assert ask(WALK, "A_occ_keyword", nth="second", keyword="Tree") == ("5",)
    assert ask(WALK, "A_occ_keyword", nth="last", keyword="gather it") == ("3",)
    assert ask(WALK, "A_occ_keyword", nth="first", keyword="teleport") == ()


def test_a_keyword_that_stands_within_a_word_is_not_asked_as_one_that_nobody_said() -> None:
    walk = trace([state()] * 3, ["noop"] * 2, ["Make a wood pickaxe.", "Streets of trees by the rivers."])
    strange = strange_keywords(Indexes(WORDS).of(walk))
    assert "teleport" in strange and "stone_pickaxe" in strange
    assert not {"tree", "river", "wood", "wood_pickaxe"} & set(strange)


def test_a_keyword_that_stands_within_other_words_is_not_asked_about() -> None:
    walk = trace([state()] * 3, ["noop"] * 2, ["A tree near water.", "More trees; make a wood_pickaxe."])
    assert set(keywords(Indexes(WORDS).of(walk))) == {"water", "trees"}


def test_terrain_is_what_one_stood_on_when_the_step_was_decided() -> None:
    assert ask(WALK, "A_occ_terrain", nth="first", terrain="sand") == ("2",)
    assert ask(WALK, "A_occ_terrain", nth="last", terrain="sand") == ("6",)
    assert ask(WALK, "A_occ_terrain", nth="first", terrain="lava") == ()
    assert ask(WALK, "A_terrain", step=5) == ("path",)
    assert ask(WALK, "A_terrain", step=7) == ()


def test_hops_before_and_after() -> None:
    assert find(
        WALK, "B_action", {"offset": 2, "side": "after", "nth": "first", "action": "sleep"}
    ).steps == (2, 4)
    assert ask(WALK, "B_action", offset=2, side="after", nth="first", action="sleep") == ("interact",)
    assert ask(WALK, "B_action", offset=1, side="before", nth="first", action="sleep") == ("move_up",)
    assert ask(WALK, "B_action", offset=2, side="before", nth="first", action="sleep") == ()
    assert ask(WALK, "B_action", offset=1, side="after", nth="last", action="move_up") == ()
    assert ask(WALK, "B_keyword", offset=1, side="before", nth="last", keyword="tree") == ("interact",)
    assert ask(WALK, "B_terrain", offset=1, side="after", nth="first", terrain="path") == ("move_up",)
    assert ask(WALK, "B_terrain", offset=1, side="after", nth="first", terrain="lava") == ()


def test_single_steps() -> None:
    walk = trace([state(food=4, items={"wood": 2}), state()], ["interact"], ["Eat."])
    assert ask(walk, "A_action", step=1) == ("interact",)
    assert ask(walk, "A_reason", step=1) == ("Eat.",)
    assert ask(walk, "A_stat", stat="food", step=1) == ("4",)
    assert ask(walk, "A_stat", stat="anger", step=1) == ()
    assert ask(walk, "A_inventory", resource="wood", step=1) == ("2",)
    assert ask(walk, "A_inventory", resource="iron", step=1) == ("0",)
    assert ask(walk, "A_inventory", resource="gold", step=1) == ()
    for template in ("A_action", "A_reason", "A_terrain"):
        assert ask(walk, template, step=2) == ask(walk, template, step=0) == ()
    assert ask(WALK, "A_reason", step=4) == ()  # none was given
