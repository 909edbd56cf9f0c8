"""Plays the moving window, a game folder, once: headless, or with the console drawing everything."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import load_settings, save_settings
from pitwall.core.steps import StepRecord
from pitwall.link.autoplay import AutoPlay
from pitwall.link.engine_session import EngineSession
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.child_command import PITWALL, last_object

TITLE = "pitwall-bench-motion"

_MANIFEST = """
schema = 1
[game]
id = "motion"
name = "Motion"
[launch]
command = ['{python}', "-m", "workshop.benchmarks.engine.motion_window", "--title", "pitwall-bench-motion"]
[window]
title = "^pitwall-bench-motion$"
[screen]
width = 960
height = 540
[controls]
keys = ["Space", "ArrowLeft"]
[[actions]]
name = "hit"
keys = ["Space"]
hold_ms = 40
duration_ms = 200
[[actions]]
name = "left"
keys = ["ArrowLeft"]
hold_ms = 120
duration_ms = 200
[[fields]]
name = "white"
kind = "colour"
box = [360, 180, 240, 180]
colour = [255, 255, 255]
at_least = 50
[[fields]]
name = "moved"
kind = "change"
[trigger]
scene_change = 2.0
[[skills]]
name = "hit and turn"
when = "status == 'playing'"
subgoal = "keep busy"
actions = ["hit", "left"]
"""


def make_game(folder: Path) -> Path:
    """Write the folder. The caller's data folder has to trust it before its program may run."""
    game = folder / "motion"
    game.mkdir(parents=True, exist_ok=True)
    (game / "plugin.toml").write_text(_MANIFEST.replace("{python}", sys.executable), encoding="utf-8")
    return game


_PATIENCE_S = 60.0
"""Seconds allowed for opening and closing, in addition to play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The figures of one play.

    Attributes:
        summary: of a headless play as the engine reported it; of a watched one from the run log, which has no
            `busy_ms` and no `recording_ms`.
        live_frames: frames that the console drew during the run; 0 without a console.
    """

    summary: RunSummary
    steps: list[StepRecord]
    live_frames: int = 0


def play_headless(folder: Path, seconds: float) -> Played:
    """Play without a console.

    Args:
        folder: receives game and data; may be used for several plays. Settings in its `data` apply.

    Raises:
        PitwallError: it was not played.
    """
    data, game = DataFolder(folder / "data"), make_game(folder)
    opening = commands.Open(game=str(game), launch=False, settings=load_settings(data.settings))
    with motion_window():
        autoplay = AutoPlay(commands.Start(seconds=seconds))
        session = EngineSession(data, opening)
        try:
            while not autoplay.done:
                for record in session.wait(0.5):
                    for command in autoplay.react(record):
                        session.send(command)
        finally:
            session.close()
    result = autoplay.result
    if result.run_id is None or result.summary is None:
        text = result.last_state.text if result.last_state is not None else ""
        raise PitwallError(f"the benchmark's window was not played. {text}")
    with contextlib.closing(RunReader.open(data)) as reader:
        return Played(summary=result.summary, steps=reader.steps(result.run_id))


def play_in_console(folder: Path, seconds: float) -> Played:
    """Play with the console in a process of its own, as an operator starts it. See `play_headless`."""
    data, game = DataFolder(folder / "data"), make_game(folder)
    settings = load_settings(data.settings).with_value("console", "strip", False)
    save_settings(data.settings, settings)  # the whole window is to be drawn, whatever room the screen has
    command = [*PITWALL, "console", "--game", str(game), "--start"]
    command += ["--seconds", str(seconds), "--data", str(data.root), "--json"]
    with motion_window():
        answer = last_object(command, longest_s=seconds + _PATIENCE_S)
    if answer["run_id"] is None or answer["live_frames"] is None:
        raise PitwallError(f"the console played nothing: {answer}")
    with contextlib.closing(RunReader.open(data)) as reader:
        summary, steps = reader.run(answer["run_id"]).summary, reader.steps(answer["run_id"])
    return Played(summary=summary, steps=steps, live_frames=answer["live_frames"])


@contextlib.contextmanager
def motion_window() -> Iterator[None]:
    """Show the moving window for as long as the block lasts."""
    window = subprocess.Popen(
        [sys.executable, "-m", "workshop.benchmarks.engine.motion_window", "--title", TITLE]
    )
    try:
        yield
    finally:
        window.kill()
        window.wait()
