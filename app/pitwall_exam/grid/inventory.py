"""Gathers the templates of a grid world, made for one game's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pitwall_exam.episode.states import GridState
from pitwall_exam.grid.counts import INDUCTION
from pitwall_exam.grid.declaration import Chooser, Finder
from pitwall_exam.grid.events import catalogue
from pitwall_exam.grid.index import Indexes
from pitwall_exam.grid.logic import LOGICAL
from pitwall_exam.grid.order import TEMPORAL
from pitwall_exam.grid.space import SPATIAL
from pitwall_exam.grid.steps import MULTI_HOP, SINGLE_HOP
from pitwall_exam.grid.vocabulary import GridVocabulary
from pitwall_exam.questions.template import Inventory, Program, declared

PROGRAMS = SINGLE_HOP | MULTI_HOP | INDUCTION | SPATIAL | TEMPORAL | LOGICAL


def grid_inventory(vocabulary: GridVocabulary) -> Inventory[GridState]:
    """Build the templates of Table 15 for one game; the indexes of the last few traces are kept."""
    indexes = Indexes(vocabulary)
    programs = {name: _bound(indexes, *program) for name, program in PROGRAMS.items()}
    return Inventory("grid", declared("grid", programs))


def _bound(indexes: Indexes, choose: Chooser, find: Finder) -> Program[GridState]:
    return (
        lambda trace, chance: choose(indexes.of(trace), chance),
        lambda trace, slots: find(indexes.of(trace), slots),
    )


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
