"""Compares the measurements of `imitate` with its aims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from pitwall_evaluation.mean_interval import mean_interval
from workshop.benchmarks.report import check, figure
from workshop.benchmarks.results_book import ResultsBook

_FIELDS_SHARE, _PIXELS_SHARE = 0.8, 0.6
_FIELDS_GAMES, _PIXELS_GAMES, _CORRECTED_GAMES, _OF = 4, 3, 4, 6
_MOST_COST, _LONGEST_S, _DECISION_MS = 5.0, 300.0, 3.0
Books = Mapping[str, ResultsBook]


def _mean(book: ResultsBook, game: str, player: str) -> float:
    scores = book.of(f"{game}/{player}", "score")
    return fmean(scores) if scores else 0.0


def _share(book: ResultsBook, game: str, player: str) -> float:
    """Return the mean score as a share of the demonstrator's."""
    return _mean(book, game, player) / max(1e-9, _mean(book, game, "demonstrator"))


def game_checks(book: ResultsBook, game: str) -> Iterator[dict[str, Any]]:
    """Check one game's scores, and the cost of recording, training and a decision; parts that
    are missing are left out.
    """
    aims = {
        "random": ("told beside", True),
        "demonstrator": ("above random", _mean(book, game, "demonstrator") > _mean(book, game, "random")),
        "fields": (
            f"≥ {_FIELDS_SHARE:.0%} of the demonstrator",
            _share(book, game, "fields") >= _FIELDS_SHARE,
        ),
        "pixels": (
            f"≥ {_PIXELS_SHARE:.0%} of the demonstrator",
            _share(book, game, "pixels") >= _PIXELS_SHARE,
        ),
        "further": ("told beside", True),
        "corrected": ("> further", _mean(book, game, "corrected") > _mean(book, game, "further")),
    }
    beside = _mean(book, game, "demonstrator")
    for player, (aim, met) in aims.items():
        if not (scores := book.of(f"{game}/{player}", "score")):
            continue
        low, high = mean_interval(scores)
        ours = {**figure(fmean(scores)), "n": len(scores), "low": low, "high": high}
        peer, ratio = ("demonstrator", beside), _share(book, game, player)
        yield check(f"{game}: {player}", "score", ours, aim=aim, met=met, peer=peer, ratio=ratio)
    if note := book.facts.get(f"{game}/demonstration"):
        cost = 0.1 * note["cpu_ms"] / note["seconds"]
        yield check(
            f"{game}: recording, {note['dropped']} events dropped",
            "% of a core",
            figure(cost),
            aim=f"≤ {_MOST_COST:g}, none dropped",
            met=cost <= _MOST_COST and not note["dropped"],
        )
    for part in ("fields", "pixels"):
        if not (learned := book.facts.get(f"{game}/{part}")):
            continue
        took = figure(learned["wall_s"])
        met = took["p50"] <= _LONGEST_S
        yield check(f"{game}: training, {part}", "s", took, aim=f"≤ {_LONGEST_S:g}", met=met)
        if not (decision := book.facts.get(f"{game}/{part}-decision")):
            continue
        p95 = decision["p95_ms"]
        decided = {"p50": None, "p95": p95, "p99": None, "n": 1}
        aim, met = f"≤ {_DECISION_MS:g}, p95", p95 <= _DECISION_MS
        yield check(f"{game}: decision, {part}", "ms", decided, aim=aim, met=met)


def sum_checks(books: Books, games: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Check in how many games each aim was reached."""

    def count(player: str, share: float) -> int:
        return sum(_share(books[game], game, player) >= share for game in games)

    beat = sum(_mean(books[game], game, "corrected") > _mean(books[game], game, "further") for game in games)
    reached = {
        "clones from fields": (count("fields", _FIELDS_SHARE), _FIELDS_GAMES),
        "clones from pixels": (count("pixels", _PIXELS_SHARE), _PIXELS_GAMES),
        "corrections beat further play": (beat, _CORRECTED_GAMES),
    }
    for name, (achieved, aim) in reached.items():
        least = min(aim, len(games))
        yield check(name, "games", figure(achieved), aim=f"≥ {aim} of {_OF}", met=achieved >= least)
