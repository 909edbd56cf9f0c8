"""Runs all finders over a played minute, in an order in which each uses the results before it."""

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
from pitwall.engine.drafting.finding.numbers import number_fields, number_proposal
from pitwall.engine.drafting.finding.played_minute import PlayedMinute
from pitwall.engine.drafting.finding.proposal import Proposal
from pitwall.engine.drafting.finding.screens import dialogs, find_screens
from pitwall.engine.drafting.finding.things import find_things
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.profile import Screen

_LEAST_STILLS = 8
_LEAST_SURE = 0.25
"""Least confidence of a proposal."""
Result = TypeVar("Result")
Item = TypeVar("Item")
Turns = Generator[None, None, Result]


def find_all(strip: Filmstrip, screen: Screen, recogniser: Recogniser | None) -> Turns[list[Proposal]]:
    """Return all proposals, the surest first; yields often, so that other work gets its turn."""
    minute = PlayedMinute(strip, screen)
    if len(minute) < _LEAST_STILLS:
        return []
    yield from minute.prepare(recogniser)
    boards = yield from _last(find_board(minute))
    numbers: list[Proposal] = []
    if recogniser is not None:
        numbers = yield from _numbers(minute, strip, recogniser, [Rect(*board.box) for board in boards])
    bars = yield from _last(find_bars(minute))
    words = dialogs(minute)
    outside = [
        proposal
        for proposal in [*numbers, *bars]
        if not any(_within(proposal, Rect(*board.box)) for board in boards)
        and not (proposal.role == "number" and any(_within(proposal, place) for place in words))
    ]
    hud = [Rect(*proposal.box) for proposal in [*outside, *boards]]
    things = yield from _last(find_things(minute, hud))
    screens = yield from _last(find_screens(minute))
    proposals = [*outside, *boards, *screens, *things]
    sure = (proposal for proposal in proposals if proposal.confidence >= _LEAST_SURE)
    return sorted(sure, key=lambda proposal: -proposal.confidence)


def finished(turns: Turns[Result]) -> Result:
    """Run all turns at once, and return the result."""
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return cast("Result", end.value)


def _last(turns: Iterator[list[Item] | None]) -> Turns[list[Item]]:
    made: list[Item] = []
    for turn in turns:
        if turn is None:
            yield
        else:
            made = turn
    return made


def _numbers(
    minute: PlayedMinute, strip: Filmstrip, recogniser: Recogniser, boards: Sequence[Rect]
) -> Turns[list[Proposal]]:
    fields = yield from _last(number_fields(minute, recogniser, boards))
    if not fields:
        return []
    pictures = {file: text for number in fields for file, text in number.pictures.items()}
    draft = Draft(
        game_id="found",
        name="found",
        screen=minute.screen,
        fields=[number.field for number in fields],
        pictures=pictures,
    )
    stills = strip.spread(MOST_STILLS)
    read: list[Mapping[str, Reading]] = []
    for readings in read_stills(stills, draft, recogniser):
        read.append(readings)
        yield
    at_s = [still.at_s for still in stills]
    made = []
    for number in fields:
        course = [readings[number.field.name] for readings in read]
        values, sure = [reading.value for reading in course], [reading.confidence for reading in course]
        if proposal := number_proposal(number, at_s, values, sure):
            made.append(proposal)
    return _settled(made)


def _settled(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Keep the surest score, make other scores numbers, and name unlabelled numbers by their role."""
    scores = [proposal for proposal in proposals if proposal.role == "score"]
    best = max(scores, key=lambda proposal: proposal.confidence, default=None)
    settled = []
    for proposal in proposals:
        role = "number" if proposal.role == "score" and proposal is not best else proposal.role
        name = role if proposal.name == "number" else proposal.name
        field = proposal.field.model_copy(update={"name": name})
        settled.append(replace(proposal, role=role, name=name, field=field))
    return settled


def _within(proposal: Proposal, other: Rect) -> bool:
    x, y, width, height = proposal.box
    return other.contains(x + width / 2, y + height / 2)
