"""Prepares a prompt for a reply: rendered, counted, and evaluated from where it differs."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from pitwall.core.calls import Choice
from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.projector import PictureChunk, Projector
from pitwall.host.backends.gguf.prompt_tokens import tokens_of
from pitwall.host.backends.gguf.slot import Cells, Slot
from pitwall.host.backends.pictures import decode, pictures_of
from pitwall.host.requests.faults import PromptTooLong
from pitwall.host.requests.job import Job
from pitwall.models.host_requests import Chat, Completed, Finish

_LONGEST_PIECE = 256
"""Bytes of text for each token of a context, beyond which a prompt is not even counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyPrompt:
    """A prompt ready to be evaluated: runs of tokens and pictures, in order."""

    runs: Sequence[list[int] | PictureChunk]
    by_span: tuple[int, ...]
    stops: tuple[str, ...]

    @property
    def tokens(self) -> int:
        return sum(len(run) if isinstance(run, list) else run.tokens for run in self.runs)

    @property
    def picture_tokens(self) -> int:
        """Return the tokens of its pictures, with the marks around them."""
        return sum(run.tokens for run in self.runs if not isinstance(run, list))

    @property
    def cells(self) -> Cells:
        parts = [np.array(run, np.int64) if isinstance(run, list) else run.cells for run in self.runs]
        return np.concatenate(parts)


class PromptEvaluation:
    """Evaluates one request's prompt, and measures its cost.

    Args:
        between: called between two tokens, and between two steps of a long prompt: more urgent work
            may be done there.
    """

    def __init__(self, loaded: LoadedGguf, job: Job, request: Chat, between: Callable[[], None]) -> None:
        self._loaded = loaded
        self._model = loaded.model
        self._job = job
        self._request = request
        self._between = between
        self._cached = 0
        self._written = 0
        self._first_ms: float | None = None

    def _completed(
        self, prompt: ReadyPrompt, text: str, finish: Finish, load_ms: float, choice: Choice | None = None
    ) -> Completed:
        return Completed(
            request_id=self._request.request_id,
            text=text,
            finish=finish,
            prompt_tokens=prompt.tokens,
            cached_tokens=self._cached,
            output_tokens=self._written,
            span_tokens=prompt.by_span,
            picture_tokens=prompt.picture_tokens,
            device=self._loaded.device,
            queued_ms=self._job.queued_ms,
            load_ms=load_ms,
            first_token_ms=self._first_ms,
            took_ms=self._job.since_began_ms(),
            choice=choice,
        )

    def _prompt(self, stack: ExitStack) -> ReadyPrompt:
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
        rendered = self._loaded.chat.render(
            request.messages, mark, request.model.form, json.loads(request.tools or "[]")
        )
        tokens = tokens_of(self._model, rendered, mark)
        runs: list[list[int] | PictureChunk] = [tokens.parts[0]]
        for picture, part in zip(chunks, tokens.parts[1:], strict=True):
            runs += [*picture, part]
        return ReadyPrompt(runs=runs, by_span=tokens.by_span, stops=rendered.stops)

    def _read(self, slot: Slot, prompt: ReadyPrompt) -> None:
        """Evaluate the part of the prompt that the slot does not hold yet."""
        cells = prompt.cells
        if self._model.branches:
            self._loaded.kept_prompts.offer(slot, cells)
        kept = slot.keep(cells)
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

    def _keep(self, slot: Slot, prompt: ReadyPrompt) -> None:
        """Keep the evaluated prompt for later starts, where it is likely to come back."""
        if self._model.branches:
            self._loaded.kept_prompts.keep(slot, prompt.cells, self._cached)

    def _give_up(self) -> bool:
        return self._job.stopped is not None

    def _too_long(self, size: str) -> PromptTooLong:
        name, context = self._loaded.spec.name, self._loaded.context
        return PromptTooLong(
            f"the prompt has {size} for {name}'s context of {context:,} tokens and a reply.",
            "Choose a longer context, or lower the caps of the layers.",
        )
