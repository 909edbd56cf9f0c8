"""Guesses a reply's next tokens from texts that replies repeat: a slot's earlier replies, and the prompt.

Guessed tokens are evaluated together with the last written one, and each is kept only where the model itself
would have written it (prompt lookup decoding, https://github.com/apoorvumang/prompt-lookup-decoding): the
reply stays the same. A batch of four tokens takes a processor twice as long as one token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_LONG, _SHORT = 4, 2
"""Lengths of the beginnings that a guess continues; the longer one is tried first."""
_FIRST, _MOST = 3, 12
"""Tokens of the first guess, and of the longest: a guess that comes true lets the next be longer (choice)."""
_KEPT = 4
"""Earlier replies, so that a controller that asks in turns for a plan and a reflection finds both."""

Tokens = NDArray[np.int64]


class EarlierReplies:
    """The newest replies of a slot, each with the end of its prompt: it marks where a reply begins."""

    def __init__(self) -> None:
        self._texts: deque[Tokens] = deque(maxlen=_KEPT)

    def add(self, held: Tokens, prompt: int) -> None:
        """Keep a reply, given the whole held text and the length of its prompt."""
        self._texts.append(held[max(0, prompt - _LONG) :].copy())

    def __iter__(self) -> Iterator[Tokens]:
        return reversed(self._texts)


class Lookup:
    """Guesses the tokens of one reply."""

    def __init__(self, earlier: EarlierReplies) -> None:
        self._earlier = earlier
        self._length = _FIRST

    def guess(self, held: Tokens, most: int) -> list[int]:
        """Return at most so many tokens that may follow the held ones, prompt and reply so far."""
        for size in (_LONG, _SHORT):
            if size > len(held):
                continue
            for text in (*self._earlier, held[:-1]):
                after = _after(text, held[-size:])
                if after is not None:
                    return _tokens_of(after[: min(most, self._length)])
        return []

    def judge(self, guessed: int, right: int) -> None:
        """Take the number of guessed tokens that the model wrote, for the next guess's length."""
        if guessed:
            self._length = min(_MOST, 2 * self._length) if right == guessed else max(_FIRST, right)


def _after(text: Tokens, beginning: Tokens) -> Tokens | None:
    """Return the tokens after the last place where a text has this beginning, at least one; else None."""
    size = len(beginning)
    if len(text) <= size:
        return None
    places = np.ones(len(text) - size, bool)
    for offset, token in enumerate(beginning):
        places &= text[offset : len(text) - size + offset] == token
    matches = np.flatnonzero(places)
    return text[matches[-1] + size :] if len(matches) else None


def _tokens_of(cells: Tokens) -> list[int]:
    """Return the tokens before the first picture."""
    pictures = np.flatnonzero(cells < 0)
    return [int(token) for token in cells[: pictures[0] if len(pictures) else len(cells)]]
