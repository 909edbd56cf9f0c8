"""Draws an environment's picture into a window: at a whole scale, with its mission and end panel."""

from __future__ import annotations

import numpy as np
import pygame
from numpy.typing import NDArray

MOST = (800, 660)
"""Largest window picture in pixels for choosing a whole scale; a larger picture is not scaled."""
MISSION_PX = 34
END_COLOUR = (232, 214, 170)
_INK = (52, 40, 28)
_STRIP = (24, 26, 30)
_WORDS = (236, 238, 242)


def scale_of(width: int, height: int) -> int:
    """Return how many window pixels a pixel of the picture takes on each side."""
    return max(1, min(MOST[0] // width, MOST[1] // height))


def window_size(width: int, height: int, mission: str) -> tuple[int, int]:
    """Return the window's width and height in pixels; a mission adds a strip."""
    scale = scale_of(width, height)
    return max(320, width * scale), height * scale + (MISSION_PX if mission else 0)


def end_box(width: int, height: int, mission: str) -> tuple[int, int, int, int]:
    """Return the box (x, y, width, height) in window pixels of the panel that shows an episode's end."""
    wide, high = window_size(width, height, mission)
    high -= MISSION_PX if mission else 0
    return wide // 8, high // 3, wide * 3 // 4, high // 3


def picture_as_shown(picture: NDArray[np.uint8], mission: str) -> NDArray[np.uint8]:
    """Return a picture at its own scale with the margins of its window."""
    height, width = picture.shape[:2]
    scale, (wide, high) = scale_of(width, height), window_size(width, height, mission)
    left, below = round((wide / scale - width) / 2), round(high / scale) - height
    if not left and not below:
        return picture
    return np.pad(picture, ((0, below), (left, left), (0, 0)))


class EnvironmentScreen:
    """Paints pictures of one size.

    Args:
        title: of the window. picture: the first picture, RGB. mission: the first mission; empty: no strip.
    """

    def __init__(self, title: str, picture: NDArray[np.uint8], mission: str) -> None:
        self._height, self._width = picture.shape[:2]
        self._mission = bool(mission)
        size = window_size(self._width, self._height, mission)
        self._window = pygame.Window(title, size)
        self._surface = self._window.get_surface()
        pygame.font.init()
        scale = scale_of(self._width, self._height)
        self._area = pygame.Rect(0, 0, self._width * scale, self._height * scale)
        self._area.centerx = size[0] // 2
        self._end_box = pygame.Rect(end_box(self._width, self._height, mission))
        self._big, self._small = pygame.font.Font(None, 40), pygame.font.Font(None, 26)

    def closed_by(self, event: pygame.Event) -> bool:
        """Return whether an event closes this window; the environment may have windows of its own."""
        return event.type == pygame.WINDOWCLOSE and getattr(event, "window", None) is self._window

    def paint(self, picture: NDArray[np.uint8], mission: str, end: str) -> None:
        """Show a picture; a picture of another size than the first is scaled to fit.

        Args:
            end: lines over the picture after an episode's end; empty while it runs.
        """
        small = pygame.surfarray.make_surface(picture.transpose(1, 0, 2))
        if small.get_size() == (self._width, self._height):
            pygame.transform.scale(small, self._area.size, self._surface.subsurface(self._area))
        else:
            self._surface.fill(_STRIP)
            fitted = small.get_rect().fit(self._area)
            self._surface.blit(pygame.transform.smoothscale(small, fitted.size), fitted)
        if self._mission:
            self._paint_mission(mission)
        if end:
            self._paint_end(end)
        self._window.flip()

    def _paint_mission(self, mission: str) -> None:
        strip = pygame.Rect(0, self._area.bottom, self._surface.get_width(), MISSION_PX)
        self._surface.fill(_STRIP, strip)
        words = self._small.render(mission, True, _WORDS)
        if words.get_width() > strip.width - 16:
            words = pygame.transform.smoothscale_by(words, (strip.width - 16) / words.get_width())
        self._surface.blit(words, words.get_rect(center=strip.center))

    def _paint_end(self, end: str) -> None:
        pygame.draw.rect(self._surface, END_COLOUR, self._end_box, border_radius=8)
        first, *rest = end.splitlines()
        lines = [
            self._big.render(first, True, _INK),
            *(self._small.render(line, True, _INK) for line in rest),
        ]
        y = self._end_box.centery - sum(line.get_height() + 8 for line in lines) // 2
        for line in lines:
            self._surface.blit(line, line.get_rect(midtop=(self._end_box.centerx, y)))
            y += line.get_height() + 8
