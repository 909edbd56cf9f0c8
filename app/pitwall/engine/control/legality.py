"""The one thing control needs of a game's vocabulary: is this text a legal action, and which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.core.observations import Value
from pitwall.games.profile import field_of


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


def named_actions(text: str, values: Mapping[str, Value]) -> list[str]:
    """The texts that an action of a skill stands for: itself, or those that its field names now."""
    field = field_of(text)
    if not field:
        return [text]
    named = values.get(field)
    return [part.strip() for part in named.split(";") if part.strip()] if isinstance(named, str) else []
