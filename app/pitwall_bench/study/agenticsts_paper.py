"""The figures of AgenticSTS's paper, and how the study's protocol differs from the paper's."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StsPaperRow(BaseModel):
    """A row of the paper: wins of runs, mean score and, where it is given, the score's 95 % interval."""

    model_config = ConfigDict(frozen=True)

    table: str
    wins: int
    runs: int
    score: float
    low: float | None = None
    high: float | None = None


def _row(table: str, wins: int, runs: int, score: float, *bounds: float) -> StsPaperRow:
    low, high = bounds or (None, None)
    return StsPaperRow(table=table, wins=wins, runs=runs, score=score, low=low, high=high)


PAPER: dict[str, StsPaperRow] = {
    "no-scaffold": _row("Table 2", 3, 10, 70.4),
    "prompt-only": _row("Table 2", 4, 10, 69.6),
    "hand-skills": _row("Table 2", 6, 10, 85.5),
    "template-skills": _row("Table 2", 6, 10, 83.3),
    "skills-episodes": _row("Table 2", 6, 10, 82.1, 63.1, 96.5),
    "other-no-scaffold": _row("Table 3, Qwen 3.6-27B", 0, 5, 14.6),
    "other-skills-episodes": _row("Table 3, Qwen 3.6-27B", 0, 5, 26.9, 13.8, 41.9),
}
"""Slay the Spire 2 at ascension 0 with Gemini 3.1 Pro; transfer to Qwen 3.6-27B."""

SENTENCES: dict[str, str] = {
    "fisher": "The paper: 3 of 10 against 6 of 10, p ≈ 0.37; pooled 18 of 30 against 7 of 20, p ≈ 0.148.",
    "ladder": "The paper: with learning the climbs reach ascension 6 to 8, without it they end at 2 to 4.",
    "tokens": "The paper: about 5,000 tokens a strategic prompt throughout; a transcript grows from 9,000 to "
    "500,000 within a run. Quarters are medians of a run's first and last calls; growth is between them.",
    "seconds": "Means of the runs' medians on this machine; most steps of a game by turns need no call.",
}

DIFFERENCES = (
    "Game: the paper plays Slay the Spire 2; here the named task of one of Pitwall's games.",
    "Model: the paper's cells are Gemini 3.1 Pro; here the named model on this machine, or none.",
    "Without a model the first cell plays at random, the second tries actions, the others play by skills.",
    "Score: 100 for a success, else 100 times the task's progress; for nightpost/deliver that is the paper's "
    "floor + 52/3 · bosses.",
    "Frozen memory: learned here by the learner's own runs behind the gate; the paper's is of 298 runs.",
    "Skills of the gate are played in pairs on held-out seeds; the paper re-samples decisions.",
    "Hand skills are those of the game's folder.",
)
