"""Databases: the run log and the memory with flipped bytes, cut, blanked, or swapped for something else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    whole = played_data().root

    def trial(case: Case) -> str:
        data = case.folder / "data"
        shutil.copytree(whole, data)
        name = case.chance.choice(sorted(_READERS))
        file = data / name
        if case.chance.random() < 0.2:
            damaged_file(file, case.chance)
        else:
            file.write_bytes(damaged_bytes(file.read_bytes(), case.chance))
        out = str(case.folder / "out")
        said = [
            ends_in_words(
                data,
                *(word.replace("{out}", out) for word in words),
                names=(name, "run 1", "no run", "no table"),
            )
            for words in case.chance.sample(_READERS[name], 3)
        ]
        return "refused" if any(ran.status for ran in said) else "read"

    yield trial


CAMPAIGN = Campaign(
    tries="run log or memory with damaged bytes, or something else in its place: each command on it ends "
    "well, or in a sentence that names the file",
    rig=_rig,
)
