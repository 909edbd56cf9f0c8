"""Layer L3: the sections of a game's rules, and which of them enter a prompt first (SPEC §4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.layers import LayerItem, sections_of

_NAMED, _OTHERS = 1, 2
"""Ranks of sections about things; the rules have rank 0 and enter first."""


def knowledge_of(game: Game, role: str) -> tuple[LayerItem, ...]:
    """Return the sections of a game's rules as items, the role's text first.

    Raises:
        PitwallError: a file cannot be read.
    """
    profile = game.profile
    items = []
    if profile.knowledge.rules:
        for section in sections_of(_read(game, profile.knowledge.rules)):
            text = f"## {section.heading}\n{section.text}\n" if section.heading else f"{section.text}\n"
            items.append(LayerItem(layer=Layer.KNOWLEDGE, item=section.heading, text=text))
    prompt = next((declared.prompt for declared in profile.roles if declared.name == role), "")
    if prompt:
        text = f"## Your role: {role}\n{_read(game, prompt).strip()}\n"
        items.insert(0, LayerItem(layer=Layer.KNOWLEDGE, item=f"role {role}", text=text))
    return tuple(items)


def by_rank(
    items: tuple[LayerItem, ...], things: Collection[str], values: Mapping[str, Value]
) -> tuple[LayerItem, ...]:
    """Return sections with their ranks: rules, then things that a field names, then other things.

    Args:
        things: first words of headings that name a thing ("Card").
    """
    if not things:
        return items
    shown = " ".join(value for value in values.values() if isinstance(value, str))
    ranked = []
    for item in items:
        kind, _, name = item.item.partition(" ")
        if kind in things:
            item = replace(item, rank=_NAMED if _is_named(name, shown) else _OTHERS)
        ranked.append(item)
    return tuple(ranked)


def _is_named(name: str, shown: str) -> bool:
    """Return whether a text holds a name as whole words."""
    return name in shown and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", shown) is not None


def _read(game: Game, name: str) -> str:
    path = game.folder / name
    try:
        return read_text(path, fix="It must be text in UTF-8.")
    except FileNotFoundError:
        raise PitwallError(f"{path} is not there.") from None
