"""A form in which a model writes the call of an action, beside Pitwall's own JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.core.actions import ActionForm, Invalid
from pitwall.models.click_scale import ClickScale
from pitwall.models.replies.reply_object import BadReply
from pitwall.models.replies.written_places import middle_of, numbers_in

Pointer = tuple[float, float] | None
"""Place of the pointer in the scale of the model's places; None: unknown."""
Tool = dict[str, Any]
SCROLL_WAYS = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
"""Notches of the wheel across and down, by the word of a direction."""
_SHORT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm:
    """A form of calls.

    Attributes:
        scale: scale of places that its models are trained on; a model's entry may name another.
        named: it can write a game's named actions, not only keys and pointer.
        tools: returns the functions that it offers an endpoint or a chat template; none for a text form.
        ask: returns the last part of a prompt, which names the form.
        read: returns the action that a reply calls, as text (`name(argument=value)`); raises BadReply.
    """

    scale: ClickScale
    named: bool
    tools: Callable[[Sequence[ActionForm]], list[Tool]]
    ask: Callable[[Sequence[ActionForm]], str]
    read: Callable[[str, Sequence[ActionForm], Pointer], str]


def function(name: str, description: str, properties: dict[str, Any], required: Sequence[str]) -> Tool:
    """Return a function as OpenAI's interface and chat templates take it."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def no_call(what: str) -> BadReply:
    """Return the error of a reply without a call."""
    return BadReply(what, invalid=Invalid.NO_CALL)


def malformed(what: str) -> BadReply:
    """Return the error of a reply whose call cannot be read."""
    return BadReply(what, invalid=Invalid.MALFORMED)


def outside(what: str) -> BadReply:
    """Return the error of a call that is not among the legal actions."""
    return BadReply(what, invalid=Invalid.OUT_OF_SPACE, proposed=1, illegal=1)


def place_of(value: object, what: str) -> tuple[float, float]:
    """Return the place that a value names: two numbers, or the middle of a box of four.

    Raises:
        BadReply: it names none.
    """
    place = middle_of(numbers_in(value))
    if place is None:
        raise outside(f"{what}: {str(value)[:_SHORT]!r} is no place; write two numbers.")
    return place


def at(place: tuple[float, float], *, to: bool = False) -> str:
    """Return a place as arguments of a command."""
    x, y = (f"{number:.4f}".rstrip("0").rstrip(".") for number in place)
    return f"to_x={x}, to_y={y}" if to else f"x={x}, y={y}"


def pressed(keys: Sequence[str], forms: Sequence[ActionForm], seconds: float | None = None) -> str:
    """Return the command that presses keys together. seconds: their hold, within the command's."""
    if not keys:
        raise outside("a press of keys names no key.")
    name = "press_key" if len(keys) == 1 else "press_keys"
    hold = "" if seconds is None else held(seconds, forms, name)
    return (
        f"press_key(key='{keys[0]}'{hold})"
        if len(keys) == 1
        else f"press_keys(keys='{'+'.join(keys)}'{hold})"
    )


def held(seconds: float, forms: Sequence[ActionForm], name: str) -> str:
    """Return the hold of a command as an argument, no longer than the command lasts."""
    argument = next(
        (a for form in forms if form.name == name for a in form.arguments if a.name == "hold_ms"), None
    )
    if argument is None:
        return ""
    least, most = argument.minimum or 0, argument.maximum or 0
    return f", hold_ms={round(min(most, max(least, 1000 * seconds)))}"


def screen_words(forms: Sequence[ActionForm]) -> str:
    """Return the bounds of places in words; empty where there is no pointer."""
    bounds = {a.name: a.maximum for form in forms for a in form.arguments if a.name in ("x", "y")}
    if len(bounds) < 2:
        return ""
    return f"Places: x from 0 to {bounds['x']:g} across, y from 0 to {bounds['y']:g} down."


def keys_words(forms: Sequence[ActionForm]) -> str:
    """Return the keys that may be pressed, in words; empty where there are none."""
    keys = next(
        (a.choices for form in forms if form.name == "press_key" for a in form.arguments if a.choices), ()
    )
    return f"Keys: {', '.join(keys)}." if keys else ""


def space_words(forms: Sequence[ActionForm]) -> str:
    """Return the bounds of places and the keys in words."""
    return " ".join(filter(None, (screen_words(forms), keys_words(forms))))


def actions_in(forms: Sequence[ActionForm], pointer: Sequence[str], keyboard: Sequence[str]) -> list[str]:
    """Return the actions of a computer-use form that the legal commands allow."""
    names = {form.name for form in forms}
    return [*(pointer if "click" in names else ()), *(keyboard if "press_key" in names else ()), "wait"]


def number_of(value: object) -> float | None:
    """Return a number that a model wrote; None for anything else."""
    return float(value) if isinstance(value, int | float) else None


def pointer_command(action: str, given: dict[str, Any], pointer: Pointer) -> str:
    """Return the command of a pointer's action with `coordinate`, as Qwen-VL and Anthropic name both.

    Raises:
        BadReply: there is no such action, or no place.
    """
    where = given.get("coordinate")
    if action in ("left_click", "right_click", "middle_click"):
        return f"click({at(place_of(where or pointer, action))}, button={action.removesuffix('_click')})"
    if action == "mouse_move":
        return f"mouse_move({at(place_of(where, action))})"
    if action == "left_click_drag":
        begun = given.get("start_coordinate") or pointer
        return f"drag({at(place_of(begun, action))}, {at(place_of(where, action), to=True)})"
    raise outside(f"there is no action {action[:60]!r}.")
