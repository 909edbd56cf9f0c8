"""Reads how many games a benchmark may play side by side."""

from __future__ import annotations

import os

from pitwall.core.errors import PitwallError

PARALLEL = "PITWALL_BENCH_PARALLEL"


def side_by_side() -> int:
    """Return the number in `$PITWALL_BENCH_PARALLEL`; 1 if it is not set.

    Raises:
        PitwallError: it is no number from 1 to 16.
    """
    text = os.environ.get(PARALLEL, "1")
    if not text.isdecimal() or not 1 <= int(text) <= 16:
        raise PitwallError(f"{PARALLEL} is {text!r}.", "Set it to a number from 1 to 16.")
    return int(text)
