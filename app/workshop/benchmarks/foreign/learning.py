"""`learning`: foreign games that are learned from their windows alone, measured as learning goes on.

Each game is given its keys and a box around its score. Random play and the default agent play first; then
`pitwall learn` plays for 5, 15 and 30 minutes in all, and the version plays after each of these.
`$PITWALL_BENCH_PARALLEL` games are played side by side, each run on its own screen. Added games, versions and
finished runs are kept in the data folder's `benches/learning`, so an interrupted benchmark continues. The
packages: `installer/extra foreign train`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import fmean
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from workshop.benchmarks.foreign.games import LEARNED_GAMES, ForeignGame
from workshop.benchmarks.foreign.runs import chosen_games, open_book, play_run, run_pitwall
from workshop.benchmarks.parallel import side_by_side
from workshop.benchmarks.report import check, figure, report, spread
from workshop.benchmarks.results_book import ResultsBook

_FLOORS = {"random": "random", "default agent": "explore"}
"""Agent → the planner that plays it."""
_ATTENTION_S = 60.0
_START_S = 240.0
"""Added to the time of a learning: packages, window, menus and the last policy on a busy machine."""
_AIMED_MINUTES = 15


def run(
    *, quick: bool, games: Sequence[str] = (), runs: int | None = None, minutes: float = 0.0
) -> dict[str, Any]:
    """Add, learn and play what is missing, and report over all runs.

    Args:
        games: names; empty: all. runs: of each player in each game; None: ten, quick one.
        minutes: begin nothing after this time; finished parts are kept and measured. 0: do all.

    Raises:
        PitwallError: a game is none of these, is not installed, or cannot be played or learned.
    """
    chosen = chosen_games(games, LEARNED_GAMES)
    root = default_data_dir() / "benches" / ("learning-quick" if quick else "learning")
    stages, seconds, wanted = ((1,), 20.0, 1) if quick else ((5, 15, 30), 60.0, 10)
    until_s = time.monotonic() + 60 * minutes if minutes else float("inf")
    seeds = range(1, (runs or wanted) + 1)
    with ThreadPoolExecutor(side_by_side()) as pool:
        homes = [DataFolder(root / game.name) for game in chosen]
        books = list(pool.map(partial(open_book, file="learning.json"), chosen, homes))
        for learned in (0, *stages):  # by stages: what is broken off has treated all games alike
            stage = partial(
                _stage, stages=stages, learned=learned, seeds=seeds, seconds=seconds, until_s=until_s
            )
            list(pool.map(stage, chosen, homes, books))
    done = list(zip(chosen, books, strict=True))
    checks = [check_ for game, book in done for check_ in _checks(game, book, stages)]
    if not quick:
        checks += _aims(books)
    side, load = side_by_side(), round(os.getloadavg()[0], 1)
    return report("learning", checks, seconds=seconds, parallel=side, load=load)


def _stage(
    game: ForeignGame,
    data: DataFolder,
    book: ResultsBook,
    *,
    stages: Sequence[int],
    learned: int,
    seeds: Sequence[int],
    seconds: float,
    until_s: float,
) -> None:
    """Learn up to a number of minutes if that is missing, and play the runs that follow.

    Args:
        learned: minutes of learning in all; 0: only random play and the default agent.
    """
    if not book.facts["added"]["added"]:
        return
    if learned and f"learned/{learned}" not in book.facts:
        earlier = max((stage for stage in stages if stage < learned), default=0)
        if (earlier and f"learned/{earlier}" not in book.facts) or time.monotonic() > until_s:
            return
        book.keep(f"learned/{learned}", _learned(game, data, learned - earlier))
    for seed in seeds:
        for player, planner in {_after(learned): "skills"}.items() if learned else _FLOORS.items():
            key = f"{player}/{seed}"
            if key in book.facts or time.monotonic() > until_s:
                continue
            driving = () if not learned else ("--module", book.facts[f"learned/{learned}"]["module"])
            book.keep(key, play_run(game, data, *driving, planner=planner, seed=seed, seconds=seconds))


def _after(learned: int) -> str:
    return f"after {learned} min"


def _learned(game: ForeignGame, data: DataFolder, minutes: int) -> dict[str, Any]:
    """Learn a game for some more minutes; return the version, its decisions and its curve.

    Raises:
        PitwallError: it could not be learned.
    """
    words = ("--game", game.name, "--minutes", str(minutes), "--json", "--data", str(data.root))
    done = run_pitwall("learn", *words, patience_s=60 * minutes + _START_S)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise PitwallError(f"{game.name} was not learned: {(done.stderr or done.stdout).strip()[-400:]}")
    result = json.loads(lines[-1])
    kept = {name: result[name] for name in ("version", "decisions", "minutes", "chance", "counts", "notes")}
    return {**kept, "module": f"{result['module']}={result['version']}"}


def _ratio(book: ResultsBook, player: str) -> float | None:
    """Return how many times a player scores what random play does, whose zero counts as one point."""
    mine, theirs = book.of(player, "score"), book.of("random", "score")
    return fmean(mine) / max(1.0, fmean(theirs)) if mine and theirs else None


def _checks(game: ForeignGame, book: ResultsBook, stages: Sequence[int]) -> list[dict[str, Any]]:
    """Compare each player of a game with random play."""
    made = book.facts["added"]
    attention = check(
        f"{game.name}: attention",
        "s",
        figure(made["seconds"]),
        aim=f"≤ {_ATTENTION_S:.0f} s, {made['gestures']} gestures",
        met=made["added"] and made["seconds"] <= _ATTENTION_S,
    )
    checks = [attention]
    for player in ("default agent", *(_after(stage) for stage in stages)):
        ratio, scores = _ratio(book, player), book.of(player, "score")
        if ratio is None:
            continue
        chance = fmean(book.of("random", "score"))
        checks.append(
            check(
                f"{game.name}: {player}",
                "points",
                {**spread(scores), "mean": fmean(scores)},
                aim="≥ 1 × random",
                met=fmean(scores) >= chance,
                peer=("random", chance),
                ratio=ratio,
            )
        )
    return checks


def _aims(books: Sequence[ResultsBook]) -> list[dict[str, Any]]:
    """Count the games that reach twice and three times random play."""
    ratios = [_ratio(book, _after(_AIMED_MINUTES)) or 0.0 for book in books]
    aims = []
    for times, wanted in ((2.0, 4), (3.0, 3)):
        reached, least = sum(ratio >= times for ratio in ratios), min(wanted, len(books))
        name = f"{times:g} times random after {_AIMED_MINUTES} min, of {len(books)}"
        aims.append(check(name, "games", figure(reached), aim=f"≥ {least}", met=reached >= least))
    return aims
