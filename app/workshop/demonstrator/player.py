"""Plays one game's window from a process of its own: eyes on the window, hands on the keyboard, no engine.

Run: python -m workshop.demonstrator.player GAME [--seconds S] [--seed N] [--spells IDLE:PLAYING]
"""

from __future__ import annotations

import argparse
import json
import random
import select
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import PitwallError, WindowLost
from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import find_window, window_by_id
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from workshop.demonstrator.breakout import Breakout
from workshop.demonstrator.dino import Dino
from workshop.demonstrator.dodge import Dodge
from workshop.demonstrator.flappy import Flappy
from workshop.demonstrator.hands import Hands, Press
from workshop.demonstrator.rules import Look, Rules
from workshop.demonstrator.shooting import Shooting
from workshop.demonstrator.snake import Snake
from workshop.fixtures.simulated_person import SimulatedPerson

RULES: dict[str, type[Rules]] = {
    "flappy": Flappy,
    "dino": Dino,
    "breakout": Breakout,
    "snake": Snake,
    "dodge": Dodge,
    "shooting": Shooting,
}
"""Games that the player knows."""
_WINDOW_S = 60.0
_BEGIN_AFTER_S = 1.1
_BEGIN_KEY = "Space"


class Eyes:
    """Reads the fields of a window's pictures."""

    def __init__(self, game: Game) -> None:
        self._rules = game.profile.status
        self._reader = StateReader(game.profile, game.folder, plugin_fields(game))

    def read(self, frame: Frame) -> tuple[GameStatus, dict[str, Value]]:
        """Return the game's status, and every field."""
        readings = self._reader.read(frame, None)
        values = {name: reading.value for name, reading in readings.items()}
        return status(self._rules, values), values


class Player:
    """Plays a game until it is told to stop; begins again after each end.

    Args:
        spells: seconds without playing and seconds of playing in turns, beside an agent that it corrects;
            "back" is printed as it lets go.
    """

    def __init__(self, game: Game, hands: Hands, spells: tuple[float, float] = (0.0, 1.0)) -> None:
        self._make = RULES[game.game_id]
        self._rules = self._make()
        self._eyes, self._hands = Eyes(game), hands
        self.games = 0
        self._was = GameStatus.MENU
        self._spells, self._plays = spells, False

    def see(self, frame: Frame) -> None:
        """Take in a picture; what it asks for is meant from now on."""
        now_s = frame.captured_ns / NS_PER_S
        now, seen = self._eyes.read(frame)
        if now is GameStatus.PLAYING and self._was is not now:
            self.games, self._rules = self.games + 1, self._make()
        self._was = now
        idle_s, playing_s = self._spells
        plays = now_s % (idle_s + playing_s) >= idle_s
        if self._plays and not plays:
            self._hands.let_go()
            sys.stdout.write("back\n")
            sys.stdout.flush()
        self._plays = plays
        if plays:
            self.mean(Look(seen=seen, now_s=now_s, meant=self._hands.meant(now_s)))

    def mean(self, look: Look) -> None:
        """Decide, and leave the rest to the hands."""
        press: Press | None = None
        if self._was is GameStatus.PLAYING:
            press = self._rules.decide(look)
        elif not look.meant and self._was in (GameStatus.MENU, GameStatus.TERMINAL):
            press = Press(key=_BEGIN_KEY, at_s=look.now_s + _BEGIN_AFTER_S)
        if press is not None:
            self._hands.plan(press, now_ns() / NS_PER_S)


def play(player: Player, window: WindowRef, hands: Hands, seconds: float, stopped: list[int]) -> None:
    """Play the window for so long, or until it closes."""
    until_s = time.monotonic() + seconds
    try:
        with closing(this_desktop().capture(window, CaptureSettings())) as source:
            while not stopped and time.monotonic() < until_s and source.health is not WindowHealth.GONE:
                wait_s = hands.move(now_ns() / NS_PER_S)
                select.select([source.fileno()], [], [], min(0.1, wait_s))
                if (frame := source.take()) is not None:
                    player.see(frame)
    finally:
        hands.let_go()


def _window(game: Game, window_id: int | None) -> WindowRef:
    """Return the game's window, waited for."""
    until_s = time.monotonic() + _WINDOW_S
    match = game.profile.window
    while time.monotonic() < until_s:
        result = (
            find_window(title=match.title, wm_class=match.wm_class)
            if window_id is None
            else window_by_id(window_id)
        )
        if result is not None:
            return result
        time.sleep(0.1)
    raise WindowLost(f"no window of {game.profile.game.name} is open.", "Start the game first.")


def _spells(text: str) -> tuple[float, float]:
    idle_s, _, playing_s = text.partition(":")
    return float(idle_s), float(playing_s)


def main() -> int:
    """Read the command line and play; prints what was pressed as one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=list(RULES))
    parser.add_argument(
        "--window", type=lambda text: int(text, 0), default=None, help="id; else by its title"
    )
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=0, help="of the hands' unsteadiness")
    parser.add_argument("--spells", type=_spells, default=(0.0, 1.0), help="IDLE:PLAYING, seconds in turns")
    parser.add_argument("--data", type=Path, default=default_data_dir())
    asked = parser.parse_args()
    stopped: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _: stopped.append(got))
    try:
        game = Registry(DataFolder(asked.data)).load(asked.game)
        window = _window(game, asked.window)
        with closing(SimulatedPerson()) as person:
            hands = Hands(person, random.Random(asked.seed))
            player = Player(game, hands, asked.spells)
            play(player, window, hands, asked.seconds, stopped)
    except PitwallError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps({"games": player.games, "presses": hands.presses}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
