"""Returns each game's scores and a picture of it, for the cards in the choice of games."""

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
    """The score of a game's newest run that has a score, and the best score of its runs."""

    last: RunScore
    best: RunScore


def game_scores(reader: RunReader, runs: int = _RUNS) -> dict[str, GameScores]:
    """Return the scores by game id, over this many newest runs.

    A true score is never compared with a score read from the screen: only the newest run's kind counts.
    """
    scores: dict[str, GameScores] = {}
    for run in reader.runs(runs):
        score, game_id = run.score, run.manifest.game_id
        if score is None:
            continue
        known = scores.setdefault(game_id, GameScores(last=score, best=score))
        if score.true == known.last.true and score.best > known.best.best:
            scores[game_id] = replace(known, best=score)
    return scores


def game_pictures(reader: RunReader, runs: int = _RUNS) -> dict[str, tuple[int, str]]:
    """Return a picture by game id, as run id and file in the run's folder.

    It is a step in the middle of the newest run with pictures: the first and last often show a menu or the
    end.
    """
    pictures: dict[str, tuple[int, str]] = {}
    for run in reader.runs(runs):
        if run.manifest.game_id in pictures:
            continue
        kept = select(steps.c.frame_ref).where(steps.c.run_id == run.run_id, steps.c.frame_ref != "")
        with reader.snapshot(run.run_id) as connection:
            names = connection.execute(kept.order_by(steps.c.step).limit(_PICTURES)).scalars().all()
        if names:
            pictures[run.manifest.game_id] = (run.run_id, names[len(names) // 2])
    return pictures
