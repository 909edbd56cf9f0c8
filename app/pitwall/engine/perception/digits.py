"""Numbers written with pictures of digits, and single pictures: read anew only when their box changed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.perception.look import UNREADABLE, Found, Look
from pitwall.engine.perception.templates import Template, load_template
from pitwall.games.profile import DigitsField, TemplateField

_MOST_OVERLAP = 0.3
"""Part of the narrower of two digits that may overlap its neighbour (pictures with margins)."""
_LEAST_HOLE = 0.8
"""Empty space between two digits, in widths of the narrowest picture, where one may be missing."""


@dataclass(frozen=True, slots=True)
class _Hit:
    score: float
    rect: Rect
    sign: str


class DigitsReader:
    """Reads one digits field.

    Args:
        folder: the game's folder.

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
        self._scaled = _Scaled(self._drawn)
        self._memo = _Memo()

    def read(self, look: Look) -> Found:
        """The number; unreadable where no digit is found, or one seems to be missing."""
        crop = look.crop(self._field.box)
        known = self._memo.of(crop)
        if known is None:
            known = self._memo.keep(crop, self._read(crop, look))
        return known

    def _read(self, crop: Pixels, look: Look) -> Found:
        templates = self._scaled.at(look.scale_x, look.scale_y)
        hits = _line(_hits(_colours(crop), templates, self._field.threshold))
        narrowest = min(template.size[0] for template in templates.values())
        if not hits or len(hits) > self._field.most or _has_hole(hits, narrowest):
            return UNREADABLE
        text = "".join(hit.sign for hit in hits)
        if "-" in text[1:] or text == "-":
            return UNREADABLE
        origin = look.rect(self._field.box)
        return Found(int(text), min(hit.score for hit in hits), _around(hits, origin))


class TemplateReader:
    """Reads one template field: whether its picture is seen.

    Raises:
        TemplateError: the picture is missing or unusable.
    """

    def __init__(self, field: TemplateField, folder: Path) -> None:
        self._field = field
        self._scaled = _Scaled({"": load_template(folder / field.template, f"fields.{field.name}.template")})
        self._memo = _Memo()

    def read(self, look: Look) -> Found:
        """True with the place where it is, or False; unreadable where it does not fit into the box."""
        crop = look.crop(self._field.box)
        known = self._memo.of(crop)
        if known is None:
            known = self._memo.keep(crop, self._read(crop, look))
        return known

    def _read(self, crop: Pixels, look: Look) -> Found:
        template = self._scaled.at(look.scale_x, look.scale_y)[""]
        scores = template.scores(_colours(crop))
        if not scores.size:
            return UNREADABLE
        y, x = np.unravel_index(int(scores.argmax()), scores.shape)
        best = float(min(1.0, max(0.0, scores[y, x])))
        if best < self._field.threshold:
            return Found(False, 1.0 - best)
        origin = look.rect(self._field.box)
        return Found(True, best, Rect(origin.x + int(x), origin.y + int(y), *template.size))


class _Scaled:
    """Templates at the scale of the window that was last asked for."""

    def __init__(self, drawn: dict[str, Template]) -> None:
        self._drawn = drawn
        self._scale = (1.0, 1.0)
        self._now = drawn

    def at(self, scale_x: float, scale_y: float) -> dict[str, Template]:
        if (scale_x, scale_y) != self._scale:
            self._scale = (scale_x, scale_y)
            self._now = {sign: template.scaled(scale_x, scale_y) for sign, template in self._drawn.items()}
        return self._now


class _Memo:
    """What was read of a box the last time: most boxes of a HUD stand still."""

    def __init__(self) -> None:
        self._crop: Pixels | None = None
        self._found = UNREADABLE

    def of(self, crop: Pixels) -> Found | None:
        return self._found if self._crop is not None and np.array_equal(crop, self._crop) else None

    def keep(self, crop: Pixels, found: Found) -> Found:
        self._crop, self._found = crop.copy(), found
        return found


def _colours(crop: Pixels) -> Pixels:
    return np.ascontiguousarray(crop[..., :3])


def _hits(picture: Pixels, templates: dict[str, Template], threshold: float) -> list[_Hit]:
    hits: list[_Hit] = []
    for sign, template in templates.items():
        scores = template.scores(picture)
        for y, x in np.argwhere(scores >= threshold).tolist():
            hits.append(_Hit(min(1.0, float(scores[y, x])), Rect(x, y, *template.size), sign))
    return hits


def _line(hits: list[_Hit]) -> list[_Hit]:
    """The best digits that stand side by side on one line, from left to right."""
    kept: list[_Hit] = []
    for hit in sorted(hits, key=lambda hit: (-hit.score, -hit.rect.width * hit.rect.height)):
        if all(_beside(hit.rect, other.rect) for other in kept):
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.rect.x)


def _beside(a: Rect, b: Rect) -> bool:
    overlap = min(a.right, b.right) - max(a.x, b.x)
    same_line = min(a.bottom, b.bottom) - max(a.y, b.y) >= 0.5 * min(a.height, b.height)
    return same_line and overlap <= _MOST_OVERLAP * min(a.width, b.width)


def _has_hole(hits: list[_Hit], narrowest: int) -> bool:
    return any(b.rect.x - a.rect.right >= _LEAST_HOLE * narrowest for a, b in pairwise(hits))


def _around(hits: list[_Hit], origin: Rect) -> Rect:
    left, right = hits[0].rect.x, max(hit.rect.right for hit in hits)
    top, bottom = min(hit.rect.y for hit in hits), max(hit.rect.bottom for hit in hits)
    return Rect(origin.x + left, origin.y + top, right - left, bottom - top)
