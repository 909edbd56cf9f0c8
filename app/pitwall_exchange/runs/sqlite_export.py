"""Writes a run as a SQLite file for people with SQL tools: links, indexes, full text and readable views.

It is a run log with one run, which Pitwall and any SQLite program open. Datasette follows its foreign keys,
facets its views and searches its full-text indexes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import RowMapping, Table, select, union
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from pitwall.store import records, schema
from pitwall.store.database import SqliteError, connect, database_uri
from pitwall.store.export_source import ExportError, Source, batches, rows_of
from pitwall.store.migrations import REVISIONS

_SEARCHED: Mapping[str, tuple[str, ...]] = {
    "steps": ("action", "why", "proposal", "fields"),
    "calls": ("purpose", "reply", "problem"),
    "events": ("text",),
    "texts": ("content",),
    "episodes": ("text",),
}
"""Table → columns of its full-text index."""

_VIEWS: Mapping[str, str] = {
    "run_overview": """
        SELECT run_id, started_at, game_id AS game, role, planner, seed, outcome, seconds, steps,
            strategic_calls, events_sent, takeovers, stuck, recovered
        FROM runs LEFT JOIN summaries USING (run_id)""",
    "step_overview": """
        SELECT run_id, step, round(at_ns / 1e9, 3) AS at_s, status, route,
            (SELECT group_concat(value, ', ') FROM json_each(reasons)) AS reasons,
            json_extract(proposal, '$.subgoal') AS subgoal, action, effect, why, invalid,
            refused_events, reaction_ms,
            (SELECT count(*) FROM calls WHERE calls.run_id = steps.run_id AND calls.step = steps.step)
                AS model_calls
        FROM steps""",
    "call_overview": """
        SELECT calls.run_id, calls.call, calls.step, steps.action AS step_action, purpose, tier, model,
            device, outcome, calls.invalid, problem, prompt_tokens, cached_tokens, output_tokens,
            first_token_ms, took_ms, reply
        FROM calls LEFT JOIN steps USING (run_id, step)""",
    "prompt_parts": """
        SELECT calls.run_id, calls.call, calls.step, message.value ->> '$.role' AS role,
            span.value ->> '$.layer' AS layer, span.value ->> '$.item' AS item,
            span.value ->> '$.text' AS text
        FROM calls JOIN texts ON texts.content_hash = calls.prompt_hash,
            json_each(texts.content) AS message, json_each(message.value, '$.spans') AS span""",
    "refusals_by_cause": """
        SELECT run_id, cause.key AS cause, sum(cause.value) AS events
        FROM steps, json_each(refusals) AS cause GROUP BY run_id, cause.key""",
}
"""View → its query."""


class RunDatabase:
    """A new SQLite file that takes the rows of one run.

    Raises:
        database.SqliteError: from every method: the file cannot be written.
    """

    def __init__(self, file: Path) -> None:
        import sqlite_utils  # takes most of a second to import

        self._connection = connect(database_uri(file, "rwc"))
        self._connection.execute("PRAGMA journal_mode=MEMORY")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._database = sqlite_utils.Database(self._connection, execute_plugins=False)
        for table in schema.metadata.sorted_tables:
            self._connection.execute(str(CreateTable(table).compile(dialect=sqlite.dialect())))
        self._database.table("alembic_version").insert({"version_num": REVISIONS[-1]})

    def add(self, table: Table, rows: Iterable[RowMapping | Mapping[str, Any]]) -> None:
        """Insert rows by column names."""
        self._database.table(table.name).insert_all(dict(row) for row in rows)

    def finish(self) -> None:
        """Make the indexes, the full text and the views, and leave a single file."""
        for table in schema.metadata.sorted_tables:
            for index in sorted(table.indexes, key=lambda index: str(index.name)):
                columns = [column.name for column in index.columns]
                self._database.table(table.name).create_index(columns, index_name=str(index.name))
        self._database.index_foreign_keys()
        for name, searched in _SEARCHED.items():
            self._database.table(name).enable_fts(searched, tokenize="porter")
        for name, query in _VIEWS.items():
            self._database.create_view(name, query)
        self._database.analyze()
        self._connection.execute("PRAGMA journal_mode=DELETE")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _fill(source: Source, database: RunDatabase) -> None:
    texts, calls = schema.texts, schema.calls
    for table in schema.metadata.sorted_tables:
        if table is schema.summaries:
            continue
        if table is texts:
            mine = calls.c.run_id == source.row.run_id
            named = union(*(select(calls.c[name]).where(mine) for name in ("prompt_hash", "grammar_hash")))
            wanted = select(texts).where(texts.c.content_hash.in_(named)).order_by(texts.c.content_hash)
        else:
            wanted = rows_of(source, table)
        for batch in batches(source, wanted):
            database.add(table, batch)
            if table in (schema.steps, calls):
                source.advance(len(batch))
    database.add(schema.summaries, [records.summary_row(source.row.run_id, source.row.summary)])


def write_sqlite(source: Source, folder: Path) -> None:
    """Write run.sqlite: a run log with only this run, for Pitwall and any SQLite program."""
    file = folder / "run.sqlite"
    try:
        with contextlib.closing(RunDatabase(file)) as database:
            _fill(source, database)
            database.finish()
    except SqliteError as error:
        raise ExportError(
            f"{file} cannot be written: {error}.", "Free some space, or choose another folder."
        ) from error
