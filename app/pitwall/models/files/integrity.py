"""Checks whether a model's file is still the one that was added: by its stamp, else its hash."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

from pitwall.core.errors import BadModelFile
from pitwall.models.files.wrong_file import open_model_file
from pitwall.models.spec import ModelSpec

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all); an exception that it raises ends the work."""

_CHUNK = 4 << 20
_ADD_AGAIN = (
    "If that was meant, remove the model from the registry and add it again; else bring the file back."
)


def sha256_of(path: Path, progress: Progress | None = None) -> str:
    """Return the SHA-256 of a file, as 64 lower-case hexadecimal digits.

    Raises:
        BadModelFile: it cannot be read, or is empty.
    """
    file, size = open_model_file(path)
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(_CHUNK))
    done = 0
    with file:
        while True:
            try:
                count = file.readinto(buffer)  # type: ignore[attr-defined]
            except OSError as error:
                why = (error.strerror or str(error)).lower()
                raise BadModelFile(str(path), f"cannot be read: {why}") from error
            if not count:
                return digest.hexdigest()
            digest.update(buffer[:count])
            done += count
            if progress is not None:
                progress(done, max(size, done))


def stamp_of(path: Path) -> tuple[int, int]:
    """Return a file's size in bytes and time of change in nanoseconds.

    Raises:
        BadModelFile: there is no such file.
    """
    file, _ = open_model_file(path)
    file.close()
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def check_file(spec: ModelSpec) -> None:
    """Check that a model's files are those that were added, before they are loaded.

    A model under its old stamp counts as unchanged; one with another stamp, and a projector, which has
    none, are hashed, each once for a stamp.

    Raises:
        BadModelFile: a file is gone, cannot be read, or holds something else now.
    """
    if spec.kind == "remote":
        return
    path = Path(spec.path)
    stamp = stamp_of(path)
    if stamp != (spec.size_bytes, spec.mtime_ns):
        _check_hash(path, stamp, spec.sha256)
    if spec.projector:
        projector = Path(spec.projector)
        _check_hash(projector, stamp_of(projector), spec.projector_sha256)


def _check_hash(path: Path, stamp: tuple[int, int], expected: str) -> None:
    digest = _hash_under(path, stamp)
    if digest != expected:
        raise BadModelFile(
            str(path),
            f"has changed since it was added: its SHA-256 is {digest[:12]}…",
            expected=f"{expected[:12]}…",
            fix=_ADD_AGAIN,
        )


@functools.lru_cache(maxsize=64)
def _hash_under(path: Path, stamp: tuple[int, int]) -> str:  # noqa: ARG001 - the stamp is part of the key
    return sha256_of(path)
