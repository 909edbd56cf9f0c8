"""The words of a grid world's game, from its manifest, whether or not they occur in an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pitwall.games.schema.profile import Profile
from pitwall_exam.plugin_table.schema import GridTable


@dataclass(frozen=True)
class GridVocabulary:
    """The words of a grid world, from its manifest.

    Attributes:
        actions: every action, as text of a semantic action.
        moves: action → direction (left, right, up, down).
        stats: names, health first.
        resources, tools: items that are gathered, or made.
        terrains: every terrain; walkable: those that can be walked on.
        deadly: terrains that kill whoever enters them.
        trees: the terrain that counts as a tree; empty: there is none.
        interact: the action that takes, eats and drinks; sleep: the action that sleeps; empty: there is none.
        places: action → the thing it places. makes: action → the tool it makes.
        recipes: thing that can be placed or made → resource → how many it takes.
        wants: stat → cause of death while it is at zero ("food" → "starvation").
        restores: stat → verb in the past for its rise, with "you" as subject ("drink" → "drank").
    """

    actions: tuple[str, ...]
    moves: Mapping[str, str]
    stats: tuple[str, ...]
    resources: tuple[str, ...]
    terrains: tuple[str, ...]
    walkable: frozenset[str]
    tools: tuple[str, ...] = ()
    deadly: frozenset[str] = frozenset()
    trees: str = "tree"
    interact: str = ""
    sleep: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    makes: Mapping[str, str] = field(default_factory=dict)
    recipes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    wants: Mapping[str, str] = field(default_factory=dict)
    restores: Mapping[str, str] = field(default_factory=dict)

    @property
    def health(self) -> str:
        """Return the stat that attacks lower."""
        return self.stats[0]

    @property
    def items(self) -> tuple[str, ...]:
        """List everything that can be carried."""
        return (*self.resources, *self.tools)

    @property
    def directions(self) -> tuple[str, ...]:
        """List the directions of the moves, each once, in the moves' order."""
        return tuple(dict.fromkeys(self.moves.values()))


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
