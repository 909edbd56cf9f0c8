"""Keeps a data folder as a version of Pitwall writes it: flappy is played by that version's own code.

    python -m tests.store.older.keep [COMMIT …]

Do it for the present code before a migration is added: `test_every_pair_of_schemas_has_a_folder` asks for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from pitwall.store.database import raw_connection

FOLDERS = Path(__file__).parent
_CHANGED = ("control.effect_wait_ms", "450")
"""The setting that differs from its default in each folder."""
_LEFT_OUT = ("game-data", "logs", "runs/000001/export")


def keep(commit: str) -> Path:
    """Play with a commit's code and pack the data folder it leaves, named after its schemas."""
    with tempfile.TemporaryDirectory() as aside:
        code, data = Path(aside) / "code", Path(aside) / "data"
        code.mkdir()
        archive = subprocess.run(["git", "archive", commit], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "x", "-C", str(code)], check=True, input=archive)
        env = {**os.environ, "PYTHONPATH": str(code / "app"), "PITWALL_DATA": str(data)}
        for words in (
            ("settings", "set", *_CHANGED),
            ("demo", "--game", "flappy", "--seconds", "3", "--json"),
        ):
            command = [sys.executable, "-m", "pitwall", *words]
            subprocess.run(command, check=True, env=env, cwd=code, stdout=subprocess.DEVNULL)
        for name in _LEFT_OUT:
            shutil.rmtree(data / name, ignore_errors=True)
        packed = FOLDERS / f"{'-'.join(_schemas(data))}.tar.xz"
        with tarfile.open(packed, "w:xz") as archived:
            archived.add(data, ".")
    return packed


def _schemas(data: Path) -> list[str]:
    """Fold each database's write-ahead log into it; return the schemas, as `runs-0006`."""
    lines: list[str] = []
    for name in ("runs", "memory"):
        file = data / f"{name}.sqlite"
        if not file.exists():
            continue
        with_log = raw_connection(file, "rw")
        with_log.execute("PRAGMA journal_mode = DELETE")
        lines.append(f"{name}-{with_log.execute('SELECT version_num FROM alembic_version').fetchone()[0]}")
        with_log.close()
    return lines


if __name__ == "__main__":
    for commit in sys.argv[1:] or ["HEAD"]:
        sys.stdout.write(f"{keep(commit)}\n")
