"""Computes the figures of a run from its committed steps (SPEC §10), also of a crashed run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pitwall.core.actions import NO_OP, Effect, Invalid
from pitwall.core.calls import CallOutcome, CallRecord, Tier
from pitwall.core.clock import NS_PER_S, ms_between
from pitwall.core.runs import SCREEN_SCORE, RunOutcome, RunSummary, Spread, TierFigures
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.call_records import call_row
from pitwall.store.records import Row
from pitwall.store.true_scores import ScoreTally

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
    "effect_why",
    "reaction_ms",
    "frame_age_ms",
    "fields",
)
"""The columns of `steps` that the figures need: a tenth of the work of reading whole steps."""

_SCORE_KEY = f'"{SCREEN_SCORE}"'

CALL_COLUMNS = (
    "tier",
    "model",
    "outcome",
    "invalid",
    "proposed",
    "illegal",
    "prompt_tokens",
    "cached_tokens",
    "output_tokens",
    "first_token_ms",
    "took_ms",
)
"""The columns of `calls` that the figures need: not the replies."""

_ANSWERED = frozenset({CallOutcome.USED, CallOutcome.DROPPED, CallOutcome.INVALID})


def spread_of(values: Iterable[float]) -> Spread:
    """Return median and tail, interpolated linearly between the two nearest values."""
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
    """Return whether a step was stuck: its action was invalid, or its events had no visible effect.

    An invalid action is executed as a no-op. A no-op chosen on purpose is not stuck.
    """
    sent = any(event.sent_ns is not None for event in step.sent)
    return _is_stuck(step.action.name, step.invalid, sent, step.decided_effect)


def recovered(stuck: Sequence[bool]) -> int:
    """Count the stuck steps that were followed, within three, by a step that is not stuck."""
    return sum(was and not all(stuck[at + 1 : at + 1 + RECOVERY_STEPS]) for at, was in enumerate(stuck))


def cached_share(figures: TierFigures) -> float | None:
    """Return the share of prompt tokens read from the cache, 0 … 1; None where there were none."""
    return figures.cached_tokens / figures.prompt_tokens if figures.prompt_tokens else None


class CallTally:
    """Counts the model calls of one run.

    A reply without any action counts as one invalid proposed action; otherwise a model that never gives an
    action would have no invalid action rate at all.
    """

    def __init__(self) -> None:
        self.proposed_actions = 0
        self.plans_dropped = 0
        self._illegal: Counter[str] = Counter()
        self._tiers: dict[str, _TierTally] = {}

    def add(self, call: CallRecord) -> None:
        """Count a settled call."""
        self.add_row(call_row(0, call))

    def add_row(self, row: Row) -> None:
        """Count a row of `calls` with at least CALL_COLUMNS."""
        without = row["invalid"] in (Invalid.NO_CALL, Invalid.MALFORMED)
        outside = max(row["illegal"], row["invalid"] == Invalid.OUT_OF_SPACE)
        if without:
            self._illegal[row["invalid"]] += 1
        if outside:
            self._illegal[Invalid.OUT_OF_SPACE.value] += outside
        self.proposed_actions += max(row["proposed"], without + outside)
        self.plans_dropped += row["tier"] == Tier.STRATEGIC and row["outcome"] == CallOutcome.DROPPED
        self._tiers.setdefault(row["tier"], _TierTally()).add(row)

    @property
    def illegal_actions(self) -> dict[str, int]:
        """Return the number of invalid proposed actions by kind."""
        return dict(self._illegal)

    @property
    def tiers(self) -> dict[str, TierFigures]:
        """Return the figures of each tier that was asked."""
        return {name: tally.figures() for name, tally in self._tiers.items()}


def summarise(
    rows: Iterable[Row], events: Sequence[RunEvent], calls: Iterable[Row] = (), *, outcome: RunOutcome
) -> RunSummary:
    """Return the figures that committed steps, calls and events contain.

    Frames are counted from the first step's to the last's; dropped frames and the spread of the loop
    are not in the steps and stay empty. Strategic calls are the number of distinct proposals.

    Args:
        rows: rows of `steps` in order, with at least COLUMNS.
        calls: rows of `calls` in order, with at least CALL_COLUMNS.
    """
    tally, asked = _Tally(), CallTally()
    for row in rows:
        tally.add(row)
    for row in calls:
        asked.add_row(row)
    last_ns = max([0, *tally.at_ns, *(event.at_ns for event in events)])
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
        tiers=asked.tiers,
        proposed_actions=asked.proposed_actions,
        illegal_actions=asked.illegal_actions,
        plans_dropped=asked.plans_dropped,
        step_ms=spread_of(ms_between(*pair) for pair in pairwise(tally.at_ns)),
        score=tally.score.score,
    )


class _Tally:
    def __init__(self) -> None:
        self.first_frame = 0
        self.last_frame = 0
        self.at_ns: list[int] = []
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
        self.score = ScoreTally(SCREEN_SCORE)

    def add(self, row: Row) -> None:
        if not self.stuck:
            self.first_frame = row["frame_id"]
        self.last_frame = row["frame_id"]
        self.at_ns.append(row["at_ns"])
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
        if _SCORE_KEY in row["fields"]:
            self.score.add(json.loads(row["fields"]))
        effect = Effect.UNVERIFIED if row["effect_why"] else row["effect"]
        self.stuck.append(_is_stuck(row["action"], row["invalid"], row["sent_events"] > 0, effect))


class _TierTally:
    def __init__(self) -> None:
        self.model = ""
        self.sums: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.took_ms: list[float] = []
        self.first_token_ms: list[float] = []

    def add(self, row: Row) -> None:
        self.model = row["model"]
        self.outcomes[row["outcome"]] += 1
        for name in ("prompt_tokens", "cached_tokens", "output_tokens"):
            self.sums[name] += row[name]
        if row["outcome"] in _ANSWERED and row["took_ms"] is not None:
            self.took_ms.append(row["took_ms"])
        if row["first_token_ms"] is not None:
            self.first_token_ms.append(row["first_token_ms"])

    def figures(self) -> TierFigures:
        return TierFigures(
            model=self.model,
            calls=self.outcomes.total(),
            **self.sums,
            dropped=self.outcomes[CallOutcome.DROPPED],
            invalid=self.outcomes[CallOutcome.INVALID],
            failed=self.outcomes[CallOutcome.FAILED],
            took_ms=spread_of(self.took_ms),
            first_token_ms=spread_of(self.first_token_ms),
        )


def _is_stuck(action: str, invalid: str | None, sent: bool, effect: str) -> bool:
    return invalid is not None or (action != NO_OP.name and sent and effect == Effect.UNVERIFIED)


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
