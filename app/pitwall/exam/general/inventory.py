"""The general set: an inventory over any run's fields."""

from __future__ import annotations

from pitwall.exam.episode.states import FieldState
from pitwall.exam.general.counts import INDUCTION
from pitwall.exam.general.hops import MULTI_HOP, SINGLE_HOP
from pitwall.exam.general.logic import LOGICAL
from pitwall.exam.general.order import TEMPORAL
from pitwall.exam.general.places import SPATIAL
from pitwall.exam.questions.template import Inventory

GENERAL: Inventory[FieldState] = Inventory(
    "general", (*SINGLE_HOP, *MULTI_HOP, *INDUCTION, *SPATIAL, *TEMPORAL, *LOGICAL)
)
