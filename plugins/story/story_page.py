"""The contents of the story's window, as rows of characters with a tint each; nothing here draws."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from story_eyes.layout import (
    BLANK,
    BLOCK,
    CARRIED,
    COLUMNS,
    ECHO,
    ENDED,
    FIRST_ROW,
    INPUT_ROW,
    LAST_ROW,
    MARGIN,
    MORE,
    NOTHING,
    PANEL_COLUMN,
    PANEL_COLUMNS,
    POSSIBLE,
    PROMPT,
    ROWS,
    SEPARATOR,
    STATUS_ROW,
    STORY_COLUMNS,
)

PLAIN, QUIET, SAID, HEADING = range(4)
"""Tints."""
_MOST_LINES = 2_000
_STORY_ROWS = LAST_ROW - FIRST_ROW + 1


@dataclass
class StoryPage:
    """The page, line by line.

    Attributes:
        lines: the printed text so far, with tints, wrapped to the window.
        typed: the line that is being typed.
        back: number of rows that the reader has paged back.
        carried, possible: of the panel; None: not known.
    """

    place: str = ""
    score: int | None = None
    moves: int | None = None
    lines: list[tuple[str, int]] = field(default_factory=list)
    typed: str = ""
    back: int = 0
    carried: Sequence[str] | None = None
    possible: Sequence[str] | None = None
    ended: bool = False

    def print(self, command: str, text: str) -> None:
        """Add a command and the story's answer; an empty command: the story began."""
        if command:
            self.lines += [("", PLAIN), (f"{ECHO}{command}"[:STORY_COLUMNS], SAID)]
        for line in text.split("\n"):
            wrapped = textwrap.wrap(line, STORY_COLUMNS - 1, break_on_hyphens=False) or [""]
            self.lines += [(" " + part if part.startswith(ECHO) else part, PLAIN) for part in wrapped]
        del self.lines[:-_MOST_LINES]
        self.back = 0

    def turn(self, pages: int) -> None:
        """Page back (positive) or forth."""
        most = max(0, len(self.lines) - _STORY_ROWS)
        self.back = min(most, max(0, self.back + pages * (_STORY_ROWS - 2)))

    def cells(self) -> tuple[list[list[int]], list[list[int]]]:
        """Return the codes of the characters and their tints, row by row."""
        codes = [[BLANK] * COLUMNS for _ in range(ROWS)]
        tints = [[PLAIN] * COLUMNS for _ in range(ROWS)]

        def write(row: int, column: int, text: str, tint: int) -> None:
            for number, character in enumerate(text[: COLUMNS - MARGIN - column]):
                codes[row][column + number], tints[row][column + number] = ord(character), tint

        write(STATUS_ROW, MARGIN, self._status(), HEADING)
        end = len(self.lines) - self.back
        shown = self.lines[max(0, end - _STORY_ROWS) : end]
        for row, (text, tint) in enumerate(shown, start=FIRST_ROW):
            write(row, MARGIN, text, tint)
        for row, (text, tint) in enumerate(self._panel(), start=FIRST_ROW):
            write(row, PANEL_COLUMN, text, tint)
        write(INPUT_ROW, MARGIN, PROMPT + self.typed, SAID)
        codes[INPUT_ROW][min(COLUMNS - 1, MARGIN + len(PROMPT) + len(self.typed))] = BLOCK
        return codes, tints

    def _status(self) -> str:
        counts = [
            f"{name}: {value}"
            for name, value in (("Score", self.score), ("Moves", self.moves))
            if value is not None
        ]
        right = "  ".join(counts)
        left = COLUMNS - 2 * MARGIN - len(right)
        return f"{self.place[: left - 1]:<{left}}{right}"

    def _panel(self) -> Iterable[tuple[str, int]]:
        rows: list[tuple[str, int]] = []
        for heading, names in ((CARRIED, self.carried), (POSSIBLE, self.possible)):
            if names is not None:
                listed = SEPARATOR.join(names) or NOTHING
                lines = textwrap.wrap(listed, PANEL_COLUMNS, break_on_hyphens=False)
                rows += [(heading, HEADING), *((line, QUIET) for line in lines), ("", PLAIN)]
        if self.ended:
            rows.append((ENDED, HEADING))
        if len(rows) > _STORY_ROWS:
            rows = [*rows[: _STORY_ROWS - 1], (MORE, QUIET)]
        return rows
