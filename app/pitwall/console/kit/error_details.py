"""What is copied of an error, to be sent to somebody who can help; and the end of a log that tells more."""

from __future__ import annotations

import platform
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from pitwall import __version__

_TAIL_BYTES = 64 * 1024


def details_text(what: str, fix: str = "", more: str = "") -> str:
    """An error in full: what is wrong, how to mend it, where it came from, and which Pitwall this is."""
    system = f"Pitwall {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return "\n".join(part for part in (what, fix, more.rstrip(), system) if part)


def copy_text(text: str) -> None:
    """Put a text into the clipboard."""
    QGuiApplication.clipboard().setText(text)


def newest_log(folder: Path) -> Path | None:
    """The log that was written to last; None where there is none."""
    logs = [file for file in folder.glob("*.log") if file.is_file() and file.stat().st_size]
    return max(logs, key=lambda file: file.stat().st_mtime, default=None)


def log_end(file: Path) -> str:
    """The last lines of a log, some hundreds; a sentence where it cannot be read."""
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, file.stat().st_size - _TAIL_BYTES))
            return stream.read().decode("utf-8", errors="replace")
    except OSError as error:
        return f"{file} cannot be read: {error.strerror or error}."
