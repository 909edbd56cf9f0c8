"""Figures of a run computed from its committed steps (SPEC §10): what a crashed run can still tell."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from pitwall.core.actions import NO_OP, Effect
from pitwall.core.clock import NS_PER_S
from pitwall.core.runs import RunOutcome, RunSummary, Spread
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.records import Row

RECOVERY_STEPS = 3
"""A stuck step counts as recovered when one of the next three is not stuck (SPEC §10)."""

COLUMNS = (
    "at_ns",
    "frame_id",
    "route",
    "reasons",
    "proposal_id",
    "action",
    "invalid",
    "sent_events",
    "refusals",
    "effect",
    "reaction_ms",
    "frame_age_ms",
)
"""The columns of `steps` that the figures need: a tenth of the work of reading whole steps."""


def spread_of(values: Iterable[float]) -> Spread:
    """Median and tail, interpolated linearly between the two nearest values."""
    ordered = sorted(values)
    if not ordered:
        return Spread()
    return Spread(
        p50=_quantile(ordered, 0.50),
        p95=_quantile(ordered, 0.95),
        p99=_quantile(ordered, 0.99),
        n=len(ordered),
    )


def is_stuck(step: StepRecord) -> bool:
    """A blocked move or an empty action: what was meant to happen did not.

    That is an invalid action (executed as no-op), or events that were sent and whose effect was never
    seen. A no-op chosen on purpose is not stuck.
    """
    sent = any(event.sent_ns is not None for event in step.sent)
    return _is_stuck(step.action.name, step.invalid, sent, step.effect)


def recovered(stuck: Sequence[bool]) -> int:
    """How many stuck steps were followed, within three, by one that is not stuck."""
    return sum(was and not all(stuck[at + 1 : at + 1 + RECOVERY_STEPS]) for at, was in enumerate(stuck))


def summarise(rows: Iterable[Row], events: Sequence[RunEvent], *, outcome: RunOutcome) -> RunSummary:
    """The figures that committed steps and events hold.

    Frames are counted from the first step's to the last's; dropped frames and the spread of the loop
    are not in the steps and stay empty. Strategic calls are the distinct proposals seen.

    Args:
        rows: rows of `steps` in order, with at least COLUMNS.
    """
    tally = _Tally()
    for row in rows:
        tally.add(row)
    last_ns = max([tally.last_ns, *(event.at_ns for event in events)])
    return RunSummary(
        outcome=outcome,
        seconds=last_ns / NS_PER_S,
        steps=len(tally.stuck),
        frames=tally.last_frame - tally.first_frame + 1 if tally.stuck else 0,
        strategic_calls=len(tally.proposals),
        escalations=dict(tally.escalations),
        routes=dict(tally.routes),
        refusals=dict(tally.refusals),
        invalid=dict(tally.invalid),
        effects=dict(tally.effects),
        events_sent=tally.events_sent,
        takeovers=sum(event.kind == "takeover" for event in events),
        reaction_ms=spread_of(tally.reaction_ms),
        frame_age_ms=spread_of(tally.frame_age_ms),
        stuck=sum(tally.stuck),
        recovered=recovered(tally.stuck),
    )


class _Tally:
    def __init__(self) -> None:
        self.first_frame = 0
        self.last_frame = 0
        self.last_ns = 0
        self.events_sent = 0
        self.proposals: set[int] = set()
        self.stuck: list[bool] = []
        self.reaction_ms: list[float] = []
        self.frame_age_ms: list[float] = []
        self.escalations: Counter[str] = Counter()
        self.routes: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.invalid: Counter[str] = Counter()
        self.effects: Counter[str] = Counter()

    def add(self, row: Row) -> None:
        if not self.stuck:
            self.first_frame = row["frame_id"]
        self.last_frame = row["frame_id"]
        self.last_ns = max(self.last_ns, row["at_ns"])
        self.escalations.update(json.loads(row["reasons"]))
        self.refusals.update(json.loads(row["refusals"]))
        self.routes[row["route"]] += 1
        self.effects[row["effect"]] += 1
        self.events_sent += row["sent_events"]
        if row["proposal_id"] is not None:
            self.proposals.add(row["proposal_id"])
        if row["invalid"] is not None:
            self.invalid[row["invalid"]] += 1
        for values, name in ((self.reaction_ms, "reaction_ms"), (self.frame_age_ms, "frame_age_ms")):
            if row[name] is not None:
                values.append(row[name])
        self.stuck.append(_is_stuck(row["action"], row["invalid"], row["sent_events"] > 0, row["effect"]))


def _is_stuck(action: str, invalid: str | None, sent: bool, effect: str) -> bool:
    return invalid is not None or (action != NO_OP.name and sent and effect == Effect.UNVERIFIED)


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
