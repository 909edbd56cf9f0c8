"""`operator`: what a scripted operator's work in the console costs the run; with and without, same seeds.

Each run has its own console, engine and game on the present screen. The operator opens every page, drags
thresholds and types into a search while the agent plays: once after a start by clicks, once after the start
that `pitwall console --start` makes, once while the agent shares the operator's keyboard and pointer. Only
seconds of play count: a game that is held while somebody types scores nothing, and loses nothing. A run's
best score may come before a game is lost, so that lost games count as well. Freedoom reports no score; its
figure is the mean health on its status bar during play. A run without a figure fails the benchmark. Finished
runs are kept in the data folder's `benches/operator`, quick in `operator-quick`, so an interrupted benchmark
continues.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from pitwall.core.errors import PitwallError, nearest
from pitwall.core.paths import default_data_dir
from pitwall_bench.suites.statistics import mean_of
from workshop.benchmarks.child_command import last_object
from workshop.benchmarks.report import check, figure, report, spread
from workshop.benchmarks.results_book import ResultsBook

_GAMES = {"flappy": "", "arena": "", "doom": "health"}
"""The field that replaces the score, for each game without one."""
_ALONE, _HANDS, _STARTED, _SHARED = "alone", "hands", "started", "shared"
"""Nobody works in the console; the operator does; the operator does in a console opened with --start; the
operator does while the agent presses with the operator's own keyboard and pointer."""
_CHOSEN_BY_HAND = "flappy"
"""The game that the operator chooses by clicks, as a newcomer does."""
_SECONDS, _RUNS = 120.0, 10
_PATIENCE_S = 240.0
_LEAST_SHARE = 0.95
_MORE_LOST_A_MINUTE = 0.25
_MOST_TO_PLAY_S = 10.0


def run(
    *, quick: bool, games: Sequence[str] = (), runs: int | None = None, minutes: float = 0.0
) -> dict[str, Any]:
    """Play the missing runs, two minutes each, and report over all runs.

    Args:
        games: ids; empty: all, quick one. runs: with and without hands in each game; None: ten, quick one.
        minutes: begin no pair of runs after this time; finished runs are kept and measured. 0: play all.

    Raises:
        PitwallError: a game is none of these, or its window ended early.
    """
    for name in games:
        if name not in _GAMES:
            near = nearest(name, _GAMES)
            raise PitwallError(f"operator does not play {name!r}.", f"One of: {near or ', '.join(_GAMES)}.")
    chosen = tuple(games) or (("flappy",) if quick else tuple(_GAMES))
    seconds, most = (20.0 if quick else _SECONDS), runs or (1 if quick else _RUNS)
    folder = default_data_dir() / "benches" / ("operator-quick" if quick else "operator")
    folder.mkdir(parents=True, exist_ok=True)
    book = ResultsBook(folder / "runs.json")
    until_s = time.monotonic() + 60 * minutes if minutes else float("inf")
    for seed, game in ((seed, game) for seed in range(1, most + 1) for game in chosen):
        if time.monotonic() >= until_s:
            break
        for way in (_ALONE, _HANDS, _STARTED, _SHARED):
            if (key := f"{game}/{way}/{seed}") not in book.facts:
                trial = _trial(game, seed, seconds, way)
                book.keep(key, {**trial, "load_average": round(os.getloadavg()[0], 1)})
    return report("operator", _checks(book, chosen), seconds=seconds, trials=book.facts)


def _checks(book: ResultsBook, games: Sequence[str]) -> list[dict[str, Any]]:
    checks = []
    for game, way in ((game, way) for game in games for way in (_HANDS, _STARTED, _SHARED)):
        alone, ours = _pairs(book, game, way)
        if alone:
            checks += [_cost(f"{game}, {way}", _GAMES[game], alone, ours), _lost(game, way, alone, ours)]
    with_hands = [fact for key, fact in book.facts.items() if f"/{_ALONE}/" not in key]
    landed, clicks = (sum(fact[count] for fact in with_hands) for count in ("landed", "clicks"))
    checks.append(_whole("clicks that landed on what was under the pointer", landed, clicks))
    to_play = book.of(f"{_CHOSEN_BY_HAND}/{_HANDS}", "to_play_s")
    if to_play:
        checks.append(
            check(
                "from the open console to a playing agent, two clicks",
                "s",
                spread(to_play),
                aim=f"≤ {_MOST_TO_PLAY_S:g} s and three clicks",
                met=float(np.median(to_play)) <= _MOST_TO_PLAY_S,
            )
        )
    return checks


def _pairs(book: ResultsBook, game: str, way: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return a game's runs without hands and in this way, for the seeds that were played both ways."""
    ways = [
        {key.rpartition("/")[2]: fact for key, fact in book.facts.items() if key.startswith(f"{game}/{way}/")}
        for way in (_ALONE, way)
    ]
    both = [seed for seed in ways[0] if seed in ways[1]]
    alone, hands = ([way[seed] for seed in both] for way in ways)
    return alone, hands


def _whole(name: str, part: int, whole: int) -> dict[str, Any]:
    return check(name, "clicks", figure(part), aim=f"all {whole}", met=part == whole)


def _lost(
    game: str, way: str, alone: list[dict[str, Any]], with_hands: list[dict[str, Any]]
) -> dict[str, Any]:
    """Check how many games were lost in a minute of play, against the runs without hands."""
    without, ours = (
        60.0 * sum(fact["ends"] for fact in facts) / max(1.0, sum(fact["played_s"] for fact in facts))
        for facts in (alone, with_hands)
    )
    return check(
        f"{game}, {way}: games lost a minute with the operator's hands in the console",
        "games/min",
        {**figure(ours), "n": len(with_hands)},
        aim=f"≤ those without, and {_MORE_LOST_A_MINUTE:g}",
        met=ours <= without + _MORE_LOST_A_MINUTE,
        peer=("without", without),
    )


def _cost(
    game: str, field: str, alone: list[dict[str, Any]], with_hands: list[dict[str, Any]]
) -> dict[str, Any]:
    """Check one game: its figure with hands against that without; failed if a run has none."""
    label = f"mean {field}" if field else "score"
    scores_read = [fact["score"] for fact in (*alone, *with_hands) if fact["score"] is not None]
    if len(scores_read) < len(alone) + len(with_hands) or not any(scores_read):
        runs = len(alone) + len(with_hands)
        return check(
            f"{game}: runs that told a {label}",
            "runs",
            figure(len(scores_read)),
            aim=f"all {runs}, not all 0",
            met=False,
        )
    scores = [[float(trial["score"]) for trial in trials] for trials in (alone, with_hands)]
    without, ours = map(mean_of, scores)
    share = ours.mean / without.mean if without.mean else 1.0
    score_check = check(
        f"{game}: {label} with the operator's hands in the console",
        "points",
        {**figure(ours.mean), "n": ours.n},
        aim=f"≥ {_LEAST_SHARE:.0%} of that without",
        met=share >= _LEAST_SHARE,
        peer=("without", without.mean),
        ratio=share,
    )
    differences = mean_of([hands - alone for alone, hands in zip(*scores, strict=True)])
    figures = {"without": without, "with": ours, "difference": differences}
    return score_check | {name: mean.model_dump() for name, mean in figures.items()}


def _trial(game: str, seed: int, seconds: float, way: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "workshop.benchmarks.input.operator_window", "--game", game]
    command += ["--seed", str(seed), "--seconds", str(seconds), "--field", _GAMES[game]]
    command += ["--hands"] if way != _ALONE else []
    command += ["--started"] if way == _STARTED else []
    command += ["--shared"] if way == _SHARED else []
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        return last_object([*command, "--data", scratch], longest_s=seconds + _PATIENCE_S)
