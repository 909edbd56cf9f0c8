"""Model calls, the texts they were asked with, and episode summaries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _texts()
    _calls()
    _episodes()


def _texts() -> None:
    op.create_table(
        "texts",
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("content_hash", name="pk_texts"),
        sa.CheckConstraint("kind IN ('prompt', 'grammar')", name="ck_texts_kind"),
    )


def _calls() -> None:
    op.create_table(
        "calls",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("call", sa.Integer, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("at_ns", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("purpose", "tier", "model", "device")),
        sa.Column("prompt_hash", sa.Text, nullable=False),
        sa.Column("grammar_hash", sa.Text),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("image_ref", "reply", "finish", "outcome", "problem")
        ),
        sa.Column("invalid", sa.Text),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("proposed", "illegal", "prompt_tokens", "cached_tokens", "output_tokens")
        ),
        sa.Column("tokens_by_layer", sa.Text, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("queued_ms", "load_ms", "first_token_ms", "took_ms")),
        sa.CheckConstraint("call >= 1", name="ck_calls_call"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_calls_run_id_runs", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["prompt_hash"], ["texts.content_hash"], name="fk_calls_prompt_hash_texts"),
        sa.ForeignKeyConstraint(["grammar_hash"], ["texts.content_hash"], name="fk_calls_grammar_hash_texts"),
        sa.PrimaryKeyConstraint("run_id", "call", name="pk_calls"),
    )
    op.create_index("ix_calls_run_id_step", "calls", ["run_id", "step"])


def _episodes() -> None:
    op.create_table(
        "episodes",
        sa.Column("episode_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("game_id", "key", "text", "author", "created_at")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.run_id"], name="fk_episodes_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("episode_id", name="pk_episodes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_episodes_game_id_key", "episodes", ["game_id", "key"])
    op.create_index("ix_episodes_run_id", "episodes", ["run_id"])
