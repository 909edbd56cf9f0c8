"""Each objection to a plan's next action, one at a time, and none at all."""

from __future__ import annotations

import pytest

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.control.legality import ActionSpace
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.step_evidence import ConsultTriggers
from pitwall.games.schema.profile import Skill

SEEN: dict[str, Value] = {
    "status": "playing",
    "wood": 3,
    "facing": "left",
    "open": True,
    "cow": None,
    "tree": 2.5,
}


def _against(
    changed: dict[str, Value] | None = None,
    *,
    planned: bool = True,
    last_effect: Effect | None = Effect.CONFIRMED,
    hint_success: dict[str, float] | None = None,
    status: GameStatus = GameStatus.PLAYING,
) -> str:
    triggers = ConsultTriggers()
    triggers.note_state(SEEN, GameStatus.PLAYING)
    return triggers.objections(
        SemanticAction(name="chop"),
        planned=planned,
        last_effect=last_effect,
        hint_success=hint_success or {},
        values=SEEN | (changed or {}),
        status=status,
    )


@pytest.mark.parametrize("effect", [Effect.CONFIRMED, Effect.NONE, None])
def test_where_all_is_as_it_was_nothing_speaks_against_it(effect: Effect | None) -> None:
    assert _against(last_effect=effect) == ""


@pytest.mark.parametrize("moved", [{"wood": 4}, {"tree": 1.5}, {"tree": -2.5}, {"facing": "right"}])
def test_numbers_and_texts_that_move_are_no_news(moved: dict[str, Value]) -> None:
    assert _against(moved) == ""


def test_an_effect_that_was_not_seen() -> None:
    assert _against(last_effect=Effect.UNVERIFIED) == "the last action's effect was not seen"


def test_no_plan_behind_it() -> None:
    assert _against(planned=False) == "no plan is in force"


@pytest.mark.parametrize(
    ("hint_success", "sentence"),
    [
        ({"chop": 0.8}, ""),
        ({"chop": 0.2}, "the memory does not speak for it"),
        ({"wait": 0.9}, ""),
        ({"wait": 0.9, "chop": 0.1}, "the memory does not speak for it"),
    ],
)
def test_a_failing_hint_is_an_objection(hint_success: dict[str, float], sentence: str) -> None:
    assert _against(hint_success=hint_success) == sentence


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"open": False}, "open is now false"),
        ({"cow": 4}, "cow is now known"),
        ({"tree": None}, "tree is now unknown"),
        ({"open": None}, "open is now unknown"),
        ({"new": 1}, "new is now known"),
    ],
)
def test_news_of_a_field(changed: dict[str, Value], sentence: str) -> None:
    assert _against(changed) == sentence


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        ({}, ""),
        ({"open": False, "cow": 4}, ""),
        ({"wood": 9}, "'chop' does not apply any more"),
        ({"health": 2}, "'rest' applies now, which comes first"),
        ({"wood": 9, "health": 2}, "'chop' does not apply any more"),
    ],
    ids=["all as before", "news of fields", "its trigger is gone", "a better one begins", "both"],
)
def test_under_a_skill_only_what_skills_hang_on_is_news(
    space: ActionSpace, now: dict[str, Value], sentence: str
) -> None:
    planner = SkillPlanner(
        (
            Skill(name="chop", when="wood < 5", subgoal="wood", actions=["use"], priority=5),
            Skill(name="rest", when="health < 3", subgoal="rest", actions=["wait"], priority=9),
            Skill(name="look", when="health < 3", subgoal="look", actions=["turn_left"], priority=1),
            Skill(name="flee", when="wood >= 0", subgoal="flee", actions=["forward"], priority=10),
        ),
        space,
    )
    before = SEEN | {"health": 9}
    triggers = ConsultTriggers(planner.news)
    triggers.note_state(before, GameStatus.PLAYING)

    def against(skill: str) -> str:
        return triggers.objections(
            SemanticAction(name="use"),
            planned=True,
            skill=skill,
            last_effect=None,
            hint_success={},
            values=before | now,
            status=GameStatus.PLAYING,
        )

    assert against("chop") == sentence, "that another applied all along is no news"
    assert against("unheard of") == against(""), "who follows no known skill hears of the fields"


def test_news_of_the_game() -> None:
    assert _against(status=GameStatus.MENU) == "the game went from playing to menu"


def test_every_objection_is_named_and_a_long_list_is_cut() -> None:
    many: dict[str, Value] = {"wood": None, "facing": None, "open": False, "cow": 4, "tree": None}
    assert _against(many, last_effect=Effect.UNVERIFIED) == (
        "the last action's effect was not seen, wood is now unknown, facing is now unknown, "
        "open is now false, 2 more changes"
    )


def test_a_change_is_an_objection_once_and_not_after_forgetting() -> None:
    triggers = ConsultTriggers()

    def news(values: dict[str, Value]) -> str:
        return triggers.objections(
            SemanticAction(name="chop"),
            planned=True,
            last_effect=None,
            hint_success={},
            values=values,
            status=GameStatus.PLAYING,
        )

    assert news(SEEN) == "", "nothing was seen before"
    triggers.note_state(SEEN, GameStatus.PLAYING)
    closed = SEEN | {"open": False}
    assert news(closed) == news(closed) == "open is now false"
    triggers.note_state(closed, GameStatus.PLAYING)
    assert news(closed) == ""
    assert news(SEEN) == "open is now true"
    triggers.forget()
    assert news(SEEN) == ""
