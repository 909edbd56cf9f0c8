"""Models behind an OpenAI-compatible endpoint (llama-server, vLLM, a hosted one)."""

from __future__ import annotations

import threading
import time

import numpy as np
from numpy.typing import NDArray

from pitwall.host.backends.endpoint import Endpoint, RefusedByEndpoint
from pitwall.host.backends.negotiation import Agreement
from pitwall.host.backends.remote_reply import RemoteReply
from pitwall.host.requests.backend import BackendContext, embedded
from pitwall.host.requests.faults import Cancelled, EndpointFault, WrongKind
from pitwall.host.requests.job import Job, Reply
from pitwall.models.host_requests import (
    Chat,
    Completed,
    Embed,
    LoadedModel,
    LoadModel,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.spec import ModelSpec

_NO_SUCH_PATH = (404, 405, 501)


class RemoteBackend:
    """Every endpoint of this process. Several threads answer at once."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._known: dict[str, LoadedModel] = {}
        self._agreements: dict[tuple[str, str], Agreement] = {}
        self._rests: dict[tuple[str, str], float] = {}

    def answer(self, job: Job) -> Reply:
        request = job.request
        if isinstance(request, UnloadModel):
            with self._lock:
                self._known.pop(request.name, None)
            return self._loaded_reply(request.request_id)
        if not isinstance(request, Chat | Embed | Tokenise | LoadModel):
            raise WrongKind(f"an endpoint cannot answer {request.kind}.", "Use an ONNX model for it.")
        endpoint = Endpoint(request.model)
        try:
            if isinstance(request, Chat):
                return self._complete(endpoint, job, request), b""
            if isinstance(request, Embed):
                return _embed(endpoint, job, request)
            if isinstance(request, Tokenise):
                return _tokenise(endpoint, job, request), b""
            try:
                endpoint.get("models", job.on_stop)
            except RefusedByEndpoint as error:
                if error.status not in _NO_SUCH_PATH:
                    raise
            self._note(endpoint)
            return self._loaded_reply(request.request_id)
        except EndpointFault:
            if job.stopped and not isinstance(request, Chat):
                raise Cancelled("the request was cancelled.") from None
            raise

    def _complete(self, endpoint: Endpoint, job: Job, request: Chat) -> Completed:
        place = _place(request.model)
        self._check_rest(endpoint, place)
        reply = RemoteReply(endpoint, job, request)
        agreement = self._agreements.get(place, Agreement())
        while True:
            body = reply.body(agreement)
            try:
                completed = reply.ask(body)
            except RefusedByEndpoint as error:
                self._rests[place] = time.monotonic() + error.wait_s
                revised = agreement.revised(error, body)
                if revised is None:
                    raise
                agreement = revised
            else:
                self._agreements[place] = agreement
                self._note(endpoint)
                return completed

    def _check_rest(self, endpoint: Endpoint, place: tuple[str, str]) -> None:
        """Refuse a request while the endpoint asks to be left alone (Retry-After)."""
        left_s = self._rests.get(place, 0.0) - time.monotonic()
        if left_s > 0:
            raise endpoint.fault("it asked to be left alone.", f"It is asked again in {left_s:.0f} s.")

    def _note(self, endpoint: Endpoint) -> None:
        spec = endpoint.spec
        model = LoadedModel(name=spec.name, device=endpoint.host, context=spec.context)
        with self._lock:
            if self._known.get(spec.name) == model:
                return
            self._known[spec.name] = model
        self._loaded_reply(0)

    def _loaded_reply(self, request_id: int) -> Reply:
        with self._lock:
            self._context.put(tuple(self._known.values()))
        return self._context.loaded(request_id)


def _place(spec: ModelSpec) -> tuple[str, str]:
    return spec.url, spec.remote_model


def _embed(endpoint: Endpoint, job: Job, request: Embed) -> Reply:
    started = time.monotonic()
    body = {"model": request.model.remote_model, "input": list(request.texts)}
    answer = endpoint.post("embeddings", body, job.on_stop)
    try:
        data = sorted(answer["data"], key=lambda entry: entry["index"])
        rows = np.stack([_vector(entry["embedding"]) for entry in data])
        if len(rows) != len(request.texts):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise endpoint.fault(
            "its answer is not a list of embeddings.", "Choose a model that embeds."
        ) from None
    return embedded(request.request_id, rows, device=endpoint.host, started=started, normalise=True)


def _vector(embedding: object) -> NDArray[np.float32]:
    """Return the vector of a text; some servers send one for each token, whose mean is taken."""
    vector = np.asarray(embedding, np.float32)
    vector = vector.mean(axis=0) if vector.ndim == 2 else vector
    if vector.ndim != 1:
        raise ValueError
    return np.asarray(vector, np.float32)


def _tokenise(endpoint: Endpoint, job: Job, request: Tokenise) -> Tokenised:
    """Ask llama-server for the number of tokens; OpenAI's interface has no way to ask."""
    counts: list[int] = []
    for text in request.texts:
        try:
            answer = endpoint.post("tokenize", {"content": text}, job.on_stop, at_root=True)
        except RefusedByEndpoint as error:
            if error.status in _NO_SUCH_PATH:
                raise WrongKind(
                    f"{request.model.name} ({endpoint.host}) cannot tell how many tokens a text has.",
                    "Estimate them, or serve it by llama-server.",
                ) from None
            raise
        tokens = answer.get("tokens")
        if not isinstance(tokens, list):
            raise endpoint.fault("its answer is not a list of tokens.")
        counts.append(len(tokens))
    return Tokenised(request_id=request.request_id, counts=tuple(counts))
