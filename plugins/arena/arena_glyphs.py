"""Letters and digits of Arena's screen, five cells wide and seven high."""

from __future__ import annotations

from functools import lru_cache

import pygame

Colour = tuple[int, int, int]
_WIDTH, _HEIGHT = 5, 7

_GLYPHS = {
    "0": ".###. ##.## ##.## ##.## ##.## ##.## .###.",
    "1": "..##. .###. ..##. ..##. ..##. ..##. .####",
    "2": ".###. ##.## ...## ..##. .##.. ##... #####",
    "3": ".###. ##.## ...## ..##. ...## ##.## .###.",
    "4": "...## ..### .#.## ##.## ##### ...## ...##",
    "5": "##### ##... ####. ...## ...## ##.## .###.",
    "6": ".###. ##.## ##... ####. ##.## ##.## .###.",
    "7": "##### ...## ...## ..##. ..##. .##.. .##..",
    "8": ".###. ##.## ##.## .###. ##.## ##.## .###.",
    "9": ".###. ##.## ##.## .#### ...## ##.## .###.",
    "A": ".###. ##.## ##.## ##### ##.## ##.## ##.##",
    "B": "####. ##.## ##.## ####. ##.## ##.## ####.",
    "C": ".###. ##.## ##... ##... ##... ##.## .###.",
    "D": "####. ##.## ##.## ##.## ##.## ##.## ####.",
    "E": "##### ##... ##... ####. ##... ##... #####",
    "F": "##### ##... ##... ####. ##... ##... ##...",
    "G": ".###. ##.## ##... ##.## ##.## ##.## .####",
    "H": "##.## ##.## ##.## ##### ##.## ##.## ##.##",
    "I": "#### .##. .##. .##. .##. .##. ####",
    "J": "...## ...## ...## ...## ##.## ##.## .###.",
    "K": "##.## ##.## ####. ###.. ####. ##.## ##.##",
    "L": "##... ##... ##... ##... ##... ##... #####",
    "M": "#...# ##.## ##### #.#.# #...# #...# #...#",
    "N": "#...# ##..# ###.# #.### #..## #...# #...#",
    "O": ".###. ##.## ##.## ##.## ##.## ##.## .###.",
    "P": "####. ##.## ##.## ####. ##... ##... ##...",
    "Q": ".###. ##.## ##.## ##.## ##.## .###. ...##",
    "R": "####. ##.## ##.## ####. ###.. ##.#. ##.##",
    "S": ".###. ##.## ##... .###. ...## ##.## .###.",
    "T": "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
    "U": "##.## ##.## ##.## ##.## ##.## ##.## .###.",
    "V": "##.## ##.## ##.## ##.## ##.## .###. ..#..",
    "W": "#...# #...# #...# #.#.# ##### ##.## #...#",
    "X": "##.## ##.## .###. ..#.. .###. ##.## ##.##",
    "Y": "##.## ##.## ##.## .###. ..#.. ..#.. ..#..",
    "Z": "##### ...## ..##. .##.. ##... ##... #####",
    ":": ".. ## ## .. ## ## ..",
    "%": "##..# ##.#. ...#. ..#.. .#... .#.## #..##",
    "<": "....# ..### .#### ##### .#### ..### ....#",
    ">": "#.... ###.. ####. ##### ####. ###.. #....",
    " ": "... ... ... ... ... ... ...",
}


def text_width(text: str, size: int) -> int:
    """Return the width of a text in pixels, with cells of `size` pixels."""
    return sum(len(_GLYPHS[sign].split()[0]) + 1 for sign in text) * size - size


def write(
    surface: pygame.Surface,
    text: str,
    at: tuple[int, int],
    size: int,
    colour: Colour,
    shade: Colour | None = None,
) -> None:
    """Write a text. `at`: its upper left corner. `shade`: colour of its shadow, one cell below."""
    x, y = at
    for sign in text:
        picture = _picture(sign, size, colour, shade)
        surface.blit(picture, (x, y))
        x += picture.get_width()


@lru_cache(maxsize=512)
def _picture(sign: str, size: int, colour: Colour, shade: Colour | None) -> pygame.Surface:
    rows = _GLYPHS[sign].split()
    picture = pygame.Surface(((len(rows[0]) + 1) * size, (_HEIGHT + 1) * size), pygame.SRCALPHA)
    for drop, tint in ((1, shade), (0, colour)):
        for y, row in enumerate(rows):
            for x, cell in enumerate(row):
                if cell == "#" and tint is not None:
                    picture.fill(tint, (x * size, (y + drop) * size, size, size))
    return picture
