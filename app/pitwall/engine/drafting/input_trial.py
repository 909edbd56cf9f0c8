"""Presses keys and clicks in a game that is being added, by brokers of its own, and measures what changed."""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from pitwall.core import injection
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

_READY_S = 20.0
"""A busy machine gives the focus, and the broker its answer, so late at most."""
_SILENCE_MS = 2_000
"""Of this process, before the broker brings every key up: it measures between two signs of life."""
_IDLE_S = 0.6
"""The game is watched so long before a press: what moves by itself is no effect. Half of that says where it
does, the other half how much changes elsewhere all the same."""
_LEAST_S, _MOST_S = 0.6, 3.0
"""After the press it is watched until its picture rests, within these bounds."""
_REST_S = 0.25
_LOOK_S = 0.03
_LEVELS = 24
"""A pixel has changed where a channel did by more than so many grey levels."""
_SPECK_PX, _AROUND_PX = 5, 31
"""Changes narrower than this are stars and sparks; so far around what moves by itself none is an effect."""
_SMALL_WIDTH = 240
HOLDS_MS = (150, 400)
"""A key that does nothing in its own time is held for longer ones, the shortest that shows is its own."""
_RESTED_S, _MOST_LOADING_S = 2.0, 15.0
"""A program that was started just now is given time until its picture stood for so long, at most so much."""
_FLAT = 3.0
"""Deviation in grey levels of a picture that shows nothing yet."""
_CLEAR = 1.5
"""An effect is so many times as large as what moves by itself."""
_LEAST_SHARE, _LEAST_FRESH = 0.05, 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Holds what a press did.

    Attributes:
        before, after: (height, width, 4) uint8, blue first: just before the press, and at rest after it; of a
            change that comes and goes, where it was greatest.
        change: visual change d between them (SPEC §1). idle: the greatest d without a press.
        share_percent, idle_percent: share of the pixels that changed, and that changed without a press.
        fresh_percent, idle_fresh_percent: the same where nothing moved by itself just before.
        took_s: until the picture came to rest.
    """

    before: Pixels
    after: Pixels
    change: float
    idle: float
    share_percent: float
    idle_percent: float
    took_s: float
    fresh_percent: float = 0.0
    idle_fresh_percent: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether more changed than changes by itself, or something where nothing moves by itself."""
        fresh = self.fresh_percent > _LEAST_FRESH + _CLEAR * self.idle_fresh_percent
        return fresh or self.share_percent > max(_LEAST_SHARE, _CLEAR * self.idle_percent)

    @property
    def words(self) -> str:
        """Say what was measured, for the operator."""
        what = f"{_percent(self.share_percent)} of the picture changed"
        if self.changed and self.share_percent <= _CLEAR * self.idle_percent:
            what += f", {_percent(self.fresh_percent)} where nothing moves by itself"
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

    def settle(self) -> None:
        """Wait until a program that was started just now shows something, and that stands still."""
        began_s = rest_s = time.monotonic()
        known = self._look()
        while (now_s := time.monotonic()) - began_s < _MOST_LOADING_S and now_s - rest_s < _RESTED_S:
            self._wait(10 * _LOOK_S)
            seen = self._look()
            if float(seen[:, :, :3].std()) < _FLAT or share_percent(known, seen) > _LEAST_SHARE:
                known, rest_s = seen, now_s

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

    def held(self, step: PassageStep) -> tuple[Trial, PassageStep]:
        """Press, and where that does nothing, longer and longer; with the step as short as it shows.

        Raises:
            PitwallError: as `press`.
        """
        first = self.press(step)
        if first.changed or not step.keys:
            return first, step
        for hold_ms in (one for one in HOLDS_MS if one > step.hold_ms):
            longer = step.model_copy(update={"hold_ms": hold_ms})
            tried = self.press(longer)
            if tried.changed:
                return tried, longer
        return first, step

    def close(self) -> None:
        """Let go of everything."""
        self._broker.close()
        self._line.close()

    def _tried(self, step: PassageStep) -> Trial:
        before = first = self._look()
        idle, idle_percent, idle_fresh = 0.0, 0.0, 0.0
        moves = _moved(first, first)
        began_s = time.monotonic()
        while (now_s := time.monotonic()) - began_s < _IDLE_S:
            self._wait(_LOOK_S)
            seen = self._look()
            if now_s - began_s < _IDLE_S / 2:
                before = seen
            else:
                idle_fresh = max(idle_fresh, _fresh_percent(before, seen, moves))
            moves |= _moved(first, seen)
            idle = max(idle, change(describe(seen), describe(first)))
            idle_percent = max(idle_percent, share_percent(first, seen))
        before = seen
        resolved = resolved_press(step, self._screen, (before.shape[1], before.shape[0]))
        began_s = time.monotonic()
        for timed in resolved.events:
            self._wait(timed.at_ms / 1000 - (time.monotonic() - began_s))
            self._inject(timed.event)
        least = max(_LEAST_SHARE, _CLEAR * idle_percent)
        after, rest_s, fresh = self._effect(before, began_s, idle, least, moves)
        return Trial(
            before=before,
            after=after,
            change=change(describe(after), describe(before)),
            idle=idle,
            share_percent=share_percent(before, after),
            idle_percent=idle_percent,
            took_s=rest_s - began_s,
            fresh_percent=fresh,
            idle_fresh_percent=idle_fresh,
        )

    def _effect(
        self, before: Pixels, began_s: float, idle: float, least: float, moves: Pixels
    ) -> tuple[Pixels, float, float]:
        """The picture once it changes no more than it did by itself, when that was, and the greatest change
        where nothing moved by itself, in percent, soon after the press.

        Args:
            least: a share in percent that is no effect; what rests so is shown as it changed most.
            moves: where something moved by itself, as `_moved`.
        """
        known, rest_s, most, fresh = before, began_s, (0.0, before), 0.0
        soon_s = time.monotonic() + _LEAST_S
        while (now_s := time.monotonic()) - began_s < _MOST_S:
            if now_s - rest_s >= _REST_S and now_s - began_s >= _LEAST_S:
                break
            self._wait(_LOOK_S)
            seen = self._look()
            most = max(most, (share_percent(before, seen), seen), key=lambda one: one[0])
            if now_s < soon_s:
                fresh = max(fresh, _fresh_percent(before, seen, moves))
            if change(describe(seen), describe(known)) > max(0.002, 2 * idle):
                known, rest_s = seen, time.monotonic()
        after = self._look()
        return (after if share_percent(before, after) > least else most[1]), rest_s, fresh

    def _look(self) -> Pixels:
        frame = self._view.fresh()
        if frame is None:
            raise PitwallError("The game's window shows no picture.", "Bring it back, then try again.")
        self._each(frame)
        return frame.pixels.copy()

    def _inject(self, event: Any) -> None:
        # A person asks for it: it answers to no picture, and is never late.
        batch = self._broker.inject((event,))
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
        self._broker.wait(seconds)
        said = self._broker.poll()
        for message in said:
            if isinstance(message, injection.FocusChanged):
                self._focus = message.holder
            if isinstance(message, injection.Latched):
                why = (message.detail or message.cause).removesuffix(".")
                raise PitwallError(f"It was stopped: {why}.", "Try it again.")
        return said


def share_percent(one: Pixels, other: Pixels) -> float:
    """The share of pixels that differ between two pictures, 0 … 100; all, where their sizes do."""
    if one.shape != other.shape:
        return 100.0
    return 100.0 * float(_moved(one, other).mean())


def _moved(one: Pixels, other: Pixels) -> Pixels:
    """Where two pictures differ, (height, width) of 0 and 1; everywhere, where their sizes do."""
    if one.shape != other.shape:
        return np.ones(one.shape[:2], np.uint8)
    differs = np.asarray(cv2.absdiff(one[:, :, :3], other[:, :, :3]), np.uint8).max(axis=2) > _LEVELS
    return np.asarray(differs, np.uint8)


def _fresh_percent(one: Pixels, other: Pixels, moves: Pixels) -> float:
    """The share of pixels that differ, 0 … 100, specks apart, away from where something moves by itself."""
    around = np.asarray(cv2.dilate(moves, np.ones((_AROUND_PX, _AROUND_PX), np.uint8)), np.bool_)
    speck = np.ones((_SPECK_PX, _SPECK_PX), np.uint8)
    solid = np.asarray(cv2.morphologyEx(_moved(one, other), cv2.MORPH_OPEN, speck), np.bool_)
    return 100.0 * float((solid & ~around).mean()) if solid.shape == around.shape else 0.0


def small_picture(pixels: Pixels) -> str:
    """A picture as a small PNG, base64: what stands for a screen in a game's folder."""
    height, width = pixels.shape[:2]
    size = (_SMALL_WIDTH, max(1, round(height * _SMALL_WIDTH / width)))
    small = pixels if width <= _SMALL_WIDTH else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".png", np.ascontiguousarray(small[:, :, :3]))[1]
    return base64.b64encode(data.tobytes()).decode("ascii")


def _percent(value: float) -> str:
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"
