"""The second broker: waits for the first to die, and sees that no key stays down if the engine dies too."""

from __future__ import annotations

import os
import select
import socket
from enum import Enum

from pitwall.broker.backend import Backend

_FIRST_MAY_TAKE_MS = 1_000
"""When the engine is gone the first broker releases by itself; after this long it is taken for hung."""


class Duty(Enum):
    """How the wait ended."""

    STAND_IN = "stand_in"
    ENGINE_GONE = "engine_gone"
    TOLD_TO_END = "told_to_end"


def open_pidfd(pid: int) -> int | None:
    """A descriptor that is readable once the process is dead; None where it is dead already (or 0)."""
    if pid == 0:
        return None
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def stand_by(
    backend: Backend, channel: socket.socket, *, first: int | None, owner: int | None, stop: int
) -> Duty:
    """Wait until the first broker or the engine dies, or this process is told to end.

    What the engine sends meanwhile stays in the channel, for the broker on duty to read.

    Args:
        backend: ready to sweep; what it hears is dropped.
        channel: to the engine; only its end is looked for.
        first, owner: pidfds of the first broker and of the engine.
        stop: readable when this process is told to end.
    """
    if first is None:
        return Duty.STAND_IN
    poll = select.poll()
    poll.register(first, select.POLLIN)
    poll.register(channel, select.POLLRDHUP)
    poll.register(stop, select.POLLIN)
    poll.register(backend.fileno(), select.POLLIN)
    if owner is not None:
        poll.register(owner, select.POLLIN)
    while True:
        backend.hear()
        ready = {fd for fd, _ in poll.poll()}
        if first in ready:
            return Duty.STAND_IN
        if channel.fileno() in ready or owner in ready:
            return Duty.ENGINE_GONE
        if stop in ready:
            return Duty.TOLD_TO_END


def see_the_first_off(backend: Backend, first: int | None) -> None:
    """The engine is gone: give the first broker time to release, then make sure that nothing is down."""
    if first is not None:
        poll = select.poll()
        poll.register(first, select.POLLIN)
        poll.poll(_FIRST_MAY_TAKE_MS)
    backend.sweep(everything=False)
