"""What `bench imitate` makes of its finished parts, without playing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from workshop.benchmarks.catalogue import run_one
from workshop.benchmarks.imitation.imitate import game_checks, sum_checks
from workshop.benchmarks.results_book import ResultsBook


def _book(file: Path, **scores: list[float]) -> ResultsBook:
    book = ResultsBook(file)
    for player, values in scores.items():
        for seed, value in enumerate(values):
            book.keep(f"snake/{player}/{seed}", {"score": value})
    book.keep("snake/demonstration", {"cpu_ms": 6_000.0, "seconds": 300.0, "dropped": 0})
    book.keep("snake/fields", {"wall_s": 20.0})
    book.keep("snake/pixels", {"wall_s": 310.0})
    return book


def test_each_aim_is_judged_beside_the_demonstrator(tmp_path: Path) -> None:
    played = {
        "random": [0.0, 1.0],
        "demonstrator": [9.0, 11.0],
        "fields": [8.0, 9.0],
        "pixels": [5.0, 5.5],
        "further": [8.0, 8.0],
        "corrected": [9.0, 9.0],
    }
    book = _book(tmp_path / "book.json", **played)
    judged = {one["name"]: one for one in game_checks(book, "snake")}
    assert judged["snake: fields"]["ratio"] == pytest.approx(0.85)
    assert judged["snake: fields"]["met"]
    assert not judged["snake: pixels"]["met"]
    assert judged["snake: corrected"]["met"]
    assert judged["snake: recording, 0 events dropped"]["ours"]["p50"] == pytest.approx(2.0)
    assert not judged["snake: training, pixels"]["met"]
    assert judged["snake: fields"]["ours"]["low"] <= 8.5 <= judged["snake: fields"]["ours"]["high"]
    assert [one["met"] for one in sum_checks(book, ["snake"])] == [True, False, True]


def test_a_finished_part_is_found_again(tmp_path: Path) -> None:
    _book(tmp_path / "book.json", random=[3.0])
    assert ResultsBook(tmp_path / "book.json").of("snake/random", "score") == [3.0]


@pytest.mark.parametrize(
    ("name", "games", "words"),
    [
        ("imitate", ["snaik"], "does not play 'snaik'"),
        ("trigger", ["snake"], "plays no games of your choice"),
    ],
)
def test_games_that_cannot_be_chosen(name: str, games: list[str], words: str) -> None:
    with pytest.raises(PitwallError, match=words):
        run_one(name, quick=True, games=games)
