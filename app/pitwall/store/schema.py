"""Tables of the run log. Often queried attributes have columns; the rest of a record is JSON.

The migrations make these tables; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from pitwall.core.signals import SIGNALS, TriggerSignal

FIRST_SIGNALS = ("change", "progress", "stall", "repetition", "since_strategic", "failure")
"""Signals whose columns the first migration makes."""
LATER_SIGNALS = tuple(signal for signal in SIGNALS if signal.name not in FIRST_SIGNALS)
"""Signals whose columns `add_signal_columns` makes, in every run log that lacks them."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _number(signal: TriggerSignal) -> type[Float[float] | Integer]:
    return Float if signal.kind is float else Integer


runs = Table(
    "runs",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("started_at", Text, nullable=False),
    Column("game_id", Text, nullable=False),
    Column("game_name", Text, nullable=False),
    Column("game_version", Text, nullable=False),
    Column("profile_hash", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("planner", Text, nullable=False),
    Column("seed", Integer),
    Column("screen_width", Integer, nullable=False),
    Column("screen_height", Integer, nullable=False),
    Column("settings", Text, nullable=False),
    Column("thresholds", Text, nullable=False),
    Column("versions", Text, nullable=False),
    Column("memory", Text, nullable=False, server_default=""),
    Index(None, "started_at"),
    Index(None, "game_id"),
    sqlite_autoincrement=True,
)
"""A row for each run: its manifest. `settings`, `thresholds` and `versions` are JSON; `memory` is the content
hash of the memory at the start."""

steps = Table(
    "steps",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("step", Integer, nullable=False),
    Column("at_ns", Integer, nullable=False),
    Column("frame_id", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("reasons", Text, nullable=False),
    Column("why", Text, nullable=False),
    *(
        Column(signal.name, _number(signal), nullable=signal.kind is float)
        for signal in SIGNALS
        if signal.name in FIRST_SIGNALS
    ),
    Column("fields", Text, nullable=False),
    Column("proposal_id", Integer),
    Column("proposal", Text),
    Column("action", Text, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("invalid", Text),
    Column("sent", Text, nullable=False),
    Column("sent_events", Integer, nullable=False),
    Column("refused_events", Integer, nullable=False),
    Column("refusals", Text, nullable=False),
    Column("effect", Text, nullable=False),
    Column("capture_ms", Float),
    Column("perceive_ms", Float),
    Column("trigger_ms", Float),
    Column("decide_ms", Float),
    Column("act_ms", Float),
    Column("record_ms", Float),
    Column("reaction_ms", Float),
    Column("frame_age_ms", Float),
    Column("frame_ref", Text, nullable=False),
    *(Column(signal.name, _number(signal)) for signal in LATER_SIGNALS),
    Column("effect_why", Text),
    PrimaryKeyConstraint("run_id", "step"),
    CheckConstraint("step >= 1", name="step"),
    Index(None, "run_id", "route"),
)
"""A row for each step. JSON: `reasons` (list), `fields` (name → value), `proposal`, `arguments`,
`sent` (list of events as the broker treated them), `refusals` (cause → count of events).
Each signal has a column; those of LATER_SIGNALS are null in steps recorded before the signal existed."""

events = Table(
    "events",
    metadata,
    Column("event_id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("at_ns", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("step", Integer, nullable=False),
    Index(None, "run_id", "at_ns"),
)
"""Events between or beside steps."""

summaries = Table(
    "summaries",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("outcome", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("frames", Integer, nullable=False),
    Column("dropped_frames", Integer, nullable=False),
    Column("strategic_calls", Integer, nullable=False),
    Column("events_sent", Integer, nullable=False),
    Column("takeovers", Integer, nullable=False),
    Column("stuck", Integer, nullable=False),
    Column("recovered", Integer, nullable=False),
    Column("figures", Text, nullable=False),
    Index(None, "outcome"),
)
"""Figures of a finished run; `figures` is JSON with the counts by kind and the spreads."""

texts = Table(
    "texts",
    metadata,
    Column("content_hash", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("content", Text, nullable=False),
    CheckConstraint("kind IN ('prompt', 'grammar')", name="kind"),
)
"""Prompts and grammars of calls, each kept once. `content` of a prompt is JSON: its messages, each with its
spans and their layers; a grammar's is its text."""

calls = Table(
    "calls",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("call", Integer, nullable=False),
    Column("step", Integer, nullable=False),
    Column("at_ns", Integer, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("tier", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("prompt_hash", Text, ForeignKey("texts.content_hash"), nullable=False),
    Column("grammar_hash", Text, ForeignKey("texts.content_hash")),
    Column("image_ref", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("finish", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("problem", Text, nullable=False),
    Column("invalid", Text),
    Column("proposed", Integer, nullable=False),
    Column("illegal", Integer, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("tokens_by_layer", Text, nullable=False),
    Column("queued_ms", Float),
    Column("load_ms", Float),
    Column("first_token_ms", Float),
    Column("took_ms", Float),
    Column("choice", Text),
    Column("left_out", Text),
    PrimaryKeyConstraint("run_id", "call"),
    CheckConstraint("call >= 1", name="call"),
    Index(None, "run_id", "step"),
)
"""A row for each model call. JSON: `tokens_by_layer` (layer → prompt tokens), `choice` (options with their
scores, and a note; null where the reply was written freely), `left_out` (parts that the prompt omitted for
the budget; null for none). A call may exist before its step is written, or without one if the run ended
first."""

episodes = Table(
    "episodes",
    metadata,
    Column("episode_id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("game_id", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Index(None, "game_id", "key"),
    Index(None, "run_id"),
    sqlite_autoincrement=True,
)
"""Episode summaries from before the memory kept them; read, but no longer written."""

retrievals = Table(
    "retrievals",
    metadata,
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("step", Integer, nullable=False),
    Column("retrieval", Text, nullable=False),
    PrimaryKeyConstraint("run_id", "step"),
)
"""The memory's question and answer for a step: JSON of a core.retrieval.Retrieval."""

reflexes = Table(
    "reflexes",
    metadata,
    Column("reflex_id", Integer, primary_key=True),
    Column("run_id", Integer, ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
    Column("step", Integer, nullable=False),
    Column("at_ns", Integer, nullable=False),
    Column("module", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("action", Integer, nullable=False),
    Column("fields", Text, nullable=False),
    Index(None, "run_id"),
)
"""Decisions of learned game sense modules, frame by frame (core.steps.ReflexRecord)."""
