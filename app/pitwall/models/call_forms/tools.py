"""Native tool calls: each legal action is a function of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pitwall.core.actions import ActionForm, ArgumentForm
from pitwall.models.call_forms.contract import CallForm, Pointer, Tool, function
from pitwall.models.call_forms.written_call import read_call

_ASK = (
    "Call exactly one function, the action to do right now. Without an interface for functions, write: "
    '<tool_call>{"name":"...","arguments":{...}}</tool_call>'
)


def _tools(forms: Sequence[ActionForm]) -> list[Tool]:
    return [
        function(
            form.name,
            form.description or form.name.replace("_", " "),
            {argument.name: _schema(argument) for argument in form.arguments},
            [argument.name for argument in form.arguments if argument.default is None],
        )
        for form in forms
    ]


def _schema(form: ArgumentForm) -> dict[str, Any]:
    if form.kind == "choice":
        return {"type": "string", "enum": list(form.choices)}
    if form.kind == "keys":
        words = f"2 to {form.most} of these, joined by +: {' '.join(form.choices)}"
        return {"type": "string", "description": words}
    if form.kind == "text":
        return {"type": "string", "maxLength": form.most}
    bounds = {"minimum": form.minimum, "maximum": form.maximum}
    kind = "integer" if form.kind == "int" else "number"
    return {"type": kind, **{name: bound for name, bound in bounds.items() if bound is not None}}


def _read(text: str, _forms: Sequence[ActionForm], _pointer: Pointer) -> str:
    call = read_call(text)
    name = call.name.removeprefix("functions.")
    given = ", ".join(f"{key}={_value(value)}" for key, value in call.arguments.items())
    return f"{name}({given})" if given else name


def _value(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


TOOLS = CallForm(scale="sent", named=True, tools=_tools, ask=lambda _forms: _ASK, read=_read)
