"""Presses keys and clicks in a game that is being added, by brokers of its own, and measures what changed."""

from __future__ import annotations

import base64
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from pitwall.core import injection
from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.injection import FocusHolder
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.session.game_view import GameView
from pitwall.engine.session.passages import resolved_press
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.schema.passages import PassageStep
from pitwall.games.schema.profile import Screen

_READY_S = 5.0
_SILENCE_MS = 2_000
"""Of this process, before the broker brings every key up: it measures between two signs of life."""
_IDLE_S = 0.4
"""The game is watched so long before a press: what moves by itself is no effect."""
_LEAST_S, _MOST_S = 0.6, 3.0
"""After the press it is watched until its picture rests, within these bounds."""
_REST_S = 0.25
_LOOK_S = 0.03
_LEVELS = 24
"""A pixel has changed where a channel did by more than so many grey levels."""
_SMALL_WIDTH = 240
_CLEAR = 1.5
"""An effect is so many times as large as what moves by itself."""
_LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Holds what a press did.

    Attributes:
        before, after: (height, width, 4) uint8, blue first: just before the press, and at rest after it; of a
            change that comes and goes, where it was greatest.
        change: visual change d between them (SPEC §1). idle: the greatest d without a press.
        share_percent, idle_percent: share of the pixels that changed, and that changed without a press.
        took_s: until the picture came to rest.
    """

    before: Pixels
    after: Pixels
    change: float
    idle: float
    share_percent: float
    idle_percent: float
    took_s: float

    @property
    def changed(self) -> bool:
        """Whether more changed than changes by itself."""
        return self.share_percent > max(_LEAST_SHARE, _CLEAR * self.idle_percent)

    @property
    def words(self) -> str:
        """Say what was measured, for the operator."""
        what = f"{_percent(self.share_percent)} of the picture changed"
        idle = f"{_percent(self.idle_percent)} without a press"
        return f"{what} ({idle})" if self.changed else f"nothing clear: {what} ({idle})"


class InputTrial:
    """Tries inputs on the game in view.

    Args:
        screen: in whose pixels clicks are. data: its settings name the stop key.
        console_pids: processes that may hold the focus besides.
        each: called with each frame that is looked at meanwhile.
    """

    def __init__(
        self,
        view: GameView,
        screen: Screen,
        data: DataFolder,
        *,
        console_pids: tuple[int, ...] = (),
        each: Callable[[Frame], object] = lambda _: None,
    ) -> None:
        self._view = view
        self._screen = screen
        self._each = each
        self._pids = console_pids
        self._settings = load_settings(data.settings)
        self._line, far = socket.socketpair()
        self._broker = BrokerLink(stop_line=far, logs=data.logs, console_pids=console_pids)
        self._focus = FocusHolder.OTHER

    def press(self, step: PassageStep) -> Trial:
        """Press, and say what it did; takes a second or two.

        Raises:
            PitwallError: the game does not take the focus, the press was refused, or there is no picture.
        """
        self._broker.configure(
            injection.Configure(
                limits=self._settings.broker.model_copy(update={"heartbeat_ms": _SILENCE_MS}),
                hotkeys=self._settings.hotkeys,
                target=self._view.window,
                console_pids=self._pids,
                allowed_keys=tuple(step.keys),
                allow_mouse=step.click is not None,
            )
        )
        self._broker.focus_target()
        self._broker.rearm()
        try:
            self._until(lambda: self._focus is FocusHolder.GAME, "The game does not take the keyboard focus.")
            return self._tried(step)
        finally:
            self._broker.disarm()

    def close(self) -> None:
        """Let go of everything."""
        self._broker.close()
        self._line.close()

    def _tried(self, step: PassageStep) -> Trial:
        first = self._look()
        idle, idle_percent = 0.0, 0.0
        until_s = time.monotonic() + _IDLE_S
        before = first
        while time.monotonic() < until_s:
            self._wait(_LOOK_S)
            before = self._look()
            idle = max(idle, change(describe(before), describe(first)))
            idle_percent = max(idle_percent, share_percent(first, before))
        resolved = resolved_press(step, self._screen, (before.shape[1], before.shape[0]))
        began_s = time.monotonic()
        for timed in resolved.events:
            self._wait(timed.at_ms / 1000 - (time.monotonic() - began_s))
            self._inject(timed.event)
        least = max(_LEAST_SHARE, _CLEAR * idle_percent)
        after, rest_s = self._effect(before, began_s, idle, least)
        return Trial(
            before=before,
            after=after,
            change=change(describe(after), describe(before)),
            idle=idle,
            share_percent=share_percent(before, after),
            idle_percent=idle_percent,
            took_s=rest_s - began_s,
        )

    def _effect(self, before: Pixels, began_s: float, idle: float, least: float) -> tuple[Pixels, float]:
        """The picture once it changes no more than it did by itself, and when that was.

        Args:
            least: a share in percent that is no effect; what rests so is shown as it changed most.
        """
        known, rest_s, most = before, began_s, (0.0, before)
        while (now_s := time.monotonic()) - began_s < _MOST_S:
            if now_s - rest_s >= _REST_S and now_s - began_s >= _LEAST_S:
                break
            self._wait(_LOOK_S)
            seen = self._look()
            most = max(most, (share_percent(before, seen), seen), key=lambda one: one[0])
            if change(describe(seen), describe(known)) > max(0.002, 2 * idle):
                known, rest_s = seen, time.monotonic()
        after = self._look()
        return (after if share_percent(before, after) > least else most[1]), rest_s

    def _look(self) -> Pixels:
        frame = self._view.fresh()
        if frame is None:
            raise PitwallError("The game's window shows no picture.", "Bring it back, then try again.")
        self._each(frame)
        return frame.pixels.copy()

    def _inject(self, event: Any) -> None:
        batch = self._broker.inject((event,), now_ns())
        answer: list[Any] = []

        def answered() -> bool:
            return any(isinstance(one, injection.Receipt) and one.batch == batch for one in answer)

        self._until(answered, "The broker does not answer.", answer)
        refused = [
            one.refused for said in answer if isinstance(said, injection.Receipt) for one in said.events
        ]
        if any(refused):
            raise PitwallError(f"The press was refused ({next(filter(None, refused))}).", "Try it again.")

    def _until(self, holds: Callable[[], bool], otherwise: str, heard: list[Any] | None = None) -> None:
        until_s = time.monotonic() + _READY_S
        while not holds():
            if time.monotonic() > until_s:
                raise PitwallError(otherwise, "Click into the game once, then try again.")
            said = self._listen(0.02)
            if heard is not None:
                heard += said

    def _wait(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while (left_s := until_s - time.monotonic()) > 0:
            self._listen(min(left_s, 0.03))

    def _listen(self, seconds: float) -> list[Any]:
        self._broker.heartbeat()
        select.select(self._broker.filenos(), [], [], seconds)
        said = self._broker.poll()
        for message in said:
            if isinstance(message, injection.FocusChanged):
                self._focus = message.holder
            if isinstance(message, injection.Latched):
                raise PitwallError(f"It was stopped: {message.detail or message.cause}.", "Try it again.")
        return said


def share_percent(one: Pixels, other: Pixels) -> float:
    """The share of pixels that differ between two pictures, 0 … 100; all, where their sizes do."""
    if one.shape != other.shape:
        return 100.0
    return 100.0 * float((cv2.absdiff(one[:, :, :3], other[:, :, :3]).max(axis=2) > _LEVELS).mean())


def small_picture(pixels: Pixels) -> str:
    """A picture as a small PNG, base64: what stands for a screen in a game's folder."""
    height, width = pixels.shape[:2]
    size = (_SMALL_WIDTH, max(1, round(height * _SMALL_WIDTH / width)))
    small = pixels if width <= _SMALL_WIDTH else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".png", np.ascontiguousarray(small[:, :, :3]))[1]
    return base64.b64encode(data.tobytes()).decode("ascii")


def _percent(value: float) -> str:
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"
