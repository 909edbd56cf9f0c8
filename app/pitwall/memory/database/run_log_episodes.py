"""Copies episode summaries of run logs older than the memory, each once."""

from __future__ import annotations

from sqlalchemy import Connection

from pitwall.core.memories import Provenance
from pitwall.core.memory_kinds import EpisodeMemory
from pitwall.core.paths import DataFolder
from pitwall.core.runs import Episode
from pitwall.memory.database.checks import cut
from pitwall.memory.database.ledger import Ledger, NewEntry
from pitwall.store.run_reader import RunReader

_MARK = "SELECT value FROM meta WHERE name = 'episodes'"


def take_over(connection: Connection, data: DataFolder) -> int:
    """Copy the new episode summaries of the run log and return their number.

    Raises:
        DataFolderError: the run log cannot be read.
    """
    last = int(connection.exec_driver_sql(_MARK).scalar() or 0)
    reader = RunReader(data)
    try:
        episodes = reader.episodes_after(last)
    finally:
        reader.close()
    if not episodes:
        return 0
    taking = Ledger(connection, Provenance(author="agent", source="run log"))
    taking.add(_entry_of(episode) for episode in episodes)
    connection.exec_driver_sql(
        "INSERT OR REPLACE INTO meta (name, value) VALUES ('episodes', ?)", (str(episodes[-1].episode_id),)
    )
    return len(episodes)


def _entry_of(episode: Episode) -> NewEntry:
    by_operator = episode.author == "operator"
    return NewEntry(
        game_id=episode.game_id,
        content=cut(EpisodeMemory(key=episode.key, text=episode.text, run_id=episode.run_id)),
        provenance=Provenance(
            author="operator" if by_operator else "agent",
            run_id=episode.run_id,
            source="" if by_operator else episode.author,
            reason="written after the run",
        ),
        created_at=episode.created_at,
    )
