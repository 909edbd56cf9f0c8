"""Words an episode's state: the text that models and persons with an open book get for each step."""

from __future__ import annotations

from pitwall.core.observations import Value
from pitwall_exam.episode.states import FieldState, GridState, TextState

_FIELDS, _FIELD_LENGTH = 40, 60


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
    parts += [f"Score: {state.score:g}."] if state.score is not None else []
    return " ".join(parts)


def _fields(state: FieldState) -> str:
    read = [f"{name} {_short(value)}" for name, value in state.fields.items() if value is not None]
    escalated = (
        f" The planner was asked because of {', '.join(state.escalations)}." if state.escalations else ""
    )
    return f"{', '.join(read[:_FIELDS])}; route {state.route}.{escalated}"


def _short(value: Value) -> str:
    text = str(value)
    return text if len(text) <= _FIELD_LENGTH else f"{text[: _FIELD_LENGTH - 1]}…"
