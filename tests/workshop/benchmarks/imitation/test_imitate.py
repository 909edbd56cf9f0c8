"""What `bench imitate` makes of its finished parts, without playing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from workshop.benchmarks.catalogue import run_one
from workshop.benchmarks.imitation.aims import game_checks, sum_checks
from workshop.benchmarks.imitation.course import Effort
from workshop.benchmarks.imitation.imitate import course_of
from workshop.benchmarks.results_book import ResultsBook


def _book(file: Path, **scores: list[float]) -> ResultsBook:
    book = ResultsBook(file)
    for player, values in scores.items():
        for seed, value in enumerate(values):
            book.keep(f"snake/{player}/{seed}", {"score": value})
    book.keep("snake/demonstration", {"cpu_ms": 6_000.0, "seconds": 300.0, "dropped": 0})
    book.keep("snake/fields", {"wall_s": 20.0})
    book.keep("snake/pixels", {"wall_s": 310.0})
    book.keep("snake/fields-decision", {"p95_ms": 0.4})
    book.keep("snake/pixels-decision", {"p95_ms": 3.5})
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
    judged = {game_check["name"]: game_check for game_check in game_checks(book, "snake")}
    assert judged["snake: fields"]["ratio"] == pytest.approx(0.85)
    assert judged["snake: fields"]["met"]
    assert not judged["snake: pixels"]["met"]
    assert judged["snake: corrected"]["met"]
    assert judged["snake: recording, 0 events dropped"]["ours"]["p50"] == pytest.approx(2.0)
    assert not judged["snake: training, pixels"]["met"]
    assert judged["snake: decision, fields"]["met"]
    assert not judged["snake: decision, pixels"]["met"]
    assert judged["snake: fields"]["ours"]["low"] <= 8.5 <= judged["snake: fields"]["ours"]["high"]
    assert [sum_check["met"] for sum_check in sum_checks({"snake": book}, ["snake"])] == [True, False, True]


def test_a_finished_part_is_found_again(tmp_path: Path) -> None:
    _book(tmp_path / "book.json", random=[3.0])
    assert ResultsBook(tmp_path / "book.json").of("snake/random", "score") == [3.0]


def test_a_course_goes_on_with_the_first_part_that_is_missing(tmp_path: Path) -> None:
    effort = Effort(5.0, 2.0, 2, 90.0)
    begun = next(course_of(tmp_path, "snake", effort).parts())
    assert (begun.key, begun.live) == ("snake/demonstration", True)
    book = ResultsBook(tmp_path / "snake" / "imitate.json")
    book.keep("snake/demonstration", {"demonstration": "one"})
    book.keep("snake/fields", {"version": "v1"})
    book.keep("snake/pixels", {"version": "v2"})
    book.keep("snake/fields-decision", {"p95_ms": 0.4})
    book.keep("snake/pixels-decision", {"p95_ms": 0.4})
    book.keep("snake/demonstrator/910001", {"score": 9.0})
    parts = course_of(tmp_path, "snake", effort).parts()
    assert [next(parts).key for _ in range(3)] == [
        "snake/demonstrator/910002",
        "snake/random/910001",
        "snake/random/910002",
    ]


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
