"""A desktop with one window and no screen: what a new desktop must bring at least. Copied by a test."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator

import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.core.clock import now_ns
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.injection import BrokerFault, Configure, FocusHolder
from pitwall.core.settings import CaptureSettings
from pitwall.desktops import linux_processes
from pitwall.desktops.contract import CaptureSource, Desktop, WindowList, WindowState
from pitwall.desktops.input_backend import DesktopState, Heard, InputBackend

_GAME = WindowRef(native_id=1, pid=1, title="a toy game", wm_class="Toy", rect=Rect(0, 0, 32, 24))


class ToyDesktop(Desktop):
    name = "toy"
    processes = linux_processes

    def is_here(self) -> bool:
        return "PITWALL_TOY_DESKTOP" in os.environ

    def check(self) -> None:
        """Nothing can be wrong with it."""

    def windows(self) -> WindowList:
        return _Windows()

    def capture(self, window: WindowRef, settings: CaptureSettings, *, after_frame: int = 0) -> CaptureSource:
        del settings
        return _Source(window, after_frame)

    def input(self) -> InputBackend:
        return _Input()


class _Windows(WindowList):
    screen_size = (64, 48)

    def look(self, window_id: int) -> WindowState | None:
        known = window_id == _GAME.native_id
        return WindowState(window=_GAME, health=WindowHealth.VISIBLE) if known else None

    def client_ids(self) -> list[int]:
        return [_GAME.native_id]

    def playable(self, window_id: int) -> bool:
        return window_id == _GAME.native_id

    def at(self, x: int, y: int) -> int | None:
        return _GAME.native_id if _GAME.rect.contains(x, y) else None


class _Source:
    backend = "toy"
    health = WindowHealth.VISIBLE
    dropped = 0

    def __init__(self, window: WindowRef, after_frame: int) -> None:
        self.window, self._frame_id = window, after_frame
        self._line = socket.socketpair()

    def fileno(self) -> int:
        return self._line[0].fileno()

    def arm(self, armed: bool) -> list[BrokerFault]:
        del armed
        return []

    def take(self) -> Frame | None:
        return None

    def fresh(self) -> Frame | None:
        self._frame_id += 1
        at_ns = now_ns()
        pixels = np.zeros((self.window.rect.height, self.window.rect.width, 4), np.uint8)
        return Frame(
            frame_id=self._frame_id,
            captured_ns=at_ns,
            ready_ns=at_ns,
            pixels=pixels,
            window=self.window.rect,
        )

    def close(self) -> None:
        for end in self._line:
            end.close()


class _Input:
    name = "toy"
    holder = FocusHolder.GAME
    has_target = False
    own_seat = gives_way = False
    obstacle = None
    foreign_modifiers: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._held: list[str] = []
        self._line = socket.socketpair()

    def fileno(self) -> int:
        return self._line[0].fileno()

    def configure(self, order: Configure) -> tuple[tuple[str, ...], list[BrokerFault]]:
        self.has_target = order.target is not None and order.target.native_id == _GAME.native_id
        return (), []

    def arm(self, armed: bool) -> list[BrokerFault]:
        del armed
        return []

    def watch_people(self, watch: bool, *, playing: bool = False) -> None: ...

    def hear(self) -> list[Heard]:
        return []

    def next_deadline_ns(self) -> int | None:
        return None

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        yield

    def desktop_state(self, event: InputEvent) -> DesktopState:
        del event
        return DesktopState(focused=True)

    def knows(self, event: InputEvent) -> bool:
        return event.key == "w"

    def emit(self, event: InputEvent, place: tuple[int, int] | None = None) -> None:
        del place
        if event.kind == "key_down":
            self._held.append(event.key)

    def settle(self) -> int:
        return now_ns()

    def sweep(self, *, everything: bool) -> tuple[str, ...]:
        del everything
        held, self._held = tuple(self._held), []
        return held

    def focus_target(self) -> None: ...

    def close(self) -> None:
        for end in self._line:
            end.close()


DESKTOP = ToyDesktop()
