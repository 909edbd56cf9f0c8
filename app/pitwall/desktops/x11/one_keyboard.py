"""Programs that hear one keyboard alone: while the agent's exists, the person's keys are dead in them.

Chromium, and what is built of it, takes keys from the last master keyboard in the server's list and drops
those of all others. So the agent's pair gives way: a key that the person presses in a window of such a
program waits in the server until the pair is gone, and reaches the window then.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xcffib
import xcffib.xinput
from xcffib import xproto

from pitwall.desktops.x11.clients import Clients
from pitwall.desktops.x11.display import Display

_PERSONS_KEYBOARD = 3
_BESIDE_PROGRAM = ("chrome_100_percent.pak", "libcef.so")
"""Files in the folder of every program that is Chromium or built of it."""
_NESTED = 3
"""Window managers put a program's window into this many of their own, at the most."""
_ANY_KEY, _ANY_MODIFIER, _NOW, _NO_CURSOR = 0, 1 << 31, 0, 0
_HOLD, _LET_OTHERS_GO, _OF_KEYS, _KEY_PRESS = 0, 1, 1, 1 << 2
_GIVE_TO_WINDOW = 2


class OneKeyboardPrograms:
    """Finds the windows of such programs, and holds the first key that the person presses in one of them."""

    def __init__(self, display: Display, clients: Clients) -> None:
        self._display = display
        self._clients = clients
        self._numbers: int = display.connection.setup.resource_id_mask
        self._guarded: set[int] = set()
        self._client_list = display.atom("_NET_CLIENT_LIST")

    def guard(self) -> None:
        """Hold the person's first key in each window that such a program has now."""
        windows = set(self._windows())
        for window in windows - self._guarded:
            self._display.xinput.XIPassiveGrabDevice(
                _NOW,
                window,
                _NO_CURSOR,
                _ANY_KEY,
                _PERSONS_KEYBOARD,
                1,
                1,
                _OF_KEYS,
                _HOLD,
                _LET_OTHERS_GO,
                False,
                [_KEY_PRESS],
                [_ANY_MODIFIER],
                is_checked=False,
            )
        self._guarded = windows
        self._display.flush()

    def let_go(self) -> None:
        """Hold no key any more."""
        for window in self._guarded:
            self._display.xinput.XIPassiveUngrabDevice(
                window, _ANY_KEY, _PERSONS_KEYBOARD, 1, _OF_KEYS, [_ANY_MODIFIER]
            )
        self._guarded.clear()
        self._display.flush()

    def give_key(self, time_ms: int) -> None:
        """Give the key that waits to its window."""
        self._display.xinput.XIAllowEvents(time_ms, _PERSONS_KEYBOARD, _GIVE_TO_WINDOW, 0, 0)
        self._display.flush()

    def may_be_new(self, event: Any) -> bool:
        """Return whether a window may have come."""
        if isinstance(event, xproto.PropertyNotifyEvent):
            return bool(event.atom == self._client_list)
        return isinstance(event, xproto.MapNotifyEvent)

    def is_such(self, window: int) -> bool:
        """Return whether a window is one of theirs."""
        return self._hears_one(window, {})

    def have_focus(self) -> bool:
        """Return whether the person's next key goes to such a program."""
        focus = int(self._display.core.GetInputFocus().reply().focus)
        return focus > 1 and self.is_such(focus)

    def _windows(self) -> Iterator[int]:
        """Yield the outermost windows of such programs."""
        known: dict[int, bool] = {}
        level = [self._display.root]
        for _ in range(_NESTED):
            asked = [self._display.core.QueryTree(window) for window in level]
            level = []
            for question in asked:
                try:
                    children = list(question.reply().children)
                except xcffib.Error:  # gone since
                    continue
                for child in children:
                    if self._hears_one(child, known):
                        yield child
                    else:
                        level.append(child)

    def _hears_one(self, window: int, known: dict[int, bool]) -> bool:
        owner = window & ~self._numbers
        if owner not in known:
            process = self._clients.process_of(window)
            verdict = is_chromium(process) if process is not None else None
            known[owner] = self._takes_no_core_keys(window) if verdict is None else verdict
        return known[owner]

    def _takes_no_core_keys(self, window: int) -> bool:
        try:
            mask = self._display.core.GetWindowAttributes(window).reply().all_event_masks
        except xcffib.Error:
            return False
        return not mask & xproto.EventMask.KeyPress


def is_chromium(process: int) -> bool | None:
    """Return whether a process is Chromium or built of it, by the files beside its program.

    Returns:
        None where the program cannot be looked at.
    """
    try:
        program = Path(f"/proc/{process}/exe").readlink()
        folder = Path(f"/proc/{process}/root{program}").parent  # it may see other files than we do
        return any((folder / name).exists() for name in _BESIDE_PROGRAM)
    except OSError:
        return None
