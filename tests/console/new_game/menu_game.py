"""Hops: a small game with a title, a choice of level, play, a name entry and an end, each with its own key.

Title: Enter. Level: n. Play: Space scores, and after six it is over. Name entry: Enter. Game over: r, to
the title. Escape pauses. Each key is written to standard output: {"at": SCREEN, "key": NAME}.
"""

from __future__ import annotations

import json
import os
import sys

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

import pygame

SIZE = (480, 360)
_LOOKS = {
    "title": ((30, 60, 110), "HOPS", (120, 60)),
    "level": ((90, 40, 90), "CHOOSE A LEVEL", (60, 200)),
    "name": ((20, 90, 60), "YOUR NAME?", (90, 120)),
    "over": ((110, 30, 30), "GAME OVER", (100, 150)),
    "paused": ((60, 60, 60), "PAUSED", (150, 150)),
}
OVER_TEXT = (90, 140, 300, 60)
"""Where GAME OVER stands."""
_WAYS = {
    ("title", "return"): "level",
    ("level", "n"): "play",
    ("name", "return"): "over",
    ("over", "r"): "title",
    ("play", "escape"): "paused",
    ("paused", "escape"): "play",
}


def main() -> int:
    """Play until the window is closed."""
    if sys.platform == "linux":  # not as it is imported: the tests' process has no such window
        os.environ.setdefault("SDL_VIDEODRIVER", "x11")
    os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
    pygame.display.init()
    pygame.font.init()
    view = pygame.display.set_mode(SIZE)
    pygame.display.set_caption("Hops")
    _tell(window=pygame.display.get_wm_info()["window"])
    font, clock, at, score, hop = pygame.font.Font(None, 56), pygame.time.Clock(), "title", 0, 0
    while True:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return 0
            if event.type != pygame.KEYDOWN:
                continue
            key = pygame.key.name(event.key)
            _tell(at=at, key=key)
            if at == "play" and key == "space":
                score, hop = score + 1, 30
            at = "name" if score >= 6 else _WAYS.get((at, key), at)
            score = score if at != "name" else 0
        hop -= hop > 0
        _draw(view, font, at, hop)
        clock.tick(30)


def _tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def _draw(view: pygame.Surface, font: pygame.font.Font, at: str, hop: int) -> None:
    ground, words, place = _LOOKS.get(at, ((18, 24, 38), "", (0, 0)))
    view.fill(ground)
    if words:
        view.blit(font.render(words, True, (240, 240, 240)), place)
    else:
        pygame.draw.rect(view, (90, 170, 240), (60, 260 - 4 * hop, 60, 60))
        pygame.draw.rect(view, (80, 80, 60), (0, 320, 480, 40))
    pygame.display.flip()


if __name__ == "__main__":
    sys.exit(main())
