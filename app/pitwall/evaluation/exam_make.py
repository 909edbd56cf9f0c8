"""An exam over a run of the data folder: its truths from the game's true states where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pitwall.core.paths import DataFolder
from pitwall.exam.paper import Exam, RuleSet

Wanted = Literal["own", "general", "both"]
"""The inventory of the game's kind (the general set where there is none), the general one, or both."""


@dataclass(frozen=True)
class Made:
    """An exam, and what the operator should know of it.

    Attributes:
        notes: sentences: why an inventory is missing, that the truth's log was cut off, and the like.
    """

    exam: Exam
    notes: tuple[str, ...] = ()


def exam_of_run(
    data: DataFolder,
    run_id: int,
    *,
    rule_set: RuleSet = "paper",
    wanted: Wanted = "own",
    seed: int = 42,
    horizon: int = 0,
    per_template: int = 2,
    persons: bool = False,
) -> Made:
    """Make an exam; writes nothing.

    Raises:
        UnknownRun: no run has this id.
        PitwallError: nothing can be asked about it, or not under this rule set; says why.
    """
    raise NotImplementedError
