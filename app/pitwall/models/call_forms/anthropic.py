"""Computer-use calls as Anthropic's tools have them: one function `computer`, keys as text like `ctrl+s`."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.core.actions import ActionForm
from pitwall.models.call_forms.contract import (
    SCROLL_WAYS,
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
_KEYBOARD = ("key", "hold_key", "type")


def _tools(forms: Sequence[ActionForm]) -> list[Tool]:
    place = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    properties = {
        "action": {"type": "string", "enum": actions_in(forms, _POINTER, _KEYBOARD)},
        "coordinate": place,
        "start_coordinate": place,
        "text": {"type": "string", "description": "a text to type, or keys joined by +"},
        "duration": {"type": "number", "description": "seconds"},
        "scroll_direction": {"type": "string", "enum": list(SCROLL_WAYS)},
        "scroll_amount": {"type": "integer", "minimum": 1},
    }
    return [function("computer", f"Use mouse and keyboard. {space_words(forms)}", properties, ["action"])]


def _ask(forms: Sequence[ActionForm]) -> str:
    return (
        f"Use the tool computer once; its actions: {', '.join(actions_in(forms, _POINTER, _KEYBOARD))}. "
        f"{space_words(forms)} Without an interface "
        'for tools, write: <tool_call>{"name":"computer","arguments":{"action":"...", ...}}</tool_call> '
        "with coordinate, start_coordinate, text, duration, scroll_direction, scroll_amount as needed."
    )


def _read(text: str, forms: Sequence[ActionForm], pointer: Pointer) -> str:
    given = read_call(text).arguments
    action = str(given.get("action", ""))
    where, words = given.get("coordinate"), str(given.get("text", ""))
    match action:
        case "key":
            return pressed([key for key in words.split("+") if key], forms)
        case "hold_key":
            held_s = number_of(given.get("duration")) or 0.0
            return pressed([key for key in words.split("+") if key], forms, held_s)
        case "type":
            return f"type(text='{words}')"
        case "wait" | "screenshot":  # each step sends a picture
            return "wait"
        case "scroll":
            dx, dy = SCROLL_WAYS.get(str(given.get("scroll_direction", "")), (0, 0))
            amount = given.get("scroll_amount", 1)
            notches = amount if isinstance(amount, int) else 1
            return f"scroll({at(place_of(where or pointer, action))}, dx={dx * notches}, dy={dy * notches})"
    return pointer_command(action, given, pointer)


ANTHROPIC = CallForm(scale="sent", named=False, tools=_tools, ask=_ask, read=_read)
