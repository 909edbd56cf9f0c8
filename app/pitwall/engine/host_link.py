"""The engine's end of the host process: starts it when it is first needed, and again when it died.

Nothing here waits: requests are sent or refused, replies are taken when they have come, and a host
that died is started again after a back-off, on the next request.
"""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import ChannelClosed, ChildDied, PitwallError, ProtocolError
from pitwall.link.channel import CHANNEL_OPTION, Channel, adapter, pair
from pitwall.link.child import Child
from pitwall.models.requests import HostFault, HostReply, HostRequest, TextRead

FIRST_BACK_OFF_MS = 500
LONGEST_BACK_OFF_MS = 30_000
_LAST_WORDS_S = 0.05
"""How long a dying host may take to end by itself, so that its true exit status is known."""


class HostLink:
    """A host process of this engine.

    Args:
        logs: folder for `host.log`.
        back_off_ms: wait before the first new start after a death; it doubles up to half a minute.

    Attributes:
        generation: counts starts; what was asked of an earlier generation is never answered.
    """

    def __init__(self, logs: Path, *, back_off_ms: int = FIRST_BACK_OFF_MS) -> None:
        self._log = logs / "host.log"
        self._child: Child | None = None
        self._channel: Channel[HostRequest, HostReply] | None = None
        self._faults: list[PitwallError] = []
        self._told = False
        self._first_back_off_ms = self._back_off_ms = back_off_ms
        self._not_before_ns = 0
        self.generation = 0

    @property
    def pid(self) -> int | None:
        """Process id of the host, None while there is none."""
        return None if self._child is None else self._child.pid

    def fileno(self) -> int | None:
        """For select: readable when `pump` has something to do. None while there is no host."""
        return None if self._channel is None else self._channel.fileno()

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        """Send a request, starting the host where there is none.

        Returns:
            False where the host is dead and its back-off has not passed yet: nothing was sent.
        """
        try:
            if self._channel is None:
                if now_ns() < self._not_before_ns:
                    return False
                self._start()
            assert self._channel is not None
            self._channel.send(request, blob)
        except (PitwallError, OSError) as error:
            self._lost(error)
            return False
        return True

    def pump(self) -> list[TextRead | HostFault]:
        """Push out what is queued, and return every reply that has come. Never waits."""
        if self._channel is None:
            return []
        try:
            self._channel.flush()
            replies = [
                reply for reply, _ in self._channel.receive() if isinstance(reply, TextRead | HostFault)
            ]
        except (ChannelClosed, ProtocolError) as error:
            self._lost(error)
            return []
        if replies:
            self._back_off_ms = self._first_back_off_ms
            self._told = False
        return replies

    def faults(self) -> list[PitwallError]:
        """The host's death, told once until a later host has answered again."""
        faults, self._faults = self._faults, []
        return faults

    def close(self) -> None:
        """End the host: its channel closes, and what does not follow is killed."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._child is not None:
            self._child.end(1.0)
            self._child = None

    def _start(self) -> None:
        ours, theirs = pair()
        try:
            self._child = Child("host", sockets={CHANNEL_OPTION: theirs}, log=self._log)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        self._channel = Channel(ours, adapter(HostRequest), adapter(HostReply))
        self.generation += 1

    def _lost(self, error: Exception) -> None:
        """Note a death once, and when the next start may be tried."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._child is not None:
            error = _end(self._child)
            self._child = None
        if not isinstance(error, PitwallError):
            error = PitwallError(f"the host process could not be started: {error}.")
        if not self._told:
            self._told = True
            self._faults.append(error)
        self._not_before_ns = now_ns() + self._back_off_ms * NS_PER_MS
        self._back_off_ms = min(2 * self._back_off_ms, LONGEST_BACK_OFF_MS)


def _end(child: Child) -> PitwallError:
    """Make sure of a host whose channel broke, and say how it died."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.process.wait(_LAST_WORDS_S)
    if child.alive:
        child.process.kill()
        child.process.wait()
    death = child.death()
    return ChildDied(death.what, "It is started again when it is next needed.", death.traceback)
