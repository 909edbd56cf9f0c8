"""A cell that none of its writers wrote: the file and the run are named, and other runs can be read."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import CorruptDatabase, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.core.steps import StepRecord
from pitwall.memory.query import run_query
from pitwall.store.database import raw_connection
from pitwall.store.export import export_run
from pitwall.store.run_log import RunLog
from pitwall.store.run_reader import RunReader

HOSTILE = ["{", "[" * 100_000, "9" * 5000, "null", "3", '"word"', "\x00"]


def damage(data: DataFolder, cell: str, text: str | float | bytes) -> None:
    """Write a value into one cell, "TABLE.COLUMN", of run 1."""
    table, _, column = cell.partition(".")
    with contextlib.closing(raw_connection(data.database, "rw")) as connection:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE run_id = 1", (text,))


@pytest.fixture
def two_runs(data: DataFolder, manifest: RunManifest, make_step: Callable[[int], StepRecord]) -> DataFolder:
    with RunLog.open(data) as log:
        for _ in range(2):
            log.add_step(log.begin(manifest), make_step(4))
    return data


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("cell", ["steps.reasons", "steps.sent", "steps.proposal", "steps.route"])
def test_a_damaged_step_is_named_with_its_file(
    two_runs: DataFolder, tmp_path: Path, cell: str, text: str
) -> None:
    damage(two_runs, cell, text)
    reader = RunReader(two_runs)
    with pytest.raises(CorruptDatabase, match="a row of steps, run_id 1, step 4") as caught:
        reader.steps(1)
    assert str(two_runs.database) in caught.value.what
    with pytest.raises(CorruptDatabase, match=r"runs\.sqlite is damaged"):
        export_run(two_runs, 1, ["jsonl"], tmp_path / "out")
    assert [step.step for step in reader.steps(2)] == [4]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("steps.at_ns", "late"),
        ("steps.frame_id", 1.5),
        ("steps.why", b"\xff"),
        ("steps.change", "much"),
        ("steps.fields", "[1]"),
        ("steps.fields", '{"lives": {"left": 3}}'),
        ("steps.arguments", '"none"'),
    ],
)
def test_a_cell_of_another_type_than_its_columns_is_named(
    two_runs: DataFolder, cell: str, value: str | float | bytes
) -> None:
    damage(two_runs, cell, value)
    reader = RunReader(two_runs)
    with pytest.raises(CorruptDatabase, match="a row of steps, run_id 1, step 4"):
        reader.steps(1)
    assert [step.step for step in reader.steps(2)] == [4]


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "9" * 5000, "\x00"], ids=range(4))
@pytest.mark.parametrize("cell", ["runs.settings", "runs.versions", "steps.reasons", "steps.refusals"])
def test_a_run_that_cannot_be_read_hides_no_other(
    two_runs: DataFolder, caplog: pytest.LogCaptureFixture, cell: str, text: str
) -> None:
    damage(two_runs, cell, text)
    reader = RunReader.open(two_runs)
    with caplog.at_level(logging.WARNING):
        assert [row.run_id for row in reader.runs()] == [2]
    assert "run 1 is left out" in caplog.text
    with pytest.raises(CorruptDatabase, match=r"runs\.sqlite is damaged: a row of "):
        reader.run(1)
    assert reader.run(2).run_id == 2


def test_a_query_shows_text_that_is_not_utf8_and_every_other_cell(two_runs: DataFolder) -> None:
    with contextlib.closing(raw_connection(two_runs.database, "rw")) as connection:
        connection.execute("UPDATE steps SET why = CAST(x'61ff62' AS TEXT) WHERE run_id = 1")
    wanted = "SELECT run_id, why FROM steps ORDER BY run_id"
    (damaged, whole) = run_query(two_runs, wanted).rows
    assert damaged == (1, "a\ufffdb")
    assert whole[0] == 2
    with pytest.raises(PitwallError, match=r"runs\.sqlite"):
        RunReader(two_runs).steps(1)


def test_a_schema_that_is_not_utf8_is_named_with_its_file(two_runs: DataFolder) -> None:
    whole = two_runs.database.read_bytes()
    assert b"CREATE TABLE runs" in whole
    two_runs.database.write_bytes(whole.replace(b"run_id INTEGER", b"run_i\xd3 INTEGER"))
    with pytest.raises(PitwallError, match=r"runs\.sqlite"):
        RunReader.open(two_runs).runs()
    with RunLog.open(two_runs):
        assert len(list(two_runs.root.glob("runs.sqlite.damaged-*[0-9]"))) == 1, "kept beside the new one"
