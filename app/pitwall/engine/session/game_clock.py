"""The game's own clock, held and released through its control socket, and the paused protocol (SPEC §5, §6).

The socket (`link.game_control`) may be slow or gone, so a thread asks and the loop only reads the result.

Under the paused protocol the game runs for each action's length and stands still in between. A game without
a socket is paused by its own keys while an answer is awaited (`time_control.GamePause`), and runs otherwise.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from enum import Enum
from pathlib import Path

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError, unexpected
from pitwall.games.schema.profile import Profile
from pitwall.link.game_control import AskStatus, GameControl, Hold, Release

_log = logging.getLogger(__name__)

_ASK_S = 2.0
_LOOK_EVERY_S = 0.1
_FAREWELL_S = 0.3
"""How long the end of a run waits for the game to be released; the thread finishes alone after that."""
_Word = Hold | Release


class GameClock:
    """Steers one game's clock.

    Args:
        path: the game's control socket; need not exist yet.

    Attributes:
        path: as above, of the program that was started last.
        ready: the game listens, and can be played.
        problem: why the last order was not carried out; None if it was.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._control = path, GameControl(path)
        self._words: queue.SimpleQueue[_Word | Path | None] = queue.SimpleQueue()
        self._asked = self._done = 0
        self.ready = False
        self.problem: PitwallError | None = None
        self._thread = threading.Thread(target=self._serve, name="steering", daemon=True)
        self._thread.start()

    @property
    def listening(self) -> bool:
        return self._control.listening

    @property
    def settled(self) -> bool:
        """Return whether every order so far is carried out (or has failed, see `problem`)."""
        return self._done == self._asked

    def follow(self, path: Path) -> None:
        """Steer the program that listens there from now on: the game was started again."""
        if path != self.path:
            self.path, self.ready = path, False
            self._words.put(path)

    def hold(self) -> None:
        """Order the game to stand still."""
        self._ask(Hold())

    def release(self, ms: float | None = None) -> None:
        """Order the game to go on, for so long of its own time or until the next order."""
        self._ask(Release(ms=ms))

    def close(self) -> None:
        """Take no more orders; pending orders get a moment to be carried out."""
        self._words.put(None)
        self._thread.join(_FAREWELL_S)

    def _ask(self, word: _Word) -> None:
        self._asked += 1
        self._words.put(word)

    def _serve(self) -> None:
        while True:
            try:
                word = self._words.get(timeout=None if self.ready else _LOOK_EVERY_S)
            except queue.Empty:
                self._look()
                continue
            if word is None:
                break
            if isinstance(word, Path):
                self._go_over_to(word)
            else:
                self._carry_out(word)
        self._control.close()

    def _go_over_to(self, path: Path) -> None:
        """Wait a moment until the new program listens, so that the first order reaches it."""
        self._control.close()
        self._control, self.ready, self.problem = GameControl(path), False, None
        until_s = time.monotonic() + _SOCKET_WAIT_NS / NS_PER_S
        while not self.listening and time.monotonic() < until_s:
            time.sleep(_LOOK_EVERY_S)

    def _look(self) -> None:
        if not self._control.listening:
            return
        try:
            self.ready = self._control.ask(AskStatus(), _ASK_S).ready
        except Exception as error:
            self.ready, self.problem = False, self._problem(error)

    def _carry_out(self, word: _Word) -> None:
        try:
            self._control.ask(word, _ASK_S)
            self.problem = None
        except Exception as error:
            self.problem = self._problem(error)
        self._done += 1

    def _problem(self, error: Exception) -> PitwallError:
        if not isinstance(error, PitwallError):
            _log.error("the game's clock failed", exc_info=error)
        return unexpected("the game's clock", error, "Play it in real time, or restart it.")


_BROWSER_WAIT_NS = 30 * NS_PER_S
_SOCKET_WAIT_NS = 3 * NS_PER_S
"""A game with a socket opens it as it starts; after this time none will come."""


class _Phase(Enum):
    FREE = "free"
    HOLDING = "holding"
    STILL = "still"
    RELEASING = "releasing"
    RUNNING = "running"


class PausedProtocol:
    """Holds the game still between actions."""

    def __init__(self, clock: GameClock) -> None:
        self._clock = clock
        self._phase = _Phase.FREE

    @property
    def still(self) -> bool:
        """Return whether the game stands still for us."""
        return self._phase is _Phase.STILL

    @property
    def pending(self) -> bool:
        """Return whether an answer of the game is awaited."""
        return self._phase in (_Phase.HOLDING, _Phase.RELEASING)

    @property
    def problem(self) -> PitwallError | None:
        """Return the reason why the game could not be held or released; None if it could."""
        if self._phase is _Phase.FREE or not self._clock.settled:
            return None
        return self._clock.problem

    def hold(self) -> bool:
        """Order the game to stand still; return whether it does by now."""
        if self._phase not in (_Phase.HOLDING, _Phase.STILL):
            self._clock.hold()
            self._phase = _Phase.HOLDING
        if self._phase is _Phase.HOLDING and self._clock.settled and self._clock.problem is None:
            self._phase = _Phase.STILL
        return self._phase is _Phase.STILL

    def run_for(self, ms: float) -> None:
        """Let the game run for so long; see `running`."""
        self._clock.release(ms)
        self._phase = _Phase.RELEASING

    @property
    def running(self) -> bool:
        """Return whether the order of `run_for` was carried out."""
        if self._phase is _Phase.RELEASING and self._clock.settled and self._clock.problem is None:
            self._phase = _Phase.RUNNING
        return self._phase is _Phase.RUNNING

    def release(self) -> None:
        """Let the game's time pass as usual because nobody plays. Harmless twice."""
        if self._phase is not _Phase.FREE:
            self._clock.release()
            self._phase = _Phase.FREE


class ClockWatch:
    """Waits a while for the game's clock to become available."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._until_ns = 0

    def awaited(self, clock: GameClock | None, now: int) -> bool:
        """Return whether a game that is to be played paused may still open its socket."""
        if clock is None or clock.ready:
            return False
        browser = self._profile.browser is not None
        by_itself = self._profile.pause is not None or self._profile.game.by_turns
        if not browser and by_itself and not clock.listening:
            return False
        if not self._until_ns:
            self._until_ns = now + (_BROWSER_WAIT_NS if browser else _SOCKET_WAIT_NS)
        return now < self._until_ns


def paused_protocol_for(profile: Profile, clock: GameClock | None) -> PausedProtocol | None:
    """Return the protocol that holds the game still by its clock; None if keys or turns do that.

    Raises:
        PitwallError: the game cannot be paused at all.
    """
    if clock is not None and clock.ready:
        return PausedProtocol(clock)
    if profile.pause is not None or profile.game.by_turns:
        return None
    raise PitwallError(
        f"{profile.game.name} cannot be paused: it listens on no control socket and has no [pause] keys.",
        "Play it with the real-time protocol, or give its profile [pause] keys, or game.by_turns.",
    )
