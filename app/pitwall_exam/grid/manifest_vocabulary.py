"""Reads a grid world's vocabulary from its manifest."""

from __future__ import annotations

from pitwall.games.schema.profile import Profile
from pitwall_exam.grid.vocabulary import GridVocabulary
from pitwall_exam.plugin_table.schema import GridTable


def grid_vocabulary(profile: Profile, grid: GridTable) -> GridVocabulary:
    """Read the words of a grid world from its [exam.grid] and [[actions]]."""
    return GridVocabulary(
        actions=tuple(action.name for action in profile.actions),
        moves=dict(grid.moves),
        stats=tuple(grid.stats),
        resources=tuple(grid.resources),
        tools=tuple(grid.tools),
        terrains=grid.terrains,
        walkable=frozenset(grid.walkable),
        deadly=frozenset(grid.deadly),
        trees=grid.trees,
        interact=grid.interact,
        sleep=grid.sleep,
        places=dict(grid.places),
        makes=dict(grid.makes),
        recipes={name: dict(needs) for name, needs in grid.recipes.items()},
        wants=dict(grid.wants),
        restores=dict(grid.restores),
    )
