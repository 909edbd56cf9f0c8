"""Runs the operator's SQL over databases of the data folder, read-only, and keeps queries under names.

Three safeguards: the files are opened read-only, SQLite's authorizer allows a statement only to read and to
call functions, and a progress handler ends slow queries. `pitwall.memory.query` names the databases:

    result = run_query(data, "SELECT game_id, count(*) FROM runs GROUP BY 1")
    result.columns, result.rows, result.truncated
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.store.database import SqliteError, SqliteWarning, connect, database_uri
from pitwall.store.database_errors import DAMAGE, database_error, sqlite_code
from pitwall.store.folder_errors import write_file

NAME_RULE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""Names of saved queries."""
MAIN = "main"
"""Schema whose tables need no prefix."""
DEFAULT_ROWS = 1_000
DEFAULT_SECONDS = 10.0
# Authorizer actions and answers, https://sqlite.org/c3ref/c_alter_table.html
_PRAGMA, _READ, _SELECT, _FUNCTION, _RECURSIVE = 19, 20, 21, 31, 33
_ALLOW, _DENY = 0, 1
_INTERRUPT, _AUTH = 9, 23
_STEPS_BETWEEN_LOOKS = 2_000
_MISSING = re.compile(r"no such (table|column|function): (.+)")
_COLUMNS_NAMED = 30


class QueryError(PitwallError):
    """A query is wrong, would write, or took too long."""


@dataclass(frozen=True, slots=True)
class QueryDatabase:
    """A database that queries read.

    Attributes:
        schema: prefix of its tables in SQL; MAIN needs none.
        name: its name in messages.
        path: its file; may be missing.
        tables: its tables and their columns, which are empty where the file is missing.
    """

    schema: str
    name: str
    path: Path
    tables: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTable:
    """A table or view that a query can read: its name with its prefix, and its columns."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The answer to a query.

    Attributes:
        columns: unique names: the second `run_id` is called `run_id_2`.
        rows: values in the order of the columns: int, float, str, bytes or None.
        truncated: there are more rows than the limit.
        seconds: duration of the query.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool
    seconds: float

    @property
    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def run_query(
    databases: Sequence[QueryDatabase],
    sql: str,
    *,
    limit: int = DEFAULT_ROWS,
    seconds: float = DEFAULT_SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> QueryResult:
    """Run one SELECT (or WITH, VALUES, EXPLAIN) and return its rows.

    Args:
        limit: most rows that are returned. seconds: the query is stopped after this time.
        cancelled: called while it runs, from this thread; returning True stops it.

    Raises:
        QueryError: the statement is wrong; names the nearest valid name.
        DataFolderError: a file cannot be read.
    """
    begun = time.monotonic()
    with _connected(databases) as connection:
        connection.set_progress_handler(
            lambda: time.monotonic() - begun > seconds or cancelled(), _STEPS_BETWEEN_LOOKS
        )
        try:
            cursor = connection.execute(sql)
            rows = cursor.fetchmany(limit + 1)
        except (SqliteError, SqliteWarning, ValueError) as error:
            connection.set_progress_handler(None, 0)
            raise _query_error(error, connection, databases, sql, seconds) from error
        if cursor.description is None:
            raise QueryError("the query is empty.", "Ask with SELECT, for example: SELECT * FROM runs")
        return QueryResult(
            columns=_unique([column[0] for column in cursor.description]),
            rows=rows[:limit],
            truncated=len(rows) > limit,
            seconds=time.monotonic() - begun,
        )


def query_tables(databases: Sequence[QueryDatabase]) -> list[QueryTable]:
    """Return the tables and views that queries can read, without SQLite's own and its indexes'.

    Raises:
        DataFolderError: a file cannot be read.
    """
    with _connected(databases) as connection:
        return _tables(connection, databases)


@contextlib.contextmanager
def _connected(databases: Sequence[QueryDatabase]) -> Iterator[Any]:
    """Open the databases read-only on one connection, the first as MAIN."""
    main, *others = sorted(databases, key=lambda database: database.schema != MAIN)
    connection = connect(database_uri(main.path, "ro") if main.path.exists() else ":memory:")
    connection.text_factory = lambda cell: cell.decode(
        "utf-8", "replace"
    )  # a damaged cell must not hide the others
    with contextlib.closing(connection):
        for database in others:
            with _named(database):
                source = database_uri(database.path, "ro") if database.path.exists() else ":memory:"
                connection.execute(f'ATTACH DATABASE ? AS "{database.schema}"', (source,))
        for database in databases:
            with _named(database):
                connection.execute(f'SELECT 1 FROM "{database.schema}".sqlite_master LIMIT 1').fetchone()
                if not database.path.exists():
                    for table, columns in database.tables.items():
                        listed = ", ".join(f'"{column}"' for column in columns)
                        connection.execute(f'CREATE TABLE "{database.schema}"."{table}" ({listed})')
        connection.execute("PRAGMA query_only=ON")
        connection.set_authorizer(_authorise)
        yield connection


@contextlib.contextmanager
def _named(database: QueryDatabase) -> Iterator[None]:
    try:
        yield
    except SqliteError as error:
        raise database_error(error, database.path, database.name) from error


def _authorise(action: int, first: str | None, value: str | None, _schema: object, _via: object) -> int:
    """Allow a statement to read. Full-text search itself reads `data_version`, which changes nothing."""
    if action in (_READ, _SELECT, _RECURSIVE):
        return _ALLOW
    if action == _FUNCTION:
        return _DENY if (value or "").lower() in ("load_extension", "fts3_tokenizer") else _ALLOW
    return _ALLOW if action == _PRAGMA and first == "data_version" and value is None else _DENY


def _tables(connection: Any, databases: Sequence[QueryDatabase]) -> list[QueryTable]:
    connection.set_authorizer(None)
    tables = []
    for database in databases:
        listed = connection.execute(
            f"SELECT name FROM \"{database.schema}\".sqlite_master WHERE type IN ('table', 'view')"
        ).fetchall()
        names = sorted(name for (name,) in listed if _is_readable(name, {name for (name,) in listed}))
        for name in names:
            columns = connection.execute(
                "SELECT name FROM pragma_table_info(?, ?)", (name, database.schema)
            ).fetchall()
            prefix = "" if database.schema == MAIN else f"{database.schema}."
            tables.append(QueryTable(name=prefix + name, columns=tuple(column for (column,) in columns)))
    return tables


def _is_readable(name: str, names: set[str]) -> bool:
    if name.startswith("sqlite_") or name == "alembic_version":
        return False
    owner, _, tail = name.rpartition("_")
    return not (tail in ("data", "idx", "content", "docsize", "config") and owner in names)


def _query_error(
    error: Exception, connection: Any, databases: Sequence[QueryDatabase], sql: str, seconds: float
) -> PitwallError:
    """Return the error for a statement from SQLite's error."""
    text = str(error)
    code = sqlite_code(error)
    if code in DAMAGE:
        return database_error(error, databases[0].path, databases[0].name)
    if code == _INTERRUPT:
        return QueryError(
            f"the query was stopped: it took longer than {seconds:g} s, or was cancelled.",
            "Ask for less (a WHERE, a join by run_id and step), or allow it more time.",
        )
    if code == _AUTH or "not authorized" in text:
        return QueryError(
            "the query would do more than read.",
            "Ask with one SELECT (or WITH … SELECT, VALUES, EXPLAIN); nothing else is let through.",
        )
    if "one statement at a time" in text:
        return QueryError("the query has more than one statement.", "Ask one SELECT at a time.")
    if missing := _MISSING.search(text):
        return _unknown_name(missing[1], missing[2], _tables(connection, databases), sql)
    return QueryError(f"the query does not work: {text}.")


def _unknown_name(sort: str, name: str, tables: Sequence[QueryTable], sql: str) -> QueryError:
    """Return an error that names the table or column nearest to an unknown one."""
    if sort == "table":
        names = [table.name for table in tables]
        fix = suggestion(
            name, [*names, *(full.rpartition(".")[2] for full in names)], f"Tables: {', '.join(names)}."
        )
        return QueryError(f"there is no table {name!r}.", fix)
    if sort == "function":
        return QueryError(f"SQLite has no function {name!r}.", "See: https://sqlite.org/lang_corefunc.html")
    words = set(re.findall(r"\w+", sql.lower()))
    used = [table for table in tables if table.name.rpartition(".")[2].lower() in words]
    columns = list(dict.fromkeys(column for table in used for column in table.columns))
    where = f" in {', '.join(table.name for table in used)}" if used else ""
    listed = ", ".join(columns[:_COLUMNS_NAMED]) + (", …" if len(columns) > _COLUMNS_NAMED else "")
    fix = suggestion(name.rpartition(".")[2], columns, f"Columns: {listed}." if columns else "")
    return QueryError(f"there is no column {name!r}{where}.", fix)


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    unique: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in unique:
            number += 1
            candidate = f"{name}_{number}"
        unique.append(candidate)
    return tuple(unique)


class _File(BaseModel):
    v: int = 1
    queries: dict[str, str] = Field(default_factory=dict)


def saved_queries(data: DataFolder) -> dict[str, str]:
    """Return the saved queries, name → SQL, sorted by name.

    Raises:
        DamagedFile: the file cannot be read.
    """
    try:
        queries = read_model(_File, data.queries, fix="Move it away; the next saved query begins a new file.")
    except FileNotFoundError:
        return {}
    return dict(sorted(queries.queries.items()))


def saved_query(data: DataFolder, name: str) -> str:
    """Return the SQL of a saved query.

    Raises:
        QueryError: no query has this name; names the nearest.
        DamagedFile: the file cannot be read.
    """
    queries = saved_queries(data)
    if name not in queries:
        fix = suggestion(name, queries, f"Saved: {', '.join(queries) or 'none yet'}.")
        raise QueryError(f"no saved query is called {name!r}.", fix)
    return queries[name]


def save_query(data: DataFolder, name: str, sql: str) -> None:
    """Keep a query under a name; an earlier query of this name is replaced.

    Raises:
        QueryError: the name is no plain word.
        DamagedFile: the file cannot be read. DataFolderError: it cannot be written.
    """
    if not NAME_RULE.fullmatch(name):
        raise QueryError(
            f"{name!r} cannot name a query.", "Names are letters, digits, - and _, at most 64 characters."
        )
    _write(data, {**saved_queries(data), name: sql.strip()})


def remove_query(data: DataFolder, name: str) -> None:
    """Remove a saved query; raises the errors of `saved_query`."""
    saved_query(data, name)
    _write(data, {key: sql for key, sql in saved_queries(data).items() if key != name})


def _write(data: DataFolder, queries: dict[str, str]) -> None:
    write_file(data.queries, _File(queries=queries).model_dump_json(indent=1) + "\n")
