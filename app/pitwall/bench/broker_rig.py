"""Real brokers before a real SDL window with a simulated person: what broker benchmarks and tests use."""

from __future__ import annotations

import os
import select
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pitwall.bench.hands import Hands
from pitwall.bench.key_window import KeyWindow, Seen
from pitwall.core import injection
from pitwall.core.actions import InputEvent
from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import FocusHolder
from pitwall.core.settings import BrokerSettings, HotkeySettings
from pitwall.engine.broker_link import BrokerLink

Message = TypeVar("Message")

PATIENCE_S = 15.0
"""Longer than anything here takes on a busy machine."""
_KEYS = ("w", "a", "s", "d", "q", "e", "r", "f", "Shift", "Control", "Alt", "Space", "F4", "Tab", "Meta")


class BrokerRig:
    """A window, a person, and an engine's end of two brokers, on the screen in $DISPLAY.

    Attributes:
        said: everything the brokers said, oldest first. seen: everything that reached the window.
    """

    def __init__(self, *, stop_line: socket.socket | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pitwall-rig-")
        self.said: list[Any] = []
        self.seen: list[Seen] = []
        self.window = KeyWindow()
        self.hands = Hands()
        self.link = BrokerLink(stop_line=stop_line, logs=Path(self._folder.name))

    @property
    def target(self) -> WindowRef:
        return WindowRef(
            native_id=self.window.window_id,
            pid=self.window.pid,
            title="key window",
            wm_class="",
            rect=Rect(0, 0, 320, 240),
        )

    def configure(
        self,
        limits: BrokerSettings | None = None,
        *,
        hotkeys: HotkeySettings | None = None,
        console_pids: tuple[int, ...] = (),
        keys: tuple[str, ...] = _KEYS,
        mouse: bool = True,
        target: WindowRef | None = None,
        person: bool = False,
    ) -> None:
        """Aim the brokers at the window."""
        self.link.configure(
            injection.Configure(
                limits=limits or BrokerSettings(),
                hotkeys=hotkeys or HotkeySettings(),
                target=target or self.target,
                console_pids=console_pids,
                allowed_keys=keys,
                allow_mouse=mouse,
                person=person,
            )
        )

    def arm(self, limits: BrokerSettings | None = None, **options: Any) -> None:
        """Configure, hand the focus to the game, arm; both brokers are there when this returns."""
        self.until(lambda: any(ready.standby for ready in self.all_said(injection.Ready)))
        before_ns = now_ns()
        self.configure(limits, **options)
        self.until(lambda: any(told.at_ns > before_ns for told in self.all_said(injection.FocusChanged)))
        self.focus_game()
        self.link.rearm()

    def focus_game(self) -> None:
        """Give the game the focus and wait until the broker knows."""
        self.link.focus_target()
        self.until(lambda: self.last_said(injection.FocusChanged).holder is FocusHolder.GAME)

    def press(self, *keys: str, observed_ns: int = 0) -> injection.Receipt:
        """Press keys as one batch; returns what became of it."""
        return self.inject(*(InputEvent(kind="key_down", key=key) for key in keys), observed_ns=observed_ns)

    def release(self, *keys: str) -> injection.Receipt:
        return self.inject(*(InputEvent(kind="key_up", key=key) for key in keys))

    def inject(self, *events: InputEvent, observed_ns: int = 0) -> injection.Receipt:
        """Inject one batch and wait for its receipt."""
        batch = self.link.inject(events, observed_ns)
        return self.until(
            lambda: next((r for r in self.all_said(injection.Receipt) if r.batch == batch), None)
        )

    def pump(self, timeout_s: float = 0.01) -> None:
        """One turn of a loop such as the engine's: beat, wait, listen."""
        self.link.heartbeat()
        select.select(self.link.filenos(), [], [], timeout_s)
        self.said += self.link.poll()
        self.seen += self.window.events()

    def until(self, probe: Callable[[], Message | None], *, timeout_s: float = PATIENCE_S) -> Message:
        """Turn until the probe gives something true; returns it.

        Raises:
            PitwallError: it did not happen in time; says what was heard instead.
        """
        deadline = time.monotonic() + timeout_s
        while not (found := probe()):
            if time.monotonic() > deadline:
                raise PitwallError(f"it did not happen. Said: {self.said[-8:]}. Seen: {self.seen[-8:]}.")
            self.pump()
        return found

    def pump_for(self, seconds: float) -> None:
        """Turn for a while, for what must not happen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.pump()

    def all_said(self, kind: type[Message]) -> list[Message]:
        return [message for message in self.said if isinstance(message, kind)]

    def last_said(self, kind: type[Message]) -> Message:
        return self.all_said(kind)[-1]

    def latched(self) -> injection.Latched:
        """Wait for the next (not yet taken) latch, and take it."""
        latch = self.until(lambda: next(iter(self.all_said(injection.Latched)), None))
        self.said.remove(latch)
        return latch

    def events(self, kind: str, key: str = "") -> list[Seen]:
        """What reached the window, of one kind."""
        return [event for event in self.seen if event.kind == kind and key in ("", event.key)]

    def forget(self) -> None:
        """Forget what the window saw, and what was said but who is ready and who has the focus."""
        self.seen.clear()
        lasting = (injection.Ready, injection.FocusChanged)
        self.said = [message for message in self.said if isinstance(message, lasting)]

    def kill_broker(self) -> None:
        """SIGKILL the broker on duty."""
        os.kill(self.link.pid, 9)

    def close(self) -> None:
        self.link.close()
        self.hands.close()
        self.window.close()
        self._folder.cleanup()
