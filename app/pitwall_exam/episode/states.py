"""The state at a step, for each kind of game with its own inventory.

Positions: x to the right, y down, in tiles, from the start of the episode. Directions: left, right, up, down.
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
        at: the player's position; None if unknown (asleep, in the dark, on an end screen).
        ground: terrain underfoot; empty: unknown.
        facing: left, right, up, down; empty: unknown.
        stats: by name, health first ("health", "food", "drink", "energy" in Crafter).
        items: name → count, without counts of zero.
        seen: terrain of the tiles in the frame, by position, without tiles too dark to recognise. The terrain
            under creatures is unknown.
        moved: whether the last action changed `at`.
        dead: the episode ended here by death.
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
        location: name of the place; empty: unknown.
        observation: the text that the game printed last.
        inventory: names of the carried items.
        score: None if the game shows none.
        valid: commands that have an effect here; None if unknown.
    """

    location: str
    observation: str = ""
    inventory: frozenset[str] = frozenset()
    score: float | None = None
    valid: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class FieldState:
    """A state of any game, as its state-reader fields (the general set).

    Attributes:
        fields: name → value; None: not readable.
        status: of the game (core.observations.GameStatus), as text.
        route: how the step was decided (core.signals.Route), as text.
        escalations: reasons for asking the planner, as texts; empty if the step stayed reactive.
        place: number of the place in the run, from 1: a new place begins once the picture's changes (SPEC §1,
            d) add up to the trigger's scene change; 0: unknown.
    """

    fields: Mapping[str, Value]
    status: str = "playing"
    route: str = ""
    escalations: tuple[str, ...] = ()
    place: int = 0
