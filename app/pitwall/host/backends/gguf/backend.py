"""llama.cpp's lane: GGUF models, one computation at a time, one context for each asker's slot.

A reply that is being written lets more urgent ones go first, between two of its tokens: a strategic plan
of a minute does not keep the reactive controller waiting.
"""

from __future__ import annotations

import time
from dataclasses import replace

from pitwall.host.backends.admission import admit_gguf
from pitwall.host.backends.gguf.completion import Completion
from pitwall.host.backends.gguf.kept_prompts import KeptPrompts
from pitwall.host.backends.gguf.library import build, gpu_name, library_log
from pitwall.host.backends.gguf.load_probe import ProbeResults
from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.option_scoring import NO_BRANCHES, OptionScoring
from pitwall.host.backends.gguf.slot import Stopped
from pitwall.host.requests.backend import BackendContext, embedded
from pitwall.host.requests.faults import Cancelled, ModelWithoutVision, WrongKind
from pitwall.host.requests.job import Job, Reply
from pitwall.models.host_requests import (
    Chat,
    Choose,
    Embed,
    LoadModel,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec

KEPT_PROMPTS = "kept-prompts"
"""Folder of the models' evaluated prompts, in the models' folder."""
_FELL_BACK = (
    "This build of llama.cpp dies on this machine with rearranged weights: they are kept as they are."
)


class LlamaBackend:
    """Every GGUF model of this process."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._journal = library_log()
        self._verdicts = ProbeResults(context.models_dir, build())
        self._loaded: dict[str, LoadedGguf] = {}
        self._in_use: list[str] = []

    def answer(self, job: Job) -> Reply:
        request = job.request
        if isinstance(request, Chat):
            return self._reply(job, request)
        if isinstance(request, Tokenise):
            model = self._model(request.model, job).model
            counts = tuple(len(model.tokenise(text)) for text in request.texts)
            return Tokenised(request_id=request.request_id, counts=counts), b""
        if isinstance(request, Embed):
            return self._embed(job, request)
        if isinstance(request, LoadModel):
            self._model(request.model, job)
            return self._context.loaded(request.request_id)
        if isinstance(request, UnloadModel):
            self._unload(request.name)
            return self._context.loaded(request.request_id)
        raise WrongKind(f"a GGUF model cannot answer {request.kind}.", "Use an ONNX model for it.")

    def _reply(self, job: Job, request: Chat) -> Reply:
        if any(message.image for message in request.messages) and not request.model.projector:
            raise ModelWithoutVision(
                f"{request.model.name} sees no pictures: it has no projector.",
                "Add the model with its projector file, or choose one that sees.",
            )
        began = time.monotonic()
        known = self._loaded.get(request.model.name)
        loaded = self._model(request.model, job)
        load_ms = 0.0 if loaded is known else (time.monotonic() - began) * 1e3
        self._in_use.append(request.model.name)
        try:
            between = lambda: self._context.serve_urgent(job, self._fits)  # noqa: E731
            if not isinstance(request, Choose):
                return Completion(loaded, job, request, between).run(load_ms), b""
            if loaded.model.branches:
                return OptionScoring(loaded, job, request, between).run(load_ms), b""
            return Completion(loaded, job, request, between).run(load_ms, NO_BRANCHES), b""
        finally:
            self._in_use.pop()

    def _embed(self, job: Job, request: Embed) -> Reply:
        started = time.monotonic()
        loaded = self._model(request.model, job)
        try:
            rows = loaded.embedder().embed(request.texts, lambda: job.stopped is not None)
        except Stopped:
            raise Cancelled("the request was cancelled.") from None
        return embedded(request.request_id, rows, device=loaded.device, started=started, normalise=True)

    def _fits(self, urgent: Job) -> bool:
        """Return whether a request can be served while another one's reply is being written."""
        request = urgent.request
        if not isinstance(request, Chat | Tokenise):
            return False
        loaded = self._loaded.get(request.model.name)
        if loaded is None or not _same(loaded.spec, request.model):
            return request.model.name not in self._in_use
        return isinstance(request, Tokenise) or not loaded.is_busy(request.slot)

    def _model(self, spec: ModelSpec, job: Job) -> LoadedGguf:
        """Return a model loaded as its spec says; another with the same name is unloaded first."""
        loaded = self._loaded.get(spec.name)
        if loaded is not None and _same(loaded.spec, spec):
            return loaded
        self._unload(spec.name)
        began = time.monotonic()
        first = all(model.device == "CPU" for model in self._loaded.values())
        header = admit_gguf(spec, gpu=bool(gpu_name()), first=first)

        def given_up() -> bool:
            return isinstance(job.request, LoadModel) and job.stopped is not None

        plain = not self._verdicts.rearranged(spec, given_up)
        model = GgufModel(spec, self._journal, extra_buffers=not plain, given_up=given_up)
        self._loaded[spec.name] = loaded = LoadedGguf(
            model,
            header,
            self._journal,
            load_ms=(time.monotonic() - began) * 1e3,
            note=_FELL_BACK if plain else "",
            may_see=lambda: self._verdicts.seeing(spec, lambda: False),
            changed=self._tell,
            kept_prompts=self._kept_prompts(spec),
        )
        self._tell()
        return loaded

    def _kept_prompts(self, spec: ModelSpec) -> KeptPrompts:
        models_dir = self._context.models_dir
        key = f"{spec.sha256}\n{build()}\n{spec.gpu_layers}\n{spec.flash_attention}"
        return KeptPrompts(None if models_dir is None else models_dir / KEPT_PROMPTS, key)

    def _unload(self, name: str) -> None:
        loaded = self._loaded.pop(name, None)
        if loaded is not None:
            loaded.free()
            self._tell()

    def _tell(self) -> None:
        self._context.put(tuple(loaded.report() for loaded in self._loaded.values()))


def _same(loaded: ModelSpec, asked: ModelSpec) -> bool:
    """Return whether two specs load the same way; what the models are good for does not matter."""
    sees, embeds, probed, reads = asked.sees, asked.embeds, asked.probed, asked.reads
    return replace(loaded, sees=sees, embeds=embeds, probed=probed, reads=reads) == asked
