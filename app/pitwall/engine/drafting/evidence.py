"""Measures how well fields were read over a filmstrip: in how many stills, with five examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.clock import NS_PER_S
from pitwall.core.observations import Reading, Value
from pitwall.engine.drafting.field_reading import DraftReader, Recogniser, still_frame
from pitwall.engine.drafting.filmstrip import Still
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.fields import ReaderField
from pitwall.gsm.number_course import NumberCourse, is_of_signs

MOST_STILLS = 40
_SHOWN = 5
_FEW, _LEAST_READ = 10, 0.2
"""Stills from which on the share of readings says something, and the least share of a reliable number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldEvidence:
    """How often a field was read.

    Attributes:
        unsure: it counts as a number, and hardly any of its readings bear each other out.
        shown: five readings spread over the stills: seconds on the strip's clock, value.
    """

    name: str
    read: int
    of: int
    shown: tuple[tuple[float, Value], ...]
    unsure: bool = False


def read_stills(
    stills: Sequence[Still], draft: Draft, recogniser: Recogniser | None
) -> Iterator[Mapping[str, Reading]]:
    """Read every field of a draft in each still, text too."""
    reader = DraftReader(draft, recogniser)
    for number, still in enumerate(stills, 1):
        yield reader.read_now(still_frame(still.pixels, number))


def evidence_of(
    draft: Draft, stills: Sequence[Still], read: Sequence[Mapping[str, Reading]]
) -> list[FieldEvidence]:
    """Return the evidence for each field from the readings of all stills."""
    places = sorted({round(i * (len(stills) - 1) / (_SHOWN - 1)) for i in range(_SHOWN)}) if stills else []
    return [
        FieldEvidence(
            name=field.name,
            read=sum(readings[field.name].value is not None for readings in read),
            of=len(stills),
            unsure=_unsure(field, stills, [readings[field.name] for readings in read]),
            shown=tuple((round(stills[at].at_s, 1), read[at][field.name].value) for at in places),
        )
        for field in draft.fields
    ]


def _unsure(field: ReaderField, stills: Sequence[Still], read: Sequence[Reading]) -> bool:
    """Return whether a number was hardly ever read, or no reading bore another out."""
    if not is_of_signs(field) or len(stills) < _FEW:
        return False
    course = NumberCourse()
    for still, reading in zip(stills, read, strict=True):
        course.judge(reading.value, reading.confidence, int(still.at_s * NS_PER_S))
    known = sum(reading.value is not None for reading in read)
    return not course.kept or known < _LEAST_READ * len(stills)
