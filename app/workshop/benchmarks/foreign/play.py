"""`foreign`: games that nobody made for Pitwall, added by the words of `pitwall games new` alone and played.

Random, the default agent and the templates' players play the same seconds each; the score is read from the
screen. The games alternate round by round and the agents run by run, each run on its own screen;
`$PITWALL_BENCH_PARALLEL` games are played side by side. Added games and finished runs are kept in the data
folder's `benches/foreign`, quick in `foreign-quick`, so an interrupted benchmark continues. The packages:
`installer/extra foreign`.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import takewhile
from statistics import fmean, median
from typing import Any

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.games.launcher import search_path
from pitwall.store.run_reader import RunReader
from workshop.benchmarks.foreign.games import GAMES, ForeignGame
from workshop.benchmarks.parallel import side_by_side
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook

AGENTS = {"random": "random", "default agent": "explore", "template": "skills"}
"""Agent → the planner that plays it."""
_ATTENTION_S = 600.0
_PATIENCE_S = 300.0
_TRIES = 3
"""How often a run is played again at most: a busy machine sometimes stops one."""
_BUSY = ("--setting", "broker.heartbeat_ms=2000")
_SOON = 12
"""Readings within which a misread score is detected: the real score continues below it."""
_OTHER_GAMES = 4
"""Games out of six on which a template should be three times as good as random play."""


def run(
    *, quick: bool, games: Sequence[str] = (), runs: int | None = None, minutes: float = 0.0
) -> dict[str, Any]:
    """Add the games that are missing, play the runs that are missing, and report over all runs.

    Args:
        games: names; empty: all. runs: of each agent in each game; None: ten, quick one.
        minutes: begin no run after this time; finished runs are kept and measured. 0: play all.

    Raises:
        PitwallError: a game is none of these, is not installed, or cannot be played.
    """
    chosen = _chosen(games)
    root = default_data_dir() / "benches" / ("foreign-quick" if quick else "foreign")
    seconds, wanted = (20.0, 1) if quick else (60.0, 10)
    most = runs or wanted
    until_s = time.monotonic() + 60 * minutes if minutes else float("inf")
    with ThreadPoolExecutor(side_by_side()) as pool:
        homes = [DataFolder(root / game.name) for game in chosen]
        began = list(pool.map(_begun, chosen, homes))
        for seed in range(1, most + 1):  # by rounds: what is broken off has played all games alike
            play = partial(_play, seed=seed, seconds=seconds, until_s=until_s)
            list(pool.map(play, chosen, homes, began))
    books = list(zip(chosen, began, strict=True))
    checks = [check_ for game, book in books for check_ in _checks(game, book)]
    best = sum(_ratio(book, "template") >= 3.0 for _, book in books)
    enough = min(_OTHER_GAMES, len(chosen))
    words = f"template 3 times random on {enough} of {len(chosen)}"
    checks.append(check(words, "games", figure(best), aim=f"≥ {enough}", met=best >= enough))
    done = {game.name: {agent: len(book.of(agent, "score")) for agent in AGENTS} for game, book in books}
    side = side_by_side()
    screen = "real time, as on a desktop"
    load = round(os.getloadavg()[0], 1)
    return report("foreign", checks, seconds=seconds, runs=done, screen=screen, parallel=side, load=load)


def _chosen(names: Sequence[str]) -> list[ForeignGame]:
    known = {game.name: game for game in GAMES}
    for name in names:
        if name not in known:
            hint = suggestion(name, known, f"It plays: {', '.join(known)}.")
            raise PitwallError(f"foreign does not play {name!r}.", hint)
    chosen = [known[name] for name in names] or list(GAMES)
    for game in chosen:
        if shutil.which(game.name, path=search_path()) is None:
            raise PitwallError(f"{game.name} is not installed.", "Install the games: installer/extra foreign")
    return chosen


def _begun(game: ForeignGame, data: DataFolder) -> ResultsBook:
    """Add a game if it is missing, and return its facts."""
    data.root.mkdir(parents=True, exist_ok=True)
    book = ResultsBook(data.root / "foreign.json")
    if not book.facts.get("added", {}).get("added"):
        book.keep("added", _added(game, data))
    return book


def _play(
    game: ForeignGame, data: DataFolder, book: ResultsBook, *, seed: int, seconds: float, until_s: float
) -> None:
    """Play the missing runs of a game's round."""
    for agent, planner in AGENTS.items() if book.facts["added"]["added"] else ():
        key = f"{agent}/{seed}"
        if key not in book.facts and time.monotonic() < until_s:
            book.keep(key, _played(game, data, planner, seed, seconds))


def _ratio(book: ResultsBook, agent: str) -> float:
    """Return how many times an agent scores what random play does, whose zero counts as one point."""
    mine, theirs = book.of(agent, "score"), book.of("random", "score")
    return fmean(mine) / max(1.0, fmean(theirs)) if mine and theirs else 0.0


def _checks(game: ForeignGame, book: ResultsBook) -> list[dict[str, Any]]:
    made = book.facts["added"]
    attention = check(
        f"{game.name}: attention",
        "s",
        figure(made["seconds"]),
        aim=f"≤ {_ATTENTION_S:.0f} s, {made['gestures']} gestures",
        met=made["added"] and made["seconds"] <= _ATTENTION_S,
    )
    out = [share for agent in AGENTS for share in book.of(agent, "left_menu")]
    if not out:
        return [attention]
    left = figure(100.0 * fmean(out))
    checks = [
        attention,
        check(f"{game.name}: out of the menu", "%", left, aim="100 %", met=left["p50"] == 100),
    ]
    chance = fmean(book.of("random", "score"))
    for agent, least in (("default agent", 1.0), ("template", 3.0)):
        ratio, scores = _ratio(book, agent), book.of(agent, "score") or [0.0]
        mean = fmean(scores)
        checks.append(
            check(
                f"{game.name}: {agent}",
                "points",
                {**figure(mean), "n": len(scores)},
                aim=f"≥ {least:g} × random",
                met=ratio >= least or (least == 1.0 and mean >= chance),
                peer=("random", chance),
                ratio=ratio,
            )
        )
    return checks


def _added(game: ForeignGame, data: DataFolder) -> dict[str, Any]:
    """Add a game by command; return its duration, and the error message if it failed."""
    began = time.monotonic()
    done = _pitwall("games", "new", *game.added, "--replace", "--data", str(data.root))
    took_s = time.monotonic() - began
    output = (done.stderr or done.stdout).strip().splitlines()
    added = done.returncode == 0
    return {"added": added, "seconds": round(took_s, 1), "gestures": game.gestures, "said": output[-8:]}


def _played(game: ForeignGame, data: DataFolder, planner: str, seed: int, seconds: float) -> dict[str, Any]:
    """Play one run; return its score, and whether it left the menu.

    Raises:
        PitwallError: it could not be played.
    """
    words = ("--planner", planner, "--seed", str(seed), "--seconds", f"{seconds:g}", *_BUSY, "--json")
    for _ in range(_TRIES):
        done = _pitwall("run", "--game", game.name, *words, "--data", str(data.root))
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


def _pitwall(*words: str) -> subprocess.CompletedProcess[str]:
    """Build a command that runs on a virtual screen of its own."""
    command = [sys.executable, "-m", "pitwall", *words]
    alone = {name: text for name, text in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False, env=alone
    )
