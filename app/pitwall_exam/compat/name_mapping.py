"""Maps a game's own names to the published ones: its actions, and the digits of its terrains."""

from __future__ import annotations

from pitwall_exam.compat.pools import ACTIONS
from pitwall_exam.plugin_table.schema import GridTable

DIGITS = {
    name: number
    for number, name in enumerate(
        (
            *("water", "grass", "stone", "path", "sand", "tree"),
            *("lava", "coal", "iron", "diamond", "table", "furnace"),
        )
    )
}
"""Crafter's material ids less one, by their real names."""
NOTHING = "NOOP"
"""Published name for an action that the published names do not include."""


def action_names(grid: GridTable) -> dict[str, str]:
    """Return the game's actions → the published ones."""
    own = (*grid.places, *grid.makes)
    return {
        **{name: name.upper() for name in own if name.upper() in ACTIONS},
        **{name: f"MOVE_{turn.upper()}" for name, turn in grid.moves.items()},
        grid.interact: "DO",
        grid.sleep: "SLEEP",
    }
