"""All templates of a grid world, made for one game's words."""

from __future__ import annotations

from pitwall.exam.grid_vocabulary import GridVocabulary
from pitwall.exam.states import GridState
from pitwall.exam.template import Inventory


def grid_inventory(vocabulary: GridVocabulary) -> Inventory[GridState]:
    """Table 15's templates, in its order. What they index of a trace is kept for the last few traces."""
    raise NotImplementedError
