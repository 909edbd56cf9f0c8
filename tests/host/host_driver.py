"""A real host process at the other end of a channel, and short ways to ask it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pitwall.core.errors import ChannelClosed
from pitwall.core.prompts import ChatRole, Layer, Message, Span
from pitwall.link.channel import CHANNEL_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.vocabulary import Vocabulary
from pitwall.models.files.integrity import sha256_of, stamp_of
from pitwall.models.host_requests import (
    Choose,
    Complete,
    Completed,
    HostFault,
    HostReply,
    HostRequest,
    Loaded,
    Streamed,
)
from pitwall.models.spec import ModelKind, ModelSpec

LONG_S = 60.0

Reply = TypeVar("Reply")


class HostProcess:
    """A host process. `replies` holds everything it sent, in order."""

    def __init__(self, log: Path, arguments: Sequence[str] = ()) -> None:
        ours, theirs = pair()
        self.child = Child("host", arguments, sockets={CHANNEL_OPTION: theirs}, log=log)
        self._channel: Channel[HostRequest, HostReply] = Channel(
            ours, Vocabulary(HostRequest), Vocabulary(HostReply)
        )
        self._ids = count(1)
        self._blobs: dict[int, bytes] = {}
        self.replies: list[HostReply] = []

    def number(self) -> int:
        """A request number that was not used before."""
        return next(self._ids)

    def send(self, request: HostRequest, blob: bytes = b"") -> int:
        """Send a request; returns its number."""
        self._channel.send(request, blob)
        return request.request_id

    def hear(self, timeout_s: float = 0.2) -> None:
        """Take what comes in this time.

        Raises:
            ChannelClosed: the host is gone.
        """
        for message, blob in self._channel.wait(timeout_s):
            self.replies.append(message)
            self._blobs[message.request_id] = blob

    def answer(self, number: int) -> HostReply:
        """The answer to a request, waited for."""
        deadline = time.monotonic() + LONG_S
        while (reply := self._answered(number)) is None:
            assert time.monotonic() < deadline, f"request {number} was not answered"
            self.hear()
        return reply

    def ask(self, request: HostRequest, blob: bytes = b"", *, kind: type[Reply]) -> Reply:
        """The answer to a request, which must be of a kind."""
        reply = self.answer(self.send(request, blob))
        assert isinstance(reply, kind), reply
        return reply

    def blob_of(self, number: int) -> bytes:
        """What came with the last message about a request."""
        return self._blobs[number]

    def complete(self, model: ModelSpec, *messages: Message, blob: bytes = b"", **limits: Any) -> Completed:
        """A whole reply."""
        return self.ask(self.request(model, *messages, **limits), blob, kind=Completed)

    def refuse(self, model: ModelSpec, *messages: Message, blob: bytes = b"", **limits: Any) -> HostFault:
        """The fault that a completion must end with."""
        return self.ask(self.request(model, *messages, **limits), blob, kind=HostFault)

    def request(self, model: ModelSpec, *messages: Message, **limits: Any) -> Complete:
        """A completion to be sent."""
        return Complete(request_id=self.number(), model=model, messages=messages, **limits)

    def choose(self, model: ModelSpec, *messages: Message, options: Sequence[str], **limits: Any) -> Choose:
        """A choice to be sent."""
        return Choose(
            request_id=self.number(), model=model, messages=messages, options=tuple(options), **limits
        )

    def streamed(self, number: int) -> list[Streamed]:
        """The pieces of a reply that came so far."""
        return [
            message
            for message in self.replies
            if isinstance(message, Streamed) and message.request_id == number
        ]

    def until_streamed(self, number: int) -> None:
        """Wait for the first piece of a reply."""
        deadline = time.monotonic() + LONG_S
        while not self.streamed(number):
            assert time.monotonic() < deadline, "nothing was streamed"
            self.hear()

    def loaded(self) -> Loaded:
        """Return the host's last report of its loaded models."""
        return [message for message in self.replies if isinstance(message, Loaded)][-1]

    def close(self) -> int:
        """End it; returns its exit status."""
        with contextlib.suppress(ChannelClosed):
            self._channel.close()
        return self.child.end(LONG_S)

    def _answered(self, number: int) -> HostReply | None:
        for message in reversed(self.replies):
            if message.request_id == number and not isinstance(message, Streamed):
                return message
        return None


def spec(name: str, kind: ModelKind, path: Path, **options: Any) -> ModelSpec:
    """A model as the registry would have it."""
    size, changed = stamp_of(path)
    projector = options.get("projector")
    if projector:
        options["projector_sha256"] = sha256_of(Path(projector))
    options.setdefault("gpu_layers", 0)
    return ModelSpec(
        name=name,
        kind=kind,
        path=str(path),
        size_bytes=size,
        mtime_ns=changed,
        sha256=sha256_of(path),
        **options,
    )


def chat_message(role: ChatRole, *texts: str, image: bool = False) -> Message:
    """A message of one span a text."""
    return Message(role=role, spans=tuple(Span(layer=Layer.STATE, text=text) for text in texts), image=image)
