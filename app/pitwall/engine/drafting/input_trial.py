"""Tries keys and clicks in a game that is being added, and measures the change of its picture."""

from __future__ import annotations

import base64
import contextlib
import math
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from pitwall.core import injection
from pitwall.core.actions import InputEvent
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.injection import FocusHolder
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.action.effect import FRAMES_HELD
from pitwall.engine.session.game_view import GameView
from pitwall.engine.session.passages import resolved_press
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.games.schema.passages import PassageStep
from pitwall.games.schema.profile import Screen

_READY_S = 20.0
"""Longest wait on a busy machine for the focus and the broker's answer."""
_SILENCE_MS = 2_000
"""Silence of this process after which the broker releases every key: it measures between heartbeats."""
_IDLE_S = 0.6
"""The game is watched this long before a press, because motion of its own is no effect. The first half shows
where it moves, the second half how much changes elsewhere."""
_LEAST_S, _MOST_S = 0.6, 3.0
"""Bounds of the time that the game is watched after the press, until its picture rests."""
_REST_S = 0.25
_LOOK_S = 0.03
_LEVELS = 24
"""A pixel has changed if a channel changed by more than this many levels."""
_SPECK_PX, _AROUND_PX = 5, 31
"""Width below which a change is a star or spark; distance from own motion within which no change counts."""
_SMALL_WIDTH = 240
HOLDS_MS = (150, 400)
"""Longer holds for a key without effect; the shortest hold with an effect becomes the key's own."""
_PRESSES = 3
"""A hold is as long as it must be if so many presses in a row have an effect."""
_MOST_HOLD_MS = 1_000
_SPARE = 1.5
"""A hold that was needed becomes so many times as long: it worked three times, perhaps by luck."""
_LONG_FRAME_MS = 250.0
"""Frames that take longer may be no frames of its loop: a usual press is tried first."""
_FRAMES_S, _MOST_FRAMES_S, _FRAME_LOOK_S, _LEAST_FRAMES = 1.5, 4.0, 0.005, 5
"""Time in which the game's frames are counted, and the fewest that tell how fast it draws."""
_RESTED_S, _MOST_LOADING_S = 2.0, 15.0
"""A new program gets time until its picture rested for this long, and at most that long."""
_FLAT = 3.0
"""Standard deviation in levels below which a picture shows nothing yet."""
_CLEAR = 1.5
"""Least ratio of an effect to the game's own motion."""
_LEAST_SHARE, _LEAST_FRESH = 0.05, 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The effect of a press.

    Attributes:
        before, after: (height, width, 4) uint8, blue first: just before the press, and at rest after it; for
            a passing change, at its greatest.
        change: visual change d between them (SPEC §1). idle: the greatest d without a press.
        share_percent, idle_percent: share of the pixels that changed, and that changed without a press.
        fresh_percent, idle_fresh_percent: the same where nothing moved just before.
        took_s: time until the picture came to rest.
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
        """Return whether the change exceeds the game's own motion, or lies where nothing moved."""
        fresh = self.fresh_percent > _LEAST_FRESH + _CLEAR * self.idle_fresh_percent
        return fresh or self.share_percent > max(_LEAST_SHARE, _CLEAR * self.idle_percent)

    @property
    def words(self) -> str:
        """Return the measurement in words for the operator."""
        words = f"{_percent(self.share_percent)} of the picture changed"
        if self.changed and self.share_percent <= _CLEAR * self.idle_percent:
            words += f", {_percent(self.fresh_percent)} where nothing moves by itself"
        idle = f"{_percent(self.idle_percent)} without a press"
        return f"{words} ({idle})" if self.changed else f"no clear effect: {words} ({idle})"


class InputTrial:
    """Tries inputs on the game in view.

    Args:
        screen: clicks are in its pixels. data: its settings name the stop key.
        console_pids: other processes that may have the focus.
        each: called with each frame meanwhile.

    Attributes:
        shortest_hold_ms: hold that the game sees at the rate of its frames; 0 where that is not known.
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
        self._frame_ms: float | None = None
        self.shortest_hold_ms = 0

    def settle(self) -> None:
        """Wait until a new program shows a picture that rests."""
        began_s = rest_s = time.monotonic()
        known = self.look()
        while (now_s := time.monotonic()) - began_s < _MOST_LOADING_S and now_s - rest_s < _RESTED_S:
            self.wait(10 * _LOOK_S)
            seen = self.look()
            if float(seen[:, :, :3].std()) < _FLAT or share_percent(known, seen) > _LEAST_SHARE:
                known, rest_s = seen, now_s

    def press(self, step: PassageStep) -> Trial:
        """Press, and return the effect; takes a second or two.

        Raises:
            PitwallError: the game does not take the focus, the press was refused, or there is no picture.
        """
        with self.armed(step.keys, mouse=step.click is not None):
            return self._tried(step)

    @contextlib.contextmanager
    def armed(self, keys: Sequence[str], *, mouse: bool) -> Iterator[None]:
        """Let these keys, or the mouse, through to the game while the block lasts."""
        self._broker.configure(
            injection.Configure(
                limits=replace(self._settings.broker.as_limits(), heartbeat_ms=_SILENCE_MS),
                hotkeys=self._settings.hotkeys.as_chords(),
                target=self._view.window,
                console_pids=self._pids,
                allowed_keys=tuple(keys),
                allow_mouse=mouse,
            )
        )
        self._broker.focus_target()
        self._broker.rearm()
        try:
            self._until(lambda: self._focus is FocusHolder.GAME, "The game does not take the keyboard focus.")
            yield
        finally:
            self._broker.disarm()

    def held(self, step: PassageStep) -> tuple[Trial, PassageStep]:
        """Press a few times, and longer where a press has no effect; return the hold with the most effects.

        A game that looks at its keys once a frame misses shorter presses now and then: none is shorter than
        one and a half of its frames.

        Raises:
            PitwallError: as `press`.
        """
        frames_ms = self._least_hold_ms()
        least_ms = max(step.hold_ms, frames_ms)
        slow = self._frame_ms is not None and self._frame_ms > _LONG_FRAME_MS
        holds = sorted({least_ms, *HOLDS_MS, *([step.hold_ms] if slow else [])})
        first, best, most = None, step.model_copy(update={"hold_ms": least_ms}), 0
        for hold_ms in (hold_ms for hold_ms in holds if hold_ms >= (step.hold_ms if slow else least_ms)):
            longer = step.model_copy(update={"hold_ms": hold_ms})
            effects = list(self._effects(longer))
            seen = sum(tried.changed for tried in effects)
            if first is None or seen > most:
                first, best, most = effects[0], longer if seen else best, seen
            if seen == _PRESSES:
                break
        assert first is not None
        if most and best.hold_ms > least_ms:
            best = best.model_copy(update={"hold_ms": min(_MOST_HOLD_MS, round(_SPARE * best.hold_ms))})
        self.shortest_hold_ms = max(self.shortest_hold_ms, min(frames_ms, best.hold_ms))
        return first, best

    def _effects(self, step: PassageStep) -> Iterator[Trial]:
        """Press several times, until a press has no effect."""
        for _ in range(_PRESSES):
            tried = self.press(step)
            yield tried
            if not tried.changed:
                return

    def _least_hold_ms(self) -> int:
        """Return one and a half of the game's frames, where it draws often enough to be measured; else 0."""
        if self._frame_ms is None:
            times_s: list[float] = []
            began_s = time.monotonic()
            while (took_s := (now_s := time.monotonic()) - began_s) < _MOST_FRAMES_S:
                if took_s >= _FRAMES_S and not _LEAST_FRAMES >= len(times_s) > 1:
                    break
                if self._view.take() is not None:
                    times_s.append(now_s)
                self.wait(_FRAME_LOOK_S)
            steady = len(times_s) > _LEAST_FRAMES
            gaps_s = [after - before for before, after in pairwise(times_s)]
            self._frame_ms = 1000 * statistics.median(gaps_s) if steady else 0.0
        return min(_MOST_HOLD_MS, math.ceil(FRAMES_HELD * self._frame_ms / 10) * 10)

    def close(self) -> None:
        """End the brokers."""
        self._broker.close()
        self._line.close()

    def _tried(self, step: PassageStep) -> Trial:
        before = first = self.look()
        idle, idle_percent, idle_fresh = 0.0, 0.0, 0.0
        moves = _moved(first, first)
        began_s = time.monotonic()
        while (now_s := time.monotonic()) - began_s < _IDLE_S:
            self.wait(_LOOK_S)
            seen = self.look()
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
            self.wait(timed.at_ms / 1000 - (time.monotonic() - began_s))
            self.inject(timed.event)
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
        """Return the picture at rest, the time of it, and the greatest early change in percent where
        nothing moved before.

        Args:
            least: share in percent that is no effect; then the picture with the greatest change is returned.
            moves: where something moved by itself, as `_moved`.
        """
        known, rest_s, most, fresh = before, began_s, (0.0, before), 0.0
        soon_s = time.monotonic() + _LEAST_S
        while (now_s := time.monotonic()) - began_s < _MOST_S:
            if now_s - rest_s >= _REST_S and now_s - began_s >= _LEAST_S:
                break
            self.wait(_LOOK_S)
            seen = self.look()
            most = max(most, (share_percent(before, seen), seen), key=lambda shared: shared[0])
            if now_s < soon_s:
                fresh = max(fresh, _fresh_percent(before, seen, moves))
            if change(describe(seen), describe(known)) > max(0.002, 2 * idle):
                known, rest_s = seen, time.monotonic()
        after = self.look()
        return (after if share_percent(before, after) > least else most[1]), rest_s, fresh

    def look(self) -> Pixels:
        """Return the game's picture now."""
        frame = self._view.fresh()
        if frame is None:
            raise PitwallError("The game's window shows no picture.", "Bring it back, then try again.")
        self._each(frame)
        return frame.pixels.copy()

    def inject(self, event: InputEvent) -> None:
        """Inject one event, inside `armed`, and wait for the broker's answer."""
        # A person asks for it: it belongs to no frame, and is never late.
        batch = self._broker.inject((event,))
        receipts: list[injection.Receipt] = []

        def answered() -> bool:
            return any(receipt.batch == batch for receipt in receipts)

        self._until(answered, "The broker does not answer.", receipts)
        for sent in (sent for receipt in receipts for sent in receipt.events):
            if sent.refused:
                raise PitwallError(f"The press was refused ({sent.refused}).", "Try it again.")

    def _until(
        self, holds: Callable[[], bool], otherwise: str, receipts: list[injection.Receipt] | None = None
    ) -> None:
        until_s = time.monotonic() + _READY_S
        while not holds():
            if time.monotonic() > until_s:
                raise PitwallError(otherwise, "Click into the game once, then try again.")
            messages = self._listen(0.02)
            if receipts is not None:
                receipts += [message for message in messages if isinstance(message, injection.Receipt)]

    def wait(self, seconds: float) -> None:
        """Wait, and keep the broker alive meanwhile."""
        until_s = time.monotonic() + seconds
        while (left_s := until_s - time.monotonic()) > 0:
            self._listen(min(left_s, 0.03))

    def _listen(self, seconds: float) -> list[Any]:
        self._broker.heartbeat()
        self._broker.wait(seconds)
        messages = self._broker.poll()
        for message in messages:
            if isinstance(message, injection.FocusChanged):
                self._focus = message.holder
            if isinstance(message, injection.Latched):
                why = (message.detail or message.cause).removesuffix(".")
                raise PitwallError(f"It was stopped: {why}.", "Try it again.")
        return messages


def share_percent(before: Pixels, after: Pixels) -> float:
    """Return the share of pixels that differ between two pictures, 0 … 100; 100 if their sizes differ."""
    return 100.0 * float(_moved(before, after).mean())


def _moved(before: Pixels, after: Pixels) -> Pixels:
    """Return where two pictures differ, (height, width) of 0 and 1; everywhere if their sizes differ."""
    if before.shape != after.shape:
        return np.ones(before.shape[:2], np.uint8)
    differs = np.asarray(cv2.absdiff(before[:, :, :3], after[:, :, :3]), np.uint8).max(axis=2) > _LEVELS
    return np.asarray(differs, np.uint8)


def _fresh_percent(before: Pixels, after: Pixels, moves: Pixels) -> float:
    """Return the share of changed pixels, 0 … 100, without specks and away from the game's own motion."""
    around = np.asarray(cv2.dilate(moves, np.ones((_AROUND_PX, _AROUND_PX), np.uint8)), np.bool_)
    speck = np.ones((_SPECK_PX, _SPECK_PX), np.uint8)
    solid = np.asarray(cv2.morphologyEx(_moved(before, after), cv2.MORPH_OPEN, speck), np.bool_)
    return 100.0 * float((solid & ~around).mean()) if solid.shape == around.shape else 0.0


def small_picture(pixels: Pixels) -> str:
    """Return a picture as a small PNG, base64, as a game's folder keeps the picture of a screen."""
    height, width = pixels.shape[:2]
    size = (_SMALL_WIDTH, max(1, round(height * _SMALL_WIDTH / width)))
    small = pixels if width <= _SMALL_WIDTH else cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    data = cv2.imencode(".png", np.ascontiguousarray(small[:, :, :3]))[1]
    return base64.b64encode(data.tobytes()).decode("ascii")


def _percent(value: float) -> str:
    return f"{value:.0f} %" if value >= 10 or value == 0 else f"{value:.1f} %"
