"""The progress and the result of an improve loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pitwall.gsm.version_record import VersionRecord, VersionStatus

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
