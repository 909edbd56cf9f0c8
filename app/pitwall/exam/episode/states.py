"""Defines the state at a step, for each kind of game with an inventory of its own.

Positions: x to the right, y down, in tiles, from where the episode began. Directions: left, right, up, down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pitwall.core.observations import Value

Tile = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GridState:
    """A state of a grid world (Table 15).

    Attributes:
        at: where one stands; None where it is not known (asleep, in the dark, on an end screen).
        ground: terrain underfoot; empty: not known.
        facing: left, right, up, down; empty: not known.
        stats: by name, health first ("health", "food", "drink", "energy" in Crafter).
        items: name → how many, without those there are none of.
        seen: terrain of the tiles in the frame, by place; those too dark to tell are not in it.
            Creatures stand on tiles whose terrain is then not known.
        moved: whether the last action changed `at`.
        dead: it ended here by death.
    """

    at: Tile | None
    ground: str = ""
    facing: str = ""
    stats: Mapping[str, int] = field(default_factory=dict)
    items: Mapping[str, int] = field(default_factory=dict)
    seen: Mapping[Tile, str] = field(default_factory=dict)
    moved: bool = False
    dead: bool = False


@dataclass(frozen=True, slots=True)
class TextState:
    """A state of a text game (Table 14).

    Attributes:
        location: name of the place; empty: not known.
        observation: what the game printed last.
        inventory: things carried, by name.
        score: None where the game tells none.
        valid: commands that would do something here; None where no one told.
    """

    location: str
    observation: str = ""
    inventory: frozenset[str] = frozenset()
    score: float | None = None
    valid: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class FieldState:
    """A state of any game, as its state-reader fields say it (the general set).

    Attributes:
        fields: name → value; None: not readable.
        status: of the game (core.observations.GameStatus), as text.
        route: how the step was decided (core.signals.Route), as text.
        escalations: reasons for asking the planner, as texts; empty where it stayed reactive.
        place: which place of the run this is, from 1: another one begins once the picture's changes (SPEC §1,
            d) since this one began add up to the trigger's scene change; 0: not known.
    """

    fields: Mapping[str, Value]
    status: str = "playing"
    route: str = ""
    escalations: tuple[str, ...] = ()
    place: int = 0
