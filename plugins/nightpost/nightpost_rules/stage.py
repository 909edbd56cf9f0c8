"""Draws the places of the three acts by night: cellar, parlour and attic; dark, so that text stands out."""

from __future__ import annotations

import math
import random
from functools import lru_cache

import pygame

from .layout import HEIGHT, WIDTH

_FLOOR = 430
Colour = tuple[int, int, int]
_TINTS: dict[int, tuple[Colour, Colour, Colour]] = {
    0: ((14, 15, 30), (26, 26, 52), (22, 20, 38)),
    1: ((18, 22, 30), (34, 40, 50), (30, 30, 36)),
    2: ((34, 18, 30), (58, 30, 44), (42, 26, 30)),
    3: ((14, 18, 44), (30, 36, 76), (34, 28, 40)),
}
"""Act (0: menu) → colours of the top, of the wall above the floor, of the floor."""


@lru_cache(maxsize=4)
def backdrop(act: int) -> pygame.Surface:
    """Return the place of an act; 0: the house from outside."""
    surface = pygame.Surface((WIDTH, HEIGHT))
    top, low, floor = _TINTS[act]
    for y in range(_FLOOR):
        part = y / _FLOOR
        surface.fill(
            tuple(round(a + (b - a) * part) for a, b in zip(top, low, strict=True)), (0, y, WIDTH, 1)
        )
    surface.fill(floor, (0, _FLOOR, WIDTH, HEIGHT - _FLOOR))
    (_house, _cellar, _parlour, _attic)[act](surface, random.Random(act))
    return surface


def _house(surface: pygame.Surface, dice: random.Random) -> None:
    for _ in range(160):
        shade = dice.randrange(60, 120)
        surface.set_at((dice.randrange(WIDTH), dice.randrange(_FLOOR)), (shade + 30, shade, shade + 20))
    pygame.draw.circle(surface, (110, 104, 84), (980, 110), 58)
    pygame.draw.circle(surface, (18, 18, 38), (958, 100), 50)
    pygame.draw.polygon(surface, (16, 14, 28), [(640, 470), (640, 250), (790, 130), (940, 250), (940, 470)])
    pygame.draw.rect(surface, (16, 14, 28), (880, 150, 26, 90))
    for x, y, lit in (
        (690, 290, 1),
        (780, 290, 0),
        (860, 290, 1),
        (690, 380, 0),
        (860, 380, 1),
        (775, 195, 1),
    ):
        pygame.draw.rect(surface, (120, 92, 34) if lit else (26, 24, 42), (x, y, 34, 44), border_radius=3)
        pygame.draw.line(surface, (16, 14, 28), (x + 17, y), (x + 17, y + 44), 2)
        pygame.draw.line(surface, (16, 14, 28), (x, y + 22), (x + 34, y + 22), 2)


def _cellar(surface: pygame.Surface, dice: random.Random) -> None:
    for row in range(0, _FLOOR, 36):
        for x in range(-60 + row % 72, WIDTH, 72):
            shade = dice.randrange(-3, 5)
            pygame.draw.rect(
                surface, (28 + shade, 34 + shade, 44 + shade), (x + 2, row + 2, 68, 32), border_radius=4
            )
    for y in (160, 260):
        pygame.draw.rect(surface, (48, 36, 28), (760, y, 360, 8))
        for x in range(780, 1100, 46):
            colour = dice.choice(((40, 62, 58), (66, 50, 38), (44, 44, 70)))
            pygame.draw.rect(surface, colour, (x, y - 42, 28, 42), border_radius=6)
    pygame.draw.rect(surface, (44, 48, 56), (0, 96, WIDTH, 14), border_radius=7)
    pygame.draw.rect(surface, (44, 48, 56), (300, 96, 14, 120), border_radius=7)


def _parlour(surface: pygame.Surface, dice: random.Random) -> None:
    for x in range(0, WIDTH, 64):
        pygame.draw.rect(surface, (46, 24, 38), (x, 0, 30, _FLOOR - 70))
        for y in range(30, _FLOOR - 80, 60):
            pygame.draw.circle(surface, (70, 40, 52), (x + 47, y + x // 64 % 2 * 30), 7)
    pygame.draw.rect(surface, (56, 34, 30), (0, _FLOOR - 78, WIDTH, 78))
    for x in range(20, WIDTH, 150):
        pygame.draw.rect(surface, (68, 42, 36), (x, _FLOOR - 66, 120, 54), 3)
    for x, y in ((120, 120), (520, 90), (960, 130)):
        pygame.draw.rect(surface, (96, 70, 34), (x, y, 96, 74), border_radius=4)
        pygame.draw.rect(surface, (34, 28, 44), (x + 8, y + 8, 80, 58))
        pygame.draw.circle(surface, (60, 50, 72), (x + 48, y + 40 + dice.randrange(4)), 20)


def _attic(surface: pygame.Surface, dice: random.Random) -> None:
    pygame.draw.circle(surface, (84, 92, 118), (576, 150), 110)
    pygame.draw.circle(surface, (108, 112, 126), (604, 132), 46)
    pygame.draw.circle(surface, (40, 32, 44), (576, 150), 110, 10)
    pygame.draw.line(surface, (40, 32, 44), (576, 40), (576, 260), 6)
    pygame.draw.line(surface, (40, 32, 44), (466, 150), (686, 150), 6)
    for side in (-1, 1):
        for step in range(4):
            x = 576 + side * (150 + 140 * step)
            pygame.draw.line(surface, (44, 34, 44), (x, 0), (x + side * 240, _FLOOR), 18)
    pygame.draw.line(surface, (50, 38, 46), (0, 70), (WIDTH, 70), 16)
    for _ in range(26):
        x, y = dice.randrange(WIDTH), dice.randrange(_FLOOR - 60, _FLOOR)
        radius = 12 + round(10 * abs(math.sin(x)))
        pygame.draw.rect(surface, (46, 36, 44), (x, y, 2 * radius, 60), border_radius=4)
