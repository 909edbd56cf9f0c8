"""Human-normalised Atari scores, beside the published ones: random play, a human tester and DQN."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pydantic import BaseModel, ConfigDict

from pitwall.core import quantities
from pitwall_bench.suites.statistics import Mean, Row
from pitwall_evaluation.published_scores import published

SOURCE = "Published: Wang et al., 2016, scores from 30 no-op actions; the human is a professional tester."
PROTOCOL = (
    "Ours are not played by the published protocol. A game passes in real time, with sticky actions "
    "(an action is repeated with a chance of 25 %); the published ones wait for the agent, without them. The "
    "agent sees the pixels of a window and presses keys; the published ones get the frames. Ours is the best "
    "moment or episode within the task's time, and ends where the human's score is reached; the published "
    "ones are means of whole episodes."
)


class HumanRow(BaseModel):
    """An agent's scores in one Atari game, beside the published ones.

    Attributes:
        score: in the game's points. normalised: 0 as random play, 1 as the human, with the 95 % interval.
        random, human, dqn: published, in points. dqn_normalised: DQN's, in the same way.
    """

    model_config = ConfigDict(frozen=True)

    agent: str
    game: str
    score: Mean
    normalised: Mean
    random: float
    human: float
    dqn: float
    dqn_normalised: float


class HumanLevel(BaseModel):
    """An agent over all its Atari games.

    Attributes:
        median: of the games' normalised means. human, quarter: games of at least 100 % and 25 %.
    """

    model_config = ConfigDict(frozen=True)

    agent: str
    games: int
    median: float
    human: int
    quarter: int

    @property
    def words(self) -> str:
        """Describe it in a sentence."""
        return (
            f"{self.agent}: at least 100 % in {self.human} of {self.games} games, at least 25 % in "
            f"{self.quarter}, median {quantities.share(self.median)}"
        )


def human_rows(tasks: Sequence[Row]) -> list[HumanRow]:
    """Return a row for each game and agent whose task continues up to the human's score.

    Args:
        tasks: rows of single tasks.
    """
    return [
        HumanRow(
            agent=row.agent,
            game=row.game,
            score=row.score,
            normalised=row.human,
            random=scores.random,
            human=scores.human,
            dqn=scores.dqn,
            dqn_normalised=scores.normalised(scores.dqn),
        )
        for row in tasks
        if row.score is not None and row.human is not None and (scores := published(row.game)) is not None
    ]


def human_levels(rows: Sequence[HumanRow]) -> list[HumanLevel]:
    """Return each agent's level over all its games, in the order of the rows."""
    by_agent: dict[str, list[float]] = {}
    for row in rows:
        by_agent.setdefault(row.agent, []).append(row.normalised.mean)
    return [
        HumanLevel(
            agent=agent,
            games=len(shares),
            median=median(shares),
            human=sum(share >= 1 for share in shares),
            quarter=sum(share >= 0.25 for share in shares),
        )
        for agent, shares in by_agent.items()
    ]
