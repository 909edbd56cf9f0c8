"""Entries with their texts, history, snapshots and vectors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _entries()
    _history()
    _snapshots()
    op.create_table(
        "vectors",
        sa.Column("entry_id", sa.Integer, nullable=False),
        sa.Column("embedder", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("entry_id", "embedder", name="pk_vectors"),
    )
    op.create_table(
        "meta",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_meta"),
    )


def _entries() -> None:
    op.create_table(
        "entries",
        sa.Column("entry_id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("game_id", "kind")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("standing", "pinned", "version")),
        sa.Column("label", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("action", "facet")),
        sa.Column("reward", sa.Float),
        *(sa.Column(name, sa.Integer) for name in ("successes", "attempts", "amount")),
        sa.Column("at_s", sa.Float),
        *(sa.Column(name, sa.Integer) for name in ("first", "second")),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("run_id", sa.Integer),
        sa.Column("fingerprint", sa.Integer, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("created_at", "changed_at", "provenance", "changed_by", "content")
        ),
        sa.CheckConstraint("standing IN (0, 1, 2)", name="ck_entries_standing"),
        sa.CheckConstraint("json_valid(content)", name="ck_entries_content"),
        sa.PrimaryKeyConstraint("entry_id", name="pk_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_entries_game_id_kind_standing_changed_at",
        "entries",
        ["game_id", "kind", "standing", "changed_at"],
    )
    op.create_index("ix_entries_fingerprint", "entries", ["fingerprint"])
    for name in ("first", "second"):
        op.create_index(f"ix_entries_{name}", "entries", [name], sqlite_where=sa.text(f"{name} IS NOT NULL"))
    op.execute("CREATE VIRTUAL TABLE entry_texts USING fts5(text, tokenize='trigram case_sensitive 1')")


def _history() -> None:
    op.create_table(
        "batches",
        sa.Column("batch", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("at", "author")),
        sa.Column("run_id", sa.Integer),
        sa.Column("by", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("undone", "folded")),
        sa.PrimaryKeyConstraint("batch", name="pk_batches"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_batches_author_run_id", "batches", ["author", "run_id"])
    op.create_table(
        "changes",
        sa.Column("change_id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("batch", "entry_id")),
        *(sa.Column(name, sa.Text) for name in ("at", "by")),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("before_flags", "after_flags", "before_version", "after_version")
        ),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("before_at", "before_by")),
        *(sa.Column(name, sa.Text) for name in ("before_content", "after_content")),
        sa.ForeignKeyConstraint(["batch"], ["batches.batch"], name="fk_changes_batch_batches"),
        sa.PrimaryKeyConstraint("change_id", name="pk_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_batch", "changes", ["batch"])
    op.create_index("ix_changes_entry_id_change_id", "changes", ["entry_id", "change_id"])


def _snapshots() -> None:
    op.create_table(
        "snapshots",
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("content_hash", "name", "at", "game_id", "counts", "origin")
        ),
        sa.PrimaryKeyConstraint("content_hash", name="pk_snapshots"),
    )
    op.create_index("ix_snapshots_at", "snapshots", ["at"])
    op.create_table(
        "snapshot_parts",
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("data_hash", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["content_hash"],
            ["snapshots.content_hash"],
            name="fk_snapshot_parts_content_hash_snapshots",
        ),
        sa.PrimaryKeyConstraint("content_hash", "part", name="pk_snapshot_parts"),
    )
    op.create_index("ix_snapshot_parts_data_hash", "snapshot_parts", ["data_hash"])
    op.create_table(
        "parts",
        sa.Column("data_hash", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("data_hash", name="pk_parts"),
    )
