"""The event trigger on 1080p frames, against SPEC §1 rendered plainly with Pillow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.signals import Failure, Thresholds
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.engine.trigger.event_trigger import EventTrigger
from workshop.benchmarks.report import check, report, spread

_WIDTH, _HEIGHT = 1920, 1080
_FRAMES = 8
_QUICK_ROUNDS, _ROUNDS = 25, 200
_MOST_MS, _LEAST_RATIO, _MOST_ERROR = 0.3, 10.0, 0.01

_Signal = Callable[[Pixels], float]


def run(*, quick: bool) -> dict[str, Any]:
    """Time both in turns on the same frames, and compare their changes."""
    frames, captured = _frames(), np.empty((_HEIGHT, _WIDTH, 4), np.uint8)
    ours, peer = _Timed(_ours()), _Timed(_pillow())
    for _ in range(1 + (_QUICK_ROUNDS if quick else _ROUNDS)):
        for side in (ours, peer):
            for frame in frames:
                np.copyto(captured, frame)  # as capture writes a frame just before it is looked at
                side.look(captured)
    ours_ms, peer_ms = ours.took_ms[_FRAMES:], peer.took_ms[_FRAMES:]  # the first round fills caches
    errors = [abs(a - b) for a, b in zip(ours.changes, peer.changes, strict=True)]
    speed, peer_p50, error = spread(ours_ms), spread(peer_ms)["p50"], spread(errors)
    ratio, worst = peer_p50 / speed["p50"], max(errors)
    return report(
        "trigger",
        [
            check(
                "full trigger",
                "ms",
                speed,
                aim="≤ 0.3 ms (p50), ≥ 10×",
                met=speed["p50"] <= _MOST_MS and ratio >= _LEAST_RATIO,
                peer=("Pillow", peer_p50),
                ratio=ratio,
            ),
            check(
                "difference in d", "", {**error, "max": worst}, aim="≤ 0.01 (max)", met=worst <= _MOST_ERROR
            ),
        ],
        frame=f"{_WIDTH}×{_HEIGHT} BGRX, {_FRAMES} frames of a drawn scene in turn",
        ours="describe, change, watch, step and action of every frame",
        cv2_threads=cv2.getNumThreads(),
    )


class _Timed:
    """A way to compute the change of each frame, with its results and times."""

    def __init__(self, signal: _Signal) -> None:
        self._signal = signal
        self.changes: list[float] = []
        self.took_ms: list[float] = []

    def look(self, frame: Pixels) -> None:
        started = time.perf_counter()
        signal = self._signal(frame)
        self.took_ms.append((time.perf_counter() - started) * 1e3)
        self.changes.append(signal)


def _ours() -> _Signal:
    trigger = EventTrigger(Thresholds())
    previous: NDArray[np.float32] | None = None
    step = 0

    def signal(frame: Pixels) -> float:
        nonlocal previous, step
        step += 1
        descriptor = describe(frame)
        value = change(descriptor, previous)
        trigger.interrupts(value)
        decision = trigger.step(change=value, progress=step // 3, failure=Failure.NONE, requested=False)
        if decision.escalate:
            trigger.planned()
        trigger.acted("walk" if step % 4 else "turn")
        previous = descriptor
        return value

    return signal


def _pillow() -> _Signal:
    try:
        from PIL import Image
    except ImportError:
        raise PitwallError("Pillow, the peer, is not installed.", "Run: pip install pillow.") from None

    previous: NDArray[np.float32] | None = None

    def signal(frame: Pixels) -> float:
        nonlocal previous
        height, width = frame.shape[:2]
        picture = Image.frombuffer("RGB", (width, height), frame, "raw", "BGRX", 0, 1).convert("L")
        small = picture.resize((32, 32), Image.Resampling.BILINEAR)
        values = np.asarray(small, np.float32).ravel() / 255.0
        values = values - values.mean()
        length = float(np.linalg.norm(values))
        descriptor = values / length if length else values
        value = 0.0 if previous is None else 1.0 - float(descriptor @ previous)
        previous = descriptor
        return value

    return signal


def _frames() -> list[Pixels]:
    """Render a textured room in perspective, turning, with moving things and a bar at the bottom."""
    rng = np.random.default_rng(7)
    tiles = rng.integers(20, 180, (68, 180, 3), dtype=np.uint8)
    wall = cv2.resize(tiles, (_WIDTH * 3 // 2, _HEIGHT), interpolation=cv2.INTER_NEAREST)
    grain = rng.integers(0, 24, (_HEIGHT, _WIDTH, 3), dtype=np.uint8)
    shade = np.abs(np.linspace(-1, 1, _HEIGHT)).reshape(-1, 1, 1)
    frames: list[Pixels] = []
    for number in range(_FRAMES):
        view = (wall[:, number * 60 : number * 60 + _WIDTH] * (0.4 + 0.6 * shade)).astype(np.uint8) + grain
        picture = np.ascontiguousarray(view)
        cv2.circle(picture, (300 + number * 150, 560), 120, (30, 60, 200), -1)
        cv2.rectangle(picture, (0, 950), (_WIDTH, _HEIGHT), (60, 60, 60), -1)
        cv2.putText(picture, f"{100 - number}%", (200, 1050), cv2.FONT_HERSHEY_SIMPLEX, 3, (0, 0, 200), 8)
        frames.append(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8))
    return frames
