"""`scale`: every page of the console on a data folder of years, beside an empty one, in a real window.

The folder has 5,000 runs, 5 million steps, a run of ten hours at 30 Hz with a step for each frame, a million
memory entries and 200 GB of films (quick: a tenth of all). Films of ordinary runs are sparse files: they have
their size, and take no room. The folder is deleted afterwards.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import typer

from pitwall.core.paths import DataFolder, default_data_dir
from workshop.benchmarks.report import check, figure, load_average, report
from workshop.fixtures.large_folder.making import folder_size, make_large_folder

_MOST_S, _MOST_MB = 1.0, 300.0
_MOST_WAIT_S = 3_600


def run(*, quick: bool) -> dict[str, Any]:
    """Make the folder, and open every page on it and on an empty one."""
    size = folder_size(0.1 if quick else 1.0)
    place = default_data_dir() / "benches"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="scale-", dir=place) as scratch:
        large, empty = Path(scratch, "large"), Path(scratch, "empty")
        empty.mkdir()
        large.mkdir()
        began = time.monotonic()
        make_large_folder(DataFolder(large), size)
        made_s = time.monotonic() - began
        room_mb = sum(file.stat().st_blocks * 512 for file in large.rglob("*")) / 1e6
        typer.echo(f"made in {made_s:.0f} s, {room_mb:,.0f} MB on the disk", err=True)
        _open_pages(empty)  # bytecode is written
        alone, ours = _open_pages(empty), _open_pages(large)
    checks = [_check(view, ours[view], alone[view]) for view in ours]
    most = max(opened["pss_mb"] for opened in ours.values())
    checks.append(
        check(
            "memory, every page open",
            "MB",
            figure(most),
            aim=f"≤ {_MOST_MB:.0f} MB",
            met=most <= _MOST_MB,
            peer=("empty folder", max(opened["pss_mb"] for opened in alone.values())),
        )
    )
    return report(
        "scale",
        checks,
        runs=size.runs,
        steps=size.steps,
        long_run_frames=size.long_frames,
        memory_entries=size.entries,
        video_bytes=size.video_bytes,
        video="sparse files; only the long run's film has all its pictures",
        room_mb=round(room_mb),
        made_s=round(made_s),
        opened=ours,
        opened_empty=alone,
        load_average=load_average(),
    )


def _open_pages(data: Path) -> dict[str, dict[str, Any]]:
    """Return each view's figures, by name."""
    words = [sys.executable, "-m", "workshop.benchmarks.engine.scale_window", "--data", str(data)]
    output = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=_MOST_WAIT_S)
    opened = [json.loads(line) for line in output.stdout.splitlines()]
    return {figures.pop("view"): figures for figures in opened}


def _check(view: str, ours: dict[str, Any], alone: dict[str, Any]) -> dict[str, Any]:
    """Compare a view's time until it was whole with the same view of an empty folder."""
    took_s, alone_s = max(ours["first_s"], ours["whole_s"]), max(alone["first_s"], alone["whole_s"])
    return check(
        view,
        "s",
        figure(took_s),
        aim=f"≤ {_MOST_S:g} s",
        met=took_s <= _MOST_S,
        peer=("empty folder", alone_s),
        ratio=took_s / alone_s if alone_s else None,
    )
