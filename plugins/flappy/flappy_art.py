"""Draws Flappy in flat colours that a state reader can tell apart.

The manifest uses the same colours: change both together (`plugin.toml`, `templates/`).
"""

from __future__ import annotations

from functools import lru_cache

import pygame
from flappy_glyphs import GLYPH_HEIGHT, GLYPH_WIDTH, rows_of
from flappy_rules import (
    BIRD_HEIGHT,
    BIRD_WIDTH,
    BIRD_X,
    GROUND_Y,
    HEIGHT,
    PIPE_WIDTH,
    SCROLL,
    WIDTH,
    Flight,
    Pipe,
)

Colour = tuple[int, int, int]

BIRD: Colour = (250, 204, 46)
BEAK: Colour = (240, 92, 44)
PIPE: Colour = (98, 184, 66)
MENU: Colour = (44, 62, 120)
GAME_OVER: Colour = (250, 238, 212)
PAUSED: Colour = (96, 64, 132)

_PIPE_LIGHT: Colour = (128, 206, 96)
_PIPE_DARK: Colour = (74, 158, 44)
_OUTLINE: Colour = (34, 52, 40)
_INK: Colour = (58, 40, 28)
_WHITE: Colour = (255, 255, 255)
_CLOUD: Colour = (236, 248, 250)
_HILL_FAR: Colour = (160, 214, 214)
_HILL_NEAR: Colour = (134, 198, 190)
_SKY_TOP, _SKY_LOW = (82, 172, 214), (202, 236, 238)
_GRASS, _GRASS_DARK, _SOIL, _SOIL_LINE = (150, 214, 92), (116, 186, 70), (222, 206, 150), (204, 184, 122)
_TILT = 3.2
"""Degrees of tilt for a speed of one pixel a frame: nose up while it climbs."""

_BIRD_ROWS = (
    "......ooooo......",
    "....ooyyyowwo....",
    "...oyyyyowwwwo...",
    "..oyyyyyowwwko...",
    ".oyyyyyyowwwko...",
    "oggggyyyyowwwo...",
    "ogwwggyyyyoobbbb.",
    "oggggyyyyobbbbbbb",
    ".ogggyyyyyobbbbb.",
    "..oyyyyyyyyooo...",
    "...ooyyyyyo......",
    ".....ooooo.......",
)
_BIRD_COLOURS = {"o": _INK, "y": BIRD, "w": _WHITE, "k": _INK, "g": (255, 226, 122), "b": BEAK}


class Painter:
    """Draws the scene of one window.

    Args:
        surface: 288×512 pixels.
    """

    def __init__(self, surface: pygame.Surface) -> None:
        self._surface = surface
        self._sky = _sky()
        self._bird = _from_rows(_BIRD_ROWS)

    def scene(self, flight: Flight, scrolled: int) -> None:
        """Draw sky, pipes, ground and bird. `scrolled`: frames that the ground has moved."""
        surface = self._surface
        surface.blit(self._sky, (0, 0))
        self._clouds(scrolled)
        self._hills(scrolled)
        for pipe in flight.pipes:
            if pipe.x < WIDTH:
                self._pipe(pipe)
        self._ground(scrolled)
        self._fly(flight)

    def score(self, score: int) -> None:
        """Draw the score in big digits, at the top."""
        digits = [digit_picture(int(sign)) for sign in str(score)]
        step = digits[0].get_width() - 4
        x = (WIDTH - step * len(digits) - 4) // 2
        for digit in digits:
            self._surface.blit(digit, (x, 40))
            x += step

    def menu(self, best: int) -> None:
        """Draw the panel over the scene before the first flap."""
        self._text("FLAPPY", 96, 6, _WHITE, _OUTLINE)
        pygame.draw.rect(self._surface, MENU, (48, 330, 192, 40), border_radius=8)
        self._text("PRESS SPACE", 343, 2, _WHITE)
        if best:
            self._text(f"BEST {best}", 384, 2, _INK)

    def paused(self) -> None:
        """Draw the panel over the scene while the game is paused."""
        pygame.draw.rect(self._surface, PAUSED, (48, 188, 192, 56), border_radius=8)
        self._text("PAUSED", 205, 3, _WHITE)

    def game_over(self, score: int, best: int) -> None:
        """Draw the panel over the scene after a crash."""
        panel = pygame.Rect(40, 168, 208, 152)
        pygame.draw.rect(self._surface, _INK, panel.inflate(8, 8), border_radius=10)
        pygame.draw.rect(self._surface, GAME_OVER, panel, border_radius=8)
        self._text("GAME OVER", 184, 3, (206, 74, 50))
        for text, value, y in (("SCORE", score, 226), ("BEST", best, 254)):
            self._text(text, y, 2, _INK, x=64)
            self._text(str(value), y, 2, _INK, right=224)
        self._text("SPACE: AGAIN", 292, 2, (140, 112, 84))

    # ---- parts

    def _clouds(self, scrolled: int) -> None:
        for x, y, size in ((30, 92, 22), (150, 60, 28), (262, 132, 18)):
            left = (x - scrolled // 3) % (WIDTH + 120) - 60
            for dx, dy, r in ((-size, 4, size * 2 // 3), (0, -2, size), (size, 5, size * 3 // 5)):
                pygame.draw.circle(self._surface, _CLOUD, (left + dx, y + dy), r, draw_top_left=True)
                pygame.draw.circle(self._surface, _CLOUD, (left + dx, y + dy), r, draw_top_right=True)
            pygame.draw.rect(self._surface, _CLOUD, (left - size * 5 // 3, y - 2, size * 10 // 3, 10))

    def _hills(self, scrolled: int) -> None:
        for colour, every, rise, speed in ((_HILL_FAR, 96, 70, 2), (_HILL_NEAR, 72, 40, 1)):
            moved = scrolled * 2 // (speed + 1) % every
            for x in range(-every - moved, WIDTH + every, every):
                pygame.draw.ellipse(self._surface, colour, (x, GROUND_Y - rise, every * 3 // 2, rise * 2))

    def _pipe(self, pipe: Pipe) -> None:
        self._tube(pipe.x + 2, 0, pipe.gap_top - 24, PIPE_WIDTH - 4)
        self._tube(pipe.x, pipe.gap_top - 26, 26, PIPE_WIDTH)
        self._tube(pipe.x + 2, pipe.gap_bottom + 24, GROUND_Y - pipe.gap_bottom - 24, PIPE_WIDTH - 4)
        self._tube(pipe.x, pipe.gap_bottom, 26, PIPE_WIDTH)

    def _tube(self, x: int, y: int, height: int, width: int) -> None:
        draw, surface = pygame.draw.rect, self._surface
        draw(surface, _OUTLINE, (x, y, width, height))
        draw(surface, PIPE, (x + 2, y + 2, width - 4, height - 4))
        draw(surface, _PIPE_LIGHT, (x + 6, y + 2, 8, height - 4))
        draw(surface, _PIPE_DARK, (x + width - 14, y + 2, 12, height - 4))

    def _ground(self, scrolled: int) -> None:
        draw, surface = pygame.draw.rect, self._surface
        draw(surface, _SOIL, (0, GROUND_Y, WIDTH, HEIGHT - GROUND_Y))
        draw(surface, _GRASS, (0, GROUND_Y, WIDTH, 14))
        for x in range(-(scrolled * SCROLL) % 24 - 24, WIDTH, 24):
            pygame.draw.polygon(
                surface,
                _GRASS_DARK,
                [(x, GROUND_Y + 12), (x + 12, GROUND_Y + 12), (x + 20, GROUND_Y + 2), (x + 8, GROUND_Y + 2)],
            )
            draw(surface, _SOIL_LINE, (x + 6, GROUND_Y + 30, 10, 4))
            draw(surface, _SOIL_LINE, (x + 16, GROUND_Y + 58, 6, 4))
        draw(surface, _OUTLINE, (0, GROUND_Y, WIDTH, 2))
        draw(surface, _SOIL_LINE, (0, GROUND_Y + 14, WIDTH, 4))

    def _fly(self, flight: Flight) -> None:
        turned = pygame.transform.rotate(self._bird, -_TILT * flight.speed)
        centre = (BIRD_X + BIRD_WIDTH // 2, flight.y + BIRD_HEIGHT // 2)
        self._surface.blit(turned, turned.get_rect(center=centre))

    def _text(
        self,
        text: str,
        y: int,
        size: int,
        colour: Colour,
        outline: Colour | None = None,
        *,
        x: int | None = None,
        right: int | None = None,
    ) -> None:
        width = len(text) * (GLYPH_WIDTH + 1) * size - size
        left = x if x is not None else right - width if right is not None else (WIDTH - width) // 2
        for sign in text:
            self._surface.blit(_glyph(sign, size, colour, outline), (left - size, y - size))
            left += (GLYPH_WIDTH + 1) * size


def digit_picture(digit: int) -> pygame.Surface:
    """Return a digit of the score with its outline, transparent around it: 28×36 pixels."""
    return _glyph(str(digit), 4, _WHITE, _OUTLINE)


@lru_cache(maxsize=256)
def _glyph(sign: str, size: int, colour: Colour, outline: Colour | None) -> pygame.Surface:
    picture = pygame.Surface(((GLYPH_WIDTH + 2) * size, (GLYPH_HEIGHT + 2) * size), pygame.SRCALPHA)
    cells = [(x, y) for y, row in enumerate(rows_of(sign)) for x, cell in enumerate(row) if cell == "#"]
    if outline is not None:
        for x, y in cells:
            picture.fill(outline, (x * size, y * size, 3 * size, 3 * size))
    for x, y in cells:
        picture.fill(colour, ((x + 1) * size, (y + 1) * size, size, size))
    return picture


def _sky() -> pygame.Surface:
    sky = pygame.Surface((WIDTH, GROUND_Y))
    bands = 24
    for band in range(bands):
        part = band / (bands - 1)
        colour = tuple(round(a + (b - a) * part) for a, b in zip(_SKY_TOP, _SKY_LOW, strict=True))
        sky.fill(colour, (0, band * GROUND_Y // bands, WIDTH, GROUND_Y // bands + 1))
    return sky


def _from_rows(rows: tuple[str, ...]) -> pygame.Surface:
    picture = pygame.Surface((BIRD_WIDTH, BIRD_HEIGHT), pygame.SRCALPHA)
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign != ".":
                picture.fill(_BIRD_COLOURS[sign], (2 * x, 2 * y, 2, 2))
    return picture
