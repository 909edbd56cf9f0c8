"""Writes the doctor's findings as a text to send, without a person's names, folders and window titles."""

from __future__ import annotations

import getpass
import os
import platform
import re
import socket
from collections.abc import Iterable, Iterator
from pathlib import Path

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder, write_whole

_LEAST_LETTERS = 3
"""Shortest name that is replaced: shorter names are parts of too many other words."""
_TAIL = 40
_LOGS = ("engine.log", "broker.log", "host.log", "console.log")
_TITLED = re.compile(r"title='(?:[^'\\]|\\.)*'|title=\"(?:[^\"\\]|\\.)*\"|(?<=the window )'[^']*'")


def anonymous(text: str, data: DataFolder | None = None) -> str:
    """Return the text without user name, host name, home folder, data folder, and window titles."""
    secrets: list[tuple[str, str]] = []
    if data is not None:
        secrets += _spelt(data.root, "DATA")
    secrets += _spelt(Path.home(), "~")
    for name, stands_for in ((_user(), "USER"), (socket.gethostname(), "HOST"), (platform.node(), "HOST")):
        if len(name) >= _LEAST_LETTERS:
            secrets.append((name, stands_for))
    text = _TITLED.sub("a window", text)
    for secret, stands_for in sorted(secrets, key=lambda pair: -len(pair[0])):
        if len(secret) >= _LEAST_LETTERS:
            whole = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])"
            text = re.sub(whole, stands_for, text, flags=re.IGNORECASE)
    return text


def write_report(file: Path, lines: Iterable[str], data: DataFolder, *, command: str) -> None:
    """Write the findings and the ends of the logs.

    Raises:
        DataFolderError: the file cannot be written.
    """
    whole = "\n".join((*_head(command), *lines, "", *_ends_of_logs(data)))
    try:
        write_whole(file, anonymous(whole, data).encode())
    except OSError as error:
        raise DataFolderError(
            f"{file} cannot be written: {error.strerror}.", "Name another file with --report."
        ) from None


def _head(command: str) -> Iterator[str]:
    yield f"Pitwall's report, made by `{command}`."
    yield "Left out: user name, host name, home folder, titles of windows. Read it before you send it."
    yield f"system      {platform.system()} {platform.release()} {platform.version()}"
    for name in ("XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "PROCESSOR_IDENTIFIER"):
        if value := os.environ.get(name):
            yield f"{name}  {value}"
    yield ""


def _ends_of_logs(data: DataFolder) -> Iterator[str]:
    for name in _LOGS:
        file = data.logs / name
        if file.is_file():
            yield f"--- the end of {name}"
            yield from file.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:]


def _spelt(folder: Path, stands_for: str) -> list[tuple[str, str]]:
    """Return a folder in each spelling that Windows, a log's repr and other programs use."""
    plain = str(folder)
    return [(name, stands_for) for name in (plain, plain.replace("\\", "\\\\"), folder.as_posix())]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
