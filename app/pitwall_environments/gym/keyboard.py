"""Maps keys to the actions of a Gymnasium action space."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from pitwall.core.errors import PitwallError

AGAIN = "Enter"
"""The key that begins the next episode after an end; no action uses it."""
_PLAIN = [*"1234567890", *"qwertyuiopfghjklzxcvbnm"]
_PAIRS = (("ArrowLeft", "ArrowRight"), ("ArrowDown", "ArrowUp"), ("a", "d"), ("s", "w"))
"""Keys of a box's dimensions: towards its low end, towards its high end."""
_KNOWN = {
    "left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown", "forward": "ArrowUp",
    "fire": "Space", "toggle": "Space", "pickup": "p", "drop": "d", "done": "e",
}  # fmt: skip
"""Keys for actions that an environment names without a key."""
_SDL1 = {273: "ArrowUp", 274: "ArrowDown", 275: "ArrowRight", 276: "ArrowLeft"}
"""Key codes of old pygame versions, which some environments still use."""
_IDLE = frozenset({"noop", "idle", "nothing", "no_op", "wait"})


class UnsuitableEnvironment(PitwallError):
    """An environment cannot be played by keys, or cannot be shown."""


@dataclass(frozen=True, slots=True)
class KeyAction:
    """An action that keys perform.

    Attributes:
        name: in the game's profile. keys: DOM names, held together.
    """

    name: str
    keys: tuple[str, ...]


class Keyboard:
    """Chooses a value of an action space from the held keys.

    Args:
        actions: each with its value.
        idle: the value while no key is held; None: the environment has none, and runs by turns.
        summed: actions held together add up (a box, switches); otherwise the longest combination counts.
    """

    def __init__(self, actions: Sequence[tuple[KeyAction, Any]], idle: Any, *, summed: bool = False) -> None:
        self.actions = tuple(action for action, _ in actions)
        self._values = {frozenset(action.keys): value for action, value in actions}
        self._by_length = sorted(self._values, key=len, reverse=True)
        self._summed = summed
        self.idle = idle

    def value(self, held: frozenset[str]) -> Any:
        """Return the value for the environment's step; `idle` if no action fits."""
        if self._summed:
            return self._sum(held)
        fitting = next((keys for keys in self._by_length if keys <= held), None)
        return self.idle if fitting is None else self._values[fitting]

    def _sum(self, held: frozenset[str]) -> Any:
        total = np.array(self.idle, copy=True)
        for keys, (index, value) in self._values.items():
            if keys <= held:
                total[index] = value
        return total


def keyboard_of(env: gymnasium.Env[Any, Any]) -> Keyboard:
    """Map keys to the actions of an environment, by its own mapping if it has one.

    Raises:
        UnsuitableEnvironment: its action space cannot be played by keys.
    """
    space = env.action_space
    if isinstance(space, spaces.Discrete):
        return _discrete(env.unwrapped, space)
    if isinstance(space, spaces.MultiBinary) and int(np.prod(space.shape)) <= len(_PLAIN):
        switches = [
            (KeyAction(f"switch_{i}", (_PLAIN[i],)), (i, 1)) for i in range(int(np.prod(space.shape)))
        ]
        return Keyboard(switches, np.zeros(space.shape, space.dtype), summed=True)
    if isinstance(space, spaces.Box) and len(space.shape) == 1 and space.shape[0] <= len(_PAIRS):
        return _box(space)
    raise UnsuitableEnvironment(
        f"its actions are {space}: keys cannot play that.",
        f"Environments with a list of actions, switches, or at most {len(_PAIRS)} numbers can be played.",
    )


def _box(space: spaces.Box) -> Keyboard:
    low, high = np.nan_to_num(space.low, neginf=-1.0), np.nan_to_num(space.high, posinf=1.0)
    actions = []
    for i, (down, up) in enumerate(_PAIRS[: space.shape[0]]):
        actions.append((KeyAction(f"lower_{i}", (down,)), (i, low[i])))
        actions.append((KeyAction(f"higher_{i}", (up,)), (i, high[i])))
    return Keyboard(actions, np.clip(np.zeros_like(low), low, high), summed=True)


def _discrete(env: Any, space: spaces.Discrete) -> Keyboard:
    values = range(int(space.start), int(space.start + space.n))
    names = _names(env, values)
    mapped = _mapped(env)
    idle = mapped.pop(frozenset(), None)
    idle = next((value for value, name in names.items() if name in _IDLE), idle)
    if not mapped:
        mapped = _assigned(names, idle)
    keys_of: dict[Any, frozenset[str]] = {}
    for keys, value in mapped.items():
        keys_of.setdefault(value, keys)
    actions = [
        (KeyAction(names.get(value, f"action_{value}"), tuple(sorted(keys))), value)
        for value, keys in keys_of.items()
        if value != idle
    ]
    if not actions:
        raise UnsuitableEnvironment("its only action is to do nothing.", "Choose another environment.")
    return Keyboard(actions, idle)


def _mapped(env: Any) -> dict[frozenset[str], int]:
    """Return the environment's own mapping, `get_keys_to_action()`; empty without one."""
    asked = getattr(env, "get_keys_to_action", None)
    own = asked() if callable(asked) else {}
    mapped: dict[frozenset[str], int] = {}
    for keys, value in own.items():
        names = [_dom(key) for key in (keys if isinstance(keys, tuple) else (keys,))]
        if None not in names and AGAIN not in names:
            mapped[frozenset(filter(None, names))] = int(value)
    return mapped


def _dom(key: str | int) -> str | None:
    if isinstance(key, int):
        return _SDL1.get(key) or (_dom(chr(key)) if 32 <= key < 127 else None)
    return "Space" if key == " " else key.lower() if key.isascii() and key.isalnum() else None


def _names(env: Any, values: Sequence[int]) -> Mapping[int, str]:
    """Name the values as the environment does, else `action_N`."""
    asked = getattr(env, "get_action_meanings", None)
    own: dict[int, str] = {}
    if callable(asked):
        own = dict(zip(values, asked(), strict=False))
    elif isinstance(listed := getattr(env, "actions", None), type):
        own = {int(value): name for name, value in getattr(listed, "__members__", {}).items()}
    return {value: _plain_name(own.get(value, f"action_{value}")) for value in values}


def _plain_name(text: str) -> str:
    """Write UPRIGHTFIRE as up_right_fire."""
    parted = re.sub(r"(UP|DOWN|LEFT|RIGHT|FIRE)(?=[A-Z])", r"\1_", text)
    name = re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")
    return name if name[:1].isalpha() else f"action_{name}"


def _assigned(names: Mapping[int, str], idle: Any) -> dict[frozenset[str], int]:
    """Assign each action the key that its name suggests, else the next digit or letter."""
    taken: dict[frozenset[str], int] = {}
    free = list(_PLAIN)
    for value, name in names.items():
        wanted = _KNOWN.get(name)
        if wanted is not None and frozenset({wanted}) not in taken:
            taken[frozenset({wanted})] = value
            if wanted in free:
                free.remove(wanted)
    for value in names:
        if value != idle and value not in taken.values():
            if not free:
                raise UnsuitableEnvironment(
                    f"it has {len(names)} actions, more than there are keys.", "Choose another environment."
                )
            taken[frozenset({free.pop(0)})] = value
    return taken
