"""Adds the track record: what each driver brought beside each model."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    names = ("game_id", "model", "driver", "situation")
    counts = ("decisions", "steps", "progressed", "gained", "harms")
    op.create_table(
        "track_record",
        *(sa.Column(name, sa.Text, nullable=False) for name in names),
        *(sa.Column(name, sa.Integer, nullable=False) for name in counts),
        sa.Column("ms", sa.Float, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint(*names, name="pk_track_record"),
    )
