"""Declares the formats in which this package exports a run."""

from __future__ import annotations

from pitwall.store.export_source import ExportFormat
from pitwall_exchange.runs.mcap_export import write_mcap
from pitwall_exchange.runs.parquet_export import write_parquet
from pitwall_exchange.runs.rerun_export import write_rerun
from pitwall_exchange.runs.sqlite_export import write_sqlite

MCAP = ExportFormat(
    title="MCAP: a recording for Foxglove",
    write=write_mcap,
    files={
        "run.mcap": "A recording on the wall clock: /screen (the step images, foxglove.CompressedImage), "
        "/step, /event and /call as JSON with their schemas. The run's conditions and figures are metadata."
    },
)
PARQUET = ExportFormat(
    title="Parquet: tables with types, for pandas and others",
    write=write_parquet,
    files={
        "steps.parquet": "As steps.csv, in columns with types: numbers are numbers, unread fields are null.",
        "calls.parquet": "As calls.csv, in columns with types.",
        "events.parquet": "Events beside the steps: takeovers, pauses, refusals, faults.",
    },
)
SQLITE = ExportFormat(
    title="SQLite: a database of its own",
    write=write_sqlite,
    files={
        "run.sqlite": "The run log with this run only, its model calls and their prompts included. Views "
        "called …_overview are easy to read, tables called …_fts search full text. Datasette opens it."
    },
)
RERUN = ExportFormat(
    title="Rerun: a recording for its viewer",
    write=write_rerun,
    files={
        "run.rrd": "A Rerun recording on the timelines run_time and step: screen, signals/*, fields/*; "
        "decisions, events and model calls are log lines."
    },
)
