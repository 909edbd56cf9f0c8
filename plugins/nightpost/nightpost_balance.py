"""Measures the balance: how often players of known strength win, without a window, on one core.

Run: nightpost_balance.py [--runs 100] [--first-seed 1000] [--hero pip] [--ascension 0] [--player rules]
Without a player, a hero or a level: all of them, levels 0, 5 and 10. Each line has a Wilson interval of 95 %.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from nightpost_headless import make_world
from nightpost_rules import layout as at
from nightpost_rules.dice import Dice
from nightpost_rules.eyes import is_strategic
from nightpost_rules.moves import Move
from nightpost_rules.rules_player import RulesPlayer
from nightpost_rules.run import Run
from nightpost_rules.search_player import SearchPlayer
from nightpost_rules.sight import sight_of
from nightpost_rules.tables import TABLES, VERSION

FIRST_SEED = 1000
_Z = 1.959964
Player = Callable[[Run], Move]


def random_player(seed: int) -> Player:
    """Return a player that takes any move."""
    dice = Dice(seed)
    return lambda run: dice.pick(run.moves())


def rules_player(_: int) -> Player:
    """Return the greedy player of the skills."""
    player = RulesPlayer()
    return lambda run: player.move(sight_of(run))


def search_player(seed: int) -> Player:
    """Return the player that thinks a turn ahead."""
    return SearchPlayer(seed=seed).move


PLAYERS: dict[str, Callable[[int], Player]] = {
    "random": random_player,
    "rules": rules_player,
    "search": search_player,
}


@dataclass(frozen=True, slots=True)
class Played:
    """A run that was played: decisions, and those of them that deserve thought."""

    score: float
    won: bool
    decisions: int
    strategic: int


def play(name: str, seed: int, hero: str, ascension: int) -> Played:
    """Play a run to its end."""
    run, player, strategic = Run(seed, hero, ascension), PLAYERS[name](seed), 0
    while not run.over:
        strategic += name != "random" and is_strategic(sight_of(run))
        run.do(player(run))
    return Played(run.score, run.won, run.decisions, strategic)


def wilson(wins: int, runs: int) -> tuple[float, float]:
    """Return the Wilson interval of a share, in percent."""
    share, square = wins / runs, _Z * _Z / runs
    middle = (share + square / 2) / (1 + square)
    half = _Z * math.sqrt(share * (1 - share) / runs + square / (4 * runs)) / (1 + square)
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


def measure(name: str, hero: str, ascension: int, runs: int, first: int = FIRST_SEED) -> str:
    """Return a line of the table. first: seed of the first run."""
    played = [play(name, first + number, hero, ascension) for number in range(runs)]
    wins = sum(run.won for run in played)
    low, high = wilson(wins, runs)
    score, strategic = (
        statistics.mean(run.score for run in played),
        statistics.median(run.strategic for run in played),
    )
    thought = "-" if name == "random" else f"{strategic:.0f}"
    share = f"{100 * wins / runs:.0f} % ({low:.0f}-{high:.0f})"
    return (
        f"| {name} | {hero} | {ascension} | {wins} of {runs} | {share} | {score:.1f} "
        f"| {statistics.median(run.decisions for run in played):.0f} | {thought} |"
    )


def rate(seconds: float = 2.0) -> float:
    """Return the decisions that the rules alone take in a second, every allowed move listed before each."""
    decisions, seed, begun = 0, 0, time.process_time()
    while time.process_time() - begun < seconds:
        decisions += play("random", seed, "pip", 0).decisions
        seed += 1
    return decisions / (time.process_time() - begun)


def twin_rate(seconds: float = 2.0) -> float:
    """Return the decisions that the headless twin takes in a second: its fields are read, keys pressed."""
    decisions, seed, begun = 0, 0, time.process_time()
    while time.process_time() - begun < seconds:
        world = make_world(seed=seed, scenario="pip")
        world.down("Enter")
        while (move := world.fields["next_move"]) is not None:
            for key in _keys(str(move)):
                world.down(key)
            decisions += 1
        seed += 1
    return decisions / (time.process_time() - begun)


def _keys(move: str) -> list[str]:
    """Return the keys of an action of the manifest: of its choices, else the action's own."""
    return re.findall(r"=(\w)", move) or [{"end_turn": at.END_KEY}.get(move, "Space")]


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="Measure the balance of Night Post.")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--hero", choices=sorted(TABLES.heroes))
    parser.add_argument("--ascension", type=int, choices=range(len(TABLES.ascension) + 1))
    parser.add_argument("--player", choices=sorted(PLAYERS))
    options = parser.parse_args()
    _say(
        f"Night Post {VERSION}, decisions a second on one core: {rate():,.0f} by the rules alone, "
        f"{twin_rate():,.0f} through the twin's fields and keys.\n"
    )
    _say("| player | hero | level | wins | share (95 %) | score | decisions | strategic |")
    _say("|---" * 8 + "|")
    for name in [options.player] if options.player else PLAYERS:
        for hero in [options.hero] if options.hero else sorted(TABLES.heroes):
            for level in [options.ascension] if options.ascension is not None else (0, 5, 10):
                _say(measure(name, hero, level, options.runs, options.first_seed))


if __name__ == "__main__":
    main()
