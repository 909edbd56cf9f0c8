"""Follows how fast each model reads prompts here, and turns it into a budget of tokens (SPEC §4)."""

from __future__ import annotations

import math

from pitwall.models.host_requests import Completed
from pitwall.models.spec import ModelSpec

_LEAST_FRESH = 64
"""Fewer fresh tokens say little of a speed."""
_NEWEST = 0.3
"""Weight of the newest call in the running mean (choice)."""
_LEAST_BUDGET = 16
_MS = 1000.0


class ReadingSpeeds:
    """Tokens a second that models read afresh: as measured when they were added, then by each call."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def learn(self, spec: ModelSpec, reply: Completed) -> None:
        """Take a call's time to its first token for its reading, where it read enough."""
        fresh = reply.prompt_tokens - reply.cached_tokens
        spent_ms = (reply.first_token_ms or 0.0) - reply.queued_ms - reply.load_ms
        if fresh >= _LEAST_FRESH and spent_ms > 0:
            known = self.of(spec) or fresh * _MS / spent_ms
            self._seen[spec.name] = (1 - _NEWEST) * known + _NEWEST * fresh * _MS / spent_ms

    def of(self, spec: ModelSpec) -> float:
        """Tokens a second; 0 where nobody knows."""
        return self._seen.get(spec.name, spec.reads)

    def budget(self, spec: ModelSpec, read_ms: float) -> int:
        """Tokens that are read in a time; 0 where the speed is not known.

        It moves in steps of a half octave, so that a prompt's beginning stays while the speed wavers.
        """
        tokens = self.of(spec) * read_ms / _MS
        if tokens <= 0:
            return 0
        return max(_LEAST_BUDGET, int(2 ** (math.floor(2 * math.log2(max(1.0, tokens))) / 2)))
