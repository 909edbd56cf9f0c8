"""Measures the cost of recording: handing over to the recorder, against all the loop's working time.

A thread beside the loop does the writing; the peer measures its cost inside the loop.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from workshop.benchmarks.engine.motion_play import play_headless
from workshop.benchmarks.report import check, figure, report

_MOST_PERCENT = 1.0


def run(*, quick: bool) -> dict[str, Any]:
    """Play a 60 Hz window, with step images kept."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        played = play_headless(Path(scratch), seconds=15.0 if quick else 60.0)
    summary = played.summary
    writing_ms = sum(step.timings.record_ms for step in played.steps)
    share = 100.0 * summary.recording_ms / summary.busy_ms
    inline = 100.0 * writing_ms / (summary.busy_ms + writing_ms)
    return report(
        "log",
        [
            check(
                "share of loop time spent recording",
                "%",
                figure(share),
                peer=("writing inside the loop", inline),
                ratio=share / inline if inline else None,
                aim=f"≤ {_MOST_PERCENT:g} %",
                met=share <= _MOST_PERCENT,
            )
        ],
        seconds=summary.seconds,
        frames=summary.frames,
        steps=summary.steps,
        loop_busy_ms=summary.busy_ms,
        handing_over_ms=summary.recording_ms,
        writing_ms=writing_ms,
    )
