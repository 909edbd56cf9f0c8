"""Opens every page of the console in a real window for `pitwall bench scale`: a process of its own.

It prints a line of JSON for each view. A view is open once nothing is read for it any more, and it was
painted since.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from pitwall.console.kit.places import all_places
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.garbage import GarbageCollector
from pitwall.console.services.job import Job
from pitwall.console.shell.application import Console
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.link.engine_session import EngineSession
from workshop.fixtures.large_folder.memory import LARGEST
from workshop.fixtures.processes import pss_kib

_PATIENCE_S = 600.0
_QUIET_MS = 120
"""A page at which nothing was read or painted for so long is open."""
_QUIET_TURNS = 30
"""Turns of Qt's loop in that time: on a busy machine one turn may take as long."""
_TICK_MS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Measures the opening of a view.

    Attributes:
        first_s: from the click to its first paint. whole_s: to the last paint of what was read for it.
        cpu_s: processor time meanwhile.
        stall_s: longest time in which the window answered nothing. pss_mb: memory of the process then.
    """

    view: str
    first_s: float
    whole_s: float
    cpu_s: float
    stall_s: float
    pss_mb: float


class Watch(QObject):
    """Follows paints of the window, and how long Qt answers nothing."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self.first = self.last = self.stall = 0.0
        self._ticked = time.perf_counter()
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        app.installEventFilter(self)

    def begin(self) -> None:
        self.first, self.stall, self._ticked = 0.0, 0.0, time.perf_counter()
        self.last = 0.0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint:
            self.last = time.perf_counter()
            self.first = self.first or self.last
        return False

    def _tick(self) -> None:
        now = time.perf_counter()
        self.stall, self._ticked = max(self.stall, now - self._ticked), now


def main() -> int:
    """Open each view once, in the order of the rail, and print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True, help="data folder that is shown")
    parser.add_argument("--only", default="", help="views, separated by commas; others are left out")
    parser.add_argument("--shots", type=Path, help="folder for a picture of each view")
    asked = parser.parse_args()
    app = QApplication(sys.argv[:1])
    GarbageCollector(app)
    data = DataFolder(asked.data)
    console = Console(app, data, EngineSession, Registry(data).games, preflight=False)
    watch = Watch(app)
    console.window.show()
    _settle(app, console.window, watch, time.perf_counter())
    wanted = [name for name in asked.only.split(",") if name]
    for name, open_view in _views(console):
        if wanted and name not in wanted:
            continue
        opened = _open(app, console.window, watch, name, open_view)
        print(json.dumps(asdict(opened)), flush=True)  # noqa: T201
        if asked.shots is not None:
            console.window.grab().save(str(asked.shots / f"{name.replace(': ', '-').replace(' ', '-')}.png"))
    console.close()
    return 0


def _views(console: Console) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield each view with what opens it; the newest run is the one that the Runs page shows."""
    for place in all_places():
        yield place.key, partial(console.window.show_page, place.key)
        if place.key == "runs":
            yield from _run_views(console)
        elif place.key == "memory":
            yield from _memory_views(console.page(place.key))


def _run_views(console: Console) -> Iterator[tuple[str, Callable[[], object]]]:
    detail, listed = console.runs.detail, console.runs.list.view
    tabs = next(tabs for tabs in detail.findChildren(QTabWidget) if tabs.indexOf(detail.replay) >= 0)
    yield "runs: last step", lambda: detail.choose_step(detail.steps.rowCount())
    for at, name in ((1, "events"), (2, "replay"), (3, "figures")):
        yield f"runs: {name}", partial(tabs.setCurrentIndex, at)
    yield (
        "runs: end of the list",
        lambda: listed.verticalScrollBar().setValue(listed.verticalScrollBar().maximum()),
    )
    yield "runs: search", partial(console.runs.search.setText, "arena 2025-02")


def _memory_views(memory: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "memory: largest game", partial(memory.choose_game, LARGEST)
    for key in ("graph", "knowledge", "inbox", "snapshots", "why", "layers"):
        yield f"memory: {key}", partial(memory.show_segment, key)
    yield "memory: table", partial(memory.show_segment, "action")
    yield "memory: search", partial(memory.entries.filters.search.setText, "hall_4711")


def _open(
    app: QApplication, window: QWidget, watch: Watch, name: str, open_view: Callable[[], object]
) -> Opened:
    began, worked = time.perf_counter(), time.process_time()
    watch.begin()
    QTimer.singleShot(0, window, open_view)
    _settle(app, window, watch, began)
    first, last = (max(0.0, at - began) for at in (watch.first, watch.last))
    return Opened(
        view=name,
        first_s=round(first, 3),
        whole_s=round(last, 3),
        cpu_s=round(time.process_time() - worked, 3),
        stall_s=round(watch.stall, 3),
        pss_mb=round(pss_kib(os.getpid()) * 1024 / 1e6, 1),
    )


def _settle(app: QApplication, window: QWidget, watch: Watch, began: float) -> None:
    """Run Qt until nothing is read any more and nothing was painted for a while.

    Raises:
        TimeoutError: it did not come to rest.
    """
    quiet, turns = time.perf_counter(), 0
    while time.perf_counter() - began < _PATIENCE_S:
        app.processEvents()
        time.sleep(0.001)
        now, turns = time.perf_counter(), turns + 1
        if _reads(window) or now - watch.last < _QUIET_MS / 1000:
            quiet, turns = now, 0
        elif now - quiet > _QUIET_MS / 1000 and turns > _QUIET_TURNS:
            return
    raise TimeoutError("the page did not come to rest")


def _reads(window: QWidget) -> bool:
    workers = window.findChildren(BackgroundWorker)
    return any(worker.busy for worker in workers) or any(job.running for job in window.findChildren(Job))


if __name__ == "__main__":
    sys.exit(main())
