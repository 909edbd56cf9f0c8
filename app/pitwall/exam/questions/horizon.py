"""Words the query horizon of a question (SPEC §7), for writing and for reading it back."""

from __future__ import annotations

import re

_PREFIX = "From step 1 to {}, "
_READ = re.compile(r"From step 1 to (\d{1,9}), ", re.IGNORECASE)


def within(question: str, horizon: int) -> str:
    """A question about a stretch of the episode, within steps 1 … horizon; 0: the whole episode.

    The question keeps its capital, as the source's does.
    """
    return _PREFIX.format(horizon) + question if horizon else question


def read_horizon(question: str) -> tuple[str, int]:
    """A question without its horizon's prefix, and the horizon; 0 where it has none."""
    match = _READ.match(question.lstrip())
    if match is None:
        return question, 0
    return question.lstrip()[match.end() :], int(match.group(1))
