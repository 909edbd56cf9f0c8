"""Reads the parts of an endpoint's reply: its text, the thinking before it, and why there is no text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_THOUGHTS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""Marks around thinking at the beginning of a reply's text."""
_THINKING_KEYS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True)
class ToolPart:
    """A part of a function's call: the call's number in the reply, its name, and a piece of its arguments."""

    number: int
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reply: a message, or what a streamed event adds to it."""

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: tuple[ToolPart, ...] = ()


def part_of(choice: Mapping[str, Any]) -> Part:
    """Return the part in a choice of a completion or of a streamed event.

    Raises:
        AttributeError, TypeError: it is no choice.
    """
    message = choice.get("delta") or choice.get("message") or {}
    text, thinking = _content(message.get("content", choice.get("text")))
    for key in _THINKING_KEYS:
        more = message.get(key)
        if isinstance(more, str) and not thinking:
            thinking = more
    refusal = message.get("refusal")
    return Part(
        text=text,
        thinking=thinking,
        refusal=refusal if isinstance(refusal, str) else "",
        calls=tuple(_calls(message)),
    )


def _calls(message: Mapping[str, Any]) -> Iterator[ToolPart]:
    old = message.get("function_call")
    listed = message.get("tool_calls") or ([{"function": old}] if old else [])
    for place, call in enumerate(listed if isinstance(listed, list) else []):
        function = call.get("function") or {}
        given, number = function.get("arguments"), call.get("index")
        yield ToolPart(
            number=number if isinstance(number, int) else place,
            name=str(function.get("name") or ""),
            arguments=given if isinstance(given, str) else json.dumps(given) if given else "",
        )


def _content(content: object) -> tuple[str, str]:
    """Return text and thinking of a message's content: a text, or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    text: list[str] = []
    thinking: list[str] = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            text.append(part)
        elif isinstance(part, Mapping):
            kind = str(part.get("type", "text"))
            held = part.get("text", part.get("thinking", part.get("reasoning", part.get("content"))))
            if isinstance(held, Mapping):
                held = held.get("value")
            words = held if isinstance(held, str) else "".join(_content(held))
            (thinking if "think" in kind or "reason" in kind else text).append(words)
    return "".join(text), "".join(thinking)


class ThinkingFilter:
    """Separates marked thinking at the beginning of a streamed text from the reply after it."""

    def __init__(self) -> None:
        self._held = ""
        self._end = ""
        self._passes = False

    def take(self, piece: str) -> tuple[str, str]:
        """Return the reply and the thinking in a piece; a piece that may be part of a mark waits."""
        if self._passes:
            return piece, ""
        self._held += piece
        if not self._end:
            start = self._held.lstrip()
            for mark, end in _THOUGHTS:
                if start.startswith(mark):
                    self._held, self._end = start[len(mark) :], end
                    break
            else:
                if any(mark.startswith(start) for mark, _ in _THOUGHTS):
                    return "", ""
                return self._release(), ""
        thought, over, rest = self._held.partition(self._end)
        if over:
            self._held = rest.lstrip()
            return self._release(), thought
        kept = next((n for n in range(len(self._end) - 1, 0, -1) if thought.endswith(self._end[:n])), 0)
        self._held = thought[len(thought) - kept :]
        return "", thought[: len(thought) - kept]

    def rest(self) -> tuple[str, str]:
        """Return the reply and the thinking that still wait at the end."""
        held, self._held = self._held, ""
        return ("", held) if self._end and not self._passes else (held, "")

    def _release(self) -> str:
        held, self._held, self._passes = self._held, "", True
        return held


def without_open_thought(text: str) -> tuple[str, str]:
    """Return reply and thinking of a whole text whose opening mark stands in the prompt."""
    for _, end in _THOUGHTS:
        thought, over, rest = text.partition(end)
        if over:
            return rest.lstrip(), thought
    return text, ""
