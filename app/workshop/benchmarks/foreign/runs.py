"""Adds foreign games, plays single runs of them on virtual screens, and reads their scores."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import takewhile
from statistics import median
from typing import Any

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.games.launcher import search_path
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.foreign.games import ForeignGame
from workshop.benchmarks.results_book import ResultsBook

_PATIENCE_S = 300.0
_TRIES = 3
"""Most tries to add a game or to play a run: a busy machine sometimes stops it."""
_BUSY = ("--setting", "broker.heartbeat_ms=2000")
_SOON = 12
"""Readings within which a misread score is detected: the real score continues below it."""


def chosen_games(names: Sequence[str], games: Sequence[ForeignGame]) -> list[ForeignGame]:
    """Return the named games, or all if none is named.

    Raises:
        PitwallError: a game is none of these, or is not installed.
    """
    known = {game.name: game for game in games}
    for name in names:
        if name not in known:
            hint = suggestion(name, known, f"It plays: {', '.join(known)}.")
            raise PitwallError(f"this benchmark does not play {name!r}.", hint)
    chosen = [known[name] for name in names] or list(games)
    for game in chosen:
        if shutil.which(game.program, path=search_path()) is None:
            raise PitwallError(f"{game.name} is not installed.", "Install the games: installer/extra foreign")
    return chosen


def open_book(game: ForeignGame, data: DataFolder, file: str) -> ResultsBook:
    """Add a game if it is missing, and return the book of its results."""
    data.root.mkdir(parents=True, exist_ok=True)
    book = ResultsBook(data.root / file)
    if not book.facts.get("added", {}).get("added"):
        book.keep("added", _added(game, data))
    return book


def _added(game: ForeignGame, data: DataFolder) -> dict[str, Any]:
    """Add a game by command; return its duration, and the error message if it failed."""
    for _ in range(_TRIES):
        began = time.monotonic()
        done = run_pitwall("games", "new", *game.added, "--replace", "--data", str(data.root))
        took_s = time.monotonic() - began
        if done.returncode == 0:
            break
    output = (done.stderr or done.stdout).strip().splitlines()
    added = done.returncode == 0
    return {"added": added, "seconds": round(took_s, 1), "gestures": game.gestures, "said": output[-8:]}


def play_run(
    game: ForeignGame, data: DataFolder, *words: str, planner: str, seed: int, seconds: float
) -> dict[str, Any]:
    """Play a run; return its score, and whether it left the menu.

    Args:
        words: further words of `pitwall run`.

    Raises:
        PitwallError: it could not be played.
    """
    words = (*words, "--planner", planner, "--seed", str(seed), "--seconds", f"{seconds:g}", *_BUSY, "--json")
    for _ in range(_TRIES):
        done = run_pitwall("run", "--game", game.name, *words, "--data", str(data.root))
        lines = done.stdout.strip().splitlines()
        if done.returncode == 0 and lines:
            break
    else:
        raise PitwallError(f"{game.name} was not played: {(done.stderr or done.stdout).strip()[-400:]}")
    with contextlib.closing(RunReader.open(data)) as reader:
        run_id = int(json.loads(lines[-1])["run_id"])
        steps, events = reader.steps(run_id), reader.events(run_id)
    values = [step.fields.get(game.score) for step in steps]
    left = any("left by start" in event.text for event in events)
    return {
        "score": _score(values, falls=game.falls),
        "left_menu": float(left or not game.start),
        "read": sum(value is not None for value in values) / max(1, len(values)),
        "steps": len(steps),
    }


def _score(values: Sequence[Value], *, falls: bool) -> float:
    """Return the best median of five successive readings; for a falling score, how far it fell."""
    read = [float(value) for value in values if isinstance(value, int | float)]
    if falls:
        return max(read, default=0.0) - min(_borne_out(read))
    return max(_borne_out(without_spikes(read)))


def _borne_out(read: Sequence[float]) -> list[float]:
    return [median(read[at : at + 5]) for at in range(max(1, len(read) - 4))] if read else [0.0]


def without_spikes(read: Sequence[float]) -> list[float]:
    """Drop readings that are followed by lower ones above the earlier score: real scores do not do that."""
    kept: list[float] = []
    for at, value in enumerate(read):
        if kept and any(kept[-1] < later < value for later in takewhile(bool, read[at + 1 : at + 1 + _SOON])):
            continue
        while kept and kept[-1] > value > 0:
            if value < max((reading for reading in kept if reading < kept[-1]), default=0.0):
                break  # a new game
            kept.pop()
        kept.append(value)
    return kept


def run_pitwall(*words: str, patience_s: float = _PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run a command on a virtual screen of its own."""
    command = [sys.executable, "-m", "pitwall", *words]
    alone = {name: text for name, text in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(command, capture_output=True, text=True, timeout=patience_s, check=False, env=alone)
