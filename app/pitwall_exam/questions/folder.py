"""Exams on the disk: `<data>/exams/<exam_id>/exam.json`, with one file beside it for each answer sheet."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from pitwall.core.bounded_reading import read_model, valid_values
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall_exam.questions.paper import EXAM_VERSION, Exam
from pitwall_exam.questions.sheet import AnswererKind, Answers

EXAM_FILE, SEEN_FILE = "exam.json", "seen.json"
_ANSWERS = re.compile(r"answers-(?P<key>(?P<name>.+)-(?P<number>\d+))\.json")
_PLAIN = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 60

W = TypeVar("W", bound=BaseModel)


class UnknownExam(PitwallError):
    """No exam, or no answer sheet of it, has this id."""


class _Seen(BaseModel):
    """Seconds for which persons saw questions that they left unanswered: kind → id of the question."""

    seconds: dict[AnswererKind, dict[str, float]] = {}


@dataclass(frozen=True, slots=True)
class AnswersFile:
    """An answer sheet on the disk.

    Attributes:
        key: name of the sheet within its exam, like "recall-1", as commands and pages use it.
        number: counts the sheets of one name, from 1.
    """

    key: str
    number: int
    path: Path


class ExamFolder:
    """The files of one exam. Reading creates no folder."""

    def __init__(self, data: DataFolder, exam_id: str) -> None:
        self.exam_id = exam_id
        self.root = data.exams / exam_id

    @property
    def exists(self) -> bool:
        """Return whether the exam was made."""
        return (self.root / EXAM_FILE).is_file()

    def exam(self) -> Exam:
        """Read the exam with its truths.

        Raises:
            UnknownExam: there is none. PitwallError: its file is damaged, or a newer Pitwall wrote it.
        """
        return read_exam(self.root / EXAM_FILE)

    def save(self, exam: Exam) -> Path:
        """Write the exam and return its file."""
        return self._write(self.root / EXAM_FILE, exam)

    def sheets(self) -> tuple[AnswersFile, ...]:
        """List the answer sheets, ordered by name and number."""
        files = [
            AnswersFile(named["key"], int(named["number"]), path)
            for path in _inside(self.root)
            if (named := _ANSWERS.fullmatch(path.name))
        ]
        return tuple(sorted(files, key=lambda file: (file.key.rpartition("-")[0], file.number)))

    def answers(self, key: str) -> Answers:
        """Read an answer sheet by its key; a name alone ("recall") means the newest of that name.

        Raises:
            UnknownExam: there is none. PitwallError: its file is damaged.
        """
        return _read(self._sheet(key).path, Answers, "Answer the exam again.")

    def kept(self) -> Iterator[tuple[str, Answers]]:
        """Yield each answer sheet with its key, the newest of each name first; damaged sheets are skipped."""
        for sheet in reversed(self.sheets()):
            with contextlib.suppress(PitwallError):
                yield sheet.key, self.answers(sheet.key)

    def save_answers(self, answers: Answers, key: str = "") -> str:
        """Write an answer sheet and return its key.

        Args:
            key: key of the sheet that this one replaces; empty: a new sheet.
        """
        key = key or self._free_key(answers.name)
        self._write(self.root / f"answers-{key}.json", answers)
        return key

    def seen_s(self, kind: AnswererKind) -> dict[str, float]:
        """Return the seconds for which a person saw questions without an answer, by id; none if unknown."""
        return self._seen().seconds.get(kind, {})

    def save_seen(self, kind: AnswererKind, seconds: Mapping[str, float]) -> None:
        """Write the seconds for which a person saw questions without an answer; replaces the former."""
        seen = self._seen().seconds
        if dict(seconds) != seen.get(kind, {}):
            self._write(self.root / SEEN_FILE, _Seen(seconds={**seen, kind: dict(seconds)}))

    def _seen(self) -> _Seen:
        with contextlib.suppress(PitwallError):
            return _read(self.root / SEEN_FILE, _Seen, "")
        return _Seen()

    def _sheet(self, key: str) -> AnswersFile:
        sheets = self.sheets()
        for sheet in sheets:
            if sheet.key == key:
                return sheet
        named = [sheet for sheet in sheets if sheet.key.rpartition("-")[0] == key]
        if named:
            return named[-1]
        hint = suggestion(key, [sheet.key for sheet in sheets], _listed([sheet.key for sheet in sheets]))
        raise UnknownExam(
            f"the exam {self.exam_id} has no answers {key!r}.",
            hint or f"Answer it: pitwall exam answer {self.exam_id} --answerer recall",
        )

    def _free_key(self, name: str) -> str:
        plain = _PLAIN.sub("-", name.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "answers"
        taken = [sheet.number for sheet in self.sheets() if sheet.key.rpartition("-")[0] == plain]
        return f"{plain}-{max(taken, default=0) + 1}"

    def _write(self, path: Path, content: BaseModel) -> Path:
        write_file(path, _as_json(content), sync=True)
        return path


class KeptAnswers:
    """Saves the answers of a sitting under one key; a sitting without answers leaves no file.

    Args:
        key: of the unfinished sitting that goes on; empty: a new one.
    """

    def __init__(self, folder: ExamFolder, key: str) -> None:
        self._folder = folder
        self.key = key

    def keep(self, answers: Answers) -> None:
        """Save the answers given so far."""
        if answers.answers:
            self.key = self._folder.save_answers(answers, self.key)


def read_exam(path: Path) -> Exam:
    """Read an exam from a file.

    Raises:
        UnknownExam: there is none. PitwallError: it is damaged, or a newer Pitwall wrote it.
    """
    exam = _read(path, Exam, "Make it again: pitwall exam make RUN")
    if exam.version > EXAM_VERSION:
        raise PitwallError(
            f"{path} was written by a newer Pitwall (exam version {exam.version}, known: {EXAM_VERSION}).",
            "Update Pitwall, or make the exam again with this one.",
        )
    return exam


def exams_of(data: DataFolder) -> list[ExamFolder]:
    """List the exams made here, the newest first."""
    folders = [ExamFolder(data, path.name) for path in _inside(data.exams) if path.is_dir()]
    return sorted((folder for folder in folders if folder.exists), key=_made_ns, reverse=True)


def open_exam(data: DataFolder, exam_id: str) -> ExamFolder:
    """Find an exam by its id, or by its first letters if they are unique.

    Raises:
        UnknownExam: there is none, or several.
    """
    known = [folder.exam_id for folder in exams_of(data)]
    if exam_id in known:
        return ExamFolder(data, exam_id)
    begun = [known_id for known_id in known if exam_id and known_id.startswith(exam_id)]
    if len(begun) == 1:
        return ExamFolder(data, begun[0])
    if begun:
        raise UnknownExam(f"several exams begin with {exam_id!r}: {', '.join(begun)}.", "Name it in full.")
    raise UnknownExam(
        f"no exam {exam_id!r} was made here.", _listed(known) or "Make one: pitwall exam make RUN"
    )


def _read(path: Path, kind: type[W], fix: str) -> W:
    try:
        return read_model(kind, path, fix=fix)
    except FileNotFoundError:
        raise UnknownExam(f"there is no {path}.", fix) from None


def _as_json(content: BaseModel) -> str:
    try:
        return content.model_dump_json(indent=1)
    except PydanticSerializationError:  # half of a UTF-16 pair, in a model's words
        return json.dumps(valid_values(content.model_dump(mode="json")), ensure_ascii=False, indent=1)


def _made_ns(folder: ExamFolder) -> int:
    with contextlib.suppress(OSError):
        return (folder.root / EXAM_FILE).stat().st_mtime_ns
    return 0


def _inside(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _listed(names: list[str]) -> str:
    return f"There are: {', '.join(names[:8])}{' …' if len(names) > 8 else ''}." if names else ""
