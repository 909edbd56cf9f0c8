"""The paused protocol (SPEC §5, §6): the game runs for each action's length, and stands still in between.

Where the game listens it is held still exactly. Where it only has keys for a pause, these are pressed
while somebody who is asked has not answered (`pausing.GamePause`): it then runs on in between.
"""

from __future__ import annotations

from enum import Enum

from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.engine.session.game_clock import GameClock
from pitwall.games.schema.profile import Profile

_BROWSER_WAIT_NS = 30 * NS_PER_S
_SOCKET_WAIT_NS = 3 * NS_PER_S
"""A game that can be steered opens its socket as it starts: one that has not by then will not."""


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
        """Whether the game stands still for us."""
        return self._phase is _Phase.STILL

    @property
    def pending(self) -> bool:
        """Whether an answer of the game is waited for."""
        return self._phase in (_Phase.HOLDING, _Phase.RELEASING)

    @property
    def problem(self) -> PitwallError | None:
        """Return the reason why the game could not be held or let go; None if it could."""
        if self._phase is _Phase.FREE or not self._clock.settled:
            return None
        return self._clock.problem

    def hold(self) -> bool:
        """Have it stand still; whether it does by now."""
        if self._phase not in (_Phase.HOLDING, _Phase.STILL):
            self._clock.hold()
            self._phase = _Phase.HOLDING
        if self._phase is _Phase.HOLDING and self._clock.settled and self._clock.problem is None:
            self._phase = _Phase.STILL
        return self._phase is _Phase.STILL

    def run_for(self, ms: float) -> None:
        """Let it run for so long; see `running`."""
        self._clock.release(ms)
        self._phase = _Phase.RELEASING

    @property
    def running(self) -> bool:
        """Whether it runs: what was asked with `run_for` is done."""
        if self._phase is _Phase.RELEASING and self._clock.settled and self._clock.problem is None:
            self._phase = _Phase.RUNNING
        return self._phase is _Phase.RUNNING

    def release(self) -> None:
        """Nobody plays: its time passes as ever. Harmless twice."""
        if self._phase is not _Phase.FREE:
            self._clock.release()
            self._phase = _Phase.FREE


class ClockWatch:
    """Waits, for a while, until the game's clock can be controlled."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._until_ns = 0

    def awaited(self, clock: GameClock | None, now: int) -> bool:
        """Whether a game that is to be played paused may still open its socket."""
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
    """Return the protocol that holds the game still by its clock; None: by its own keys, or by itself.

    Raises:
        PitwallError: it cannot be paused at all.
    """
    if clock is not None and clock.ready:
        return PausedProtocol(clock)
    if profile.pause is not None or profile.game.by_turns:
        return None
    raise PitwallError(
        f"{profile.game.name} cannot be paused: it listens on no control socket and has no [pause] keys.",
        "Play it with the real-time protocol, or give its profile [pause] keys, or game.by_turns.",
    )
