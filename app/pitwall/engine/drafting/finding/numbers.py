"""Finds numbers by text and by small places that change, and says from their course what they are."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Value
from pitwall.engine.drafting.field_reading import Recogniser
from pitwall.engine.drafting.finding.played_minute import PlayedMinute, rect_box
from pitwall.engine.drafting.finding.proposal import Proposal, Role
from pitwall.engine.perception.sign_shapes import LearnedSigns, Sample, learn_signs, shape_picture
from pitwall.games.drafting.draft import identifier
from pitwall.games.schema.fields import DigitsField, ReaderField, TextField

_LEAST_HEIGHT, _MOST_HEIGHT = 7, 64
_MOST_WIDTHS = 9.0
"""A number is at most so many times wider than high."""
_MOST_CANDIDATES = 14
_READINGS = 16
"""So many pictures of a candidate are read as text, to learn from."""
_SURE = 0.75
_DIGITS = re.compile(r"\d+")
_LABEL = re.compile(r"[A-Za-z]{3,}")
_LIVES = re.compile(r"li[fv]e|ship|ball|heart", re.I)
_MOST_LIVES = 9


@dataclass(slots=True)
class _Candidate:
    rect: Rect
    label: str = ""
    samples: list[Sample] = field(default_factory=list)
    learned: LearnedSigns | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField:
    """A field that may read a number, and how it came to be.

    Attributes:
        learned: "6 digits learned from 14 readings", or what teaches it still.
    """

    field: ReaderField
    pictures: Mapping[str, str]
    label: str
    learned: str


def number_fields(
    minute: PlayedMinute, recogniser: Recogniser, boards: Sequence[Rect] = ()
) -> Iterator[list[NumberField] | None]:
    """Make a field for every place that may hold a number; None while a turn passes, then the list.

    Args:
        boards: what stands on their cells is no number of its own.
    """
    candidates = _candidates(minute, boards)
    crops: list[dict[bytes, Pixels]] = [{} for _ in candidates]
    for at in range(len(minute)):
        pixels = minute.frame(at)
        for one, seen in zip(candidates, crops, strict=True):
            crop = _cut(pixels, one.rect)
            seen.setdefault(crop.tobytes(), crop)
        yield None
    for one, seen in zip(candidates, crops, strict=True):
        left, learned = list(seen.values()), None
        for most in (_READINGS, _READINGS // 2):  # then those with a digit that was not learned yet
            for at in sorted({round(at) for at in np.linspace(0, len(left) - 1, min(most, len(left)))}):
                sample = _read(left[at], recogniser)
                one.samples += [sample] if sample is not None else []
                yield None
            learned = learn_signs(one.samples)
            yield None
            left = [crop for crop in left if learned is not None and not learned.reads(crop)]
            if not left:
                break
        one.learned = learned
    taken: set[str] = set()
    made = []
    for one in candidates:
        if len(one.samples) >= 2:
            made.append(_field(one, minute, frozenset(taken)))
            taken.add(made[-1].field.name)
    yield made


def digits_field(
    name: str, box: tuple[int, int, int, int], learned: LearnedSigns, screen: tuple[int, int]
) -> tuple[DigitsField, dict[str, str]]:
    """The field that reads a box by learned shapes, with room for the number to grow, and its pictures."""
    inside, high = learned.inside, learned.inside.height
    left, right = box[0] + inside.x, box[0] + inside.right
    x, y = max(0, left - high // 4), max(0, box[1] + inside.y - 2)
    width = min(screen[0], right + high // 4) - x
    height = min(screen[1], box[1] + inside.bottom + 2) - y
    folder = f"templates/{name}"
    made = DigitsField(
        kind="digits",
        name=name,
        box=(x, y, width, height),
        templates=folder,
        ink=learned.ink,
        most=12,
    )
    return made, {
        f"{folder}/{digit}.png": png_text(shape_picture(one)) for digit, one in learned.shapes.items()
    }


def png_text(picture: Pixels) -> str:
    """A picture as a draft keeps it: PNG, base64."""
    done, data = cv2.imencode(".png", picture)
    assert done
    return base64.b64encode(data.tobytes()).decode("ascii")


def number_proposal(
    one: NumberField, at_s: Sequence[float], values: Sequence[Value], confidences: Sequence[float]
) -> Proposal | None:
    """Judge a number by its course over the minute; None where it was hardly ever read.

    Args:
        values: what it read in each still; None: unreadable.
    """
    read = [(at, float(one)) for at, one in zip(at_s, values, strict=True) if isinstance(one, int | float)]
    if len(read) < max(3, 0.25 * len(values)):
        return None
    course = np.array([value for _, value in read])
    steps = np.diff(course)
    rises, falls = int((steps > 0).sum()), int((steps < 0).sum())
    begins = int(((steps < 0) & (course[1:] <= course.min())).sum())
    share = len(read) / len(values)
    certain = float(np.mean([sure for sure in confidences if sure > 0]))
    figures = (
        f"read in {len(read)} of {len(values)} pictures, from {course.min():g} to {course.max():g}; "
        f"rose {_times(rises)}, fell {_times(falls)}"
    )
    role, sure = _role(one.label, course, rises, falls - begins, begins)
    if role == "score" and begins:
        figures += f", {_times(begins)} of it back to its least"
    name = one.field.name
    return Proposal(
        role=role,
        name=name,
        box=one.field.box or (0, 0, 1, 1),
        confidence=min(0.98, share * certain * sure),
        why=f"{figures}; {one.learned}.",
        field=one.field,
        pictures=one.pictures,
    )


def _role(label: str, course: np.ndarray, rises: int, falls: int, begins: int) -> tuple[Role, float]:
    if course.max() <= _MOST_LIVES and (
        _LIVES.search(label) or (falls + begins > rises and course.min() >= 0)
    ):
        return "lives", 0.95 if _LIVES.search(label) else 0.7
    named = bool(re.search(r"scor|point|coin|gold", label, re.I))
    if rises >= 2 and rises > 3 * falls:
        return "score", min(1.0, (0.9 if named else 0.75) + 0.02 * rises)
    if named and not falls and "hi" not in label.casefold():
        return "score", 0.6 if rises else 0.4
    return "number", 0.5 if rises + falls else 0.3


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")


# ---- where one may stand


def _on_board(rect: Rect, boards: Sequence[Rect]) -> bool:
    middle = rect.x + rect.width / 2, rect.y + rect.height / 2
    return any(board.contains(*middle) for board in boards)


def _candidates(minute: PlayedMinute, boards: Sequence[Rect]) -> list[_Candidate]:
    """Places where digits were read, where little changes now and then, and beside words."""
    places: list[Rect] = []
    labels: list[tuple[Rect, str]] = []
    for lines in minute.lines.values():
        for line in lines:
            box = line.box
            if _DIGITS.search(line.text) and box.height <= _MOST_HEIGHT:
                places.append(_digits_part(box, line.text))
            if _LABEL.search(line.text) and box.height <= _MOST_HEIGHT // 2:
                labels.append((box, line.text))
    changed = _changed_places(minute)
    beside = [
        minute.clipped(
            box.right, box.y - box.height // 2, box.right + 5 * box.height, box.bottom + box.height // 2
        )
        for box, _ in _different(labels)
    ]
    merged = [one for one in _merged([*places, *changed]) if not _on_board(one, boards)]
    merged += [one for one in beside if not any(_touch(one, other) for other in merged)]
    found = []
    for rect in merged[:_MOST_CANDIDATES]:
        high = rect.height
        wider = minute.clipped(rect.x - high // 2, rect.y - 3, rect.right + high, rect.bottom + 3)
        if wider.width > 4 and wider.height > 4:
            found.append(_Candidate(wider, _label_of(rect, labels)))
    return found


def _digits_part(box: Rect, text: str) -> Rect:
    """The part of a line from its first digit on, by how far along the text that stands."""
    first = _DIGITS.search(text)
    begins = first.start() / max(1, len(text)) if first is not None else 0.0
    left = box.x + int(box.width * begins)
    return Rect(left, box.y, max(2, box.right - left), box.height)


def _changed_places(minute: PlayedMinute) -> list[Rect]:
    """Small places of a text's size that change now and then."""
    changed = (minute.changes > 0).astype(np.uint8)
    closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 9), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    rects = [Rect(*(int(part) for part in stats[at][:4])) for at in range(1, count)]
    fitting = [
        one
        for one in rects
        if _LEAST_HEIGHT <= one.height <= _MOST_HEIGHT and 3 <= one.width <= _MOST_WIDTHS * one.height
    ]
    height = minute.screen.height
    return sorted(fitting, key=lambda one: min(one.y, height - one.bottom))[:_MOST_CANDIDATES]


def _merged(places: Sequence[Rect]) -> list[Rect]:
    """Places that overlap on one line as one, those seen most often first."""
    groups: list[tuple[Rect, int]] = []
    for place in places:
        for at, (rect, seen) in enumerate(groups):
            if _touch(rect, place) and max(rect.height, place.height) < 2.2 * min(rect.height, place.height):
                left, top = min(rect.x, place.x), min(rect.y, place.y)
                right, bottom = max(rect.right, place.right), max(rect.bottom, place.bottom)
                groups[at] = (Rect(left, top, right - left, bottom - top), seen + 1)
                break
        else:
            groups.append((place, 1))
    return [rect for rect, _ in sorted(groups, key=lambda one: -one[1])]


def _touch(one: Rect, other: Rect) -> bool:
    return min(one.right, other.right) > max(one.x, other.x) and min(one.bottom, other.bottom) > max(
        one.y, other.y
    )


def _different(labels: Sequence[tuple[Rect, str]]) -> list[tuple[Rect, str]]:
    kept: list[tuple[Rect, str]] = []
    for box, text in labels:
        if not any(_touch(box, other) for other, _ in kept):
            kept.append((box, text))
    return kept


def _label_of(rect: Rect, labels: Sequence[tuple[Rect, str]]) -> str:
    """The nearest words left of a place, on it or over it."""
    near: list[tuple[float, str]] = []
    for box, text in labels:
        same_line = min(box.bottom, rect.bottom) - max(box.y, rect.y) > 0.5 * min(box.height, rect.height)
        beside, above = rect.x - box.right, rect.y - box.bottom
        if same_line and -box.width <= beside <= 3 * rect.height and box.x <= rect.x:
            near.append((max(0, beside), text))
        elif -0.5 * box.height <= above <= rect.height and min(box.right, rect.right) > max(box.x, rect.x):
            near.append((max(0, above), text))
    return " ".join(_LABEL.findall(min(near)[1])[:2]).casefold() if near else ""


# ---- what stands there


def _read(crop: Pixels, recogniser: Recogniser) -> Sample | None:
    try:
        read = recogniser.look(crop)
    except PitwallError:
        return None
    digits = _DIGITS.findall(read.text.replace(",", ""))
    if not digits or read.confidence < _SURE:
        return None
    return Sample(crop=crop, text=digits[-1])


def _field(one: _Candidate, minute: PlayedMinute, taken: frozenset[str]) -> NumberField:
    name = identifier(one.label or "number", taken)
    learned, size = one.learned, (minute.screen.width, minute.screen.height)
    if learned is not None and learned.agreed >= max(2, 0.7 * len(one.samples)):
        made, pictures = digits_field(name, rect_box(one.rect), learned, size)
        words = f"{len(learned.shapes)} digits learned from {learned.of} readings, {learned.agreed} agree"
        return NumberField(field=made, pictures=pictures, label=one.label, learned=words)
    text = TextField(kind="text", name=name, box=rect_box(one.rect), number=True)
    words = f"its digits cannot be told apart, so it is read as text ({len(one.samples)} readings)"
    return NumberField(field=text, pictures={}, label=one.label, learned=words)


def _cut(pixels: Pixels, rect: Rect) -> Pixels:
    return np.ascontiguousarray(pixels[rect.y : rect.bottom, rect.x : rect.right])
