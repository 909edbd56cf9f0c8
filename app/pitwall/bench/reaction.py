"""Pixel to key: the whole pipeline with a reflex, against a bare polling loop on the same window.

A window turns white; measured is the time until the key press is in that window's hands. Ours goes
capture → state reader → module → legality → broker's gate → XTEST. The bare loop is mss, a mean,
XTEST: no gate, no log, no console, and a whole core.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pitwall.bench.processor import cpu_seconds, descendants
from pitwall.bench.report import check, figure, report, spread
from pitwall.core import commands, telemetry
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.telemetry import EngineState
from pitwall.link.session import EngineSession

TITLE = "pitwall-bench-flash"

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


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both in alternating blocks, so that a noisy moment hits both."""
    blocks, answers = (2, 40) if quick else (5, 120)
    ours: list[float] = []
    bare: list[float] = []
    our_share: list[float] = []
    bare_share: list[float] = []
    missed = 0
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        for block in range(blocks):
            for measure, times, shares in ((_pipeline, ours, our_share), (_bare_loop, bare, bare_share)):
                got, share = measure(Path(scratch), block, answers)
                times += [ms for ms in got if ms is not None]
                missed += sum(ms is None for ms in got)
                shares.append(share)
    ours_figures, bare_figures = spread(ours), spread(bare)
    ratio = ours_figures["p50"] / bare_figures["p50"]
    share, bare_mean = sum(our_share) / blocks, sum(bare_share) / blocks
    return report(
        "reaction",
        [
            check(
                "pixel to key",
                "ms",
                ours_figures,
                peer=("bare polling loop", bare_figures["p50"]),
                ratio=ratio,
                aim="≤ 1.5× the bare median",
                met=ratio <= 1.5,
            ),
            check(
                "processor share",
                "%",
                figure(share),
                peer=("bare polling loop", bare_mean),
                ratio=share / bare_mean,
                aim="≤ 0.25×",
                met=share / bare_mean <= 0.25,
            ),
        ],
        window="640×480 px",
        unanswered=missed,
        bare_ms=bare_figures,
        blocks=blocks,
        counted="engine and both brokers against the polling process",
    )


def _pipeline(scratch: Path, block: int, answers: int) -> tuple[list[float | None], float]:
    folder = scratch / "flash"
    folder.mkdir(exist_ok=True)
    (folder / "plugin.toml").write_text(_MANIFEST, encoding="utf-8")
    window = _flash(block)
    settings = Settings().with_value("recording", "step_frames", True)
    session = EngineSession(
        DataFolder(scratch / "data"), commands.Open(game=str(folder), launch=False, settings=settings)
    )
    try:
        _play(session)
        return _measure(window, [session.pid], answers, idle=session.poll)
    finally:
        session.close()
        _end(window)


def _play(session: EngineSession) -> None:
    until = time.monotonic() + 20
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


def _bare_loop(scratch: Path, block: int, answers: int) -> tuple[list[float | None], float]:
    del scratch
    window = _flash(block)
    poller = subprocess.Popen([sys.executable, "-m", "pitwall.bench.bare_loop", "--title", TITLE])
    try:
        time.sleep(1.0)
        return _measure(window, [poller.pid], answers)
    finally:
        poller.kill()
        poller.wait()
        _end(window)


def _flash(seed: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pitwall.bench.flash_window", "--title", TITLE, "--seed", str(seed)],
        stdout=subprocess.PIPE,
        text=True,
    )


def _end(window: subprocess.Popen[str]) -> None:
    window.kill()
    window.communicate()


def _measure(
    window: subprocess.Popen[str],
    pids: list[int],
    answers: int,
    idle: Callable[[], object] = lambda: None,
) -> tuple[list[float | None], float]:
    """Answers in ms, and the processor share in percent of one core while they were given."""
    assert window.stdout is not None
    times: list[float | None] = []
    for _ in range(5):  # what lay in the pipe from before, and the warm-up
        window.stdout.readline()
    tree = [pid for root in pids for pid in descendants(root)]
    cpu, at = cpu_seconds(tree), time.monotonic()
    while len(times) < answers:
        if select.select([window.stdout], [], [], 0.05)[0]:
            times.append(json.loads(window.stdout.readline())["ms"])
        idle()
    share = 100.0 * (cpu_seconds(tree) - cpu) / (time.monotonic() - at)
    return times, share
