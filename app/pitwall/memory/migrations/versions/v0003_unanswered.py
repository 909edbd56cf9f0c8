"""Adds to the track record the decisions that a model gave no answer to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("track_record", sa.Column("unanswered", sa.Integer, nullable=False, server_default="0"))
