"""Reads statements off a turn's words by rules: what stands where a model would extract facts."""

from __future__ import annotations

import re

from pitwall_exam.answering.turns import Turn
from pitwall_exam.episode.remembered import ACTION, ESCALATED, REASON, SIGHT, Statement

_TEXT_GAME = re.compile(
    r"Location: (?P<location>.*?)\. (?:Observation: (?P<observation>.*?) ?)?(?:Score: (?P<score>\S+)\.)?$",
    re.S,
)
_ESCALATED = re.compile(r"\. The planner was asked because of (?P<causes>[^.]+)\.$")
_PLACES = {"on": "ground", "facing": "facing", "route": "route"}
NOTHING = "nothing"


def state_words(turn: Turn) -> dict[str, str]:
    """Return the state before a turn's action as statements: subject → value."""
    match = _TEXT_GAME.match(turn.before)
    if match is not None:
        location = match["location"]
        seen = {"location": location, f"{SIGHT}{location}": match["observation"] or ""}
        return {**seen, **({"score": match["score"]} if match["score"] else {})}
    escalated = _ESCALATED.search(turn.before)
    plain = turn.before[: escalated.start()] if escalated is not None else turn.before.rstrip(".")
    words = dict(
        _statement(part)
        for clause in plain.split("; ")
        for part in clause.removeprefix("carrying ").split(", ")
        if part and part != NOTHING
    )
    return {**words, ESCALATED: escalated["causes"]} if escalated is not None else words


def statements_of(turn: Turn) -> tuple[Statement, ...]:
    """Return everything that a turn's words say of its step."""
    known = {**state_words(turn), ACTION: turn.action, **({REASON: turn.reason} if turn.reason else {})}
    return tuple((turn.step, subject, value) for subject, value in known.items())


def _statement(part: str) -> tuple[str, str]:
    subject, _, value = part.partition(" ") if part.split(" ")[0] in _PLACES else part.rpartition(" ")
    return _PLACES.get(subject, subject or part), value


def changes(before: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, str]]:
    """Return the changes between two turns: subject, former and new value; "nothing" where one lacks."""
    return [
        (subject, before.get(subject, NOTHING), now.get(subject, NOTHING))
        for subject in dict.fromkeys((*before, *now))
        if before.get(subject) != now.get(subject)
    ]
