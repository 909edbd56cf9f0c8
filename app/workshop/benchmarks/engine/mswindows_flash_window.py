"""The benchmark's game on Windows: see `flash_window`. An SDL window, whose keys come as a game's do."""

from __future__ import annotations

import os
import sys
import time

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

import pygame

from pitwall.core.clock import now_ns
from workshop.benchmarks.engine.flash_protocol import HEIGHT, PATCH, WIDTH, flash


class FlashWindow:
    """Shows a window with a white patch that comes and goes."""

    def __init__(self, title: str) -> None:
        pygame.display.init()
        self._surface = pygame.display.set_mode((WIDTH, HEIGHT))
        pygame.display.set_caption(title)
        pygame.display.flip()

    def fill(self, white: bool) -> int:
        """Draw, and return the nanoseconds of `now_ns` at which the drawing was sent."""
        pygame.draw.rect(self._surface, (255, 255, 255) if white else (0, 0, 0), PATCH)
        at = now_ns()
        pygame.display.flip()
        return at

    def key(self, timeout_s: float) -> int | None:
        """Return the nanoseconds of `now_ns` at which the next key press arrived; None if none came."""
        until = time.monotonic() + timeout_s
        while (left := until - time.monotonic()) > 0:
            event = pygame.event.wait(max(1, int(left * 1000)))
            if event.type == pygame.KEYDOWN:
                return now_ns()
            if event.type == pygame.QUIT:
                sys.exit(0)
        return None


if __name__ == "__main__":
    sys.exit(flash(FlashWindow))
