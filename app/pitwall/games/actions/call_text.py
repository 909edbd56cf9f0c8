"""An action as text, `name(arg=value, other=value)`, as every vocabulary reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pitwall.core.actions import Argument
from pitwall.core.errors import IllegalAction

_CALL = re.compile(r"([^()]+)(?:\((.*)\))?\s*", re.DOTALL)
_PIECE = re.compile(r"""(?:'[^']*'|"[^"]*"|[^,])+""")
"""An argument of a call; a comma inside quotes belongs to it."""


def normalised_name(name: str) -> str:
    """Return a name as it is looked up: case, blanks and dashes do not matter."""
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def parse_call(text: str) -> tuple[str, str]:
    """Split a call into its normalised name and the text in its parentheses; an empty name is no call."""
    match = _CALL.fullmatch(text)
    return (normalised_name(match.group(1)), match.group(2) or "") if match else ("", "")


def arguments_in(inside: str, text: str) -> Iterable[tuple[str, Argument]]:
    """Yield name and value of each argument, without quotes around the value.

    Args:
        inside: the text between the parentheses of `text`.

    Raises:
        IllegalAction: a piece is no argument.
    """
    for part in filter(None, (piece.strip() for piece in _PIECE.findall(inside))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise IllegalAction(f"{text.strip()[:80]!r}: {part!r} is no argument.", "Write name=value.")
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        yield name, value[1:-1] if quoted else value
