"""Model calls, their prompts and episode summaries, on disk."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event, insert
from tests.store.episodes import add_episode

from pitwall.core.actions import Invalid
from pitwall.core.calls import (
    CallOutcome,
    CallRecord,
    CallTimes,
    CallTokens,
    Choice,
    OptionScore,
    Purpose,
    Tier,
)
from pitwall.core.errors import DataFolderError, PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span, hash_of
from pitwall.core.runs import RunManifest
from pitwall.store.call_records import call_row, prompt_text
from pitwall.store.database import raw_connection
from pitwall.store.export import export_run
from pitwall.store.run_log import RunLog, RunReader
from pitwall.store.schema import calls, texts

MakeCall = Callable[[int], tuple[CallRecord, Prompt]]
GRAMMAR = 'root ::= "flap" | "wait"'

_int64 = st.integers(-(2**63), 2**63 - 1)
_finite = st.floats(allow_nan=False, allow_infinity=False)
_strange = st.text() | st.sampled_from(["\ud83d", "a\udc00b", "\0", "\x1b[2J"])
_spans = st.builds(Span, layer=st.sampled_from(Layer), text=_strange, item=_strange)
_prompts = st.builds(
    Prompt,
    messages=st.lists(
        st.builds(
            Message,
            role=st.sampled_from(["system", "user", "assistant"]),
            spans=st.lists(_spans, max_size=3).map(tuple),
            image=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
)
_options = st.builds(
    OptionScore,
    text=st.text(),
    tokens=_int64,
    log_probability=_finite,
    baseline=_finite,
    probability=_finite,
)
_records = st.builds(
    CallRecord,
    choice=st.none() | st.builds(Choice, options=st.lists(_options, max_size=3).map(tuple), note=st.text()),
    call=st.integers(1, 2**63 - 1),
    step=_int64,
    at_ns=_int64,
    purpose=st.sampled_from(Purpose),
    tier=st.sampled_from(Tier),
    model=st.text(),
    device=st.text(),
    prompt_hash=st.text(),
    grammar_hash=st.text(),
    image_ref=st.text(),
    reply=st.text(),
    finish=st.text(),
    outcome=st.sampled_from(CallOutcome),
    problem=st.text(),
    invalid=st.none() | st.sampled_from(Invalid),
    proposed=_int64,
    illegal=_int64,
    tokens=st.builds(
        CallTokens,
        prompt=_int64,
        cached=_int64,
        output=_int64,
        by_layer=st.dictionaries(st.text(), _int64, max_size=3),
    ),
    times=st.builds(
        CallTimes, queued_ms=_finite, load_ms=_finite, first_token_ms=st.none() | _finite, took_ms=_finite
    ),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunLog, RunReader]]:
    data = DataFolder(tmp_path_factory.mktemp("calls"))
    with RunLog.open(data) as log:
        yield log, RunReader(data)


@contextmanager
def _statements() -> Iterator[list[str]]:
    """Every statement that any database is given meanwhile."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _count(data: DataFolder, table: str) -> int:
    raw = raw_connection(data.database, "ro")
    try:
        return int(raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        raw.close()


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(record=_records, prompt=_prompts, grammar=st.text())
def test_any_call_comes_back_whole_with_what_it_was_asked(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, record: CallRecord, prompt: Prompt, grammar: str
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    log.add_call(run_id, record, prompt=prompt, grammar=grammar)
    (back,) = reader.calls(run_id)
    grammar_hash = hash_of(grammar) if grammar else ""
    assert back == replace(record, prompt_hash=prompt.content_hash, grammar_hash=grammar_hash)
    kept = reader.prompt(back.prompt_hash)
    assert kept == prompt
    assert kept.content_hash == back.prompt_hash
    assert reader.text(grammar_hash) == (grammar or None)


def test_strange_texts_and_numbers_cost_no_call(
    shared: tuple[RunLog, RunReader], manifest: RunManifest, make_call: MakeCall
) -> None:
    log, reader = shared
    run_id = log.begin(manifest)
    record, prompt = make_call(1)
    odd = replace(
        record,
        reply="cut \ud83d",
        problem="\udc00",
        tokens=CallTokens(by_layer={"L\ud800": 3}),
        times=CallTimes(queued_ms=math.nan, first_token_ms=math.nan, took_ms=math.inf),
    )
    log.add_call(run_id, odd, prompt=prompt, grammar='root ::= "\ud83d"')
    (back,) = reader.calls(run_id)
    assert (back.reply, back.problem, back.tokens.by_layer) == ("cut \ufffd", "\ufffd", {"L\ufffd": 3})
    assert math.isnan(back.times.queued_ms)
    assert (back.times.first_token_ms, back.times.took_ms) == (None, math.inf)
    assert reader.text(back.grammar_hash) == 'root ::= "\ufffd"'


def test_a_text_is_kept_once_whoever_asks_with_it(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_call: MakeCall
) -> None:
    record, prompt = make_call(1)
    for run_id in (log.begin(manifest), log.begin(manifest)):
        for number in (1, 2, 3):
            log.add_call(run_id, replace(record, call=number), prompt=prompt, grammar=GRAMMAR)
    assert (_count(data, "calls"), _count(data, "texts")) == (6, 2)
    reader = RunReader(data)
    assert reader.prompt(hash_of(GRAMMAR)) is None
    assert reader.text(prompt.content_hash) is None
    assert reader.prompt("0" * 64) is None


def test_a_second_write_of_a_call_replaces_the_first(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_call: MakeCall
) -> None:
    run_id = log.begin(manifest)
    record, prompt = make_call(1)
    log.add_call(run_id, record, prompt=prompt, grammar=GRAMMAR)
    _, other = make_call(3)
    settled = replace(record, outcome=CallOutcome.CANCELLED, reply="", prompt_hash=other.content_hash)
    log.add_call(run_id, settled, prompt=other)
    assert RunReader(data).calls(run_id) == [replace(settled, grammar_hash="")]


def test_calls_are_found_by_step_in_the_order_of_asking(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_call: MakeCall
) -> None:
    run_id, other = log.begin(manifest), log.begin(manifest)
    for number, step in ((3, 8), (1, 4), (2, 8), (4, 0)):
        record, prompt = make_call(number)
        log.add_call(run_id, replace(record, step=step), prompt=prompt)
    reader = RunReader(data)
    assert [record.call for record in reader.calls(run_id)] == [1, 2, 3, 4]
    assert [record.call for record in reader.calls(run_id, 8)] == [2, 3]
    assert reader.calls(run_id, step=5) == []
    assert reader.calls_by_step(run_id) == {0: 1, 4: 1, 8: 2}
    assert reader.calls_by_step(other) == {}
    assert reader.calls(run_id, 0)[0].call == 4


def test_calls_of_a_run_that_never_began_leave_nothing(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_call: MakeCall
) -> None:
    record, prompt = make_call(1)
    with pytest.raises(UnknownRun, match="run 9 was never begun"):
        log.add_call(9, record, prompt=prompt, grammar=GRAMMAR)
    with pytest.raises(UnknownRun, match="run 9 was never begun"):
        add_episode(log, 9, "flappy", "", "It fell.", "rules")
    run_id = log.begin(manifest)
    with pytest.raises(PitwallError, match="64 bits"):
        log.add_call(run_id, replace(record, at_ns=2**70), prompt=prompt)
    with pytest.raises(PitwallError, match="its number is below 1"):
        log.add_call(run_id, replace(record, call=0), prompt=prompt)
    assert (_count(data, "calls"), _count(data, "texts"), _count(data, "episodes")) == (0, 0, 0)
    for read in (RunReader(data).calls, RunReader(data).calls_by_step):
        with pytest.raises(UnknownRun, match="Nearest: 1"):
            read(9)


def test_a_fresh_folder_has_no_calls_and_no_episodes(data: DataFolder) -> None:
    reader = RunReader(data)
    assert reader.episodes("flappy") == []
    assert reader.prompt("0" * 64) is None
    assert reader.text("0" * 64) is None
    with pytest.raises(UnknownRun, match="there are no runs yet"):
        reader.calls(1)


def test_a_full_disk_keeps_whole_calls_and_goes_on_after(
    small_disk: Path, manifest: RunManifest, make_call: MakeCall
) -> None:
    data = DataFolder(small_disk / "data")
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        record, prompt = make_call(1)
        log.add_call(run_id, record, prompt=prompt)
        ballast = small_disk / "ballast"
        ballast.write_bytes(b"\0" * 1_500_000)
        huge = Prompt(
            messages=(Message(role="user", spans=(Span(layer=Layer.STATE, text="x" * 2_000_000),)),)
        )
        with pytest.raises(DataFolderError, match="the disk is full"):
            log.add_call(run_id, replace(record, call=2), prompt=huge)
        assert [call.call for call in RunReader(data).calls(run_id)] == [1]
        assert RunReader(data).prompt(huge.content_hash) is None
        ballast.unlink()
        log.add_call(run_id, replace(record, call=2), prompt=prompt)
        assert [call.call for call in RunReader(data).calls(run_id)] == [1, 2]


def test_episodes_come_newest_first_by_game_and_key(
    log: RunLog, data: DataFolder, manifest: RunManifest
) -> None:
    first, second = log.begin(manifest), log.begin(manifest)
    ids = [
        add_episode(log, first, "flappy", "day", "It fell at pipe 3.", "rules"),
        add_episode(log, first, "doom", "day", "It ran out of shells.", "tiny"),
        add_episode(log, second, "flappy", "night", "Fly lower \ud83d.", "operator"),
        add_episode(log, second, "flappy", "day", "It passed ten pipes.", "rules"),
    ]
    assert ids == [1, 2, 3, 4]
    reader = RunReader(data)
    assert [episode.episode_id for episode in reader.episodes("flappy")] == [4, 3, 1]
    assert [episode.episode_id for episode in reader.episodes("flappy", "day")] == [4, 1]
    assert [episode.episode_id for episode in reader.episodes("flappy", limit=2)] == [4, 3]
    assert reader.episodes("chess") == []
    (night,) = reader.episodes("flappy", "night")
    assert (night.run_id, night.key, night.text, night.author) == (
        second,
        "night",
        "Fly lower \ufffd.",
        "operator",
    )
    assert night.created_at.endswith("+00:00")


def test_thousands_of_calls_are_read_in_a_bounded_number_of_statements(
    log: RunLog, data: DataFolder, manifest: RunManifest, make_call: MakeCall, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    made = [make_call(number) for number in range(1, 3_501)]
    prompts = {prompt.content_hash: prompt_text(prompt) for _, prompt in made}
    rows = [{"content_hash": key, "kind": "prompt", "content": text} for key, text in prompts.items()]
    rows.append({"content_hash": hash_of(GRAMMAR), "kind": "grammar", "content": GRAMMAR})
    with log._writing() as connection:
        connection.execute(insert(texts), rows)
        connection.execute(insert(calls), [call_row(run_id, record) for record, _ in made])
    reader = RunReader(data)
    for read in (reader.calls, reader.calls_by_step, reader.run):
        with _statements() as seen:
            read(run_id)
        assert len(seen) <= 8, seen
    with _statements() as seen:
        export_run(data, run_id, ["jsonl"], tmp_path / "out")
    assert len(seen) < 100
    assert reader.calls(run_id) == [record for record, _ in made]
    tier = reader.run(run_id).summary.tiers["strategic"]
    assert (tier.calls, tier.dropped, tier.invalid) == (3_500, 500 - 100, 700)
