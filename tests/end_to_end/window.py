"""A small SDL game for these tests: a bar moves at 30 Hz, and whatever input reaches it is a line of its log.

Run as a program: `python window.py --title TITLE --log FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
os.environ.setdefault("SDL_VIDEODRIVER", "x11")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

_SIZE = (320, 240)
_FPS = 30


def main() -> int:
    """Draw and log until the window is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    parser.add_argument("--log", type=Path, required=True)
    options = parser.parse_args()
    pygame.display.init()
    screen = pygame.display.set_mode(_SIZE, pygame.RESIZABLE)
    pygame.display.set_caption(options.title)
    clock = pygame.time.Clock()
    number = 0
    with options.log.open("a", encoding="utf-8", buffering=1) as log:
        while True:
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    return 0
                if (line := _line(event)) is not None:
                    log.write(json.dumps(line) + "\n")
            number += 1
            _draw(screen, number)
            clock.tick(_FPS)


def _line(event: pygame.event.Event) -> dict[str, Any] | None:
    match event.type:
        case pygame.KEYDOWN | pygame.KEYUP:
            kind = "key_down" if event.type == pygame.KEYDOWN else "key_up"
            return {"kind": kind, "key": pygame.key.name(event.key)}
        case pygame.MOUSEBUTTONDOWN | pygame.MOUSEBUTTONUP:
            kind = "mouse_down" if event.type == pygame.MOUSEBUTTONDOWN else "mouse_up"
            return {"kind": kind, "pos": list(event.pos), "size": list(pygame.display.get_window_size())}
    return None


def _draw(surface: pygame.Surface, number: int) -> None:
    width, height = surface.get_size()
    surface.fill((20, 24, 32))
    x = number * 7 % width
    pygame.draw.rect(surface, (230, 180, 60), (x, height // 4, width // 4, height // 2))
    pygame.display.flip()


if __name__ == "__main__":
    sys.exit(main())
