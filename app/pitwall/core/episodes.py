"""An episode summary: what a run taught, in words (SPEC §4, an entry of L4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Holds one episode summary as memory keeps it.

    Attributes:
        run_id: the run it was written about.
        key: which situations it is for, as the game's profile declares them; empty for all.
        author: "rules", "operator", or the name of the model that wrote it.
        created_at: UTC, ISO 8601 with microseconds.
    """

    episode_id: int
    run_id: int
    game_id: str
    key: str
    text: str
    author: str
    created_at: str
