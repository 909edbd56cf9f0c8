"""Reads numbers by pictures of digits."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pitwall.core.geometry import Rect
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView
from pitwall.engine.perception.picture_fields import Memo
from pitwall.engine.perception.picture_search import Finder, Picture
from pitwall.engine.perception.templates import load_template
from pitwall.games.schema.fields import DigitsField

_MOST_OVERLAP = 0.3
"""Share of the narrower of two digits that may overlap its neighbour (pictures have margins)."""
_LEAST_HOLE = 0.8
"""Least gap between two digits, in widths of the narrowest picture, where a digit may be missing."""


@dataclass(frozen=True, slots=True)
class _Hit:
    score: float
    rect: Rect
    sign: str


class DigitsReader:
    """Reads one digits field.

    Raises:
        TemplateError: a picture is missing or unusable.
    """

    def __init__(self, field: DigitsField, folder: Path) -> None:
        self._field = field
        signs = {str(digit): f"{digit}.png" for digit in range(10)}
        if field.signed:
            signs["-"] = "minus.png"
        key = f"fields.{field.name}.templates"
        place = folder / field.templates
        self._drawn = {sign: load_template(place / name, key) for sign, name in signs.items()}
        self._scale = (0.0, 0.0)
        self._finders: dict[str, Finder] = {}
        self._memo = Memo()

    def read(self, look: FrameView) -> FieldResult:
        """Return the number; unreadable where no digit is found, or one seems to be missing."""
        return self._memo.read(look, self._field.box, self._read)

    def _read(self, look: FrameView) -> FieldResult:
        finders = self._at(look.scale_x, look.scale_y)
        hits = _line(_hits(Picture(look.colours(self._field.box)), finders))
        hole = _LEAST_HOLE * min(finder.size[0] for finder in finders.values())
        if not hits or len(hits) > self._field.most:
            return UNREADABLE
        if any(right.rect.x - left.rect.right >= hole for left, right in pairwise(hits)):
            return UNREADABLE
        text = "".join(hit.sign for hit in hits)
        if "-" in text[1:] or text == "-":
            return UNREADABLE
        origin = look.rect(self._field.box)
        place = Rect.around([hit.rect for hit in hits]).moved(origin.x, origin.y)
        return FieldResult(int(text), min(hit.score for hit in hits), place)

    def _at(self, scale_x: float, scale_y: float) -> dict[str, Finder]:
        if (scale_x, scale_y) != self._scale:
            self._scale = (scale_x, scale_y)
            self._finders = {
                sign: Finder(template.scaled(scale_x, scale_y), self._field.threshold)
                for sign, template in self._drawn.items()
            }
        return self._finders


def _hits(picture: Picture, finders: dict[str, Finder]) -> list[_Hit]:
    return [
        _Hit(min(1.0, score), Rect(x, y, *finder.size), sign)
        for sign, finder in finders.items()
        for x, y, score in finder.find(picture)
    ]


def _line(hits: list[_Hit]) -> list[_Hit]:
    """Return the best digits that are side by side on one line, from left to right."""
    kept: list[_Hit] = []
    for hit in sorted(hits, key=lambda hit: (-hit.score, -hit.rect.width * hit.rect.height)):
        if all(_beside(hit.rect, other.rect) for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.rect.x)


def _beside(a: Rect, b: Rect) -> bool:
    overlap = min(a.right, b.right) - max(a.x, b.x)
    same_line = min(a.bottom, b.bottom) - max(a.y, b.y) >= 0.5 * min(a.height, b.height)
    return same_line and overlap <= _MOST_OVERLAP * min(a.width, b.width)
