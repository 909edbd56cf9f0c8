"""Data folders of every schema that ever landed open: copied, brought up to date, with everything in them."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.store.older.keep import FOLDERS

from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.memory.migrations import REVISIONS as MEMORY_REVISIONS
from pitwall.memory.store import MemoryStore
from pitwall.store.database import raw_connection
from pitwall.store.migrations import REVISIONS as RUN_REVISIONS
from pitwall.store.run_log import RunLog, RunReader

NEWEST = {"runs": RUN_REVISIONS[-1], "memory": MEMORY_REVISIONS[-1]}
"""Database → its newest schema."""


def _schemas(packed: Path) -> dict[str, str]:
    parts = packed.name.removesuffix(".tar.xz").split("-")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _count(database: Path, table: str) -> int:
    raw = raw_connection(database, "ro")
    try:
        return int(raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    finally:
        raw.close()


@pytest.mark.parametrize("packed", sorted(FOLDERS.glob("*.tar.xz")), ids=lambda packed: packed.name[:-7])
def test_an_older_folder_opens_with_everything_in_it(packed: Path, tmp_path: Path) -> None:
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path / "data", filter="data")
    data, schemas = DataFolder(tmp_path / "data"), _schemas(packed)
    before = {
        name: _count(data.root / f"{name}.sqlite", {"runs": "steps", "memory": "entries"}[name])
        for name in schemas
    }
    with RunLog.open(data) as log, MemoryStore.open(data, role="test") as memory:
        notices = [*log.notices, *memory.notices]
    kept = [
        data.root / f"{name}.sqlite.before-{NEWEST[name]}"
        for name, had in schemas.items()
        if had != NEWEST[name]
    ]
    assert all(file.is_file() for file in kept), notices
    reader = RunReader.open(data)
    [run] = reader.runs()
    steps = reader.steps(run.run_id)
    reader.close()
    assert (run.manifest.game_id, len(steps)) == ("flappy", before["runs"])
    assert all((data.run(run.run_id) / step.frame_ref).is_file() for step in steps if step.frame_ref)
    assert _count(data.memory, "entries") >= before.get("memory", 0)
    assert load_settings(data.settings).control.effect_wait_ms == 450


def test_every_pair_of_schemas_has_a_folder() -> None:
    assert NEWEST in [_schemas(packed) for packed in FOLDERS.glob("*.tar.xz")], (
        "keep one before the next migration: python -m tests.store.older.keep"
    )
