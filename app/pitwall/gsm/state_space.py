"""A policy's inputs: the state vector of the fields, and the history of its actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pitwall.core.observations import Value
from pitwall.games.schema.modules import Learned, StateInput
from pitwall.gsm.board_ways import names_of, numbers_of, rows_of

_BEYOND = 1.5
"""Largest absolute value of a number outside low … high, which are −1 … 1."""


class StateSpace:
    """The state vector of one learned module (its rules: games.schema.modules.StateInput).

    Args:
        inputs: in the order of the vector.

    Attributes:
        names: name of each number in the vector, `field`, `field=choice` or `field?`.
    """

    def __init__(self, inputs: Sequence[StateInput]) -> None:
        self.inputs = tuple(inputs)
        self.names = tuple(name for entry in self.inputs for name in _names(entry))

    @property
    def size(self) -> int:
        """Return the length of the vector."""
        return len(self.names)

    @property
    def fields(self) -> frozenset[str]:
        """Return the state-reader fields that it reads."""
        return frozenset(
            name for entry in self.inputs for name in (entry.field, entry.minus, *(entry.at or ())) if name
        )

    def encode(self, values: Mapping[str, Value]) -> NDArray[np.float32]:
        """Return the vector of one state, shape (size,)."""
        numbers: list[float] = []
        for entry in self.inputs:
            numbers += _board(entry, values) if entry.at else _numbers(entry, value_of(entry, values))
        return np.asarray(numbers, np.float32)


def value_of(entry: StateInput, values: Mapping[str, Value]) -> Value:
    """Return the value of an input: a field's, or its difference from another field's."""
    value = values.get(entry.field)
    if not entry.minus:
        return value
    other = values.get(entry.minus)
    if isinstance(value, int | float) and isinstance(other, int | float):
        return value - other
    return None


def _names(entry: StateInput) -> list[str]:
    name = f"{entry.field}-{entry.minus}" if entry.minus else entry.field
    if entry.at:
        return [f"{name} {way}" for way in names_of(entry.choices)]
    names = [f"{name}={choice}" for choice in entry.choices] or [name]
    return [*names, f"{name}?"] if entry.optional else names


def _board(entry: StateInput, values: Mapping[str, Value]) -> list[float]:
    rows, cell = rows_of(values.get(entry.field)), [values.get(name) for name in entry.at or ()]
    x, y = (round(place) if isinstance(place, int | float) else -1 for place in cell)
    if not rows or x < 0 or y < 0:
        return [0.0] * len(names_of(entry.choices))
    return numbers_of(rows, (x, y), entry.entered, entry.choices)


def _numbers(entry: StateInput, value: Value) -> list[float]:
    if entry.choices:
        numbers = [float(value == choice) for choice in entry.choices]
    elif value is None or isinstance(value, str):
        numbers = [0.0]
    elif isinstance(value, bool):
        numbers = [float(value)]
    else:
        scaled = 2.0 * (value - entry.low) / (entry.high - entry.low) - 1.0
        numbers = [min(_BEYOND, max(-_BEYOND, scaled)) if scaled == scaled else 0.0]
    return [*numbers, float(value is not None)] if entry.optional else numbers


def encode_history(past: Sequence[tuple[int, ...]], learned: Learned) -> NDArray[np.float32]:
    """Return past actions as rows of zeros and ones, oldest first, padded by zeros: (history, actions).

    Args:
        past: indices of the actions of each decision, newest last; only the last `history` count.
    """
    rows = np.zeros((learned.history, len(learned.actions)), np.float32)
    newest = past[-learned.history :] if learned.history else ()
    for place, actions in enumerate(newest, start=learned.history - len(newest)):
        rows[place, list(actions)] = 1.0
    return rows
