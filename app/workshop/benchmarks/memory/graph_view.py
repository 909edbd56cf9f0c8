"""The memory's graph at ten thousand states: how soon it appears, and how fluidly it can be dragged.

The console draws it, in its own process and a real window; the bare floor is one pixmap of the same size,
blitted in the same window.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from pitwall.core.paths import DataFolder
from workshop.benchmarks.child_command import last_object
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.random_graph import GAME, make_graph, write_memory

_NODES, _EDGES, _LIKENESSES = 10_000, 50_000, 5_000
_MOST_S = 2.0
_LEAST_HZ = 50.0
_PATIENCE_S = 300.0


def run(*, quick: bool) -> dict[str, Any]:
    """Open a made-up graph, drag it 15 px per frame at four zoom levels; the slowest one counts."""
    seconds = 2.0 if quick else 8.0
    graph_figures = _trial(seconds)
    frames: dict[str, list[float]] = graph_figures["frames_ms"]
    floor = spread(frames.pop("floor"))
    rates = {level: 1000.0 * len(times) / sum(times) for level, times in frames.items()}
    slowest = min(rates, key=rates.__getitem__)
    ours = spread(frames[slowest])
    return report(
        "graph",
        [
            _first("first picture, neighbourhood", graph_figures["near_s"]),
            _first("first picture, whole graph", graph_figures["first_s"]),
            check(
                "panning, whole graph",
                "Hz",
                figure(rates[slowest]),
                aim=f"≥ {_LEAST_HZ:.0f} frames/s",
                met=rates[slowest] >= _LEAST_HZ,
                peer=("pixmap blitted, ms", floor["p50"]),
                ratio=ours["p50"] / floor["p50"],
            ),
        ],
        states=graph_figures["shown"]["states"],
        actions=_EDGES,
        likenesses=_LIKENESSES,
        lines_drawn=graph_figures["shown"]["actions"],
        view_px=graph_figures["view"],
        arranged_s=graph_figures["arranged_s"],
        arranged_by=graph_figures["means"],
        graphviz=shutil.which("sfdp") is not None,
        frame_ms={level: spread(times) for level, times in frames.items()},
        floor_ms=floor,
        slowest_level=slowest,
        hz=rates,
        whole_frames=graph_figures["whole_frames"],
        first_picture="from asking the memory's file to a painted window; the whole graph's is a rough look, "
        "arranged_s when the layout is done",
        drawn_by="Qt's raster engine",
        load_average=os.getloadavg()[0],
    )


def _first(name: str, seconds: float) -> dict[str, Any]:
    return check(name, "s", figure(seconds), aim=f"≤ {_MOST_S:g} s", met=seconds <= _MOST_S)


def _trial(seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        write_memory(DataFolder(Path(scratch)), make_graph(_NODES, _EDGES, _LIKENESSES))
        command = [
            sys.executable,
            "-m",
            "workshop.benchmarks.memory.graph_window",
            "--data",
            scratch,
            "--game",
            GAME,
        ]
        command += ["--seconds", str(seconds)]
        return last_object(command, longest_s=_PATIENCE_S)
