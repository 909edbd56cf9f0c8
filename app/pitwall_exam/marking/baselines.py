"""The marks that the source reports for other memories and for persons (EMemBench), for comparison.

Accuracies by ability in per cent, over other games and runs: they give a scale, not a contest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pitwall_exam.questions.abilities import Ability

Games = Literal["visual", "text"]
Horizon = Literal["whole episode", "steps 1 to 50"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """One published row.

    Attributes:
        who: model and method, or how persons answered.
        games: visual (Crafter) or text (Jericho). horizon: how much of the episode was asked about.
        accuracy: per cent, in the order of `Ability`. overall, f1: per cent.
        table: number of the source's table.
    """

    who: str
    games: Games
    horizon: Horizon
    accuracy: tuple[float, ...]
    overall: float
    f1: float
    table: int

    @property
    def name(self) -> str:
        """Return a title like "GPT-5.1, in context · visual games", with the horizon if it is a short one."""
        short = f" · {self.horizon}" if self.horizon != "whole episode" else ""
        return f"{self.who} · {self.games} games{short}"

    def of(self, ability: Ability) -> float:
        """Return the accuracy of an ability in per cent."""
        return self.accuracy[list(Ability).index(ability)]


def _rows(games: Games, horizon: Horizon, table: int, rows: str) -> list[Baseline]:
    baselines = []
    for line in rows.strip().splitlines():
        who, figures = line.split(":")
        *accuracy, overall, f1 = (float(part) for part in figures.split())
        baselines.append(Baseline(who.strip(), games, horizon, tuple(accuracy), overall, f1, table))
    return baselines


BASELINES: tuple[Baseline, ...] = (
    *_rows(
        "visual",
        "whole episode",
        3,
        """
        GPT-5.1, in context: 63.0 36.5 17.1 17.6 43.7 23.5 74.7 43.8 39.0
        GPT-5.1, A-MEM: 57.5 45.1 12.4 24.3 46.5 19.3 65.3 42.1 35.5
        Qwen3-VL-32B, in context: 33.6 43.2 19.3 9.8 41.5 31.2 63.2 35.2 29.1
        Qwen3-VL-32B, A-MEM: 37.4 39.1 20.2 11.2 38.2 34.4 64.4 36.3 31.2
        InternVL3.5-38B, in context: 34.0 35.6 13.6 6.1 33.3 40.0 54.9 32.0 28.3
        InternVL3.5-38B, A-MEM: 37.2 33.1 13.9 9.5 35.3 44.7 61.3 34.9 30.7
        """,
    ),
    *_rows(
        "visual",
        "whole episode",
        8,
        """
        Persons, open book: 85.5 38.1 50.0 34.7 41.7 54.4 90.2 59.2 56.5
        Persons, closed book: 8.1 0.0 14.3 5.7 16.7 18.1 46.3 15.8 10.8
        """,
    ),
    *_rows(
        "text",
        "whole episode",
        3,
        """
        GPT-5.1, in context: 76.7 35.7 30.7 34.5 54.1 57.6 46.9 49.7 48.3
        GPT-5.1, Mem0: 43.4 8.7 23.0 13.5 53.5 18.4 92.1 36.3 33.7
        GPT-5.1, LangMem: 42.7 33.0 34.2 48.1 70.1 23.5 87.9 48.8 44.7
        GPT-5.1, A-MEM: 51.4 34.6 21.0 46.0 62.7 63.2 73.5 49.9 46.8
        Qwen2.5-32B, in context: 52.3 26.0 23.1 35.3 53.2 50.0 49.1 40.8 39.9
        Qwen2.5-32B, Mem0: 51.4 5.8 11.6 12.3 40.7 23.9 90.4 35.2 30.7
        Qwen2.5-32B, LangMem: 49.0 29.7 33.8 50.4 55.5 30.9 85.3 49.0 43.7
        Qwen2.5-32B, A-MEM: 66.0 27.2 17.2 37.4 58.2 65.8 88.7 51.4 48.1
        Qwen3-32B, in context: 49.0 32.7 25.6 46.2 64.7 38.2 54.4 44.9 41.8
        Qwen3-32B, Mem0: 50.6 5.0 33.3 8.9 50.8 27.1 84.7 41.4 37.0
        Qwen3-32B, LangMem: 47.3 17.9 21.5 45.1 57.6 29.9 71.1 42.2 36.9
        Qwen3-32B, A-MEM: 66.9 28.1 27.7 43.5 53.1 57.5 81.6 51.9 47.7
        """,
    ),
    *_rows(
        "text",
        "whole episode",
        4,
        """
        Persons, open book: 80.6 59.4 53.9 54.9 76.0 47.4 74.3 65.6 63.8
        Persons, closed book: 14.1 9.8 19.9 16.5 49.1 24.2 41.8 23.2 19.8
        """,
    ),
    *_rows(
        "visual",
        "steps 1 to 50",
        12,
        """
        GPT-5.1, in context: 59.5 38.5 39.0 26.6 56.7 36.1 64.6 48.2 46.0
        GPT-5.1, A-MEM: 54.8 46.0 34.8 32.6 60.7 31.0 55.8 46.8 42.3
        Qwen3-VL-32B, in context: 59.6 41.8 39.6 24.9 36.7 48.2 62.4 47.1 42.8
        Qwen3-VL-32B, A-MEM: 62.8 38.7 39.3 27.0 32.9 52.3 62.8 48.0 45.0
        InternVL3.5-38B, in context: 34.1 10.7 17.4 12.3 34.1 44.7 48.5 30.9 26.4
        InternVL3.5-38B, A-MEM: 38.4 7.3 18.1 14.4 36.9 48.8 55.4 33.9 28.7
        """,
    ),
    *_rows(
        "text",
        "steps 1 to 50",
        12,
        """
        GPT-5.1, in context: 71.8 34.7 40.5 46.0 51.7 43.3 43.0 49.3 48.3
        GPT-5.1, A-MEM: 48.5 33.9 27.2 47.0 59.0 62.0 74.4 49.6 46.0
        Qwen2.5-32B, in context: 52.3 23.1 38.4 34.3 52.5 41.9 50.0 41.0 40.1
        Qwen2.5-32B, A-MEM: 67.3 30.7 26.2 45.6 58.0 65.4 88.7 54.7 51.0
        Qwen3-32B, in context: 57.8 46.7 33.6 47.1 48.5 41.3 46.2 47.7 46.9
        Qwen3-32B, A-MEM: 61.6 35.7 25.1 42.5 48.7 59.6 75.6 50.8 46.8
        """,
    ),
)
"""Tables 3, 4, 8 and 12, split by kind of game and horizon."""


def best_of(games: Games, horizon: Horizon = "whole episode") -> Baseline:
    """Return the row of a model (not of persons) with the highest published accuracy."""
    rows = [row for row in BASELINES if row.games == games and row.horizon == horizon]
    return max((row for row in rows if not row.who.startswith("Persons")), key=lambda row: row.overall)
