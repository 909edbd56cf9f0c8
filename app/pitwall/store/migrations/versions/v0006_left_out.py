"""Adds what a call's prompt left out for the budget."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("calls", sa.Column("left_out", sa.Text))
