"""The one thing control needs of a game's vocabulary: is this text a legal action, and which."""

from __future__ import annotations

from typing import Protocol

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import IllegalAction


class ActionSpace(Protocol):
    """What the role may do; `games.vocabulary.Vocabulary` is one."""

    def parse(self, text: str) -> SemanticAction:
        """The action that a text names.

        Raises:
            IllegalAction: it is unknown, or outside the role's controls.
        """
        ...


def legal(text: str, space: ActionSpace) -> SemanticAction | None:
    """The action that a text names, or None where it is not legal."""
    try:
        return space.parse(text)
    except IllegalAction:
        return None
