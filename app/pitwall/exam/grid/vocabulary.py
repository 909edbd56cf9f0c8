"""Defines the words of a grid world's game that questions are made of, whether or not an episode met them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class GridVocabulary:
    """The words of a grid world, as its manifest gives them.

    Attributes:
        actions: every action, as text of a semantic action.
        moves: action → direction (left, right, up, down).
        stats: by name, health first.
        resources, tools: what can be carried: gathered, or made.
        terrains: all there are; walkable: of these what can be walked on.
        deadly: terrains whose entering kills.
        trees: the terrain that counts as a tree; empty: there is none.
        interact: the action that takes, eats, drinks; sleep: the one that sleeps; empty: there is none.
        places: action → what it places. makes: action → the tool that it makes.
        recipes: what can be placed or made → resource → how many it takes.
        wants: stat → what one dies of while it is at nothing ("food" → "starvation").
        restores: stat → what its rise is called, as one says it of "you" in the past ("drink" → "drank").
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
        """The stat that attacks lower."""
        return self.stats[0]

    @property
    def items(self) -> tuple[str, ...]:
        """List everything that can be carried."""
        return (*self.resources, *self.tools)

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that one can move, each once, in the moves' order."""
        return tuple(dict.fromkeys(self.moves.values()))
