"""Turns disk errors into sentences that help the operator."""

from __future__ import annotations

import errno
from pathlib import Path

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import write_whole

FREE_SPACE = "Free some space, or move the data folder: set PITWALL_DATA to a folder with room."
MAKE_WRITABLE = "Make it writable, or set PITWALL_DATA to a folder that is."


def write_file(file: Path, content: str | bytes, *, sync: bool = False) -> None:
    """Write a file atomically, as `core.whole_file.write_whole` does.

    Raises:
        DataFolderError: the folder is read-only or full; the old file is still whole.
    """
    try:
        write_whole(file, content, sync=sync)
    except OSError as error:
        raise folder_error(error, file) from error


def folder_error(error: OSError, path: Path) -> DataFolderError:
    """Return the error for a failed file operation on `path`."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DataFolderError(f"{path} cannot be written: the disk is full.", FREE_SPACE)
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return DataFolderError(f"{path} cannot be written: the folder is read-only.", MAKE_WRITABLE)
        case errno.ENOTDIR | errno.EEXIST:
            return DataFolderError(
                f"{path} cannot be made: a file stands where a folder is needed.",
                "Move that file away, or set PITWALL_DATA to another folder.",
            )
    return DataFolderError(f"{path} cannot be used: {error.strerror or error}.", MAKE_WRITABLE)
