"""A window for the tests of Wayland: one colour, a mark in two corners, and a log of what reaches it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pygame

title, red, green, blue, log = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5]
pygame.display.init()
screen = pygame.display.set_mode((320, 240))
pygame.display.set_caption(title)
with Path(log).open("a", encoding="utf-8") as out:
    for turn in range(100_000):
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                sys.exit()
            if event.type in (pygame.KEYDOWN, pygame.KEYUP):
                said = {
                    "kind": "down" if event.type == pygame.KEYDOWN else "up",
                    "key": pygame.key.name(event.key),
                }
            elif event.type in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
                said = {
                    "kind": "press" if event.type == pygame.MOUSEBUTTONDOWN else "release",
                    "at": event.pos,
                }
            else:
                continue
            out.write(json.dumps({**said, "s": time.monotonic()}) + "\n")
            out.flush()
        screen.fill((red, green, blue))
        screen.fill((turn % 256, 0, 255), (0, 0, 10, 10))
        screen.fill((255, 255, 0), (310, 230, 10, 10))
        pygame.display.flip()
        time.sleep(1 / 30)
