"""`pitwall exam`, as a person and as the console run it, on a recorded run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_exam.recorded_runs import recorded, with_a_reason

from pitwall.cli.main import main
from pitwall.core.paths import DataFolder
from pitwall_exam.questions.attempt import SHORT, for_persons, short_paper
from pitwall_exam.questions.folder import ExamFolder, exams_of
from pitwall_exam.questions.paper import Question
from pitwall_exam.questions.sheet import NOT_ANSWERABLE, Answer, Answers

Called = Callable[..., tuple[int, str]]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def exam(data: DataFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Called:
    """Runs `pitwall exam …`; gives its status and what it printed."""

    def called(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["pitwall", "exam", *map(str, words), "--data", str(data.root)])
        status = main()
        text = capsys.readouterr()
        return status, text.out + text.err

    return called


def told(printed: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(printed)
    return body


def answered(folder: ExamFolder, right: int) -> str:
    """A sheet whose first answers are right, and the rest refused; returns its key."""
    exam = folder.exam()
    texts = [
        question.truth[0] if at < right else NOT_ANSWERABLE for at, question in enumerate(exam.questions)
    ]
    given = tuple(Answer(id=item.id, text=text) for item, text in zip(exam.questions, texts, strict=True))
    sheet = Answers(
        exam_id=exam.exam_id, answerer="recall", name="recall", uses=("log",), at="", answers=given
    )
    return folder.save_answers(sheet)


def test_an_exam_is_made_listed_shown_marked_and_compared(data: DataFolder, exam: Called) -> None:
    run_id = recorded(data, 40)
    status, printed = exam("make", run_id, "--json")
    made = told(printed)
    assert status == 0 and made["inventory"] == "general" and made["notes"]
    assert Path(made["file"]).is_file()
    (folder,) = exams_of(data)
    assert folder.exam_id == made["exam_id"]
    assert sum(made["questions"].values()) == len(folder.exam().questions)

    assert exam("score", made["exam_id"])[1].startswith(f"The exam {made['exam_id']} is not answered yet")
    good, poor = answered(folder, 40), answered(folder, 10)
    assert (good, poor) == ("recall-1", "recall-2")
    listed = told(exam("list", "--json")[1])
    assert listed["exams"][0]["sheets"] == [good, poor] and not listed["damaged"]

    marked = told(exam("score", made["exam_id"][:5], "--json")[1])
    first, second = marked["sheets"]
    assert first["overall"]["accuracy"] > second["overall"]["accuracy"]
    assert {item["ability"] for item in first["abilities"]} == set(made["questions"])

    result = told(exam("compare", made["exam_id"], good, poor, "--json")[1])
    overall = result["differences"][0]
    assert overall["difference"] == pytest.approx(
        first["overall"]["accuracy"] - second["overall"]["accuracy"]
    )
    assert overall["differs"] and overall["better_b"] == 0
    accuracy, seconds = result["agreement"]
    assert (accuracy["of"], seconds["of"]) == ("accuracy", "seconds")
    assert 0 < accuracy["mae"] <= accuracy["rmse"]

    shown = told(exam("show", made["exam_id"], "--answers", good, "--ability", "spatial", "--json")[1])
    assert {element["ability"] for element in shown["questions"]} == {"spatial"}
    assert all("truth" in part and "score" in part for part in shown["questions"])


def test_who_was_not_asked_everything_is_marked_over_what_was_asked(data: DataFolder, exam: Called) -> None:
    exam("make", recorded(data, 40))
    (folder,) = exams_of(data)
    paper = with_a_reason(folder.exam())
    folder = ExamFolder(data, paper.exam_id)
    folder.save(paper)
    asked = for_persons(paper)
    short, left_at = short_paper(paper), asked[: len(asked) // 2]
    assert len(short) < len(left_at) < len(asked) < len(paper.questions)

    def sat(questions: Sequence[Question], *uses: str) -> str:
        given = tuple(Answer(id=item.id, text=item.truth[0], seconds=3.0) for item in questions)
        sheet = Answers(
            exam_id=paper.exam_id, answerer="person-closed", name="a person", uses=uses, at="", answers=given
        )
        return folder.save_answers(sheet)

    keys = [sat(asked), sat(short, SHORT), sat(left_at)]
    marked = told(exam("score", paper.exam_id, "--json")[1])["sheets"]
    assert [item["key"] for item in marked] == keys
    assert [item["overall"]["accuracy"] for item in marked] == [1.0, 1.0, 1.0]
    of = [(item["answered"], item["of"]) for item in marked]
    assert of == [(len(asked), len(asked)), (len(short), len(short)), (len(left_at), len(asked))]
    assert f"{len(left_at)} of {len(asked)} answered" in exam("score", paper.exam_id, keys[2])[1]
    for_distance = sum(group["n"] for group in marked[1]["distances"])
    assert for_distance == sum(item.answerable and bool(item.evidence) for item in short)

    whole = answered(folder, len(paper.questions))
    result = told(exam("compare", paper.exam_id, whole, keys[1], "--json")[1])
    assert result["differences"][0]["n"] == len(short)
    assert result["differences"][0]["difference"] == 0.0
    _, seconds = result["agreement"]
    assert (seconds["n"], seconds["mae"]) == (len({item.ability for item in short}), 3.0)


def test_what_is_printed_for_a_person_names_what_counts(data: DataFolder, exam: Called) -> None:
    assert "No exam was made here yet" in exam()[1]
    _, made = exam("make", recorded(data, 40), "--horizon", 20)
    (folder,) = exams_of(data)
    assert folder.exam_id in made and "steps 1 to 20" in made and "pitwall exam answer" in made
    answered(folder, 30)
    assert folder.exam_id in exam("list")[1]
    marks = exam("score", folder.exam_id, "recall")[1]
    assert "overall" in marks and "published best" not in marks  # which is of games with an inventory
    question = folder.exam().questions[0]
    shown = exam("show", folder.exam_id, "--answers", "recall")[1]
    assert question.text in shown and f"truth: {question.truth[0]}" in shown
    assert "inside the noise" in exam("compare", folder.exam_id, "recall-1", "recall-1")[1]


def test_a_sheet_shows_no_truths(data: DataFolder, exam: Called) -> None:
    exam("make", recorded(data, 40), "--reworded")
    (folder,) = exams_of(data)
    sheet = told(exam("show", folder.exam_id, "--sheet", "--json")[1])
    assert set(sheet["questions"][0]) == {"id", "text"}
    assert sheet["questions"][0]["text"] == folder.exam().questions[0].paraphrase


def test_a_damaged_sheet_hides_no_other_one(data: DataFolder, exam: Called) -> None:
    exam("make", recorded(data, 40))
    (folder,) = exams_of(data)
    answered(folder, 30)
    (folder.root / "answers-other-1.json").write_text('{"exam_id"', encoding="utf-8")
    status, printed = exam("score", folder.exam_id, "--json")
    marked = told(printed)
    assert status == 0 and [item["key"] for item in marked["sheets"]] == ["recall-1"]
    assert len(marked["damaged"]) == 1 and "answers-other-1.json is damaged" in marked["damaged"][0]
    status, printed = exam("score", folder.exam_id)
    assert status == 0 and "overall" in printed and "is damaged" in printed
    assert [key for key, _ in folder.kept()] == ["recall-1"]
    assert exam("score", folder.exam_id, "other-1")[0] == 1


def test_what_goes_wrong_is_one_sentence(data: DataFolder, exam: Called) -> None:
    status, printed = exam("make", 9, "--json")
    assert status == 1 and told(printed)["error"] == "UnknownRun"
    status, printed = exam("make", recorded(data, 1))
    assert status == 1 and "has one step" in printed and "Traceback" not in printed
    status, printed = exam("score", "nothing")
    assert status == 1 and "no exam 'nothing' was made here" in printed
    exam("make", recorded(data, 20))
    (folder,) = exams_of(data)
    status, printed = exam("score", folder.exam_id, "recall")
    assert status == 1 and "has no answers 'recall'" in printed
    (folder.root / "exam.json").write_bytes(b"\xff")
    assert "is damaged" in exam("list")[1]
