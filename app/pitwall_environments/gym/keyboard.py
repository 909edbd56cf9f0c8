"""Maps keys to the actions of a Gymnasium action space."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from pitwall.core.errors import PitwallError
from pitwall.core.keys import canonical_key
from pitwall_environments.gym.spaces import Part, action_of, parts_of

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
_SDL = 1 << 30
_CODES = {
    273: "ArrowUp", 274: "ArrowDown", 275: "ArrowRight", 276: "ArrowLeft",
    _SDL + 82: "ArrowUp", _SDL + 81: "ArrowDown", _SDL + 79: "ArrowRight", _SDL + 80: "ArrowLeft",
    _SDL + 225: "Shift", _SDL + 229: "Shift", _SDL + 224: "Control", _SDL + 228: "Control",
    8: "Backspace", 9: "Tab", 13: "Enter", 27: "Escape",
}  # fmt: skip
"""pygame's codes of keys without a letter, those of its old versions first."""
_MOST_HELD = 3
"""Longest text that is a combination of letters; a longer text is a name."""
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
    """Chooses an action from the held keys; the longest combination that is held counts.

    Args:
        actions: each with its value.
        idle: the value while no key is held; None: the environment has none, and runs by turns.
    """

    def __init__(self, actions: Sequence[tuple[KeyAction, Any]], idle: Any) -> None:
        self.actions = tuple(action for action, _ in actions)
        self._values = {frozenset(action.keys): value for action, value in actions}
        self._by_length = sorted(self._values, key=len, reverse=True)
        self.idle = idle

    def value(self, held: frozenset[str]) -> Any:
        """Return the value for the environment's step; `idle` if no action fits."""
        fitting = next((keys for keys in self._by_length if keys <= held), None)
        return self.idle if fitting is None else self._values[fitting]


class PartsKeyboard(Keyboard):
    """Sets each part of an action with keys of its own; actions that are held together add up."""

    def __init__(self, space: spaces.Space[Any], actions: Sequence[tuple[KeyAction, Any]]) -> None:
        super().__init__(actions, action_of(space, {}))
        self._space = space

    def value(self, held: frozenset[str]) -> Any:
        """Return the action of the held keys."""
        return action_of(self._space, dict(part for keys, part in self._values.items() if keys <= held))


def keyboard_of(env: gymnasium.Env[Any, Any]) -> Keyboard:
    """Map keys to the actions of an environment, by its own mapping if it has one.

    Raises:
        UnsuitableEnvironment: its action space cannot be played by keys.
    """
    space = env.action_space
    own = _mapped(env)
    if isinstance(space, spaces.Discrete):
        return _discrete(env.unwrapped, space, {keys: int(value) for keys, value in own.items()})
    if own:
        idle = own.pop(frozenset(), None)
        named = [
            (KeyAction("_".join(["press", *_words(keys)]), tuple(sorted(keys))), own[keys]) for keys in own
        ]
        if named:
            return Keyboard(named, action_of(space, {}) if idle is None else idle)
    try:
        return PartsKeyboard(space, _with_keys(list(parts_of(space))))
    except TypeError as error:
        raise UnsuitableEnvironment(
            f"its actions are {str(space)[:200]}: keys cannot play a part of the kind {error}.",
            "Environments whose actions are choices, switches or numbers can be played.",
        ) from None


def _with_keys(parts: Sequence[Part]) -> list[tuple[KeyAction, Any]]:
    """Give each value of each part a key: a number's two ends a pair of keys, all others a key each."""
    pairs = list(_PAIRS)
    lone = list(_PLAIN)
    actions = []
    for part in parts:
        wanted = len(part.values)
        keys: Sequence[str] = ()
        if part.paired and pairs:
            keys = pairs.pop(0)
            lone = [key for key in lone if key not in keys]
        elif len(lone) >= wanted:
            keys, lone = lone[:wanted], lone[wanted:]
            pairs = [pair for pair in pairs if not {*pair} & {*keys}]
        if len(keys) < wanted:
            count = sum(len(part.values) for part in parts)
            raise UnsuitableEnvironment(
                f"its actions need {count} keys, more than there are.", "Choose another environment."
            )
        for key, (name, value) in zip(keys, part.values.items(), strict=True):
            actions.append((KeyAction(_plain_name(name), (key,)), (part.path, value)))
    if not actions:
        raise UnsuitableEnvironment("its only action is to do nothing.", "Choose another environment.")
    return actions


def _discrete(env: Any, space: spaces.Discrete, mapped: dict[frozenset[str], int]) -> Keyboard:
    values = range(int(space.start), int(space.start + space.n))
    names = _names(env, values)
    idle = mapped.pop(frozenset(), None)
    idle = next((value for value, name in names.items() if name in _IDLE), idle)
    mapped = _assigned(names, idle, mapped)
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


def _mapped(env: gymnasium.Env[Any, Any]) -> dict[frozenset[str], Any]:
    """Return the environment's own mapping, `get_keys_to_action()`; empty without one.

    A combination is a tuple of keys, or a text of one letter for each key, as in Gymnasium's own player. An
    action without a known key, or outside of the action space, is left out.
    """
    asked = getattr(env.unwrapped, "get_keys_to_action", None)
    try:
        own = asked() if callable(asked) else {}
    except Exception:  # the environment's own code may raise anything
        return {}
    mapped: dict[frozenset[str], Any] = {}
    for given, value in own.items() if isinstance(own, Mapping) else ():
        keys = _combination(given)
        if keys is not None and AGAIN not in keys and _fits(env.action_space, value):
            mapped[frozenset(keys)] = value
    return mapped


def _fits(space: spaces.Space[Any], value: Any) -> bool:
    with contextlib.suppress(Exception):  # spaces compare whatever they get
        fitting = np.asarray(value, space.dtype) if isinstance(space, spaces.Box) else value
        return bool(space.contains(fitting))
    return False


def _combination(given: Any) -> set[str] | None:
    """Return the keys of a combination; None if a part of it is no key."""
    if isinstance(given, tuple | list | frozenset):
        parts: Sequence[Any] = list(given)
    elif isinstance(given, str) and (given.strip().lower() in _IDLE or not given):
        parts = []
    elif isinstance(given, str) and _dom(given) is None and len(given) <= _MOST_HELD:
        parts = list(given)
    else:
        parts = [given]
    keys = {_dom(part) for part in parts}
    return None if None in keys else {key for key in keys if key}


def _dom(key: Any) -> str | None:
    """Return the name of a key that is given as a letter, a name, or one of pygame's codes."""
    if isinstance(key, int | np.integer):
        named = _CODES.get(int(key))
        return named or (_dom(chr(key)) if 32 <= key < 127 else None)
    if not isinstance(key, str):
        return None
    low = key.lower().removeprefix("k_")
    low = re.sub(r"^(left|right)[ _](shift|ctrl|control|alt)$|^[lr](shift|ctrl|alt)$", r"\2\3", low)
    try:
        return canonical_key(low)
    except KeyError:
        return _KNOWN.get(low)


def _words(keys: frozenset[str]) -> list[str]:
    return sorted(re.sub(r"[^a-z0-9]+", "", key.lower()) or f"sign{ord(key)}" for key in keys)


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


def _assigned(
    names: Mapping[int, str], idle: Any, mapped: Mapping[frozenset[str], int]
) -> dict[frozenset[str], int]:
    """Give each action without a key the key that its name suggests, else the next digit or letter."""
    taken = dict(mapped)
    free = [key for key in _PLAIN if frozenset({key}) not in taken]
    lacking = [value for value in names if value != idle and value not in taken.values()]
    for value in lacking:
        wanted = _KNOWN.get(names[value])
        if wanted is not None and frozenset({wanted}) not in taken:
            taken[frozenset({wanted})] = value
            if wanted in free:
                free.remove(wanted)
    for value in lacking:
        if value not in taken.values():
            if not free:
                raise UnsuitableEnvironment(
                    f"it has {len(names)} actions, more than there are keys.", "Choose another environment."
                )
            taken[frozenset({free.pop(0)})] = value
    return taken
