"""Normalises an entry from outside before it is kept."""

from __future__ import annotations

import re
from dataclasses import replace

from pitwall.core.memory_kinds import MemoryContent
from pitwall.memory.text import normalise

_GAME = re.compile(r"[a-z][a-z0-9-]{0,59}")


def is_game_id(game_id: str) -> bool:
    """Return whether a text has the form of a game's id."""
    return _GAME.fullmatch(game_id) is not None


def normalised(content: MemoryContent) -> MemoryContent:
    """Contents as the memory wants them: the state of an SA-MB item is normalised."""
    if content.kind != "action":
        return content
    state = normalise(content.state)
    return content if state == content.state else replace(content, state=state)
