"""A policy's eyes and hands: fields become its state vector, past actions its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pitwall.core.observations import Value
from pitwall.games.schema.modules import Learned, StateInput
from pitwall.gsm.board_ways import names_of, numbers_of, rows_of

_BEYOND = 1.5
"""A number outside low … high goes at most this far beyond −1 … 1."""


class StateSpace:
    """The state vector of one learned module (see games.modules.StateInput for its rules).

    Args:
        inputs: in the order of the vector.

    Attributes:
        names: what each number of the vector is, `field`, `field=choice` or `field?`.
    """

    def __init__(self, inputs: Sequence[StateInput]) -> None:
        self.inputs = tuple(inputs)
        self.names = tuple(name for one in self.inputs for name in _names(one))

    @property
    def size(self) -> int:
        """Length of the vector."""
        return len(self.names)

    @property
    def fields(self) -> frozenset[str]:
        """State-reader fields it reads."""
        return frozenset(
            name for one in self.inputs for name in (one.field, one.minus, *(one.at or ())) if name
        )

    def encode(self, values: Mapping[str, Value]) -> NDArray[np.float32]:
        """The vector of one state, shape (size,)."""
        numbers: list[float] = []
        for one in self.inputs:
            numbers += _board(one, values) if one.at else _numbers(one, value_of(one, values))
        return np.asarray(numbers, np.float32)


def value_of(one: StateInput, values: Mapping[str, Value]) -> Value:
    """Return the value that an input stands for: a field's, or how far it is from another's."""
    value = values.get(one.field)
    if not one.minus:
        return value
    other = values.get(one.minus)
    if isinstance(value, int | float) and isinstance(other, int | float):
        return value - other
    return None


def _names(one: StateInput) -> list[str]:
    name = f"{one.field}-{one.minus}" if one.minus else one.field
    if one.at:
        return [f"{name} {way}" for way in names_of(one.choices)]
    names = [f"{name}={choice}" for choice in one.choices] or [name]
    return [*names, f"{name}?"] if one.optional else names


def _board(one: StateInput, values: Mapping[str, Value]) -> list[float]:
    rows, cell = rows_of(values.get(one.field)), [values.get(name) for name in one.at or ()]
    x, y = (round(place) if isinstance(place, int | float) else -1 for place in cell)
    if not rows or x < 0 or y < 0:
        return [0.0] * len(names_of(one.choices))
    return numbers_of(rows, (x, y), one.entered, one.choices)


def _numbers(one: StateInput, value: Value) -> list[float]:
    if one.choices:
        numbers = [float(value == choice) for choice in one.choices]
    elif value is None or isinstance(value, str):
        numbers = [0.0]
    elif isinstance(value, bool):
        numbers = [float(value)]
    else:
        scaled = 2.0 * (value - one.low) / (one.high - one.low) - 1.0
        numbers = [min(_BEYOND, max(-_BEYOND, scaled)) if scaled == scaled else 0.0]
    return [*numbers, float(value is not None)] if one.optional else numbers


def encode_history(past: Sequence[tuple[int, ...]], learned: Learned) -> NDArray[np.float32]:
    """Past actions as rows of zeros and ones, oldest first, zeros before the first: (history, actions).

    Args:
        past: indices of the actions of each decision, the newest last; only the last `history` count.
    """
    rows = np.zeros((learned.history, len(learned.actions)), np.float32)
    newest = past[-learned.history :] if learned.history else ()
    for place, actions in enumerate(newest, start=learned.history - len(newest)):
        rows[place, list(actions)] = 1.0
    return rows
