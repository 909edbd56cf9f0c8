"""Reads fields that look for a picture: whether it is seen, or where. An unchanged box is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView, place_values
from pitwall.engine.perception.picture_search import Place
from pitwall.engine.perception.templates import Template, load_template
from pitwall.games.schema.fields import Box, SpriteField, TemplateField

_FLAT = 2.0
"""Standard deviation in levels below which a picture counts as a single colour or grey."""
_MOST_ALIKE = 6
"""Number of places with the best likeness in grey that are compared in colour."""


class Memo:
    """Keeps the last reading of a box, because most boxes of a HUD rarely change."""

    def __init__(self) -> None:
        self._crop: Pixels | None = None
        self._result = UNREADABLE

    def read(self, look: FrameView, box: Box | None, read: Callable[[FrameView], FieldResult]) -> FieldResult:
        """Read the box, or return the last reading if it did not change."""
        crop = look.crop(box)
        if self._crop is None or not np.array_equal(crop, self._crop):
            self._result, self._crop = read(look), crop.copy()
        return self._result


class _PictureReader:
    """Holds a field's picture at the scale of the window.

    Raises:
        TemplateError: the picture is missing or unusable.
    """

    def __init__(self, field: TemplateField | SpriteField, folder: Path) -> None:
        self._drawn = load_template(folder / field.template, f"fields.{field.name}.template")
        self._scale = (1.0, 1.0)
        self._template = self._drawn
        self._memo = Memo()

    def _at(self, scale_x: float, scale_y: float) -> Template:
        if (scale_x, scale_y) != self._scale:
            self._scale = (scale_x, scale_y)
            self._template = self._drawn.scaled(scale_x, scale_y)
        return self._template


class TemplateReader(_PictureReader):
    """Reads one template field: whether its picture is seen."""

    def __init__(self, field: TemplateField, folder: Path) -> None:
        super().__init__(field, folder)
        self._field = field

    def read(self, look: FrameView) -> FieldResult:
        """Return True with its place, or False; unreadable where it does not fit into the box."""
        return self._memo.read(look, self._field.box, self._read)

    def _read(self, look: FrameView) -> FieldResult:
        template = self._at(look.scale_x, look.scale_y)
        scores = template.scores(look.colours(self._field.box))
        if not scores.size:
            return UNREADABLE
        y, x = np.unravel_index(int(scores.argmax()), scores.shape)
        best = float(min(1.0, max(0.0, scores[y, x])))
        if best < self._field.threshold:
            return FieldResult(False, 1.0 - best)
        origin = look.rect(self._field.box)
        return FieldResult(True, best, Rect(origin.x + int(x), origin.y + int(y), *template.size))


class SpriteReader(_PictureReader):
    """Reads one sprite field: where its picture is."""

    def __init__(self, field: SpriteField, folder: Path) -> None:
        super().__init__(field, folder)
        self._field = field

    def read(self, look: FrameView) -> FieldResult:
        """Return a coordinate with the place; unreadable, or False, where no place is similar enough."""
        return self._memo.read(look, self._field.within, self._read)

    def _read(self, look: FrameView) -> FieldResult:
        template = self._at(look.scale_x, look.scale_y)
        if float(template.pixels.std(axis=(0, 1)).max()) < _FLAT:  # shrunk to one colour, found anywhere
            return UNREADABLE
        places = _likest(template, look.colours(self._field.within))
        x, y, score = max(places, key=lambda place: place[2], default=(0, 0, 0.0))
        if score < self._field.threshold:
            return FieldResult(False) if self._field.value == "seen" else UNREADABLE
        origin, (width, height) = look.rect(self._field.within), template.size
        rect = Rect(origin.x + x, origin.y + y, width, height)
        values = place_values(rect, rect.x + width / 2, rect.y + height / 2, width * height, look)
        value = True if self._field.value == "seen" else round(values[self._field.value], 1)
        return FieldResult(value, min(1.0, score), rect)


def _likest(template: Template, picture: Pixels) -> Iterator[Place]:
    """Yield the most similar places in grey, which is ten times faster, with their likeness in colour."""
    width, height = template.size
    if picture.shape[0] < height or picture.shape[1] < width:
        return
    mine = cv2.cvtColor(template.pixels, cv2.COLOR_BGR2GRAY)
    if template.mask is not None or mine.std() < _FLAT:
        scores = template.scores(picture)
    else:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        scores = np.asarray(cv2.matchTemplate(grey, mine, cv2.TM_CCOEFF_NORMED), np.float32)
    for _ in range(_MOST_ALIKE):
        y, x = map(int, np.unravel_index(int(scores.argmax()), scores.shape))
        yield x, y, float(template.scores(picture[y : y + height, x : x + width])[0, 0])
        top, left = max(0, y - height // 2), max(0, x - width // 2)
        scores[top : y + height // 2 + 1, left : x + width // 2 + 1] = -1.0
