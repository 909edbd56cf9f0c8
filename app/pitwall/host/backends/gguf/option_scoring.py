"""Scores the options of a choice: how likely the model finds each whole reply, instead of sampling one.

Why not sample under a grammar? The model's own first token is mostly one that the grammar forbids (it copies
"its name" out of the reply's description), and of the crumbs that are left the likeliest is a fragment of
another word: "w", as in "wood", which the grammar then completes to "wait". A whole text has no such first
token: SmolLM2, whose sampled reply is `wait`, finds `gather wood` the likeliest of them.

A text's log-probability is set against the one it has after a content-free prompt (Zhao et al. 2021, Holtzman
et al. 2021), so that common words win nothing by being common, and divided by its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from pitwall.core.calls import Choice, OptionScore
from pitwall.core.prompts import Layer, Message, Span
from pitwall.host.backends.gguf.prompt_evaluation import PromptEvaluation, ReadyPrompt
from pitwall.host.backends.gguf.prompt_tokens import tokens_of
from pitwall.host.backends.gguf.slot import BATCH, Slot, Stopped
from pitwall.host.requests.faults import BadInput
from pitwall.models.host_requests import Choose, Completed

NO_BRANCHES = Choice(
    note="This kind of model cannot continue one prompt in several ways: the choice was written."
)
_CONTENT_FREE = Message(role="user", spans=(Span(layer=Layer.STATE, text="N/A"),))
_MOST_BASELINES = 4096


class OptionScoring(PromptEvaluation):
    """Answers one `Choose`."""

    def run(self, load_ms: float) -> Completed:
        """Return the likeliest option, with the score of each.

        Raises:
            BadInput: there is no option.
            PromptTooLong, ModelWithoutVision, BadPicture, ModelFailed: see `faults`.
        """
        request = self._request
        assert isinstance(request, Choose)
        options = [self._model.tokenise(text) for text in request.options]
        if not options or not all(options):
            raise BadInput("a choice needs options, each with a text.")
        prefix = _common_beginning(options)
        tails = [option[len(prefix) :] for option in options]
        with ExitStack() as stack:
            prompt = self._prompt(stack)
            if len(options) == 1:
                return self._only(prompt, request.options[0], len(tails[0]), load_ms)
            rendered = self._loaded.chat.render([_CONTENT_FREE], "", self._request.model.form)
            beside = tokens_of(self._model, rendered, "").parts[0]
            needed = prompt.tokens + len(prefix) + sum(map(len, tails)) + len(beside) + len(prefix)
            if needed > self._loaded.context:
                raise self._too_long(f"{prompt.tokens:,} tokens, {needed - self._loaded.context:,} too many")
            slot = self._loaded.slot(request.slot)
            slot.busy = True
            stack.callback(setattr, slot, "busy", False)
            try:
                base = self._baselines(slot, [*beside, *prefix], prefix, tails)
                scores = self._scores(slot, prompt, prefix, tails)
            except Stopped:
                return self._completed(prompt, "", self._job.stopped or "cancelled", load_ms)
            self._keep(slot, prompt)
        choice = _choice(request.options, tails, scores, base)
        self._first_ms = self._job.since_began_ms()
        self._job.grow(choice.options[0].text, 0)
        return self._completed(prompt, choice.options[0].text, "stop", load_ms, choice)

    def _only(self, prompt: ReadyPrompt, text: str, tokens: int, load_ms: float) -> Completed:
        """Return the only option: whatever the model finds of the prompt, it need not be evaluated."""
        self._cached = prompt.tokens
        self._first_ms = self._job.since_began_ms()
        self._job.grow(text, 0)
        score = OptionScore(text=text, tokens=tokens, log_probability=0.0, baseline=0.0, probability=1.0)
        return self._completed(prompt, text, "stop", load_ms, Choice(options=(score,)))

    def _scores(
        self, slot: Slot, prompt: ReadyPrompt, prefix: list[int], tails: Sequence[list[int]]
    ) -> list[float]:
        """Evaluate the prompt with the options' common beginning at once, then score their tails."""
        last = prompt.runs[-1]
        assert isinstance(last, list), "a prompt ends with text"
        self._read(slot, replace(prompt, runs=[*prompt.runs[:-1], [*last, *prefix]]))
        self._cached = min(self._cached, prompt.tokens)
        return slot.score(tails, self._give_up)

    def _baselines(
        self, slot: Slot, beside: list[int], prefix: list[int], tails: Sequence[list[int]]
    ) -> list[float]:
        """Score each tail after the content-free prompt, once for each text while the model is loaded."""
        known = self._loaded.baselines
        form = self._request.model.form
        keys = [(form, (*prefix, -1, *tail)) for tail in tails]
        new = [number for number, key in enumerate(keys) if key not in known]
        if new:
            if len(known) > _MOST_BASELINES:
                known.clear()
                self._loaded.aside_prompts.clear()
                new = list(range(len(keys)))
            missing = [tails[number] for number in new]
            asides = self._loaded.aside_prompts
            scores = slot.score_aside(beside[-BATCH:], missing, self._give_up, asides)
            known.update(zip([keys[number] for number in new], scores, strict=True))
        return [known[key] for key in keys]


def _common_beginning(options: Sequence[list[int]]) -> list[int]:
    """Count the tokens with which all options begin; at least one token of each option is left."""
    shortest = min(options, key=len)
    most = len(shortest) - 1
    same = next((at for at in range(most) if len({option[at] for option in options}) > 1), most)
    return shortest[:same]


def _choice(
    texts: Sequence[str], tails: Sequence[list[int]], scores: Sequence[float], baselines: Sequence[float]
) -> Choice:
    tokens = np.array([len(tail) for tail in tails])
    weights = (np.array(scores) - np.array(baselines)) / tokens
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    options = [
        OptionScore(
            text=text,
            tokens=len(tails[number]),
            log_probability=scores[number],
            baseline=baselines[number],
            probability=float(shares[number]),
        )
        for number, text in enumerate(texts)
    ]
    return Choice(options=tuple(sorted(options, key=lambda option: -option.probability)))
