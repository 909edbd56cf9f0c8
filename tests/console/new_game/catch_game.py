"""Catch: a small game that this project has no folder for, for tests that add one.

A coin falls past a paddle that the arrow keys move; Space rings up a point, or with --catch a coin that is
caught, which is told as a line of JSON. A red bar shows what is left of the time, the number at the top the
points, from 40 on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
if sys.platform == "linux":
    os.environ.setdefault("SDL_VIDEODRIVER", "x11")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")

import pygame

SIZE = (480, 360)
BAR = (20, 16, 200, 14)
NUMBER = (392, 8, 72, 34)
LANE = (0, 60, 480, 240)
_ROUND_S = 40.0


def main() -> int:
    """Play until the window is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--title", default="Catch")
    parser.add_argument("--catch", action="store_true")
    options = parser.parse_args()
    title: str = options.title
    pygame.display.init()
    pygame.font.init()
    view = pygame.display.set_mode(SIZE)
    sys.stdout.write(json.dumps({"window": pygame.display.get_wm_info()["window"]}) + "\n")
    sys.stdout.flush()
    pygame.display.set_caption(title)
    font = pygame.font.Font(None, 40)
    clock, began, paddle, score, coin = pygame.time.Clock(), time.monotonic(), 240.0, 40, [120.0, 60.0]
    while True:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return 0
            if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE and not options.catch:
                score += 1
        held = pygame.key.get_pressed()
        paddle = min(440.0, max(40.0, paddle + 8 * (held[pygame.K_RIGHT] - held[pygame.K_LEFT])))
        coin = [coin[0], coin[1] + 5.0]
        if coin[1] > 300:
            if options.catch and abs(coin[0] - paddle) < 52:
                score += 1
                sys.stdout.write(json.dumps({"points": score}) + "\n")
                sys.stdout.flush()
            coin = [60.0 + (coin[0] * 7 + 90) % 360, 60.0]
        left = 1.0 - (time.monotonic() - began) % _ROUND_S / _ROUND_S
        view.fill((18, 24, 38))
        pygame.draw.rect(view, (52, 58, 70), BAR)
        pygame.draw.rect(view, (216, 44, 52), (BAR[0], BAR[1], int(BAR[2] * (0.5 + left / 2)), BAR[3]))
        view.blit(font.render(str(score), True, (240, 240, 240)), (NUMBER[0] + 16, NUMBER[1] + 4))
        pygame.draw.circle(view, (246, 200, 40), coin, 12)
        pygame.draw.rect(view, (90, 170, 240), (paddle - 40, 330, 80, 12))
        pygame.display.flip()
        clock.tick(30)


if __name__ == "__main__":
    sys.exit(main())
