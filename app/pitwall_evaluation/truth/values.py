"""A true state built from single values: lines of a log, or readings of the screen."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.observations import GameStatus, Value
from pitwall.core.validation import first_fault
from pitwall_evaluation.truth.state import TrueState

_FALSE = frozenset({"", "0", "false", "no", "off", "none"})
_ALIASES = {"is_terminal": "isTerminal"}


def value_of(text: str) -> Value:
    """Convert a text to a number or a boolean if it is one; else keep the text."""
    plain = text.strip()
    if plain.casefold() in ("true", "false"):
        return plain.casefold() == "true"
    try:
        number = float(plain)
    except ValueError:
        return plain
    if not math.isfinite(number):
        return plain
    return int(number) if number.is_integer() and "." not in plain and "e" not in plain.casefold() else number


def is_truthy(value: Value) -> bool:
    """Return whether a value means yes: a number other than 0, a text unlike `no`."""
    return value.strip().casefold() not in _FALSE if isinstance(value, str) else bool(value)


def state_from_values(
    game_id: str, values: Mapping[str, Value], status: GameStatus = GameStatus.PLAYING
) -> TrueState:
    """Build the contract's state in which these dotted paths have these values.

    Args:
        status: used if no path `status` gives one.

    Raises:
        PitwallError: a value does not fit its place; names the path.
    """
    now_ms = time.time() * 1e3
    state: dict[str, Any] = {
        "gameId": game_id,
        "timestampMs": now_ms,
        "gameTimeMs": values.get("game_time_ms", 0.0),
        "status": _status(values["status"]) if "status" in values else status,
    }
    for path, value in values.items():
        if path in ("status", "game_time_ms"):
            continue
        *folders, name = path.split(".")
        table = state
        for folder in folders:
            table = table.setdefault(folder, {})
        fitting = is_truthy(value) if path == "terminal.is_terminal" else value
        table[_ALIASES.get(name, name) if folders == ["terminal"] else name] = fitting
    try:
        return TrueState.model_validate(state)
    except ValidationError as error:
        where, problem = first_fault(error)
        raise PitwallError(f"the true state's {where}: {problem}.") from None


def _status(value: Value) -> GameStatus:
    name = str(value).strip().casefold()
    known = [status.value for status in GameStatus]
    if name not in known:
        raise PitwallError(
            f"the true state's status is {value!r}.",
            suggestion(name, known, f"It is one of {', '.join(known)}."),
        )
    return GameStatus(name)
