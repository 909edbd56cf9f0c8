"""Draws the place of Arena's fights once: a walled ring at dusk."""

from __future__ import annotations

import math
import random

import pygame
from arena_tables import HEIGHT, WIDTH

Colour = tuple[int, int, int]
_WALL_TOP, _SAND_TOP = 118, 208
_SKY = ((30, 26, 58), (92, 52, 92), (206, 112, 92), (248, 178, 112))
_SAND = ((150, 106, 80), (186, 138, 98), (132, 92, 72))


def backdrop() -> pygame.Surface:
    """Draw sky, sun, stands and sand: 480×320 pixels."""
    picture = pygame.Surface((WIDTH, HEIGHT))
    _bands(picture, 0, 170, _SKY, 34)
    dice = random.Random(7)
    for _ in range(46):
        picture.set_at((dice.randrange(WIDTH), dice.randrange(44, 92)), (214, 196, 214))
    pygame.draw.circle(picture, (252, 206, 140), (240, 132), 38)
    pygame.draw.circle(picture, (255, 224, 168), (240, 132), 30)
    _stands(picture, dice)
    _bands(picture, _SAND_TOP, HEIGHT, _SAND, 28)
    _ground(picture, dice)
    return picture


def _bands(picture: pygame.Surface, top: int, bottom: int, colours: tuple[Colour, ...], bands: int) -> None:
    """Draw colours from top to bottom in flat bands."""
    height = bottom - top
    for band in range(bands):
        place = band / (bands - 1) * (len(colours) - 1)
        first = min(int(place), len(colours) - 2)
        part = place - first
        pair = zip(colours[first], colours[first + 1], strict=True)
        picture.fill(
            tuple(round(a + (b - a) * part) for a, b in pair),
            (0, top + band * height // bands, WIDTH, height // bands + 1),
        )


def _stands(picture: pygame.Surface, dice: random.Random) -> None:
    """Draw the far wall with its arches, the crowd above it, and four banners."""
    far, near, arch = (70, 48, 76), (54, 38, 62), (34, 24, 44)
    top = [
        (x, _WALL_TOP + round(26 * math.sin(math.pi * x / WIDTH)) - 6 * (x // 24 % 2))
        for x in range(0, WIDTH + 1, 12)
    ]
    pygame.draw.polygon(picture, far, [*top, (WIDTH, _SAND_TOP), (0, _SAND_TOP)])
    for _ in range(420):
        x = dice.randrange(WIDTH)
        low = _WALL_TOP + round(26 * math.sin(math.pi * x / WIDTH)) + 8
        y = dice.randrange(low, 172) if low < 172 else low
        shade = dice.randrange(-14, 22)
        picture.fill((96 + shade, 66 + shade, 88 + shade), (x, y, 2, 2))
    pygame.draw.rect(picture, near, (0, 172, WIDTH, _SAND_TOP - 172))
    pygame.draw.rect(picture, (92, 66, 88), (0, 172, WIDTH, 3))
    for x in range(12, WIDTH, 48):
        pygame.draw.rect(
            picture, arch, (x, 186, 24, 22), border_top_left_radius=12, border_top_right_radius=12
        )
    for x in (46, 142, 334, 430):
        pygame.draw.polygon(
            picture, (142, 40, 56), [(x - 8, 170), (x + 8, 170), (x + 8, 200), (x, 192), (x - 8, 200)]
        )
        pygame.draw.circle(picture, (222, 168, 92), (x, 180), 4)


def _ground(picture: pygame.Surface, dice: random.Random) -> None:
    pygame.draw.line(picture, (92, 64, 58), (0, _SAND_TOP), (WIDTH, _SAND_TOP), 3)
    for _ in range(150):
        x, y = dice.randrange(WIDTH), dice.randrange(_SAND_TOP + 6, HEIGHT)
        length = 2 + (y - _SAND_TOP) // 14
        tone = dice.choice(((124, 86, 66), (200, 152, 110)))
        pygame.draw.line(picture, tone, (x, y), (x + length, y))
    for side in (-1, 1):
        x = WIDTH // 2 + side * 216
        pygame.draw.rect(picture, (64, 46, 60), (x - 10, 150, 20, 112), border_radius=3)
        pygame.draw.rect(picture, (88, 64, 80), (x - 10, 150, 5, 112), border_radius=3)
        pygame.draw.rect(picture, (88, 64, 80), (x - 14, 144, 28, 10), border_radius=2)
        pygame.draw.circle(picture, (255, 196, 96), (x, 136), 7)
        pygame.draw.circle(picture, (255, 236, 170), (x, 138), 4)
