"""The engine's end of the host process: starts it when it is first needed, and again when it died.

Nothing here waits: requests are sent or refused, replies are taken when they have come, and a dead host is
started again by the next request after a back-off.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from pitwall.core.clock import NS_PER_MS, now_ns
from pitwall.core.errors import (
    ChannelClosed,
    ChildDied,
    FaultLog,
    PitwallError,
    ProtocolError,
    UnsendableMessage,
)
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.vocabulary import Vocabulary
from pitwall.models.host_requests import (
    Cancel,
    HostFault,
    HostReply,
    HostRequest,
    Loaded,
    LoadedModel,
    Streamed,
)

FIRST_BACK_OFF_MS = 500
LONGEST_BACK_OFF_MS = 30_000
_LAST_WORDS_S = 0.05
"""How long a dying host may take to end by itself; only then is its true exit status known."""


class HostLink:
    """The host process of this engine, shared by all its users.

    Each user has its own `mailbox`; the link itself is one too.

    Args:
        back_off_ms: wait before the first restart after a death; it doubles up to half a minute.

    Attributes:
        generation: counts starts; requests to an earlier generation are never answered.
        loaded: models that the host holds now.
    """

    def __init__(
        self, logs: Path, *, back_off_ms: int = FIRST_BACK_OFF_MS, arguments: Sequence[str] = ()
    ) -> None:
        self._log = logs / "host.log"
        self._arguments = tuple(arguments)
        self._child: Child | None = None
        self._channel: Channel[HostRequest, HostReply] | None = None
        self._faults = FaultLog()
        self._first_back_off_ms = self._back_off_ms = back_off_ms
        self._not_before_ns = 0
        self._ids = count(1)
        self._askers: dict[int, tuple[HostConnection, int]] = {}
        self._own = HostConnection(self)
        self.generation = 0
        self.loaded: tuple[LoadedModel, ...] = ()

    @property
    def pid(self) -> int | None:
        """Return the process id of the host; None while there is none."""
        return None if self._child is None else self._child.pid

    def fileno(self) -> int | None:
        """Return the file to select on: readable when `pump` has work. None while there is no host."""
        return None if self._channel is None else self._channel.fileno()

    @property
    def wants_write(self) -> bool:
        """Return whether `pump` has something to send once the host reads."""
        return self._channel is not None and self._channel.wants_write

    def mailbox(self) -> HostConnection:
        """Return a new connection with request numbers of its own."""
        return HostConnection(self)

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        return self._own.send(request, blob)

    def pump(self) -> list[HostReply]:
        return self._own.pump()

    def deliver(self, box: HostConnection, request: HostRequest, blob: bytes) -> bool:
        """Send a mailbox's request under a number of the link; start the host if there is none."""
        try:
            if self._channel is None:
                if now_ns() < self._not_before_ns:
                    return False
                self._start()
            assert self._channel is not None
            self._channel.send(self._numbered(box, request), blob)
        except UnsendableMessage as error:
            fault = HostFault(
                request_id=request.request_id,
                what=error.what,
                fix=error.fix,
                error=type(error).__name__,
            )
            box.put(fault, b"")
        except (PitwallError, OSError) as error:
            self._lost(error)
            return False
        return True

    def collect(self) -> None:
        """Send queued requests, and give the replies to the users that asked. Never waits."""
        if self._channel is None:
            return
        try:
            self._channel.flush()
            replies = self._channel.receive()
        except (ChannelClosed, ProtocolError) as error:
            self._lost(error)
            return
        for reply, blob in replies:
            self._give(reply, blob)
        if replies:
            self._back_off_ms = self._first_back_off_ms
            self._faults.forget()

    def faults(self) -> list[PitwallError]:
        """Return the host's death, once until a later host has answered."""
        return self._faults.take()

    def close(self) -> None:
        """End the host: close its channel, and kill the process if it does not end."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._child is not None:
            self._child.end(1.0)
            self._child = None

    def _start(self) -> None:
        ours, theirs = pair()
        try:
            self._child = Child("host", self._arguments, sockets={CHANNEL_OPTION: theirs}, log=self._log)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        self._channel = Channel(ours, Vocabulary(HostRequest), Vocabulary(HostReply))
        self.generation += 1

    def _numbered(self, box: HostConnection, request: HostRequest) -> HostRequest:
        if isinstance(request, Cancel):
            mine = (number for number, asker in self._askers.items() if asker == (box, request.request_id))
            return replace(request, request_id=next(mine, 0))
        number = next(self._ids)
        self._askers[number] = (box, request.request_id)
        return replace(request, request_id=number)

    def _give(self, reply: HostReply, blob: bytes) -> None:
        if isinstance(reply, Loaded):
            self.loaded = reply.models
        box, number = self._askers.get(reply.request_id, (None, 0))
        if box is None:  # unasked news, or an answer that came too late
            return
        if not isinstance(reply, Streamed):
            del self._askers[reply.request_id]
        box.put(replace(reply, request_id=number), blob)

    def _lost(self, error: Exception) -> None:
        """Note a death once, and the time from which a restart is allowed."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._child is not None:
            error = _end(self._child)
            self._child = None
        if not isinstance(error, PitwallError):
            error = PitwallError(f"the host process could not be started: {error}.")
        self._askers.clear()
        self.loaded = ()
        self._faults.add(error, "death")
        self._not_before_ns = now_ns() + self._back_off_ms * NS_PER_MS
        self._back_off_ms = min(2 * self._back_off_ms, LONGEST_BACK_OFF_MS)


class HostConnection:
    """Connects one user with the host, with its own request numbers and replies."""

    def __init__(self, link: HostLink) -> None:
        self._link = link
        self._letters: list[tuple[HostReply, bytes]] = []

    @property
    def generation(self) -> int:
        return self._link.generation

    @property
    def loaded(self) -> tuple[LoadedModel, ...]:
        return self._link.loaded

    def fileno(self) -> int | None:
        return self._link.fileno()

    def another(self) -> HostConnection:
        """Return a connection to the same host for another user."""
        return self._link.mailbox()

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        """Send a request, and start the host if there is none.

        Returns:
            False if the host is dead and its back-off has not passed: nothing was sent.
        """
        return self._link.deliver(self, request, blob)

    def pump(self) -> list[HostReply]:
        """Send queued requests, and return the new replies to this mailbox. Never waits."""
        return [reply for reply, _ in self.pump_letters()]

    def pump_letters(self) -> list[tuple[HostReply, bytes]]:
        """Return the new replies as `pump` does, each with its blob (vectors, arrays), which may be empty."""
        self._link.collect()
        letters, self._letters = self._letters, []
        return letters

    def put(self, reply: HostReply, blob: bytes) -> None:
        self._letters.append((reply, blob))

    def faults(self) -> list[PitwallError]:
        return self._link.faults()


def _end(child: Child) -> PitwallError:
    """End a host whose channel broke, and return its death."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.process.wait(_LAST_WORDS_S)
    if child.alive:
        child.process.kill()
        child.process.wait()
    death = child.death()
    return ChildDied(death.what, "It is started again when it is next needed.", death.traceback)
