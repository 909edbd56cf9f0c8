"""`pitwall query`: read-only SQL over runs, calls and memory."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter, table
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.memory.query import query_tables, run_query
from pitwall.store.csv_text import csv_text
from pitwall.store.query import (
    DEFAULT_ROWS,
    DEFAULT_SECONDS,
    NAME_RULE,
    QueryError,
    QueryResult,
    remove_query,
    save_query,
    saved_queries,
    saved_query,
)

_WIDEST_CELL = 60


def query(
    sql: Annotated[
        str, typer.Argument(metavar="[SQL | NAME]", help="A SELECT, or the name of a saved query.")
    ] = "",
    save: Annotated[str, typer.Option("--save", metavar="NAME", help="Keep the query under this name.")] = "",
    remove: Annotated[str, typer.Option("--remove", metavar="NAME", help="Remove a saved query.")] = "",
    list_saved: Annotated[bool, typer.Option("--list", help="List the saved queries.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="List the tables and their columns.")] = False,
    as_table: Annotated[bool, typer.Option("--table", help="Print a table; this is the default.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, with a row of column names.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="Most rows.")] = DEFAULT_ROWS,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Stop the query after this time.")
    ] = DEFAULT_SECONDS,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Query the run log and the memory in SQL, read-only; tables of the memory are called memory.NAME.

    For example: pitwall query "SELECT game_id, count(*) FROM runs GROUP BY game_id" --save games
    """
    if as_table + as_csv + json > 1:
        raise QueryError("--table, --csv and --json are three forms of one answer.", "Choose one.")
    folder, report = data_folder(data), Reporter(json)
    if list_saved:
        saved = saved_queries(folder)
        lines = [f"{name:24s} {' '.join(text.split())}" for name, text in saved.items()]
        report.result(saved, lines or ["No query is saved yet. Keep one: pitwall query SQL --save NAME"])
    elif tables:
        known = query_tables(folder)
        lines = [f"{entry.name}: {', '.join(entry.columns)}" for entry in known]
        report.result({entry.name: entry.columns for entry in known}, lines)
    elif remove:
        remove_query(folder, remove)
        report.result({"removed": remove}, [f"{remove} is removed."])
    else:
        _answer(folder, sql, save, report, as_csv, limit, seconds)


def _answer(
    data: DataFolder, sql: str, save: str, report: Reporter, as_csv: bool, limit: int, seconds: float
) -> None:
    """Run the query, save it if wanted once it works, and print the result."""
    if not sql.strip():
        raise QueryError("the query is empty.", 'Ask in SQL, like: pitwall query "SELECT * FROM runs"')
    text = saved_query(data, sql) if NAME_RULE.fullmatch(sql) else sql
    result = run_query(data, text, limit=limit, seconds=seconds)
    if save:
        save_query(data, save, text)
    body = {"columns": result.columns, "rows": _json_rows(result), "truncated": result.truncated}
    if as_csv:
        typer.echo(csv_text(result.columns, result.rows), nl=False)
        if result.truncated:
            typer.echo(f"The first {limit} rows; more with --limit.", err=True)
        return
    report.result({**body, "seconds": round(result.seconds, 4)}, _table_lines(result, save))


def _table_lines(result: QueryResult, saved_as: str) -> Iterator[str]:
    yield from table(result.columns, [[_cell(value) for value in row] for row in result.rows])
    more = ", and there are more: --limit" if result.truncated else ""
    saved = f"; saved as {saved_as}" if saved_as else ""
    yield f"{counted(len(result.rows), 'row')} in {1000 * result.seconds:.0f} ms{more}{saved}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"({len(value):,} bytes)"
    text = " ".join(f"{value:.6g}".split() if isinstance(value, float) else str(value).split())
    return text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 1]}…"


def _json_rows(result: QueryResult) -> list[dict[str, Any]]:
    """Return rows by column name, with bytes as base64."""
    return [
        {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in row.items()
        }
        for row in result.records
    ]
