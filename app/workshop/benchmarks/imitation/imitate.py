"""`imitate`: what is learned from five minutes of watching, on six games of three kinds.

The demonstrator (`workshop.demonstrator`) is a process of its own that plays by a game's rules, with its own
capture and a person's kind of input. It is recorded, learned from, and corrects by the commands a person
would use. Every run is one game in real time on its own screen. Finished parts are kept in the data folder's
`benches/imitate`, one folder per game, quick in a temporary one: an interrupted benchmark continues, and
several games can be played side by side, one command each.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.paths import DataFolder, default_data_dir
from workshop.benchmarks.imitation.aims import game_checks, sum_checks
from workshop.benchmarks.imitation.course import ROUNDS, Course, Effort
from workshop.benchmarks.report import report
from workshop.benchmarks.results_book import ResultsBook

MODULES = {
    "flappy": "fly",
    "dino": "run",
    "breakout": "rally",
    "snake": "steer",
    "dodge": "watched",
    "shooting": "shoot",
}
"""Game → the module that learns: two runners, a ball game, two grid games, a shooter."""
_QUICK, _WHOLE = Effort(0.5, 0.25, 1, 8.0), Effort(5.0, 2.0, 10, 90.0)


def run(*, quick: bool, games: Sequence[str] = (), runs: int | None = None) -> dict[str, Any]:
    """Play, record, learn and correct what is missing, and report over everything.

    Args:
        runs: of each player, instead of ten (quick: one). More can be asked for later: existing ones count.

    Raises:
        PitwallError: a game is not one of the six.
    """
    for name in games:
        if name not in MODULES:
            raise PitwallError(
                f"imitate does not play {name!r}.",
                suggestion(name, MODULES, f"It plays: {', '.join(MODULES)}."),
            )
    chosen = list(games) or (["flappy"] if quick else list(MODULES))
    effort = _QUICK if quick else _WHOLE
    effort = effort if runs is None else Effort(effort.minutes, effort.round_minutes, runs, effort.seconds)
    with _root(quick=quick) as root:
        for name in chosen:
            course_of(root, name, effort).play()
        books = {name: book_of(root, name) for name in chosen}
    checks = [check_ for name in chosen for check_ in game_checks(books[name], name)]
    return report(
        "imitate",
        [*checks, *sum_checks(books, chosen)],
        games=chosen,
        minutes=effort.minutes,
        rounds_of_minutes=[effort.round_minutes] * ROUNDS,
        runs=effort.runs,
        longest_run_s=effort.seconds,
        screen="a virtual one for each run, real time",
        load_average=os.getloadavg()[0],
        told={key: facts for book in books.values() for key, facts in book.facts.items()},
    )


def course_of(root: Path, name: str, effort: Effort) -> Course:
    """Open a game's course, in a folder of its own below `root`."""
    data = DataFolder(root / name)
    data.root.mkdir(parents=True, exist_ok=True)
    return Course(data, book_of(root, name), name, MODULES[name], effort)


def book_of(root: Path, name: str) -> ResultsBook:
    return ResultsBook(root / name / "imitate.json")


@contextmanager
def _root(*, quick: bool) -> Iterator[Path]:
    if quick:
        with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
            yield Path(scratch)
        return
    yield default_data_dir() / "benches" / "imitate"
