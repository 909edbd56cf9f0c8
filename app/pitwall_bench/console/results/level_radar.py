"""The radar of the Evaluate page: agents over the five curriculum levels."""

from __future__ import annotations

from collections.abc import Sequence

from pitwall.console.charts.radar import RadarChart, RadarLine, Spoke
from pitwall.console.kit.theme import Look
from pitwall_bench.suites.statistics import LEVELS


class LevelRadar(RadarChart):
    """Agents over the five curriculum levels: how far each comes where."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, "Levels", [_level(*level) for level in LEVELS.items()])

    def show_lines(self, lines: Sequence[RadarLine], measure: str) -> None:
        """Show other agents."""
        self.show_web(lines, f"{measure.capitalize()} of each agent by curriculum level")


def _level(number: int, name: str) -> Spoke:
    first, _, rest = name.partition(" ")
    words = (f"{number} {name}",) if number == 1 or not rest else (f"{number} {first}", rest)
    return Spoke(words, f"level {number} · {name}")
