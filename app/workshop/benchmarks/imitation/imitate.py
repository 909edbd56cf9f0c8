"""`imitate`: what is learned from five minutes of watching, on six games of three kinds.

The demonstrator (`workshop.demonstrator`) is a process of its own that plays by a game's rules, through its
own eyes and with a person's hands. It is recorded, learned from and corrects by the commands a person would
use. Every run is one game in real time on a screen of its own. What is finished lies in the data folder's
`benches/imitate`, quick in a temporary one: what was broken off goes on where it was.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pitwall.core.confidence_intervals import bootstrap_mean
from pitwall.core.errors import PitwallError, nearest
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Trial
from pitwall.games.schema.profile import Game
from workshop.benchmarks.imitation.screens import (
    agent_score,
    corrected,
    demonstrator_score,
    pitwall,
    recorded,
)
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook

MODULES = {
    "flappy": "fly",
    "dino": "run",
    "breakout": "rally",
    "snake": "steer",
    "dodge": "watched",
    "shooting": "shoot",
}
"""Game → the module that learns: two runners, a ball game, two of grids, a shooter."""
_FIRST_SEED = 910_001
_RUN_S, _QUICK_S = 90.0, 8.0
_ROUNDS = 2
_FIELDS_SHARE, _PIXELS_SHARE = 0.8, 0.6
_FIELDS_GAMES, _PIXELS_GAMES, _CORRECTED_GAMES = 4, 3, 4
_LEAST_COST, _LONGEST_S = 5.0, 300.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is played: minutes of demonstrations and of each round of corrections, runs of each player."""

    minutes: float
    round_minutes: float
    runs: int


def run(*, quick: bool, games: Sequence[str] = ()) -> dict[str, Any]:
    """Play, record, learn and correct what is not there yet, and measure all of it.

    Raises:
        PitwallError: a game is not one of the six.
    """
    for name in games:
        if name not in MODULES:
            near = nearest(name, MODULES)
            raise PitwallError(
                f"imitate does not play {name!r}.",
                f"Did you mean {near!r}?" if near else f"It plays: {', '.join(MODULES)}.",
            )
    chosen = list(games) or (["flappy"] if quick else list(MODULES))
    effort = Effort(0.5, 0.25, 1) if quick else Effort(5.0, 2.0, 10)
    with _data(quick=quick) as data:
        book = ResultsBook(data.root / "imitate.json")
        for name in chosen:
            _Course(data, book, name, effort, _QUICK_S if quick else _RUN_S).play()
        checks = [one for name in chosen for one in game_checks(book, name)]
        checks += sum_checks(book, chosen)
        told = {key: facts for key, facts in book.facts.items() if key.partition("/")[0] in chosen}
    return report(
        "imitate",
        checks,
        games=chosen,
        minutes=effort.minutes,
        rounds_of_minutes=[effort.round_minutes] * _ROUNDS,
        runs=effort.runs,
        screen="a virtual one for each run, real time",
        load_average=os.getloadavg()[0],
        told=told,
    )


class _Course:
    """One game's way from chance to a corrected clone; each finished part is kept."""

    def __init__(
        self, data: DataFolder, book: ResultsBook, name: str, effort: Effort, seconds: float
    ) -> None:
        self._data, self._book, self._name, self._effort = data, book, name, effort
        self._module = MODULES[name]
        self._trial = _trial(self._game, self._module, seconds)

    @property
    def _game(self) -> Game:
        return Registry(self._data).load(self._name)  # anew: a watched module joins once it is learned

    def play(self) -> None:
        """Play every part that is not in the book."""
        self._scores("random", ["--planner", "random"])
        for seed in self._seeds("demonstrator"):
            facts = demonstrator_score(self._data, self._game, self._trial, seed)
            self._book.keep(f"{self._name}/demonstrator/{seed}", facts)
        first = self._recorded("demonstration", self._effort.minutes, 1)
        fields = self._cloned("fields", first, "--fields")
        self._cloned("pixels", first, "--pixels")
        rounds = self._effort.round_minutes * _ROUNDS
        further = self._recorded("further-demonstration", rounds, 2)
        self._cloned("further", f"{first},{further}", "--start-from", fields)
        shown, version = first, fields
        for number in range(1, _ROUNDS + 1):
            corrections = self._corrected(f"round-{number}", version, number)
            shown = ",".join([shown, *corrections])
            last = number == _ROUNDS
            version = self._cloned(
                "corrected" if last else f"retrained-{number}", shown, "--start-from", version, plays=last
            )

    def _recorded(self, part: str, minutes: float, seed: int) -> str:
        key = f"{self._name}/{part}"
        if key not in self._book.facts:
            self._book.keep(key, recorded(self._data, self._game, self._trial.scenario, minutes, seed))
        return str(self._book.facts[key]["demonstration"])

    def _corrected(self, part: str, version: str, seed: int) -> list[str]:
        key = f"{self._name}/{part}"
        if key not in self._book.facts:
            before = {one.id for one in DemonstrationFolder(self._data).all()}
            self._promote(version)
            modules = {self._module: version}
            minutes = self._effort.round_minutes
            corrected(self._data, self._game, self._trial.scenario, modules, minutes, seed)
            made = [one.id for one in DemonstrationFolder(self._data).all() if one.id not in before]
            if not made:
                raise PitwallError(
                    f"{self._name}: the agent played, and no correction was kept.",
                    "Look whether corrections are switched on: pitwall settings.",
                )
            self._book.keep(key, {"corrections": made})
        return list(self._book.facts[key]["corrections"])

    def _cloned(self, part: str, shown: str, *words: str, plays: bool = True) -> str:
        """Learn a version, then let it play; returns its name."""
        key = f"{self._name}/{part}"
        if key not in self._book.facts:
            module = f"{self._name}/{self._module}"
            told = pitwall(self._data, "gsm", "train", module, "--from", shown, *words)
            cloned = {name: told["cloned"].get(name) for name in ("agreement", "low", "high", "reaction_ms")}
            about = told["about"]
            self._book.keep(key, {"version": about["version"], "wall_s": about["wall_s"], **cloned})
        version = str(self._book.facts[key]["version"])
        if plays and self._seeds(part):
            self._promote(version)
            self._scores(part, ["--planner", "skills", "--module", f"{self._module}={version}"])
        return version

    def _promote(self, version: str) -> None:
        module = f"{self._name}/{self._module}"
        pitwall(
            self._data, "gsm", "promote", module, version, "--force", "--why", "measured by bench imitate"
        )

    def _scores(self, player: str, words: list[str]) -> None:
        words = [*words, *(["--scenario", self._trial.scenario] if self._trial.scenario else [])]
        for seed in self._seeds(player):
            facts = agent_score(self._data, self._game, self._trial, seed, words)
            self._book.keep(f"{self._name}/{player}/{seed}", facts)

    def _seeds(self, player: str) -> list[int]:
        """Seeds that the player has not played yet."""
        seeds = range(_FIRST_SEED, _FIRST_SEED + self._effort.runs)
        return [seed for seed in seeds if f"{self._name}/{player}/{seed}" not in self._book.facts]


def _trial(game: Game, module: str, seconds: float) -> Trial:
    """The module's own trial, cut to so many seconds; else the game's true score."""
    declared = [one.trials[0] for one in game.profile.modules if one.name == module and one.trials]
    truth = game.profile.truth
    assert truth is not None
    made = Trial(name="score", score=truth.score, unit=truth.unit, success=1.0)
    return (declared[0] if declared else made).model_copy(update={"seconds": seconds})


def _mean(book: ResultsBook, game: str, player: str) -> float:
    scores = book.of(f"{game}/{player}", "score")
    return fmean(scores) if scores else 0.0


def _share(book: ResultsBook, game: str, player: str) -> float:
    """Mean score as a share of the demonstrator's."""
    return _mean(book, game, player) / max(1e-9, _mean(book, game, "demonstrator"))


def game_checks(book: ResultsBook, game: str) -> Iterator[dict[str, Any]]:
    """Set one game's scores beside the demonstrator's, and what recording and training took."""
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
        scores = book.of(f"{game}/{player}", "score")
        low, high = bootstrap_mean(scores)
        ours = {**figure(fmean(scores)), "n": len(scores), "low": low, "high": high}
        peer, ratio = ("demonstrator", beside), _share(book, game, player)
        yield check(f"{game}: {player}", "score", ours, aim=aim, met=met, peer=peer, ratio=ratio)
    note = book.facts[f"{game}/demonstration"]
    cost = 0.1 * note["cpu_ms"] / note["seconds"]
    yield check(
        f"{game}: recording, {note['dropped']} events dropped",
        "% of a core",
        figure(cost),
        aim=f"≤ {_LEAST_COST:g}, none dropped",
        met=cost <= _LEAST_COST and not note["dropped"],
    )
    for part in ("fields", "pixels"):
        took = figure(book.facts[f"{game}/{part}"]["wall_s"])
        met = took["p50"] <= _LONGEST_S
        yield check(f"{game}: training, {part}", "s", took, aim=f"≤ {_LONGEST_S:g}", met=met)


def sum_checks(book: ResultsBook, games: Sequence[str]) -> Iterator[dict[str, Any]]:
    """In how many games each aim was reached."""
    reached = {
        "clones from fields": (
            sum(_share(book, one, "fields") >= _FIELDS_SHARE for one in games),
            _FIELDS_GAMES,
        ),
        "clones from pixels": (
            sum(_share(book, one, "pixels") >= _PIXELS_SHARE for one in games),
            _PIXELS_GAMES,
        ),
        "corrections beat further play": (
            sum(_mean(book, one, "corrected") > _mean(book, one, "further") for one in games),
            _CORRECTED_GAMES,
        ),
    }
    for name, (count, aim) in reached.items():
        least = min(aim, len(games))
        yield check(name, "games", figure(count), aim=f"≥ {aim} of {len(MODULES)}", met=count >= least)


@contextmanager
def _data(*, quick: bool) -> Iterator[DataFolder]:
    if quick:
        with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
            yield DataFolder(Path(scratch))
        return
    data = DataFolder(default_data_dir() / "benches" / "imitate")
    data.root.mkdir(parents=True, exist_ok=True)
    yield data
