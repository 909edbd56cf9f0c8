"""Reads the published Atari scores that a run's score is held against.

Source of all three columns: Wang et al. (2016), Dueling network architectures for deep reinforcement
learning, scores from 30 no-op actions: random play, a professional human tester (first tested by Mnih et al.,
2015, Human-level control through deep reinforcement learning), and DQN. Human-normalised score:
(score − random) / (human − random).
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache

from pitwall.core.paths import resources_dir


@dataclass(frozen=True, slots=True)
class Published:
    """Published scores of one game, in its own points."""

    random: float
    human: float
    dqn: float

    def normalised(self, score: float) -> float:
        """Return the human-normalised score: 0 as random play, 1 as the human tester."""
        return (score - self.random) / (self.human - self.random)


def atari_name(named: str) -> str:
    """Return an Atari game's name in small letters: mspacman of ALE/MsPacman-v5 and gym-ale-ms-pacman."""
    plain = re.sub(r"^(ALE/|gym-ale-)|-v\d+$", "", named)
    return plain.replace("-", "").casefold()


def published(named: str) -> Published | None:
    """Return the published scores of an Atari environment, or of its game; None: there are none."""
    return _table().get(atari_name(named)) if named.startswith(("ALE/", "gym-ale-")) else None


@cache
def _table() -> dict[str, Published]:
    file = resources_dir() / "atari_scores.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        return {
            line["game"].replace("_", ""): Published(
                float(line["random"]), float(line["human"]), float(line["dqn"])
            )
            for line in csv.DictReader(lines)
        }
