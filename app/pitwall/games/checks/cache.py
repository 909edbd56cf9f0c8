"""Caches the faults of a game's folder while nothing in it changes, because games are listed often."""

from __future__ import annotations

import functools
import os
import time
from pathlib import Path

from pitwall.core.errors import Fault
from pitwall.games.checks.folder import check_game
from pitwall.games.trust import LEFT_OUT

_SETTLED_NS = 200_000_000
"""Age below which a file may change again without a new timestamp."""
CachedFaults = tuple[tuple[str, int, int, int], ...]


def faults_of_folder(folder: Path) -> list[Fault]:
    """Check a folder as `check_game` does, but only once for an unchanged folder."""
    seen = _seen(folder)
    newest = max((changed for _, changed, _, _ in seen), default=0)
    if time.time_ns() - newest < _SETTLED_NS:
        return check_game(folder)
    return list(_checked(folder, seen))


@functools.lru_cache(maxsize=1024)
def _checked(folder: Path, _seen: CachedFaults) -> tuple[Fault, ...]:
    return tuple(check_game(folder))


def _seen(folder: Path) -> CachedFaults:
    """Return every file and folder with its times and size, without caches."""
    entries = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for path in (place, *(f"{place}/{name}" for name in files)):
            try:
                is_now = Path(path).stat()
            except OSError:
                entries.append((path, 0, 0, -1))
            else:
                entries.append((path, is_now.st_ctime_ns, is_now.st_mtime_ns, is_now.st_size))
    return tuple(entries)
