"""Exams and answer sheets on the disk: whole or not at all, named so that people can name them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.pitwall_exam.questions.general_episode import general_episode

from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.questions.folder import ExamFolder, UnknownExam, exams_of, open_exam
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answer, Answers


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def some_exam(seed: int = 42) -> Exam:
    return make_exam([QuestionSource(GENERAL, general_episode(20))], game_id="any", run_id=1, seed=seed)


def answers(name: str, exam_id: str = "e") -> Answers:
    given = (Answer(id="001", text="wait", evidence=(3,)),)
    return Answers(exam_id=exam_id, answerer="recall", name=name, uses=("the run log",), at="", answers=given)


def test_an_exam_and_its_answers_are_read_as_they_were_written(data: DataFolder) -> None:
    exam = some_exam()
    folder = ExamFolder(data, exam.exam_id)
    assert not folder.exists
    folder.save(exam)
    key = folder.save_answers(answers("retrieval · tiny Q4", exam.exam_id))
    assert key == "retrieval-tiny-q4-1"
    assert folder.save_answers(answers("retrieval · tiny Q4", exam.exam_id)) == "retrieval-tiny-q4-2"
    assert folder.exam() == exam
    assert folder.answers(key) == answers("retrieval · tiny Q4", exam.exam_id)
    assert [sheet.key for sheet in folder.sheets()] == ["retrieval-tiny-q4-1", "retrieval-tiny-q4-2"]
    assert not [path for path in folder.root.iterdir() if path.name.startswith(".")]


def test_a_sheet_is_replaced_where_its_key_is_given_and_found_by_its_name(data: DataFolder) -> None:
    folder = ExamFolder(data, "e")
    key = folder.save_answers(answers("recall"))
    more = answers("recall").model_copy(update={"prompt_tokens": 7})
    assert folder.save_answers(more, key) == key
    assert folder.answers("recall").prompt_tokens == 7
    for _ in range(10):
        newest = folder.save_answers(answers("recall"))
    assert newest == "recall-11" == folder.sheets()[-1].key
    assert folder.answers("recall") == answers("recall")
    with pytest.raises(UnknownExam, match=r"has no answers 'recal'.*recall"):
        folder.answers("recal")


@pytest.mark.parametrize("name", ["…", "../../etc/passwd", "a" * 500, "人"])
def test_a_name_of_any_letters_stays_in_the_folder(data: DataFolder, name: str) -> None:
    folder = ExamFolder(data, "e")
    key = folder.save_answers(answers(name))
    assert (folder.root / f"answers-{key}.json").is_file()
    assert folder.answers(key).name == name


def test_half_a_character_in_an_answer_becomes_a_replacement_character(data: DataFolder) -> None:
    folder = ExamFolder(data, "e")
    sheet = answers("recall")
    broken = sheet.model_copy(update={"answers": (Answer(id="001", text="north \ud800"),)})
    assert folder.answers(folder.save_answers(broken)).answers[0].text == "north \ufffd"


def test_exams_are_listed_newest_first_and_opened_by_their_first_letters(data: DataFolder) -> None:
    made = [some_exam(seed) for seed in (1, 2, 3)]
    for age, exam in enumerate(made):
        file = ExamFolder(data, exam.exam_id).save(exam)
        os.utime(file, (age, age))
    assert [item.exam_id for item in exams_of(data)] == [element.exam_id for element in reversed(made)]
    assert open_exam(data, made[0].exam_id[:6]).exam() == made[0]
    for wanted in ("", "nothing", "../runs"):
        with pytest.raises(UnknownExam):
            open_exam(data, wanted)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[]", b'{"version": 1}'])
def test_a_damaged_exam_is_named(data: DataFolder, content: bytes) -> None:
    folder = ExamFolder(data, "e")
    folder.root.mkdir(parents=True)
    (folder.root / "exam.json").write_bytes(content)
    (folder.root / "answers-recall-1.json").write_bytes(content)
    with pytest.raises(PitwallError, match=r"exam\.json(:1)? is damaged.*pitwall exam make"):
        folder.exam()
    with pytest.raises(PitwallError, match=r"is damaged.*Answer the exam again"):
        folder.answers("recall-1")


def test_an_exam_of_a_newer_pitwall_says_so(data: DataFolder) -> None:
    folder = ExamFolder(data, "e")
    folder.save(some_exam().model_copy(update={"version": 99}))
    with pytest.raises(PitwallError, match="newer Pitwall"):
        folder.exam()


def test_a_folder_that_cannot_be_made_says_which(data: DataFolder) -> None:
    data.root.mkdir(parents=True)
    data.exams.write_text("in the way")
    with pytest.raises(DataFolderError, match="exams"):
        ExamFolder(data, "e").save(some_exam())
