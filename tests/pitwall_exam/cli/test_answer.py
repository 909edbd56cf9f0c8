"""`pitwall exam answer` as its user has it: answers kept and gone on with, a person by lines, refusals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from tests.pitwall_exam.recorded_runs import recorded, with_a_reason

from pitwall.cli.main import main
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import DataFolder
from pitwall_exam.answering.systems.catalogue import SYSTEMS
from pitwall_exam.cli.answer import answer as exam_answer
from pitwall_exam.cli.person import show_book
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.attempt import Attempt, asked_of, for_persons, short_paper
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.making import paraphrased


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ExamFolder:
    data = DataFolder(tmp_path_factory.mktemp("answer") / "data")
    recorded(data, 30)
    exam = exam_of_run(data, 1, wanted="general", per_template=1).exam
    folder = ExamFolder(data, exam.exam_id)
    folder.save(exam)
    return folder


Answer = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answer:
    """Runs the command on an exam; gives the lines it said."""

    def run(made: ExamFolder, *options: str, given: str = "") -> list[dict[str, Any]]:
        words = ["exam", "answer", made.exam_id[:6], *options, "--data", str(made.root.parents[1]), "--json"]
        monkeypatch.setattr("sys.argv", ["pitwall", *words])
        typed = tmp_path / "typed"
        typed.write_text(given, encoding="utf-8")
        with typed.open(encoding="utf-8") as lines:
            monkeypatch.setattr("sys.stdin", lines)
            main()
        text = capsys.readouterr()
        assert not text.err, text.err
        return [json.loads(line) for line in text.out.splitlines()]

    return run


def test_recall_answers_line_by_line_and_keeps_its_sheet(made: ExamFolder, answer: Answer) -> None:
    text = answer(made, "--answerer", "recall")
    exam = made.exam()
    assert text[0]["answerer"] == "recall"
    assert [line["progress"] for line in text[1:-1]] == list(range(1, len(exam.questions) + 1))
    assert text[-1]["whole"] is True
    answers = made.answers(text[-1]["answers"])
    assert [item.id for item in answers.answers] == [question.id for question in exam.questions]


def test_a_person_answers_leaves_and_goes_on(made: ExamFolder, answer: Answer) -> None:
    lines = ['{"text": "flap"}', '{"said": "cannot-remember"}', '{"said": "leave"}']
    first = answer(made, "--answerer", "person-closed", given="\n".join(lines) + "\n")
    asked = [line for line in first if "ask" in line]
    assert [line["number"] for line in asked] == [1, 2, 3]
    assert "reason" not in " ".join(line["ask"]["text"] for line in asked).lower()
    assert (first[-1]["given"], first[-1]["problems"], first[-1]["whole"]) == (2, 1, False)
    late = json.dumps({"id": asked[0]["ask"]["id"], "text": "too late"})
    second = answer(made, "--answerer", "person-closed", given=f'{late}\n{{"said": "not-answerable"}}\n')
    again = [line for line in second if "ask" in line]
    assert again[0]["number"] == 3
    assert again[0]["ask"]["id"] == asked[2]["ask"]["id"]
    assert second[-1]["answers"] == first[-1]["answers"]
    texts = [item.text for item in made.answers(first[-1]["answers"]).answers]
    assert texts == ["flap", "", "not answerable"]


def test_a_person_is_asked_about_no_reasons_in_free_words_either(made: ExamFolder, answer: Answer) -> None:
    exam = with_a_reason(made.exam())
    free = {question.id: f"Free words, {question.id}?" for question in exam.questions}
    worded = paraphrased(exam, free, by="a test")
    folder = ExamFolder(DataFolder(made.root.parents[1]), worded.exam_id)
    folder.save(worded)
    wanted = [question.id for question in for_persons(worded)]
    assert len(wanted) < len(worded.questions)
    lines = answer(folder, "--answerer", "person-closed", given="?\n" * (len(wanted) + 1))
    assert [line["ask"]["id"] for line in lines if "ask" in line] == wanted
    assert lines[-1]["whole"] is True
    assert Attempt.begin(worded, folder, "closed").done == 0, "the page would go on with a finished sitting"


def test_a_short_sitting_tells_the_right_answer_after_each(made: ExamFolder, answer: Answer) -> None:
    asked = short_paper(made.exam())
    lines = answer(made, "--answerer", "person-closed", "--short", given=f"{asked[0].truth[0]}\n?\n")
    told = [line for line in lines if "progress" in line]
    assert [line["ask"]["id"] for line in lines if "ask" in line] == [q.id for q in asked[:3]]
    assert (told[0]["of"], told[0]["score"], told[0]["truth"]) == (len(asked), 1.0, list(asked[0].truth))
    assert told[1]["score"] == 0.0
    sheet = made.answers(lines[-1]["answers"])
    assert asked_of(made.exam(), sheet) == asked
    refused = answer(made, "--short")[-1]
    assert refused["what"].startswith("--short is for a person")


def test_the_open_book_lies_beside_the_exam_and_time_runs_out(made: ExamFolder) -> None:
    command = [
        *(sys.executable, "-m", "pitwall", "exam", "answer", made.exam_id, "--answerer", "person-open"),
        *("--seconds", "1", "--data", str(made.root.parents[1]), "--json"),
    ]
    text: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in process.stdout:
            text.append(json.loads(line))
            if "progress" in text[-1]:
                break
        process.stdin.close()
        process.stdout.read()
        assert process.wait(60) == 0
    assert text[-1]["answer"]["problem"] == "the time was up"
    book = Path(text[0]["book"]).read_text(encoding="utf-8").splitlines()
    assert len(book) == 30
    assert book[0].startswith("Step 1:") and book[-1].startswith("After step 29:")


def test_the_open_book_shows_no_picture_beyond_the_horizon(
    made: ExamFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    data = DataFolder(made.root.parents[1])
    run_id = recorded(data, 10, frames=True)
    frames = data.run(run_id) / "frames"
    frames.mkdir(parents=True)
    for number in range(1, 11):
        (frames / f"{number:06d}.png").write_bytes(b"picture")
    sheet = made.exam().sheet().model_copy(update={"run_id": run_id, "last_step": 4})
    for _ in range(2):
        show_book(data, sheet, made.root, Reporter(True))
    (shown,) = {json.loads(line)["pictures"] for line in capsys.readouterr().out.splitlines()}
    assert sorted(path.name for path in Path(shown).iterdir()) == [f"{n:06d}.png" for n in range(1, 6)]
    assert len(list(frames.iterdir())) == 10


def test_who_leaves_a_question_returns_to_the_rest_of_its_time(made: ExamFolder, answer: Answer) -> None:
    options = ("--answerer", "person-open", "--seconds")
    first = answer(made, *options, "30", "--fresh", given='{"said": "leave"}\n')
    asked = next(line for line in first if "ask" in line)
    assert asked["seconds"] == 30
    made.save_seen("person-open", {asked["ask"]["id"]: 29.5})
    again = answer(made, *options, "30", given='{"said": "cannot-remember"}\n')
    (same, other) = [line for line in again if "ask" in line]
    assert same["ask"] == asked["ask"] and same["seconds"] == 0.5
    assert other["seconds"] == 30
    assert set(made.seen_s("person-open")) == {other["ask"]["id"]}


@pytest.mark.usefixtures("signals")
def test_who_stops_leaves_the_open_question_for_later(made: ExamFolder) -> None:
    command = [
        *(sys.executable, "-m", "pitwall", "exam", "answer", made.exam_id, "--answerer", "person-closed"),
        *("--fresh", "--seconds", "600", "--data", str(made.root.parents[1]), "--json"),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in process.stdout:
            if "ask" in json.loads(line):
                break
        process.send_signal(signal.SIGINT)
        end = json.loads(process.stdout.read())
        assert process.wait(60) == 130
    assert end["given"] == 0


def test_sittings_in_other_words_are_not_mixed(made: ExamFolder, answer: Answer) -> None:
    exam = made.exam()
    worded = paraphrased(
        exam, {question.id: "Colourless green ideas?" for question in exam.questions}, by="a test"
    )
    folder = ExamFolder(DataFolder(made.root.parents[1]), worded.exam_id)
    folder.save(worded)
    first = answer(folder, "--answerer", "recall")
    assert first[-1]["problems"] == len(exam.questions)
    second = answer(folder, "--answerer", "recall", "--declared")
    assert second[-1]["whole"] is True and second[-1]["answers"] != first[-1]["answers"]
    assert all(item.problem for item in folder.answers(first[-1]["answers"]).answers)
    assert any("own words" in use for use in folder.answers(second[-1]["answers"]).uses)


def test_every_memory_system_can_be_named() -> None:
    (named,) = get_type_hints(exam_answer, include_extras=True)["system"].__args__
    assert set(get_args(named)) == set(SYSTEMS)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--answerer", "oracle"), "there is no answerer 'oracle'"),
        (("--answerer", "retrieval"), "asks a language model, and none is named"),
        (("--answerer", "in-context", "--model", "nobody"), "nobody"),
    ],
)
def test_a_refusal_is_a_sentence(
    made: ExamFolder, answer: Answer, options: tuple[str, ...], what: str
) -> None:
    (text,) = answer(made, *options)
    assert what in text["what"]
    assert text["fix"]
