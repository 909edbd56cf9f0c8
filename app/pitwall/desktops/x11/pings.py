"""Asks programs whether they have read all that the X server has sent them so far (_NET_WM_PING)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import xcffib
from xcffib import xproto

from pitwall.desktops.x11.display import Display

_ANSWERS = int(xproto.EventMask.SubstructureNotify | xproto.EventMask.StructureNotify)
"""Events of the root by which programs answer: GTK and others by the first, Qt by the second."""
_CLIENT_MESSAGE, _BYTES, _NO_QUESTION = 33, 32, 0


class Pings:
    """Asks by a connection of its own, so that nobody else hears the answers."""

    def __init__(self) -> None:
        self._display = Display()
        self._display.ignore_server_grabs()
        self._protocols, self._ping = (self._display.atom(n) for n in ("WM_PROTOCOLS", "_NET_WM_PING"))
        self._answer: dict[int, bool] = {}
        self._open: set[int] = set()
        self._number = _NO_QUESTION

    def ask(self, window: int) -> int:
        """Ask the program of a window; return the question's number, 0 where it answers none."""
        if not self._answers(window):
            return _NO_QUESTION
        if not self._open:
            self._hear(_ANSWERS)
        self._number += 1
        self._open.add(self._number)
        head = (_CLIENT_MESSAGE, _BYTES, 0, window, self._protocols, self._ping)
        message = struct.pack("=BBHII5I", *head, self._number, window, 0, 0)
        self._display.core.SendEvent(False, window, 0, message)
        self._display.flush()
        return self._number

    def ask_all(self) -> set[int]:
        """Ask every program with a window that answers; return the questions' numbers."""
        return {self.ask(window) for window in self.answering_windows()}

    def answering_windows(self) -> list[int]:
        """List the windows that the window manager lists and whose programs answer questions."""
        windows = self._cardinals(self._display.root, self._display.atom("_NET_CLIENT_LIST"))
        return [window for window in windows if self._answers(window)]

    def unanswered(self, numbers: Iterable[int]) -> set[int]:
        """Return those of the questions that no program has answered yet."""
        for event in self._display.events():
            if isinstance(event, xproto.ClientMessageEvent) and event.window == self._display.root:
                self.forget((event.data.data32[1],))
        return self._open & set(numbers)

    def forget(self, numbers: Iterable[int]) -> None:
        """Wait for these answers no longer."""
        if self._open and not self._open.difference(numbers):
            self._hear(0)
        self._open.difference_update(numbers)

    def close(self) -> None:
        self._display.close()

    def _hear(self, mask: int) -> None:
        self._display.select(self._display.root, mask)
        self._display.flush()

    def _answers(self, window: int) -> bool:
        if window not in self._answer:
            self._answer[window] = self._ping in self._cardinals(window, self._protocols)
        return self._answer[window]

    def _cardinals(self, window: int, name: int) -> list[int]:
        try:
            reply = self._display.core.GetProperty(False, window, name, 0, 0, 1 << 16).reply()
        except xcffib.Error:  # closed since
            return []
        return list(reply.value.to_atoms()) if reply.format == 32 else []
