"""Writes the query horizon of a question into its text (SPEC §7), and reads it back."""

from __future__ import annotations

import re

_PREFIX = "From step 1 to {}, "
_READ = re.compile(r"From step 1 to (\d{1,9}), ", re.IGNORECASE)


def within(question: str, horizon: int) -> str:
    """Limit a question about the whole episode to steps 1 … horizon; 0: no limit.

    The question keeps its capital letter, as the source's does.
    """
    return _PREFIX.format(horizon) + question if horizon else question


def read_horizon(question: str) -> tuple[str, int]:
    """Split a question into its text without the horizon's prefix, and the horizon; 0 if it has none."""
    match = _READ.match(question.lstrip())
    if match is None:
        return question, 0
    return question.lstrip()[match.end() :], int(match.group(1))
