"""Databases: the run log and the memory with flipped bytes, cut, blanked, or replaced by something else."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.store.database import SqliteError, raw_connection
from workshop.campaigns.command_trial import ends_in_words
from workshop.campaigns.harness import Campaign, Case, Trial
from workshop.campaigns.mutation import damaged_bytes, damaged_file
from workshop.campaigns.played_data import GAME, played_data

_READERS = {
    "runs.sqlite": (
        ("runs", "--json"),
        ("runs", "1", "--json"),
        ("export", "1", "--format", "csv", "--out", "{out}"),
        ("query", "SELECT * FROM steps"),
        ("exam", "make", "1", "--inventory", "general"),
        ("trigger", "1"),
    ),
    "memory.sqlite": (
        ("memory", "--json"),
        ("memory", "search", "wood", "--json"),
        ("memory", "stats"),
        ("memory", "history"),
        ("memory", "snapshots"),
        ("memory", "export", "{out}.jsonl"),
        ("memory", "add", "note", "--game", GAME, "about=failure", "text=Hard."),
        ("memory", "undo"),
    ),
}

_STRANGE = (None, "word", b"\xff\x00", 1.5, -1, 2**63 - 1, "[]", "[1]", "{}", '{"a": {"b": 1}}', "null", "3")


def _damage_cells(file: Path, chance: random.Random) -> None:
    """Put values of other types into some cells of a valid database."""
    with contextlib.closing(raw_connection(file, "rw")) as connection:
        connection.execute("PRAGMA foreign_keys = off")
        connection.execute("PRAGMA ignore_check_constraints = on")
        wanted = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        tables = sorted(name for (name,) in connection.execute(wanted) if not name.startswith("sqlite_"))
        for table in chance.choices(tables, k=8):
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            with contextlib.suppress(SqliteError):  # some cells must be unique or are keys
                connection.execute(
                    f'UPDATE "{table}" SET "{chance.choice(columns)}" = ?', (chance.choice(_STRANGE),)
                )


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    whole = played_data().root

    def trial(case: Case) -> str:
        data = case.folder / "data"
        shutil.copytree(whole, data)
        name = case.chance.choice(sorted(_READERS))
        file = data / name
        way = case.chance.random()
        if way < 0.2:
            damaged_file(file, case.chance)
        elif way < 0.5:
            _damage_cells(file, case.chance)
        else:
            file.write_bytes(damaged_bytes(file.read_bytes(), case.chance))
        out = str(case.folder / "out")
        shown = [
            ends_in_words(
                data,
                *(word.replace("{out}", out) for word in words),
                names=(name, "run 1", "no run", "no table", "nothing to undo", "the memory is empty"),
            )
            for words in case.chance.sample(_READERS[name], 3)
        ]
        return "refused" if any(ran.status for ran in shown) else "read"

    yield trial


CAMPAIGN = Campaign(
    tries="run log or memory with damaged bytes, cells of other types, or something else in its place: each "
    "command on it ends well, or in a sentence that names the file",
    rig=_rig,
)
