"""`doom-look`: Freedoom in chocolate-doom, where a module of rules turns to demons by the mouse, or by keys.

The hall (`workshop/fixtures/doom_hall`) has a platform that its twelve demons cannot climb, so that the
kills in half a minute tell how well somebody aims. The game tells nothing from outside: its kills are read
from the game that it saves after the run. Both modules see the same picture and fire the same way.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.games.manifest import load_profile
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.simulated_person import SimulatedPerson

HALL = Path(__file__).parents[2] / "fixtures" / "doom_hall"
_SECONDS, _QUICK_S, _RUNS = 30, 12, 10
_OPENS_S, _SAVED_S, _KEY_S = 30.0, 10.0, 0.15
_PLAYER = 24 + 16 + 3 + 4 + 3
"""Where the player begins in a saved game, but for padding: description, version, level, players, time."""
_KILLS = 204
"""Bytes from the player's beginning to the kills."""
_SAVE_KEYS = ("F2", "Enter", "a", "Enter")


def run(*, quick: bool) -> dict[str, Any]:
    """Play the hall by the mouse and by keys in turn."""
    seconds, runs = (_QUICK_S, 1) if quick else (_SECONDS, _RUNS)
    kills: dict[str, list[int]] = {"aim": [], "shoot": []}
    loads = [os.getloadavg()[0]]
    for _ in range(runs):
        for module, counts in kills.items():
            counts.append(play(module, seconds))
        loads.append(os.getloadavg()[0])
    by_mouse, by_keys = (sum(counts) / runs for counts in kills.values())
    checks = [
        check(
            f"kills in {seconds} s, by the mouse",
            "kills",
            figure(by_mouse),
            aim="at least as many as by keys",
            met=quick or by_mouse >= by_keys,
        ),
        check(f"kills in {seconds} s, by keys", "kills", figure(by_keys), aim="told beside", met=True),
    ]
    return report("doom-look", checks, kills=kills, runs=runs, loads=[round(load, 1) for load in loads])


def play(module: str, seconds: int) -> int:
    """Let a module play a fresh hall, and return how many demons it killed.

    Raises:
        PitwallError: the run failed, or the game was not saved.
    """
    with tempfile.TemporaryDirectory(prefix="pitwall-hall-") as scratch:
        folder = Path(scratch)
        with _game(folder):
            _pitwall(folder, "games", "trust", str(HALL))
            play = ("run", "--game", str(HALL), "--no-launch", "--module", f"{module}=rules")
            _pitwall(folder, *play, "--planner", "skills", "--seconds", str(seconds))
            return _kills(folder)


@contextmanager
def _game(folder: Path) -> Iterator[None]:
    launch = load_profile(HALL).launch
    assert launch is not None
    (folder / "chocolate.cfg").write_bytes((HALL / "chocolate.cfg").read_bytes())
    words = [word.format(folder=HALL, data=folder) for word in launch.command]
    path = f"{os.environ.get('PATH', '')}:/usr/games"
    environment = {**os.environ, **launch.env, "PATH": path}
    with (folder / "doom.log").open("wb") as log:
        game = subprocess.Popen(words, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        game.kill()
        game.wait()


def _pitwall(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "pitwall", *words]
    environment = {**os.environ, "PITWALL_DATA": str(folder / "data")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise PitwallError(f"the run failed: {done.stderr.strip()[-300:]}", "Run it alone to see why.")


def _kills(folder: Path) -> int:
    """Have the game saved as a person does, and read the kills."""
    person, saved = SimulatedPerson(), folder / "doomsav0.dsg"
    try:
        window = subprocess.run(
            ["xdotool", "search", "--class", "chocolate-doom"], capture_output=True, text=True, timeout=30
        ).stdout.split()
        person.steal_focus(int(window[-1]))
        for key in _SAVE_KEYS:
            for down in (True, False):
                person.key(key, down=down)
                time.sleep(_KEY_S)
        until_s = time.monotonic() + _SAVED_S
        while not saved.exists():
            if time.monotonic() > until_s:
                raise PitwallError("chocolate-doom did not save its game.", "Look at its window.")
            time.sleep(_KEY_S)
    finally:
        person.close()
    return kills_in(saved)


def kills_in(saved: Path) -> int:
    """Return the player's kills in a saved game."""
    start = -(-_PLAYER // 4) * 4
    return int(struct.unpack_from("<i", saved.read_bytes(), start + _KILLS)[0])
