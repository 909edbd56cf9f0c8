"""Plays one game's course: random play, the demonstrator, the learner, and the effect of corrections.

It consists of parts; each finished part is kept in the game's book, so an interrupted course continues.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Trial
from pitwall.games.schema.profile import Game
from pitwall.gsm.playable import module_of
from pitwall.gsm.versions import ModuleFolder
from workshop.benchmarks.imitation.screens import (
    agent_score,
    corrected,
    demonstrator_score,
    pitwall,
    recorded,
)
from workshop.benchmarks.results_book import ResultsBook

FIRST_SEED = 910_001
ROUNDS = 2
_TIMED = 1_000
"""Number of timed decisions."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to play: minutes of demonstrations and corrections, runs of each player and their length."""

    minutes: float
    round_minutes: float
    runs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a course that is not in the book yet.

    Attributes:
        live: it plays a game in real time. play: plays it, and returns the facts to keep.
    """

    key: str
    live: bool
    play: Callable[[], dict[str, Any]]


class Course:
    """One game's course from random play to a corrected clone.

    Args:
        data: a folder for this game alone, so that games can be played side by side.
        module: the module that learns; created if the game has none.
    """

    def __init__(self, data: DataFolder, book: ResultsBook, name: str, module: str, effort: Effort) -> None:
        self._data, self._book, self._name, self._module = data, book, name, module
        self._effort = effort
        self._trial = _trial(self._game, module, effort.seconds)

    def play(self) -> None:
        """Play every part that is not in the book."""
        for part in self.parts():
            self._book.keep(part.key, part.play())

    def parts(self) -> Iterator[Part]:
        """Yield the next part until all are in the book; the caller has to keep each there."""
        minutes, rounds = self._effort.minutes, self._effort.round_minutes * ROUNDS
        yield from self._recording("demonstration", minutes, 1)
        first = self._kept("demonstration", "demonstration")
        yield from self._learning("fields", first, "--fields")
        yield from self._learning("pixels", first, "--pixels")
        yield from self._timing("fields", first)
        yield from self._timing("pixels", first)
        for seed in self._seeds("demonstrator"):
            yield self._part(
                f"demonstrator/{seed}",
                partial(self._demonstrator, seed),
            )
        yield from self._scoring("random", ["--planner", "random"])
        yield from self._clone_scoring("fields")
        yield from self._clone_scoring("pixels")
        yield from self._recording("further-demonstration", rounds, 2)
        further = self._kept("further-demonstration", "demonstration")
        fields = self._kept("fields", "version")
        yield from self._learning("further", f"{first},{further}", "--start-from", fields)
        shown, version = first, fields
        for number in range(1, ROUNDS + 1):
            yield from self._correcting(f"round-{number}", version, number)
            shown = ",".join([shown, *self._facts(f"round-{number}")["corrections"]])
            name = "corrected" if number == ROUNDS else f"retrained-{number}"
            yield from self._learning(name, shown, "--start-from", version)
            version = self._kept(name, "version")
        yield from self._clone_scoring("further")
        yield from self._clone_scoring("corrected")

    # ---- kinds of parts

    def _recording(self, part: str, minutes: float, seed: int) -> Iterator[Part]:
        scenario = self._trial.scenario
        if not self._has(part):
            yield self._part(part, lambda: recorded(self._data, self._game, scenario, minutes, seed))

    def _learning(self, part: str, shown: str, *words: str) -> Iterator[Part]:
        if not self._has(part):
            yield self._part(part, lambda: self._learned(shown, *words), live=False)

    def _timing(self, part: str, shown: str) -> Iterator[Part]:
        """Time a clone's decisions while nothing else is measured."""
        version, key = self._kept(part, "version"), f"{part}-decision"
        if not self._has(key):
            yield self._part(key, lambda: {"p95_ms": self._decision_ms(version, shown)})

    def _correcting(self, part: str, version: str, seed: int) -> Iterator[Part]:
        if not self._has(part):
            yield self._part(part, lambda: self._corrections(version, seed))

    def _clone_scoring(self, part: str) -> Iterator[Part]:
        version = self._kept(part, "version")
        yield from self._scoring(
            part, ["--planner", "skills", "--module", f"{self._module}={version}"], version
        )

    def _scoring(self, player: str, words: list[str], version: str = "") -> Iterator[Part]:
        words = [*words, *(["--scenario", self._trial.scenario] if self._trial.scenario else [])]

        def score(seed: int) -> dict[str, Any]:
            if version:
                self._promote(version)
            return agent_score(self._data, self._game, self._trial, seed, words)

        for seed in self._seeds(player):
            yield self._part(f"{player}/{seed}", partial(score, seed))

    # ---- what they do

    def _demonstrator(self, seed: int) -> dict[str, Any]:
        return demonstrator_score(self._data, self._game, self._trial, seed)

    def _learned(self, shown: str, *words: str) -> dict[str, Any]:
        module = f"{self._name}/{self._module}"
        before = _processor_s()
        answer = pitwall(self._data, "gsm", "train", module, "--from", shown, *words)
        cloned = {name: answer["cloned"].get(name) for name in ("agreement", "low", "high", "reaction_ms")}
        about = answer["about"]
        took = {"wall_s": about["wall_s"], "processor_s": round(_processor_s() - before, 1)}
        return {"version": about["version"], **took, **cloned}

    def _decision_ms(self, version: str, demonstration: str) -> float:
        """Time a version's decisions on the demonstrator's frames; return the 95th percentile, in ms."""
        folder = ModuleFolder(self._data, self._game, self._module)
        about = folder.about(version)
        module = module_of(folder, about)()
        reader = DemonstrationFolder(self._data).open(demonstration)
        pictures = (pixels for episode in reader.episodes() for _, pixels in episode.pictures())
        moments = (moment for episode in reader.episodes() for moment in episode.moments)
        sees = about.learned is not None and about.learned.vision is not None
        step_ns = round((about.learned.decide_every_ms if about.learned is not None else 33.0) * NS_PER_MS)
        module.begin()
        took = []
        for number, moment in zip(range(1, _TIMED + 1), moments, strict=False):
            seen = np.asarray(cv2.cvtColor(next(pictures), cv2.COLOR_BGR2BGRA), np.uint8) if sees else None
            values = {**moment.fields, "status": "playing"}
            began = time.perf_counter()
            module.act(values, number * 2 * step_ns, seen)
            took.append(time.perf_counter() - began)
        return round(1e3 * float(np.quantile(took, 0.95)), 3)

    def _corrections(self, version: str, seed: int) -> dict[str, Any]:
        before = {demonstration.id for demonstration in DemonstrationFolder(self._data).all()}
        self._promote(version)
        minutes, scenario = self._effort.round_minutes, self._trial.scenario
        corrected(self._data, self._game, scenario, {self._module: version}, minutes, seed)
        made = [made_id.id for made_id in DemonstrationFolder(self._data).all() if made_id.id not in before]
        if not made:
            raise PitwallError(
                f"{self._name}: the agent played, and no correction was kept.",
                "Look whether corrections are switched on: pitwall settings.",
            )
        return {"corrections": made}

    def _promote(self, version: str) -> None:
        module = f"{self._name}/{self._module}"
        pitwall(
            self._data, "gsm", "promote", module, version, "--force", "--why", "measured by bench imitate"
        )

    # ---- the book

    @property
    def _game(self) -> Game:
        return Registry(self._data).load(self._name)  # anew: a watched module joins once it is learned

    def _part(self, part: str, play: Callable[[], dict[str, Any]], *, live: bool = True) -> Part:
        return Part(f"{self._name}/{part}", live, play)

    def _has(self, part: str) -> bool:
        return f"{self._name}/{part}" in self._book.facts

    def _facts(self, part: str) -> dict[str, Any]:
        return self._book.facts[f"{self._name}/{part}"]

    def _kept(self, part: str, figure: str) -> str:
        return str(self._facts(part)[figure])

    def _seeds(self, player: str) -> list[int]:
        """Return seeds that the player has not played yet."""
        seeds = range(FIRST_SEED, FIRST_SEED + self._effort.runs)
        return [seed for seed in seeds if not self._has(f"{player}/{seed}")]


def _processor_s() -> float:
    """Return the seconds of processor time of the finished commands."""
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took.ru_utime + took.ru_stime


def _trial(game: Game, module: str, seconds: float) -> Trial:
    """Return the module's own trial, cut to a number of seconds; else one of the game's true score."""
    declared = [
        module_declared.trials[0]
        for module_declared in game.profile.modules
        if module_declared.name == module and module_declared.trials
    ]
    truth = game.profile.truth
    assert truth is not None
    made = Trial(name="score", score=truth.score, unit=truth.unit, success=1.0)
    return (declared[0] if declared else made).model_copy(update={"seconds": seconds})
