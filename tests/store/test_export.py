"""Exports: whole, verifiable, and readable by programs that know nothing of Pitwall."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter
from tests.store.episodes import add_episode

from pitwall.core.calls import CallRecord
from pitwall.core.errors import PitwallError, UnknownRun
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Message, Prompt
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.store.export import ExportCancelled, ExportError, export_run, verify_export
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog, RunReader

MakeStep = Callable[[int], StepRecord]
MakeCall = Callable[[int], tuple[CallRecord, Prompt]]
GRAMMAR = 'root ::= "flap" | "wait"'


@pytest.fixture
def run_id(log: RunLog, manifest: RunManifest, make_step: MakeStep) -> int:
    """The second of three runs: 300 steps, two events, finished."""
    log.add_step(log.begin(manifest), make_step(1))
    number = log.begin(manifest)
    log.add_steps(number, [make_step(step) for step in range(1, 301)])
    log.add_event(number, RunEvent(at_ns=100, kind="note", text="began, “quoted”\nand on"))
    log.add_event(number, RunEvent(at_ns=25_100_000_000, kind="takeover", text="the mouse moved", step=100))
    log.finish(number, RunSummary(outcome="stopped", seconds=75.0, steps=300))
    log.add_step(log.begin(manifest), make_step(1))
    return number


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_jsonl_holds_everything_in_order_of_time(
    data: DataFolder, run_id: int, tmp_path: Path, manifest: RunManifest, make_step: MakeStep
) -> None:
    export_run(data, run_id, ["jsonl"], tmp_path / "out")
    lines = _lines(tmp_path / "out" / "run.jsonl")
    assert all(line["v"] == 1 and line["run_id"] == run_id for line in lines)
    kinds = [line["type"] for line in lines]
    assert kinds == ["run", "event"] + ["step"] * 100 + ["event"] + ["step"] * 200 + ["summary"]
    adapter = TypeAdapter(StepRecord)
    envelope = {"v", "type", "run_id"}
    read = [
        adapter.validate_json(json.dumps({key: line[key] for key in line.keys() - envelope}))
        for line in lines
        if line["type"] == "step"
    ]
    assert read == [make_step(step) for step in range(1, 301)]
    assert lines[0]["game_name"] == manifest.game_name
    assert lines[0]["settings"] == manifest.settings
    assert lines[1]["text"] == "began, “quoted”\nand on"
    assert (lines[-1]["outcome"], lines[-1]["finished"]) == ("stopped", True)


def test_csv_is_one_flat_row_a_step_with_units_in_the_headers(
    data: DataFolder, log: RunLog, run_id: int, tmp_path: Path, make_step: MakeStep
) -> None:
    odd = replace(make_step(301), why='a "word",\nanother; ünï', fields={"new, field": 1.5})
    log.add_step(run_id, odd)
    export_run(data, run_id, ["csv"], tmp_path / "out")
    with (tmp_path / "out" / "steps.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 301
    fourth = rows[3]
    assert (fourth["step"], fourth["at_ms"], fourth["route"]) == ("4", "1000.0", "strategic")
    assert (fourth["reasons"], fourth["subgoal"]) == ("refresh stall", "pass the next pipe")
    assert (fourth["field_bird_y"], fourth["field_text"], fourth["field_lost"]) == ("201.5", "GET READY", "")
    assert (rows[4]["sent_events"], rows[4]["refused_events"], rows[4]["refusals"]) == (
        "1",
        "1",
        '{"rate":1}',
    )
    assert (rows[300]["why"], rows[300]["field_new, field"], rows[300]["field_score"]) == (odd.why, "1.5", "")
    assert {"reaction_ms", "frame_age_ms", "stall_steps", "change"} <= set(fourth)


def test_sqlite_is_a_log_of_its_own_with_this_run_only(
    data: DataFolder, run_id: int, tmp_path: Path, make_step: MakeStep
) -> None:
    export_run(data, run_id, ["sqlite"], tmp_path / "out")
    assert [path.name for path in sorted((tmp_path / "out").iterdir())] == ["manifest.json", "run.sqlite"]
    other = sqlite3.connect(tmp_path / "out" / "run.sqlite")
    assert other.execute("SELECT run_id FROM runs").fetchall() == [(run_id,)]
    assert other.execute("SELECT count(*), sum(sent_events) FROM steps").fetchone() == (300, 540)
    assert other.execute("SELECT count(*) FROM events").fetchone() == (2,)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    other.close()
    alone = DataFolder(tmp_path / "alone")
    alone.root.mkdir()
    (tmp_path / "out" / "run.sqlite").rename(alone.database)
    assert RunReader(alone).steps(run_id) == [make_step(step) for step in range(1, 301)]
    with RunLog.open(alone) as log:
        assert log.notices == []


@pytest.fixture
def thinking_run_id(log: RunLog, manifest: RunManifest, make_step: MakeStep, make_call: MakeCall) -> int:
    """The second of two runs: 40 steps, ten calls that share six prompts and a grammar, an episode."""
    first, number = log.begin(manifest), log.begin(manifest)
    for run_id, count in ((first, 20), (number, 10)):
        log.add_steps(run_id, [make_step(step) for step in range(1, 41)])
        for call in range(1, count + 1):
            record, prompt = make_call(call)
            log.add_call(run_id, record, prompt=prompt, grammar=GRAMMAR)
        add_episode(log, run_id, "flappy", "day", f"Run {run_id} fell at pipe 3.", "rules")
    return number


def test_jsonl_tells_each_call_and_each_text_once_before_it(
    data: DataFolder, thinking_run_id: int, tmp_path: Path, make_call: MakeCall
) -> None:
    export_run(data, thinking_run_id, ["jsonl"], tmp_path / "out")
    lines = _lines(tmp_path / "out" / "run.jsonl")
    hashes: set[str] = set()
    read: list[CallRecord] = []
    at_ns: list[int] = []
    for line in lines:
        kind, content = line["type"], {name: line[name] for name in line.keys() - {"v", "type", "run_id"}}
        if kind in ("prompt", "grammar"):
            assert content["content_hash"] not in hashes
            hashes.add(content["content_hash"])
        if kind == "prompt":
            messages = TypeAdapter(tuple[Message, ...]).validate_json(json.dumps(content["messages"]))
            assert Prompt(messages=messages).content_hash == content["content_hash"]
        if kind == "grammar":
            assert content["text"] == GRAMMAR
        if kind == "call":
            read.append(TypeAdapter(CallRecord).validate_json(json.dumps(content)))
            assert {read[-1].prompt_hash, read[-1].grammar_hash} <= hashes
        if "at_ns" in content:
            at_ns.append(content["at_ns"])
    assert read == [make_call(number)[0] for number in range(1, 11)]
    assert at_ns == sorted(at_ns)
    assert len(hashes) == 7
    assert [line["text"] for line in lines if line["type"] == "episode"] == ["Run 2 fell at pipe 3."]
    assert lines[-1]["tiers"]["strategic"]["calls"] == 10
    written = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (written["steps"], written["calls"]) == (40, 10)
    assert all(line["type"] in written["about"]["run.jsonl"] for line in lines)


def test_csv_has_one_flat_row_a_call(data: DataFolder, thinking_run_id: int, tmp_path: Path) -> None:
    result = export_run(data, thinking_run_id, ["csv"], tmp_path / "out")
    assert set(result.files) == {"steps.csv", "calls.csv"}
    with (tmp_path / "out" / "calls.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["call"] for row in rows] == [str(number) for number in range(1, 11)]
    fifth = rows[4]
    assert (fifth["purpose"], fifth["tier"], fifth["outcome"], fifth["invalid"]) == (
        "plan",
        "strategic",
        "invalid",
        "no_tool_call",
    )
    assert (fifth["cached_tokens"], fifth["tokens_L1"], fifth["tokens_L3"], fifth["tokens_template"]) == (
        "30",
        "10",
        "",
        "4",
    )
    assert (fifth["took_ms"], fifth["reply"]) == ("50.0", "I would rather not.")


def test_the_database_of_a_thinking_run_stands_alone(
    data: DataFolder, thinking_run_id: int, tmp_path: Path, make_call: MakeCall
) -> None:
    export_run(data, thinking_run_id, ["sqlite"], tmp_path / "out")
    alone = DataFolder(tmp_path / "alone")
    alone.root.mkdir()
    (tmp_path / "out" / "run.sqlite").rename(alone.database)
    other = sqlite3.connect(alone.database)
    assert other.execute("SELECT kind, count(*) FROM texts GROUP BY kind").fetchall() == [
        ("grammar", 1),
        ("prompt", 6),
    ]
    assert other.execute("PRAGMA foreign_key_check").fetchall() == []
    other.close()
    reader = RunReader(alone)
    made = [make_call(number) for number in range(1, 11)]
    assert reader.calls(thinking_run_id) == [record for record, _ in made]
    assert all(reader.prompt(record.prompt_hash) == prompt for record, prompt in made)
    assert [episode.run_id for episode in reader.episodes("flappy")] == [thinking_run_id]
    with RunLog.open(alone) as log:
        assert log.notices == []


def test_the_database_has_links_indexes_full_text_and_views(
    data: DataFolder, thinking_run_id: int, tmp_path: Path
) -> None:
    export_run(data, thinking_run_id, ["sqlite"], tmp_path / "out")
    other = sqlite3.connect(tmp_path / "out" / "run.sqlite")
    links = other.execute('SELECT "table", "from" FROM pragma_foreign_key_list(\'calls\')').fetchall()
    assert set(links) == {("runs", "run_id"), ("texts", "prompt_hash"), ("texts", "grammar_hash")}
    indexed = {
        other.execute(f"SELECT name FROM pragma_index_info('{name}')").fetchone()[0]
        for (name,) in other.execute("SELECT name FROM pragma_index_list('calls')")
    }
    assert {"run_id", "prompt_hash", "grammar_hash"} <= indexed
    matches = other.execute("SELECT count(*) FROM steps_fts WHERE steps_fts MATCH 'plan'").fetchone()
    assert matches == (40,)
    step = other.execute(
        "SELECT at_s, reasons, subgoal, model_calls FROM step_overview WHERE step = 4"
    ).fetchone()
    assert step[:3] == (1.0, "refresh, stall", "pass the next pipe")
    overview = other.execute("SELECT run_id, game, planner FROM run_overview").fetchall()
    assert overview == [(thinking_run_id, "flappy", "skills")]
    assert other.execute("SELECT count(*) FROM call_overview").fetchone() == (10,)
    parts = other.execute("SELECT DISTINCT layer FROM prompt_parts WHERE role = 'system'").fetchall()
    assert ("L1",) in parts
    other.close()


def test_pictures_sent_to_a_model_go_along(
    data: DataFolder, log: RunLog, manifest: RunManifest, make_call: MakeCall, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    (data.run(run_id) / "sent").mkdir()
    (data.run(run_id) / "sent" / "1.jpg").write_bytes(b"picture")
    record, prompt = make_call(1)
    log.add_call(run_id, replace(record, image_ref="sent/1.jpg"), prompt=prompt)
    log.add_call(run_id, replace(record, call=2, image_ref="/etc/hostname"), prompt=prompt)
    result = export_run(data, run_id, ["jsonl"], tmp_path / "out", frames=True)
    assert set(result.files) == {"run.jsonl", "sent/1.jpg"}


def test_the_manifest_proves_every_file(data: DataFolder, run_id: int, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "er" / "out"
    result = export_run(data, run_id, ["csv", "jsonl", "sqlite", "csv"], out)
    assert result.folder == out
    assert result.manifest == out / "manifest.json"
    assert set(result.files) == {"run.jsonl", "steps.csv", "calls.csv", "run.sqlite"}
    for name, digest in result.files.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    written = json.loads(result.manifest.read_text())
    assert {name: entry["sha256"] for name, entry in written["files"].items()} == result.files
    assert (written["run_id"], written["steps"], written["outcome"]) == (run_id, 300, "stopped")
    assert written["formats"] == ["csv", "jsonl", "sqlite"]
    assert verify_export(out) == []


def test_verifying_names_each_difference(data: DataFolder, run_id: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_run(data, run_id, ["csv", "jsonl", "sqlite"], out)
    with (out / "steps.csv").open("r+b") as file:
        file.seek(2000)
        file.write(b"!")
    (out / "run.jsonl").unlink()
    (out / "more.txt").write_text("mine")
    assert verify_export(out) == [
        "run.jsonl is missing.",
        "more.txt is not in the manifest.",
        "steps.csv was changed.",
    ]
    for content in ("{", "[]", '{"files": {"a": 1}}', '{"files": []}'):
        (out / "manifest.json").write_text(content)
        assert "is not a manifest" in verify_export(out)[0]
    (out / "manifest.json").unlink()
    assert "manifest.json is missing" in verify_export(out)[0]


def test_pictures_go_along_where_asked(
    data: DataFolder, log: RunLog, manifest: RunManifest, make_step: MakeStep, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    frames = FrameStore(data.run(run_id), RecordingSettings())
    picture = np.full((20, 30, 4), 90, dtype=np.uint8)
    for number in (1, 2):
        log.add_step(run_id, replace(make_step(number), frame_ref=frames.save(number, picture)))
    log.add_step(run_id, replace(make_step(3), frame_ref="frames/gone.jpg"))
    log.add_step(run_id, replace(make_step(4), frame_ref="../../runs.sqlite"))
    result = export_run(data, run_id, ["jsonl"], tmp_path / "out", frames=True)
    assert set(result.files) == {"run.jsonl", "frames/000001.jpg", "frames/000002.jpg"}
    assert json.loads(result.manifest.read_text())["missing_frames"] == ["frames/gone.jpg"]
    assert verify_export(tmp_path / "out") == []


def test_nothing_is_overwritten_unless_it_is_an_export_and_force_is_said(
    data: DataFolder, run_id: int, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    export_run(data, run_id, ["csv"], out)
    with pytest.raises(ExportError, match="already holds an export"):
        export_run(data, run_id, ["jsonl"], out)
    assert (out / "steps.csv").exists()
    export_run(data, run_id, ["jsonl"], out, force=True)
    assert sorted(path.name for path in out.iterdir()) == ["manifest.json", "run.jsonl"]

    precious = tmp_path / "home"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    (precious / "manifest.json").write_text('{"kind": "something else"}')
    with pytest.raises(ExportError, match="holds other files"):
        export_run(data, run_id, ["jsonl"], precious, force=True)
    with pytest.raises(ExportError, match="is a file"):
        export_run(data, run_id, ["jsonl"], precious / "thesis.txt", force=True)
    assert (precious / "thesis.txt").read_text() == "years of work"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "home", "out"]


def test_progress_is_told_and_can_cancel(data: DataFolder, run_id: int, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    export_run(
        data, run_id, ["jsonl", "csv", "sqlite"], tmp_path / "out", progress=lambda *at: progress.append(at)
    )
    assert progress[-1] == (900, 900)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)

    with pytest.raises(ExportCancelled):
        export_run(data, run_id, ["jsonl", "csv"], tmp_path / "no", progress=lambda done, _: done < 400)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]


def test_wrong_requests_are_refused_in_one_sentence(data: DataFolder, run_id: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ExportError, match=r"'json' is no export format\. Did you mean 'jsonl'"):
        export_run(data, run_id, ["json"], out)
    with pytest.raises(ExportError, match="Formats: jsonl, csv"):
        export_run(data, run_id, ["orc"], out)
    with pytest.raises(ExportError, match="no format was named"):
        export_run(data, run_id, [], out)
    with pytest.raises(UnknownRun, match="Nearest: 1, 2, 3"):
        export_run(data, 77, ["csv"], out)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="cannot be written"):
        export_run(data, run_id, ["csv"], tmp_path / "file" / "out")
    assert issubclass(ExportError, PitwallError)
    assert not out.exists()


def test_a_run_in_play_is_exported_as_it_stands(
    data: DataFolder, log: RunLog, manifest: RunManifest, make_step: MakeStep, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    log.add_steps(run_id, [make_step(number) for number in range(1, 301)])
    extra = iter(range(301, 10_000))

    def play_on(_done: int, _total: int) -> None:
        log.add_step(run_id, make_step(next(extra)))

    export_run(data, run_id, ["jsonl", "csv", "sqlite"], tmp_path / "out", progress=play_on)
    lines = _lines(tmp_path / "out" / "run.jsonl")
    assert sum(line["type"] == "step" for line in lines) == 300
    assert (lines[-1]["outcome"], lines[-1]["finished"]) == ("playing", False)
    with (tmp_path / "out" / "steps.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 300
    other = sqlite3.connect(tmp_path / "out" / "run.sqlite")
    assert other.execute("SELECT count(*), max(step) FROM steps").fetchone() == (300, 300)
    assert other.execute("SELECT outcome, steps FROM summaries").fetchone() == ("playing", 300)
    other.close()
    assert len(RunReader(data).steps(run_id)) > 300


def test_a_run_without_steps_exports_headers_and_manifest(
    data: DataFolder, log: RunLog, manifest: RunManifest, tmp_path: Path
) -> None:
    run_id = log.begin(manifest)
    export_run(data, run_id, ["jsonl", "csv", "sqlite"], tmp_path / "out", frames=True)
    assert [line["type"] for line in _lines(tmp_path / "out" / "run.jsonl")] == ["run", "summary"]
    assert (tmp_path / "out" / "steps.csv").read_text().startswith("run_id,step,at_ms,")
    assert asdict(RunReader(data).summarise(run_id))["steps"] == 0


@pytest.fixture
def pictured_run(data: DataFolder, log: RunLog, manifest: RunManifest, make_step: MakeStep) -> int:
    """Four steps, two with their picture; one with strange texts and values."""
    number = log.begin(manifest)
    pictures = FrameStore(data.run(number), RecordingSettings())
    for step in range(1, 5):
        kept = pictures.save(step, np.full((8, 8, 4), 40 * step, np.uint8)) if step < 3 else ""
        log.add_step(number, replace(make_step(step), frame_ref=kept))
    log.add_event(number, RunEvent(at_ns=100, kind="note", text="began, “quoted”"))
    log.finish(number, RunSummary(outcome="stopped", seconds=1.0, steps=4))
    return number


def test_parquet_is_read_by_its_own_library_with_types(
    data: DataFolder, log: RunLog, pictured_run: int, tmp_path: Path, make_step: MakeStep
) -> None:
    log.add_step(pictured_run, replace(make_step(5), fields={"bird_y": "high", "lost": 7}))
    export_run(data, pictured_run, ["parquet"], tmp_path / "out")
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "out" / "steps.parquet")
    assert str(table.schema.field("reaction_ms").type) == "double"
    assert table.column("step").to_pylist() == [1, 2, 3, 4, 5]
    assert table.column("field_score").to_pylist() == [1, 2, 3, 4, None]
    assert table.column("field_bird_y").to_pylist() == ["201.5"] * 4 + ["high"]
    assert parquet.read_table(tmp_path / "out" / "events.parquet").column("text").to_pylist() == [
        "began, “quoted”"
    ]
    assert parquet.read_table(tmp_path / "out" / "calls.parquet").num_rows == 0


def test_mcap_is_read_by_its_own_library(data: DataFolder, pictured_run: int, tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    export_run(data, pictured_run, ["mcap"], tmp_path / "out")
    with (tmp_path / "out" / "run.mcap").open("rb") as stream:
        opened = reader.make_reader(stream)
        messages = [(channel.topic, message.log_time) for _, channel, message in opened.iter_messages()]
        about = {record.name: record.metadata for record in opened.iter_metadata()}
    topics = [topic for topic, _ in messages]
    assert {topic: topics.count(topic) for topic in topics} == {"/screen": 2, "/step": 4, "/event": 1}
    assert min(at for _, at in messages) // 10**9 == 1_767_323_045  # 2026-01-02T03:04:05Z
    assert json.loads(about["pitwall"]["run"])["game_id"] == "flappy"


def test_rerun_is_read_by_its_own_library(data: DataFolder, pictured_run: int, tmp_path: Path) -> None:
    chunk = pytest.importorskip("rerun.chunk")
    export_run(data, pictured_run, ["rerun"], tmp_path / "out")
    reader = chunk.RrdReader(tmp_path / "out" / "run.rrd")
    assert len(reader.recordings()) == 1
    rows: dict[str, int] = {}
    for part in reader.stream():
        rows[str(part.entity_path)] = rows.get(str(part.entity_path), 0) + part.num_rows
    assert rows["/signals/change"] == rows["/fields/bird_y"] == rows["/log/steps"] == 4
    assert (rows["/screen"], rows["/log/events"]) == (2, 1)
