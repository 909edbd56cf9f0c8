"""What the models page reads aside in one go: the registry, the shipped model's card, the free memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pitwall.console.models.view_model import ModelViewModel, gather
from pitwall.core.calls import Tier
from pitwall.core.telemetry import ControllersNote
from pitwall.models.entry import ModelEntry
from pitwall.models.memory_estimate import FreeMemory, free_memory
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import SOURCE, card_file


@dataclass(frozen=True, slots=True)
class ModelsRead:
    """What was read.

    Attributes:
        there: names of the models whose file is there, or that need none.
        card: the shipped model's card, as Markdown; empty where there is none.
    """

    entries: tuple[ModelEntry, ...]
    there: frozenset[str]
    free: FreeMemory
    card: str = ""

    @property
    def ships(self) -> bool:
        """Whether the model that ships with Pitwall is among them."""
        return any(entry.source == SOURCE for entry in self.entries)

    def facts(self, uses: Mapping[Tier, str], mind: ControllersNote | None) -> list[ModelViewModel]:
        """What is shown of each model.

        Args:
            uses: tier → the model that serves it. mind: as the open engine told; None without one.
        """
        return [
            gather(entry, there=entry.name in self.there, chosen=uses, mind=mind, free=self.free)
            for entry in self.entries
        ]


def read_models(registry: ModelRegistry) -> ModelsRead:
    """Read everything; takes a while on a slow disk.

    Raises:
        CorruptRegistry, DataFolderError: as `ModelRegistry.all`.
    """
    entries = registry.all()
    there = frozenset(entry.name for entry in entries if not entry.path or Path(entry.path).is_file())
    ships = any(entry.source == SOURCE for entry in entries)
    return ModelsRead(entries, there, free_memory(), _card() if ships else "")


def _card() -> str:
    try:
        return card_file().read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
