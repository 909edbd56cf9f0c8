"""A reply's bytes become text: whole characters only, and never past a stop text."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class TextStream:
    """Takes the bytes of one token after the other.

    Args:
        stops: texts that end the reply; none of them is ever part of it.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.ended = False
        """A stop text was written."""

    def add(self, piece: bytes) -> str:
        """Return the text that is certain now; a possible beginning of a stop text is held back."""
        return self._passed(self._decoder.decode(piece))

    def finish(self) -> str:
        rest = self._passed(self._decoder.decode(b"", final=True))
        if self.ended:
            return rest
        rest, self._held = rest + self._held, ""
        return rest

    def _passed(self, text: str) -> str:
        if self.ended or not self._stops:
            return "" if self.ended else text
        text = self._held + text
        places = [at for at in (text.find(stop) for stop in self._stops) if at >= 0]
        if places:
            self.ended, self._held = True, ""
            return text[: min(places)]
        held = max(_overlap(text, stop) for stop in self._stops)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]


def _overlap(text: str, stop: str) -> int:
    """Count the characters at the end of `text` that may begin `stop`."""
    for length in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:length]):
            return length
    return 0
