"""Flappy in a window: 288×512, 30 frames a second, one key to fly, and P to pause.

Run: game.py [--seed N] [--fps 30] [--cap PIPES] [--steep]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import time
from enum import StrEnum
from pathlib import Path

import pygame
from flappy_art import Painter
from flappy_rules import BIRD_HEIGHT, FRAMES_PER_SECOND, GROUND_Y, HEIGHT, START_Y, VERSION, WIDTH, Flight
from flappy_seen import seen

RESTART_AFTER_FRAMES = 20
"""Shortest time that a crash is shown before Space flies again."""
_TRUTH_EVERY_S = 0.25
_MOST_BEHIND = 0.25
_LATIN = 128
"""Keys below this number are Latin letters and signs."""
"""Delay, in frames, from which a late frame postpones the next ones, so that each is shown for its time."""


class Phase(StrEnum):
    """Names of the screens in the state contract."""

    MENU = "menu"
    PLAYING = "playing"
    PAUSED = "paused"
    TERMINAL = "terminal"


class Session:
    """Flights one after the other, and the present meaning of Space.

    Args:
        seed: of the first flight; later seeds follow from it.
        cap: a flight ends in success after this many pipes; 0 for never.
        steep: on steep courses.
    """

    def __init__(self, seed: int, cap: int = 0, *, steep: bool = False) -> None:
        self.seed, self.cap, self.steep = seed, cap, steep
        self.phase = Phase.MENU
        self.flight = Flight(seed, cap, steep)
        self.best = self.flights = self.flaps = self.frames = self.scrolled = 0
        self._later = random.Random(seed)
        self._over_frames = 0

    def pause(self) -> None:
        """Pause a flight, or continue it; ignored in the menu and after a crash."""
        if self.phase is Phase.PLAYING:
            self.phase = Phase.PAUSED
        elif self.phase is Phase.PAUSED:
            self.phase = Phase.PLAYING

    def step(self, space: bool) -> None:
        """Advance by one frame, unless the game is paused. `space`: it was pressed since the last frame."""
        if self.phase is Phase.PAUSED:
            return
        self.frames += 1
        match self.phase:
            case Phase.MENU:
                self._hover()
                if space:
                    self._take_off()
            case Phase.PLAYING:
                self._fly(space)
            case Phase.TERMINAL:
                self._over_frames += 1
                self._drop()
                if space and self._over_frames > RESTART_AFTER_FRAMES:
                    self.flight = Flight(self._later.getrandbits(31), self.cap, self.steep)
                    self._take_off()

    def _hover(self) -> None:
        self.scrolled += 1
        swing = abs(self.frames % 24 - 12) - 6
        self.flight.y = START_Y + swing

    def _take_off(self) -> None:
        self.phase = Phase.PLAYING
        self.flights += 1
        self.flight.y = START_Y
        self._fly(True)

    def _fly(self, flap: bool) -> None:
        self.flight.step(flap)
        self.flaps += flap
        self.scrolled += 1
        self.best = max(self.best, self.flight.score)
        if self.flight.over:
            self.phase, self._over_frames = Phase.TERMINAL, 0

    def _drop(self) -> None:
        """Let the bird fall to the ground after a crash; only the picture needs it."""
        flight = self.flight
        if flight.cause == "pipe":
            flight.speed = min(flight.speed + 1, 14)
            flight.y = min(flight.y + flight.speed, GROUND_Y - BIRD_HEIGHT)


class TruthFile:
    """Writes the true state for evaluators, as a whole file each time (the GameWorld state contract).

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None
        self._due = 0.0
        self._known: tuple[Phase, int, int] | None = None

    def update(self, session: Session) -> None:
        """Write the state when score or phase changed, and every quarter of a second."""
        known = (session.phase, session.flight.score, session.flights)
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
    flight, over = session.flight, session.phase is Phase.TERMINAL
    outcome = ("win" if flight.cause == "cap" else "loss") if over else None
    return {
        "gameId": "flappy",
        "version": VERSION,
        "seed": session.seed,
        "timestampMs": int(time.time() * 1000),
        "gameTimeMs": round(session.frames * 1000 / FRAMES_PER_SECOND),
        "status": session.phase.value,
        "terminal": {"isTerminal": over, "outcome": outcome, "reason": flight.cause or None},
        "game_state": {
            "score": flight.score,
            "level": 1,
            "progress": flight.score / session.cap if session.cap else None,
            "player": {"y": flight.y, "speed": flight.speed},
            "board": {"width": WIDTH, "height": HEIGHT},
            "entities": [{"kind": "pipe", "x": pipe.x, "gap_top": pipe.gap_top} for pipe in flight.pipes],
        },
        "metrics": {"best": session.best, "flights": session.flights, "flaps": session.flaps},
        "raw": {
            "frame": flight.frame,
            "flight_seed": flight.seed,
            "fields": {name: None if math.isnan(value) else value for name, value in seen(flight).items()},
        },
    }


def play(session: Session, fps: int, truth: TruthFile) -> None:
    """Run the window until it is closed, in real time: a frame that is much too late is not made up for."""
    surface = pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption("Flappy")
    painter = Painter(surface)
    due = time.perf_counter()
    while True:
        pressed = _pressed()
        if pressed is None:
            return
        space, pause = pressed
        if pause:
            session.pause()
        session.step(space)
        paint(painter, session)
        pygame.display.flip()
        truth.update(session)
        due += 1 / fps
        wait = due - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        elif wait < -_MOST_BEHIND / fps:
            due = time.perf_counter()


def _pressed() -> tuple[bool, bool] | None:
    """Return whether Space and P were pressed since the last frame; None when the window is to close."""
    space = pause = False
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            return None
        if event.type == pygame.KEYDOWN:
            space = space or event.key in (pygame.K_SPACE, pygame.K_UP)
            # On layouts without Latin letters P is its place.
            place = event.scancode == pygame.KSCAN_P and event.key >= _LATIN
            pause = pause != (event.key == pygame.K_p or place)
    return space, pause


def paint(painter: Painter, session: Session) -> None:
    """Draw the window's present contents."""
    painter.scene(session.flight, session.scrolled)
    if session.phase is Phase.MENU:
        painter.menu(session.best)
    elif session.phase in (Phase.PLAYING, Phase.PAUSED):
        painter.score(session.flight.score)
        if session.phase is Phase.PAUSED:
            painter.paused()
    else:
        painter.game_over(session.flight.score, session.best)


def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="Flappy: pass the gaps between the pipes. Keys: Space, P")
    parser.add_argument("--seed", type=int, default=0, help="seed of the course")
    parser.add_argument("--fps", type=int, default=FRAMES_PER_SECOND, help="frames a second (rules: 30)")
    parser.add_argument("--cap", type=int, default=0, metavar="PIPES", help="win after this many pipes")
    parser.add_argument("--steep", action="store_true", help="most gaps lie far from the one before")
    options = parser.parse_args()
    pygame.display.init()
    for number in (signal.SIGTERM, signal.SIGINT):  # a background job inherits an ignored interrupt
        signal.signal(number, lambda *_: pygame.event.post(pygame.event.Event(pygame.QUIT)))
    try:
        session = Session(options.seed, options.cap, steep=options.steep)
        play(session, options.fps, TruthFile(os.environ.get("PITWALL_TRUTH", "")))
    finally:
        pygame.display.quit()


if __name__ == "__main__":
    main()
