"""Whatever a step holds comes back from a real database as it went in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwall.core.actions import Proposal, SemanticAction, SentEvent
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunOutcome, RunSummary, ScreenScore, Spread, TierFigures
from pitwall.core.signals import Failure, Signals
from pitwall.core.steps import RunEvent, StepRecord, Timings
from pitwall.store.run_log import RunLog, RunReader

MakeStep = Callable[[int], StepRecord]

_numbers = itertools.count(1)
_int64 = st.integers(-(2**63), 2**63 - 1)
_finite = st.floats(allow_nan=False, allow_infinity=False)
_maybe_ms = st.none() | _finite
_values = st.none() | st.booleans() | st.integers() | _finite | st.text()
_arguments = st.text() | st.integers() | _finite
_actions = st.builds(
    SemanticAction, name=st.text(), arguments=st.dictionaries(st.text(), _arguments, max_size=3)
)
_signals = st.builds(
    Signals,
    change=_finite,
    progress=_int64,
    stall=_int64,
    repetition=_int64,
    since_strategic=_int64,
    failure=st.sampled_from(Failure),
)
_proposals = st.builds(
    Proposal,
    proposal_id=_int64,
    situation=st.text(),
    subgoal=st.text(),
    candidates=st.lists(_actions, max_size=2).map(tuple),
    module=st.text(),
    stop=st.text(),
    source=st.text(),
)
_steps = st.builds(
    StepRecord,
    step=st.builds(lambda: next(_numbers)),
    at_ns=_int64,
    frame_id=_int64,
    why=st.text(),
    signals=_signals,
    fields=st.dictionaries(st.text(), _values, max_size=4),
    proposal=st.none() | _proposals,
    action=_actions,
    sent=st.lists(st.from_type(SentEvent), max_size=3).map(tuple),
    timings=st.builds(
        Timings,
        capture_ms=_finite,
        perceive_ms=_finite,
        trigger_ms=_finite,
        decide_ms=_finite,
        act_ms=_finite,
        record_ms=_finite,
        reaction_ms=_maybe_ms,
        frame_age_ms=_maybe_ms,
    ),
    frame_ref=st.text(),
)
_spreads = st.builds(
    Spread, p50=st.none() | _finite, p95=st.none() | _finite, p99=st.none() | _finite, n=_int64
)
_counts = st.dictionaries(st.text(), _int64, max_size=3)
_tiers = st.builds(
    TierFigures,
    model=st.text(),
    calls=_int64,
    prompt_tokens=_int64,
    cached_tokens=_int64,
    output_tokens=_int64,
    dropped=_int64,
    invalid=_int64,
    failed=_int64,
    took_ms=_spreads,
    first_token_ms=_spreads,
)
_OF_KIND = {
    "RunOutcome": st.sampled_from(get_args(RunOutcome)),
    "float": _finite,
    "int": _int64,
    "str": st.text(),
    "dict[str, int]": _counts,
    "dict[str, TierFigures]": st.dictionaries(st.text(), _tiers, max_size=2),
    "Spread": _spreads,
    "ScreenScore | None": st.none() | st.builds(ScreenScore, field=st.text(), last=_finite, best=_finite),
}
_summaries = st.builds(RunSummary, **{field.name: _OF_KIND[str(field.type)] for field in fields(RunSummary)})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunLog, RunReader]]:
    data = DataFolder(tmp_path_factory.mktemp("records"))
    with RunLog.open(data) as log:
        yield log, RunReader(data)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(step=_steps)
def test_any_step_comes_back_whole(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, step: StepRecord
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    log.add_step(run_id, step)
    assert reader.steps(run_id) == [step]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(kind=st.text(), text=st.text(), at_ns=_int64, step=_int64)
def test_any_event_comes_back_whole(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, kind: str, text: str, at_ns: int, step: int
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    event = RunEvent(at_ns=at_ns, kind=kind, text=text, step=step)
    log.add_event(run_id, event)
    assert reader.events(run_id) == [event]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(summary=_summaries)
def test_any_summary_comes_back_whole(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, summary: RunSummary
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    log.finish(run_id, summary)
    assert reader.run(run_id).summary == summary


def test_manifest_and_summary_come_back_whole(
    shared: tuple[RunLog, RunReader], manifest: RunManifest
) -> None:
    log, reader = shared
    named = replace(manifest, game_name="Фlappy \N{BIRD} “1”\n\0", seed=None)
    summary = RunSummary(
        outcome="lost_window",
        seconds=30.25,
        steps=120,
        frames=900,
        dropped_frames=3,
        strategic_calls=30,
        escalations={"refresh": 28, "scene": 2},
        routes={"strategic": 30, "reactive": 90},
        refusals={"focus": 2},
        invalid={"out_of_space": 1},
        effects={"confirmed": 100, "unverified": 20},
        events_sent=240,
        takeovers=1,
        reaction_ms=Spread(p50=2.5, p95=4.0, p99=8.0, n=120),
        stuck=4,
        recovered=3,
    )
    run_id = log.begin(named)
    log.finish(run_id, summary)
    row = reader.run(run_id)
    assert (row.manifest, row.summary, row.finished) == (named, summary, True)


def test_half_a_surrogate_pair_costs_a_character_not_the_step(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, make_step: MakeStep
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    step = replace(make_step(1), why="read \ud83d", fields={"text": "a\udc00b", "bad\ud800": 1})
    log.add_step(run_id, step)
    back = reader.step(run_id, 1)
    assert back.why == "read \ufffd"
    assert back.fields == {"text": "a\ufffdb", "bad\ufffd": 1}


def test_numbers_that_are_not_finite_cost_no_step(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, make_step: MakeStep
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    plain = make_step(1)
    log.add_step(
        run_id,
        replace(
            plain,
            signals=replace(plain.signals, change=math.nan),
            fields={"speed": math.inf, "ratio": math.nan, "score": 3},
            action=SemanticAction(name="turn", arguments={"degrees": math.nan}),
            timings=Timings(capture_ms=math.nan, frame_age_ms=math.inf),
        ),
    )
    back = reader.step(run_id, 1)
    assert math.isnan(back.signals.change)
    assert back.fields == {"speed": None, "ratio": None, "score": 3}
    assert math.isnan(float(back.action.arguments["degrees"]))
    assert math.isnan(back.timings.capture_ms)
    assert back.timings.frame_age_ms == math.inf


def test_a_setting_json_does_not_know_is_kept_as_text(
    shared: tuple[RunLog, RunReader], manifest: RunManifest
) -> None:
    log, reader = shared
    run_id = log.begin(replace(manifest, settings={"folder": DataFolder, "keys": {"a"}, "size": (1, 2)}))
    kept = reader.run(run_id).manifest.settings
    assert kept["keys"] == ["a"]
    assert kept["size"] == [1, 2]
    assert isinstance(kept["folder"], str)
