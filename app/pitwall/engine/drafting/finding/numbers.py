"""Finds numbers by text and by small changing places, and guesses their meaning from their course."""

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
"""Greatest ratio of a number's width to its height."""
_MOST_CANDIDATES = 14
_READINGS = 16
"""Number of pictures of a candidate that are read as text, to learn from."""
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
    """A field that may read a number, and its origin.

    Attributes:
        learned: how it reads, such as "6 digits learned from 14 readings".
    """

    field: ReaderField
    pictures: Mapping[str, str]
    label: str
    learned: str


def number_fields(
    minute: PlayedMinute, recogniser: Recogniser, boards: Sequence[Rect] = ()
) -> Iterator[list[NumberField] | None]:
    """Make a field for every place that may hold a number; yield None at each turn, then the list.

    Args:
        boards: places of boards; numbers on their cells are ignored.
    """
    candidates = _candidates(minute, boards)
    crops: list[dict[bytes, Pixels]] = [{} for _ in candidates]
    for at in range(len(minute)):
        pixels = minute.frame(at)
        for candidate, seen in zip(candidates, crops, strict=True):
            rect = candidate.rect
            crop = np.ascontiguousarray(pixels[rect.y : rect.bottom, rect.x : rect.right])
            seen.setdefault(crop.tobytes(), crop)
        yield None
    for candidate, seen in zip(candidates, crops, strict=True):
        left, learned = list(seen.values()), None
        for most in (_READINGS, _READINGS // 2):  # then crops with a digit that was not learned yet
            for at in sorted({round(at) for at in np.linspace(0, len(left) - 1, min(most, len(left)))}):
                sample = _read(left[at], recogniser)
                candidate.samples += [sample] if sample is not None else []
                yield None
            learned = learn_signs(candidate.samples)
            yield None
            left = [crop for crop in left if learned is not None and not learned.reads(crop)]
            if not left:
                break
        candidate.learned = learned
    taken: set[str] = set()
    made = []
    for candidate in candidates:
        if len(candidate.samples) >= 2:
            made.append(_field(candidate, minute, frozenset(taken)))
            taken.add(made[-1].field.name)
    yield made


def digits_field(
    name: str, box: tuple[int, int, int, int], learned: LearnedSigns, screen: tuple[int, int]
) -> tuple[DigitsField, dict[str, str]]:
    """Return the field that reads a box by learned shapes, with room for longer numbers, and its pictures."""
    inside, high = learned.inside, learned.inside.height
    left, right = box[0] + inside.x, box[0] + inside.right
    x, y = max(0, left - high // 4), max(0, box[1] + inside.y - 2)
    width = min(screen[0], right + high // 4) - x
    height = min(screen[1], box[1] + inside.bottom + 2) - y
    folder = f"templates/{name}"
    box = (x, y, width, height)
    made = DigitsField(kind="digits", name=name, box=box, templates=folder, ink=learned.ink, most=12)
    shapes = learned.shapes.items()
    return made, {f"{folder}/{digit}.png": png_text(shape_picture(shape)) for digit, shape in shapes}


def png_text(picture: Pixels) -> str:
    """Return a picture as a draft keeps it: PNG, base64."""
    done, data = cv2.imencode(".png", picture)
    assert done
    return base64.b64encode(data.tobytes()).decode("ascii")


def number_proposal(
    number: NumberField, at_s: Sequence[float], values: Sequence[Value], confidences: Sequence[float]
) -> Proposal | None:
    """Return a proposal for a number by its course over the minute; None if it was hardly ever read.

    Args:
        values: its reading in each still; None: unreadable.
    """
    pairs = zip(at_s, values, strict=True)
    read = [(at, float(value)) for at, value in pairs if isinstance(value, int | float)]
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
    role, sure = _role(number.label, course, rises, falls - begins, begins)
    if role == "score" and begins:
        figures += f", {_times(begins)} of it back to its least"
    return Proposal(
        role=role,
        name=number.field.name,
        box=number.field.box or (0, 0, 1, 1),
        confidence=min(0.98, share * certain * sure),
        why=f"{figures}; {number.learned}.",
        field=number.field,
        pictures=number.pictures,
    )


def _role(label: str, course: np.ndarray, rises: int, falls: int, begins: int) -> tuple[Role, float]:
    shrinks = falls + begins > rises and course.min() >= 0
    if course.max() <= _MOST_LIVES and (_LIVES.search(label) or shrinks):
        return "lives", 0.95 if _LIVES.search(label) else 0.7
    named = bool(re.search(r"scor|point|coin|gold", label, re.I))
    if rises >= 2 and rises > 3 * falls:
        return "score", min(1.0, (0.9 if named else 0.75) + 0.02 * rises)
    if named and not falls and "hi" not in label.casefold():
        return "score", 0.6 if rises else 0.4
    return "number", 0.5 if rises + falls else 0.3


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")


# ---- places


def _candidates(minute: PlayedMinute, boards: Sequence[Rect]) -> list[_Candidate]:
    """Return places where digits were read, where little changes now and then, and beside words."""
    places: list[Rect] = []
    labels: list[tuple[Rect, str]] = []
    for lines in minute.lines.values():
        for line in lines:
            box = line.box
            if _DIGITS.search(line.text) and box.height <= _MOST_HEIGHT:
                first = _DIGITS.search(line.text)
                begins = first.start() / max(1, len(line.text)) if first is not None else 0.0
                left = box.x + int(box.width * begins)  # from its first digit on
                places.append(Rect(left, box.y, max(2, box.right - left), box.height))
            if _LABEL.search(line.text) and box.height <= _MOST_HEIGHT // 2:
                labels.append((box, line.text))
    merged = [
        rect
        for rect in _merged([*places, *_changed_places(minute)])
        if not any(board.contains(rect.x + rect.width / 2, rect.y + rect.height / 2) for board in boards)
    ]
    words: list[Rect] = []
    for box, _ in labels:
        if not any(_touch(box, other) for other in words):
            words.append(box)
    beside = [
        minute.clipped(
            box.right, box.y - box.height // 2, box.right + 5 * box.height, box.bottom + box.height // 2
        )
        for box in words
    ]
    merged += [rect for rect in beside if not any(_touch(rect, other) for other in merged)]
    candidates = []
    for rect in merged[:_MOST_CANDIDATES]:
        high = rect.height
        wider = minute.clipped(rect.x - high // 2, rect.y - 3, rect.right + high, rect.bottom + 3)
        if wider.width > 4 and wider.height > 4:
            candidates.append(_Candidate(wider, _label_of(rect, labels)))
    return candidates


def _changed_places(minute: PlayedMinute) -> list[Rect]:
    """Return small places of a text's size that change now and then."""
    changed = (minute.changes > 0).astype(np.uint8)
    closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 9), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    rects = [Rect(*(int(part) for part in stats[at][:4])) for at in range(1, count)]
    fitting = [
        rect
        for rect in rects
        if _LEAST_HEIGHT <= rect.height <= _MOST_HEIGHT and 3 <= rect.width <= _MOST_WIDTHS * rect.height
    ]
    height = minute.screen.height
    return sorted(fitting, key=lambda rect: min(rect.y, height - rect.bottom))[:_MOST_CANDIDATES]


def _merged(places: Sequence[Rect]) -> list[Rect]:
    """Return the places with overlapping ones on a line joined, the commonest first."""
    groups: list[tuple[Rect, int]] = []
    for place in places:
        for at, (rect, seen) in enumerate(groups):
            if _touch(rect, place) and max(rect.height, place.height) < 2.2 * min(rect.height, place.height):
                groups[at] = (Rect.around([rect, place]), seen + 1)
                break
        else:
            groups.append((place, 1))
    return [rect for rect, _ in sorted(groups, key=lambda group: -group[1])]


def _touch(rect: Rect, other: Rect) -> bool:
    across = min(rect.right, other.right) > max(rect.x, other.x)
    return across and min(rect.bottom, other.bottom) > max(rect.y, other.y)


def _label_of(rect: Rect, labels: Sequence[tuple[Rect, str]]) -> str:
    """Return the nearest words left of a place, on it or above it."""
    near: list[tuple[float, str]] = []
    for box, text in labels:
        same_line = min(box.bottom, rect.bottom) - max(box.y, rect.y) > 0.5 * min(box.height, rect.height)
        beside, above = rect.x - box.right, rect.y - box.bottom
        if same_line and -box.width <= beside <= 3 * rect.height and box.x <= rect.x:
            near.append((max(0, beside), text))
        elif -0.5 * box.height <= above <= rect.height and min(box.right, rect.right) > max(box.x, rect.x):
            near.append((max(0, above), text))
    return " ".join(_LABEL.findall(min(near)[1])[:2]).casefold() if near else ""


# ---- readings


def _read(crop: Pixels, recogniser: Recogniser) -> Sample | None:
    try:
        read = recogniser.look(crop)
    except PitwallError:
        return None
    digits = _DIGITS.findall(read.text.replace(",", ""))
    if not digits or read.confidence < _SURE:
        return None
    return Sample(crop=crop, text=digits[-1])


def _field(candidate: _Candidate, minute: PlayedMinute, taken: frozenset[str]) -> NumberField:
    label, box, readings = candidate.label, rect_box(candidate.rect), len(candidate.samples)
    name = identifier(label or "number", taken)
    learned, size = candidate.learned, (minute.screen.width, minute.screen.height)
    if learned is not None and learned.agreed >= max(2, 0.7 * readings):
        made, pictures = digits_field(name, box, learned, size)
        words = f"{len(learned.shapes)} digits learned from {learned.of} readings, {learned.agreed} agree"
        return NumberField(field=made, pictures=pictures, label=label, learned=words)
    text = TextField(kind="text", name=name, box=box, number=True)
    words = f"its digits cannot be told apart, so it is read as text ({readings} readings)"
    return NumberField(field=text, pictures={}, label=label, learned=words)
