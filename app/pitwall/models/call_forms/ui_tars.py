"""The computer-use text of UI-TARS models: a thought, then one action like a function call.

UI-TARS 1.5 writes places in pixels of the picture; 1.0 from 0 to 1000 (set its scale: `pitwall models set`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pitwall.core.actions import ActionForm
from pitwall.models.call_forms.contract import (
    SCROLL_WAYS,
    CallForm,
    Pointer,
    at,
    keys_words,
    malformed,
    no_call,
    outside,
    place_of,
    pressed,
    screen_words,
)
from pitwall.models.call_forms.written_call import after_thought, python_call

_ACTION = re.compile(r"(?:^|\n)\s*Action:\s*(.+)", re.DOTALL)
_BARE = re.compile(r"[a-z_]+\(.*\)", re.DOTALL)
_POINTER = (
    "click(start_box='(x,y)')",
    "right_single(start_box='(x,y)')",
    "drag(start_box='(x,y)', end_box='(x,y)')",
    "scroll(start_box='(x,y)', direction='down')",
)
_KEYBOARD = ("hotkey(key='a')", "type(content='...')")
_BUTTONS = {"click": "left", "left_single": "left", "right_single": "right"}


def _ask(forms: Sequence[ActionForm]) -> str:
    names = {form.name for form in forms}
    calls = [*(_POINTER if "click" in names else ()), *(_KEYBOARD if "press_key" in names else ()), "wait()"]
    lines = ["Output format:", "Thought: ...", "Action: ...", "Action space, one of:", *calls]
    return "\n".join([*lines, *filter(None, (screen_words(forms), keys_words(forms)))])


def _read(text: str, forms: Sequence[ActionForm], pointer: Pointer) -> str:
    text = after_thought(text).strip()
    match = _ACTION.search(text)
    written = match[1].strip() if match else text
    call = python_call(written.split("\n\n")[0])
    if call is None:
        begun = match is not None or _BARE.match(written)
        raise (
            malformed(f"the action {written[:80]!r} cannot be read.")
            if begun
            else no_call("the reply has no line Action: with a call.")
        )
    given = call.arguments
    where = given.get("start_box", given.get("point", given.get("start_point", pointer)))
    if call.name in _BUTTONS:
        return f"click({at(place_of(where, call.name))}, button={_BUTTONS[call.name]})"
    match call.name:
        case "drag":
            end = given.get("end_box", given.get("end_point"))
            return f"drag({at(place_of(where, 'drag'))}, {at(place_of(end, 'drag'), to=True)})"
        case "hotkey" | "press":
            return pressed(str(given.get("key", "")).split(), forms)
        case "type":
            return f"type(text='{given.get('content', '')}')"
        case "scroll":
            dx, dy = SCROLL_WAYS.get(str(given.get("direction", "")), (0, 0))
            return f"scroll({at(place_of(where, 'scroll'))}, dx={dx}, dy={dy})"
        case "wait":
            return "wait"
    raise outside(f"there is no action {call.name[:60]!r}.")


UI_TARS = CallForm(scale="sent", named=False, tools=lambda _forms: [], ask=_ask, read=_read)
