"""Counts the tokens of a text for a model: exactly if the host has counted it, else by a careful estimate."""

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
"""English needs some four bytes a token in the usual vocabularies. A model whose replies show that its
own needs more tokens is estimated by that."""
_LEAST_BYTES_A_TOKEN = 0.25
_PICTURE_TOKENS = 576
"""24 × 24 patches, as LLaVA 1.5 has them (choice)."""


class TokenCounts:
    """Counts by model and text. Nothing waits.

    Args:
        host: asks the host process; its requests of here have negative numbers.
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
        """Whether all of these are exact, or cannot become so; asks for what is missing."""
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
        """A reply told what a text took: the fewest bytes a token seen so far make the next estimate."""
        if tokens > 0:
            least = min(self._bytes_a_token.get(model, _BYTES_A_TOKEN), bytes_of(text) / tokens)
            self._bytes_a_token[model] = max(_LEAST_BYTES_A_TOKEN, least)

    def picture(self, spec: ModelSpec) -> int:
        """Tokens of a picture: of the last one that the model was shown, before that as many as many take;
        0 of one that sees none."""
        if not spec.sees:
            return 0
        return self._pictures.get(spec.name, min(_PICTURE_TOKENS, spec.context // 4))

    def by_layer(self, model: str, prompt: Prompt, reply: Completed) -> dict[str, int]:
        """Sort a reply's prompt tokens by layer, with `PICTURE` and `TEMPLATE`; what they show is learnt.

        Empty where the back end cannot tell.
        """
        found: Counter[str] = Counter()
        for span, length in zip(prompt.spans, reply.span_tokens, strict=False):
            found[span.layer.value] += length
            if span.layer is Layer.STATE and length:
                self.learn(model, span.text, length)
        if reply.picture_tokens:
            found[PICTURE] = reply.picture_tokens
            self._pictures[model] = reply.picture_tokens // sum(one.image for one in prompt.messages)
        if found:
            found[TEMPLATE] = max(0, reply.prompt_tokens - found.total())
        return dict(found)

    def take(self, reply: Tokenised | HostFault) -> bool:
        """Take an answer. Whether it was one to a question from here."""
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
        """Questions to a host that has died are not answered: the estimates stand."""
        for number, (name, _, generation) in list(self._asked.items()):
            if generation != self._host.generation or self._host.fileno() is None:
                del self._asked[number]
                self._uncountable.add(name)

    def forget(self) -> None:
        """Models changed: what could not be counted may be now."""
        self._uncountable.clear()


def bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
