"""A download that is not complete: `NAME.part` holds its first bytes, `NAME.part.json` names the file."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile
from pitwall.models.downloads.origin import Origin
from pitwall.store.folder_errors import folder_error


class PartNote(BaseModel):
    """Names the whole that a partial file belongs to.

    Attributes:
        spec, version, sha256: of the origin.
        validator: a strong ETag, or Last-Modified, from the server of the bytes; empty for none.
        size_bytes: of the whole; 0 if unknown.
    """

    model_config = ConfigDict(frozen=True)

    spec: str
    version: str = ""
    sha256: str = ""
    validator: str = ""
    size_bytes: int = 0


class Partial:
    """The first bytes of a file on disk, from which its download continues.

    Args:
        origin: source of the whole file; bytes of any other origin are ignored.
        target: path of the whole file.
    """

    def __init__(self, origin: Origin, target: Path) -> None:
        self._origin = origin
        self.path = part_of(target)

    @property
    def note(self) -> PartNote | None:
        """Read the part's note; None if the download cannot be continued from it."""
        try:
            note = read_model(PartNote, _note_file(self.path))
        except (FileNotFoundError, DamagedFile):
            return None
        origin = self._origin
        if (note.spec, note.version) != (origin.spec, origin.version):
            return None
        if note.sha256 and note.sha256 != origin.sha256:
            return None
        return note if note.validator or origin.sha256 else None

    @property
    def size(self) -> int:
        """Return the number of bytes to resume from."""
        return 0 if self.note is None else self.on_disk

    @property
    def on_disk(self) -> int:
        """Return the number of bytes on disk, whatever file they belong to."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def begin(self, validator: str, size_bytes: int) -> None:
        """Discard the part on disk and note the download that begins.

        Raises:
            DataFolderError: the folder cannot be written.
        """
        self.clear()
        note = PartNote(
            spec=self._origin.spec,
            version=self._origin.version,
            sha256=self._origin.sha256,
            validator=validator,
            size_bytes=size_bytes,
        )
        try:
            _note_file(self.path).write_text(note.model_dump_json() + "\n", encoding="utf-8")
        except OSError as error:
            raise folder_error(error, self.path) from error

    def clear(self) -> None:
        """Delete part and note.

        Raises:
            DataFolderError: they cannot be deleted.
        """
        _delete(self.path)


def part_of(target: Path) -> Path:
    """Return the path of a file's part."""
    return target.with_name(f"{target.name}.part")


def lock_of(target: Path) -> Path:
    """Return the path of the lock that a download of a file holds."""
    return target.with_name(f"{target.name}.part.lock")


def forget(target: Path) -> bool:
    """Delete the rest of an interrupted download; return whether there was one.

    Raises:
        DataFolderError: it cannot be deleted.
    """
    part = part_of(target)
    there = part.exists() or _note_file(part).exists()
    _delete(part)
    with contextlib.suppress(OSError):  # left by a killed process; on Windows a file in use stays
        lock_of(target).unlink()
    return there


def _delete(part: Path) -> None:
    try:
        for path in (part, _note_file(part)):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise folder_error(error, part) from error


def _note_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")
