"""Asks SQL of a data folder: tables of the run log by their names, those of the memory as `memory.…`."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.core.paths import DataFolder
from pitwall.memory.database.schema import metadata as memory_tables
from pitwall.memory.reader import MemoryReader
from pitwall.memory.store import NAME
from pitwall.store import query
from pitwall.store.database_errors import RUN_LOG
from pitwall.store.query import MAIN, QueryDatabase, QueryResult, QueryTable
from pitwall.store.run_reader import RunReader
from pitwall.store.schema import metadata as run_tables


def run_query(
    data: DataFolder,
    sql: str,
    *,
    limit: int = query.DEFAULT_ROWS,
    seconds: float = query.DEFAULT_SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> QueryResult:
    """Run one SELECT over runs, calls and memory; arguments and errors as of `store.query.run_query`."""
    return query.run_query(_databases(data), sql, limit=limit, seconds=seconds, cancelled=cancelled)


def query_tables(data: DataFolder) -> list[QueryTable]:
    """List the tables that a query can read, those of the memory with their prefix."""
    return query.query_tables(_databases(data))


def _databases(data: DataFolder) -> tuple[QueryDatabase, QueryDatabase]:
    """Name both databases; each is brought to this version's schema first, as every reader does."""
    RunReader.open(data).close()
    MemoryReader(data).forgotten("")
    columns = {
        table.name: list(table.columns.keys())
        for metadata in (run_tables, memory_tables)
        for table in metadata.tables.values()
    }
    return (
        QueryDatabase(MAIN, RUN_LOG, data.database, {name: columns[name] for name in run_tables.tables}),
        QueryDatabase(NAME, NAME, data.memory, {name: columns[name] for name in memory_tables.tables}),
    )
