"""The cost per frame of a bridged environment's window, against the environment's bare loop, and its rate."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from workshop.benchmarks.report import check, figure
from workshop.fixtures.cpu_time import cpu_seconds
from workshop.fixtures.environment_window import environment_window

ENV, RATE_HZ = "ALE/Pong-v5", 60.0
AIM_SHARE = 0.5
"""Share of a frame's time that the window may use as processor time."""
_SEED = 7
_WARM_STEPS, _PATIENCE_S = 30, 60.0


def environment_checks(*, quick: bool) -> list[dict[str, Any]]:
    """Measure both for some seconds.

    Raises:
        PitwallError: the environment did not start.
    """
    seconds = 4.0 if quick else 15.0
    rate_hz, window_ms = _window(seconds)
    bare_ms = _bare(round(seconds * RATE_HZ))
    return [
        check(
            f"rate of the window of {ENV}",
            "Hz",
            figure(rate_hz),
            aim=f"≥ {0.98 * RATE_HZ:.1f} Hz",
            met=rate_hz >= 0.98 * RATE_HZ,
        ),
        check(
            f"processor time of a frame of {ENV}",
            "ms",
            figure(window_ms),
            aim=f"≤ {1000 * AIM_SHARE / RATE_HZ:.1f} ms, half a frame",
            met=window_ms <= 1000 * AIM_SHARE / RATE_HZ,
            peer=("bare environment loop", bare_ms),
            ratio=window_ms / bare_ms,
        ),
    ]


def _window(seconds: float) -> tuple[float, float]:
    """Return frames per second, and milliseconds of processor time per frame."""
    with (
        tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder,
        environment_window(ENV, Path(folder), seed=_SEED) as window,
    ):
        until_s = time.monotonic() + _PATIENCE_S
        while window.steps < _WARM_STEPS:
            if time.monotonic() >= until_s or window.process.poll() is not None:
                raise PitwallError(f"{ENV} did not start: {window.last_words}", "installer/extra gym")
            time.sleep(0.05)
        pid = [window.process.pid]
        steps, began_s, cpu_s = window.steps, time.monotonic(), cpu_seconds(pid)
        time.sleep(seconds)
        frames, took_s = window.steps - steps, time.monotonic() - began_s
        return frames / took_s, 1000 * (cpu_seconds(pid) - cpu_s) / max(1, frames)


def _bare(steps: int) -> float:
    """Return milliseconds of processor time of a step with its picture, without a window."""
    from pitwall_environments.gym.environment import open_environment

    env = open_environment(ENV)
    env.reset(seed=_SEED)
    began_s = time.process_time()
    for _ in range(steps):
        env.step(0)
        env.render()
    took_s = time.process_time() - began_s
    env.close()
    return 1000 * took_s / steps
