"""The state at a step, for each kind of game with its own inventory, and its words.

Positions: x to the right, y down, in tiles, from the start of the episode. Directions: left, right, up, down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
    """A state of any game: the field values that its profile reads. The general question set asks about it.

    Attributes:
        fields: name → value; None: not readable.
        status: of the game (core.observations.GameStatus), as text.
        route: how the step was decided (core.signals.Route), as text.
        escalations: reasons for asking the planner, as texts; empty if the step stayed reactive.
        place: number of the scene within the run, from 1; 0: unknown. A new scene begins when the picture
            changes of its steps (signal d, SPEC §1) add up to the trigger's threshold `scene_change`.
    """

    fields: Mapping[str, Value]
    status: str = "playing"
    route: str = ""
    escalations: tuple[str, ...] = ()
    place: int = 0


_FIELD_LENGTH = 60


def format_state(state: object) -> str:
    """Describe a state in a few sentences; "" for a state without known words."""
    if isinstance(state, GridState):
        return _grid(state)
    if isinstance(state, TextState):
        return _text(state)
    return _fields(state) if isinstance(state, FieldState) else ""


def _grid(state: GridState) -> str:
    stats = ", ".join(f"{name} {value}" for name, value in state.stats.items())
    items = ", ".join(f"{name} {count}" for name, count in state.items.items())
    parts = [stats, f"carrying {items}" if items else "carrying nothing"]
    parts += [f"on {state.ground}"] if state.ground else []
    parts += [f"facing {state.facing}"] if state.facing else []
    return f"{'; '.join(part for part in parts if part)}."


def _text(state: TextState) -> str:
    parts = [f"Location: {state.location}."] if state.location else []
    parts += [f"Observation: {state.observation}"] if state.observation else []
    parts += [f"Score: {state.score:.15g}."] if state.score is not None else []
    return " ".join(parts)


def _fields(state: FieldState) -> str:
    read = [f"{name} {short_value(value)}" for name, value in state.fields.items() if value is not None]
    escalated = (
        f" The planner was asked because of {', '.join(state.escalations)}." if state.escalations else ""
    )
    place = f"place {state.place}" if state.place else ""
    route = f"route {state.route}" if state.route else ""
    return f"{'; '.join(part for part in (', '.join(read), place, route) if part)}.{escalated}"


def outcome_of(state: object) -> object:
    """Return the state after a last step: without how the next step was decided."""
    return replace(state, route="", escalations=()) if isinstance(state, FieldState) else state


def short_value(value: Value) -> str:
    """Return a field's value as text, cut where it is long."""
    text = str(value)
    return text if len(text) <= _FIELD_LENGTH else f"{text[: _FIELD_LENGTH - 1]}…"
