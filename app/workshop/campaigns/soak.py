"""Soak: games are played repeatedly in one data folder; memory, open files and processes must not grow."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.desktops.here import process_tree
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.campaigns.kills import committed_steps
from workshop.fixtures.processes import pss_kib

SECONDS = 60
"""Seconds of each play."""
LONG_S = 3600
"""Seconds of a single long run that looks for a slow leak."""
WARM_S = 15.0
"""Seconds after the first step until figures count as warm."""
_LOOK_S = 2.0
_MOST_GROWTH = 1.25
_GAMES = ("flappy", "crafter", "arena")


@contextmanager
def _rig(shared: Path) -> Iterator[Trial]:
    yield lambda case: _soaked(case, DataFolder(shared / "data"), SECONDS)


@contextmanager
def _long_rig(shared: Path) -> Iterator[Trial]:
    yield lambda case: _soaked(case, DataFolder(shared / "data"), LONG_S)


def _soaked(case: Case, data: DataFolder, seconds: int) -> str:
    """Play one run, and compare its figures once warm with those at the end."""
    game = _GAMES[case.index % len(_GAMES)]
    words = ["run", "--game", game, "--seconds", str(seconds), "--json", "--data", str(data.root)]
    before, began_s, figures = committed_steps(data), 0.0, []
    with subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as play:
        while play.poll() is None:
            tree = process_tree(play.pid)
            if not began_s and committed_steps(data) > before:
                began_s = time.monotonic()
            if began_s and time.monotonic() - began_s >= WARM_S:
                figures.append((sum(map(pss_kib, tree)) / 1024, _open_files(tree), len(tree)))
            time.sleep(_LOOK_S)
        assert play.stdout is not None
        out = play.stdout.read()
    if play.returncode:
        raise FellShort(f"{game}: the run ends with {play.returncode}: {out.decode()[-300:]}")
    answer = json.loads(out.splitlines()[-1])
    third = len(figures) // 3
    early, late = figures[:third], figures[third:-2][-third:]
    for name, at in (("MiB of memory", 0), ("open files", 1), ("processes", 2)):
        warm, end = (max((figure[at] for figure in part), default=0) for part in (early, late))
        if end > warm * _MOST_GROWTH + 8:
            raise FellShort(f"{game}: {name} went from {warm:.0f} to {end:.0f} within {seconds} s")
    if answer["keys_down_at_end"] or not answer["summary"]["steps"]:
        raise FellShort(f"{game}: {answer['summary']['steps']} steps, keys down {answer['keys_down_at_end']}")
    return game


def _open_files(pids: frozenset[int]) -> int:
    total = 0
    for pid in pids:
        with suppress(OSError):
            total += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return total


CAMPAIGN = Campaign(
    tries="games are played for a minute each, in one data folder: memory, open files and processes stay "
    "within a quarter of what they were when warm",
    rig=_rig,
    screen=True,
    alone=False,
)
LONG_CAMPAIGN = Campaign(
    tries="one game is played for an hour in one run: memory, open files and processes stay within a quarter "
    "of what they were when warm",
    rig=_long_rig,
    screen=True,
    alone=False,
)
