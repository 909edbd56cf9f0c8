"""The memory and processors that a container leaves to this process: cgroups (1 and 2) and affinity."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_UNLIMITED_BYTES = 1 << 60
"""Version 1 writes "no limit" as a number near 2^63."""
_ROOT = Path("/")


def memory_left(root: Path = _ROOT) -> int | None:
    """Return the bytes that the tightest limit around this process leaves; None where none is set.

    Cached files that nobody uses now count as free, as in MemAvailable.

    Args:
        root: folder of /proc and /sys.
    """
    left: int | None = None
    for folder in _folders(root, "memory"):
        limit = _number(folder / "memory.max") or _number(folder / "memory.limit_in_bytes")
        used = _number(folder / "memory.current")
        used = _number(folder / "memory.usage_in_bytes") if used is None else used
        if limit is None or used is None or limit >= _UNLIMITED_BYTES:
            continue
        room = max(0, limit - used + _cached(folder / "memory.stat"))
        left = room if left is None else min(left, room)
    return left


def processors(root: Path = _ROOT) -> int:
    """Return the number of processors that this process may use: by affinity and by quota, at least one."""
    try:
        allowed = len(os.sched_getaffinity(0))  # type: ignore[attr-defined,unused-ignore]
    except AttributeError:
        allowed = os.cpu_count() or 1
    quotas = [_quota(folder) for folder in _folders(root, "cpu")]
    return max(1, min([allowed, *(int(quota) for quota in quotas if quota)]))


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's groups of a controller, with those around them."""
    lines: list[str] = []
    with contextlib.suppress(OSError, UnicodeError):
        lines = (root / "proc/self/cgroup").read_text("utf-8").splitlines()
    for line in lines:
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            mounts = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        elif controller in names.split(","):
            mounts = [root / "sys/fs/cgroup" / controller, root / "sys/fs/cgroup" / names]
        else:
            continue
        group = PurePosixPath(path.lstrip("/"))
        for mount in mounts:
            yield from (mount / inner for inner in (group, *group.parents))


def _number(file: Path) -> int | None:
    """Return the number in a file; None where there is none, or it says "max"."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(file.read_text("ascii").split()[0])
    return None


def _cached(file: Path) -> int:
    """Return the bytes of file pages that nobody uses now."""
    with contextlib.suppress(OSError, ValueError):
        rows = dict(line.split(maxsplit=1) for line in file.read_text("ascii").splitlines())
        return int(rows.get("total_inactive_file", rows.get("inactive_file", "0")))
    return 0


def _quota(folder: Path) -> float | None:
    """Return the processors of a group's quota; None where none is set."""
    with contextlib.suppress(OSError, ValueError, IndexError, ZeroDivisionError):
        quota, period = (folder / "cpu.max").read_text("ascii").split()[:2]
        return None if quota == "max" else int(quota) / int(period)
    quota_us, period_us = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
    return quota_us / period_us if quota_us and period_us and quota_us > 0 else None
