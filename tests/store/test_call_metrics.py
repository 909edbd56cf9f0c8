"""Figures of model calls and the rates of a run (SPEC §10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pitwall.core.actions import Invalid
from pitwall.core.calls import CallOutcome, CallRecord, CallTimes, Tier
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt
from pitwall.core.runs import (
    RunManifest,
    RunSummary,
    Spread,
    TierFigures,
    invalid_action_rate,
    recovery_rate,
    recovery_ratio,
    stuck_rate,
)
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunLog, RunReader
from pitwall.store.run_metrics import CallTally, cached_share, spread_of

MakeStep = Callable[[int], StepRecord]
MakeCall = Callable[[int], tuple[CallRecord, Prompt]]


def _tallied(*calls: CallRecord) -> CallTally:
    tally = CallTally()
    for call in calls:
        tally.add(call)
    return tally


def test_a_run_that_broke_off_tells_its_calls_as_the_tally_does(
    data: DataFolder, manifest: RunManifest, make_step: MakeStep, make_call: MakeCall
) -> None:
    made = [make_call(number) for number in range(1, 11)]
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_steps(run_id, [make_step(number) for number in range(1, 11)])
        for record, prompt in made:
            log.add_call(run_id, record, prompt=prompt)
    summary = RunReader(data).run(run_id).summary
    assert summary.outcome == "crashed"
    tally = _tallied(*(record for record, _ in made))
    assert (
        summary.tiers
        == tally.tiers
        == {
            "strategic": TierFigures(
                model="tiny",
                calls=10,
                prompt_tokens=400,
                cached_tokens=300,
                output_tokens=80,
                dropped=1,
                invalid=2,
                took_ms=spread_of(10.0 * number for number in range(1, 11)),
                first_token_ms=spread_of(range(1, 11)),
            )
        }
    )
    assert summary.proposed_actions == tally.proposed_actions == 8 * 2 + 2
    assert summary.illegal_actions == tally.illegal_actions == {"no_tool_call": 2}
    assert summary.plans_dropped == tally.plans_dropped == 1
    assert summary.step_ms == Spread(p50=250.0, p95=250.0, p99=250.0, n=9)


def test_tiers_are_told_apart_and_the_last_model_is_named(make_call: MakeCall) -> None:
    plan, _ = make_call(7)
    reaction = replace(plan, tier=Tier.FAST, model="small", outcome=CallOutcome.DROPPED)
    tally = _tallied(plan, reaction, replace(reaction, model="smaller"))
    assert {name: (tier.model, tier.calls) for name, tier in tally.tiers.items()} == {
        "strategic": ("tiny", 1),
        "fast": ("smaller", 2),
    }
    assert tally.plans_dropped == 1


def test_a_call_without_an_answer_has_no_time(make_call: MakeCall) -> None:
    record, _ = make_call(1)
    failed = replace(
        record, outcome=CallOutcome.FAILED, proposed=0, times=CallTimes(took_ms=60_000.0), problem="it died"
    )
    tally = _tallied(failed, replace(failed, outcome=CallOutcome.CANCELLED))
    figures = tally.tiers["strategic"]
    assert (figures.calls, figures.failed, figures.took_ms, figures.first_token_ms) == (
        2,
        1,
        Spread(),
        Spread(),
    )
    assert (tally.proposed_actions, tally.illegal_actions) == (0, {})


@pytest.mark.parametrize(
    ("proposed", "illegal", "invalid", "counted"),
    [
        (3, 0, None, (3, {})),
        (3, 1, None, (3, {"out_of_space": 1})),
        (3, 2, Invalid.OUT_OF_SPACE, (3, {"out_of_space": 2})),
        (0, 0, Invalid.OUT_OF_SPACE, (1, {"out_of_space": 1})),
        (0, 0, Invalid.NO_CALL, (1, {"no_tool_call": 1})),
        (0, 0, None, (0, {})),
    ],
)
def test_what_counts_as_proposed_and_as_not_valid(
    make_call: MakeCall,
    proposed: int,
    illegal: int,
    invalid: Invalid | None,
    counted: tuple[int, dict[str, int]],
) -> None:
    record, _ = make_call(1)
    tally = _tallied(replace(record, proposed=proposed, illegal=illegal, invalid=invalid))
    assert (tally.proposed_actions, tally.illegal_actions) == counted


def test_the_invalid_action_rate_and_its_parts() -> None:
    summary = RunSummary(proposed_actions=40, illegal_actions={"no_tool_call": 1, "out_of_space": 3})
    assert invalid_action_rate(summary) == 0.1
    assert invalid_action_rate(summary, Invalid.NO_CALL) == 0.025
    assert invalid_action_rate(summary, Invalid.OUT_OF_SPACE) == 0.075
    assert invalid_action_rate(RunSummary(proposed_actions=4)) == 0.0
    assert invalid_action_rate(RunSummary()) is None


def test_without_stuck_events_there_is_no_recovery_to_rate() -> None:
    stuck = RunSummary(steps=100, stuck=20, recovered=15)
    assert (stuck_rate(stuck), recovery_rate(stuck)) == (0.2, 0.75)
    assert recovery_ratio(stuck) == pytest.approx(3.75)
    smooth = RunSummary(steps=100)
    assert (stuck_rate(smooth), recovery_rate(smooth), recovery_ratio(smooth)) == (0.0, None, None)
    assert stuck_rate(RunSummary()) is None


def test_the_share_from_the_cache() -> None:
    assert cached_share(TierFigures(prompt_tokens=400, cached_tokens=300)) == 0.75
    assert cached_share(TierFigures()) is None
