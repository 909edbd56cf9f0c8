"""Reads text fields: crops go to the host process at a slower rate, and answers are used when they come.

Nothing here waits. Each field has at most one request open, with the newest crop at that time; a
crop that has not changed since its answer is not sent again. Without a host, text is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from pitwall.core.clock import NS_PER_MS, ms_between
from pitwall.core.errors import FaultLog, PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.perception.frame_view import FrameView
from pitwall.games.schema.fields import TextField
from pitwall.games.schema.profile import Profile
from pitwall.gsm.number_course import NumberCourses
from pitwall.models.host_access import HostAccess
from pitwall.models.host_requests import HostFault, ReadText, TextRead

_LONGEST_WAIT_MS = 20_000
_AFTER_FAULT_MS = 10_000
"""A field whose reading failed is not read for this long: loading models repeatedly is expensive."""
_LONGEST_SIDE_PX = 1_280
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=\d)")
"""A gap of widely set digits, which text recognition mistakes for a space between words ("2 0 15")."""
_FLOATING_GAIN = re.compile(r"(?:^|(?<=\s))\+ ?\d+(?=\s|$)")
"""Points that a game shows beside its score for a moment ("+4")."""
_ONE_NUMBER = re.compile(r"[^\d+]*?-?\d[\d,. ]*[^\w+]*")
"""A text with a single number and nothing attached to it, after a label or without."""
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")


class TextLink(HostAccess, Protocol):
    """The connection to the host process, which reports its death too."""

    def faults(self) -> list[PitwallError]: ...


@dataclass(slots=True)
class _Asked:
    """An open request."""

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
    text: str
    place: Rect | None
    crop: Pixels
    captured_ns: int


class TextReader:
    """Reads the text fields of a profile.

    Args:
        every_ms: least time between two readings of one field.
        scores: judges the readings of the score; None: readings count as they come.

    Raises:
        PitwallError: a field's pattern is no regular expression.
    """

    def __init__(
        self, profile: Profile, link: TextLink, *, every_ms: int, scores: NumberCourses | None = None
    ) -> None:
        self.every_ms = every_ms
        self._link, self._scores = link, scores
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
        """Take the answers that have come, and send the fields that are due.

        Call it on every turn of the loop: text that appears just after a reading, on a screen that
        then does not change, is read when the field is due again.

        Args:
            frame: the newest frame, changed or not; None: only take answers.
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
        """Return the last reading of every text field; value None where there is none."""
        return {name: self._reading(field, now_ns) for name, field in self._fields.items()}

    def faults(self) -> list[PitwallError]:
        """Return the faults since the last call, each once."""
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
            self._judge(field, answer, now_ns)
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
        name = next((key for key, open in self._asked.items() if open.request_id == reply.request_id), None)
        if name is None:  # it came too late
            return
        asked = self._asked.pop(name)
        if isinstance(reply, HostFault):
            self._answers.pop(name, None)
            self._tried_ns[name] = asked.asked_ns + _AFTER_FAULT_MS * NS_PER_MS
            self._faults.add(PitwallError(f"field {name}: {reply.what}", reply.fix), reply.what)
            return
        value = _value(self._patterns[name], self._fields[name].number, reply.text)
        place = None
        if reply.lines:
            inside = Rect.around([line.box for line in reply.lines]).scaled(1 / asked.scale, 1 / asked.scale)
            place = inside.moved(asked.rect.x, asked.rect.y)
        answer = _Answer(value, reply.confidence, reply.text, place, asked.crop, asked.captured_ns)
        self._answers[name] = answer
        self._judge(self._fields[name], answer, asked.asked_ns)

    def _judge(self, field: TextField, answer: _Answer, at_ns: int) -> None:
        """Drop the value of a score whose text shows more than it, or that is not borne out yet."""
        if self._scores is None or field.name not in self._scores:
            return
        sure = answer.confidence if is_plain_number(field, answer.text) else 0.0
        answer.value = self._scores.judge(field.name, text_value(field, answer.text), sure, at_ns)

    def _reading(self, field: TextField, now_ns: int) -> Reading:
        answer, box = self._answers.get(field.name), self._boxes.get(field.name)
        if answer is None:
            return Reading(name=field.name, value=None, unit=field.unit, confidence=0.0, box=box)
        return Reading(
            name=field.name,
            value=answer.value,
            unit=field.unit,
            confidence=answer.confidence if answer.value is not None else 0.0,
            box=box,
            found=answer.place,
            age_ms=max(0.0, ms_between(answer.captured_ns, now_ns)),
        )


def _pattern(field: TextField) -> re.Pattern[str] | None:
    try:
        return re.compile(field.pattern) if field.pattern else None
    except re.error as error:
        raise PitwallError(
            f"fields.{field.name}.pattern: {field.pattern!r} is no regular expression: {error}.",
            "Correct it, or leave it out to take the whole text.",
        ) from None


def text_value(field: TextField, text: str) -> Value:
    """Return a field's value of a text that was read."""
    return _value(_pattern(field), field.number, text)


def _value(pattern: re.Pattern[str] | None, number: bool, text: str) -> Value:
    """Return the text, the part that matches the pattern, or that as a number; None for no match."""
    text = text.strip()
    if pattern is not None:
        match = pattern.search(text)
        if match is None:
            return None
        text = (match.group(1) if pattern.groups else match.group()) or ""
    if not number:
        return text
    digits = _NUMBER.search(_BETWEEN_DIGITS.sub("", _without_gains(text)))
    if digits is None:
        return None
    plain = digits.group().replace(",", "")
    return float(plain) if "." in plain else int(plain)


def is_plain_number(field: TextField, text: str) -> bool:
    """Return whether a text that was read shows one number only, so that no sign of another is in it."""
    pattern = _pattern(field)
    matched = pattern.search(text) if pattern is not None else None
    return _ONE_NUMBER.fullmatch(_without_gains(matched.group() if matched else text)) is not None


def _without_gains(text: str) -> str:
    """Return a text without floating gains; as it is where nothing else is left."""
    return _FLOATING_GAIN.sub("", text).strip() or text
