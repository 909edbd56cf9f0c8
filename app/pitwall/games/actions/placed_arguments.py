"""The arguments of a command at a place, however a model writes the place."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from pitwall.core.actions import Argument, ArgumentForm
from pitwall.core.errors import IllegalAction

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?|\.\d+)\s*%?")
_PIECE = re.compile(r"""(?:\[[^\]]*\]|\([^)]*\)|<[^>]*>|'[^']*'|"[^"]*"|[^,])+""")
"""An argument; a comma inside brackets or quotes belongs to it."""
_NAMED = re.compile(r"""\s*["']?([A-Za-z_]\w*)["']?\s*[=:]\s*(.+)""", re.DOTALL)
_QUOTES = "'\" "
_BUTTONS = ("left", "right", "middle")


def placed_arguments(inside: str, text: str, places: Sequence[ArgumentForm]) -> dict[str, Argument]:
    """Return the arguments of a command, its places as numbers.

    A place may be named (x=3, y=4), bare (3, 4), a list, a tag or a quoted pair. Four numbers for a single
    place are a box: its middle is meant. A percentage is a part of the screen.

    Args:
        inside: the text between the parentheses of `text`. places: the forms x, y, or x, y, to_x, to_y.

    Raises:
        IllegalAction: the numbers are none or two places, or a piece is no argument.
    """
    forms = {form.name: form for form in places}
    given: dict[str, Argument] = {}
    loose: list[str] = []
    for piece in filter(None, (piece.strip() for piece in _PIECE.findall(inside))):
        match = _NAMED.fullmatch(piece)
        name, value = (match.group(1).lower(), match.group(2)) if match else ("", piece)
        numbers = _NUMBER.findall(re.sub(r"<[^>]*>", " ", value))
        if name in forms and len(numbers) == 1:
            given[name] = _number(numbers[0], forms[name])
        elif (not name and numbers) or len(numbers) > 1 or re.fullmatch(r"[xy][0-9]", name):
            loose += numbers
        elif name:
            given[name] = value.strip(_QUOTES)
        elif value.strip(_QUOTES) in _BUTTONS:
            given["button"] = value.strip(_QUOTES)
        else:
            raise IllegalAction(f"{text.strip()[:80]!r}: {piece!r} is no argument.", "Write name=value.")
    return given | (_places_of(loose, text, places) if loose else {})


def _places_of(loose: Sequence[str], text: str, places: Sequence[ArgumentForm]) -> dict[str, Argument]:
    """Return the places of numbers without names: as many numbers as forms, or twice as many for boxes."""
    if len(loose) not in (len(places), 2 * len(places)):
        names = ", ".join(form.name for form in places)
        raise IllegalAction(
            f"{text.strip()[:80]!r} has {len(loose)} numbers for {names}.", "Write x=..., y=..."
        )
    if len(loose) == len(places):
        return {form.name: _number(number, form) for form, number in zip(places, loose, strict=True)}
    middles: dict[str, Argument] = {}
    for at, form in enumerate(places):  # x1, y1, x2, y2 for each pair of forms
        first = 4 * (at // 2) + at % 2
        ends = [_number(loose[end], form) for end in (first, first + 2)]
        middle = sum(ends) / 2
        middles[form.name] = round(middle) if form.kind == "int" else middle
    return middles


def _number(written: str, form: ArgumentForm) -> float:
    """Return a written number in the form's own unit; a percentage is a part of the screen."""
    length = (form.maximum or 0) + (form.kind == "int")
    percent = written.endswith("%")
    value = float(written.rstrip("% ")) * (length / 100 if percent else 1)
    return round(value) if form.kind == "int" and math.isfinite(value) else value
