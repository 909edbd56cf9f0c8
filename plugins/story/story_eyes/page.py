"""Parses the window's characters: place, score, printed text, carried things, possible commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .layout import (
    BLOCK,
    CARRIED,
    ECHO,
    ENDED,
    FIRST_ROW,
    INPUT_ROW,
    LAST_ROW,
    MARGIN,
    MORE,
    NOTHING,
    PANEL_COLUMN,
    POSSIBLE,
    PROMPT,
    SEPARATOR,
    STATUS_ROW,
    STORY_COLUMNS,
)

_STATUS = re.compile(r"(?P<place>.*?)(?:\s+Score: (?P<score>-?\d+))?(?:\s+Moves: (?P<moves>\d+))?\s*")


@dataclass(frozen=True)
class Page:
    """The contents of the window.

    Attributes:
        score, moves: None where none are shown.
        command: the last one that the story answered; empty where it has left the window.
        answer: the text printed then, as one line.
        typed: the text in the input line.
        carried, possible: None where the panel does not show them.
        ended: the story is over.
    """

    place: str
    score: int | None
    moves: int | None
    command: str
    answer: str
    typed: str
    carried: tuple[str, ...] | None
    possible: tuple[str, ...] | None
    ended: bool


def read_page(rows: Sequence[str]) -> Page:
    """Parse the window's rows of characters."""
    status = _STATUS.fullmatch(rows[STATUS_ROW].strip())
    place, score, moves = (
        (status.group("place", "score", "moves")) if status is not None else ("", None, None)
    )
    command, answer = _answer(
        [row[MARGIN : MARGIN + STORY_COLUMNS].rstrip() for row in rows[FIRST_ROW : LAST_ROW + 1]]
    )
    panel = [row[PANEL_COLUMN:].strip() for row in rows[FIRST_ROW : LAST_ROW + 1]]
    typed = rows[INPUT_ROW][MARGIN:].replace(chr(BLOCK), " ").rstrip()
    return Page(
        place=" ".join(place.split()),
        score=int(score) if score is not None else None,
        moves=int(moves) if moves is not None else None,
        command=command,
        answer=answer,
        typed=typed[len(PROMPT) :].strip() if typed.startswith(PROMPT.strip()) else "",
        carried=_listed(panel, CARRIED),
        possible=_listed(panel, POSSIBLE),
        ended=ENDED in panel,
    )


def _answer(lines: Sequence[str]) -> tuple[str, str]:
    """Return the last command and the text after it; all text where no command is in sight."""
    starts = [number for number, line in enumerate(lines) if line.startswith(ECHO)]
    begin = starts[-1] + 1 if starts else 0
    command = lines[starts[-1]][len(ECHO) :].strip() if starts else ""
    return command, " ".join(" ".join(lines[begin:]).split())


def _listed(panel: Sequence[str], heading: str) -> tuple[str, ...] | None:
    """Return the lines below a heading, up to an empty line."""
    if heading not in panel:
        return None
    below = panel[panel.index(heading) + 1 :]
    end = below.index("") if "" in below else len(below)
    words = " ".join(below[:end])
    return tuple(part for part in words.split(SEPARATOR) if part and part not in (NOTHING, MORE))
