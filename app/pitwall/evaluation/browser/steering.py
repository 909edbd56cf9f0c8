"""Serves $PITWALL_CONTROL: the words of link.game_control, for several clients at once."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.errors import LaunchFailed, PitwallError
from pitwall.evaluation.browser.page import GamePage
from pitwall.link.game_control import STEER, Hold, Release, Reset, Speed, Steer, Steered


class Steering:
    """The socket.

    Args:
        page: what is steered; one request at a time reaches it.
    """

    def __init__(self, page: GamePage) -> None:
        self._page = page
        self._turn = asyncio.Lock()
        self._server: asyncio.Server | None = None

    async def open(self, path: Path) -> None:
        """Listen there.

        Raises:
            LaunchFailed: no socket can be made there.
        """
        path.unlink(missing_ok=True)
        try:
            self._server = await asyncio.start_unix_server(self._serve, str(path))
        except OSError as error:
            raise LaunchFailed(f"{path} cannot be listened on: {error.strerror or error}.") from None

    def close(self) -> None:
        """Take no more requests."""
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
            return Steered(ok=False, what=f"no request: {error.errors()[0]['msg']}.")
        async with self._turn:
            try:
                if self._page.ready:
                    await self._do(word)
                elif word.do != "status":
                    return Steered(ok=False, what="the page is not ready yet.", ready=False)
                else:
                    return Steered(ok=True, ready=False)
                return await self._status()
            except PitwallError as error:
                return Steered(ok=False, what=str(error), ready=self._page.ready)

    async def _do(self, word: Steer) -> None:
        match word:
            case Hold():
                await self._page.pause()
            case Release():
                await self._page.resume(word.ms)
            case Reset():
                await self._page.reset(word.seed)
            case Speed():
                await self._page.speed(word.factor)

    async def _status(self) -> Steered:
        told = await self._page.status()
        return Steered(
            ok=True,
            paused=told["paused"],
            ready=self._page.ready,
            speed=told["speed"],
            game_ms=told["game_ms"],
        )
