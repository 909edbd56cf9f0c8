"""The layout of the story's window: the program draws by it, the eyes read by it.

A grid of equal cells, each a character of one fixed font (glyphs.txt: misc-fixed 9x18, in the public domain;
a line a character, its code and eighteen rows of nine bits).
"""

from __future__ import annotations

from pathlib import Path

COLUMNS, ROWS = 112, 37
CELL_W, CELL_H = 9, 18
WIDTH, HEIGHT = COLUMNS * CELL_W, ROWS * CELL_H

STATUS_ROW = 0
FIRST_ROW, LAST_ROW = 2, 34
"""Rows of printed text, newest below; the panel has as many."""
INPUT_ROW = 36
MARGIN = 1
"""Empty columns at the left and at the right."""
STORY_COLUMNS = 70
PANEL_COLUMN = MARGIN + STORY_COLUMNS + 2
PANEL_COLUMNS = COLUMNS - MARGIN - PANEL_COLUMN

PROMPT = "> "
ECHO = ">"
"""Prompt before a command in the printed text."""
CARRIED, POSSIBLE, ENDED = "YOU CARRY", "YOU COULD", "THE END"
"""Headings of the panel."""
NOTHING, MORE = "nothing", "..."
SEPARATOR = ", "

BLANK, BLOCK = 32, 127
"""Codes of an empty cell and of the cursor's filled one."""

Glyphs = dict[int, tuple[int, ...]]


def read_glyphs(folder: Path) -> Glyphs:
    """Return eighteen rows of nine bits for each code, the leftmost pixel highest; with the filled cell."""
    glyphs: Glyphs = {BLOCK: (0x1FF,) * CELL_H}
    for line in (folder / "glyphs.txt").read_text(encoding="ascii").splitlines():
        code, *rows = line.split()
        glyphs[int(code)] = tuple(int(row, 16) for row in rows)
    return glyphs
