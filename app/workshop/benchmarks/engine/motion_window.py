"""A window that moves at 60 Hz: the benchmark's busiest ordinary game. Run as a program (pygame-ce)."""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame

_SIZE = (960, 540)
_FPS = 60


def main() -> int:
    """Draw moving bars and a blinking patch until closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", required=True)
    title = parser.parse_args().title
    pygame.display.init()
    screen = pygame.display.set_mode(_SIZE)
    pygame.display.set_caption(title)
    clock = pygame.time.Clock()
    number = 0
    while not any(event.type == pygame.QUIT for event in pygame.event.get()):
        number += 1
        screen.fill((20, 24, 32))
        for bar in range(12):
            x = (bar * 90 + number * 3) % (_SIZE[0] + 60) - 60
            pygame.draw.rect(screen, (40 + bar * 15, 200 - bar * 12, 160), (x, bar * 45, 60, 40))
        white = (number // 30) % 2 * 255
        pygame.draw.rect(screen, (white, white, white), (360, 180, 240, 180))
        pygame.display.flip()
        clock.tick(_FPS)
    pygame.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
