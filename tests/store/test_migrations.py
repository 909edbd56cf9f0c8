"""A run log is made, brought up to date, or left exactly as it was."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy.exc import OperationalError
from tests.store.episodes import add_episode

from pitwall.core.calls import CallRecord
from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt
from pitwall.core.runs import RunManifest, RunSummary, Spread
from pitwall.core.steps import StepRecord
from pitwall.store.database import raw_connection, writer_engine
from pitwall.store.migrations import FOLDER, REVISIONS
from pitwall.store.preparation import migrate, prepare_database
from pitwall.store.run_log import RunLog, RunReader
from pitwall.store.schema import metadata

_NEXT = '''
"""A later version's step, for the test."""
import sqlalchemy as sa
from alembic import op
revision = "9001"
down_revision = "{head}"
def upgrade():
    op.create_table("prompts", sa.Column("prompt_id", sa.Integer, primary_key=True))
    op.add_column("runs", sa.Column("suite", sa.Text))
    {last}
'''


def _asked(path: Path, question: str) -> list[Any]:
    raw = raw_connection(path, "ro")
    try:
        return list(raw.execute(question).fetchall())
    finally:
        raw.close()


def _shape(path: Path) -> dict[str, object]:
    """Every table's columns, keys and indexes, as SQLite itself describes them."""
    shape: dict[str, object] = {}
    for (table,) in _asked(path, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        if table == "alembic_version":
            continue
        indexes = sorted(_asked(path, f"SELECT name, \"unique\", origin FROM pragma_index_list('{table}')"))
        shape[table] = (
            _asked(path, f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{table}')"),
            _asked(path, f"SELECT * FROM pragma_foreign_key_list('{table}')"),
            [(index, _asked(path, f"SELECT name FROM pragma_index_info('{index[0]}')")) for index in indexes],
        )
    return shape


def _later_scripts(tmp_path: Path, last: str = "") -> Path:
    folder = tmp_path / "scripts"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    step = _NEXT.format(head=REVISIONS[-1], last=last)
    (folder / "versions" / "v9001_later.py").write_text(step)
    return folder


@pytest.fixture
def old_log(data: DataFolder, manifest: RunManifest, make_step: Callable[[int], StepRecord]) -> Path:
    with RunLog.open(data) as log:
        log.add_step(log.begin(manifest), make_step(1))
    return data.database


def test_the_migrations_make_the_schema(tmp_path: Path) -> None:
    migrated, declared = tmp_path / "migrated.sqlite", tmp_path / "declared.sqlite"
    assert migrate(migrated) == []
    engine = writer_engine(declared)
    metadata.create_all(engine)
    engine.dispose()
    assert _shape(migrated) == _shape(declared)
    assert set(_shape(migrated)) == {
        *(
            "runs",
            "steps",
            "events",
            "summaries",
            "texts",
            "calls",
            "episodes",
            "reflexes",
            "retrievals",
            "sqlite_sequence",
        )
    }
    assert "ck_steps_step" in _asked(migrated, "SELECT sql FROM sqlite_master WHERE name = 'steps'")[0][0]


def test_the_declared_revisions_are_the_scripts_in_order() -> None:
    scripts = ScriptDirectory(FOLDER)
    assert [script.revision for script in scripts.walk_revisions()] == list(reversed(REVISIONS))


def test_an_older_log_is_copied_then_brought_up_to_date(old_log: Path, tmp_path: Path) -> None:
    scripts = _later_scripts(tmp_path)
    notices = prepare_database(old_log, revisions=(*REVISIONS, "9001"), scripts=scripts)
    assert notices == [
        "The run log was brought up to date; the one before was kept as runs.sqlite.before-9001."
    ]
    assert _asked(old_log, "SELECT version_num FROM alembic_version") == [("9001",)]
    assert _asked(old_log, "SELECT run_id, suite FROM runs") == [(1, None)]
    assert _asked(old_log, "SELECT count(*) FROM prompts") == [(0,)]
    kept = old_log.with_name("runs.sqlite.before-9001")
    assert _asked(kept, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]
    assert _asked(kept, "SELECT why FROM steps") == _asked(old_log, "SELECT why FROM steps")
    assert [path.name for path in old_log.parent.glob("*.before-*")] == ["runs.sqlite.before-9001"]
    assert not list(old_log.parent.glob("*.partial"))
    assert prepare_database(old_log, revisions=(*REVISIONS, "9001"), scripts=scripts) == []


@pytest.fixture
def first_log(data: DataFolder) -> Path:
    """A run log as the first version left it: one finished run, and one whose writer was killed."""
    data.root.mkdir()
    old = sqlite3.connect(data.database)
    old.executescript((Path(__file__).parent / "run_log_0001.sql").read_text(encoding="utf-8"))
    old.close()
    return data.database


def test_the_first_version_s_log_is_copied_and_goes_on_with_everything_in_it(
    first_log: Path,
    data: DataFolder,
    make_step: Callable[[int], StepRecord],
    make_call: Callable[[int], tuple[CallRecord, Prompt]],
) -> None:
    with RunLog.open(data) as log:
        assert log.notices == [
            "The run log was brought up to date; the one before was kept as runs.sqlite.before-0007."
        ]
        reader = RunReader(data)
        assert reader.steps(1) == [make_step(number) for number in range(1, 13)]
        assert [event.kind for event in reader.events(1)] == ["note", "takeover"]
        assert reader.run(1).manifest.game_name == "Flappy “Bird”"
        assert reader.run(1).summary == RunSummary(
            outcome="finished",
            seconds=3.25,
            steps=12,
            frames=96,
            dropped_frames=1,
            strategic_calls=4,
            escalations={"refresh": 3, "stall": 3},
            routes={"strategic": 3, "reactive": 9},
            refusals={"rate": 2},
            invalid={"out_of_space": 1},
            effects={"confirmed": 10, "unverified": 2},
            events_sent=22,
            takeovers=1,
            reaction_ms=Spread(p50=2.5, p95=4.0, p99=8.0, n=12),
            loop_ms=Spread(p50=1.0, p95=2.0, p99=3.0, n=96),
            stuck=2,
            recovered=2,
        )
        broken_off = reader.run(2).summary
        assert (broken_off.outcome, broken_off.steps, broken_off.step_ms.n) == ("crashed", 5, 4)
        assert reader.calls(1) == []
        record, prompt = make_call(1)
        log.add_call(1, replace(record, grammar_hash=""), prompt=prompt)
        assert reader.calls(1) == [replace(record, grammar_hash="")]
        assert add_episode(log, 1, "flappy", "", "It fell at pipe 3.", "rules") == 1
    kept = first_log.with_name("runs.sqlite.before-0007")
    assert _asked(kept, "SELECT version_num FROM alembic_version") == [("0001",)]
    assert _asked(kept, "SELECT count(*) FROM steps") == [(17,)]
    assert _asked(kept, "SELECT name FROM sqlite_master WHERE name IN ('calls', 'texts')") == []


def test_a_reader_alone_brings_the_first_version_s_log_up_to_date(first_log: Path, data: DataFolder) -> None:
    reader = RunReader.open(data)
    assert [row.run_id for row in reader.runs()] == [2, 1]
    assert reader.calls_by_step(2) == {}
    assert first_log.with_name("runs.sqlite.before-0007").is_file()


def test_a_migration_that_fails_leaves_schema_and_record_as_they_were(old_log: Path, tmp_path: Path) -> None:
    before = _shape(old_log)
    scripts = _later_scripts(tmp_path, last='op.execute("INSERT INTO nowhere VALUES (1)")')
    with pytest.raises(DataFolderError, match="nowhere") as caught:
        prepare_database(old_log, revisions=(*REVISIONS, "9001"), scripts=scripts)
    assert isinstance(caught.value.__cause__, OperationalError)
    assert _shape(old_log) == before
    assert _asked(old_log, "SELECT version_num FROM alembic_version") == [(REVISIONS[-1],)]


def test_a_migration_that_orphans_rows_is_rolled_back(old_log: Path, tmp_path: Path) -> None:
    scripts = _later_scripts(tmp_path, last='op.execute("DELETE FROM runs")')
    with pytest.raises(DataFolderError, match="refer to runs that are not there"):
        prepare_database(old_log, revisions=(*REVISIONS, "9001"), scripts=scripts)
    assert _asked(old_log, "SELECT count(*) FROM runs") == [(1,)]


def test_a_newer_log_is_refused_and_untouched(old_log: Path, data: DataFolder) -> None:
    raw = raw_connection(old_log, "rw")
    raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    before = old_log.read_bytes()
    for opening in (RunLog.open, RunReader.open):
        with pytest.raises(
            DataFolderError, match=r"written by a newer Pitwall \(schema 9999; this one knows up to"
        ):
            opening(data)
    assert old_log.read_bytes() == before


def test_alembic_is_loaded_only_to_migrate(data: DataFolder) -> None:
    script = (
        "import sys; from pathlib import Path; from pitwall.core.paths import DataFolder;"
        "from pitwall.store.run_log import RunLog;"
        f"RunLog.open(DataFolder(Path({str(data.root)!r}))).close(); print('alembic' in sys.modules)"
    )

    def opened() -> str:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    assert [opened(), opened()] == ["True", "False"]
