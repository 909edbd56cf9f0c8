"""Completes one prompt: writes token by token after it."""

from __future__ import annotations

from contextlib import ExitStack

from pitwall.core.calls import Choice
from pitwall.host.backends.gguf.prompt_evaluation import PromptEvaluation, ReadyPrompt
from pitwall.host.backends.gguf.sampling import Sampler
from pitwall.host.backends.gguf.slot import Slot, Stopped
from pitwall.host.backends.gguf.text_stream import TextStream
from pitwall.models.host_requests import Completed, Finish


def _never() -> bool:
    return False


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
        finish: Finish = "length"
        while self._written < most:
            if (reason := job.stopped) is not None:
                finish = reason
                break
            token = sampler.next(slot)
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
                self._between()
                slot.evaluate((token,), _never)
        self._grow(text, writer.finish())
        return finish

    def _grow(self, text: list[str], piece: str) -> None:
        if piece:
            text.append(piece)
            self._job.grow(piece, self._written)
