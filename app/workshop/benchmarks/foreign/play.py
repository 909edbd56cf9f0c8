"""`foreign`: games that nobody made for Pitwall, added by the words of `pitwall games new` alone and played.

Random, the default agent and the templates' players play the same seconds each; the score is read from the
screen. The games alternate round by round and the agents run by run, each run on its own screen;
`$PITWALL_BENCH_PARALLEL` games are played side by side. Added games and finished runs are kept in the data
folder's `benches/foreign`, quick in `foreign-quick`, so an interrupted benchmark continues. The packages:
`installer/extra foreign`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import fmean
from typing import Any

from pitwall.core.paths import DataFolder, default_data_dir
from workshop.benchmarks.foreign.games import GAMES, ForeignGame
from workshop.benchmarks.foreign.runs import chosen_games, open_book, play_run
from workshop.benchmarks.parallel import side_by_side
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook

AGENTS = {"random": "random", "default agent": "explore", "template": "skills"}
"""Agent → the planner that plays it."""
_ATTENTION_S = 600.0
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
    chosen = chosen_games(games, GAMES)
    root = default_data_dir() / "benches" / ("foreign-quick" if quick else "foreign")
    seconds, wanted = (20.0, 1) if quick else (60.0, 10)
    most = runs or wanted
    until_s = time.monotonic() + 60 * minutes if minutes else float("inf")
    with ThreadPoolExecutor(side_by_side()) as pool:
        homes = [DataFolder(root / game.name) for game in chosen]
        began = list(pool.map(partial(open_book, file="foreign.json"), chosen, homes))
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


def _play(
    game: ForeignGame, data: DataFolder, book: ResultsBook, *, seed: int, seconds: float, until_s: float
) -> None:
    """Play the missing runs of a game's round."""
    for agent, planner in AGENTS.items() if book.facts["added"]["added"] else ():
        key = f"{agent}/{seed}"
        if key not in book.facts and time.monotonic() < until_s:
            book.keep(key, play_run(game, data, planner=planner, seed=seed, seconds=seconds))


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
