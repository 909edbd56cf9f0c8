"""The second broker: waits for the first to die, and sees that no key stays down if the engine dies too."""

from __future__ import annotations

import contextlib
import selectors
import signal
import socket
import sys
from enum import Enum

from pitwall.desktops.input_backend import InputBackend

_FIRST_MAY_TAKE_S = 1.0
"""Time that the first broker has to release after the engine's death, before it counts as hung."""


class Duty(Enum):
    """Names how the wait ended."""

    STAND_IN = "stand_in"
    ENGINE_GONE = "engine_gone"
    TOLD_TO_END = "told_to_end"


def stand_by(
    backend: InputBackend,
    channel: socket.socket,
    *,
    first: int | None,
    owner: int | None,
    stop: socket.socket,
) -> Duty:
    """Wait until the first broker or the engine dies, or this process is asked to end.

    Messages of the engine stay in the channel, for the broker on duty to read.

    Args:
        backend: ready to sweep; its events are dropped.
        channel: to the engine; only its end is looked for.
        first, owner: readable when the first broker and the engine are dead; first None: it is.
        stop: readable when this process is asked to end.
    """
    if first is None:
        return Duty.STAND_IN
    with selectors.DefaultSelector() as selector:
        selector.register(first, selectors.EVENT_READ, Duty.STAND_IN)
        selector.register(stop, selectors.EVENT_READ, Duty.TOLD_TO_END)
        selector.register(backend, selectors.EVENT_READ)
        selector.register(channel, selectors.EVENT_READ)
        if owner is not None:
            selector.register(owner, selectors.EVENT_READ, Duty.ENGINE_GONE)
        while True:
            backend.hear()
            ready = {key.fileobj: key.data for key, _ in selector.select()}
            if first in ready:
                return Duty.STAND_IN
            if channel in ready:
                if _has_ended(channel):
                    return Duty.ENGINE_GONE
                selector.unregister(channel)  # the engine knows more than we do: the first is dying
            for duty in ready.values():
                if duty is not None:
                    return Duty(duty)


def sweep_after_first(backend: InputBackend, first: int | None) -> None:
    """Give the first broker time to release after the engine's death, then release what is still down.

    On Linux a first broker that hangs is killed: its own seat goes only when it is dead.
    """
    if first is not None:
        with selectors.DefaultSelector() as selector:
            selector.register(first, selectors.EVENT_READ)
            if not selector.select(_FIRST_MAY_TAKE_S) and sys.platform == "linux":
                with contextlib.suppress(OSError):  # dead since
                    signal.pidfd_send_signal(first, signal.SIGKILL)
                selector.select(_FIRST_MAY_TAKE_S)
    backend.sweep(everything=False)


def _has_ended(channel: socket.socket) -> bool:
    try:
        return not channel.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
