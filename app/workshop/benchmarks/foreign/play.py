"""`foreign`: games that nobody made for Pitwall, added by the words of `pitwall games new` alone and played.

Random, the default agent and what the templates play, the same seconds each, the score read from the screen.
What was added and played lies in the data folder's `benches/foreign`, quick in `foreign-quick`: what was
broken off goes on where it was. The packages: `installer/extra foreign`.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import fmean, median
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.launcher import search_path
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.foreign.games import GAMES, ForeignGame
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook

AGENTS = {"random": "random", "default agent": "explore", "template": "skills"}
"""Agent → planner that plays it."""
_ATTENTION_S = 600.0
_PATIENCE_S = 300.0
_OTHER_GAMES = 4
"""Games of six on which a template shall be three times as good as chance."""

Scores = dict[str, dict[str, list[float]]]


def run(*, quick: bool) -> dict[str, Any]:
    """Add what is not added yet, play what is not played yet, and measure all of it."""
    data = DataFolder(default_data_dir() / "benches" / ("foreign-quick" if quick else "foreign"))
    data.root.mkdir(parents=True, exist_ok=True)
    seconds, runs = (20.0, 1) if quick else (60.0, 10)
    book = ResultsBook(data.root / "foreign.json")
    checks = [one for game in GAMES for one in _measured(game, book, data, seconds, runs)]
    best = [game.name for game in GAMES if _ratio(book, game.name, "template", "random") >= 3.0]
    enough = min(_OTHER_GAMES, len(GAMES))
    words = f"template 3 times random on {enough} of {len(GAMES)}"
    checks.append(check(words, "games", figure(len(best)), aim=f"≥ {enough}", met=len(best) >= enough))
    return report("foreign", checks, seconds=seconds, runs=runs, screen="real time, as on a desktop")


def _ratio(book: ResultsBook, game: str, ours: str, peer: str) -> float:
    """How many times as much one agent scores as another; a peer's nothing counts as one point."""
    mine, theirs = book.of(f"{game}/{ours}", "score"), book.of(f"{game}/{peer}", "score")
    return fmean(mine) / max(1.0, fmean(theirs)) if mine and theirs else 0.0


def _measured(
    game: ForeignGame, book: ResultsBook, data: DataFolder, seconds: float, runs: int
) -> list[dict[str, Any]]:
    if shutil.which(game.name, path=search_path()) is None:
        raise PitwallError(f"{game.name} is not installed.", "Install the games: installer/extra foreign")
    made = book.facts.get(game.name) or book.keep(game.name, _added(game, data))
    attention = check(
        f"{game.name}: attention",
        "s",
        figure(made["seconds"]),
        aim=f"≤ {_ATTENTION_S:.0f} s, {made['gestures']} gestures",
        met=made["added"] and made["seconds"] <= _ATTENTION_S,
    )
    if not made["added"]:
        return [attention]
    for agent, planner in AGENTS.items():
        for seed in range(1, runs + 1):
            key = f"{game.name}/{agent}/{seed}"
            if key not in book.facts:
                book.keep(key, _played(game, data, planner, seed, seconds))
    out = [share for agent in AGENTS for share in book.of(f"{game.name}/{agent}", "left_menu")]
    left = figure(100.0 * fmean(out))
    checks = [
        attention,
        check(f"{game.name}: out of the menu", "%", left, aim="100 %", met=left["p50"] == 100),
    ]
    chance = fmean(book.of(f"{game.name}/random", "score"))
    for agent, least in (("default agent", 1.0), ("template", 3.0)):
        ratio = _ratio(book, game.name, agent, "random")
        score = figure(fmean(book.of(f"{game.name}/{agent}", "score")))
        checks.append(
            check(
                f"{game.name}: {agent}",
                "points",
                score,
                aim=f"≥ {least:g} × random",
                met=ratio >= least or (least == 1.0 and score["p50"] >= chance),
                peer=("random", chance),
                ratio=ratio,
            )
        )
    return checks


def _added(game: ForeignGame, data: DataFolder) -> dict[str, Any]:
    """Add a game by command; how long that took, and what was said where it failed."""
    began = time.monotonic()
    done = _pitwall("games", "new", *game.added, "--replace", "--data", str(data.root))
    took_s = time.monotonic() - began
    said = (done.stderr or done.stdout).strip().splitlines()
    added = done.returncode == 0
    return {"added": added, "seconds": round(took_s, 1), "gestures": game.gestures, "said": said[-8:]}


def _played(game: ForeignGame, data: DataFolder, planner: str, seed: int, seconds: float) -> dict[str, Any]:
    """Play one run; its score, and whether it came out of the menu."""
    words = ("--planner", planner, "--seed", str(seed), "--seconds", f"{seconds:g}", "--json")
    done = _pitwall("run", "--game", game.name, *words, "--data", str(data.root))
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
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
    """The best median of five readings one after the other; of a score that falls, how far it fell."""
    read = [float(value) for value in values if isinstance(value, int | float)]
    borne_out = [median(read[at : at + 5]) for at in range(max(1, len(read) - 4))] if read else [0.0]
    return max(read, default=0.0) - min(borne_out) if falls else max(borne_out)


def _pitwall(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pitwall", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
