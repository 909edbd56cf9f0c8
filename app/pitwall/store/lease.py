"""Locks a file for one holder at a time; the system frees it when its holder dies.

The lock is on the open file, so a killed holder leaves nothing to clean up; the text inside only tells others
who holds it. The file is never deleted: with two files, two holders could have "the" lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import folder_error

_RETRY_S = 0.02
_PATIENCE_S = 0.4
"""How long to try: longer than another's short look, or than a holder needs to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The holder of a lock. `pid` is 0 and `role` empty if unknown."""

    pid: int
    role: str
    since: str

    def __str__(self) -> str:
        return f"{self.role or 'a program'} with process id {self.pid}" if self.pid else "another program"


class FileLock:
    """An exclusive lock on one file, held until released or until the process ends.

    Args:
        file: the lock file; made where there is none.
        role: the holder's role, for others who find it locked ("console", "engine").
        subject: the locked thing, for the error's sentence.
    """

    def __init__(self, file: Path, *, role: str, subject: str) -> None:
        self._file = file
        self._role = role
        self._subject = subject
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        return self._fd is not None

    def acquire(self) -> None:
        """Take the lock, unless this object already holds it.

        Raises:
            DataFolderError: another process holds it (its process id is named), or the folder is
                read-only or full.
        """
        if self._fd is not None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise folder_error(error, self._file.parent) from error
        deadline = time.monotonic() + _PATIENCE_S
        while not _try_lock(fd):
            if time.monotonic() > deadline:
                other = _read_holder(fd)
                os.close(fd)
                raise DataFolderError(
                    f"{self._subject} is in use by {other}.",
                    "Close that one first, or set PITWALL_DATA to another folder.",
                )
            time.sleep(_RETRY_S)
        self._fd = fd
        self._sign(fd)

    def release(self) -> None:
        """Release the lock if it is held."""
        if self._fd is None:
            return
        fd, self._fd = self._fd, None
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
        os.close(fd)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _sign(self, fd: int) -> None:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        text = json.dumps({"pid": os.getpid(), "role": self._role, "since": since})
        try:
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
            os.write(fd, text.encode())
        except OSError as error:
            self.release()
            raise folder_error(error, self._file.parent) from error


class Lease(FileLock):
    """The data folder's lease: only one console, or one command that writes, at a time."""

    def __init__(self, data: DataFolder, role: str = "console") -> None:
        super().__init__(data.lease, role=role, subject=f"the data folder {data.root}")


def write_lock_file(data: DataFolder) -> Path:
    """Return the file whose lock the writer of the run log holds."""
    return data.database.with_suffix(".lock")


def memory_lock_file(data: DataFolder) -> Path:
    """Return the file whose lock the writer of the memory holds."""
    return data.memory.with_suffix(".lock")


def holder_of(file: Path) -> Holder | None:
    """Return the holder of the lock on `file`, without taking the lock; None if it is free."""
    try:
        fd = os.open(file, os.O_RDONLY)
    except OSError:
        return None
    try:
        return None if _try_lock(fd, shared=True) else _read_holder(fd)
    finally:
        os.close(fd)


def _read_holder(fd: int) -> Holder:
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        signed = json.loads(os.read(fd, 4096))
        return Holder(pid=int(signed["pid"]), role=str(signed["role"]), since=str(signed["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder(pid=0, role="", since="")


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30
    """Far behind the text, because others cannot read a locked byte."""

    def _try_lock(fd: int, *, shared: bool = False) -> bool:  # noqa: ARG001 - there are no shared locks here
        os.lseek(fd, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int, *, shared: bool = False) -> bool:
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
