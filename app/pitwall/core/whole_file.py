"""Writes files so that a reader finds the old content or the new one, never a part; and hashes them."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Done = TypeVar("Done")
_READERS_S = 2.0
_RETRY_S = 0.002


def write_whole(file: Path, content: str | bytes, *, sync: bool = False) -> None:
    """Write a file beside its place, then rename it there; make its folder where it is missing.

    Args:
        content: text is written as UTF-8, with its line ends as they are.
        sync: wait until the disk has it, so that a power cut leaves the old file or the new one.

    Raises:
        OSError: the folder is read-only or full; the old file is still whole.
    """
    aside = file.with_name(file.name + ".tmp")
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with aside.open("wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        put_in_place(aside, file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def put_in_place(aside: Path, file: Path) -> None:
    """Rename a file over another. On Windows, wait a moment for readers of the old one.

    Raises:
        OSError: it cannot be put there.
    """
    once_free(lambda: aside.replace(file), _READERS_S)


def once_free(do: Callable[[], Done], patience_s: float) -> Done:
    """Do what Windows refuses for as long as another program holds the file; elsewhere nothing is waited for.

    Raises:
        OSError: it cannot be done, or not in time.
    """
    until_s = time.monotonic() + (patience_s if sys.platform == "win32" else 0.0)
    while True:
        try:
            return do()
        except PermissionError:
            if time.monotonic() >= until_s:
                raise
            time.sleep(_RETRY_S)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
