"""A host process of its own for a command that asks a model something and waits for the answer."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from pitwall.core.errors import ChannelClosed, ChildDied, PitwallError, ProtocolError, RequestFailed
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.vocabulary import Vocabulary
from pitwall.models.host_requests import Cancel, HostFault, HostReply, HostRequest, Streamed

USUAL_TIMEOUT_S = 600.0
"""A big model from a slow disk takes minutes to load."""
_LAST_WORDS_S = 2.0
_LOOK_S = 0.1
"""Seconds between two questions whether to cancel."""

Reply = TypeVar("Reply")


class HostClient:
    """Starts a host, and ends it with the block it is used in.

    Args:
        logs: folder for `host.log`.
        data: data folder, where the host keeps its verdicts about files; None for none.

    Raises:
        DataFolderError: the log cannot be written.
    """

    def __init__(self, logs: Path, *, data: Path | None = None) -> None:
        ours, theirs = pair()
        arguments = ["--data", str(data)] if data is not None else []
        try:
            self._child = Child("host", arguments, sockets={CHANNEL_OPTION: theirs}, log=logs / "host.log")
        except BaseException:
            ours.close()
            theirs.close()
            raise
        self._channel: Channel[HostRequest, HostReply] = Channel(
            ours, Vocabulary(HostRequest), Vocabulary(HostReply)
        )
        self._numbers = count(1)
        self.blob = b""
        """Came with the last reply."""

    @property
    def pid(self) -> int:
        """Process id of the host."""
        return self._child.pid

    def number(self) -> int:
        """Return a request number that was not used before."""
        return next(self._numbers)

    def ask(
        self,
        request: HostRequest,
        blob: bytes = b"",
        *,
        timeout_s: float = USUAL_TIMEOUT_S,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[HostReply]:
        """Ask, and yield the replies as they come: streamed pieces first, the answer last.

        Leaving the iteration before the answer cancels the request.

        Args:
            cancelled: called several times a second; once it returns True, the request is cancelled, and
                answered with the part that was written.

        Raises:
            RequestFailed: the host refused, or did not answer in time.
            ChildDied: the host died; carries its last words.
        """
        deadline = time.monotonic() + timeout_s
        answered = sent = False
        try:
            self._channel.send(request, blob)
            while not answered:
                if cancelled is not None and not sent and (sent := cancelled()):
                    self._channel.send(Cancel(request_id=request.request_id))
                look_s = _LOOK_S if cancelled is not None else timeout_s
                for reply, came_with in self._wait(deadline, timeout_s, look_s):
                    if reply.request_id != request.request_id:
                        continue
                    self.blob = came_with
                    if isinstance(reply, HostFault):
                        answered = True
                        raise RequestFailed(
                            reply.what, reply.fix, error=reply.error, traceback=reply.traceback
                        )
                    answered = not isinstance(reply, Streamed)
                    yield reply
        except (ChannelClosed, ProtocolError) as error:
            raise self._death(error) from error
        finally:
            if not answered:
                with contextlib.suppress(PitwallError, OSError):
                    self._channel.send(Cancel(request_id=request.request_id))

    def answer(
        self,
        request: HostRequest,
        blob: bytes = b"",
        *,
        kind: type[Reply],
        timeout_s: float = USUAL_TIMEOUT_S,
    ) -> Reply:
        """Return the answer to a request, which is of a kind.

        Raises:
            RequestFailed, ChildDied: as `ask`; RequestFailed also where the answer is of another kind.
        """
        last = list(self.ask(request, blob, timeout_s=timeout_s))[-1]
        if not isinstance(last, kind):
            raise RequestFailed(f"the host answered {request.kind} with something else.")
        return last

    def close(self) -> None:
        """End the host: close its channel, and kill it if it does not follow."""
        self._channel.close()
        self._child.end(2.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, deadline: float, timeout_s: float, look_s: float) -> list[tuple[HostReply, bytes]]:
        messages = self._channel.wait(max(0.0, min(look_s, deadline - time.monotonic())))
        if not messages and time.monotonic() >= deadline:
            raise RequestFailed(
                f"the model host did not answer within {timeout_s:.0f} s.", "Try a smaller model."
            )
        return messages

    def _death(self, error: PitwallError) -> PitwallError:
        """Describe the host's death, or return the error if the host merely speaks another version."""
        if isinstance(error, ProtocolError):
            return error
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.process.wait(_LAST_WORDS_S)
        if self._child.alive:
            return error
        death = self._child.death()
        return ChildDied(death.what, "See the log for its last words, then try again.", death.traceback)
