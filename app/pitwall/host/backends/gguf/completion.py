"""Completes one prompt: writes token by token after it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import numpy as np

from pitwall.core.calls import Choice
from pitwall.host.backends.gguf.lookup import Lookup
from pitwall.host.backends.gguf.prompt_evaluation import PromptEvaluation, ReadyPrompt
from pitwall.host.backends.gguf.sampling import Sampler
from pitwall.host.backends.gguf.slot import Slot, Stopped
from pitwall.host.backends.gguf.text_stream import TextStream
from pitwall.models.host_requests import Completed, Finish


class Completion(PromptEvaluation):
    """Writes one reply."""

    def run(self, load_ms: float, choice: Choice | None = None) -> Completed:
        """Return the whole reply.

        Raises:
            PromptTooLong, ModelWithoutVision, BadPicture, BadGrammar, ModelFailed: see `faults`.
        """
        request = self._request
        with ExitStack() as stack:
            prompt = self._prompt(stack)
            room = self._loaded.context - prompt.tokens
            if room < 1:
                raise self._too_long(f"{prompt.tokens:,} tokens, {1 - room:,} too many")
            slot = self._loaded.slot(request.slot)
            sampler = Sampler(
                self._model, grammar=request.grammar, temperature=request.temperature, seed=request.seed
            )
            stack.callback(sampler.free)
            slot.busy = True
            stack.callback(setattr, slot, "busy", False)
            finish: Finish
            text: list[str] = []
            try:
                self._read(slot, prompt)
                finish = self._write(slot, sampler, prompt, min(room, request.max_tokens), text)
            except Stopped:
                finish = self._job.stopped or "cancelled"
            else:
                self._keep(slot, prompt)
        return self._completed(prompt, "".join(text), finish, load_ms, choice)

    def _write(self, slot: Slot, sampler: Sampler, prompt: ReadyPrompt, most: int, text: list[str]) -> Finish:
        job, model = self._job, self._model
        writer = TextStream((*self._request.stop, *prompt.stops))
        ahead = _Ahead(slot, guesses=model.branches)
        finish: Finish = "length"
        while self._written < most:
            if (reason := job.stopped) is not None:
                finish = reason
                break
            token = sampler.next(slot, ahead.row)
            if self._first_ms is None:
                self._first_ms = job.since_began_ms()
            if model.ends(token):
                finish = "stop"
                break
            self._written += 1
            self._grow(text, writer.add(model.piece(token)))
            if writer.ended:
                finish = "stop"
                break
            if self._written < most:
                ahead.go_on(token, most - self._written - 1, self._between)
        ahead.end(prompt.tokens)
        self._grow(text, writer.finish())
        return finish

    def _grow(self, text: list[str], piece: str) -> None:
        if piece:
            text.append(piece)
            self._job.grow(piece, self._written)


class _Ahead:
    """Evaluates the tokens of a reply, some of them ahead where earlier texts let them be guessed.

    Attributes:
        row: the row of the last evaluation whose logits follow the newest token; −1: the last row.
    """

    def __init__(self, slot: Slot, *, guesses: bool) -> None:
        self.row = -1
        self._slot = slot
        self._lookup = Lookup(slot.replies) if guesses else None
        self._guessed: list[int] = []

    def go_on(self, token: int, most: int, between: Callable[[], None]) -> None:
        """Take the reply's newest token; unless it was guessed, evaluate it with at most so many guesses."""
        if self._guessed[self.row : self.row + 1] == [token]:
            self.row += 1
            return
        self._drop_wrong()
        between()
        slot = self._slot
        if self._lookup is None:
            slot.evaluate((token,), bool)
            return
        self._guessed = self._lookup.guess(np.append(slot.held, token), most)
        slot.evaluate_each((token, *self._guessed))
        self.row = 0

    def end(self, prompt: int) -> None:
        """Keep the reply for later guesses, given the length of its prompt."""
        self._drop_wrong()
        if self._slot.filled > prompt:
            self._slot.replies.add(self._slot.held, prompt)

    def _drop_wrong(self) -> None:
        """Drop the guesses that the model did not write."""
        if self._lookup is not None and self._guessed:
            self._lookup.judge(len(self._guessed), self.row)
            self._slot.drop(len(self._guessed) - self.row)
            self._guessed = []
