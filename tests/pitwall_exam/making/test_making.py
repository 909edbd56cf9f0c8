"""Exams over recorded runs, and a sentence where a run has nothing to ask about."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.pitwall_exam.recorded_runs import recorded

from pitwall.core.errors import ExamError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall_evaluation.truth.log import truth_file
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.abilities import Ability
from workshop.fixtures.crafter_episodes import play_crafter


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_a_run_without_structured_state_is_asked_the_general_set_and_it_is_said(data: DataFolder) -> None:
    made = exam_of_run(data, recorded(data, 60))
    assert made.exam.inventory == "general"
    assert made.exam.steps == 59
    assert {question.ability for question in made.exam.questions} == set(Ability)
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
    assert exam.questions and all(question.lo == question.hi == 1 for question in exam.questions)


def test_a_run_that_is_not_there_is_named(data: DataFolder) -> None:
    recorded(data, 5)
    with pytest.raises(UnknownRun, match="7"):
        exam_of_run(data, 7)


def test_compat_asks_about_its_own_game_alone(data: DataFolder) -> None:
    run_id = recorded(data, 60)
    with pytest.raises(ExamError, match="compat"):
        exam_of_run(data, run_id, rule_set="compat")
    with pytest.raises(ExamError, match="one inventory"):
        exam_of_run(data, run_id, rule_set="compat", wanted="both")


def test_the_same_run_seed_and_settings_give_the_same_exam(data: DataFolder) -> None:
    run_id = recorded(data, 60)
    first = exam_of_run(data, run_id, horizon=20).exam
    assert first == exam_of_run(data, run_id, horizon=20).exam
    assert first.exam_id != exam_of_run(data, run_id, horizon=21).exam.exam_id
    assert first.last_step == 20


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A data folder with one short episode of Crafter, its true states beside it."""
    data = DataFolder(tmp_path_factory.mktemp("played") / "data")
    assert play_crafter(data, seed=2, steps=30) == 1
    return data


@pytest.fixture
def crafter(played: DataFolder, tmp_path: Path) -> DataFolder:
    """A copy of it, to be damaged."""
    shutil.copytree(played.root, tmp_path / "crafter")
    return DataFolder(tmp_path / "crafter")


def test_a_run_with_true_states_is_asked_its_own_questions(played: DataFolder) -> None:
    made = exam_of_run(played, 1)
    assert (made.exam.inventory, made.exam.steps, made.notes) == ("grid", 29, ())
    both = exam_of_run(played, 1, wanted="both")
    assert both.exam.inventory == "grid+general"
    assert len(both.exam.questions) > len(made.exam.questions)


def test_a_log_that_was_cut_off_is_asked_about_as_far_as_it_goes(crafter: DataFolder) -> None:
    log = truth_file(crafter, 1)
    log.write_bytes(log.read_bytes()[: log.stat().st_size * 2 // 3])
    made = exam_of_run(crafter, 1)
    assert made.exam.inventory == "grid" and 0 < made.exam.steps < 29
    (note,) = made.notes
    assert "breaks off" in note


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00v", b"[]\n", b"{\n"])
def test_a_log_that_cannot_be_read_leaves_the_general_set(crafter: DataFolder, content: bytes) -> None:
    truth_file(crafter, 1).write_bytes(content)
    made = exam_of_run(crafter, 1)
    assert made.exam.inventory == "general"
    assert any("true states" in note for note in made.notes)


def test_steps_that_are_missing_or_out_of_order_are_named(crafter: DataFolder) -> None:
    with sqlite3.connect(crafter.database) as database:
        database.execute("update steps set step = step + 100 where step > 10")
    database.close()
    with pytest.raises(ExamError, match="step"):
        exam_of_run(crafter, 1)
