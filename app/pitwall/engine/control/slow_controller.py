"""Controllers that take their time: asked without waiting, and polled for the answer (SPEC §2)."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

Request = TypeVar("Request", contravariant=True)
Answer = TypeVar("Answer", covariant=True)
Reply = TypeVar("Reply")


class SlowController(Protocol[Request, Answer]):
    """Answers one request at a time. No method waits."""

    def request(self, request: Request) -> None:
        """Ask; a request still open is dropped."""
        ...

    def poll(self) -> Answer | None:
        """The answer to the open request, once; None while there is none."""
        ...

    def cancel(self) -> None:
        """Drop the open request, if there is one."""
        ...


class KeptReply(Generic[Reply]):
    """The polling half of a controller whose `request` answers at once: the reply waits to be polled."""

    _reply: Reply | None = None

    def poll(self) -> Reply | None:
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        self._reply = None
