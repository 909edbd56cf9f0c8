"""Reads everything the models page shows: the registry, the shipped model's card, the free memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pitwall.models.entry import ModelEntry
from pitwall.models.memory_estimate import FreeMemory, free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import SOURCE, card_file


@dataclass(frozen=True, slots=True)
class ModelsRead:
    """The result of one reading.

    Attributes:
        there: names of the models whose file exists, or that need none.
        ships: whether the model that ships with Pitwall is among them.
        card: the shipped model's card, as Markdown; empty where there is none.
    """

    entries: tuple[ModelEntry, ...]
    there: frozenset[str]
    free: FreeMemory
    ships: bool = False
    card: str = ""


def read_models(registry: ModelRegistry) -> ModelsRead:
    """Read everything; slow on a slow disk.

    Raises:
        CorruptRegistry, DataFolderError: as `ModelRegistry.all`.
    """
    entries = registry.all()
    there = frozenset(entry.name for entry in entries if not entry.path or Path(entry.path).is_file())
    ships = any(entry.source == SOURCE for entry in entries)
    return ModelsRead(entries, there, free_memory(), ships, _card() if ships else "")


def _card() -> str:
    try:
        return card_file().read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
