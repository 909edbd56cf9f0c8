"""A small SDL game for these tests: a red target comes, stands still until Space is pressed, and goes.

Nothing else ever changes on the screen. Each press that hits is a line of the log, with how long it took.
Run as a program: `python target_window.py --title TITLE --log FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
os.environ.setdefault("SDL_VIDEODRIVER", "x11")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

_SIZE = (320, 256)
_AWAY_S = 0.25


def main() -> int:
    """Show targets and log hits until the window is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    pygame.display.init()
    screen = pygame.display.set_mode(_SIZE)
    pygame.display.set_caption(options.title)
    came_at, next_at, number = 0.0, time.monotonic() + 1.0, 0
    _draw(screen, None)
    with options.log.open("a", encoding="utf-8", buffering=1) as log:
        while True:
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    return 0
                if event.type == pygame.VIDEOEXPOSE:
                    _draw(screen, number if came_at else None)
                if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE and came_at:
                    now = time.monotonic()
                    log.write(json.dumps({"kind": "hit", "took_ms": (now - came_at) * 1e3}) + "\n")
                    came_at, next_at, number = 0.0, now + _AWAY_S, number + 1
                    _draw(screen, None)
            if not came_at and time.monotonic() >= next_at:
                _draw(screen, number)
                came_at = time.monotonic()
            time.sleep(0.001)


def _draw(surface: pygame.Surface, number: int | None) -> None:
    surface.fill((20, 24, 32))
    if number is not None:
        pygame.draw.rect(surface, (255, 0, 0), (32 + number % 6 * 32, 64 + number % 3 * 32, 32, 32))
    pygame.display.flip()


if __name__ == "__main__":
    sys.exit(main())
