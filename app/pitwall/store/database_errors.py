"""Turns database errors into sentences that help the operator."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Float, Integer, Table, Text
from sqlalchemy.exc import DBAPIError, IntegrityError

from pitwall.core.errors import CorruptDatabase, DataFolderError, PitwallError
from pitwall.core.observations import Value
from pitwall.store.folder_errors import FREE_SPACE, MAKE_WRITABLE, folder_error

# Primary result codes, https://sqlite.org/rescode.html
_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT = 5, 6, 8, 10, 11
_FULL, _CANTOPEN, _NOTADB = 13, 14, 26
P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
_MOST_WORDS = 120
_MEND_ROW = "Other rows can be read. Repair this one with a database browser, or restore a copy of the file."
_KEYS = ("run_id", "step", "call", "event_id", "episode_id", "entry_id")
_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    Integer: ((int,), "whole number"),
    Float: ((int, float), "number"),
    Text: ((str,), "text"),
}
RUN_LOG = "run log"
"""Name of the run log's database in messages."""
DAMAGE = frozenset({_CORRUPT, _NOTADB})
"""Codes that mean that the file itself is damaged."""


class DamagedRow(CorruptDatabase):
    """A row of an intact database holds content that Pitwall never writes."""


def reads_row(
    of: Table | str,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Decorate a function that turns a row, or a cell, of a table into a record.

    Its errors, and a cell of another type than its column's (SQLite allows any), are raised as DamagedRow;
    `named_faults` adds the database's path.
    """
    table, columns = (of, []) if isinstance(of, str) else (of.name, _typed(of))

    def mark(read: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(read)
        def marked(row: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                for name, kinds, word in columns:
                    if name in row and not isinstance(row[name], kinds):  # type: ignore[operator,index]
                        raise TypeError(f"{name} is no {word}")
                return read(row, *args, **kwargs)
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
                message = " ".join(str(error).split())[:_MOST_WORDS]
                known = row if isinstance(row, Mapping) else {}
                keys = "".join(f", {key} {known[key]}" for key in _KEYS if key in known)
                fault = f"{type(error).__name__}: {message}"
                raise DamagedRow(f"a row of {table}{keys} cannot be read ({fault})") from error

        return marked

    return mark


def object_in(text: str) -> dict[str, Any]:
    """Return the JSON object in a cell."""
    content = json.loads(text)
    if not isinstance(content, dict):
        raise TypeError(f"a JSON object was expected, not {text[:40]}")
    return content


def fields_in(text: str) -> dict[str, Value]:
    """Return the fields and their values in a cell."""
    content = object_in(text)
    for name, value in content.items():
        if not isinstance(value, str | int | float | None):
            raise TypeError(f"the field {name} is no single value")
    return content


def _typed(table: Table) -> list[tuple[str, tuple[type, ...], str]]:
    """Return each column of a table with the types that its cells may have and their name."""
    typed = []
    for column in table.columns:
        kinds, word = _KINDS[type(column.type)]
        typed.append((column.name, (*kinds, type(None)) if column.nullable else kinds, word))
    return typed


def sqlite_code(error: BaseException) -> int:
    """Return the primary SQLite result code of a driver's error; 0 where it has none."""
    inner = error.orig if isinstance(error, DBAPIError) else error
    return int(getattr(inner, "sqlite_errorcode", 0)) & 0xFF


def database_error(error: BaseException, path: Path, name: str = RUN_LOG) -> PitwallError:
    """Return the error for a failed database call on `path`; `name` is the database's in the message."""
    match sqlite_code(error):
        case code if code in DAMAGE:
            return CorruptDatabase(
                f"the {name} {path} is damaged.",
                "Start again: the damaged file is kept beside it and a new one is opened.",
            )
        case code if code == _FULL:
            return DataFolderError(f"the {name} {path} cannot grow: the disk is full.", FREE_SPACE)
        case code if code in (_READONLY, _CANTOPEN):
            return DataFolderError(
                f"the {name} {path} cannot be opened for writing: the folder is read-only.", MAKE_WRITABLE
            )
        case code if code in (_BUSY, _LOCKED):
            return DataFolderError(
                f"the {name} {path} is locked by another program.",
                "Close the program that has it open (a database browser, a backup), then try again.",
            )
        case code if code == _IOERR:
            return DataFolderError(
                f"the {name} {path} cannot be read or written: the disk reports an error.",
                "Check the disk and its free space, or set PITWALL_DATA to a folder on another one.",
            )
    inner = error.orig if isinstance(error, DBAPIError) else error
    return DataFolderError(f"the {name} {path} refused a call: {inner}.")


@contextlib.contextmanager
def named_faults(path: Path, name: str = RUN_LOG) -> Iterator[None]:
    """Raise every file or database error inside as a PitwallError about `path`; `name` is used in it.

    A broken rule of the schema (IntegrityError) passes: only the caller knows what it means.
    """
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise database_error(error, path, name) from error
    except DamagedRow as error:
        raise CorruptDatabase(f"the {name} {path} is damaged: {error.what}.", _MEND_ROW) from error
    except UnicodeDecodeError as error:
        raise CorruptDatabase(
            f"the {name} {path} is damaged: it holds text that is not UTF-8.", _MEND_ROW
        ) from error
    except OSError as error:
        raise folder_error(error, Path(error.filename) if error.filename else path) from error
