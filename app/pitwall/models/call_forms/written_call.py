"""Finds the call in a reply, as OpenAI-style endpoints and llama.cpp's chat formats write calls.

Hermes and Qwen write JSON in <tool_call>, Llama 3 bare JSON or <function=…>, Qwen-Coder and GLM tags for each
argument, Mistral [TOOL_CALLS], DeepSeek and gpt-oss marks of their own, Llama 4 a Python call. An endpoint's
own `tool_calls` come as <tool_call> too (`host/backends/remote_reply.py`).
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from typing import Any

from pitwall.models.call_forms.contract import malformed, no_call
from pitwall.models.replies.reply_object import MOST_CHARACTERS

_WORD = r"([A-Za-z_][\w.-]*)"
_HEADS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"<function={_WORD}>",
        rf"\[TOOL_CALLS\]\s*{_WORD}\s*(?:\[CALL_ID\]\w+\s*)?\[ARGS\]",
        rf"<｜tool▁sep｜>{_WORD}",
        rf"to=functions\.{_WORD}",
        rf"<tool_call>\s*{_WORD}\s*(?=<arg_key>|</tool_call>)",
    )
)
"""Marks before a function's name; its arguments follow."""
_TAGGED = re.compile(
    r"<parameter=([^>]+)>\s*(.*?)\s*</parameter>|<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>",
    re.DOTALL,
)
_BEGUN = re.compile(
    r'<tool_call>|<function=|\[TOOL_CALLS\]|<｜tool▁call|<\|START_ACTION\|>|\{\s*"(?:name|function)"'
)
"""Signs that a call was begun."""
_OBJECT = re.compile(r"\{\s*\"")
_NAMES = ("name", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_MOST_ARGUMENTS = 12


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as it was written."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def read_call(text: str) -> WrittenCall:
    """Return the first call of a reply; thoughts and prose around it do not matter.

    Raises:
        BadReply: there is none (NO_CALL), or it was begun and cannot be read (MALFORMED).
    """
    text = after_thought(text)
    for head in _HEADS:
        if match := head.search(text):
            return WrittenCall(match[1], _arguments_after(text[match.end() :]))
    call = _json_call(text) or python_call(text.replace("<|python_tag|>", ""))
    if call is None:
        raise (
            malformed("a call was begun and cannot be read.")
            if _BEGUN.search(text)
            else no_call("the reply calls no function.")
        )
    return call


def after_thought(text: str) -> str:
    """Return the part of a reply after its thoughts, of bounded length."""
    text = text[:MOST_CHARACTERS]
    _, over, rest = text.rpartition("</think>")
    return rest if over else ("" if text.lstrip().startswith("<think>") else text)


def python_call(text: str) -> WrittenCall | None:
    """Return a call written as in Python with named arguments; None if the text is no such call."""
    try:
        tree: ast.expr = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if isinstance(tree, ast.List) and tree.elts:
        tree = tree.elts[0]
    if not (isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.args):
        return None
    try:
        given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in tree.keywords}
    except (ValueError, TypeError, RecursionError):
        return None
    return WrittenCall(tree.func.id, {name: value for name, value in given.items() if name is not None})


def _json_call(text: str) -> WrittenCall | None:
    start = _OBJECT.search(text)
    if start is None:
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, start.start())
    except (ValueError, RecursionError):
        return None
    held = value.get("function")
    value = held if isinstance(held, dict) else value
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
    given: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(given, str):  # as OpenAI's interface has them
        try:
            given = json.loads(given or "{}", strict=False)
        except (ValueError, RecursionError):
            return None
    return WrittenCall(name, given or {}) if name and isinstance(given or {}, dict) else None


def _arguments_after(text: str) -> dict[str, Any]:
    """Return the arguments behind a function's name: in tags, or as a JSON object; none for none."""
    tagged = _TAGGED.findall(text)
    if tagged:
        return {key or other: value or held for key, value, other, held in tagged[:_MOST_ARGUMENTS]}
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        raise malformed("the arguments of the call are no JSON.") from None
    return dict(value)
