"""Gathers the templates of a grid world, made for one game's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwall.exam.episode.states import GridState
from pitwall.exam.grid.counts import INDUCTION
from pitwall.exam.grid.events import catalogue
from pitwall.exam.grid.index import Indexes
from pitwall.exam.grid.logic import LOGICAL
from pitwall.exam.grid.order import TEMPORAL
from pitwall.exam.grid.space import SPATIAL
from pitwall.exam.grid.steps import MULTI_HOP, SINGLE_HOP
from pitwall.exam.grid.vocabulary import GridVocabulary
from pitwall.exam.questions.template import Inventory

DECLARED = (*SINGLE_HOP, *MULTI_HOP, *INDUCTION, *SPATIAL, *TEMPORAL, *LOGICAL)
"""Table 15, row by row."""


def grid_inventory(vocabulary: GridVocabulary) -> Inventory[GridState]:
    """Table 15's templates, in its order. What they index of a trace is kept for the last few traces."""
    indexes = Indexes(vocabulary)
    return Inventory("grid", tuple(template.bound(indexes) for template in DECLARED))


def grid_words(vocabulary: GridVocabulary) -> Mapping[str, Sequence[str]]:
    """List the possible values of each named slot of the templates, of the game whatever the episode."""
    events = list(catalogue(vocabulary))
    return {
        "action": vocabulary.actions,
        "terrain": vocabulary.terrains,
        "stat": vocabulary.stats,
        "resource": vocabulary.items,
        "craft": tuple(vocabulary.recipes),
        "event": tuple(event.when for event in events),
        "deed": tuple(event.deed for event in events if event.deed),
    }
