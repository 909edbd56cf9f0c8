"""Tries to get at truths and at the true state through an answerer: by objects, files, imports."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from pitwall.core.paths import DataFolder
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.session import answer_sheet
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.paper import Exam, Question
from pitwall_exam.questions.sheet import Answers

_WATCHED = """
import json, sys
opened = []
def heard(event, given):
    if event in ("open", "sqlite3.connect"):
        opened.append(str(given[0]))
sys.addaudithook(heard)
from pathlib import Path
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.session import answer_sheet
from pitwall.core.paths import DataFolder
from pitwall_exam.questions.sheet import Sheet
sheet = Sheet.model_validate_json(Path(sys.argv[2]).read_bytes())
with open_answerer(AnswererSpec(kind="recall"), DataFolder(Path(sys.argv[1])), sheet) as answerer:
    answers = answer_sheet(answerer, sheet, keep=lambda _: None)
print(json.dumps({"opened": opened, "modules": sorted(sys.modules), "given": len(answers.answers)}))
"""


def _reachable(root: object, most: int = 400_000) -> list[object]:
    """Every object that can be reached from one, modules and classes apart: those are everybody's."""
    seen: dict[int, object] = {}
    waiting = [root]
    while waiting and len(seen) < most:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, ModuleType | type | FunctionType):
            continue
        seen[id(item)] = item
        waiting.extend(gc.get_referents(item))
    return list(seen.values())


def test_no_truth_can_be_reached_from_an_answerer(data: DataFolder, exam: Exam) -> None:
    """A mark is hidden among the truths: whoever can follow references from the answerer does not find it."""
    mark = "a-truth-that-nobody-may-see"
    questions = tuple(question.model_copy(update={"truth": (mark,)}) for question in exam.questions)
    marked = exam.model_copy(update={"questions": questions})
    with open_answerer(AnswererSpec(kind="recall"), data, marked.sheet()) as answerer:
        answers = answer_sheet(answerer, marked.sheet(), keep=lambda _: None)
        reached = _reachable(answerer)
    assert len(reached) > 1000
    assert not [item for item in reached if isinstance(item, Exam | Question)]
    assert mark not in [element for element in reached if isinstance(element, str)]
    assert mark not in answers.model_dump_json()
    assert mark in [part for part in _reachable(marked) if isinstance(part, str)]


def test_a_sheet_says_nothing_of_what_is_right(exam: Exam) -> None:
    text: dict[str, Any] = json.loads(exam.sheet().model_dump_json())
    assert set(text) == {*("exam_id", "game_id", "run_id", "rule_set", "inventory", "last_step", "questions")}
    assert all(set(item) == {"id", "text"} for item in text["questions"])


@pytest.fixture(scope="module")
def watched(data: DataFolder, exam: Exam, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process that answers opens and imports, with a true state's log and the exam lying there."""
    truth = data.run(exam.run_id) / "truth.jsonl"
    truth.parent.mkdir(parents=True, exist_ok=True)
    truth.write_text('{"secret": 1}\n', encoding="utf-8")
    sheet = tmp_path_factory.mktemp("sheet") / "sheet.json"
    sheet.write_text(exam.sheet(worded="declared").model_dump_json(), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, str(data.root), str(sheet)],
        capture_output=True,
        text=True,
        timeout=110,
        check=True,
    )
    text: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return text


def test_an_answering_process_opens_no_file_with_truths(
    watched: dict[str, Any], data: DataFolder, exam: Exam
) -> None:
    opened = {Path(path).name for path in watched["opened"]}
    folder = ExamFolder(data, exam.exam_id).root
    assert watched["given"] == len(exam.questions)
    assert "wordings.toml" in opened
    assert not {"truth.jsonl", "rewordings.toml", "exam.json"} & opened
    assert not [path for path in watched["opened"] if path.startswith(str(folder))]


def test_an_answering_process_holds_no_code_that_could_read_them(watched: dict[str, Any]) -> None:
    imported = set(watched["modules"])
    assert "pitwall_exam.reading.recall" in imported
    assert not {name for name in imported if name.startswith("pitwall_evaluation")}
    assert "pitwall_exam.questions.paper" not in imported


def test_another_true_state_changes_no_answer(data: DataFolder, exam: Exam) -> None:
    def answers() -> Answers:
        with open_answerer(AnswererSpec(kind="recall"), data, exam.sheet()) as answerer:
            return answer_sheet(answerer, exam.sheet(), keep=lambda _: None)

    truth = data.run(exam.run_id) / "truth.jsonl"
    truth.parent.mkdir(parents=True, exist_ok=True)
    before = [answer.text for answer in answers().answers]
    truth.write_text('{"everything": "is different"}\n', encoding="utf-8")
    assert [item.text for item in answers().answers] == before
