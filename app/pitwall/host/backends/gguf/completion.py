"""Completes one prompt: evaluates it from where it differs, then writes token by token."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.projector import PictureChunk, Projector
from pitwall.host.backends.gguf.prompt_tokens import tokens_of
from pitwall.host.backends.gguf.sampling import Sampler
from pitwall.host.backends.gguf.slot import Cells, Slot, Stopped
from pitwall.host.backends.gguf.text_stream import TextStream
from pitwall.host.backends.pictures import decode, pictures_of
from pitwall.host.requests.faults import PromptTooLong
from pitwall.host.requests.job import Job
from pitwall.models.host_requests import Complete, Completed, Finish

_LONGEST_PIECE = 256
"""Bytes of text for each token of a context, beyond which a prompt is not even counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A prompt ready to be evaluated: runs of tokens and pictures, in order."""

    runs: Sequence[list[int] | PictureChunk]
    by_span: tuple[int, ...]
    stops: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return sum(len(run) if isinstance(run, list) else run.tokens for run in self.runs)

    @property
    def cells(self) -> Cells:
        parts = [np.array(run, np.int64) if isinstance(run, list) else run.cells for run in self.runs]
        return np.concatenate(parts)


def _never() -> bool:
    return False


class Completion:
    """Writes one reply.

    Args:
        between: called between two tokens, and between two steps of a long prompt: more urgent work
            may be done there.
    """

    def __init__(self, loaded: LoadedGguf, job: Job, request: Complete, between: Callable[[], None]) -> None:
        self._loaded = loaded
        self._model = loaded.model
        self._job = job
        self._request = request
        self._between = between
        self._cached = 0
        self._written = 0
        self._first_ms: float | None = None

    def run(self, load_ms: float) -> Completed:
        """The whole reply.

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
        return Completed(
            request_id=request.request_id,
            text="".join(text),
            finish=finish,
            prompt_tokens=prompt.tokens,
            cached_tokens=self._cached,
            output_tokens=self._written,
            span_tokens=prompt.by_span,
            device=self._loaded.device,
            queued_ms=self._job.queued_ms,
            load_ms=load_ms,
            first_token_ms=self._first_ms,
            took_ms=self._job.since_began_ms(),
        )

    def _prompt(self, stack: ExitStack) -> _Prompt:
        request = self._request
        pictures = sum(message.image for message in request.messages)
        projector: Projector | None = None
        chunks: list[list[PictureChunk]] = []
        size = sum(len(message.text) for message in request.messages)
        if size > _LONGEST_PIECE * self._loaded.context:
            raise self._too_long(f"{size:,} characters, far too many")
        if pictures:
            projector = self._loaded.projector()
            for blob in pictures_of(self._job.blob, request.pictures, pictures):
                chunks.append(stack.enter_context(projector.chunks(decode(blob))))
        self._projector = projector
        mark = f"<picture {secrets.token_hex(8)}>" if pictures else ""
        rendered = self._loaded.chat.render(request.messages, mark)
        tokens = tokens_of(self._model, rendered, mark)
        runs: list[list[int] | PictureChunk] = [tokens.parts[0]]
        for picture, part in zip(chunks, tokens.parts[1:], strict=True):
            runs += [*picture, part]
        return _Prompt(runs=runs, by_span=tokens.by_span, stops=rendered.stops)

    def _read(self, slot: Slot, prompt: _Prompt) -> None:
        """Evaluate what the slot does not hold yet."""
        kept = slot.keep(prompt.cells)
        for run in prompt.runs:
            if isinstance(run, list):
                held = min(kept, len(run))
                self._cached += held
                slot.evaluate(run[held:], self._give_up, self._between)
            else:
                held = min(kept, len(run.cells))
                if held:
                    self._cached += run.tokens
                else:
                    assert self._projector is not None
                    self._projector.evaluate(slot, run, self._give_up)
            kept -= held

    def _write(self, slot: Slot, sampler: Sampler, prompt: _Prompt, most: int, text: list[str]) -> Finish:
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

    def _give_up(self) -> bool:
        return self._job.stopped is not None

    def _too_long(self, size: str) -> PromptTooLong:
        name, context = self._loaded.spec.name, self._loaded.context
        return PromptTooLong(
            f"the prompt has {size} for {name}'s context of {context:,} tokens and a reply.",
            "Choose a longer context, or lower the caps of the layers.",
        )
