"""The general set: an inventory over any run's fields."""

from __future__ import annotations

from pitwall_exam.episode.states import FieldState
from pitwall_exam.general.counts import INDUCTION
from pitwall_exam.general.hops import MULTI_HOP, SINGLE_HOP
from pitwall_exam.general.logic import LOGICAL
from pitwall_exam.general.order import TEMPORAL
from pitwall_exam.general.places import SPATIAL
from pitwall_exam.questions.template import Inventory

GENERAL: Inventory[FieldState] = Inventory(
    "general", (*SINGLE_HOP, *MULTI_HOP, *INDUCTION, *SPATIAL, *TEMPORAL, *LOGICAL)
)
