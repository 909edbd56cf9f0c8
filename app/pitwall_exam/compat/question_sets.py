"""Published logs in a folder, each with its questions, and Crafter's with its map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pitwall.core.errors import ExamError
from pitwall_exam.compat.adventure.episode import Adventure
from pitwall_exam.compat.adventure.log_reader import read_adventure
from pitwall_exam.compat.adventure.wordings import answered as adventure_answer
from pitwall_exam.compat.agreement import Answering
from pitwall_exam.compat.answers import answered as crafter_answer
from pitwall_exam.compat.log_reader import read_episode
from pitwall_exam.compat.world import World

_LOGS = ("logs.jsonl.gz", "logs.jsonl")
_MAPS, _QUESTIONS = "map_*.txt", "questions_*.jsonl"


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A log with its map and its files of questions; a text adventure has no map."""

    log: Path
    ground: Path | None
    questions: tuple[Path, ...]

    def answering(self) -> Answering:
        """Read the log, and answer by the rules of its kind of game. Raises ExamError as the readers do."""
        if self.ground is not None:
            world = World(read_episode(self.log, self.ground))
            return lambda question, _: crafter_answer(world, question)
        steps = read_adventure(self.log)
        up_to = lru_cache(lambda last: Adventure(steps, last))
        return lambda question, last: adventure_answer(up_to(last), question.question)


def sets_in(folder: Path) -> tuple[PublishedSet, ...]:
    """List the sets in a folder and its subfolders, by name.

    Raises:
        ExamError: there is none, or one has several maps or no questions.
    """
    if not folder.is_dir():
        raise ExamError(
            f"{folder} is no folder.", "Name a folder, or --log, --questions and, of Crafter, --map."
        )
    places = (folder, *sorted(place for place in folder.iterdir() if place.is_dir()))
    sets = tuple(_set(place, log) for place in places if (log := _log_in(place)) is not None)
    if not sets:
        raise ExamError(
            f"{folder} holds no published log, nor does a folder in it.",
            f"A log is called {_LOGS[1]} or {_LOGS[0]}, with {_MAPS} and {_QUESTIONS} beside it.",
        )
    return sets


def _log_in(place: Path) -> Path | None:
    return next((place / name for name in _LOGS if (place / name).is_file()), None)


def _set(place: Path, log: Path) -> PublishedSet:
    maps, questions = sorted(place.glob(_MAPS)), tuple(sorted(place.glob(_QUESTIONS)))
    if len(maps) > 1:
        raise ExamError(f"{place} holds {len(maps)} maps ({_MAPS}); expected one.", "Name it with --map.")
    if not questions:
        raise ExamError(f"{place} holds no questions ({_QUESTIONS}).")
    return PublishedSet(log, next(iter(maps), None), questions)
