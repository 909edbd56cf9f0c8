"""Published logs lying in a folder, each with its map and its questions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import ExamError

_LOGS = ("logs.jsonl.gz", "logs.jsonl")
_MAPS, _QUESTIONS = "map_*.txt", "questions_*.jsonl"


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A log with its map and the files of questions over it."""

    log: Path
    ground: Path
    questions: tuple[Path, ...]


def sets_in(folder: Path) -> tuple[PublishedSet, ...]:
    """The sets in a folder and the folders in it, by name.

    Raises:
        ExamError: there is none, or one lacks its map or its questions.
    """
    if not folder.is_dir():
        raise ExamError(f"{folder} is no folder.", "Name a folder, or --log, --map and --questions.")
    places = (folder, *sorted(place for place in folder.iterdir() if place.is_dir()))
    found = tuple(_set(place, log) for place in places if (log := _log_in(place)) is not None)
    if not found:
        raise ExamError(
            f"{folder} holds no published log, nor does a folder in it.",
            f"A log is called {_LOGS[1]} or {_LOGS[0]}, with {_MAPS} and {_QUESTIONS} beside it.",
        )
    return found


def _log_in(place: Path) -> Path | None:
    return next((place / name for name in _LOGS if (place / name).is_file()), None)


def _set(place: Path, log: Path) -> PublishedSet:
    maps, questions = sorted(place.glob(_MAPS)), tuple(sorted(place.glob(_QUESTIONS)))
    if len(maps) != 1:
        raise ExamError(f"{place} holds {len(maps)} maps ({_MAPS}); expected one.", "Name it with --map.")
    if not questions:
        raise ExamError(f"{place} holds no questions ({_QUESTIONS}).")
    return PublishedSet(log, maps[0], questions)
