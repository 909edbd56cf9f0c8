"""The proposals found in a played minute: a field, its certainty, and the figures behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.games.schema.fields import Box, ReaderField

Role = Literal["score", "lives", "number", "bar", "player", "mover", "menu", "game_over", "paused", "board"]
ROLE_WORDS: Mapping[Role, str] = {
    "score": "Score",
    "lives": "Lives",
    "number": "Number",
    "bar": "Bar",
    "player": "What your keys move",
    "mover": "Moves by itself",
    "menu": "Menu",
    "game_over": "Game over",
    "paused": "Paused",
    "board": "Board of cells",
}
SIGN_OF: Mapping[Role, str] = {"menu": "menu", "game_over": "terminal", "paused": "paused"}
"""Role of a screen → the status that its field is a sign of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed field.

    Attributes:
        box: its place, in `screen` pixels. confidence: 0 … 1.
        why: a sentence with the figures.
        field: reads it. pictures: the field's pictures, file → PNG, base64.
        cells: columns and rows of a board.
    """

    role: Role
    name: str
    box: Box
    confidence: float
    why: str
    field: ReaderField
    pictures: Mapping[str, str]
    cells: tuple[int, int] | None = None

    @property
    def words(self) -> str:
        """Return it in words: "Score (score, 96 % sure): read in 38 of 40 …"."""
        return f"{ROLE_WORDS[self.role]} ({self.name}, {100 * self.confidence:.0f} % sure): {self.why}"

    def as_json(self) -> dict[str, Any]:
        return {
            **{key: getattr(self, key) for key in ("role", "name", "box", "why", "cells")},
            "confidence": round(self.confidence, 3),
            "title": ROLE_WORDS[self.role],
            "sign": SIGN_OF.get(self.role, ""),
            "field": self.field.model_dump(mode="json"),
            "pictures": dict(self.pictures),
        }
