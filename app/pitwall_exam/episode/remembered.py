"""The timeline of an episode as a memory tells it: only the statements that it holds about each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pitwall_exam.episode.states import FieldState, GridState, TextState, short_value
from pitwall_exam.episode.trace import Moment, Trace

ACTION, REASON, SIGHT = "action", "reason", "the sight at "
ESCALATED, PLACE = "cause of asking the planner", "place number"
Statement = tuple[int, str, str]
"""A statement: the step, the subject and its value before that step's action."""
_Known = Mapping[str, str]


def statements_of_state(state: object) -> dict[str, str]:
    """Return everything that a state's words say: subject → value."""
    match state:
        case GridState():
            counts = {name: str(count) for name, count in (*state.stats.items(), *state.items.items())}
            known = {**counts, "ground": state.ground, "facing": state.facing}
        case TextState():
            score = f"{state.score:.15g}" if state.score is not None else ""
            seen = {SIGHT + state.location: state.observation}
            return {"location": state.location, **seen, **({"score": score} if score else {})}
        case FieldState():
            read = {name: short_value(value) for name, value in state.fields.items() if value is not None}
            place, causes = str(state.place or ""), ", ".join(state.escalations)
            known = {**read, PLACE: place, "route": state.route, ESCALATED: causes}
        case _:
            return {}
    return {subject: value for subject, value in known.items() if value}


def remembered(trace: Trace[Any], statements: Iterable[Statement]) -> Trace[Any]:
    """Return a trace of the same steps that knows no more than these statements."""
    by_step: dict[int, dict[str, str]] = {}
    for step, subject, value in statements:
        by_step.setdefault(step, {})[subject] = value
    nothing: _Known = {}
    moments = [
        Moment(
            moment.step,
            by_step.get(moment.step, nothing).get(ACTION, ""),
            by_step.get(moment.step, nothing).get(REASON, ""),
            _state(moment.before, by_step.get(moment.step, nothing)),
            _state(moment.after, by_step.get(moment.step + 1, nothing)),
        )
        for moment in trace.moments
    ]
    return Trace(moments)


def _state(real: object, known: _Known) -> object:
    """Return a state of the same kind with what is known of it; the real one gives kinds and types alone."""
    match real:
        case GridState():
            counts = {name: int(value) for name, value in known.items() if value.isdecimal()}
            return GridState(
                at=None,
                ground=known.get("ground", ""),
                facing=known.get("facing", ""),
                stats={name: count for name, count in counts.items() if name in real.stats},
                items={name: count for name, count in counts.items() if name not in real.stats},
            )
        case TextState():
            location = known.get("location", "")
            return TextState(location, known.get(f"{SIGHT}{location}", ""), score=_number(known.get("score")))
        case FieldState():
            fields = {
                name: value if value is not None and known.get(name) == short_value(value) else None
                for name, value in real.fields.items()
            }
            causes = tuple(filter(None, known.get(ESCALATED, "").split(", ")))
            place = int(known.get(PLACE, "0"))
            return FieldState(fields, "", known.get("route", ""), escalations=causes, place=place)
    return real


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
