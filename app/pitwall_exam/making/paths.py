"""Dotted paths into a true state as its log keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pitwall.core.errors import ExamError, suggestion


def at_path(state: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path like `game_state.player.x`.

    Raises:
        ExamError: nothing is there; names the nearest key.
    """
    value: Any = state
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            keys = value if isinstance(value, Mapping) else ()
            raise ExamError(
                f"the true state has no {path!r} ({part!r} is not there).",
                suggestion(part, keys, "Mend the path in [exam] of the game's plugin.toml."),
            )
        value = value[part]
    return value


def whole_number_at(state: Mapping[str, Any], path: str) -> int:
    """Return the whole number that a path names.

    Raises:
        ExamError: there is none.
    """
    value = at_path(state, path)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ExamError(f"{path!r} of the true state is {value!r}, no whole number.")
    return int(value)


def is_over(state: Mapping[str, Any]) -> bool:
    """Return whether the game had ended in this state."""
    return state["status"] == "terminal" or bool(state["terminal"].get("is_terminal"))
