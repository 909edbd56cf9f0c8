"""Caches the faults of a game's folder while nothing in it changes, because games are listed often.

Folders without faults are also kept in a file, so that a start checks none of them and does not import the
checks.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import time
from pathlib import Path

from pitwall import __version__
from pitwall.core import rail
from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile, Fault
from pitwall.core.paths import write_whole
from pitwall.core.prompts import hash_of
from pitwall.games.trust import LEFT_OUT

_SETTLED_NS = 200_000_000
"""Age below which a file may change again without a new timestamp."""
CachedFaults = tuple[tuple[str, int, int, int], ...]


def faults_of_folder(folder: Path, sound: Path | None = None) -> list[Fault]:
    """Check a folder as `check_game` does, but only once for an unchanged folder.

    Args:
        sound: the file that keeps which folders had no faults; None: they are forgotten at the end.
    """
    seen = _seen(folder)
    newest = max((changed for _, changed, _, _ in seen), default=0)
    if time.time_ns() - newest < _SETTLED_NS:
        return _check(folder)
    if sound is None:
        return list(_checked(folder, seen))
    known, state = _known(sound), hash_of(repr((_checks(), seen)))
    if known.get(str(folder)) == state:
        return []
    faults = list(_checked(folder, seen))
    if not faults and sound.parent.is_dir():
        known[str(folder)] = state
        with contextlib.suppress(OSError):  # it is checked again at the next start
            write_whole(sound, json.dumps(known, indent=1) + "\n")
    return faults


@functools.lru_cache(maxsize=1024)
def _checked(folder: Path, _seen: CachedFaults) -> tuple[Fault, ...]:
    return tuple(_check(folder))


def _check(folder: Path) -> list[Fault]:
    from pitwall.games.checks.folder import check_game  # a start whose folders are sound needs no checks

    return check_game(folder)


@functools.cache
def _known(sound: Path) -> dict[str, str]:
    """Return the kept folders without faults, each with its state, as they were when first asked for."""
    try:
        stored = read_json(sound)
    except (OSError, DamagedFile):
        return {}
    return {str(key): str(state) for key, state in stored.items()} if isinstance(stored, dict) else {}


@functools.cache
def _checks() -> str:
    """Return the state of everything that checks depend on beside the folder."""
    games = Path(__file__).parents[1]
    tables = sorted((name, point.value) for name, point in rail.contributions(rail.TABLES).items())
    return hash_of(repr((__version__, tables, _seen(games), _seen(games.with_name("core")))))


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
