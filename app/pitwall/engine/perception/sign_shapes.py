"""Reads numbers of one colour by the shapes of their signs, and learns the shapes from known numbers.

A sign that was never learned makes the number unreadable: nothing is guessed. Shapes are white on black,
cut tightly, with a black edge of one pixel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.engine.perception.frame_view import UNREADABLE, FieldResult, FrameView
from pitwall.engine.perception.templates import load_template
from pitwall.games.schema.fields import Colour, DigitsField

Mask = NDArray[np.bool_]
INK_TOLERANCE = 70
"""Largest difference of a channel at which a pixel has the signs' colour: edges are smoothed."""
_SAME = 0.72
"""Least overlap (intersection over union) of a sign with its shape."""
_EQUAL = 0.93
"""Overlap at which two shapes count as equal."""
_APART = 0.04
"""Least difference between the overlaps of the best and the second best shape."""
_SPECK = 0.45
"""Signs lower than this share of their line are points and commas."""
_LEAST_HEIGHT = 5
_INKS = 4
"""Number of a box's colours that are tried as its signs' colour."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of a line: its place in the box, and its shape."""

    rect: Rect
    shape: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A box's picture, (height, width, 3) BGR, and its digits; `sure`: typed by a person."""

    crop: Pixels
    text: str
    sure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSigns:
    """Shapes learned from samples.

    Attributes:
        shapes: digit → shape. inside: the area of the digits in the box, over all samples.
        agreed, of: samples that are read correctly by these shapes, and all samples.
    """

    ink: Colour
    shapes: Mapping[str, Mask]
    inside: Rect
    agreed: int
    of: int

    def reads(self, crop: Pixels) -> str:
        """Return the digits at the end of a box's line, empty where a sign is not known."""
        signs = [sign for sign in signs_of(ink_mask(crop, self.ink)) if sign.rect.x >= self.inside.x - 1]
        text = _reads(signs, self.shapes)
        return text if len(text) == len(signs) else ""


class SignReader:
    """Reads one digits field with an ink.

    Raises:
        TemplateError: a picture is unusable.
    """

    def __init__(self, field: DigitsField, folder: Path) -> None:
        assert field.ink is not None
        self._field, self._ink = field, field.ink
        place, key = folder / field.templates, f"fields.{field.name}.templates"
        files = {str(digit): place / f"{digit}.png" for digit in range(10)}
        pictures = {sign: load_template(file, key).pixels for sign, file in files.items() if file.is_file()}
        self._shapes = {sign: picture[1:-1, 1:-1, 0] > 127 for sign, picture in pictures.items()}

    def read(self, look: FrameView) -> FieldResult:
        """Return the number; unreadable where there is none, or a sign was not learned."""
        crop, origin = look.colours(self._field.box), look.rect(self._field.box)
        signs = signs_of(ink_mask(crop, self._ink))
        if not signs or len(signs) > self._field.most:
            return UNREADABLE
        scaled = (look.scale_x, look.scale_y)
        read = [_nearest(sign.shape, self._shapes, scaled) for sign in signs]
        text = "".join(sign for sign, _ in read)
        if len(text) < len(signs):
            return UNREADABLE
        place = Rect.around([sign.rect for sign in signs]).moved(origin.x, origin.y)
        return FieldResult(int(text), min(1.0, min(score for _, score in read)), place)


def ink_mask(crop: Pixels, ink: Colour) -> Mask:
    """Return where a box, (height, width, 3) BGR, has the ink's colour."""
    away = np.abs(crop.astype(np.int16) - np.array(ink[::-1], np.int16)).max(axis=-1)
    return np.asarray(away <= INK_TOLERANCE)


def signs_of(mask: Mask) -> list[Sign]:
    """Return the signs of a mask's tallest line, from left to right, cut at columns without ink."""
    lines = _runs(np.asarray(mask.any(axis=1)))
    if not lines:
        return []
    top, bottom = max(lines, key=lambda run: run[1] - run[0])
    if bottom - top < _LEAST_HEIGHT:
        return []
    signs = []
    for left, right in _runs(np.asarray(mask[top:bottom].any(axis=0))):
        rows = np.flatnonzero(mask[top:bottom, left:right].any(axis=1))
        first, last = top + int(rows[0]), top + int(rows[-1]) + 1
        if last - first >= max(_LEAST_HEIGHT, _SPECK * (bottom - top)):
            signs.append(Sign(Rect(left, first, right - left, last - first), mask[first:last, left:right]))
    return signs


def learn_signs(samples: Sequence[Sample]) -> LearnedSigns | None:
    """Learn the shapes of digits from boxes with known numbers; None if no colour reads any sample.

    Where a box has more signs than digits, the digits are its last signs, after words.
    """
    usable = [sample for sample in samples if sample.text.isdigit()]
    learned = filter(None, (_learn(usable, ink) for ink in _inks(usable)))
    return max(learned, key=lambda signs: (signs.agreed, len(signs.shapes)), default=None)


def shape_picture(shape: Mask) -> Pixels:
    """Return a shape as it is stored: (height + 2, width + 2) uint8, white on black."""
    return np.pad(np.where(shape, 255, 0).astype(np.uint8), 1)


def _learn(samples: Sequence[Sample], ink: Colour) -> LearnedSigns | None:
    taught: dict[str, list[tuple[int, Sign]]] = {}
    places: list[Rect] = []
    cut = [signs_of(ink_mask(sample.crop, ink)) for sample in samples]
    for sample, signs in zip(samples, cut, strict=True):
        if len(signs) < len(sample.text):
            continue
        for digit, sign in zip(sample.text, signs[-len(sample.text) :], strict=True):
            taught.setdefault(digit, []).append((len(samples) if sample.sure else 1, sign))
            places.append(sign.rect)
    shapes: dict[str, Mask] = {}
    for digit, votes in sorted(taught.items(), key=lambda item: -sum(weight for weight, _ in item[1])):
        known = list(shapes.values())  # a sign that equals a digit with more votes was misread
        own = [vote for vote in votes if all(_overlap(vote[1].shape, shape) < _EQUAL for shape in known)]
        if own:
            shapes[digit] = _commonest(own)
    agreed = sum(
        bool(signs) and _reads(signs[-len(sample.text) :], shapes) == sample.text
        for sample, signs in zip(samples, cut, strict=True)
    )
    if not agreed:
        return None
    return LearnedSigns(ink=ink, shapes=shapes, inside=Rect.around(places), agreed=agreed, of=len(samples))


def _reads(signs: Iterable[Sign], shapes: Mapping[str, Mask]) -> str:
    return "".join(_nearest(sign.shape, shapes)[0] for sign in signs)


def _commonest(votes: Sequence[tuple[int, Sign]]) -> Mask:
    """Return the shape with most votes."""
    count: Counter[tuple[tuple[int, ...], bytes]] = Counter()
    for weight, sign in votes:
        count[(sign.shape.shape, sign.shape.tobytes())] += weight
    (size, data), _ = count.most_common(1)[0]
    return np.frombuffer(data, np.bool_).reshape(size)


def _nearest(
    seen: Mask, shapes: Mapping[str, Mask], scale: tuple[float, float] = (1.0, 1.0)
) -> tuple[str, float]:
    """Return the digit of the nearest shape and their overlap; empty if none is near, or two are."""
    scored = sorted(((_overlap(seen, shape, scale), digit) for digit, shape in shapes.items()), reverse=True)
    if not scored or scored[0][0] < _SAME or (len(scored) > 1 and scored[0][0] - scored[1][0] < _APART):
        return "", 0.0
    return scored[0][1], scored[0][0]


def _overlap(seen: Mask, shape: Mask, scale: tuple[float, float] = (1.0, 1.0)) -> float:
    height, width = max(1, round(shape.shape[0] * scale[1])), max(1, round(shape.shape[1] * scale[0]))
    taller, wider = abs(seen.shape[0] - height), abs(seen.shape[1] - width)
    if taller > max(1, 0.12 * height) or wider > max(1, 0.15 * width):
        return 0.0
    if seen.shape != shape.shape:
        size = (shape.shape[1], shape.shape[0])
        seen = np.asarray(cv2.resize(seen.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)) > 0
    return float((seen & shape).sum() / max(1, (seen | shape).sum()))


def _inks(samples: Sequence[Sample]) -> list[Colour]:
    """Return the commonest colours of the samples except the background's, as red, green, blue."""
    if not samples:
        return []
    pixels = np.concatenate([sample.crop.reshape(-1, 3) for sample in samples])
    coarse = (pixels >> 5).astype(np.int32)
    every = (coarse[:, 0] << 6) | (coarse[:, 1] << 3) | coarse[:, 2]
    keys, counts = np.unique(every, return_counts=True)
    order = keys[np.argsort(-counts)]
    inks: list[Colour] = []
    ground = np.median(pixels[every == order[0]], axis=0)
    for key in order[1:]:
        middle = np.median(pixels[every == key], axis=0)
        distances = [np.abs(middle - np.array(ink[::-1])).max() for ink in inks]
        differs = all(distance > INK_TOLERANCE / 2 for distance in distances)
        if differs and np.abs(middle - ground).max() > INK_TOLERANCE:
            blue, green, red = (int(part) for part in middle)
            inks.append((red, green, blue))
        if len(inks) == _INKS:
            break
    return inks


def _runs(filled: Mask) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([False], filled, [False])).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
