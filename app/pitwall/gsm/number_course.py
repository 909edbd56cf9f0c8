"""Follows a number that is read from the screen, and keeps only the readings that a real number can have.

A misread number jumps: 27, 271, 27. So a new value counts once another reading bears it out. Its change must
fit the changes kept so far; a change that does not fit counts only once the number goes on from there, or
stays for long. Outside of play no such jump counts: an end screen shows other numbers in the same place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import gcd

from pitwall.core.clock import ms_between
from pitwall.core.observations import Reading, Value
from pitwall.games.schema.fields import DigitsField, ReaderField, TextField
from pitwall.games.schema.profile import Profile

_LEAST_SURE = 0.6
"""Least confidence of a reading that counts (choice)."""
_BORNE_MS, _FALL_MS, _JUMP_MS, _LASTS_MS = 80.0, 500.0, 1_200.0, 8_000.0
"""Time for which readings must support a usual rise, a fall, a jump that goes on, and a jump that stays."""
_JUMP_READINGS, _LASTING_READINGS = 4, 10
_KNOWN_GAINS = 3
"""Rises from which on the usual rise is known."""
_MOST_CANDIDATES, _PATIENCE = 4, 4
"""Candidates that are followed side by side, and readings that may speak against each at first."""
_MAJORITY = 1.5
"""Readings for a jump, as a multiple of the readings meanwhile that say something else (choice)."""
_USUAL = 3.0
"""Rises up to this multiple of the largest usual rise fit."""
_GAINS = 24
_TWO_DIGITS = 10
_AGAIN_MS = 100.0
"""Time after which a still picture is read again to bear a reading out."""
_LEAST_READINGS, _LEAST_KEPT = 30, 0.2
"""Readings from which on a share of kept readings says how reliable a score is, and that share (choice)."""


@dataclass(slots=True)
class _Candidate:
    """A value that may follow: its first and newest reading, its number of readings, and its rises.

    Attributes:
        others: readings since it began that say something else.
    """

    first: float
    value: float
    began_ns: int
    at_ns: int
    readings: int = 1
    gains: list[tuple[float, float]] = field(default_factory=list)
    others: int = 0

    @property
    def stood_ms(self) -> float:
        return ms_between(self.began_ns, self.at_ns)


class NumberCourse:
    """Judges the readings of one number.

    Attributes:
        shown: the newest reading was a number, borne out or not.
        read, kept: how many readings came during play, and how many of these were kept.
    """

    def __init__(self) -> None:
        self.read = self.kept = 0
        self.shown = False
        self._value: float | None = None
        self._at_ns = 0
        self._start: float | None = None
        self._candidates: list[_Candidate] = []
        self._gains: deque[tuple[float, float]] = deque(maxlen=_GAINS)

    @property
    def waits(self) -> bool:
        """Return whether a value waits to be borne out."""
        return bool(self._candidates)

    @property
    def unreliable(self) -> bool:
        """Return whether hardly any reading could be kept."""
        return self.read >= _LEAST_READINGS and self.kept < _LEAST_KEPT * self.read

    def judge(self, value: Value, confidence: float, at_ns: int, *, playing: bool = True) -> Value:
        """Return the value if it is borne out; None if it cannot be relied on yet.

        Args:
            at_ns: when its picture was captured. playing: the game shows no menu and no end screen.
        """
        self.read += playing
        self.shown = value is not None
        sure = confidence >= _LEAST_SURE and not isinstance(value, bool) and isinstance(value, int | float)
        if not sure:
            return None
        assert isinstance(value, int | float)
        if value == self._value:
            self._at_ns = at_ns
            self._candidates = [other for other in self._candidates if self._outlives(other)]
        elif not self._borne_out(float(value), at_ns, playing=playing):
            return None
        self.kept += playing
        return value

    def _borne_out(self, value: float, at_ns: int, *, playing: bool) -> bool:
        """Take a changed value into account, and return whether it now counts."""
        candidate = self._joined(value, at_ns)
        if not self._counts(candidate, playing=playing):
            return False
        if self._value is not None and self._rises(candidate):
            took_ms = max(1.0, ms_between(self._at_ns, candidate.began_ns))
            self._gains.append((candidate.first - self._value, took_ms))
        elif self._start is None or candidate.first <= self._start:
            self._start = candidate.first
        self._gains += candidate.gains
        self._value, self._at_ns = value, at_ns
        self._candidates.clear()
        return True

    def _joined(self, value: float, at_ns: int) -> _Candidate:
        """Return the candidate that this reading belongs to, the nearest of those that can go on to it."""
        self._candidates = [other for other in self._candidates if self._outlives(other)][-_MOST_CANDIDATES:]
        fitting = [
            other
            for other in self._candidates
            if value == other.value
            or 0 < value - other.value <= self._most_gain(other.value, ms_between(other.at_ns, at_ns))
        ]
        if not fitting:
            self._candidates.append(_Candidate(value, value, at_ns, at_ns))
            return self._candidates[-1]
        chosen = min(fitting, key=lambda other: value - other.value)
        chosen.others -= 1
        if value != chosen.value:
            chosen.gains.append((value - chosen.value, max(1.0, ms_between(chosen.at_ns, at_ns))))
        chosen.value, chosen.at_ns, chosen.readings = value, at_ns, chosen.readings + 1
        return chosen

    def _outlives(self, candidate: _Candidate) -> bool:
        """Count a reading against a candidate, and return whether enough readings still speak for it."""
        candidate.others += 1
        return candidate.others <= candidate.readings + _PATIENCE

    def _counts(self, candidate: _Candidate, *, playing: bool) -> bool:
        stood = candidate.stood_ms
        if candidate.readings < 2 or stood < _BORNE_MS:
            return False
        if self._rises(candidate):
            return True
        if self._value is None or self._falls(candidate):
            return candidate.readings > 2 and stood >= _FALL_MS
        if not playing or candidate.readings < _MAJORITY * candidate.others:
            return False
        whole = not self._has_digit_beside_it(candidate.first)
        changed = candidate.gains and candidate.readings >= _JUMP_READINGS
        goes_on = whole and changed and stood >= _JUMP_MS
        return goes_on or (candidate.readings >= _LASTING_READINGS and stood >= _LASTS_MS)

    def _rises(self, candidate: _Candidate) -> bool:
        """Return whether the candidate follows the kept value by a usual rise."""
        if self._value is None or self._has_digit_beside_it(candidate.first):
            return False
        passed_ms = ms_between(self._at_ns, candidate.began_ns)
        gain, unit = candidate.first - self._value, gcd(*(round(usual) for usual, _ in self._gains))
        if len(self._gains) >= _KNOWN_GAINS and unit > 1 and round(gain) % unit:
            return False
        return 0 < gain <= self._most_gain(self._value, passed_ms)

    def _falls(self, candidate: _Candidate) -> bool:
        """Return whether a number begins again at its start, or goes down by one, as lives and seconds do."""
        if self._value is None:
            return False
        text, known = f"{candidate.first:.0f}", f"{self._value:.0f}"
        if candidate.first and (known.startswith(text) or known.endswith(text)):
            return False  # a digit was missed
        return candidate.first <= (self._start or 0.0) or 0 < self._value - candidate.first <= 1

    def _most_gain(self, value: float, passed_ms: float) -> float:
        """Return the largest rise that fits: by rises known so far, or by the number's own size."""
        if len(self._gains) < _KNOWN_GAINS:
            return max(20.0, value)
        largest = max(gain for gain, _ in self._gains)
        mean = sum(gain for gain, _ in self._gains) / sum(took_ms for _, took_ms in self._gains)
        return _USUAL * max(largest, passed_ms * mean)

    def _has_digit_beside_it(self, value: float) -> bool:
        """Return whether a value looks like the number, or the next one, with a floating gain beside it."""
        if (
            self._value is None
            or self._value < _TWO_DIGITS
            or any(value - self._value == gain for gain, _ in self._gains)
        ):
            return False
        text, known = f"{value:.0f}", f"{self._value:.0f}"
        pairs = [(text[:at], text[at:]) for at in range(1, len(text)) if text[at] != "0"]
        parts = [part for pair in pairs for part in pair]
        nearest = (float(part) - self._value for part in parts) if len(text) > len(known) else ()
        return any(0 <= gain <= self._most_gain(self._value, 0.0) for gain in nearest)


def is_of_signs(field: ReaderField) -> bool:
    """Return whether a field reads a number by its signs, which may be mistaken for others."""
    text = isinstance(field, TextField) and field.number
    return text or (isinstance(field, DigitsField) and field.ink is not None)


class NumberCourses:
    """Judges the readings of a game's score, where it is read from the screen by its signs.

    Attributes:
        playing: the game shows no menu and no end screen.
    """

    def __init__(self, profile: Profile) -> None:
        counted = {profile.score_field, *profile.gain_fields}
        of_signs = [field for field in profile.fields if field.name in counted and is_of_signs(field)]
        self._courses = {field.name: NumberCourse() for field in of_signs}
        self._shapes = [field.name for field in of_signs if isinstance(field, DigitsField)]
        self._judged_ns = 0
        self.playing = True

    @property
    def any(self) -> bool:
        """Return whether a score is read by its signs."""
        return bool(self._courses)

    @property
    def shown(self) -> bool:
        """Return whether a number stood in a score's place when it was read last, borne out or not."""
        return any(course.shown for course in self._courses.values())

    def __contains__(self, name: str) -> bool:
        return name in self._courses

    @property
    def unreliable(self) -> str:
        """Return the names of the scores of which hardly any reading could be kept; empty for none."""
        return ", ".join(name for name, course in self._courses.items() if course.unreliable)

    def judge(self, name: str, value: Value, confidence: float, at_ns: int) -> Value:
        """Return a reading's value if it is borne out, else None."""
        return self._courses[name].judge(value, confidence, at_ns, playing=self.playing)

    def judged(self, readings: Mapping[str, Reading], at_ns: int) -> dict[str, Reading]:
        """Return a frame's readings; a score read by shapes has no value until it is borne out."""
        self._judged_ns = at_ns
        judged = dict(readings)
        for name in self._shapes:
            reading = readings[name]
            if self.judge(name, reading.value, reading.confidence, at_ns) is None:
                judged[name] = replace(reading, value=None, confidence=0.0)
        return judged

    def waits(self, now: int) -> bool:
        """Return whether a score read by shapes waits to be borne out, and its picture stands still."""
        due = ms_between(self._judged_ns, now) >= _AGAIN_MS
        return due and any(self._courses[name].waits for name in self._shapes)
