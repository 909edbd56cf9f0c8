"""The gate of the learner: two memories play in pairs on held-out seeds until the difference is clear."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Literal

from pydantic import BaseModel, ConfigDict

LEAST_PAIRS = 8
"""Pairs before a verdict (choice)."""
CLEARLY = 1.28
"""Mean difference in standard errors from which it counts (choice): one in ten by chance, on one side."""


class PairTrial(BaseModel):
    """The result of playing proposed skills against the memory as it is.

    Attributes:
        first_seed: of the pairs, which count up. gain: mean difference of the scores, with its error.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    first_seed: int
    pairs: int
    gain: float
    error: float
    verdict: Literal["accepted", "refused"]

    @property
    def sentence(self) -> str:
        """Return the trial as a sentence of evidence."""
        return (
            f"Played with it and without it on {self.pairs} seeds from {self.first_seed} on: "
            f"{self.gain:+.1f} points of score (standard error {self.error:.1f}); {self.verdict}."
        )


def play_against(
    play: Callable[[int, bool], float], first_seed: int, *, most: int, least: int = LEAST_PAIRS
) -> PairTrial:
    """Play pairs until the proposed skills do clearly better, or no better.

    They are refused as soon as they do worse on average after `least` pairs, and at the end if they do not
    do clearly better.

    Args:
        play: plays a seed with the proposed skills (True) or without; returns the score.
    """
    gains: list[float] = []
    verdict: Literal["accepted", "refused"] = "refused"
    for number in range(most):
        seed = first_seed + number
        gains.append(play(seed, True) - play(seed, False))
        if len(gains) < max(2, min(least, most)):
            continue
        mean, error = fmean(gains), stdev(gains) / math.sqrt(len(gains))
        if mean > 0 and mean >= CLEARLY * error:
            verdict = "accepted"
            break
        if mean < 0:
            break
    error = stdev(gains) / math.sqrt(len(gains)) if len(gains) > 1 else 0.0
    return PairTrial(first_seed=first_seed, pairs=len(gains), gain=fmean(gains), error=error, verdict=verdict)
