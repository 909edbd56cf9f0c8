"""A small native game for tests: a point for each Space, told on its output and nowhere else.

Five points are a full round: it prints "round over", and the next Space begins a new one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame

_FULL = 5


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--crash-at", type=int, default=0, help="end with an error at so many points")
    parser.add_argument("--hidden", action="store_true", help="show no window")
    options = parser.parse_args()
    if options.hidden:
        time.sleep(60)
    screen = pygame.display.set_mode((200, 150))
    pygame.display.set_caption("pitwall-printing-game")
    score, frame = 0, 0
    _say("round of 0 points")
    while True:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return
            if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
                score = 0 if score == _FULL else score + 1
                _say(f"round of {score} points")
                if score == _FULL:
                    _say("round over")
                if options.crash_at and score == options.crash_at:
                    sys.exit("it fell over")
        frame += 1
        screen.fill((20, 30, 40))
        pygame.draw.rect(screen, (240, 200, 60), (20 + frame % 150, 60, 20, 20))
        pygame.display.flip()
        time.sleep(1 / 20)


if __name__ == "__main__":
    main()
