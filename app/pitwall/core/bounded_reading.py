"""Reads untrusted files and texts: only regular files, bounded in size, depth and digits; valid Unicode.

A reader gets a valid value or a `DamagedFile`, which names the file, the place in it and the expectation.
A missing file stays a FileNotFoundError, because to most readers it means "nothing yet".
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import math
import os
import re
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from pitwall.core.errors import DamagedFile
from pitwall.core.paths import once_free
from pitwall.core.validation import first_fault

Model = TypeVar("Model", bound=BaseModel)

MOST_BYTES = 64 * 1024 * 1024
"""The largest file that is read whole where its reader sets no other bound."""
_PIECE = 1 << 16
_WRITERS_S = 0.1
"""How long a file is asked for that cannot be opened: on Windows, while it is put in another's place."""
DEEPEST = 64
"""How deep values may be nested."""
_LARGEST = 10**300
"""Beyond it a whole number is no longer a fraction's equal: nothing can be calculated with it."""
_MOST_DOTS = 1000
_MOST_WORDS = 200
_LONGEST_NAME, _LONGEST_PATH = 255, 4095
"""Letters of a file's name, and of a whole path, that any system takes."""
_KEY = re.compile(r"[\w.\-\"' \t]+")
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a UTF-16 pair."""
_PARSE_FAULTS = (ValueError, RecursionError, ArithmeticError, LookupError, TypeError, AttributeError)
"""What parsers raise on hostile texts."""


def real_path(path: Path) -> Path | None:
    """Resolve a path, links followed; None where no file can have it (a NUL, too long, links in a circle)."""
    try:
        real = path.resolve()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            real.stat()  # raises for a name that the system rejects
    except (OSError, ValueError, RuntimeError):
        return None
    # Windows only reports a missing file.
    too_long = len(str(real)) > _LONGEST_PATH or any(len(part) > _LONGEST_NAME for part in real.parts)
    return None if too_long else real


def open_regular(file: Path, *, fix: str = "") -> io.BufferedReader:
    """Open a regular file to be read piece by piece; raises as `read_bytes`, but for its size."""
    try:
        opened = once_free(lambda: io.FileIO(file, "rb", opener=_open_regular), _WRITERS_S)
        return io.BufferedReader(opened)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the path holds a NUL
        denied = isinstance(error, PermissionError) and file.is_dir()  # Windows raises it for a folder
        if denied or isinstance(error, IsADirectoryError):
            raise DamagedFile(file, "is no regular file", expected="a file", fix=fix) from None
        raise _unreadable(file, error, fix) from error


def read_bytes(file: Path, *, most_bytes: int = MOST_BYTES, fix: str = "") -> bytes:
    """Read a regular file whole. No other kind of file is waited for, and none is read beyond its bound.

    Args:
        fix: one sentence on how to mend a file that cannot be read; empty where there is none.

    Raises:
        FileNotFoundError: it is not there.
        DamagedFile: it is no regular file, too big, or cannot be read.
    """
    with open_regular(file, fix=fix) as stream:
        try:
            size = os.fstat(stream.fileno()).st_size
            content = read_at_most(stream, most_bytes + 1, size + 1)
        except OSError as error:
            raise _unreadable(file, error, fix) from error
    if len(content) > most_bytes:
        raise DamagedFile(file, "is too big", expected=f"at most {most_bytes:,} bytes", fix=fix)
    return content


def read_at_most(stream: IO[bytes] | io.BufferedIOBase, most_bytes: int, first: int = _PIECE) -> bytes:
    """Read to the stream's end or so many bytes, `first` and then by pieces.

    Python takes the memory for all that is asked for at once; on Windows that costs more than the reading.
    """
    pieces, left, size = [], most_bytes, first
    while left > 0 and (piece := stream.read(min(size, left))):
        pieces.append(piece)
        left, size = left - len(piece), _PIECE
    return b"".join(pieces)


def read_text(
    file: Path,
    *,
    most_bytes: int = MOST_BYTES,
    fix: str = "",
    errors: Literal["strict", "replace"] = "strict",
) -> str:
    r"""Read a text in UTF-8, its lines ended by \n whatever ended them in the file.

    Raises as `read_bytes`, and DamagedFile where it is no UTF-8, unless errors are replaced.
    """
    content = read_bytes(file, most_bytes=most_bytes, fix=fix)
    try:
        return content.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DamagedFile(
            file, "is damaged: it is not UTF-8", line=line, expected="text in UTF-8", fix=fix
        ) from None


def read_model(kind: type[Model], file: Path, *, most_bytes: int = MOST_BYTES, fix: str = "") -> Model:
    """Read a JSON file as a pydantic model; raises as `read_bytes`, and DamagedFile where it does not fit."""
    text = read_text(file, most_bytes=most_bytes, fix=fix)
    parse_json(text, file, fix=fix)
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        where, problem = first_fault(error)
        message = problem if where else f"is damaged: {problem}"
        raise DamagedFile(file, message, key=where, fix=fix) from None


def read_json(file: Path, *, most_bytes: int = MOST_BYTES, fix: str = "") -> Any:
    """Read a JSON file as plain values; raises as `read_bytes`, and DamagedFile where it is no JSON."""
    return parse_json(read_text(file, most_bytes=most_bytes, fix=fix), file, fix=fix)


def parse_json(text: str, file: Path | str, *, fix: str = "") -> Any:
    """Parse JSON; raises as `parse`."""
    return parse(_from_json, text, file, "JSON", fix=fix)


def parse_toml(text: str, file: Path | str, *, fix: str = "") -> dict[str, Any]:
    """Parse TOML; raises as `parse`."""
    for key in _KEY.findall(text):  # the parser needs quadratic time for such a key
        if key.count(".") > _MOST_DOTS:
            raise DamagedFile(file, "has a key of too many parts", expected=f"at most {DEEPEST}", fix=fix)
    table: dict[str, Any] = parse(tomllib.loads, text, file, "TOML", fix=fix)
    return table


def parse(parser: Callable[[str], Any], text: str, file: Path | str, form: str, *, fix: str = "") -> Any:
    """Parse a text to plain values.

    Args:
        file: the source, for the error: a file, or a cell of a database in words.
        form: what the text should be ("JSON").

    Raises:
        DamagedFile: it does not parse, is nested too deep, or holds NaN or a number with too many digits.
    """
    try:
        value = parser(text.removeprefix("\ufeff"))
        _check_bounds(value)
    except RecursionError:
        raise DamagedFile(
            file, "is damaged: it is nested too deep", expected=f"at most {DEEPEST} levels", fix=fix
        ) from None
    except _PARSE_FAULTS as error:
        message = " ".join(str(error).split())[:_MOST_WORDS]
        if "integer string conversion" in message:
            message = "a number has too many digits"
        raise DamagedFile(file, f"is damaged: it does not parse: {message}", expected=form, fix=fix) from None
    return value


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _SHARED = 1 | 2 | 4
    """FILE_SHARE_READ, _WRITE and _DELETE: a log that is read may be moved, a file replaced."""

    def _open(file: str, flags: int) -> int:
        name = os.fspath(file)
        handle = _winapi.CreateFile(name, _winapi.GENERIC_READ, _SHARED, 0, _winapi.OPEN_EXISTING, 0, 0)
        return msvcrt.open_osfhandle(handle, flags)

else:

    def _open(file: str, flags: int) -> int:
        return os.open(file, flags | os.O_NONBLOCK)


def _open_regular(file: str, flags: int) -> int:
    opened = _open(file, flags)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise IsADirectoryError(errno.EISDIR, "is no regular file", file)
    return opened


def _unreadable(file: Path, error: Exception, fix: str) -> DamagedFile:
    reason = error.strerror if isinstance(error, OSError) else ""
    return DamagedFile(file, f"cannot be read: {(reason or str(error)).lower()}", fix=fix)


def _from_json(text: str) -> Any:
    value = json.loads(text, parse_constant=_no_number)
    return valid_values(value) if _HALF_PAIR.search(text) else value


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _check_bounds(value: Any) -> None:
    """Refuse depths and numbers that some later step would fail on.

    Raises:
        RecursionError: too deep. ValueError: a number is not finite, or has too many digits.
    """
    seen: set[int] = set()
    open_values = [(value, 0)]
    while open_values:
        inner, depth = open_values.pop()
        if depth > DEEPEST:
            raise RecursionError
        if isinstance(inner, float) and not math.isfinite(inner):
            raise ValueError("a number is not finite")
        if isinstance(inner, int) and abs(inner) > _LARGEST:
            raise ValueError("a number has too many digits")
        if isinstance(inner, dict | list) and id(inner) not in seen:
            seen.add(id(inner))
            held = inner.values() if isinstance(inner, dict) else inner
            open_values += [(value, depth + 1) for value in held]


def valid_text(text: str) -> str:
    """Return a text that UTF-8 can hold: a pair of surrogates becomes its character, a half U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def valid_values(value: Any) -> Any:
    """Return plain values (dicts, lists, tuples, texts, numbers) with every text valid."""
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, dict):
        return {valid_values(key): valid_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [valid_values(inner) for inner in value]
    return value


def foreign_json(data: bytes) -> Any:
    """Parse JSON that another program wrote: a BOM is skipped, text that is not valid Unicode is made valid.

    Raises:
        ValueError: it is no JSON. RecursionError: it is nested too deep.
    """
    return valid_values(json.loads(data.decode("utf-8-sig", "replace")))


class TextPieces:
    """Makes the pieces of a text valid; a pair of surrogates may be split over two pieces."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """Return the valid text of a piece; a half at its end waits for the next piece."""
        text, self._half = self._half + piece, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return valid_text(text)

    def rest(self) -> str:
        """Return the valid text of the half that still waits; empty where none does."""
        text, self._half = self._half, ""
        return valid_text(text)
