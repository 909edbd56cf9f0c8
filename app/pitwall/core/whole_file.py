"""Writes files so that a reader finds the old content or the new one, never a part; and hashes them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


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
        aside.replace(file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
