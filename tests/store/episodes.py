"""Writes episode summaries into a run log, as older versions did."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import insert

from pitwall.core.runs import Episode
from pitwall.store import records
from pitwall.store.run_log import RunLog
from pitwall.store.schema import episodes


def add_episode(log: RunLog, run_id: int, game_id: str, key: str, text: str, author: str) -> int:
    """Commit an episode summary, dated now, and return its id.

    Args:
        key: the situations it is for; empty for all.
        author: "rules", "operator", or the name of the model that wrote it.
    """
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    episode = Episode(
        episode_id=0, run_id=run_id, game_id=game_id, key=key, text=text, author=author, created_at=now
    )
    row = records.row_of(episodes, episode)
    del row["episode_id"]
    adding = insert(episodes).values(row).returning(episodes.c.episode_id)
    with log._naming(run_id), log._writing() as connection:
        return int(connection.execute(adding).scalar_one())
