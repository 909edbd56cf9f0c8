"""Reads exams and their answers from the data folder.

Reading is cheap: an unchanged file is not read again. Only `pitwall exam` commands and a person who answers
on the page (`exam.questions.attempt`) write anything.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_exam.marking.comparison import AnswererMarks, marks_of
from pitwall_exam.questions.abilities import Ability
from pitwall_exam.questions.attempt import SHORT
from pitwall_exam.questions.folder import EXAM_FILE, ExamFolder, exams_of
from pitwall_exam.questions.paper import Exam
from pitwall_exam.questions.sheet import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExam:
    """An exam on the disk, with its answers.

    Attributes:
        exam: None if its file cannot be read. fault: then the reason, and the fix.
        sides: the readable answers, ordered by name. unread: fault sentences of the others.
        at: seconds since 1970 when it was made.
        game: the game's name, or its id if the game is not known.
    """

    exam_id: str
    exam: Exam | None
    fault: str = ""
    sides: tuple[AnswererMarks, ...] = ()
    unread: tuple[str, ...] = ()
    at: float = 0.0
    game: str = ""

    @property
    def counts(self) -> dict[Ability, int]:
        """Count the questions of each ability."""
        return Counter(question.ability for question in self.exam.questions) if self.exam is not None else {}

    def side(self, key: str) -> AnswererMarks | None:
        """Return the marks of an answer sheet by its key; None if there is none."""
        return next((side for side in self.sides if side.key == key), None)


@dataclass(slots=True)
class _Known:
    """A file's stamp when it was read, and the result."""

    stamp: tuple[int, int]
    value: AnswererMarks | None
    fault: str = ""


@dataclass(slots=True)
class _KnownExam:
    stamp: tuple[int, int]
    exam: Exam | None
    fault: str
    sides: dict[Path, _Known] = field(default_factory=dict)


class ExamRepository:
    """Reads exams and answers.

    Args:
        data: the operator's data folder.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._exams: dict[str, _KnownExam] = {}
        self._games: dict[str, str] = {}

    def read(self) -> tuple[StoredExam, ...]:
        """List the exams that exist now, the newest first."""
        folders = exams_of(self._data)
        for gone in set(self._exams) - {folder.exam_id for folder in folders}:
            del self._exams[gone]
        return tuple(self._exam(folder) for folder in folders)

    def _exam(self, folder: ExamFolder) -> StoredExam:
        stamp = _stamp(folder.root / EXAM_FILE)
        known = self._exams.get(folder.exam_id)
        if known is None or known.stamp != stamp:
            exam, fault = None, ""
            try:
                exam = folder.exam()
            except PitwallError as error:
                fault = _fault_text(error)
            known = self._exams[folder.exam_id] = _KnownExam(stamp, exam, fault)
        sides, unread = self._sides(folder, known) if known.exam is not None else ((), ())
        return StoredExam(
            exam_id=folder.exam_id,
            exam=known.exam,
            fault=known.fault,
            sides=sides,
            unread=unread,
            at=stamp[0] / 1e9,
            game=self._game(known.exam.game_id) if known.exam is not None else "",
        )

    def _sides(
        self, folder: ExamFolder, known: _KnownExam
    ) -> tuple[tuple[AnswererMarks, ...], tuple[str, ...]]:
        assert known.exam is not None
        files = folder.sheets()
        known.sides = {
            path: known_side for path, known_side in known.sides.items() if path in {f.path for f in files}
        }
        for file in files:
            stamp = _stamp(file.path)
            if file.path in known.sides and known.sides[file.path].stamp == stamp:
                continue
            try:
                sheet = folder.answers(file.key)
            except PitwallError as error:
                known.sides[file.path] = _Known(stamp, None, _fault_text(error))
                continue
            side = marks_of(known.exam, sheet, file.key, _name(sheet, file.number))
            known.sides[file.path] = _Known(stamp, side)
        read = [known.sides[file.path] for file in files]
        return (
            tuple(file.value for file in read if file.value is not None),
            tuple(file.fault for file in read if file.fault),
        )

    def _game(self, game_id: str) -> str:
        if game_id not in self._games:
            names = {game.game_id: game.name for game in Registry(self._data).games()}
            self._games[game_id] = names.get(game_id, game_id)
        return self._games[game_id]


def _name(sheet: Answers, number: int) -> str:
    """Build a name that is unique within the exam, from the memory's state and the sheet's number."""
    memory = f" · memory {sheet.memory[:6]}" if sheet.memory else ""
    short = " · ten questions" if SHORT in sheet.uses else ""
    return f"{sheet.name}{short}{memory}" + (f" ({number})" if number > 1 else "")


def _fault_text(error: PitwallError) -> str:
    return " ".join(filter(None, (error.what[:1].upper() + error.what[1:], error.fix)))


def _stamp(path: Path) -> tuple[int, int]:
    """Return a file's time of change, in nanoseconds since 1970, and its size; zeros without a file."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
