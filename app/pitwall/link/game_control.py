"""Steers a game from outside: pause, resume, reset, speed. It never reveals the game's state.

A game that can be steered listens on the Unix-domain socket that $PITWALL_CONTROL names; the browser that
Pitwall starts does, and any game may. One request a line, as JSON, one answer a line; several clients may be
connected (the engine for the paused protocol, an evaluator for a reset).
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pitwall.core.errors import PitwallError

_ANSWER_S = 5.0
_MOST_BYTES = 65_536


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hold(_Word):
    """Stop the game's time. Harmless if it is stopped already."""

    do: Literal["pause"] = "pause"


class Release(_Word):
    """Let the game go on.

    Attributes:
        ms: game time after which it stops again; None: it goes on until it is held.
    """

    do: Literal["resume"] = "resume"
    ms: float | None = Field(None, gt=0)


class Reset(_Word):
    """Restart the game; answered once it can be played. It runs afterwards if it ran before.

    Attributes:
        seed: None: the one it was started with.
    """

    do: Literal["reset"] = "reset"
    seed: int | None = None


class Speed(_Word):
    """Make the game's time pass this many times as fast."""

    do: Literal["speed"] = "speed"
    factor: float = Field(gt=0, le=100)


class AskStatus(_Word):
    """Asks for the game's status."""

    do: Literal["status"] = "status"


Steer = Annotated[Hold | Release | Reset | Speed | AskStatus, Field(discriminator="do")]
STEER: TypeAdapter[Steer] = TypeAdapter(Steer)


class Steered(_Word):
    """The game's answer.

    Attributes:
        ok: it was done. what: why it was not, in a sentence.
        ready: it can be played. game_ms: game time that has passed, if the game knows it.
    """

    ok: bool
    what: str = ""
    paused: bool = False
    ready: bool = True
    speed: float = 1.0
    game_ms: float | None = None


CAN_STEER = hasattr(socket, "AF_UNIX")
"""Whether games can be steered here: Windows' Python knows no sockets that are files."""


class GameControl:
    """A client of one game. It connects at the first request, and again after a broken connection.

    Args:
        path: the socket; need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None

    @property
    def listening(self) -> bool:
        return self._path.is_socket()

    def ask(self, word: Hold | Release | Reset | Speed | AskStatus, timeout_s: float = _ANSWER_S) -> Steered:
        """Send a request and wait for its answer.

        Raises:
            PitwallError: the game does not listen, does not answer in time, or refuses.
        """
        try:
            answer = Steered.model_validate_json(self._exchange(word.model_dump_json(), timeout_s))
        except (OSError, ValidationError) as error:
            self.close()
            cause = "it did not answer" if isinstance(error, TimeoutError) else str(error).splitlines()[0]
            raise PitwallError(
                f"the game cannot be steered ({word.do}): {cause}.",
                "Play it in real time, or restart it.",
            ) from None
        if not answer.ok:
            raise PitwallError(f"the game refused to {word.do}: {answer.what}")
        return answer

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, line: str, timeout_s: float) -> bytes:
        if self._socket is None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.settimeout(timeout_s)
            self._socket.connect(str(self._path))
        self._socket.settimeout(timeout_s)
        self._socket.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._socket.recv(_MOST_BYTES)
            if not part or len(answer) > _MOST_BYTES:
                raise ConnectionError("the connection ended")
            answer += part
        return answer
