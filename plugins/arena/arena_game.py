"""Arena in a window: 480×320, 30 frames a second. Arrows, Space, Z, X, C; Enter begins, P pauses.

Run: arena_game.py [--seed N] [--scenario boss|mobs|hard_mobs] [--fps 30]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pygame
from arena_art import Painter
from arena_fields import seen
from arena_rules import Fight
from arena_tables import FRAMES_PER_SECOND, HEIGHT, LEFT_WALL, RIGHT_WALL, SCENARIOS, VERSION, WIDTH

RESTART_AFTER_FRAMES = 20
"""Shortest time that the end of a fight is shown before Enter begins another."""
_TRUTH_EVERY_S = 0.25
_MOST_BEHIND_S = 0.2
_ARROWS = {pygame.K_LEFT: -1, pygame.K_RIGHT: 1}
_PRESSES = {pygame.K_SPACE: "dodge", pygame.K_z: "light", pygame.K_x: "heavy", pygame.K_c: "potion"}
_PLACES = {
    pygame.KSCAN_Z: pygame.K_z,
    pygame.KSCAN_X: pygame.K_x,
    pygame.KSCAN_C: pygame.K_c,
    pygame.KSCAN_P: pygame.K_p,
}
"""The letters by their places on a US keyboard, for layouts that type no Latin letters."""
_LATIN = 128
"""Keys below this number are Latin letters and signs."""
_TITLES = {"boss": "THE WARDEN", "mobs": "FOUR RAIDERS", "hard_mobs": "THREE VETERANS"}


class Phase(StrEnum):
    """Names of the screens in the state contract."""

    MENU = "menu"
    PLAYING = "playing"
    PAUSED = "paused"
    TERMINAL = "terminal"


@dataclass(slots=True)
class Pressed:
    """The keys of one frame (see Fight.step)."""

    direction: int = 0
    press: str = ""
    start: bool = False


class Session:
    """Fights one after the other, and the present meaning of Enter.

    Args:
        seed: of the first fight; later seeds follow from it.
        scenario: the foes that come (arena_tables.SCENARIOS).
    """

    def __init__(self, seed: int, scenario: str = "boss") -> None:
        self.seed, self.scenario = seed, scenario
        self.phase = Phase.MENU
        self.fight = Fight(seed, scenario)
        self.fights = self.wins = self.frames = 0
        self.best = 0.0
        self._later = random.Random(seed)
        self._over_frames = 0

    def pause(self) -> None:
        """Pause a fight, or continue it; ignored in the menu and after a fight."""
        if self.phase is Phase.PLAYING:
            self.phase = Phase.PAUSED
        elif self.phase is Phase.PAUSED:
            self.phase = Phase.PLAYING

    def step(self, pressed: Pressed) -> None:
        """Advance by one frame, unless the game is paused."""
        if self.phase is Phase.PAUSED:
            return
        self.frames += 1
        match self.phase:
            case Phase.MENU:
                if pressed.start:
                    self._begin()
            case Phase.PLAYING:
                self._play(pressed)
            case Phase.TERMINAL:
                self._over_frames += 1
                if pressed.start and self._over_frames > RESTART_AFTER_FRAMES:
                    self.fight = Fight(self._later.getrandbits(31), self.scenario)
                    self._begin()

    def _begin(self) -> None:
        self.phase = Phase.PLAYING
        self.fights += 1

    def _play(self, pressed: Pressed) -> None:
        fight = self.fight
        fight.step(pressed.direction, pressed.press)
        self.best = max(self.best, fight.score)
        if fight.over:
            self.phase, self._over_frames = Phase.TERMINAL, 0
            self.wins += fight.outcome == "win"


class TruthFile:
    """Writes the true state for evaluators, as a whole file each time (the GameWorld state contract).

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._due = 0.0
        self._known: tuple[Phase, float, int] | None = None

    def update(self, session: Session) -> None:
        """Write the state when score or phase changed, and every quarter of a second."""
        known = (session.phase, session.fight.score, session.fights)
        if self._path is None or (known == self._known and time.monotonic() < self._due):
            return
        self._known, self._due = known, time.monotonic() + _TRUTH_EVERY_S
        aside = self._path.with_name(self._path.name + ".tmp")
        aside.write_text(json.dumps(true_state(session)), encoding="utf-8")
        try:
            aside.replace(self._path)
        except PermissionError:  # Windows: it is being read; again on the next frame
            self._due = 0.0


def true_state(session: Session) -> dict[str, object]:
    """Return the state contract's fields."""
    fight, over = session.fight, session.phase is Phase.TERMINAL
    hero, foe = fight.hero, fight.foe
    return {
        "gameId": "arena",
        "version": VERSION,
        "seed": session.seed,
        "timestampMs": int(time.time() * 1000),
        "gameTimeMs": round(session.frames * 1000 / FRAMES_PER_SECOND),
        "status": session.phase.value,
        "terminal": {
            "isTerminal": over,
            "outcome": (fight.outcome or None) if over else None,
            "reason": fight.cause or None,
        },
        "game_state": {
            "score": fight.score,
            "level": 1,
            "progress": fight.score / 100,
            "player": {
                "x": hero.x,
                "health": hero.health,
                "stamina": hero.stamina,
                "potions": hero.potions,
                "move": hero.move or None,
            },
            "board": {"width": WIDTH, "height": HEIGHT, "left": LEFT_WALL, "right": RIGHT_WALL},
            "entities": [
                {
                    "kind": foe.kind.name,
                    "x": foe.x,
                    "health": foe.health,
                    "stage": foe.stage,
                    "phase": foe.phase + 1,
                    "attack": foe.attack.sign if foe.attack else None,
                }
            ],
            "fields": {name: None if math.isnan(value) else value for name, value in seen(fight).items()},
        },
        "metrics": {
            "best": session.best,
            "wins": session.wins,
            "fights": session.fights,
            "foes_left": fight.foes_left,
            **fight.counts,
        },
        "raw": {"scenario": session.scenario, "frame": fight.frame, "fight_seed": fight.seed},
    }


class Keyboard:
    """Turns the window's key events into the keys of a frame: of two arrows the one pressed later counts."""

    def __init__(self) -> None:
        self._down: list[int] = []

    def read(self, session: Session) -> Pressed | None:
        """Return the presses since the last frame; None when the window is to close."""
        pressed = Pressed()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return None
            if event.type == pygame.KEYDOWN:
                place = _PLACES.get(event.scancode, event.key)
                self._key_down(event.key if event.key < _LATIN else place, pressed, session)
            elif event.type == pygame.KEYUP and event.key in _ARROWS:
                self._down = [key for key in self._down if key != event.key]
        pressed.direction = _ARROWS[self._down[-1]] if self._down else 0
        return pressed

    def _key_down(self, key: int, pressed: Pressed, session: Session) -> None:
        if key in _ARROWS:
            self._down.append(key)
        elif key in _PRESSES:
            pressed.press = _PRESSES[key]
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            pressed.start = True
        elif key == pygame.K_p:
            session.pause()


def play(session: Session, fps: int, truth: TruthFile) -> None:
    """Run the window until it is closed, in real time: a late frame is not made up for."""
    surface = pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption("Arena")
    painter, keyboard = Painter(surface), Keyboard()
    due = time.perf_counter()
    while (pressed := keyboard.read(session)) is not None:
        session.step(pressed)
        paint(painter, session)
        pygame.display.flip()
        truth.update(session)
        due += 1 / fps
        wait = due - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        elif wait < -_MOST_BEHIND_S:
            due = time.perf_counter()


def paint(painter: Painter, session: Session) -> None:
    """Draw the window's present contents."""
    painter.scene(session.fight, session.frames)
    if session.phase is Phase.MENU:
        painter.menu(_TITLES[session.scenario], session.wins)
    elif session.phase is Phase.PAUSED:
        painter.paused()
    elif session.phase is Phase.TERMINAL:
        painter.over(session.fight)


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(
        description="Arena: win the duel. Keys: arrows, Space, Z, X, C, Enter, P"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the first fight")
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), default="boss", help="who comes")
    parser.add_argument("--fps", type=int, default=FRAMES_PER_SECOND, help="frames a second (rules: 30)")
    options = parser.parse_args()
    pygame.display.init()
    for number in (signal.SIGTERM, signal.SIGINT):  # a background job inherits an ignored interrupt
        signal.signal(number, lambda *_: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    try:
        play(
            Session(options.seed, options.scenario),
            options.fps,
            TruthFile(os.environ.get("PITWALL_TRUTH", "")),
        )
    finally:
        pygame.display.quit()


if __name__ == "__main__":
    main()
