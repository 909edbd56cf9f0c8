"""Runs, their steps, events and summaries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _runs()
    _steps()
    _events()
    _summaries()


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("game_id", sa.Text, nullable=False),
        sa.Column("game_name", sa.Text, nullable=False),
        sa.Column("game_version", sa.Text, nullable=False),
        sa.Column("profile_hash", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("planner", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer),
        sa.Column("screen_width", sa.Integer, nullable=False),
        sa.Column("screen_height", sa.Integer, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("thresholds", sa.Text, nullable=False),
        sa.Column("versions", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_started_at", "runs", ["started_at"])
    op.create_index("ix_runs_game_id", "runs", ["game_id"])


def _steps() -> None:
    op.create_table(
        "steps",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("at_ns", sa.Integer, nullable=False),
        sa.Column("frame_id", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("route", sa.Text, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("change", sa.Float),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("progress", "stall", "repetition", "since_strategic", "failure")
        ),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("proposal_id", sa.Integer),
        sa.Column("proposal", sa.Text),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("invalid", sa.Text),
        sa.Column("sent", sa.Text, nullable=False),
        sa.Column("sent_events", sa.Integer, nullable=False),
        sa.Column("refused_events", sa.Integer, nullable=False),
        sa.Column("refusals", sa.Text, nullable=False),
        sa.Column("effect", sa.Text, nullable=False),
        *(
            sa.Column(f"{stage}_ms", sa.Float)
            for stage in ("capture", "perceive", "trigger", "decide", "act", "record")
        ),
        sa.Column("reaction_ms", sa.Float),
        sa.Column("frame_age_ms", sa.Float),
        sa.Column("frame_ref", sa.Text, nullable=False),
        sa.CheckConstraint("step >= 1", name="ck_steps_step"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_steps_run_id_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "step", name="pk_steps"),
    )
    op.create_index("ix_steps_run_id_route", "steps", ["run_id", "route"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("event_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("at_ns", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_events_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", name="pk_events"),
    )
    op.create_index("ix_events_run_id_at_ns", "events", ["run_id", "at_ns"])


def _summaries() -> None:
    op.create_table(
        "summaries",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in (
                "steps",
                "frames",
                "dropped_frames",
                "strategic_calls",
                "events_sent",
                "takeovers",
                "stuck",
                "recovered",
            )
        ),
        sa.Column("figures", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_summaries_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_summaries"),
    )
    op.create_index("ix_summaries_outcome", "summaries", ["outcome"])
