"""Prints the events of a page as sentences; a page that repeats itself fills no disk."""

from __future__ import annotations

import logging
from collections import Counter

_log = logging.getLogger(__name__)

_MOST_OF_ONE = 3
_MOST = 500
_LONGEST = 400


class PageLog:
    """Says each sentence a few times, and all together not without end."""

    def __init__(self) -> None:
        self._said: Counter[str] = Counter()
        self._lines = 0

    def say(self, sentence: str) -> None:
        """Tell it, unless it was told often enough."""
        line = " ".join(sentence.split())[:_LONGEST]
        self._said[line] += 1
        if self._said[line] > _MOST_OF_ONE or self._lines >= _MOST:
            return
        self._lines += 1
        again = " (not told again)" if self._said[line] == _MOST_OF_ONE else ""
        _log.warning("%s%s", line, again)
