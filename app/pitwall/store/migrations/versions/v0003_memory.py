"""Adds the memory that a run began with, and the questions asked of it before each decision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("memory", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "retrievals",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("retrieval", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_retrievals_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "step", name="pk_retrievals"),
    )
