"""Tells what was reached in each game: for its card, where games are chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pitwall.store.run_reader import RunReader
from pitwall.store.true_scores import RunScore

_RUNS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScores:
    """Holds the score of a game's newest run that has one, and the best of its runs."""

    last: RunScore
    best: RunScore


def game_scores(reader: RunReader, runs: int = _RUNS) -> dict[str, GameScores]:
    """The scores of each game by its id, over so many newest runs.

    A true score is never weighed against one that was read off the screen: the newest run's kind counts.
    """
    found: dict[str, GameScores] = {}
    for run in reader.runs(runs):
        score, game_id = run.score, run.manifest.game_id
        if score is None:
            continue
        known = found.setdefault(game_id, GameScores(last=score, best=score))
        if score.true == known.last.true and score.best > known.best.best:
            found[game_id] = replace(known, best=score)
    return found
