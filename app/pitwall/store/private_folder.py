"""Keeps a data folder to its operator: what an agent saw, was told and remembers is nobody else's."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from pitwall.core.paths import DataFolder

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(data: DataFolder) -> None:
    """Take the rights of others from a data folder that is there, and from the files at its top.

    A folder that holds nothing of Pitwall's is left as it is: it was perhaps named by mistake. New files are
    private by the process's umask (`__main__`).
    """
    if os.name != "posix":
        return
    databases = (data.database, data.memory)
    known = (*databases, data.settings, data.trust, data.model_registry, data.queries, data.lease)
    files = [file for file in known if file.is_file()]
    if not files:
        return
    beside = [file.with_name(file.name + tail) for file in databases for tail in ("-wal", "-shm")]
    for path in (data.root, *files, *beside):
        _close_to_others(path)


def _close_to_others(path: Path) -> None:
    with contextlib.suppress(OSError):  # not there, or another user's
        told = path.stat()
        if told.st_uid == os.getuid() and told.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(told.st_mode) & ~_OTHERS)
