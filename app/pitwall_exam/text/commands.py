"""Parses the texts of a text game: the command that an action types, directions, keywords, sentences."""

from __future__ import annotations

import re

from pitwall.core.errors import IllegalAction
from pitwall.games.actions.call_text import arguments_in, parse_call

DIRECTIONS = (
    *("north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest"),
    *("up", "down", "in", "out"),
)
_SHORT = {
    **dict(zip(("n", "s", "e", "w", "ne", "nw", "se", "sw", "u", "d"), DIRECTIONS, strict=False)),
    "inside": "in",
    "enter": "in",
    "outside": "out",
    "exit": "out",
}
_GOING = re.compile(r"(?:go|walk|run|move|head)\s+(?:to\s+(?:the\s+)?)?")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")


def folded(text: str) -> str:
    """Return a name or a command in the form in which it is compared: without case and extra spaces."""
    return " ".join(text.split()).casefold()


def command_of(action: str) -> str:
    """Return the words that an action types: a typed line unchanged, a named action as words.

    `go(direction=north)` is "go north", `look_around` is "look around".
    """
    name, inside = parse_call(action)
    if not name or "=" not in inside:
        return " ".join((action if " " in action.strip() else action.replace("_", " ")).split())
    try:
        values = [str(value) for _, value in arguments_in(inside, action)]
    except IllegalAction:
        return " ".join(action.split())
    return " ".join([name.replace("_", " "), *values])


def direction_of(command: str) -> str:
    """Return the direction that a command moves to ("n", "go north"); empty if it is no such command."""
    words = _GOING.sub("", folded(command), count=1)
    way = _SHORT.get(words, words)
    return way if way in DIRECTIONS else ""


def meant(command: str) -> str:
    """Return a command in the form in which it is compared; wordings of a direction become the direction."""
    return direction_of(command) or folded(command)


def first_sentence(text: str) -> str:
    """Return the first sentence without its full stop; the whole text if it has only one."""
    plain = " ".join(text.split())
    end = _SENTENCE.search(plain)
    return plain[: end.start()] if end is not None else plain


def whole(keyword: str) -> re.Pattern[str]:
    """Build the pattern that finds a keyword as whole words, whatever its case."""
    words = r"\s+".join(map(re.escape, keyword.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
