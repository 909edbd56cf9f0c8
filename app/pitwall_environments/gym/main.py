"""`pitwall gym-game`: hosts a Gymnasium environment in a window, until it is asked to end.

In real time it runs at the environment's own rate, whatever is pressed. An environment without an idle action
runs by turns: each press is a step. Enter begins the next episode after an end. An error is printed as a
sentence; the program then ends, and its parent sees that.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame

from pitwall.core.errors import PitwallError
from pitwall.core.paths import TRUTH_VARIABLE
from pitwall.games.launcher import CONTROL_VARIABLE
from pitwall_environments.gym.environment import first_line, open_environment
from pitwall_environments.gym.episodes import Episodes
from pitwall_environments.gym.keyboard import AGAIN
from pitwall_environments.gym.screen import EnvironmentScreen
from pitwall_environments.gym.shared_pygame import shared_display
from pitwall_environments.hosting import TruthFile, end_request, named_path
from pitwall_environments.steering import Steering

ROLE = "gym-game"
_TURN_LOOK_S = 0.004
_TRUTH_EVERY_S = 0.25
_MOST_BEHIND = 3
_SILENT_S = 30.0
"""Longest duration of a step, after which the program ends with an error."""
_MOST_BYTES = 8 << 30
"""Most memory for the environment."""

_log = logging.getLogger(__name__)


def main(argv: Sequence[str]) -> int:
    """Host the game until the end; return 0 if asked to end, else 1."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    parser = argparse.ArgumentParser(prog=f"pitwall {ROLE}", description=__doc__)
    parser.add_argument("--env", required=True, metavar="ID", help="registered id, like ALE/Pong-v5")
    parser.add_argument("--id", default="gym", metavar="GAME", help="id of the game's profile")
    parser.add_argument("--title", default="", help="title of the window; default: the environment's id")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first episode")
    options = parser.parse_args(argv)
    _bound_memory()
    try:
        with shared_display():
            env = open_environment(options.env)
            episodes = Episodes(env, options.env, options.id, options.seed)
            screen = EnvironmentScreen(options.title or options.env, episodes.picture, episodes.mission)
            return asyncio.run(_hosted(EnvironmentGame(episodes, screen)))
    except MemoryError:
        _log.error("%s took more memory than %d GiB.", options.env, _MOST_BYTES >> 30)
        return 1
    except PitwallError as error:
        _log.error("%s", error)
        return 1
    except Exception as error:  # pygame's own, where the environment damaged what they share
        _log.exception("%s", options.env)
        _log.error("%s cannot be shown: %s: %s.", options.env, type(error).__name__, first_line(error))
        return 1


class EnvironmentGame:
    """Runs an environment in its window; it can be steered (`Steerable`)."""

    def __init__(self, episodes: Episodes, screen: EnvironmentScreen) -> None:
        self.ready = True
        self._episodes, self._screen = episodes, screen
        self._held: set[str] = set()
        self._tapped: list[str] = []
        self._paused = False
        self._speed = 1.0
        self._frames_left: float | None = None
        truth = named_path(TRUTH_VARIABLE)
        self._truth = TruthFile(truth) if truth is not None else None
        self._shown: tuple[object, ...] = ()
        self._truth_due = 0.0
        self.beat = time.monotonic()

    async def play(self) -> None:
        """Run until the window is closed; in real time, frames that are much too late are skipped.

        Raises:
            EnvironmentFault: the environment failed.
        """
        self._show()
        due = time.perf_counter()
        while self._take_events():
            self.beat = time.monotonic()
            if self._episodes.by_turns:
                self._turns()
                await asyncio.sleep(_TURN_LOOK_S)
                continue
            self._frame()
            frame_s = 1 / (self._episodes.rate_hz * self._speed)
            due += frame_s
            wait = due - time.perf_counter()
            if wait < -_MOST_BEHIND * frame_s:
                due = time.perf_counter()
            await asyncio.sleep(max(0.0, wait))

    # ---- Steerable

    async def pause(self) -> None:
        self._paused, self._frames_left = True, None

    async def resume(self, ms: float | None) -> None:
        self._paused = False
        self._frames_left = None if ms is None else max(1.0, ms * self._episodes.rate_hz / 1000)

    async def reset(self, seed: int | None) -> None:
        self._episodes.begin(self._episodes.seed if seed is None else seed)
        self._show()

    async def speed(self, factor: float) -> None:
        self._speed = factor

    async def status(self) -> dict[str, Any]:
        game_ms = self._episodes.frames * 1000 / self._episodes.rate_hz
        return {"paused": self._paused, "speed": self._speed, "game_ms": game_ms}

    # ---- inside

    def _turns(self) -> None:
        """Take at most one turn for each picture; a press from before the last picture does not count."""
        tapped, self._tapped = self._tapped, []
        if tapped and not self._paused and self._act(tapped[0]):
            self._show()
            pygame.event.clear(pygame.KEYDOWN)

    def _act(self, key: str) -> bool:
        """Perform a pressed key in a game by turns; return whether anything changed."""
        if key == AGAIN and self._episodes.over:
            self._episodes.begin()
            return True
        before = self._episodes.frames
        self._episodes.step(frozenset({*self._held, key}))
        return self._episodes.frames != before

    def _frame(self) -> None:
        held = frozenset({*self._held, *self._tapped})
        if self._paused:
            return
        if self._episodes.over:
            self._tapped.clear()
            if AGAIN not in held:
                return
            self._episodes.begin()
        if self._episodes.choosing:  # a press shorter than an action counts for the next action
            self._tapped.clear()
        self._episodes.step(held - {AGAIN})
        self._show()
        if self._frames_left is not None:
            self._frames_left -= 1
            self._paused = self._frames_left <= 0

    def _take_events(self) -> bool:
        """Process the key events; return whether the window stays open."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT or self._screen.closed_by(event):
                return False
            if event.type == pygame.WINDOWEXPOSED:
                self._show()
            elif event.type == pygame.WINDOWFOCUSLOST:
                self._held.clear()
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                key = _NAMES.get(event.key) or pygame.key.name(event.key)
                if event.type == pygame.KEYDOWN:
                    self._held.add(key)
                    self._tapped.append(key)
                else:
                    self._held.discard(key)
        return True

    def _show(self) -> None:
        """Write the true state before its picture is shown, so that no shown state is missing."""
        episodes = self._episodes
        turn = episodes.frames if episodes.by_turns else 0
        shown = (turn, episodes.reward, episodes.over, episodes.episodes, episodes.seed)
        if self._truth is not None and (shown != self._shown or time.monotonic() >= self._truth_due):
            self._shown, self._truth_due = shown, time.monotonic() + _TRUTH_EVERY_S
            self._truth.write(episodes.true_state())
        end = f"EPISODE OVER\nreward {episodes.reward:g}\nEnter: the next one" if episodes.over else ""
        self._screen.paint(episodes.picture, episodes.mission, end)


async def _hosted(game: EnvironmentGame) -> int:
    ended = end_request()
    control = named_path(CONTROL_VARIABLE)
    steering = Steering(game)
    threading.Thread(target=_watch, args=(game,), daemon=True).start()
    playing = asyncio.ensure_future(game.play())
    try:
        if control is not None:
            await steering.open(control)
        await asyncio.wait({playing, ended}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            playing.result()
        return 0
    finally:
        playing.cancel()
        steering.close()
        if control is not None:
            control.unlink(missing_ok=True)


def _watch(game: EnvironmentGame) -> None:
    """End the program if a step never returns, because nothing else could."""
    while time.monotonic() - game.beat < _SILENT_S:
        time.sleep(1.0)
    _log.error("the environment has been in one step for %.0f s: it hangs.", _SILENT_S)
    os._exit(1)


def _bound_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _MOST_BYTES if most == resource.RLIM_INFINITY else min(_MOST_BYTES, most)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


_NAMES = {
    pygame.K_SPACE: "Space", pygame.K_RETURN: AGAIN, pygame.K_KP_ENTER: AGAIN, pygame.K_LEFT: "ArrowLeft",
    pygame.K_RIGHT: "ArrowRight", pygame.K_UP: "ArrowUp", pygame.K_DOWN: "ArrowDown",
    pygame.K_LSHIFT: "Shift", pygame.K_RSHIFT: "Shift", pygame.K_LCTRL: "Control", pygame.K_RCTRL: "Control",
    pygame.K_LALT: "Alt", pygame.K_TAB: "Tab", pygame.K_ESCAPE: "Escape", pygame.K_BACKSPACE: "Backspace",
    pygame.K_DELETE: "Delete", pygame.K_INSERT: "Insert", pygame.K_HOME: "Home", pygame.K_END: "End",
    pygame.K_PAGEUP: "PageUp", pygame.K_PAGEDOWN: "PageDown",
    **{getattr(pygame, f"K_F{number}"): f"F{number}" for number in range(1, 13)},
}  # fmt: skip
