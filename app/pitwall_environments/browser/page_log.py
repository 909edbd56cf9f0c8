"""Prints the events of a page as sentences, and limits repetitions so that they cannot fill the disk."""

from __future__ import annotations

import logging
from collections import Counter

_log = logging.getLogger(__name__)

_MOST_REPEATS = 3
_MOST = 500
_LONGEST = 400


class PageLog:
    """Prints each sentence a few times at most, and a limited number of lines in all."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lines = 0

    def say(self, sentence: str) -> None:
        """Print a sentence, unless it was printed often enough."""
        line = " ".join(sentence.split())[:_LONGEST]
        self._counts[line] += 1
        if self._counts[line] > _MOST_REPEATS or self._lines >= _MOST:
            return
        self._lines += 1
        again = " (not repeated)" if self._counts[line] == _MOST_REPEATS else ""
        _log.warning("%s%s", line, again)
