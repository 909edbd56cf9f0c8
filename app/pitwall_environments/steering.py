"""Serves $PITWALL_CONTROL: the requests of link.game_control, for several clients at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from pitwall.core.errors import LaunchFailed, PitwallError, unexpected
from pitwall.core.validation import first_fault
from pitwall.link.game_control import STEER, Hold, Release, Reset, Speed, Steer, Steered

_log = logging.getLogger(__name__)


class Steerable(Protocol):
    """A game that can be paused, resumed, sped up and reset.

    Every method may raise PitwallError; its message becomes the answer.
    """

    ready: bool

    async def pause(self) -> None:
        """Stop the game's time."""

    async def resume(self, ms: float | None) -> None:
        """Let its time pass, for so many milliseconds of it if they are given."""

    async def reset(self, seed: int | None) -> None:
        """Restart it."""

    async def speed(self, factor: float) -> None:
        """Set how many times as fast its time passes."""

    async def status(self) -> dict[str, Any]:
        """Return `paused`, `speed` and `game_ms`."""


class Steering:
    """Answers requests on the socket.

    Args:
        game: receives one request at a time.
    """

    def __init__(self, game: Steerable) -> None:
        self._game = game
        self._turn = asyncio.Lock()
        self._server: asyncio.Server | None = None

    async def open(self, path: Path) -> None:
        """Listen at a path.

        Raises:
            LaunchFailed: no socket can be made there.
        """
        path.unlink(missing_ok=True)
        try:
            self._server = await asyncio.start_unix_server(self._serve, str(path))
        except OSError as error:
            raise LaunchFailed(f"{path} cannot be listened on: {error.strerror or error}.") from None

    def close(self) -> None:
        """Stop taking requests."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while line := await reader.readline():
                writer.write((await self._answer(line)).model_dump_json().encode() + b"\n")
                await writer.drain()
        writer.close()

    async def _answer(self, line: bytes) -> Steered:
        try:
            word = STEER.validate_json(line)
        except ValidationError as error:
            return Steered(ok=False, what=f"no request: {': '.join(first_fault(error))}.")
        async with self._turn:
            try:
                if self._game.ready:
                    await self._do(word)
                elif word.do != "status":
                    return Steered(ok=False, what="the game is not ready yet.", ready=False)
                else:
                    return Steered(ok=True, ready=False)
                return await self._status()
            except Exception as error:
                if not isinstance(error, PitwallError):
                    _log.exception("a request failed")
                return Steered(ok=False, what=str(unexpected("the game", error)), ready=self._game.ready)

    async def _do(self, word: Steer) -> None:
        match word:
            case Hold():
                await self._game.pause()
            case Release():
                await self._game.resume(word.ms)
            case Reset():
                await self._game.reset(word.seed)
            case Speed():
                await self._game.speed(word.factor)

    async def _status(self) -> Steered:
        status = await self._game.status()
        return Steered(
            ok=True,
            paused=status["paused"],
            ready=self._game.ready,
            speed=status["speed"],
            game_ms=status["game_ms"],
        )
