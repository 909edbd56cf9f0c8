"""Measures the graph in a real window for `pitwall bench graph`: a process of its own, one JSON line."""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from pitwall.console.kit.theme import Look
from pitwall.core.paths import DataFolder
from pitwall.memory.reader import MemoryReader
from pitwall_memory_editor.console.graph.layout.arrange import SPACING
from pitwall_memory_editor.console.graph.model import GraphEntries
from pitwall_memory_editor.console.graph.panel import GraphPanel
from pitwall_memory_editor.console.graph.view import GraphView
from pitwall_memory_editor.console.graph.visible_part import WHOLE

_STEP_PX = 15.0
"""Pixels per frame: 900 px/s at 60 Hz. Frames follow one another without a pause, so new parts have to be
painted within the frames' own time.
"""
_ANGLE = 0.6
_PATIENCE_S = 90.0
_APART_PX = {"all of it": 5.0, "a quarter": 12.0, "with circles": 34.0, "with chips": 110.0}
"""Distances between two states on the screen at which the graph is dragged."""


class Floor(QWidget):
    """The least cost of a moving picture: one pixmap of the same size, blitted with an offset."""

    def __init__(self) -> None:
        super().__init__()
        self.complete = True
        self._picture = QPixmap()
        self._at = QPointF()

    def take(self, picture: QPixmap) -> None:
        self._picture = picture

    def pan_by(self, dx: float, dy: float) -> None:
        self._at += QPointF(round(dx), round(dy))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        QPainter(self).drawPixmap(QPointF(self._at.x() % 64 - 64, self._at.y() % 64 - 64), self._picture)


def main() -> int:
    """Measure and print: seconds from the request to the first picture, milliseconds per frame by level."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="folder whose memory is shown")
    parser.add_argument("--game", required=True)
    parser.add_argument("--seconds", type=float, default=3.0, help="of panning at each level")
    parser.add_argument("--size", default="1280x720")
    asked = parser.parse_args()
    app = QApplication(sys.argv[:1])
    look = Look(app)
    window = QStackedWidget()
    window.resize(*(int(side) for side in asked.size.split("x")))
    window.show()
    with closing(MemoryReader(DataFolder(asked.data))) as reader:

        def read() -> GraphEntries:
            nodes, edges, likenesses = reader.graph(asked.game)
            return GraphEntries(game_id=asked.game, nodes=nodes, edges=edges, likenesses=likenesses)

        with tempfile.TemporaryDirectory(prefix="pitwall-graph-") as scratch:
            figures = _measure(app, look, window, DataFolder(Path(scratch)), read, asked.seconds)
    print(json.dumps(figures))  # noqa: T201
    return 0


def _measure(
    app: QApplication,
    look: Look,
    window: QStackedWidget,
    data: DataFolder,
    read: Callable[[], GraphEntries],
    seconds: float,
) -> dict[str, object]:
    near = _panel(look, data, window)
    near_s = _until(app, lambda: near.show_graph(read()), lambda: _painted(near.view))
    near.close_jobs()
    whole = _panel(look, data, window)
    whole.use_hops(WHOLE)
    began = time.perf_counter()
    first_s = _until(app, lambda: whole.show_graph(read()), lambda: _painted(whole.view))
    _until(app, lambda: None, lambda: not whole.arranging.running and _painted(whole.view))
    arranged_s = time.perf_counter() - began
    view = whole.view
    floor = Floor()
    floor.take(QPixmap(view.width() + 64, view.height() + 64))
    frames: dict[str, list[float]] = {}
    shares: dict[str, float] = {}
    for level, apart in _APART_PX.items():
        view.fit()
        view.zoom_by(apart / SPACING / view.camera.scale)
        _until(app, lambda: None, lambda: _painted(view) and view.drawing.scale == view.camera.scale)
        frames[level], shares[level] = _pan(app, view, seconds)
    window.addWidget(floor)
    window.setCurrentWidget(floor)
    frames["floor"], _ = _pan(app, floor, seconds)
    whole.close_jobs()
    return {
        "near_s": near_s,
        "first_s": first_s,
        "arranged_s": arranged_s,
        "means": "sfdp" if not whole.note else "own",
        "frames_ms": frames,
        "whole_frames": shares,
        "view": [view.width(), view.height()],
        "shown": {"states": len(view.scene), "actions": len(view.scene.links)},
    }


def _panel(look: Look, data: DataFolder, window: QStackedWidget) -> GraphPanel:
    panel = GraphPanel(look, data, lambda: None)
    window.addWidget(panel)
    window.setCurrentWidget(panel)
    return panel


def _painted(view: GraphView) -> bool:
    return view.complete and len(view.scene) > 0


def _until(app: QApplication, begin: Callable[[], object], reached: Callable[[], bool]) -> float:
    """Return the seconds until a condition holds, while Qt runs."""
    began = time.perf_counter()
    begin()
    while not reached():
        app.processEvents()
        time.sleep(0.001)
        if time.perf_counter() - began > _PATIENCE_S:
            raise TimeoutError("the graph was not shown in time")
    return time.perf_counter() - began


def _pan(app: QApplication, widget: GraphView | Floor, seconds: float) -> tuple[list[float], float]:
    """Drag the picture to and fro across all of it.

    Returns:
        Milliseconds of each frame, and the share of the frames in which nothing was still to be painted.
    """
    frames: list[float] = []
    whole = 0
    dx, dy = _STEP_PX * math.cos(_ANGLE), _STEP_PX * math.sin(_ANGLE)
    began = last = time.perf_counter()
    while last - began < seconds:
        if isinstance(widget, GraphView):
            dx, dy = _turned_back(widget, dx, dy)
        widget.pan_by(dx, dy)
        widget.repaint()
        app.processEvents()
        now = time.perf_counter()
        frames.append((now - last) * 1000)
        last = now
        whole += widget.complete
    return frames, whole / len(frames)


def _turned_back(view: GraphView, dx: float, dy: float) -> tuple[float, float]:
    """Return the next step of a drag that turns back at the picture's end."""
    x, y = view.camera.world(QPointF(view.rect().center()))
    (left, top), (right, bottom) = view.scene.places.min(axis=0), view.scene.places.max(axis=0)
    dx = abs(dx) if x > right else -abs(dx) if x < left else dx
    dy = abs(dy) if y > bottom else -abs(dy) if y < top else dy
    return dx, dy


if __name__ == "__main__":
    sys.exit(main())
