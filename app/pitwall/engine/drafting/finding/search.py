"""Finds everything that a played minute shows, in the order in which one finding serves the next."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading
from pitwall.engine.drafting.evidence import MOST_STILLS, read_stills
from pitwall.engine.drafting.field_reading import Recogniser
from pitwall.engine.drafting.filmstrip import Filmstrip
from pitwall.engine.drafting.finding.bars import find_bars
from pitwall.engine.drafting.finding.board import find_board
from pitwall.engine.drafting.finding.numbers import NumberField, number_fields, number_proposal
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.drafting.finding.screens import dialogs, find_screens
from pitwall.engine.drafting.finding.things import find_things
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.profile import Screen

_LEAST_STILLS = 8
_LEAST_SURE = 0.25
"""What is less sure is not proposed."""
Found = TypeVar("Found")
Turns = Generator[None, None, Found]


def find_all(strip: Filmstrip, screen: Screen, recogniser: Recogniser | None) -> Turns[list[Proposal]]:
    """Return everything that was found, the surest first; yields often, so that others get their turn."""
    minute = PlayedMinute(strip, screen)
    if len(minute) < _LEAST_STILLS:
        return []
    yield from minute.prepare(recogniser)
    boards = yield from _last(find_board(minute))
    numbers: list[Proposal] = []
    if recogniser is not None:
        numbers = yield from _numbers(minute, strip, recogniser, [Rect(*one.box) for one in boards])
    bars = yield from _last(find_bars(minute))
    told = dialogs(minute)
    outside = [
        one
        for one in [*numbers, *bars]
        if not any(_within(one, Rect(*board.box)) for board in boards)
        and not (one.role == "number" and any(_within(one, said) for said in told))
    ]
    things = yield from _last(find_things(minute, [Rect(*one.box) for one in [*outside, *boards]]))
    screens = yield from _last(find_screens(minute))
    found = [*outside, *boards, *screens, *things]
    return sorted((one for one in found if one.confidence >= _LEAST_SURE), key=lambda one: -one.confidence)


def finished(turns: Turns[Found]) -> Found:
    """Take all turns at once, and return what they make."""
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return cast("Found", end.value)


def _last(turns: Iterator[list[Proposal] | None]) -> Turns[list[Proposal]]:
    made: list[Proposal] = []
    for turn in turns:
        if turn is None:
            yield
        else:
            made = turn
    return made


def _numbers(
    minute: PlayedMinute, strip: Filmstrip, recogniser: Recogniser, boards: Sequence[Rect]
) -> Turns[list[Proposal]]:
    fields: list[NumberField] = []
    for turn in number_fields(minute, recogniser, boards):
        if turn is None:
            yield
        else:
            fields = turn
    if not fields:
        return []
    pictures = {file: text for one in fields for file, text in one.pictures.items()}
    draft = Draft(
        game_id="found",
        name="found",
        screen=minute.screen,
        fields=[one.field for one in fields],
        pictures=pictures,
    )
    stills = strip.spread(MOST_STILLS)
    read: list[Mapping[str, Reading]] = []
    for one in read_stills(stills, draft, recogniser):
        read.append(one)
        yield
    at_s = [still.at_s for still in stills]
    made = []
    for number in fields:
        course = [each[number.field.name] for each in read]
        values, sure = [each.value for each in course], [each.confidence for each in course]
        found = number_proposal(number, at_s, values, sure)
        made += [found] if found is not None else []
    return _one_score(made)


def _one_score(found: Sequence[Proposal]) -> list[Proposal]:
    """Of several that count up, the surest is the score; the others are numbers."""
    scores = sorted((one for one in found if one.role == "score"), key=lambda one: -one.confidence)
    settled = [replace(one, role="number") if one in scores[1:] else one for one in found]
    return [one if one.name != "number" else _named(one, one.role) for one in settled]


def _named(one: Proposal, name: str) -> Proposal:
    """A number beside which no word stands is called after what it counts."""
    return replace(one, name=name, field=one.field.model_copy(update={"name": name}))


def _within(one: Proposal, other: Rect) -> bool:
    x, y, width, height = one.box
    return other.contains(x + width / 2, y + height / 2)
