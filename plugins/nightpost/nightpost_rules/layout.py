"""Places the parts of the window in a grid of equal cells, each a character of a fixed font.

The program draws by it, the eyes read by it. The font is glyphs.txt: misc-fixed 9x18, in the public domain; a
line a character, its code and eighteen rows of nine bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COLUMNS, ROWS = 128, 40
CELL_W, CELL_H = 9, 18
WIDTH, HEIGHT = COLUMNS * CELL_W, ROWS * CELL_H
BLANK = 32

KEYS = "1234567890abcdefghijklmnopqrst"
"""Keys of choices and of cards in hand, in their order."""
POTION_KEYS, TARGET_KEYS = "zxc", "asd"
END_KEY = "e"

STATUS_ROW, POTION_ROW, RELIC_ROW = 0, 1, 2
TITLE_ROW, WORDS_ROW, WORDS_ROWS, WORDS_WIDTH = 4, 5, 4, 120
BOOK_ROWS = 32
HINT_ROW = 39
MAP_TOP, MAP_LEFT, LANE_WIDTH, MAP_PANEL = 5, 8, 16, 92
"""Row of the boss's room, column of the first lane, columns between lanes, column of the map's choices."""
FOE_LEFT, FOE_WIDTH, FOE_PITCH, FOE_ROW = 31, 30, 32, 14
"""Where foes' texts stand: the first column, the width, the columns from foe to foe, the row."""
HERO_ROW, HERO_WIDTH = 16, 26
HAND_ROW, HAND_ROWS, ENERGY_ROW = 24, 15, 22
OPTION_ROW, OPTION_ROWS = 9, 29


@dataclass(frozen=True, slots=True)
class Cells:
    """A rectangle of cells."""

    row: int
    column: int
    height: int
    width: int

    def inside(self) -> Cells:
        """Return the part in which text stands."""
        return Cells(self.row, self.column + 1, self.height, self.width - 2)

    @property
    def pixels(self) -> tuple[int, int, int, int]:
        """Return it as x, y, width, height."""
        return self.column * CELL_W, self.row * CELL_H, self.width * CELL_W, self.height * CELL_H


def grid(n: int, top: int, rows: int) -> list[Cells]:
    """Return the boxes of `n` cards or choices: up to five in a line, lines of equal height."""
    columns = max(1, min(5, n))
    lines = max(1, -(-n // columns))
    height = min(rows // lines, 16)
    pitch = {5: 25, 4: 31}.get(columns, 40)
    left = (COLUMNS - columns * pitch + 1) // 2
    return [
        Cells(
            top + place // columns * height, left + place % columns * pitch, height - (lines > 1), pitch - 1
        )
        for place in range(n)
    ]


def hand_boxes(n: int) -> list[Cells]:
    """Return the boxes of the cards in hand."""
    return grid(n, HAND_ROW, HAND_ROWS)


def option_boxes(n: int) -> list[Cells]:
    """Return the boxes of the choices."""
    return grid(n, OPTION_ROW, OPTION_ROWS)


def text_top(box: Cells) -> int:
    """Return the rows above the text of a box, which a picture fills where there is room."""
    return box.height - 8 if box.height >= 12 else 0


def foe_box(place: int) -> Cells:
    """Return where a foe's texts stand."""
    return Cells(FOE_ROW, FOE_LEFT + place * FOE_PITCH, 8, FOE_WIDTH)


def node(row: int, lane: int) -> tuple[int, int]:
    """Return row and column of a room's sign on the map; the room above the last row is the boss's."""
    return MAP_TOP + 2 * (16 - row) + 1, MAP_LEFT + LANE_WIDTH * lane


Glyphs = dict[int, tuple[int, ...]]


def read_glyphs() -> Glyphs:
    """Return eighteen rows of nine bits for each code, the leftmost pixel highest."""
    glyphs: Glyphs = {}
    for line in (Path(__file__).resolve().parent / "glyphs.txt").read_text(encoding="ascii").splitlines():
        code, *rows = line.split()
        glyphs[int(code)] = tuple(int(row, 16) for row in rows)
    return glyphs
