"""Action spaces of several parts: which parts they have, and an action made of the parts that keys set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

Path = tuple[str | int, ...]
"""Keys of dictionaries and places in tuples and arrays that lead to a part."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an action that is one number.

    Attributes:
        name: of the part, within the action. values: name → value, without the idle value.
        paired: the values are a low and a high end.
    """

    path: Path
    name: str
    values: Mapping[str, Any]
    paired: bool = False


def parts_of(space: spaces.Space[Any], path: Path = (), name: str = "") -> Iterator[Part]:
    """Yield the parts of an action space.

    Raises:
        TypeError: it has a part that is no number.
    """
    match space:
        case spaces.Dict():
            for key, inner in space.spaces.items():
                yield from parts_of(inner, (*path, key), f"{name}{key}_")
        case spaces.Tuple():
            for at, inner in enumerate(space.spaces):
                yield from parts_of(inner, (*path, at), f"{name}{at}_")
        case spaces.Discrete():
            values = range(int(space.start) + 1, int(space.start + space.n))
            yield Part(path, name, {f"{name}choice_{value}": np.int64(value) for value in values})
        case spaces.MultiBinary():
            for at in range(int(np.prod(space.shape))):
                yield Part((*path, at), name, {f"{name}switch_{at}": 1})
        case spaces.MultiDiscrete():
            counts, starts = space.nvec.reshape(-1), np.reshape(space.start, -1)
            for at, (count, start) in enumerate(zip(counts, starts, strict=True)):
                chosen = range(int(start) + 1, int(start + count))
                yield Part((*path, at), name, {f"{name}choice_{at}_{value}": value for value in chosen})
        case spaces.Box():
            low, high = (ends.reshape(-1) for ends in _bounds(space))
            for at in range(low.size):
                ends = {f"{name}lower_{at}": low[at], f"{name}higher_{at}": high[at]}
                yield Part((*path, at), name, ends, paired=True)
        case _:
            raise TypeError(type(space).__name__)


def action_of(space: spaces.Space[Any], chosen: Mapping[Path, Any], path: Path = ()) -> Any:
    """Return an action with the chosen values of its parts, idle in all others."""
    match space:
        case spaces.Dict():
            return {key: action_of(inner, chosen, (*path, key)) for key, inner in space.spaces.items()}
        case spaces.Tuple():
            return tuple(action_of(inner, chosen, (*path, at)) for at, inner in enumerate(space.spaces))
        case spaces.Discrete():
            return chosen.get(path, np.int64(space.start))
        case spaces.MultiDiscrete():
            action = np.array(np.broadcast_to(space.start, space.shape), space.dtype)
        case spaces.Box():
            low, high = _bounds(space)
            action = np.clip(np.zeros_like(low), low, high)
        case _:
            action = np.zeros(space.shape or (), space.dtype)
    for part, value in chosen.items():
        if part[:-1] == path:
            action.flat[int(part[-1])] = value
    return action


def _bounds(space: spaces.Box) -> tuple[Any, Any]:
    return np.nan_to_num(space.low, neginf=-1.0), np.nan_to_num(space.high, posinf=1.0)
