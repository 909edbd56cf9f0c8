"""Measures a start: the console's window and its first live picture, beside an empty window of the same Qt.

Warm: everything is in the page cache. Cold: the environment's files were dropped from it, unless other
processes have them mapped. Memory is read from each process while the console idles beside the game.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pitwall
from pitwall.core.clock import BEGAN
from workshop.benchmarks.child_command import PITWALL, last_object
from workshop.benchmarks.report import check, figure, report, spread

_MOST_RATIO = 3.0
_MOST_MB = {"console": 250, "engine": 150, "broker": 40}
_MOST_WAIT_S = 240
_REST_S = 8.0
_EMPTY = f"""
import os, sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self.painted)
        return False
    def painted(self):
        print(time.time() - float(os.environ["{BEGAN}"]))
        app.exit()
app = QApplication([])
window, watch = QWidget(), Watch()
window.resize(1280, 760)
window.installEventFilter(watch)
window.show()
app.exec()
"""


def run(*, quick: bool) -> dict[str, Any]:
    """Start both in turn: once cold, several times warm; then leave the console idle beside the game."""
    warm = 2 if quick else 5
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        data = Path(scratch)
        _ours(data)  # the data folder is made, and bytecode written
        _drop_files()
        cold_empty = _empty()
        _drop_files()
        cold = _ours(data)
        empty: list[float] = []
        ours: list[dict[str, float]] = []
        for _ in range(warm):
            empty.append(_empty())
            ours.append(_ours(data))
        held = _memory(data)
    window = [start["window"] for start in ours]
    ratio = median(window) / median(empty)
    checks = [
        _against("window, warm", spread(window), median(empty), ratio),
        _against("window, cold", figure(cold["window"]), cold_empty, cold["window"] / cold_empty),
        check(
            "first live picture, warm",
            "s",
            spread([start["first frame"] for start in ours]),
            aim="told",
            met=True,
        ),
        check("first live picture, cold", "s", figure(cold["first frame"]), aim="told", met=True),
    ]
    for role, most in _MOST_MB.items():
        rss = max((process["rss_mb"] for process in held if process["role"] == role), default=float("inf"))
        checks.append(
            check(
                f"memory of {role} at rest", "MB", figure(rss), aim=f"≤ {most} MB resident", met=rss <= most
            )
        )
    return report("start", checks, memory=held, load_average=load, warm_starts=warm, game="flappy")


def _against(name: str, ours: dict[str, Any], empty_s: float, ratio: float) -> dict[str, Any]:
    aim = f"≤ {_MOST_RATIO:g}× an empty window"
    return check(
        name,
        "s",
        ours,
        aim=aim,
        met=ratio <= _MOST_RATIO,
        peer=("empty PySide6 window", empty_s),
        ratio=ratio,
    )


def _empty() -> float:
    output = subprocess.run(
        [sys.executable, "-c", _EMPTY],
        env=_env(),
        capture_output=True,
        text=True,
        check=True,
        timeout=_MOST_WAIT_S,
    )
    return float(output.stdout)


def _ours(data: Path) -> dict[str, float]:
    command = [*PITWALL, "console", "--game", "flappy", "--start", "--seconds", "2"]
    command += ["--data", str(data), "--json"]
    started: dict[str, float] = last_object(command, longest_s=_MOST_WAIT_S, environment=_env())["started_s"]
    return started


def _env() -> dict[str, str]:
    env = {**os.environ, BEGAN: repr(time.time())}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else each start compiles anew what is installed
    return env


def _drop_files() -> None:
    """Ask the kernel to forget the pages of the environment's and the project's files."""
    for folder in (Path(sys.prefix), Path(pitwall.__file__).parent, Path(sys.base_prefix) / "lib"):
        for file in folder.rglob("*"):
            with contextlib.suppress(OSError):
                if file.is_file():
                    fd = os.open(file, os.O_RDONLY)
                    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                    os.close(fd)


def _memory(data: Path) -> list[dict[str, Any]]:
    """Leave the console beside the game without a run, then read the memory of each of its processes."""
    command = [*PITWALL, "console", "--game", "flappy", "--data", str(data)]
    console = subprocess.Popen(command, env=_env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + _MOST_WAIT_S
        while len(_roles(console.pid)) < 4 and time.monotonic() < until:  # console, engine, two brokers
            time.sleep(0.5)
        time.sleep(_REST_S)
        return [{"role": role, **_held(pid)} for pid, role in _roles(console.pid)]
    finally:
        console.terminate()
        console.wait()


def _roles(console: int) -> list[tuple[int, str]]:
    return [(console, "console"), *_below(console)]


def _below(parent: int) -> Iterator[tuple[int, str]]:
    """Yield a process's descendants, each with its role of Pitwall; other programs are left out."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{parent}/task").iterdir():
            for pid in map(int, (task / "children").read_text().split()):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if b"pitwall" in words[:4]:
                    yield pid, words[words.index(b"pitwall") + 1].decode()
                yield from _below(pid)


def _held(pid: int) -> dict[str, float]:
    """Read resident memory in MB: total, proportional share, and private part."""
    figures: dict[str, int] = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        figures[name] = int(rest.split()[0])
    own = figures["Private_Clean"] + figures["Private_Dirty"]
    kib = {"rss_mb": figures["Rss"], "pss_mb": figures["Pss"], "own_mb": own}
    return {name: round(value * 1024 / 1e6, 1) for name, value in kib.items()}
