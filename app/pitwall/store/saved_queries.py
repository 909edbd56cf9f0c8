"""Keeps the operator's queries by name in one small file of the data folder."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import nearest
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall.store.query import QueryError

NAME_RULE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class _File(BaseModel):
    v: int = 1
    queries: dict[str, str] = Field(default_factory=dict)


def saved_queries(data: DataFolder) -> dict[str, str]:
    """Return the saved queries, name → SQL, sorted by name.

    Raises:
        DamagedFile: it cannot be read.
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
        near = nearest(name, queries)
        fix = f"Did you mean {near!r}?" if near else f"Saved: {', '.join(queries) or 'none yet'}."
        raise QueryError(f"no saved query is called {name!r}.", fix)
    return queries[name]


def save_query(data: DataFolder, name: str, sql: str) -> None:
    """Keep a query under a name, in place of an earlier one of this name.

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
    """Forget a saved query; raises as `saved_query`."""
    saved_query(data, name)
    _write(data, {key: sql for key, sql in saved_queries(data).items() if key != name})


def _write(data: DataFolder, queries: dict[str, str]) -> None:
    write_file(data.queries, _File(queries=queries).model_dump_json(indent=1) + "\n")
