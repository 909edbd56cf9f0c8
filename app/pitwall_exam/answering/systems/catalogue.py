"""The memory systems that can answer, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pitwall_exam.answering.systems.facts import FactMemory
from pitwall_exam.answering.systems.hybrid import HybridMemory
from pitwall_exam.answering.systems.mem0_library import Mem0Library, mem0_installed
from pitwall_exam.answering.systems.notes import NoteMemory
from pitwall_exam.answering.systems.protocol import MemorySystem
from pitwall_exam.answering.systems.stores import StoreMemory
from pitwall_exam.answering.systems.turns_memory import TurnMemory

SystemName = Literal["turns", "facts", "notes", "stores", "hybrid", "mem0"]
SYSTEMS: Mapping[SystemName, type[MemorySystem]] = {
    "turns": TurnMemory,
    "facts": FactMemory,
    "notes": NoteMemory,
    "stores": StoreMemory,
    "hybrid": HybridMemory,
    "mem0": Mem0Library,
}


def installed_systems() -> tuple[SystemName, ...]:
    """Return the systems that can answer here; mem0 needs its library."""
    return tuple(name for name in SYSTEMS if name != "mem0" or mem0_installed())
