"""The broker process: `pitwall broker --channel FD [--stop-line FD] [--watch PID] [--owner-pid PID]`."""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from pitwall.broker.service import Broker
from pitwall.broker.standby import Duty, stand_by, sweep_after_first
from pitwall.core.errors import ChannelClosed, DisplayError
from pitwall.core.injection import BrokerFault, FromBroker, Ready, ToBroker
from pitwall.desktops.here import processes, this_desktop
from pitwall.link.channel import CHANNEL_OPTION, STOP_LINE_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.plain_vocabulary import PlainVocabulary
from pitwall.link.prompt_waking import wake_promptly

WATCH_OPTION = "--watch"
"""Stand by for the broker with this process id (0: it is dead already)."""
OWNER_OPTION = "--owner-pid"
"""The engine: its death ends the broker, as the channel's end does."""


def main(argv: Sequence[str]) -> int:
    """Run a broker until its engine is gone. Return the exit status: 1 if the desktop failed."""
    parser = argparse.ArgumentParser(prog="pitwall broker", description=__doc__)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    parser.add_argument(STOP_LINE_OPTION, dest="stop_line", type=int, metavar="FD")
    parser.add_argument(WATCH_OPTION, dest="watch", type=int, metavar="PID")
    parser.add_argument(OWNER_OPTION, dest="owner", type=int, metavar="PID")
    options = parser.parse_args(argv)
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s broker %(levelname)s %(message)s"
    )
    sock = inherited(options.channel)
    channel: Channel[Any, Any] = Channel(sock, PlainVocabulary(FromBroker), PlainVocabulary(ToBroker))
    stop_line = inherited(options.stop_line) if options.stop_line is not None else None
    try:
        return _serve(sock, channel, stop_line, watch=options.watch, owner=options.owner)
    except DisplayError as error:
        _send_last(channel, BrokerFault(what=error.what, fix=error.fix))
        logging.getLogger(__name__).error("%s", error)
        return 1
    except ChannelClosed:
        return 0


def _serve(
    sock: socket.socket,
    channel: Channel[Any, Any],
    stop_line: socket.socket | None,
    *,
    watch: int | None,
    owner: int | None,
) -> int:
    owner_fd = processes().death_of(owner) if owner is not None else None
    if owner is not None and owner_fd is None:
        return 0
    first = processes().death_of(watch) if watch is not None else None
    backend = this_desktop().input()
    gc.freeze()
    wake_promptly()
    with _termination() as stop:
        if watch is not None:
            channel.send(Ready(pid=os.getpid(), backend=backend.name, standby=True))
            duty = stand_by(backend, sock, first=first, owner=owner_fd, stop=stop)
            if duty is not Duty.STAND_IN:
                if duty is Duty.ENGINE_GONE:
                    sweep_after_first(backend, first)
                backend.close()
                return 0
        else:
            channel.send(Ready(pid=os.getpid(), backend=backend.name, standby=False))
        ends: list[int | socket.socket] = [stop] if owner_fd is None else [stop, owner_fd]
        broker = Broker(channel, backend, stop_line=stop_line, ends=ends, standing_in=watch is not None)
        status = broker.run()
    backend.close()
    return status


@contextlib.contextmanager
def _termination() -> Iterator[socket.socket]:
    """Yield a socket that turns readable once SIGTERM or SIGINT came.

    Inside the block neither signal ends the process: a broker ends with its keys up, never in mid-press.
    """
    read, write = socket.socketpair()
    read.setblocking(False)
    write.setblocking(False)

    def handle(_number: int, _frame: FrameType | None) -> None:
        """Do nothing: the wake-up socket tells the loop."""

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    fd_before = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
    try:
        yield read
    finally:
        signal.set_wakeup_fd(fd_before)
        for number, handler in before.items():
            signal.signal(number, handler)
        read.close()
        write.close()


def _send_last(channel: Channel[Any, Any], message: BrokerFault) -> None:
    try:
        channel.send(message)
        channel.close()
    except ChannelClosed:
        return
