"""The computer-use calls of Qwen-VL models: one function with an action, keys, and a coordinate.

Qwen3-VL writes places from 0 to 1000; Qwen2.5-VL in pixels of the picture: set its scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import ActionForm
from pitwall.models.call_forms.contract import (
    CallForm,
    Pointer,
    Tool,
    actions_in,
    at,
    function,
    number_of,
    place_of,
    pointer_command,
    pressed,
    space_words,
)
from pitwall.models.call_forms.written_call import read_call

_POINTER = ("left_click", "right_click", "middle_click", "mouse_move", "left_click_drag", "scroll")
_KEYBOARD = ("key", "type")
_NOTCH = 100
"""Pixels of scrolling that count as a notch of the wheel (choice)."""


def _tools(forms: Sequence[ActionForm]) -> list[Tool]:
    properties = {
        "action": {"type": "string", "enum": actions_in(forms, _POINTER, _KEYBOARD)},
        "keys": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
        "coordinate": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "pixels": {"type": "number", "description": "scrolling, upwards where positive"},
        "time": {"type": "number", "description": "seconds to wait or to hold keys"},
    }
    return [function("computer_use", f"Use mouse and keyboard. {space_words(forms)}", properties, ["action"])]


def _ask(forms: Sequence[ActionForm]) -> str:
    return (
        f"Call computer_use once; its actions: {', '.join(actions_in(forms, _POINTER, _KEYBOARD))}. "
        f"{space_words(forms)} "
        'Write: <tool_call>{"name":"computer_use","arguments":{"action":"...", ...}}</tool_call> '
        "with keys (a list), coordinate ([x, y]), text, pixels or time as the action needs."
    )


def _read(text: str, forms: Sequence[ActionForm], pointer: Pointer) -> str:
    given = read_call(text).arguments
    action = str(given.get("action", ""))
    where = given.get("coordinate")
    match action:
        case "key":
            keys = given.get("keys", given.get("key", []))
            names = [keys] if isinstance(keys, str) else [str(key) for key in keys]
            return pressed(names, forms, number_of(given.get("time")))
        case "type":
            return f"type(text='{given.get('text', '')}')"
        case "wait":
            return "wait"
        case "scroll":
            notches = -round((number_of(given.get("pixels")) or 0) / _NOTCH)
            return f"scroll({at(place_of(where or pointer, action))}, dy={notches})"
    return pointer_command(action, given, pointer)


QWEN_VL = CallForm(scale="thousand", named=False, tools=_tools, ask=_ask, read=_read)
