"""Counts the tokens of a text for a model, and follows how fast each model reads prompts (SPEC §4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from pitwall.core.calls import PICTURE, TEMPLATE
from pitwall.core.prompts import Layer, Prompt
from pitwall.models.host_access import HostAccess
from pitwall.models.host_requests import Completed, HostFault, Tokenise, Tokenised
from pitwall.models.spec import ModelSpec

_BYTES_A_TOKEN = 3.0
"""English needs about four bytes a token in the usual vocabularies. For a model whose replies show a lower
number, the lower number is used."""
_LEAST_BYTES_A_TOKEN = 0.25
_PICTURE_TOKENS = 576
"""24 × 24 patches, as LLaVA 1.5 has them (choice)."""
_LEAST_FRESH = 64
"""Fewer fresh tokens are too few to measure a speed."""
_NEWEST = 0.3
"""Weight of the newest call in the running mean (choice)."""
_LEAST_BUDGET = 16
_MS = 1000.0


class TokenCounts:
    """Counts by model and text: exactly if the host has counted the text, else by a careful estimate.

    No method waits. Its requests to the host have negative numbers.
    """

    def __init__(self, host: HostAccess) -> None:
        self._host = host
        self._counts: dict[tuple[str, str], int] = {}
        self._asked: dict[int, tuple[str, tuple[str, ...], int]] = {}
        self._uncountable: set[str] = set()
        self._bytes_a_token: dict[str, float] = {}
        self._pictures: dict[str, int] = {}
        self._last_id = 0

    def count(self, model: str, text: str) -> int:
        exact = self._counts.get((model, text))
        if exact is not None:
            return exact
        return math.ceil(bytes_of(text) / self._bytes_a_token.get(model, _BYTES_A_TOKEN))

    def exact(self, spec: ModelSpec, texts: Iterable[str]) -> bool:
        """Return whether all these counts are exact, or cannot become so; ask for missing ones."""
        if spec.name in self._uncountable:
            return True
        missing = tuple(dict.fromkeys(text for text in texts if (spec.name, text) not in self._counts))
        if not missing:
            return True
        if not any(name == spec.name for name, _, _ in self._asked.values()):
            self._last_id -= 1
            if not self._host.send(Tokenise(request_id=self._last_id, model=spec, texts=missing)):
                self._uncountable.add(spec.name)
                return True
            self._asked[self._last_id] = (spec.name, missing, self._host.generation)
        return False

    def learn(self, model: str, text: str, tokens: int) -> None:
        """Note a text's true count: the estimate uses the fewest bytes a token seen so far."""
        if tokens > 0:
            least = min(self._bytes_a_token.get(model, _BYTES_A_TOKEN), bytes_of(text) / tokens)
            self._bytes_a_token[model] = max(_LEAST_BYTES_A_TOKEN, least)

    def picture(self, spec: ModelSpec) -> int:
        """Return the tokens of a picture: of the last one shown, else a usual number; 0 if it sees none."""
        if not spec.sees:
            return 0
        return self._pictures.get(spec.name, min(_PICTURE_TOKENS, spec.context // 4))

    def by_layer(self, model: str, prompt: Prompt, reply: Completed) -> dict[str, int]:
        """Return a reply's prompt tokens by layer, with `PICTURE` and `TEMPLATE`, and learn from them.

        Empty where the back end reports none.
        """
        counts: Counter[str] = Counter()
        for span, length in zip(prompt.spans, reply.span_tokens, strict=False):
            counts[span.layer.value] += length
            if span.layer is Layer.STATE and length:
                self.learn(model, span.text, length)
        if reply.picture_tokens:
            counts[PICTURE] = reply.picture_tokens
            self._pictures[model] = reply.picture_tokens // sum(message.image for message in prompt.messages)
        if counts:
            counts[TEMPLATE] = max(0, reply.prompt_tokens - counts.total())
        return dict(counts)

    def take(self, reply: Tokenised | HostFault) -> bool:
        """Take an answer; return whether it answers a request from here."""
        asked = self._asked.pop(reply.request_id, None)
        if asked is None:
            return False
        name, texts, _ = asked
        if isinstance(reply, HostFault):
            self._uncountable.add(name)
        else:
            self._counts.update(((name, text), n) for text, n in zip(texts, reply.counts, strict=False))
        return True

    def give_up_lost(self) -> None:
        """Drop the requests to a host that died: the estimates are used."""
        for number, (name, _, generation) in list(self._asked.items()):
            if generation != self._host.generation or self._host.fileno() is None:
                del self._asked[number]
                self._uncountable.add(name)

    def forget(self) -> None:
        """Ask again for counts that could not be had: models changed."""
        self._uncountable.clear()


def bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


class ReadingSpeeds:
    """Uncached prompt tokens that models read a second: measured when they were added, then by each call."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def learn(self, spec: ModelSpec, reply: Completed) -> None:
        """Update the speed by a call's time to its first token, if it read enough."""
        fresh = reply.prompt_tokens - reply.cached_tokens
        spent_ms = (reply.first_token_ms or 0.0) - reply.queued_ms - reply.load_ms
        if fresh >= _LEAST_FRESH and spent_ms > 0:
            known = self.of(spec) or fresh * _MS / spent_ms
            self._seen[spec.name] = (1 - _NEWEST) * known + _NEWEST * fresh * _MS / spent_ms

    def of(self, spec: ModelSpec) -> float:
        """Return the tokens a second; 0 where unknown."""
        return self._seen.get(spec.name, spec.reads)

    def budget(self, spec: ModelSpec, read_ms: float) -> int:
        """Return the tokens that are read in a time; 0 where the speed is unknown.

        It is rounded to half octaves, so that a prompt's beginning stays the same while the speed varies.
        """
        tokens = self.of(spec) * read_ms / _MS
        if tokens <= 0:
            return 0
        return max(_LEAST_BUDGET, int(2 ** (math.floor(2 * math.log2(max(1.0, tokens))) / 2)))
