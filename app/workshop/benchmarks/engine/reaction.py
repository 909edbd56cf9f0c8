"""From pixel to key: the whole pipeline with a reflex, against a bare polling loop on the same window.

A window turns white; the benchmark measures the time until that window has received the key press. Ours goes
capture → state reader → module → legality → broker's gate → XTEST. The bare loop is mss, a mean, XTEST: no
gate, no log, no console. It never sleeps, and keeps the X server busy as well (see the conditions). Ours
sleeps between frames, so it also pays for waking up with cold caches; a full run measures that cost:
`bare_asleep_ms` is the bare loop waiting for the server's reports.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean
from typing import IO, Any

from pitwall.core import commands, telemetry
from pitwall.core.clock import ms_between
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import EngineState
from pitwall.link.engine_session import EngineSession
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import installed_embedder
from workshop.benchmarks.engine.reaction_budget import Flash, budget
from workshop.benchmarks.report import check, figure, load_average, report, spread
from workshop.fixtures.cpu_time import cpu_seconds, descendants, display_server

TITLE = "pitwall-bench-flash"

_MOST_RATIO, _MOST_SHARE = 1.5, 0.25
_PATIENCE_S = 90.0
"""Seconds for an engine's start, which is not measured; long under Wine."""
_ON = "mswindows_" if sys.platform == "win32" else ""
_WINDOW, _BARE = f"workshop.benchmarks.engine.{_ON}flash_window", f"workshop.benchmarks.peers.{_ON}bare_loop"
_HELD_BACK = (EngineState.PAUSED, EngineState.LATCHED)
_WARM_UP = 5
"""First answers that are ignored: some were already in the pipe."""

_MANIFEST = """
schema = 1
[game]
id = "flash"
name = "Flash"
[window]
title = "^pitwall-bench-flash$"
[screen]
width = 640
height = 480
[controls]
keys = ["Space"]
[[actions]]
name = "hit"
keys = ["Space"]
hold_ms = 20
[[fields]]
name = "white"
kind = "colour"
box = [200, 150, 240, 180]
colour = [255, 255, 255]
at_least = 50
[trigger]
scene_change = 2.0
refresh_steps = 1000
stall_steps = 1000
[[skills]]
name = "watch"
when = "status == 'playing'"
subgoal = "hit what flashes"
module = "reflex"
steps = 1000
[[modules]]
name = "reflex"
ends = "status != 'playing'"
[[modules.rules]]
when = "white"
action = "hit"
cooldown_ms = 60
"""


@dataclass(slots=True)
class _Side:
    """The measurements of one way to react.

    Attributes:
        unanswered: flashes without a key within a second.
        held_back: how often play was held back during measurement, by cause: nothing is answered then.
        processor: share of one core in %, one per block. x_server: the same for the X server's work.
    """

    flashes: list[Flash] = field(default_factory=list)
    unanswered: int = 0
    held_back: Counter[str] = field(default_factory=Counter)
    processor: list[float] = field(default_factory=list)
    x_server: list[float] = field(default_factory=list)

    @property
    def answers_ms(self) -> list[float]:
        """Return the times from the drawing to the key's arrival."""
        return [ms_between(drawn, answered) for drawn, answered in self.flashes]


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both in alternating blocks, so that noise affects both."""
    blocks, answers = (2, 40) if quick else (5, 120)
    ours, bare, asleep = _Side(), _Side(), _Side()
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        for block in range(blocks):
            _pipeline(Path(scratch), ours, block, answers)
            _bare_loop(bare, block, answers)
            if not quick and sys.platform != "win32":
                _bare_loop(asleep, block, answers, "--asleep")
        stages = budget(DataFolder(Path(scratch, "data")), ours.flashes)
    if not ours.answers_ms or not bare.answers_ms:
        raise PitwallError("no flash was answered.", "Run it on a quieter screen, and keep the focus there.")
    ours_ms, bare_ms = spread(ours.answers_ms), spread(bare.answers_ms)
    ratio = ours_ms["p50"] / bare_ms["p50"]
    share, bare_share = mean(ours.processor), mean(bare.processor)
    return report(
        "reaction",
        [
            check(
                "pixel to key",
                "ms",
                ours_ms,
                peer=("bare polling loop", bare_ms["p50"]),
                ratio=ratio,
                aim=f"≤ {_MOST_RATIO:g}× the bare median",
                met=ratio <= _MOST_RATIO,
            ),
            check(
                "processor share",
                "%",
                figure(share),
                peer=("bare polling loop", bare_share),
                ratio=share / bare_share,
                aim=f"≤ {_MOST_SHARE:g}×",
                met=share / bare_share <= _MOST_SHARE,
            ),
        ],
        budget_ms=stages,
        window="640×480 px",
        blocks=blocks,
        bare_ms=bare_ms,
        bare_asleep_ms=spread(asleep.answers_ms) if asleep.answers_ms else None,
        unanswered={"pipeline": ours.unanswered, "bare": bare.unanswered},
        held_back=dict(ours.held_back),
        counted="engine and both brokers against the polling process",
        x_server_percent={"pipeline": mean(ours.x_server), "bare": mean(bare.x_server)},
        load_average=load_average(),
    )


def _pipeline(scratch: Path, side: _Side, block: int, answers: int) -> None:
    folder = scratch / "flash"
    folder.mkdir(exist_ok=True)
    (folder / "plugin.toml").write_text(_MANIFEST, encoding="utf-8")
    window = _flash(block)
    settings = Settings().with_value("recording", "step_frames", True)
    if installed_embedder() is None:  # said as a fault where nobody chose so
        settings = settings.with_value("memory", "embedder", HashingEmbedder.name)
    session = EngineSession(
        DataFolder(scratch / "data"), commands.Open(game=str(folder), launch=False, settings=settings)
    )
    try:
        _play(session)
        _measure(side, window, session.pid, answers, idle=partial(_keep_playing, session, side))
    finally:
        session.close()
        _end(window)


def _play(session: EngineSession) -> None:
    until = time.monotonic() + _PATIENCE_S
    started = False
    while time.monotonic() < until:
        for record in session.wait(0.5):
            if isinstance(record, telemetry.Fault):
                raise PitwallError(record.what, record.fix)
            if isinstance(record, telemetry.StateChanged):
                if record.state is EngineState.PLAYING:
                    return
                if record.state is EngineState.FAILED:
                    raise PitwallError(record.text, record.fix)
                if record.state is EngineState.READY and not started:
                    started = True
                    session.send(commands.Start())
    raise PitwallError("the benchmark's window was not played in time.", "Run it on a quieter screen.")


def _keep_playing(session: EngineSession, side: _Side) -> None:
    """Read the engine's reports, and resume play when it stops, as an operator would."""
    for record in session.poll():
        if isinstance(record, telemetry.StateChanged) and record.state in _HELD_BACK:
            side.held_back[record.cause] += 1
            if record.cause != telemetry.HICCUP:
                session.send(commands.Resume())


def _bare_loop(side: _Side, block: int, answers: int, *options: str) -> None:
    window = _flash(block)
    command = [sys.executable, "-m", _BARE, "--title", TITLE, *options]
    poller = subprocess.Popen(command)
    try:
        time.sleep(1.0)
        _measure(side, window, poller.pid, answers)
    finally:
        poller.terminate()
        poller.wait()
        _end(window)


def _flash(seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            _WINDOW,
            "--title",
            TITLE,
            "--seed",
            str(seed),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )


def _end(window: subprocess.Popen[str]) -> None:
    window.kill()
    window.wait()


def _measure(
    side: _Side,
    window: subprocess.Popen[str],
    pid: int,
    answers: int,
    idle: Callable[[], object] = lambda: None,
) -> None:
    """Collect a number of answers, and the processor shares during them."""
    lines = _lines_of(window)
    for _ in range(_WARM_UP):
        _answer(lines.get())
    tree, server = descendants(pid), display_server()
    servers = [server] if server is not None else []
    cpu, server_cpu, at = cpu_seconds(tree), cpu_seconds(servers), time.monotonic()
    wanted = answers
    while wanted:
        idle()
        try:
            line = lines.get(timeout=0.05)
        except queue.Empty:
            continue
        wanted -= 1
        drawn, answered = _answer(line)
        if answered is None:
            side.unanswered += 1
        else:
            side.flashes.append((drawn, answered))
    percent = 100.0 / (time.monotonic() - at)
    side.processor.append(percent * (cpu_seconds(tree) - cpu))
    side.x_server.append(percent * (cpu_seconds(servers) - server_cpu))


def _lines_of(window: subprocess.Popen[str]) -> queue.SimpleQueue[str]:
    """Read the window's output while it lives; an empty line is its end."""
    stdout = window.stdout
    assert stdout is not None
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read(stream: IO[str]) -> None:
        for line in stream:
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, args=(stdout,), daemon=True).start()
    return lines


def _answer(line: str) -> tuple[int, int | None]:
    if not line:
        raise PitwallError("the benchmark's window was closed.")
    drawn, answered = json.loads(line)
    return drawn, answered
