"""Stores the places of states, from a layout or from the operator, in one file for each game. No Qt.

The files are in `graph/` of the data folder. They belong to the console and can be deleted; graphs are then
arranged again.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile

log = logging.getLogger(__name__)

Scope = Literal["near", "whole"]
Position = tuple[float, float]
SCOPES: tuple[Scope, ...] = ("near", "whole")
"""A neighbourhood and the whole graph are drawn at different densities: each has places of its own."""


@dataclass(slots=True)
class StatePositions:
    """Places of one game's states by entry id.

    Attributes:
        held: places that the operator chose; no layout moves them.
        arranged: places of the whole graph after the last layout.
    """

    held: dict[Scope, dict[int, Position]] = field(default_factory=lambda: {scope: {} for scope in SCOPES})
    arranged: dict[int, Position] = field(default_factory=dict)


def load_positions(file: Path) -> StatePositions:
    """Read kept places; without a readable file there are no places."""
    places = StatePositions()
    try:
        values = read_json(file)
        places.arranged = _read(values["found"])
        places.held = {scope: _read(values["held"][scope]) for scope in SCOPES}
    except FileNotFoundError:
        return places
    except (DamagedFile, ValueError, KeyError, TypeError) as error:
        log.warning("places of the graph in %s cannot be read (%s): the graph is arranged again", file, error)
        return StatePositions()
    return places


def save_positions(file: Path, places: StatePositions) -> None:
    """Write the file under a temporary name, then rename it.

    If the folder is read-only, only the places are lost.
    """
    values = {
        "version": 1,
        "held": {scope: _written(places.held[scope]) for scope in SCOPES},
        "found": _written(places.arranged),
    }
    aside = file.with_suffix(".tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text(json.dumps(values, separators=(",", ":")), encoding="utf-8")
        aside.replace(file)
    except OSError as error:
        log.warning("places of the graph cannot be kept in %s: %s", file, error)
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


def _read(values: dict[str, Any]) -> dict[int, Position]:
    places = {int(entry_id): (float(x), float(y)) for entry_id, (x, y) in values.items()}
    if not all(math.isfinite(part) for place in places.values() for part in place):
        raise ValueError("a place is not a number")
    return places


def _written(places: dict[int, Position]) -> dict[str, Position]:
    return {str(entry_id): (round(x, 1), round(y, 1)) for entry_id, (x, y) in places.items()}
