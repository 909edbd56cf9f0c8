"""The statements of a turn: what stands where a model would extract facts."""

from __future__ import annotations

from collections.abc import Mapping

from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import ACTION, REASON, Statement

NOTHING = "nothing"


def statements_of(turn: Turn) -> tuple[Statement, ...]:
    """Return everything that a turn's words say of its step."""
    done = {} if turn.is_outcome else {ACTION: turn.action}
    known = {**turn.known, **done, **({REASON: turn.reason} if turn.reason else {})}
    return tuple((turn.step, subject, value) for subject, value in known.items())


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return the changes between two turns: subject, former and new value; "nothing" where one lacks."""
    return [
        (subject, before.get(subject, NOTHING), now.get(subject, NOTHING))
        for subject in dict.fromkeys((*before, *now))
        if before.get(subject) != now.get(subject)
    ]
