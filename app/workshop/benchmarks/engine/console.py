"""Measures the cost of watching: the loop with the console drawing everything, against headless.

The same moving window is played both ways in alternating blocks on one screen. The console runs in its own
process, as the operator's does; its live view's rate counts painted frames.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from workshop.benchmarks.engine.motion_play import Played, play_headless, play_in_console
from workshop.benchmarks.report import check, figure, load_average, report

_MOST_RATIO = 1.1
_LEAST_FPS = 55.0


def run(*, quick: bool) -> dict[str, Any]:
    """Play blocks both ways; percentiles are medians over the blocks, because single blocks are noisy."""
    blocks, seconds = (2, 4.0) if quick else (7, 12.0)
    headless: list[Played] = []
    watched: list[Played] = []
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        for _ in range(blocks):
            headless.append(play_headless(Path(scratch), seconds))
            watched.append(play_in_console(Path(scratch), seconds))
    ours, alone = _loop(watched), _loop(headless)
    ratio = ours["p99"] / alone["p99"]
    live_fps = sum(played.live_frames for played in watched) / _seconds(watched)
    return report(
        "console",
        [
            check(
                "loop time, console drawing",
                "ms",
                ours,
                peer=("headless", alone["p50"]),
                ratio=ratio,
                aim=f"p99 ≤ {_MOST_RATIO:g}× headless p99",
                met=ratio <= _MOST_RATIO,
            ),
            check(
                "live view",
                "Hz",
                figure(live_fps),
                aim=f"≥ {_LEAST_FPS:.0f} frames/s painted",
                met=live_fps >= _LEAST_FPS,
            ),
        ],
        headless_ms=alone,
        captured_hz={"headless": _captured_hz(headless), "console": _captured_hz(watched)},
        blocks=blocks,
        seconds_each=seconds,
        window="960×540 px at 60 Hz",
        drawn_by="Qt's raster engine onto the same screen that the game draws on",
        load_average=load_average(),
    )


def _loop(plays: Sequence[Played]) -> dict[str, Any]:
    spreads = [played.summary.loop_ms for played in plays]
    medians = {key: median(getattr(each, key) for each in spreads) for key in ("p50", "p95", "p99")}
    return {**medians, "n": sum(each.n for each in spreads)}


def _captured_hz(plays: Sequence[Played]) -> float:
    return sum(played.summary.frames for played in plays) / _seconds(plays)


def _seconds(plays: Sequence[Played]) -> float:
    return sum(played.summary.seconds for played in plays)
