"""Defines the terms, the progress and the result of an improve loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pitwall.gsm.version_record import Score, VersionRecord, VersionStatus

MOST_ITERATIONS = 3
"""Tries of one loop: more degrade a module (SPEC §8)."""
Phase = Literal["analyse", "propose", "check", "train", "compare", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopProgress:
    """The loop's progress: `done` out of `of` within the phase; 0 of 0 if that is unknown."""

    iteration: int
    phase: Phase
    text: str
    version: str = ""
    done: int = 0
    of: int = 0


class Attempt(BaseModel):
    """One try, as it ended or as far as it came."""

    model_config = ConfigDict(frozen=True)

    version: str
    parent: str
    title: str
    by: str
    standing: VersionStatus
    note: str = ""

    @classmethod
    def of(cls, about: VersionRecord) -> Attempt:
        """Build the attempt from its version's record."""
        return cls(**about.model_dump(include=set(cls.model_fields)))


class ImprovementResult(BaseModel):
    """The result of a loop.

    Attributes:
        began: the version it began from. best: the best version at its end.
        attempts: every try of the loop, those of earlier calls too.
        finished: False if it was stopped or a proposal waits; the next call resumes it.
        sentence: why it ended.
    """

    model_config = ConfigDict(frozen=True)

    game: str
    module: str
    began: str
    best: str
    attempts: tuple[Attempt, ...] = ()
    finished: bool = True
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementTerms:
    """The terms of a loop.

    Attributes:
        iterations: at most so many tries now, a resumed one included; a loop has three in all.
        trial: the trial that decides; empty: the module's first. Scores in other trials must not fall.
        runs: of each comparison, on the same held-out seeds.
        steps: decisions of each training; 0: the recipe's.
        screen: plays a version's held-out runs on the screen. Then the screen decides, unless the twin
            already showed the version to be worse.
        only_propose: stop as soon as a checked proposal is a version.
    """

    iterations: int = MOST_ITERATIONS
    trial: str = ""
    runs: int = 60
    steps: int = 0
    seed: int = 0
    workers: int = 0
    ray: str = ""
    screen: Callable[[str], Score] | None = None
    only_propose: bool = False
