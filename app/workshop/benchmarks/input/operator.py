"""What a scripted operator's hands in the console cost the run: scores with and without them, same seeds.

Each run is a console, an engine and a game of their own on the screen there is. The operator changes pages,
drags thresholds and types into a search while the agent plays. Seconds count while the agent plays: a game
that is held still while somebody types scores nothing, and loses nothing. Freedoom tells no score of its own:
its figure is the mean health on its status bar while the agent plays. A run without a figure fails the bench.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from pitwall.core.errors import PitwallError
from workshop.benchmarks.report import check, figure, report

_GAMES = {"flappy": "", "arena": "", "doom": "health"}
"""The field that is read in place of a score, for each game that tells none."""
_SECONDS, _RUNS = 120.0, 10
_PATIENCE_S = 240.0
_LEAST_SHARE = 0.95
_MOST_TO_PLAY_S = 10.0


def run(*, quick: bool) -> dict[str, Any]:
    """Play two minutes of each game ten times with and without an operator; quick: one game, 20 s, once."""
    games, seconds, runs = (("flappy",), 20.0, 1) if quick else (tuple(_GAMES), _SECONDS, _RUNS)
    checks, found = [], {}
    clicks = landed = 0
    for game in games:
        trials = {
            hands: [_trial(game, seed, seconds, hands=hands) for seed in range(1, runs + 1)]
            for hands in (False, True)
        }
        found[game] = {"alone": trials[False], "with_operator": trials[True]}
        clicks += sum(one["clicks"] for one in trials[True])
        landed += sum(one["landed"] for one in trials[True])
        checks.append(_cost(game, trials[False], trials[True]))
    checks.append(_whole("clicks that landed on what was under the pointer", landed, clicks))
    to_play = [one["to_play_s"] for one in found["flappy"]["with_operator"]]
    checks.append(
        check(
            "from the open console to a playing agent, two clicks",
            "s",
            figure(float(np.median(to_play))),
            aim=f"≤ {_MOST_TO_PLAY_S:g} s and three clicks",
            met=float(np.median(to_play)) <= _MOST_TO_PLAY_S,
        )
    )
    return report(
        "operator", checks, seconds=seconds, runs=runs, trials=found, load_average=os.getloadavg()[0]
    )


def _whole(name: str, part: int, whole: int) -> dict[str, Any]:
    return check(name, "clicks", figure(part), aim=f"all {whole}", met=part == whole)


def _cost(game: str, alone: list[dict[str, Any]], with_hands: list[dict[str, Any]]) -> dict[str, Any]:
    """The check of one game: its figure with hands against that without; failed where a run has none."""
    what = f"mean {_GAMES[game]}" if _GAMES[game] else "score"
    told = [one["score"] for one in (*alone, *with_hands) if one["score"] is not None]
    if len(told) < len(alone) + len(with_hands) or not any(told):
        runs = len(alone) + len(with_hands)
        return check(
            f"{game}: runs that told a {what}",
            "runs",
            figure(len(told)),
            aim=f"all {runs}, not all 0",
            met=False,
        )
    without, ours = (float(np.mean([one["score"] for one in trials])) for trials in (alone, with_hands))
    share = ours / without if without else 1.0
    return check(
        f"{game}: {what} with the operator's hands in the console",
        "points",
        figure(ours),
        aim=f"≥ {_LEAST_SHARE:.0%} of that without",
        met=share >= _LEAST_SHARE,
        peer=("without", without),
        ratio=share,
    )


def _trial(game: str, seed: int, seconds: float, *, hands: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "workshop.benchmarks.input.operator_window", "--game", game]
    command += ["--seed", str(seed), "--seconds", str(seconds), "--field", _GAMES[game]]
    command += ["--hands"] if hands else []
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        done = subprocess.run(
            [*command, "--data", scratch],
            capture_output=True,
            text=True,
            timeout=seconds + _PATIENCE_S,
            check=False,
        )
    if done.returncode != 0 or not done.stdout.strip():
        raise PitwallError(f"the console's window ended with {done.returncode}: {done.stderr[-2_000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
