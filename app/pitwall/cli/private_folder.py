"""Makes a data folder private to its operator: observations, prompts and memory are nobody else's."""

from __future__ import annotations

import contextlib
import os
import stat

from pitwall.core.paths import DataFolder

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private(data: DataFolder) -> None:
    """Remove the rights of other users from an existing data folder and the files at its top.

    A folder without any file of Pitwall is left unchanged: it was perhaps named by mistake. New files are
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
        with contextlib.suppress(OSError):  # missing, or another user's
            status = path.stat()
            if status.st_uid == os.getuid() and status.st_mode & _OTHERS:
                path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
