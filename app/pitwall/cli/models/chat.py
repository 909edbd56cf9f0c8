"""`pitwall models chat`: a short conversation with a model; it stays loaded until the input ends.

With --json each input line is a message, {"text": "…", "image": "FILE"} with an image if wanted, or
{"cancel": true}, which ends the reply that is being written. Output lines are {"loaded": …}, then for each
message {"streamed": "…", "tokens": n} as the reply grows and {"reply": "…", …} with its figures, or
{"refused": {"what", "fix"}}.
"""

from __future__ import annotations

import json as json_lines
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.models.ask_and_measure import (
    SeedOption,
    TemperatureOption,
    chat_message,
    picture_for,
    reply_figures,
    stream_reply,
    text_model,
)
from pitwall.cli.models.format import NameArgument
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import ChildDied, PitwallError, ProtocolError
from pitwall.core.prompts import Message
from pitwall.core.settings import load_settings
from pitwall.link.input_reader import InputReader
from pitwall.models.entry import ModelEntry
from pitwall.models.host_requests import Complete, Completed, Loaded, LoadModel
from pitwall.models.registry import ModelRegistry

if TYPE_CHECKING:
    from pitwall.models.host_client import HostClient

_SLOT = "chat"
_CHARACTERS_A_TOKEN = 3
_PICTURE_TOKENS = 600
_LOOK_S = 0.1
_LEAVE = (":q", "quit", "exit")
_HELP = 'Type a message and Enter; Ctrl+C ends a reply, ":q" the conversation.'


def chat(
    name: NameArgument,
    system: Annotated[str, typer.Option(help="What the model is told before the conversation.")] = "",
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.")] = 512,
    temperature: TemperatureOption = 0.0,
    seed: SeedOption = 0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Ask a model in a conversation: messages from standard input, replies as they are written."""
    from pitwall.models.host_client import HostClient

    folder, report = data_folder(data), Reporter(json)
    entry = text_model(ModelRegistry(folder).get(name))
    talk = Conversation(entry, system, max_tokens=max_tokens, temperature=temperature, seed=seed)
    talk.image_px = load_settings(folder.settings).models.image_px
    with HostClient(folder.logs, data=folder.root) as client:
        _load(client, entry, report)
        _talk(client, talk, report)


def _load(client: HostClient, entry: ModelEntry, report: Reporter) -> None:
    report.line(Line(f"{entry.name} is being loaded …", dim=True))
    began = time.monotonic()
    loaded = client.answer(LoadModel(request_id=client.number(), model=entry.spec), kind=Loaded)
    device = next((model.device for model in loaded.models if model.name == entry.name), "")
    took_s = time.monotonic() - began
    on = f" on {device}" if device else ""
    ready = Line(f"{entry.name} is ready{on} after {took_s:.1f} s. {_HELP}", dim=True)
    report.event({"loaded": entry.name, "device": device, "load_ms": 1000 * took_s}, ready)


def _talk(client: HostClient, talk: Conversation, report: Reporter) -> None:
    """Answer messages until the input ends, a person leaves, or a second stop comes."""
    lines = _Lines()
    while True:
        with stop_requested() as stopping:
            message = lines.next(stopping)
        if message is None:
            return
        with stop_requested() as stopping:

            def cancelled() -> bool:
                return stopping() or lines.cancels()

            try:
                reply = talk.ask(client, message, report, cancelled)
            except (ChildDied, ProtocolError):
                raise
            except PitwallError as error:
                refusal = {"refused": {"what": error.what, "fix": error.fix}}
                report.event(refusal, Line(f"{error.what} {error.fix}".rstrip(), colour="red"))
                continue
        figures = reply_figures(reply)
        speed = f", {figures['tokens_per_s']:,.1f} tok/s" if figures["tokens_per_s"] else ""
        left_out = f", {talk.left_out} earlier messages left out" if talk.left_out else ""
        line = Line(f"\n[{reply.output_tokens} tokens{speed}, ended by {reply.finish}{left_out}]", dim=True)
        report.event({"reply": reply.text, **figures, "left_out": talk.left_out}, line)
        if stopping() and not sys.stdin.isatty():
            return


@dataclass
class Conversation:
    """The messages so far, the oldest first.

    Attributes:
        left_out: earlier messages that the last request had no room for.
    """

    entry: ModelEntry
    system: str
    max_tokens: int
    temperature: float
    seed: int
    image_px: int = 960
    left_out: int = 0
    _turns: list[tuple[Message, bytes]] = field(default_factory=list)

    def ask(self, client: HostClient, message: dict[str, Any], report: Reporter, cancelled: Any) -> Completed:
        """Ask for the reply to a message, and report it as it grows; a refused message is forgotten.

        Raises:
            PitwallError: the model takes no pictures, the picture cannot be read, or no answer came.
        """
        image = str(message.get("image") or "")
        picture = picture_for(self.entry, Path(image) if image else None, self.image_px)
        turn = (chat_message("user", str(message.get("text", "")), image=bool(picture)), picture)
        turns = self._fitting([*self._turns, turn])
        self.left_out = len(self._turns) + 1 - len(turns)
        reply = self._answer(client, turns, report, cancelled)
        self._turns += [turn, (chat_message("assistant", reply.text), b"")]
        return reply

    def _answer(
        self, client: HostClient, turns: list[tuple[Message, bytes]], report: Reporter, cancelled: Any
    ) -> Completed:
        head = (chat_message("system", self.system),) if self.system else ()
        request = Complete(
            request_id=client.number(),
            model=self.entry.spec,
            messages=(*head, *(message for message, _ in turns)),
            pictures=tuple(len(picture) for _, picture in turns if picture),
            slot=_SLOT,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=self.seed,
            deadline_ms=600_000,
        )
        return stream_reply(client, request, b"".join(picture for _, picture in turns), report, cancelled)

    def _fitting(self, turns: list[tuple[Message, bytes]]) -> list[tuple[Message, bytes]]:
        """Leave out the oldest questions with their replies until the rest should fit the model's context."""
        room = self.entry.context - self.max_tokens - len(self.system) // _CHARACTERS_A_TOKEN

        def size(turn: tuple[Message, bytes]) -> int:
            return len(turn[0].text) // _CHARACTERS_A_TOKEN + 16 + (_PICTURE_TOKENS if turn[1] else 0)

        while len(turns) > 2 and sum(map(size, turns)) > room:
            turns = turns[2:]
        return turns


class _Lines:
    """Messages of standard input; a cancel that comes during a reply is kept apart."""

    def __init__(self) -> None:
        self._input = InputReader(sys.stdin.buffer)
        self._waiting: deque[dict[str, Any]] = deque()
        self._rest = b""
        self._ended = False

    def next(self, stopped: Any) -> dict[str, Any] | None:
        """Wait for the next message; None at the input's end, or when the person leaves."""
        while not stopped():
            if self._waiting:
                message = self._waiting.popleft()
                if message.get("cancel"):
                    continue
                return None if str(message.get("text", "")).strip() in _LEAVE else message
            if self._ended:
                return None
            self._read(_LOOK_S)
        return None

    def cancels(self) -> bool:
        """Return whether a cancel has come; messages that were typed ahead stay."""
        self._read(0.001)
        wanted = any(message.get("cancel") for message in self._waiting)
        self._waiting = deque(message for message in self._waiting if not message.get("cancel"))
        return wanted

    def _read(self, timeout_s: float) -> None:
        came = self._input.next(timeout_s) if not self._ended else None
        if came is None:
            return
        self._ended = not came
        *whole, self._rest = (self._rest + came).split(b"\n")
        if self._ended and self._rest:
            whole, self._rest = [*whole, self._rest], b""
        self._waiting.extend(_messages(whole))


def _messages(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        text = line.decode("utf-8", "replace").strip()
        if not text:
            continue
        try:
            body = json_lines.loads(text)
        except ValueError:
            body = text
        yield body if isinstance(body, dict) else {"text": text}
