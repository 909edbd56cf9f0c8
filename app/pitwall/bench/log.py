"""What recording costs the loop: handing over to the recorder, against all the time the loop works."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pitwall.bench.motion_game import TITLE, make_game
from pitwall.bench.report import check, figure, report
from pitwall.core import commands
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.link.autoplay import AutoPlay
from pitwall.link.session import EngineSession
from pitwall.store.run_reader import RunReader


def run(*, quick: bool) -> dict[str, Any]:
    """Play a 60 Hz window, with step images kept."""
    seconds = 15.0 if quick else 60.0
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        data = DataFolder(Path(scratch) / "data")
        summary, run_id = _play(data, make_game(Path(scratch)), seconds)
        with contextlib.closing(RunReader.open(data)) as reader:
            writing_ms = sum(step.timings.record_ms for step in reader.steps(run_id))
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
                aim="≤ 1 %",
                met=share <= 1.0,
            )
        ],
        seconds=summary.seconds,
        frames=summary.frames,
        steps=summary.steps,
        loop_busy_ms=summary.busy_ms,
        handing_over_ms=summary.recording_ms,
        writing_ms=writing_ms,
    )


def _play(data: DataFolder, game: Path, seconds: float) -> tuple[RunSummary, int]:
    window = subprocess.Popen([sys.executable, "-m", "pitwall.bench.motion_window", "--title", TITLE])
    autoplay = AutoPlay(commands.Start(seconds=seconds))
    session = EngineSession(data, commands.Open(game=str(game), launch=False))
    try:
        while not autoplay.done:
            for record in session.wait(0.5):
                for command in autoplay.react(record):
                    session.send(command)
    finally:
        session.close()
        window.kill()
        window.wait()
    result = autoplay.result
    assert result.summary is not None, result.last_state
    assert result.run_id is not None
    return result.summary, result.run_id
