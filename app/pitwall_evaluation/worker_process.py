"""Runs a worker process: takes one order over its channel, answers it, and ends."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from pitwall.core.errors import ChannelClosed, ProtocolError
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.vocabulary import Vocabulary

AnswerChannel = Channel[Any, Any]


class WorkCancelled(Exception):
    """The client is gone, or this process is told to end."""


def run_worker(
    argv: Sequence[str],
    role: str,
    description: str | None,
    answers: Vocabulary,
    orders: Vocabulary,
    serve: Callable[[Any, AnswerChannel], None],
) -> int:
    """Serve one order; returns the exit status, 1 if the client has gone.

    Args:
        serve: takes the order and the channel that its answers go into.
    """
    parser = argparse.ArgumentParser(prog=f"pitwall {role}", description=description)
    parser.add_argument(CHANNEL_OPTION, dest="channel", type=int, required=True, metavar="FD")
    options = parser.parse_args(argv)
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {role} %(levelname)s %(message)s"
    )
    logging.getLogger("alembic").setLevel("WARNING")
    channel: AnswerChannel = Channel(inherited(options.channel), answers, orders)
    signal.signal(signal.SIGTERM, _give_up)
    try:
        serve(channel.wait(None)[0][0], channel)
    except (WorkCancelled, ChannelClosed, ProtocolError):
        return 1
    finally:
        channel.close()
    return 0


def _give_up(_signal: int, _frame: object) -> None:
    raise WorkCancelled
