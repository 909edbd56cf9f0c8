"""Crafter in a window: the package's rules and looks, our own loop.

By turns: the world stands still until a key is pressed, and each press is one turn. With
`--clock real` a turn passes `--rate` times a second, with the last key pressed in it.

Run: crafter_game.py [--seed N] [--clock turns|real] [--rate 5]
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections import deque

import pygame

try:
    from crafter_truth import TruthFile
    from crafter_world import MOST_STEPS, VIEW_TILES, Life
except ImportError as error:
    sys.exit(f"Crafter is not installed ({error}): run installer/run once more.")

UNIT = 96
SIDE = VIEW_TILES * UNIT
PANEL = (232, 214, 170)
"""Colour of the end screen, as in the manifest."""

KEYS = {
    pygame.K_LEFT: "move_left",
    pygame.K_RIGHT: "move_right",
    pygame.K_UP: "move_up",
    pygame.K_DOWN: "move_down",
    pygame.K_a: "move_left",
    pygame.K_d: "move_right",
    pygame.K_w: "move_up",
    pygame.K_s: "move_down",
    pygame.K_SPACE: "do",
    pygame.K_z: "sleep",
    pygame.K_n: "noop",
    pygame.K_r: "place_stone",
    pygame.K_t: "place_table",
    pygame.K_f: "place_furnace",
    pygame.K_p: "place_plant",
    pygame.K_1: "make_wood_pickaxe",
    pygame.K_2: "make_stone_pickaxe",
    pygame.K_3: "make_iron_pickaxe",
    pygame.K_4: "make_wood_sword",
    pygame.K_5: "make_stone_sword",
    pygame.K_6: "make_iron_sword",
}
PLACES = {
    **{pygame.KSCAN_A + number: pygame.K_a + number for number in range(26)},
    **{pygame.KSCAN_1 + number: key for number, key in enumerate(b"1234567890")},
}
"""Keys by their places on a US keyboard."""
AGAIN = "again"
_LISTEN_S = 0.2
"""Longest wait inside pygame, which handles no signals meanwhile."""


class Painter:
    """Draws a life.

    Args:
        surface: 864×864 pixels.
    """

    def __init__(self, surface: pygame.Surface) -> None:
        pygame.font.init()
        self._surface = surface
        self._big, self._small = pygame.font.Font(None, 84), pygame.font.Font(None, 44)

    def paint(self, life: Life) -> None:
        pygame.surfarray.blit_array(self._surface, life.picture.transpose(1, 0, 2))
        if life.cause:
            self._end(life)

    def _end(self, life: Life) -> None:
        panel = pygame.Rect(0, 0, 560, 300)
        panel.center = (SIDE // 2, 7 * UNIT // 2)
        pygame.draw.rect(self._surface, (52, 40, 28), panel.inflate(16, 16), border_radius=14)
        pygame.draw.rect(self._surface, PANEL, panel, border_radius=10)
        title = "YOU DIED" if life.cause == "death" else f"{MOST_STEPS:,} STEPS"
        lines = (
            (self._big, title, (168, 60, 44), 70),
            (self._small, f"{life.step:,} steps, {len(life.achievements)} achievements", (52, 40, 28), 160),
            (self._small, "Enter: a new world", (120, 96, 64), 230),
        )
        for font, text, colour, y in lines:
            picture = font.render(text, True, colour)
            self._surface.blit(picture, picture.get_rect(center=(panel.centerx, panel.top + y)))


def play(life: Life, truth: TruthFile, *, real: bool, rate: int) -> None:
    """Run the window until it is closed. A press during the drawing of a turn is the next turn."""
    painter = Painter(pygame.display.set_mode((SIDE, SIDE)))
    pygame.display.set_caption("Crafter")
    pygame.key.set_repeat()
    turn_ms = 1000 // rate
    pressed: deque[str] = deque()
    due = time.monotonic() + 1 / rate
    painter.paint(life)
    truth.write(life, turn_ms)
    pygame.display.flip()
    while _listen(pressed, max(0.0, due - time.monotonic()) if real else _LISTEN_S):
        if real:
            if time.monotonic() < due:
                continue
            due = time.monotonic() + 1 / rate
            turns = [pressed[-1] if pressed else "noop"]
        else:
            turns = list(pressed)
        pressed.clear()
        for action in turns:
            _turn(life, action)
            painter.paint(life)
            truth.write(life, turn_ms)  # written before the picture is shown, so it is never older
            pygame.display.flip()


def _turn(life: Life, action: str) -> None:
    if action != AGAIN:
        life.act(action)
    elif life.cause:
        life.begin()


def _listen(pressed: deque[str], wait_s: float) -> bool:
    """Wait for keys, briefly, and return whether the window stays open."""
    first = pygame.event.wait(max(1, round(min(wait_s, _LISTEN_S) * 1000)))
    for event in (first, *pygame.event.get()):
        if event.type == pygame.QUIT:
            return False
        if event.type == pygame.WINDOWEXPOSED:
            pygame.display.flip()
        if event.type != pygame.KEYDOWN:
            continue
        if event.key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            pressed.append(AGAIN)
        elif (key := meant_key(event)) in KEYS:
            pressed.append(KEYS[key])
    return True


def meant_key(event: pygame.event.Event) -> int:
    """Return what the layout types with a key, or its place where that is neither letter nor digit."""
    typed: int = event.key
    if typed >= 1 << 30 or (typed < 128 and chr(typed).isalnum()):
        return typed
    return PLACES.get(event.scancode, typed)


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="Crafter: gather, build, survive.")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first world")
    parser.add_argument("--clock", choices=("turns", "real"), default="turns", help="what makes time pass")
    parser.add_argument("--rate", type=int, default=5, metavar="HZ", help="turns a second with a real clock")
    options = parser.parse_args()
    pygame.display.init()
    for number in (signal.SIGTERM, signal.SIGINT):  # a background job inherits an ignored interrupt
        signal.signal(number, lambda *_: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    try:
        truth = TruthFile(os.environ.get("PITWALL_TRUTH", ""))
        play(Life(options.seed, UNIT), truth, real=options.clock == "real", rate=max(1, options.rate))
    finally:
        pygame.display.quit()


if __name__ == "__main__":
    main()
