"""Tells what was reached in each game, and how it looked: for its card, where games are chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select

from pitwall.store.run_reader import RunReader
from pitwall.store.schema import steps
from pitwall.store.true_scores import RunScore

_RUNS = 200
_PICTURES = 64


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


def game_pictures(reader: RunReader, runs: int = _RUNS) -> dict[str, tuple[int, str]]:
    """A picture of each game, as run id and file in the run's folder: of a step of its newest run with any.

    Not the first one or the last: those show a menu or the end.
    """
    found: dict[str, tuple[int, str]] = {}
    for run in reader.runs(runs):
        if run.manifest.game_id in found:
            continue
        kept = select(steps.c.frame_ref).where(steps.c.run_id == run.run_id, steps.c.frame_ref != "")
        with reader.snapshot(run.run_id) as connection:
            names = connection.execute(kept.order_by(steps.c.step).limit(_PICTURES)).scalars().all()
        if names:
            found[run.manifest.game_id] = (run.run_id, names[len(names) // 2])
    return found
