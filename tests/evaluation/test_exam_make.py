"""Exams over recorded runs, and a sentence where a run has nothing to ask about."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.exam.recorded_runs import recorded

from pitwall.core.errors import ExamError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.evaluation.exam_make import exam_of_run
from pitwall.exam.abilities import Ability


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_a_run_without_structured_state_is_asked_the_general_set_and_it_is_said(data: DataFolder) -> None:
    made = exam_of_run(data, recorded(data, 60))
    assert made.exam.inventory == "general"
    assert made.exam.steps == 59
    assert {one.ability for one in made.exam.questions} == set(Ability)
    (note,) = made.notes
    assert "declares no structured state" in note and "general set" in note


def test_the_general_set_alone_needs_no_word_about_the_game(data: DataFolder) -> None:
    run_id = recorded(data, 60, game="gone")
    assert exam_of_run(data, run_id, wanted="general").notes == ()
    (note,) = exam_of_run(data, run_id).notes
    assert "'gone' is no longer here" in note


def test_a_crafter_run_without_its_true_states_is_asked_the_general_set(data: DataFolder) -> None:
    made = exam_of_run(data, recorded(data, 60, game="crafter"))
    assert made.exam.inventory == "general"
    assert "folder changed since run 1" in made.notes[0]
    assert "no log of the game's true states" in made.notes[-1]


@pytest.mark.parametrize(("steps", "why"), [(0, "has no steps"), (1, "has one step")])
def test_too_short_a_run_says_so(data: DataFolder, steps: int, why: str) -> None:
    run_id = recorded(data, steps)
    with pytest.raises(ExamError, match=why):
        exam_of_run(data, run_id)


def test_a_run_of_two_steps_is_asked_about_the_one_whose_outcome_was_seen(data: DataFolder) -> None:
    exam = exam_of_run(data, recorded(data, 2)).exam
    assert exam.steps == 1
    assert exam.questions and all(one.lo == one.hi == 1 for one in exam.questions)


def test_a_run_that_is_not_there_is_named(data: DataFolder) -> None:
    recorded(data, 5)
    with pytest.raises(UnknownRun, match="7"):
        exam_of_run(data, 7)


def test_compat_asks_about_its_own_game_alone(data: DataFolder) -> None:
    with pytest.raises(ExamError, match="compat"):
        exam_of_run(data, recorded(data, 60), rule_set="compat")


def test_the_same_run_seed_and_settings_give_the_same_exam(data: DataFolder) -> None:
    run_id = recorded(data, 60)
    first = exam_of_run(data, run_id, horizon=20).exam
    assert first == exam_of_run(data, run_id, horizon=20).exam
    assert first.exam_id != exam_of_run(data, run_id, horizon=21).exam.exam_id
    assert first.last_step == 20
