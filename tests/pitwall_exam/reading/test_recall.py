"""Recall reads declared questions back exactly and free ones as well as it can, and says how it read them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pitwall_exam.grid_world import WORDS, World
from tests.pitwall_exam.text_episode import text_episode

from pitwall_exam.episode.trace import Trace
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.grid.inventory import grid_inventory, grid_words
from pitwall_exam.questions.forms import Slots, within
from pitwall_exam.questions.sheet import NOT_ANSWERABLE
from pitwall_exam.questions.template import Inventory
from pitwall_exam.reading.bundled_wordings import own_examples
from pitwall_exam.reading.recall import NOT_UNDERSTOOD, Recall, Record
from pitwall_exam.reading.wordings import wordings_of
from pitwall_exam.text.inventory import TEXT_GAME

GRID = grid_inventory(WORDS)
INVENTORIES = (GRID, TEXT_GAME, GENERAL)
TRACE = World(4).trace(120)


@pytest.fixture(scope="module")
def recall() -> Recall:
    return Recall([Record(GRID, TRACE)], words=grid_words(WORDS))


@pytest.mark.parametrize("inventory", INVENTORIES, ids=lambda item: item.name)
def test_every_template_has_wordings_that_fit_its_form(inventory: Inventory[Any]) -> None:
    names = tuple(template.name for template in inventory.templates)
    examples = own_examples(inventory.name, names)
    assert all(len(examples[name]) >= 3 for name in names)
    groups = wordings_of(inventory, examples)
    for group in groups:
        form, *others = group
        wanted = {*form.named, *(name for name, _ in form.counted)}
        for other in others:
            filled = {*other.named, *(name for name, _ in other.counted), *other.given}
            assert wanted <= filled, other.text
            assert (other.low, other.high) == (form.low, form.high)


def test_declared_questions_are_read_back_whole(recall: Recall) -> None:
    for template in GRID.templates:
        for slots in list(template.choose(TRACE, random.Random(1)))[:3]:
            for horizon in (0, 50) if template.ranged else (0,):
                question = within(template.form.ask(slots), horizon)
                (reading,) = recall.readings(question.upper() if horizon else question)
                assert reading.declared
                assert reading.template is template
                assert reading.horizon == horizon
                assert {name: str(value).lower() for name, value in reading.slots.items()} == {
                    name: str(value).lower() for name, value in slots.items()
                }


def test_an_answer_is_what_the_template_finds_in_the_record(recall: Recall) -> None:
    for template in GRID.templates:
        slots = next(iter(template.choose(TRACE, random.Random(2))), None)
        if slots is None:
            continue
        result = template.find(TRACE, slots)
        answer = recall.answer(template.form.ask(slots), question_id="007")
        assert answer.id == "007"
        assert answer.text == (result.answers[0] if result.answers else NOT_ANSWERABLE)
        assert answer.evidence == result.steps
        assert template.name in answer.explanation


def test_a_horizon_hides_what_came_later() -> None:
    action = TRACE.moments[99].action
    question = f"Which step is the last step whose action is '{action}'?"
    whole = Recall([Record(GRID, TRACE)]).answer(question)
    until = Recall([Record(GRID, TRACE)], last_step=60).answer(question)
    named = Recall([Record(GRID, TRACE)]).answer(within(question, 60))
    assert int(whole.text) >= 100
    assert int(until.text) <= 60
    assert named.text == until.text


FREE = [
    ("What did you do on step 17?", "A_action", {"step": 17}),
    ("How much food had you left at step 31?", "A_stat", {"stat": "food", "step": 31}),
    ("When did you sleep for the second time?", "A_occ_action", {"nth": "second", "action": "sleep"}),
    ("At what step did your reasoning talk about 'water' last?", "A_occ_keyword", {"keyword": "water"}),
    (
        "What was your move three steps before the first time you did place_stone?",
        "B_action",
        {"offset": 3, "side": "before", "nth": "first", "action": "place_stone"},
    ),
    (
        "Between steps 10 and 60, how often did you manage to get wood?",
        "C_collect_res",
        {"lo": 10, "hi": 60, "resource": "wood"},
    ),
    (
        "In how many of the steps 20-70 was water visible on the screen?",
        "C_visible_count",
        {"lo": 20, "hi": 70, "terrain": "water"},
    ),
    (
        "Standing where you were at step 25, what would be beneath you after 4 steps to the north?",
        "D_predict_terrain",
        {"step": 25, "count": 4, "direction": "up"},
    ),
    ("When were you the farthest from any tree, from step 5 to step 80?", "D_max_dist", {"lo": 5, "hi": 80}),
    ("When were you the nearest to any tree, from step 5 to step 80?", "D_min_dist", {"lo": 5, "hi": 80}),
    ("Were your materials enough to build a table at step 40?", "F_craft_feasibility", {"craft": "table"}),
    ("Which things were you carrying at step 66?", "F_inventory_contents", {"step": 66}),
    ("How often were you hit by an enemy?", "F_attack_count", {}),
    ("What did you die of?", "F_death_reason", {}),
]


WOOD, WATER = "the step when you first collected wood", "the step when you first drank"
FREE += [
    (text, "E_event_order", {"event_a": WOOD, "event_b": WATER})
    for text in (
        f"Was {WOOD} earlier than {WATER}?",
        f"Is it true that {WOOD} preceded {WATER}?",
        f"Did {WATER} come after {WOOD}?",
        f"By the time of {WATER}, had {WOOD} already come?",
    )
]
FREE += [
    (
        f"How many steps went by from {WOOD} until {WATER}?",
        "E_event_interval",
        {"event_a": WOOD, "event_b": WATER},
    ),
    (f"How much drink had you right after {WOOD}?", "E_state_after_event", {"event": WOOD, "stat": "drink"}),
]


@pytest.mark.parametrize(
    ("question", "template", "slots"), FREE, ids=[f"{item[1]}-{n}" for n, item in enumerate(FREE)]
)
def test_free_wordings_are_understood_without_a_model(
    recall: Recall, question: str, template: str, slots: Slots
) -> None:
    best = recall.readings(question)[0]
    assert best.template.name == template
    assert slots.items() <= best.slots.items()
    assert "understood as" in recall.answer(question).explanation


def test_something_in_quotes_that_nobody_knows_is_asked_for_all_the_same(recall: Recall) -> None:
    answer = recall.answer("When did your reasoning first mention 'teleport'?")
    assert answer.text == NOT_ANSWERABLE
    assert "teleport" in answer.explanation


def test_two_readings_that_are_as_likely_are_both_told(recall: Recall) -> None:
    """Carried coal and coal as a terrain are different things; who says only "coal" may mean either."""
    first, second = recall.readings("How near to coal were you and how much of it had you at step 9?")[:2]
    doubt = recall.best([first, replace(second, score=first.score - 0.01)])
    sure = recall.best([first, replace(second, score=first.score - 0.5)])
    assert f"close second: {second.template.name}" in doubt.explanation
    assert "close second" not in sure.explanation
    assert doubt.text == sure.text


@pytest.mark.parametrize("question", ["Tell me a joke about cats", "What is the capital of France?"])
def test_what_no_template_asks_is_not_answered(recall: Recall, question: str) -> None:
    answer = recall.answer(question)
    assert (answer.text, answer.problem) == ("", NOT_UNDERSTOOD)


@pytest.mark.parametrize("question", ["", "?", "...", "\x00", "'", "🦄" * 40])
def test_nothing_is_answered_to_nothing(recall: Recall, question: str) -> None:
    answer = recall.answer(question)
    assert (answer.text, answer.problem) == ("", NOT_UNDERSTOOD)


@given(st.text(max_size=300))
@settings(max_examples=40, deadline=None)
def test_no_question_text_makes_recall_fail(text: str) -> None:
    recall = _small()
    recall.answer(text)
    recall.answer(f"What did you do at step {text}?")


_SMALL: list[Recall] = []


def _small() -> Recall:
    if not _SMALL:
        _SMALL.append(Recall([Record(TEXT_GAME, text_episode())]))
    return _SMALL[0]


def test_a_text_game_s_places_and_things_are_known_by_their_names() -> None:
    recall = _small()
    first = recall.answer("At what step did you first pick up the lamp?")
    assert first.text == "1"
    where = recall.answer("Where were you at step 7 before you acted?")
    assert where.text == "Cave"
    had = recall.answer("Were you carrying 'coin' at step 3?")
    assert had.text == "no"


def test_an_empty_record_answers_nothing() -> None:
    recall = Recall([Record(GENERAL, Trace(()))])
    answer = recall.answer("Which action was carried out at step 3?")
    assert answer.text == NOT_ANSWERABLE
