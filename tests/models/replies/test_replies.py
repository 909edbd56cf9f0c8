"""Replies are re-validated: lenient where it is safe, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pitwall.core.actions import Invalid, SemanticAction
from pitwall.core.signals import Failure
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.models.replies.plan import (
    SITUATION_LENGTH,
    BadReply,
    PlanDraft,
    Reaction,
    parse_plan,
    parse_reaction,
    parse_reflection,
    parse_text,
)
from pitwall.models.replies.reply_object import MOST_CHARACTERS
from pitwall.models.replies.stages import (
    parse_action_plan,
    parse_action_reflections,
    parse_construction,
    parse_screen,
    parse_task_plan,
    parse_task_reflection,
)
from workshop.fixtures.model_games import PLUGINS, words_of

FIELDS = ("health", "ammo")


@pytest.fixture(scope="module")
def doom() -> Vocabulary:
    return words_of(PLUGINS / "doom")[1]


def plan(space: Vocabulary, **changed: Any) -> PlanDraft:
    reply = {
        "situation": "a corridor",
        "subgoal": "reach the door",
        "actions": ["forward(ms=400)", "use"],
        "stop": "health < 30",
        "steps": 6,
    }
    reply.update(changed)
    return parse_plan(json.dumps(reply), space, fields=FIELDS, modules=("aim",))


def refused(read: Callable[[], object]) -> BadReply:
    with pytest.raises(BadReply) as caught:
        read()
    return caught.value


# ---- plans


def test_a_plan_is_read(doom: Vocabulary) -> None:
    assert plan(doom) == PlanDraft(
        situation="a corridor",
        subgoal="reach the door",
        actions=(SemanticAction(name="forward", arguments={"ms": 400}), SemanticAction(name="use")),
        stop="health < 30",
        steps=6,
        proposed=2,
    )


SHORT: dict[str, Any] = {"skills": ("gather wood",), "keeps": True}


def test_a_plan_names_a_skill_or_keeps_the_one_in_force(doom: Vocabulary) -> None:
    draft = parse_plan('{"skill":"gather wood"}', doom, fields=FIELDS, **SHORT)
    assert draft == PlanDraft(skill="gather wood", proposed=1)
    assert parse_plan('{"keep":true}', doom, fields=FIELDS, **SHORT) == PlanDraft(keep=True)


@pytest.mark.parametrize(
    ("text", "short", "invalid"),
    [
        ('{"skill":"gather gold"}', SHORT, Invalid.OUT_OF_SPACE),
        ('{"skill":"gather wood"}', {}, Invalid.OUT_OF_SPACE),
        ('{"skill":["gather wood"]}', SHORT, Invalid.NO_CALL),
        ('{"keep":true}', {}, Invalid.NO_CALL),
        ('{"keep":"yes"}', SHORT, Invalid.NO_CALL),
        ('{"keep":false}', SHORT, Invalid.NO_CALL),
    ],
)
def test_an_unknown_skill_and_a_plan_that_is_not_in_force_are_refused(
    doom: Vocabulary, text: str, short: dict[str, Any], invalid: Invalid
) -> None:
    assert refused(lambda: parse_plan(text, doom, fields=FIELDS, **short)).invalid is invalid


def test_a_plan_written_out_is_not_undone_by_an_unknown_skill(doom: Vocabulary) -> None:
    assert plan(doom, skill="gather gold", keep=True).actions == plan(doom).actions


def test_illegal_candidates_are_left_out_and_counted(doom: Vocabulary) -> None:
    draft = plan(doom, actions=["forward(ms=99999)", "use", 7, "fly", ["use"]])
    assert draft.actions == (SemanticAction(name="use"),)
    assert (draft.proposed, draft.illegal, len(draft.notes)) == (5, 4, 4)


def test_a_plan_with_nothing_legal_is_out_of_space(doom: Vocabulary) -> None:
    error = refused(lambda: plan(doom, actions=["fly", "swim"]))
    assert (error.invalid, error.proposed, error.illegal) == (Invalid.OUT_OF_SPACE, 2, 2)
    error = refused(lambda: plan(doom, actions=[], module="nothing"))
    assert (error.invalid, error.proposed, error.illegal) == (Invalid.OUT_OF_SPACE, 1, 1)


def test_a_plan_without_actions_is_no_call(doom: Vocabulary) -> None:
    unfit: list[dict[str, object]] = [
        {"actions": []},
        {"actions": None},
        {"actions": "use"},
        {"subgoal": ""},
        {"subgoal": 3},
    ]
    for changed in unfit:
        assert refused(lambda changed=changed: plan(doom, **changed)).invalid is Invalid.NO_CALL  # type: ignore[misc]


def test_a_module_drives_instead_of_actions(doom: Vocabulary) -> None:
    draft = plan(doom, module="aim")
    assert (draft.module, draft.actions, draft.illegal) == ("aim", (), 0)
    draft = plan(doom, module="Aim")
    assert (draft.module, len(draft.actions), draft.illegal) == ("", 2, 1)


def test_no_more_actions_than_allowed(doom: Vocabulary) -> None:
    assert len(plan(doom, actions=["use"] * 9).actions) == 5
    assert refused(lambda: plan(doom, actions=["use"] * 5000)).invalid is Invalid.NO_CALL


@pytest.mark.parametrize(
    "stop",
    [
        "helth < 3",
        "health <",
        "health.x",
        "().__class__",
        "open('x')",
        "true",
        "1 < 2",
        "health < '\\d'",
        "health < 1or 2",
        "x" * 300,
        "health < 30 # no",
        "heаlth < 30",
    ],
)
def test_an_unusable_stop_condition_is_left_out(doom: Vocabulary, stop: str) -> None:
    draft = plan(doom, stop=stop)
    assert draft.stop == ""
    assert len(draft.notes) == 1
    assert draft.actions


@pytest.mark.parametrize(
    "stop", ["health < 30 and ammo >= 2", "status == 'menu'", "abs(health - ammo) > 1.5"]
)
def test_a_usable_stop_condition_is_kept(doom: Vocabulary, stop: str) -> None:
    assert plan(doom, stop=stop).stop == stop


@pytest.mark.parametrize(
    ("steps", "taken"),
    [(6, 6), (0, 1), (-3, 1), (500, 99), (2.6, 3), ("7", 8), (None, 8), (True, 8)],
)
def test_steps_are_brought_inside(doom: Vocabulary, steps: object, taken: int) -> None:
    assert plan(doom, steps=steps).steps == taken


def test_text_is_cleaned_and_bounded(doom: Vocabulary) -> None:
    draft = plan(doom, situation="\x1b[31mred\u202e\n\n\ud800" + "x" * 5000)
    assert draft.situation.startswith("[31mred x")
    assert len(draft.situation) == SITUATION_LENGTH
    assert draft.situation.encode("utf-8").isascii()


# ---- reactions


def test_exactly_one_action_or_an_escalation(doom: Vocabulary) -> None:
    assert parse_reaction('{"action":"use"}', doom) == Reaction(action=SemanticAction(name="use"))
    reaction = parse_reaction('{"escalate":"a wall"}', doom)
    assert (reaction.escalate, reaction.reason) == (True, "a wall")
    for text in (
        '{"action":"use","escalate":"x"}',
        "{}",
        '{"action":""}',
        '{"escalate":5}',
        '{"action":["use"]}',
    ):
        assert refused(lambda text=text: parse_reaction(text, doom)).invalid is Invalid.NO_CALL  # type: ignore[misc]


def test_an_escalation_is_no_reply_where_nobody_plans(doom: Vocabulary) -> None:
    error = refused(lambda: parse_reaction('{"escalate":"a wall"}', doom, alone=True))
    assert error.invalid is Invalid.NO_CALL and "no planner is there to escalate to" in error.what
    assert parse_reaction('{"action":"use"}', doom, alone=True).action == SemanticAction(name="use")


def test_only_candidates_without_override(doom: Vocabulary) -> None:
    candidates = (SemanticAction(name="use"), doom.parse("forward(ms=300)"))
    assert parse_reaction('{"action":"forward(ms=300)"}', doom, candidates=candidates).action == candidates[1]
    error = refused(lambda: parse_reaction('{"action":"forward(ms=301)"}', doom, candidates=candidates))
    assert (error.invalid, error.proposed, error.illegal) == (Invalid.OUT_OF_SPACE, 1, 1)


@pytest.mark.parametrize("text", ["uѕe", "ｕse", "use\u200b", "forward(ms=٣٠٠)", "uſe"])
def test_letters_that_look_alike_make_no_action(doom: Vocabulary, text: str) -> None:
    assert refused(lambda: parse_reaction(json.dumps({"action": text}), doom)).invalid is Invalid.OUT_OF_SPACE


# ---- finding the object


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"action":"use"}\n```',
        'Sure {really}! I would say { "action" : "use" } and {"action":"fire"}',
        '<think>perhaps {"action":"fire"}?</think>\n{"action":"use"}',
        '  {"action":"use"}}}}}',
        '\ufeff{"action":"use"}',
        '{"note":"two\nlines","action":"use"}',
    ],
)
def test_prose_fences_and_thoughts_are_passed_over(doom: Vocabulary, text: str) -> None:
    assert parse_reaction(text, doom).action == SemanticAction(name="use")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "use",
        '{"action":"use"',
        "{'action':'use'}",
        '["use"]',
        '{"action":"use","action":"fire"}',
        '{"action":"use","x":NaN}',
        '{"action":"use","x":' + "[" * 9 + "]" * 9 + "}",
        '<think>{"action":"use"}',
        "{" * 50_000,
        '{"a":' * 20_000,
        '{"action":"use","x":' + "9" * 6000 + "}",
        " " * MOST_CHARACTERS + '{"action":"use"}',
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_reply_is_no_call(doom: Vocabulary, text: str) -> None:
    error = refused(lambda: parse_reaction(text, doom))
    assert error.invalid is (Invalid.MALFORMED if "not parse" in error.what else Invalid.NO_CALL)
    assert len(error.what) < 300


# ---- the others


def test_reflections_are_read_strictly() -> None:
    reply = {
        "effect": False,
        "cause": "a wall",
        "next": "turn",
        "done": False,
        "failure": 2,
        "confidence": 0.5,
    }
    reflection = parse_reflection(json.dumps(reply))
    assert (reflection.failure, reflection.confidence) == (Failure.ERROR, 0.5)
    for changed in (
        {"effect": "false"},
        {"effect": 1},
        {"failure": 4},
        {"failure": 1.5},
        {"failure": True},
        {"confidence": 1.01},
        {"confidence": "1"},
        {"done": None},
    ):
        error = refused(lambda changed=changed: parse_reflection(json.dumps({**reply, **changed})))  # type: ignore[misc]
        assert error.invalid is None


def test_texts_are_needed() -> None:
    assert parse_text('{"text":"a  b"}') == "a b"
    for text in ('{"text":""}', '{"text":5}', "{}", '{"text":"\\u0000"}'):
        refused(lambda text=text: parse_text(text))  # type: ignore[misc]


def test_stages_are_read(doom: Vocabulary) -> None:
    assert parse_screen('{"screen":"interface","observation":"a menu"}').screen == "interface"
    refused(lambda: parse_screen('{"screen":"film","observation":"a menu"}'))
    task = parse_task_reflection('{"done":true,"evidence":"e","level":"none","issue":"","next":"n"}')
    assert (task.done, task.level) == (True, "none")
    names = [form.name for form in doom.forms]
    lessons = parse_action_reflections(
        '{"actions":[{"action":"use","worked":true,"lesson":"x"},{"action":"fly","worked":true,"lesson":"x"}]}',
        names,
    )
    assert [lesson.action for lesson in lessons] == ["use"]
    goal = parse_task_plan('{"situation":"s","goal":"g","needs":"","stop":"health > 3"}', fields=FIELDS)
    assert (goal.goal, goal.stop) == ("g", "health > 3")
    chosen = parse_action_plan('{"actions":[{"action":"use","aim":"open"},{"action":"fly","aim":""}]}', names)
    assert ([action.action for action in chosen.actions], chosen.proposed, chosen.illegal) == (["use"], 2, 1)
    assert refused(lambda: parse_action_plan('{"actions":["use"]}', names)).invalid is Invalid.NO_CALL
    built = parse_construction('{"actions":["forward(ms=100)","fly"],"steps":3}', doom)
    assert (len(built.actions), built.steps, built.illegal) == (1, 3, 1)
