"""Tables of the memory. Contents are JSON; fields that are often filtered, sorted or joined have columns too.

The migrations create these tables; a test compares the two. SQLAlchemy cannot declare the full-text table
`entry_texts`, so only the migration describes it.
"""

from __future__ import annotations

from enum import IntEnum

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Standing(IntEnum):
    """Lists an entry's states."""

    USED = 0
    FORGOTTEN = 1
    """Not used; restorable until it is purged."""
    UNDONE = 2
    """Its making was undone: it is not there, and comes back where that is redone."""


entries = Table(
    "entries",
    metadata,
    Column("entry_id", Integer, primary_key=True),
    Column("game_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("standing", Integer, nullable=False),
    Column("pinned", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("label", Text, nullable=False),
    Column("action", Text),
    Column("facet", Text),
    Column("reward", Float),
    Column("successes", Integer),
    Column("attempts", Integer),
    Column("amount", Integer),
    Column("at_s", Float),
    Column("first", Integer),
    Column("second", Integer),
    Column("author", Text, nullable=False),
    Column("run_id", Integer),
    Column("fingerprint", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("changed_at", Text, nullable=False),
    Column("provenance", Text, nullable=False),
    Column("changed_by", Text, nullable=False),
    Column("content", Text, nullable=False),
    CheckConstraint("standing IN (0, 1, 2)", name="standing"),
    CheckConstraint("json_valid(content)", name="content"),
    Index(None, "game_id", "kind", "standing", "changed_at"),
    Index(None, "fingerprint"),
    Index("ix_entries_first", "first", sqlite_where=text("first IS NOT NULL")),
    Index("ix_entries_second", "second", sqlite_where=text("second IS NOT NULL")),
    sqlite_autoincrement=True,
)
"""One row an entry. `content`, `provenance` and `changed_by` are JSON; `content` with sorted keys.

Taken out of the contents, where this kind has it (records.COLUMNS): `label` the beginning of its main text,
`facet` (status, about, key or tag), `attempts` (or uses), `reward` (or cosine), `amount` (count or priority),
`first` and `second` (ids of other entries). `author` and `run_id` are of its making. `fingerprint` is the
beginning of a SHA-256 over game, kind and contents: equal entries have equal ones."""

batches = Table(
    "batches",
    metadata,
    Column("batch", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("run_id", Integer),
    Column("by", Text, nullable=False),
    Column("undone", Integer, nullable=False),
    Column("folded", Integer, nullable=False),
    Index(None, "author", "run_id"),
    sqlite_autoincrement=True,
)
"""Changes that are done, undone and redone together. `by` is JSON.

`undone`: 0 it holds; else the how-manieth undoing that can be redone it was; -1 it cannot be redone any more.
`folded`: its changes were joined to later ones, it cannot be undone by itself (see history.py)."""

changes = Table(
    "changes",
    metadata,
    Column("change_id", Integer, primary_key=True),
    Column("batch", Integer, ForeignKey("batches.batch"), nullable=False),
    Column("entry_id", Integer, nullable=False),
    Column("at", Text),
    Column("by", Text),
    Column("before_flags", Integer, nullable=False),
    Column("after_flags", Integer, nullable=False),
    Column("before_version", Integer, nullable=False),
    Column("after_version", Integer, nullable=False),
    Column("before_at", Text, nullable=False),
    Column("before_by", Text, nullable=False),
    Column("before_content", Text),
    Column("after_content", Text),
    Index(None, "batch"),
    Index(None, "entry_id", "change_id"),
    sqlite_autoincrement=True,
)
"""One row for what a batch did to an entry. Flags are `standing * 2 + pinned`; an entry that was made stood
UNDONE before. Contents are kept only where they changed. `at` and `by`: as of the batch where NULL."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("content_hash", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("game_id", Text, nullable=False),
    Column("counts", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Index(None, "at"),
)
"""Snapshots. `counts` is JSON (kind → entries); `origin` names the memory whose ids its entries bear."""

snapshot_parts = Table(
    "snapshot_parts",
    metadata,
    Column("content_hash", Text, ForeignKey("snapshots.content_hash"), nullable=False),
    Column("part", Integer, nullable=False),
    Column("data_hash", Text, nullable=False),
    PrimaryKeyConstraint("content_hash", "part"),
    Index(None, "data_hash"),
)
"""What a snapshot is made of, in order."""

parts = Table(
    "parts",
    metadata,
    Column("data_hash", Text, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Lines of entries (as JSONL exports have them), deflated; snapshots share those that are equal."""

vectors = Table(
    "vectors",
    metadata,
    Column("entry_id", Integer, nullable=False),
    Column("embedder", Text, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    PrimaryKeyConstraint("entry_id", "embedder"),
)
"""Vectors of states: float32, little-endian. One goes when its state's text changes."""

track_record = Table(
    "track_record",
    metadata,
    *(Column(name, Text, nullable=False) for name in ("game_id", "model", "driver", "situation")),
    *(
        Column(name, Integer, nullable=False)
        for name in ("decisions", "steps", "progressed", "gained", "harms")
    ),
    Column("ms", Float, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("unanswered", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("game_id", "model", "driver", "situation"),
)
"""What each driver (core.trust.Driver) brought beside each model, which is named by its file's
hash or its endpoint."""

meta = Table(
    "meta",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""`origin`: a name of this memory that no other has. `episodes`: the last episode summary taken over from the
run log. `embedder`: the one in force."""
