"""Adds the decisions of learned game sense modules, frame by frame, which a trainer learns from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reflexes",
        sa.Column("reflex_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("at_ns", sa.Integer, nullable=False),
        sa.Column("module", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("action", sa.Integer, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_reflexes_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("reflex_id", name="pk_reflexes"),
    )
    op.create_index("ix_reflexes_run_id", "reflexes", ["run_id"])
