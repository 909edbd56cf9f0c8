"""The text inventory: each template's answer, worked out by hand on a short episode."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.pitwall_exam.text_episode import chance_episode, played, text_episode

from pitwall_exam.episode.states import TextState, format_state
from pitwall_exam.episode.trace import Trace
from pitwall_exam.questions.checking import faults_of
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.template import Template, Truth
from pitwall_exam.text.choosing import items
from pitwall_exam.text.index import TextIndex
from pitwall_exam.text.inventory import TEXT_GAME

TEMPLATES = {template.name: template for template in TEXT_GAME.templates}
SOURCE_NAMES = """
A_action A_reason A_location A_obs_before A_obs_after A_reward A_valid_action A_gain_item A_enter_leave
A_keyword_occurrence B_gain_after_action B_gain_after_location B_gain_after_observation B_gain_after_reward
B_keyword_after_action B_keyword_after_location B_keyword_after_observation B_keyword_after_reward
C_action_mode C_distinct_locations C_most_frequent_location C_total_dwell C_keyword_count_obs
C_keyword_count_reason D_compare_distances D_direction_count D_reachable_locations_count D_reachable_within
D_sequence_moves D_shortest_path E_gain_delay E_item_before_leave E_item_order E_region_stay E_scene_order
F_has_item F_list_inventory F_max_inventory_step F_location_most_item_gain
"""


def asked(question: str, trace: Trace[TextState] | None = None) -> Truth:
    """What the one template whose words these are finds."""
    readers = [
        (item, slots) for item in TEXT_GAME.templates if (slots := item.form.read(question)) is not None
    ]
    assert len(readers) == 1, question
    template, slots = readers[0]
    return template.find(trace if trace is not None else text_episode(), slots)


def test_the_inventory_is_the_sources_table() -> None:
    assert [template.name for template in TEXT_GAME.templates] == SOURCE_NAMES.split()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("At step 3, what action did you execute?", "drop lamp"),
        ("At step 1, what is the first sentence of your reasoning?", "A lamp is useful in the dark"),
        ("Before performing the action at step 2, what is your location?", "Hall"),
        ("Before performing the action at step 1, what is the observation?", "A bare hall."),
        ("After performing the action at step 1, what is the resulting observation?", "Taken."),
        ("After performing the action at step 7, what is the cumulative reward so far?", "10"),
        ("At step 1, is 'go north' a valid action? Answer in 'yes' or 'no'.", "yes"),
        ("At step 1, is 'drop lamp' a valid action? Answer in 'yes' or 'no'.", "no"),
        ("At which step did you first gain 'lamp'?", "1"),
        ("At which step did you last gain 'lamp'?", "4"),
        ("At which step did you first start being at 'Attic' before performing the action?", "3"),
        ("At which step did you first leave 'Hall' before performing the action?", "3"),
        ("At which step did you last start being at 'hall' before performing the action?", "9"),
        ("Which step is the second step whose reason mentions 'dark'?", "4"),
        ("Which step is the second last step whose reason mentions 'dark'?", "4"),
        ("After first obtaining 'lamp', what action is executed 2 step(s) later?", "drop lamp"),
        ("After first obtaining 'lamp', what is your location 1 step(s) later?", "Attic"),
        ("After first obtaining 'coin', what is the observation 1 step(s) later?",
         "You are in the hall. It is bright."),
        ("After first obtaining 'lamp', what is the cumulative reward 6 step(s) later?", "10"),
        ("After the first step whose reason mentions 'heavy', what action is executed 1 step(s) later?",
         "take lamp"),
        ("After the first step whose reason mentions 'heavy', what is your location 3 step(s) later?",
         "Cave"),
        ("What is the most frequent action executed?", "take lamp"),
        ("From steps 1 to 6, how many distinct locations were visited?", "2"),
        ("From steps 1 to 10, what is the most frequently visited location?", "Hall"),
        ("Which is the location with the longest duration of stay in total (within 1–5)?", "Attic"),
        ("From steps 5 to 9, how many times does 'dark' appear in observations?", "4"),
        ("From steps 1 to 4, how many times does 'dark' appear in reasons?", "2"),
        ("From steps 1 to 10, how many times did you move east?", "2"),
        ("How many distinct locations are reachable from 'Attic' within 1 steps?", "1"),
        ("How many distinct locations are reachable from 'Attic' within 2 steps?", "2"),
        ("Is 'Cave' reachable from 'Attic' within 1 steps? Answer in 'yes' or 'no'.", "no"),
        ("Is 'Cave' reachable from 'Attic' within 2 steps? Answer in 'yes' or 'no'.", "yes"),
        ("Which is closer (fewer steps to reach), 'Cave' or 'Hall', from the location at step 9?", "Hall"),
        ("At step 9, if you move north, south, which location do you reach?", "Hall"),
        ("What is the shortest path length between the locations at steps 3 and 7?", "2"),
        ("After first obtaining 'lamp', how many steps later is 'lamp' obtained again?", "3"),
        ("Before first leaving 'Hall', did you ever obtain 'lamp'? Answer in 'yes' or 'no'.", "yes"),
        ("Before first leaving 'Hall', did you ever obtain 'coin'? Answer in 'yes' or 'no'.", "no"),
        ("Before first time obtaining 'coin', have you ever obtained 'lamp'? Answer in 'yes' or 'no'.",
         "yes"),
        ("After first entering 'Attic', for how many consecutive steps did you stay in 'Attic'?", "3"),
        ("Before first time entering 'Attic', have you ever been to 'Cave'? Answer in 'yes' or 'no'.", "no"),
        ("At step 4, did you have 'lamp' in inventory? Answer in 'yes' or 'no'.", "no"),
        ("After performing the action at step 7, what are all the items you carry?", "coin, lamp"),
        ("After performing the action at step 3, what are all the items you carry?", "nothing"),
        ("After completing which step does the inventory contain the most items?", "7"),
    ],
)  # fmt: skip
def test_what_the_episode_says(question: str, answer: str) -> None:
    result = asked(question)
    assert result.answers
    assert result.answers[0] == answer
    assert result.steps
    assert list(result.steps) == sorted(set(result.steps))


@pytest.mark.parametrize(
    "question",
    [
        "At step 11, what action did you execute?",
        "At step 10, what is the first sentence of your reasoning?",
        "At which step did you first gain 'sword'?",
        "At which step did you first leave 'Crypt' before performing the action?",
        "Which step is the first step whose reason mentions 'teleport'?",
        "Which step is the second step whose reason mentions 'heavy'?",
        "After first obtaining 'coin', what action is executed 8 step(s) later?",
        "From steps 1 to 10, how many times does 'teleport' appear in observations?",
        "From steps 4 to 12, how many distinct locations were visited?",
        "Which is closer (fewer steps to reach), 'Cave' or 'Hall', from the location at step 3?",
        "At step 3, if you move south, which location do you reach?",
        "Is 'Crypt' reachable from 'Hall' within 3 steps? Answer in 'yes' or 'no'.",
        "After first obtaining 'coin', how many steps later is 'coin' obtained again?",
        "After first obtaining 'lamp', how many steps later is 'coin' obtained again?",
        "Before first leaving 'Hall', did you ever obtain 'sword'? Answer in 'yes' or 'no'.",
        "At step 4, did you have 'sword' in inventory? Answer in 'yes' or 'no'.",
    ],
)
def test_what_the_episode_does_not_say(question: str) -> None:
    assert asked(question).answers == ()


def test_of_equal_ones_each_is_right() -> None:
    assert set(asked("At which location did you gain the most distinct items?").answers) == {
        "Attic",
        "Cave",
        "Hall",
    }
    tied = played([("north", ""), ("south", ""), ("look", "")])
    assert asked("What is the most frequent action executed?", tied).answers == ("look", "north", "south")


def test_only_what_was_walked_before_the_step_is_on_the_map() -> None:
    late = "What is the shortest path length between the locations at steps 6 and 7?"
    assert asked(late).answers == ("1",)
    back = "What is the shortest path length between the locations at steps 7 and 6?"
    assert asked(back).answers == (), "the way back was walked at step 8 only"


def test_a_way_leads_in_its_own_direction_only() -> None:
    down = played([("north", ""), ("look", "")])
    assert asked("How many distinct locations are reachable from 'Hall' within 3 steps?", down).answers == (
        "1",
    )
    assert asked("How many distinct locations are reachable from 'Attic' within 3 steps?", down).answers == (
        "0",
    )


def test_where_no_one_tells_the_valid_commands_it_is_not_answerable() -> None:
    blind = Trace(
        [replace(moment, before=replace(moment.before, valid=None)) for moment in text_episode().moments]
    )
    assert asked("At step 1, is 'north' a valid action? Answer in 'yes' or 'no'.", blind).answers == ()


@pytest.mark.parametrize("template", TEXT_GAME.templates, ids=lambda item: item.name)
def test_every_template_asks_what_can_be_answered_and_what_cannot(template: Template[TextState]) -> None:
    """Drawn questions read back as they were meant, and are fit to be asked."""
    trace = chance_episode(150)
    exam = make_exam(
        [QuestionSource(type(TEXT_GAME)("text", (template,)), trace)], game_id="story", run_id=1, seed=5
    )
    plain = [question for question in exam.questions if question.answerable]
    assert plain
    assert len({element.text for element in exam.questions}) == len(exam.questions)
    for part in exam.questions:
        assert faults_of(part, template, len(trace)) == []
        result = template.find(trace, part.slots)
        assert result.answers == part.truth or (not part.answerable and not result.answers)


def test_a_large_score_keeps_its_digits_in_questions_and_in_the_book() -> None:
    rich = Trace(
        [replace(moment, after=replace(moment.after, score=1234567.0)) for moment in text_episode().moments]
    )
    what = "After performing the action at step 7, what is the cumulative reward so far?"
    assert asked(what, rich).answers == ("1234567",)
    assert format_state(rich.moments[0].after).endswith("Score: 1234567.")


def test_who_carries_none_is_right_about_empty_hands() -> None:
    assert "none" in asked("After performing the action at step 3, what are all the items you carry?").answers


def test_a_place_that_the_last_step_led_to_was_entered_last() -> None:
    up = played([("look", ""), ("north", "")])
    asks = "Before first time entering '{}', have you ever been to '{}'? Answer in 'yes' or 'no'."
    assert asked(asks.format("Attic", "Hall"), up) == Truth(("yes",), (1, 2))
    assert asked(asks.format("Hall", "Attic"), up) == Truth(("no",), (1, 2))
    assert asked(asks.format("Attic", "Cave"), up).answers == ()


def test_who_carries_an_elvish_sword_is_not_asked_for_a_sword_as_for_something_never_carried() -> None:
    moments = [
        replace(moment, after=replace(moment.after, inventory=frozenset({"elvish Sword", "ruby"})))
        for moment in text_episode().moments
    ]
    offered = set(items(TextIndex(Trace(moments)), random.Random(1)))
    assert "elvish Sword" in offered and "crowbar" in offered
    assert "sword" not in offered


def test_a_horizon_hides_what_came_later() -> None:
    trace = text_episode()
    assert asked("At which step did you last gain 'lamp'?", trace.until(3)).answers == ("1",)
    assert asked("At which step did you first gain 'coin'?", trace.until(3)).answers == ()


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_short_episodes_break_nothing(steps: int) -> None:
    exam = make_exam([QuestionSource(TEXT_GAME, chance_episode(steps))], game_id="story", run_id=1, seed=1)
    assert all(question.hi <= steps for question in exam.questions)


def test_an_exam_is_the_same_again_and_has_all_abilities() -> None:
    first, again = (
        make_exam([QuestionSource(TEXT_GAME, chance_episode(200))], game_id="story", run_id=1, seed=9)
        for _ in range(2)
    )
    assert first == again
    assert len({question.ability for question in first.questions}) == 7
