"""Keeps the valid part of a faulty manifest, so that its author sees every fault at once.

Tables with faults of type are left out, and required tables are filled in. Only the conformance checker reads
the result: nothing is played with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pitwall.core.keys import KEYS
from pitwall.games.schema.plugin_table import profile_model
from pitwall.games.schema.profile import Profile

_MOST_ROUNDS = 8
_STAND_INS: dict[str, dict[str, Any]] = {
    "launch": {"command": ["true"]},
    "browser": {"url": "about:blank"},
    "controls": {"keys": sorted(KEYS), "mouse": True, "hold_ms": [1, 30_000]},
    "truth": {"kind": "file", "score": "game_state.score"},
}
"""Replacements of tables that other tables depend on, so that these get no faults of their own."""


@dataclass(frozen=True, slots=True)
class Salvage:
    """The valid part of a manifest.

    Attributes:
        dropped: names that the dropped tables declared; nothing else is known of them.
    """

    profile: Profile
    dropped: frozenset[str]


def salvage(table: dict[str, Any]) -> Salvage | None:
    """Return the valid part of a manifest's table; None where too little is left."""
    table = {
        **table,
        "game": {"id": "unnamed", "name": "unnamed"},
        "screen": _screen(table.get("screen")),
    }
    dropped: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        try:
            return Salvage(profile_model().model_validate(table), frozenset(dropped))
        except ValidationError as error:
            for place in sorted({_place(detail["loc"]) for detail in error.errors()}, reverse=True):
                if not _drop(table, place, dropped):
                    return None
    return None


def _screen(screen: Any) -> dict[str, int]:
    if isinstance(screen, dict) and all(isinstance(screen.get(side), int) for side in ("width", "height")):
        return {"width": screen["width"], "height": screen["height"]}
    return {"width": 16384, "height": 16384}


def _place(location: tuple[int | str, ...]) -> tuple[str, int]:
    """Return the table of a fault: its section, and its number in an array (-1: no array)."""
    number = location[1] if len(location) > 1 else -1
    return str(location[0]), number if isinstance(number, int) else -1


def _drop(table: dict[str, Any], place: tuple[str, int], dropped: set[str]) -> bool:
    section, number = place
    tables = table.get(section)
    if number < 0 or not isinstance(tables, list):
        left_out = table.pop(section, None)
        if section in _STAND_INS:
            table[section] = _STAND_INS[section]
        return left_out is not None
    if number >= len(tables):
        return False
    table_entry = tables[number]
    if isinstance(table_entry, dict) and isinstance(table_entry.get("name"), str):
        dropped.add(table_entry["name"])
    table[section] = tables[:number] + tables[number + 1 :]
    return True
