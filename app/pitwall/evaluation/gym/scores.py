"""Reads the published Atari scores of random play and of a professional human tester.

Source: Mnih et al. (2015), Human-level control through deep reinforcement learning, and its later
extension to 57 games (Wang et al., 2016, Dueling network architectures); the table human-normalised scores
are computed from: 100 % × (score − random) / (human − random).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from pitwall.core.paths import resources_dir


@dataclass(frozen=True, slots=True)
class Published:
    """Published scores of one game, in its own points."""

    random: float
    human: float

    def normalised(self, score: float) -> float:
        """Return the human-normalised score: 0 as random play, 1 as the human tester."""
        return (score - self.random) / (self.human - self.random)


def atari_name(env_id: str) -> str:
    """Return the name of an Atari game in small letters (mspacman of ALE/MsPacman-v5)."""
    return env_id.removeprefix("ALE/").rsplit("-v", 1)[0].casefold()


def published(env_id: str) -> Published | None:
    """Return the published scores of an Atari environment (ALE/MsPacman-v5); None where there are none."""
    return _table().get(atari_name(env_id)) if env_id.startswith("ALE/") else None


@cache
def _table() -> dict[str, Published]:
    file = resources_dir() / "atari_scores.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        return {
            line["game"].replace("_", ""): Published(float(line["random"]), float(line["human"]))
            for line in csv.DictReader(lines)
        }
