"""Starts a worker process for one order, and receives its answers."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Generic, TypeVar

from pitwall.core.errors import ChannelClosed
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.vocabulary import Vocabulary

_ENDING_S = 90.0
"""How long a worker may take to end its run and to clear away."""

Order = TypeVar("Order")
Answer = TypeVar("Answer")


class WorkerClient(Generic[Order, Answer]):
    """Owns a worker process. Closing it before it answered ends its run and clears it away.

    Args:
        role: of the process, as `pitwall ROLE` names it. log: file that takes its error output.

    Raises:
        DataFolderError: the log cannot be written.
    """

    def __init__(self, role: str, order: Order, orders: Vocabulary, answers: Vocabulary, log: Path) -> None:
        ours, theirs = pair()
        self.order = order
        self._child = Child(role, sockets={CHANNEL_OPTION: theirs}, log=log)
        self._channel: Channel[Any, Any] = Channel(ours, orders, answers)
        self.send(order)

    @property
    def pid(self) -> int:
        return self._child.pid

    def fileno(self) -> int:
        """Return the descriptor for selectors: readable when the worker answered, or died."""
        return self._channel.fileno()

    def send(self, message: object) -> None:
        """Send a message; the death of a worker is reported by `answers`."""
        with contextlib.suppress(ChannelClosed):
            self._channel.send(message)

    def answers(self, timeout_s: float = 0.0) -> list[Answer]:
        """Return the answers that came, oldest first; [] if none came in time.

        Raises:
            ChildDied: the worker died.
        """
        try:
            return [message for message, _ in self._channel.wait(timeout_s)]
        except ChannelClosed as error:
            self._child.end(1.0)
            raise self._child.death() from error

    def hang_up(self) -> None:
        """Tell the worker that nobody waits for its answer any more; never waits."""
        self._channel.close()

    def close(self) -> None:
        """End the worker; waits until it has cleared away."""
        self.hang_up()
        self._child.end(_ENDING_S)
