"""Opening the memory: made, migrated after a backup, damage set aside, another's left alone; killed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from tests.plain_records import run_manifest
from tests.store.episodes import add_episode

from pitwall.core.errors import CorruptDatabase, DataFolderError
from pitwall.core.memories import FlagEntries, Provenance, UndoEdit
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import EpisodeMemory, GlobalNote
from pitwall.core.paths import DataFolder
from pitwall.memory.database.schema import metadata
from pitwall.memory.migrations import FOLDER, REVISIONS
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import NAME, MemoryStore
from pitwall.store.database import raw_connection, writer_engine
from pitwall.store.preparation import migrate, prepare_database
from pitwall.store.run_log import RunLog

Put = Callable[..., int]

_LATER = '''
"""A later version's step, for the test."""
import sqlalchemy as sa
from alembic import op
revision = "9001"
down_revision = "{head}"
def upgrade():
    op.add_column("entries", sa.Column("mood", sa.Text))
'''


def _asked(path: Path, question: str) -> list[Any]:
    raw = raw_connection(path, "ro")
    try:
        return list(raw.execute(question).fetchall())
    finally:
        raw.close()


def _shape(path: Path) -> dict[str, object]:
    shape: dict[str, object] = {}
    for (table,) in _asked(path, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        if table == "alembic_version" or table.startswith(("entry_texts", "sqlite_")):
            continue
        indexes = sorted(
            _asked(path, f"SELECT name, \"unique\", origin, partial FROM pragma_index_list('{table}')")
        )
        shape[table] = (
            _asked(path, f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{table}')"),
            _asked(path, f"SELECT * FROM pragma_foreign_key_list('{table}')"),
            [(index, _asked(path, f"SELECT name FROM pragma_index_info('{index[0]}')")) for index in indexes],
        )
    return shape


def test_the_migrations_make_the_schema(tmp_path: Path) -> None:
    migrated, declared = tmp_path / "migrated.sqlite", tmp_path / "declared.sqlite"
    assert migrate(migrated, revisions=REVISIONS, scripts=FOLDER, name=NAME) == []
    engine = writer_engine(declared)
    metadata.create_all(engine)
    engine.dispose()
    assert _shape(migrated) == _shape(declared)
    assert set(_shape(migrated)) == set(metadata.tables)


def test_the_declared_revisions_are_the_scripts_in_order() -> None:
    scripts = ScriptDirectory(FOLDER)
    assert [script.revision for script in scripts.walk_revisions()] == list(reversed(REVISIONS))


def test_an_older_memory_is_copied_then_brought_up_to_date(
    store: MemoryStore, put: Put, data: DataFolder, tmp_path: Path
) -> None:
    put(GlobalNote(about="progress", text="kept"))
    store.close()
    scripts = tmp_path / "scripts"
    shutil.copytree(FOLDER, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / "v9001_later.py").write_text(_LATER.format(head=REVISIONS[-1]))
    notices = prepare_database(
        data.memory,
        revisions=(*REVISIONS, "9001"),
        scripts=scripts,
        tables=frozenset(metadata.tables),
        name=NAME,
    )
    assert notices == [
        "The memory was brought up to date; the one before was kept as memory.sqlite.before-9001."
    ]
    kept = data.memory.with_name("memory.sqlite.before-9001")
    assert _asked(kept, "SELECT content FROM entries") == _asked(data.memory, "SELECT content FROM entries")
    newer = r"the memory .* was written by a newer Pitwall \(schema 9001"
    with pytest.raises(DataFolderError, match=newer):
        MemoryStore.open(data, role="test")
    with pytest.raises(DataFolderError, match=newer):
        MemoryReader(data).games()


def test_a_damaged_memory_is_set_aside_and_a_new_one_begun(
    store: MemoryStore, put: Put, data: DataFolder
) -> None:
    put(GlobalNote(about="progress", text="kept"))
    store.close()
    whole = data.memory.read_bytes()
    data.memory.write_bytes(whole[:100] + b"\xff" * 3000 + whole[3100:])
    with pytest.raises(CorruptDatabase, match=r"the memory .* is damaged"):
        MemoryReader(data).entries("flappy")
    with MemoryStore.open(data, role="test") as again:
        assert again.entries("flappy") == []
        [notice] = again.notices
        assert notice.startswith("The memory was damaged") and "memory.sqlite.damaged-" in notice
    [kept] = [path for path in data.root.glob("memory.sqlite.damaged-*") if path.stat().st_size == len(whole)]
    assert kept.read_bytes()[:100] == whole[:100]


def test_a_data_folder_without_a_memory_is_an_empty_one(data: DataFolder) -> None:
    reader = MemoryReader(data)
    assert (reader.games(), reader.history(), reader.snapshots()) == ([], [], [])
    assert reader.page("flappy", MemoryKind.NODE) == ([], 0)
    assert reader.graph("flappy") == ([], [], [])
    assert not data.root.exists()


def test_alembic_is_loaded_only_to_migrate(data: DataFolder) -> None:
    script = (
        "import sys; from pathlib import Path; from pitwall.core.paths import DataFolder;"
        "from pitwall.memory.store import MemoryStore;"
        f"MemoryStore.open(DataFolder(Path({str(data.root)!r})), role='x').close();"
        "print('alembic' in sys.modules)"
    )
    answer = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
        for _ in range(2)
    ]
    assert [entry.stdout.strip() for entry in answer] == ["True", "False"]


# ---- what the run log kept


def test_episodes_of_the_run_log_are_taken_over_once_each(data: DataFolder) -> None:
    manifest = run_manifest(game_name="Flappy Bird", profile_hash="", role="bird", seed=None, screen=(1, 1))
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        add_episode(log, run_id, "flappy", "role=bird", "It fell at pipe 3.", "rules")
        add_episode(log, run_id, "flappy", "", "Written by hand.", "operator")
        with MemoryStore.open(data, role="test") as store:
            assert store.notices == ["2 episode summaries were taken over from the run log."]
            first, second = store.entries("flappy", [MemoryKind.EPISODE])
        add_episode(log, run_id, "flappy", "", "A third.", "tiny-model")
    assert first.content == EpisodeMemory(key="role=bird", text="It fell at pipe 3.", run_id=run_id)
    assert (first.provenance.author, first.provenance.source) == ("agent", "rules")
    assert (first.provenance.run_id, second.provenance.author) == (run_id, "operator")
    operator = Provenance(author="operator")
    with MemoryStore.open(data, role="test") as store:
        assert [entry.provenance.source for entry in store.entries("flappy")] == ["rules", "", "tiny-model"]
        assert store.apply([UndoEdit()], operator).what == "there is nothing to undo."
        store.apply([FlagEntries(entry_ids=(first.entry_id,), forgotten=True)], operator)
    with MemoryStore.open(data, role="test") as store:
        assert store.notices == [] and len(store.entries("flappy")) == 2


# ---- killed


_WRITER = """
import os, sys, json
from pathlib import Path
from pitwall.core.memories import *
from pitwall.core.memory_kinds import GlobalNote
from pitwall.core.paths import DataFolder
from pitwall.memory.store import MemoryStore
store = MemoryStore.open(DataFolder(Path(sys.argv[1])), role="bulk")
ids = tuple(entry.entry_id for entry in store.entries("flappy"))
by = Provenance(author="operator")
turn = 0
while True:
    turn += 1
    note = GlobalNote(about="progress", text=f"turn {turn}")
    edits = [PutEntry(game_id="flappy", entry_id=number, content=note) for number in ids]
    edits += [PutEntry(game_id="flappy", content=GlobalNote(about="failure", text=f"turn {turn}"))] * 300
    edits += [FlagEntries(entry_ids=ids, pinned=bool(turn % 2))]
    os.write(1, b"begin\\n")
    assert store.apply(edits, by).done
    os.write(1, f"done {turn}\\n".encode())
"""


def test_killed_in_the_middle_of_a_bulk_edit_all_of_it_or_nothing_is_there(
    store: MemoryStore, put: Put, data: DataFolder
) -> None:
    first = [put(GlobalNote(about="progress", text="turn 0")) for _ in range(40)]
    store.close()
    for after_s in (0.04, 0.1, 0.2):
        done = _kill(data, after_s)
        with MemoryStore.open(data, role="test") as after:
            entries = after.entries("flappy")
            text = [getattr(entry.content, "text") for entry in entries if entry.entry_id in first]  # noqa: B009
            turn = int(text[0].split()[1])
            assert turn in (done, done + 1)
            assert text == [f"turn {turn}"] * 40
            made = [entry for entry in entries if entry.entry_id not in first]
            assert len(made) == 300 * turn
            assert all(entry.pinned is bool(turn % 2) for entry in entries if entry.entry_id in first)
            # The next writer counts its turns anew: all is taken back, which is a bulk edit as well.
            for _ in range(turn):
                assert after.apply([UndoEdit()], Provenance(author="operator")).done
            assert {getattr(entry.content, "text") for entry in after.entries("flappy")} == {"turn 0"}  # noqa: B009
        assert _asked(data.memory, "PRAGMA integrity_check") == [("ok",)]


def _kill(data: DataFolder, after_s: float) -> int:
    """Start a writer, kill it some time into a bulk edit; the last turn it told as done."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(data.root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begin\n", process.communicate()[1].decode()
    time.sleep(after_s)
    process.kill()
    rest, _ = process.communicate(timeout=30)
    return max((int(line.split()[1]) for line in rest.splitlines() if line.startswith(b"done")), default=0)


def test_a_killed_writer_leaves_the_memory_free(data: DataFolder) -> None:
    MemoryStore.open(data, role="test").close()
    _kill(data, 0.05)
    with MemoryStore.open(data, role="next") as store:
        answer = json.loads(data.memory.with_suffix(".lock").read_text())
        assert answer["role"] == "next" and store.counts("flappy")["note"] % 300 == 0
