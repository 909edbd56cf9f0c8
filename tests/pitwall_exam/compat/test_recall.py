"""Published questions answered from an agent's own record: what it saw, carried and did, and no more."""

from __future__ import annotations

import pytest

from pitwall.core.errors import ExamError
from pitwall_exam.compat.making import compat_exam
from pitwall_exam.compat.recall import PublishedRecall, recorded_episode
from pitwall_exam.episode.states import GridState, Tile
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.plugin_table.schema import GridTable
from pitwall_exam.questions.sheet import NOT_ANSWERABLE

STATS = {"health": 9, "food": 9, "drink": 9, "energy": 9}
GRID = GridTable(
    position=("x", "y"),
    view="view",
    columns=9,
    rows=7,
    legend={".": "grass", "~": "water"},
    ground="ground",
    facing="facing",
    stats=list(STATS),
    resources=["wood", "stone"],
    walkable=["grass"],
    moves={"go_left": "left", "go_right": "right", "go_up": "up", "go_down": "down"},
    places={"place_table": "table"},
    makes={"make_wood_pickaxe": "wood_pickaxe"},
    interact="use",
    sleep="rest",
)
LAND = {(x, y): "grass" for x in range(-6, 7) for y in range(-4, 5)} | {(2, 0): "tree", (-4, 1): "water"}


def state(at: Tile | None, **items: int) -> GridState:
    """What was read, with the land in view from there; nothing of it where the place is not known."""
    if at is None:
        return GridState(at=None)
    seen = {
        (x, y): LAND[(x, y)]
        for x in range(at[0] - 4, at[0] + 5)
        for y in range(at[1] - 3, at[1] + 4)
        if (x, y) in LAND and (x, y) != at
    }
    stats = {name: items.pop(name, full) for name, full in STATS.items()}
    return GridState(at=at, ground="grass", facing="right", stats=stats, items=items, seen=seen)


@pytest.fixture
def trace() -> Trace[GridState]:
    deeds = [
        ("go_right", "Chop the tree.", state((1, 0))),
        ("use", "Chop the tree.", state((1, 0), wood=1)),
        ("use", "", state((1, 0), wood=3, health=7)),
        ("place_table", "A table.", state((1, 0), wood=1)),
        ("rest", "", state(None)),
        ("go_left(slowly=yes)", "", state((0, 0), wood=1)),
        ("jump", "", state((0, 0), wood=1)),
    ]
    before, moments = state((0, 0)), []
    for step, (action, reason, after) in enumerate(deeds, start=1):
        moments.append(Moment(step, action, reason, before, after))
        before = after
    return Trace(moments)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What is the action at step 6?", "MOVE_LEFT"),
        ("What is the action at step 7?", "NOOP"),
        ("Which step is the second step whose action is 'DO'?", "3"),
        ("From step 1 to 2, Which step is the second step whose action is 'DO'?", NOT_ANSWERABLE),
        ("What was your health value at step 3?", "7"),
        ("How many wood did you have at step 5?", "1"),  # asleep: as it was
        ("How many steps have reasons that mention 'tree'?", "2"),
        ("At step 1, if you walked right 1 steps, what terrain would be underfoot?", "tree"),
        ("At step 2, if you walked right 1 steps, what terrain would be underfoot?", "grass"),
        ("At step 4, if you walked right 1 steps, what terrain would be underfoot?", "table"),
        ("At step 7, in which direction is the nearest lake relative to you?", "down-left"),
        ("At step 1, if you walked up 9 steps, what terrain would be underfoot?", NOT_ANSWERABLE),
        ("At which step were you attacked for the first time?", "3"),
        (
            "What was the total displacement of you?"
            " Answer in 'x step(s) left/right and/or x step(s) up/down.'",
            "0",
        ),
    ],
)
def test_answers_come_from_the_record(trace: Trace[GridState], question: str, text: str) -> None:
    answer = PublishedRecall(trace, GRID).answer(question, question_id="7")
    assert answer is not None
    assert (answer.id, answer.text) == ("7", text)


def test_other_words_are_left_to_others(trace: Trace[GridState]) -> None:
    recall = PublishedRecall(trace, GRID)
    assert recall.answer("What did you do in step 6?") is None
    flown = "Did the step when you first flew happen before or after the step when you first ate any food?"
    assert recall.answer(flown) is None


def test_the_evidence_of_a_step_is_the_step(trace: Trace[GridState]) -> None:
    answer = PublishedRecall(trace, GRID).answer("What is the action at step 6?")
    assert answer is not None
    assert answer.evidence == (6,)
    assert answer.explanation == "read as the published A_action (step: 6)"


def test_an_exam_over_the_record_itself_is_answered_whole(trace: Trace[GridState]) -> None:
    recall = PublishedRecall(trace, GRID)
    for horizon in (0, 3):
        exam = compat_exam(
            recorded_episode(trace, GRID), game_id="g", run_id=1, seed=1, horizon=horizon, per_template=9
        )
        assert exam.last_step == exam.sheet().last_step == 7  # some templates heed no horizon
        assert exam.sheet().rule_set == "compat"
        for question in exam.questions:
            answer = recall.answer(question.text)
            assert answer is not None and answer.text == question.truth[0], question


def test_a_record_of_nothing_says_so() -> None:
    with pytest.raises(ExamError, match="no step"):
        PublishedRecall(Trace([]), GRID)
