"""The seven abilities, and the kinds of answers."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

AnswerKind = Literal["string", "integer", "float", "yes-no", "list"]
"""How an answer is compared. A list is one text of several things, separated by commas, in any order."""


class Ability(StrEnum):
    """The seven abilities of SPEC §7, in the order in which they are shown."""

    SINGLE_HOP = "single-hop"
    MULTI_HOP = "multi-hop"
    INDUCTION = "induction"
    SPATIAL = "spatial"
    TEMPORAL = "temporal"
    LOGICAL = "logical"
    ADVERSARIAL = "adversarial"
