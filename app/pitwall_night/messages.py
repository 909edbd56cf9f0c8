"""Messages about a night: a desktop notification, a command of the operator's, a webhook.

All are off unless they are asked for. They are sent by a thread of their own, so that a slow receiver delays
no game, and a failed one is a sentence for the operator. Addresses are never written to a log or a record.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import queue
import shlex
import shutil
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from pitwall.core.errors import PitwallError

_PATIENCE_S = 15.0
_LAST_S = 30.0


class Message(BaseModel):
    """What a receiver is sent, as JSON: the event, without any path or setting of this machine."""

    model_config = ConfigDict(frozen=True)

    night: int
    game: str
    event: str
    at_s: float
    text: str
    run_id: int | None = None
    score: float | None = None


Send = Callable[[Message], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receivers:
    """Who is told.

    Attributes:
        notify: show a desktop notification. command: a program with its arguments; the message is its input,
            and $PITWALL_EVENT and $PITWALL_TEXT hold its event and sentence. webhook: an http or https
            address that gets the message by POST.
    """

    notify: bool = False
    command: str = ""
    webhook: str = ""

    def senders(self) -> dict[str, Send]:
        """Return the senders by name.

        Raises:
            PitwallError: a receiver cannot be used; says what to do.
        """
        senders: dict[str, Send] = {}
        if self.notify:
            program = shutil.which("notify-send")
            if program is None:
                raise PitwallError(
                    "desktop notifications need the program notify-send.", "Install libnotify-bin."
                )
            senders["notification"] = lambda message: _notify(program, message)
        if self.command:
            words = shlex.split(self.command)
            if not words or shutil.which(words[0]) is None:
                raise PitwallError(f"--command: {self.command!r} names no program.", "Give its path.")
            senders["command"] = lambda message: _run(words, message)
        if self.webhook:
            _check_address(self.webhook)
            senders["webhook"] = lambda message: _post(self.webhook, message)
        return senders


def _check_address(webhook: str) -> None:
    """Raise PitwallError, which does not repeat the address, where no message can be sent there."""
    if any(letter.isspace() or not letter.isprintable() for letter in webhook):
        raise PitwallError("--webhook: its address holds a blank or a control character.", "Copy it again.")
    try:
        address = urllib.parse.urlsplit(webhook)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise PitwallError("--webhook: expected an http or https address.", "Like https://host/path.")


class Messenger:
    """Sends messages in order, beside the play.

    Args:
        senders: by name (`Receivers.senders`).
        failed: takes a sentence for each message that could not be sent.
    """

    def __init__(self, senders: Mapping[str, Send], failed: Callable[[str], None]) -> None:
        self._senders = senders
        self._failed = failed
        self._queue: queue.Queue[Message | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="messages", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Send a message soon."""
        self._queue.put(message)

    def close(self) -> None:
        """Send what waits, for half a minute at most."""
        self._queue.put(None)
        self._thread.join(_LAST_S)

    def _work(self) -> None:
        while (message := self._queue.get()) is not None:
            for name, send in self._senders.items():
                try:
                    send(message)
                except Exception as error:  # whatever it is, later messages are sent
                    with contextlib.suppress(Exception):  # nobody may read what is printed
                        self._failed(f"The {name} could not be sent: {_why(error)}.")


def _why(error: Exception) -> str:
    """Return a cause that holds no address."""
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code}"
    if isinstance(error, urllib.error.URLError):
        return f"the server was not reached ({type(error.reason).__name__})"
    if isinstance(error, http.client.HTTPException):
        return "the server's answer could not be read"
    if isinstance(error, subprocess.TimeoutExpired | TimeoutError):
        return f"there was no answer within {_PATIENCE_S:g} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"it ended with status {error.returncode}"
    return type(error).__name__


def _notify(program: str, message: Message) -> None:
    _call([program, "--app-name", "Pitwall", f"Pitwall: {message.game}", message.text], None, {})


def _run(words: Sequence[str], message: Message) -> None:
    variables = {"PITWALL_EVENT": message.event, "PITWALL_TEXT": message.text}
    _call(words, message.model_dump_json(), variables)


def _call(words: Sequence[str], text: str | None, variables: dict[str, str]) -> None:
    subprocess.run(
        words,
        input=text,
        text=True,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_PATIENCE_S,
        check=True,
    )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: a message goes to the address that the operator gave, and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _post(address: str, message: Message) -> None:
    request = urllib.request.Request(
        address,
        data=message.model_dump_json().encode(),
        headers={"Content-Type": "application/json", "User-Agent": "pitwall"},
        method="POST",
    )
    opener = urllib.request.build_opener(_NoRedirect)
    with contextlib.closing(opener.open(request, timeout=_PATIENCE_S)) as answer:
        answer.read(1_024)
