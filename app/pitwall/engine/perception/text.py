"""Text fields: crops go to the host process at their own slower cadence, answers are used when they come.

Nothing here waits. One request at most is on its way for each field, always with the newest crop; a
crop that has not changed since its answer is not asked again. While there is no host, text reads as
none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS, ms_between
from pitwall.core.errors import PitwallError
from pitwall.core.fault_log import FaultLog
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.fields import TextField
from pitwall.games.schema.profile import Profile
from pitwall.models.host_access import HostAccess
from pitwall.models.host_requests import HostFault, ReadText, TextRead

_LONGEST_WAIT_MS = 20_000
_AFTER_FAULT_MS = 10_000
"""A field whose reading failed is left alone for so long: loading models again and again is dear."""
_LONGEST_SIDE_PX = 1_280
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=\d)")
"""The space of widely set digits, which text recognition takes for one between words ("2 0 15")."""
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")


class TextLink(HostAccess, Protocol):
    """The way to the host process, which tells of its death too."""

    def faults(self) -> list[PitwallError]: ...


@dataclass(slots=True)
class _Asked:
    """A request on its way."""

    request_id: int
    crop: Pixels
    rect: Rect
    scale: float
    captured_ns: int
    asked_ns: int


@dataclass(slots=True)
class _Answer:
    value: Value
    confidence: float
    found: Rect | None
    crop: Pixels
    captured_ns: int


class TextReader:
    """Reads the text fields of a profile.

    Args:
        every_ms: least time between two readings of one field.

    Raises:
        PitwallError: a field's pattern is no regular expression.
    """

    def __init__(self, profile: Profile, link: TextLink, *, every_ms: int) -> None:
        self.every_ms = every_ms
        self._link = link
        self._screen = profile.screen
        self._fields = {field.name: field for field in profile.fields if isinstance(field, TextField)}
        self._patterns = {name: _pattern(field) for name, field in self._fields.items()}
        self._asked: dict[str, _Asked] = {}
        self._next_id = 1
        self._answers: dict[str, _Answer] = {}
        self._tried_ns: dict[str, int] = {}
        self._boxes: dict[str, Rect] = {}
        self._generation = link.generation
        self._faults = FaultLog()

    def pump(self, frame: Frame | None, now_ns: int) -> None:
        """Take the answers that have come, and ask for the fields that are due.

        Call it on every turn of the loop: text that appeared just after a reading, on a screen that
        then stands still, is read when the field is due again.

        Args:
            frame: the newest frame, also where it is the same as before; None: only take answers.
        """
        for reply in self._link.pump():
            if isinstance(reply, TextRead | HostFault):
                self._take(reply)
        if self._link.generation != self._generation or self._link.fileno() is None:
            self._generation = self._link.generation
            self._asked.clear()
            self._answers.clear()
        if frame is None:
            return
        look = FrameView(frame.pixels, None, self._screen)
        for name, field in self._fields.items():
            if self._due(name, now_ns):
                self._ask(field, look, frame, now_ns)

    def readings(self, now_ns: int) -> dict[str, Reading]:
        """Every text field as last read; value None where it was not."""
        return {name: self._reading(field, now_ns) for name, field in self._fields.items()}

    def faults(self) -> list[PitwallError]:
        """Return the faults since the last call; each is told once."""
        return self._faults.take() + self._link.faults()

    def _due(self, name: str, now_ns: int) -> bool:
        asked = self._asked.get(name)
        if asked is not None and now_ns - asked.asked_ns < _LONGEST_WAIT_MS * NS_PER_MS:
            return False
        return now_ns - self._tried_ns.get(name, -self.every_ms * NS_PER_MS) >= self.every_ms * NS_PER_MS

    def _ask(self, field: TextField, look: FrameView, frame: Frame, now_ns: int) -> None:
        rect = self._boxes[field.name] = look.rect(field.box)
        self._tried_ns[field.name] = now_ns
        if not rect.width or not rect.height:
            return
        crop = look.colours(field.box)
        answer = self._answers.get(field.name)
        if answer is not None and np.array_equal(answer.crop, crop):
            answer.captured_ns = frame.captured_ns
            return
        scale = min(1.0, _LONGEST_SIDE_PX / max(rect.width, rect.height))
        picture = (
            crop if scale == 1.0 else cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        )
        height, width = picture.shape[:2]
        request = ReadText(request_id=self._next_id, width=width, height=height)
        self._next_id += 1
        if self._link.send(request, picture.tobytes()):
            if self._link.generation != self._generation:  # the host was started for this
                self._generation = self._link.generation
                self._asked.clear()
            self._asked[field.name] = _Asked(request.request_id, crop, rect, scale, frame.captured_ns, now_ns)

    def _take(self, reply: TextRead | HostFault) -> None:
        name = next((n for n, each in self._asked.items() if each.request_id == reply.request_id), None)
        if name is None:  # it came after its time
            return
        asked = self._asked.pop(name)
        if isinstance(reply, HostFault):
            self._answers.pop(name, None)
            self._tried_ns[name] = asked.asked_ns + _AFTER_FAULT_MS * NS_PER_MS
            self._faults.add(PitwallError(f"field {name}: {reply.what}", reply.fix), reply.what)
            return
        value = _value(self._patterns[name], self._fields[name].number, reply.text)
        found = _around(reply, asked)
        confidence = reply.confidence if value is not None else 0.0
        self._answers[name] = _Answer(value, confidence, found, asked.crop, asked.captured_ns)

    def _reading(self, field: TextField, now_ns: int) -> Reading:
        answer, box = self._answers.get(field.name), self._boxes.get(field.name)
        if answer is None:
            return Reading(name=field.name, value=None, unit=field.unit, confidence=0.0, box=box)
        return Reading(
            name=field.name,
            value=answer.value,
            unit=field.unit,
            confidence=answer.confidence,
            box=box,
            found=answer.found,
            age_ms=max(0.0, ms_between(answer.captured_ns, now_ns)),
        )


def _pattern(field: TextField) -> re.Pattern[str] | None:
    try:
        return re.compile(field.pattern) if field.pattern else None
    except re.error as error:
        raise PitwallError(
            f"fields.{field.name}.pattern: {field.pattern!r} is no regular expression: {error}.",
            "Mend it, or leave it out to take the whole text.",
        ) from None


def text_value(field: TextField, text: str) -> Value:
    """What a field makes of a text that was read."""
    return _value(_pattern(field), field.number, text)


def _value(pattern: re.Pattern[str] | None, number: bool, text: str) -> Value:
    """The text, its part that the pattern asks for, or that as a number; None where there is none."""
    text = text.strip()
    if pattern is not None:
        match = pattern.search(text)
        if match is None:
            return None
        text = (match.group(1) if pattern.groups else match.group()) or ""
    if not number:
        return text
    digits = _NUMBER.search(_BETWEEN_DIGITS.sub("", text))
    if digits is None:
        return None
    plain = digits.group().replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _around(reply: TextRead, asked: _Asked) -> Rect | None:
    if not reply.lines:
        return None
    left = min(line.box.x for line in reply.lines)
    top = min(line.box.y for line in reply.lines)
    right = max(line.box.right for line in reply.lines)
    bottom = max(line.box.bottom for line in reply.lines)
    inside = Rect(left, top, right - left, bottom - top).scaled(1 / asked.scale, 1 / asked.scale)
    return Rect(asked.rect.x + inside.x, asked.rect.y + inside.y, inside.width, inside.height)
