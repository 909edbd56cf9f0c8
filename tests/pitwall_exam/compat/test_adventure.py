"""Published exams of text adventures: each wording over an episode that can be worked out on paper."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pitwall_exam.compat.published_episodes import write_lines

from pitwall.core.errors import ExamError
from pitwall_exam.compat.adventure.episode import Adventure, AdventureStep
from pitwall_exam.compat.adventure.log_reader import read_adventure
from pitwall_exam.compat.adventure.wordings import WORDINGS, answered
from pitwall_exam.compat.agreement import Item, compared
from pitwall_exam.compat.question_sets import sets_in
from pitwall_exam.compat.template import Truth
from pitwall_exam.questions.forms import Form, Slots

NONE = "not answerable"
YES = "Answer in 'yes' or 'no'"
CLOSER = "From the location at step 1, which is closer in terms of fewer steps to reach,"
# location, carried, action, reward: all of a step before its action, and what the action earned
PLAYED: tuple[tuple[str, tuple[str, ...], str, float], ...] = (
    ("Hall", (), "take all", 0),  # 1
    ("Hall", ("rope", "lamp"), "n", 5),  # 2
    ("Attic", ("rope", "lamp"), "drop lamp", -5),  # 3
    ("Attic", ("rope",), "look", 0),  # 4
    ("Attic", ("rope",), "take lamp", 0),  # 5
    ("Attic", ("lamp", "rope"), "xyzzy", 0),  # 6
    ("Witt's End", ("lamp", "rope"), "take coin", 10),  # 7
    ("Witt's End", ("coin", "lamp", "rope"), "e", 0),  # 8
    ("Hall", ("coin", "lamp", "rope"), "go north", 0),  # 9
    ("Attic", ("coin", "lamp", "rope"), "drop all", 0),  # 10
    ("Attic", (), "u", 0),  # 11
    ("Roof", (), "wait", 0),  # 12
)
REASONS = {3: "The lamp is heavy. Drop it.", 6: "A lamplighter once said this", 9: "LAMP, lamp: upstairs!"}


ASKED: tuple[tuple[str, Truth], ...] = (
    ("At step 2, what action did you execute?", "n"),
    ("At step 13, what action did you execute?", NONE),
    ("At step 3, what is the first sentence of your reasoning?", "The lamp is heavy."),
    ("At step 6, what is the first sentence of your reasoning?", "A lamplighter once said this"),
    ("Before performing the action at step 7, what is your location?", "Witt's End"),
    ("After performing the action at step 3, what is the cumulative reward so far?", "0.0"),
    ("After performing the action at step 7, what is the cumulative reward so far?", "10.0"),
    (
        "At step 7, what observation did you see before performing the action?",
        "You are here: Witt's End.",
    ),
    ("At step 2, what observation did you see after performing the action?", "Done: n."),
    (f"At step 1, is 'n' a valid action? {YES}", "yes"),
    (f"At step 1, is 's' a valid action? {YES}", "no"),
    (f"At step 2, is 's' a valid action? {YES}", NONE),
    ("Which step is the first step whose reason mentions 'lamp'?", "3"),
    ("Which step is the last step whose reason mentions 'lamp'?", "9"),
    ("Which step is the second last step whose reason mentions 'lamp'?", "3"),
    ("Which step is the third step whose reason mentions 'lamp'?", NONE),
    ("Which step is the second step whose observation mentions 'hall'?", "2"),
    ("At which step does the player first start being at 'Hall' before performing the action?", "1"),
    ("At which step does the player last start being at 'Hall' before performing the action?", "9"),
    ("At which step does the player first leave 'Witt's End' before performing the action?", "9"),
    ("At which step does the player first leave 'Roof' before performing the action?", NONE),
    ("At which step did you first gain 'lamp'?", "1"),
    ("At which step did you gain 'lamp' for the second time?", "5"),
    ("At which step did you gain 'sword' for the last time?", NONE),
    ("At which step did you first leave 'Cellar' before performing the action 'n'?", NONE),
    (
        "After the first step whose reason mentions 'lamp', what action is executed 2 step(s) later?",
        "take lamp",
    ),
    (
        "After obtaining 'coin' for the first time, what is the location before performing the action"
        " 2 step(s) later?",
        "Hall",
    ),
    (
        "After obtaining 'rope' for the first time, what is the cumulative reward after performing the"
        " action 1 step(s) later?",
        "5.0",
    ),
    (
        "After obtaining 'coin' for the first time, what observation is seen after performing the action"
        " 9 step(s) later?",
        NONE,
    ),
    ("How many observations mention 'hall'?", 3),
    ("How many reasoning sentences mention 'lamp'?", 2),
    ("What is the most frequent action taken?", sorted({action for _, _, action, _ in PLAYED})),
    ("How many distinct locations were visited?", 4),
    ("What is the most frequently visited location?", ["Attic", "Hall"]),
    ("Which is the location with the longest duration of stay in total?", "Attic"),
    ("What is the shortest path length between the locations at steps 2 and 8?", 2),
    ("What is the shortest path length between the locations at steps 12 and 1?", NONE),
    ("What is the shortest path length from 'Witt's End' to 'Roof'?", 3),
    ("What is the shortest path length from 'Cellar' to 'Hall'?", NONE),
    (f"At step 1, is it possible to reach 'Roof' within 2 steps? {YES}", "yes"),
    (f"At step 1, is it possible to reach 'Roof' within 1 steps? {YES}", "no"),
    (
        "At step 1, excluding your current location, how many distinct locations are reachable"
        " within 2 steps?",
        3,
    ),
    (
        "At step 4, how many distinct directions can you move from your current location based on your"
        " knowledge?",
        1,
    ),
    (f"{CLOSER} 'Attic' or 'Roof'?", "Attic"),
    (f"{CLOSER} 'Witt's End' or 'Roof'?", NONE),
    (f"{CLOSER} 'Cellar' or 'Roof'?", "Roof"),
    ("At step 8, if you move east, then north, then up, which location do you reach?", "Roof"),
    ("At step 8, if you move east, then south, then up, which location do you reach?", NONE),
    (f"Before first time entering 'Roof', have you ever been to 'Attic'? {YES}", "yes"),
    (f"Before first time entering 'Attic', have you ever been to 'Cellar'? {YES}", "no"),
    (f"Before first time entering 'Cellar', have you ever been to 'Attic'? {YES}", NONE),
    (f"Before first time obtaining 'lamp', have you ever obtained 'rope'? {YES}", "no"),
    (f"Before first time obtaining 'coin', have you ever left 'Hall'? {YES}", "yes"),
    (f"Before first time obtaining 'coin', have you ever left 'Attic'? {YES}", "no"),
    (
        "After the step which you first gained 'rope', how many steps later does the cumulative reward"
        " increase for the first time?",
        1,
    ),
    (
        "After the step which you first gained 'coin', how many steps later does the cumulative reward"
        " increase for the first time?",
        NONE,
    ),
    ("After first time entering 'Attic', how many steps did you stay in this location?", 4),
    ("After first time entering 'Roof', how many steps did you stay in this location?", NONE),
    ("After performing the action at step 7, what are all the items you carried?", "coin, lamp, rope"),
    ("After performing the action at step 12, what are all the items you carried?", NONE),
    (f"After performing the action at step 2, did you have 'lamp' in inventory? {YES}", "yes"),
    (f"After performing the action at step 3, did you have 'lamp' in inventory? {YES}", "no"),
    ("After completing which step does the inventory contain the most items?", "7"),
    (
        "Within the observed steps, at which location did you pick up the largest number of new items?",
        "Hall",
    ),
)


def rows() -> list[dict[str, Any]]:
    """The lines of its log, as published."""
    steps: list[dict[str, Any]] = [
        {
            "step": number,
            "game": {"location": place, "inventory": list(carried), "valid_actions": valid(number)},
            "observation": f"\nYou are here: {place}.",
            "agent": {"action": action, "reason": REASONS.get(number)},
            "env_feedback": {"text": f"\nDone: {action}.\n", "reward": reward, "done": False},
        }
        for number, (place, carried, action, reward) in enumerate(PLAYED, start=1)
    ]
    return [*steps, {"final": True, "final_score": 10}]


def valid(step: int) -> list[str]:
    """Two actions at the first step, and none that the log knows later."""
    return ["take all", "n"] if step == 1 else []


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "logs.jsonl", rows())


def ask(log: Path, question: str, last: int = 11) -> Truth:
    return answered(Adventure(read_adventure(log), last), question)


@pytest.mark.parametrize(("question", "truth"), ASKED)
def test_each_wording_is_answered(log: Path, question: str, truth: Truth) -> None:
    assert ask(log, question) == truth


def test_blanks_around_names_are_no_difference(tmp_path: Path) -> None:
    """Published logs hold "Hall " beside "Hall"; questions and answers repeat either."""
    blank = rows()
    for row in blank[:-1:2]:
        game = row["game"]
        game["location"] += " "
        game["inventory"] = [f" {name} " for name in game["inventory"]]
    log = write_lines(tmp_path / "logs.jsonl", blank)
    for question, truth in ASKED:
        assert ask(log, question) == truth, question
        assert ask(log, question.replace("'Attic'", "'Attic '")) == truth, question
    item = Item(1, "", "", ["Attic ", "Hall"], ["Attic", "Hall"])
    assert item.agreed and not Item(1, "", "", "1 ", 1).agreed


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("From steps 1 to 5, how many distinct locations were visited?", 2),
        ("From steps 1 to 5, how many reasoning sentences mention 'lamp'?", 1),
        ("From steps 1 to 5, what is the most frequently visited location?", ["Attic", "Hall"]),
        ("At which step did you gain 'coin' for the last time?", NONE),
        ("What is the shortest path length between the locations at steps 3 and 1?", NONE),
        ("After first time entering 'Attic', how many steps did you stay in this location?", NONE),
        ("After performing the action at step 5, what are all the items you carried?", "lamp, rope"),
    ],
)
def test_a_horizon_ends_what_is_known(log: Path, question: str, truth: Truth) -> None:
    assert ask(log, question, last=4) == truth


def test_every_wording_is_asked_above() -> None:
    never = [form for form, _ in WORDINGS if all(form.read(question) is None for question, _ in ASKED)]
    assert never == []


@given(
    form=st.sampled_from([form for form, _ in WORDINGS]),
    words=st.one_of(st.text(max_size=20), st.sampled_from(("lamp", "Hall", "north, then up", "go north"))),
    number=st.one_of(st.integers(0, 14), st.integers(0, 10**30)),
    loud=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_no_question_ends_the_comparison(form: Form, words: str, number: int, loud: bool) -> None:
    kinds = form.slots.items()
    slots: Slots = {name: number if kind == "int" else kind.split("|")[-1] for name, kind in kinds}
    slots |= {name: words for name, kind in kinds if kind == "name"}
    question = form.ask(slots)
    steps = [
        AdventureStep(place, carried, (), f"In {place}.", action, REASONS.get(at, ""), "Done.", 0.0)
        for at, (place, carried, action, _) in enumerate(PLAYED, start=1)
    ]
    with contextlib.suppress(ValueError):
        truth = answered(Adventure(steps, 9), question.upper() if loud else question)
        assert isinstance(truth, int | str | list)


def test_a_folder_without_a_map_is_a_text_adventures(log: Path) -> None:
    def line(question: str, gt: Truth, last: int) -> dict[str, Any]:
        return {"type": "Time", "template": "E", "question": question, "range": [0, last], "gt": gt}

    stay = "After first time entering 'Attic', how many steps did you stay in this location?"
    write_lines(log.parent / "questions_-1.jsonl", [line(stay, 4, 12), line("Who are you?", "me", 12)])
    write_lines(log.parent / "questions_5.jsonl", [line(stay, NONE, 4)])
    [found] = sets_in(log.parent)
    answering = found.answering()
    whole, early = (compared(answering, file) for file in found.questions)
    assert (early.agreed, whole.agreed) == (1, 1)
    assert "no template about text adventures is worded like this: 'Who are you?'." in whole.items[1].problem


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"agent": {"reason": "?"}}, "3: the step has no 'agent.action'"),
        ({"env_feedback": {"text": "", "reward": "5"}}, "3: the step has '5' for 'env_feedback.reward'"),
        ({"step": 9}, "3: step 9 comes after step 2; expected step 3."),
    ],
)
def test_what_is_no_step_of_an_adventure_is_named(log: Path, change: dict[str, Any], said: str) -> None:
    lines = rows()
    lines[2] |= change
    write_lines(log, lines)
    with pytest.raises(ExamError) as error:
        read_adventure(log)
    assert f"{log}:{said}" in str(error.value)
