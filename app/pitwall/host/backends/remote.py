"""Models behind an OpenAI-compatible endpoint (llama-server, vLLM, a hosted one)."""

from __future__ import annotations

import base64
import json
import threading
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pitwall.core.calls import Choice
from pitwall.host.backends.endpoint import Endpoint, Json, RefusedByEndpoint
from pitwall.host.backends.pictures import decode, picture_type, pictures_of
from pitwall.host.requests.backend import BackendContext, embedded
from pitwall.host.requests.faults import BadGrammar, Cancelled, EndpointFault, ModelWithoutVision, WrongKind
from pitwall.host.requests.job import Job, Reply
from pitwall.models.host_requests import (
    Chat,
    Choose,
    Completed,
    Embed,
    Finish,
    LoadedModel,
    LoadModel,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.probed import PromptForm
from pitwall.models.spec import ModelSpec

_FORMS = ("openai", "llama", "none")
"""Ways to pass a reply's schema, best first: OpenAI's way, llama.cpp's older one, not at all."""
_UNKNOWN_FORM = (400, 422, 500, 501)
"""What servers answer to a form that they do not know."""
_NO_SUCH_PATH = (404, 405, 501)
_NO_SCORES = "An endpoint gives no log-probabilities of given texts: the choice was written."


class RemoteBackend:
    """Every endpoint of this process. Several threads answer at once."""

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._known: dict[str, LoadedModel] = {}
        self._forms: dict[tuple[str, str], str] = {}

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
        reply = _Reply(endpoint, job, request)
        known = self._forms.get(_place(request.model), _FORMS[0])
        forms = _FORMS[_FORMS.index(known) :] if request.schema else _FORMS[-1:]
        refused: RefusedByEndpoint | None = None
        for form in forms:
            try:
                completed = reply.ask(form)
            except RefusedByEndpoint as error:
                if error.status not in _UNKNOWN_FORM or form == forms[-1]:
                    raise refused or error from None
                refused = refused or error
            else:
                if refused is not None:
                    self._forms[_place(request.model)] = form
                self._note(endpoint)
                return completed
        raise AssertionError

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


@dataclass(slots=True)
class _Progress:
    """Collects the parts of a reply."""

    text: list[str] = field(default_factory=list)
    tokens: int = 0
    finish: Finish | None = None
    usage: Json = field(default_factory=dict)
    first_ms: float | None = None


class _Reply:
    """Streams one completion of an endpoint."""

    def __init__(self, endpoint: Endpoint, job: Job, request: Chat) -> None:
        self._endpoint = endpoint
        self._job = job
        self._request = request
        self._messages = _messages(request, job.blob)
        self._schema = _schema(request)

    def ask(self, form: str) -> Completed:
        """Return the whole reply, or the part that had come when it was stopped.

        Raises:
            EndpointFault: see `endpoint.Endpoint.post`.
        """
        progress = _Progress()
        try:
            body = self._body(form)
            if self._request.stream:
                for event in self._endpoint.stream("chat/completions", body, self._job.on_stop):
                    self._take(event, "delta", progress)
            else:
                answer = self._endpoint.post("chat/completions", body, self._job.on_stop)
                self._take(answer, "message", progress)
        except EndpointFault as error:
            over = progress.finish is not None and not isinstance(error, RefusedByEndpoint)
            if not over and self._job.stopped is None:
                raise
        return self._completed(progress)

    def _take(self, event: Json, part: str, progress: _Progress) -> None:
        if isinstance(event.get("usage"), dict):
            progress.usage = event["usage"]
        choices = event.get("choices")
        if not choices:
            return
        try:
            choice = choices[0]
            text = (choice.get(part) or {}).get("content") or ""
            reason = choice.get("finish_reason")
        except (AttributeError, IndexError, KeyError, TypeError):
            raise self._endpoint.fault("its answer is not a chat completion.", "Check its address.") from None
        if isinstance(text, str) and text:
            if progress.first_ms is None:
                progress.first_ms = self._job.since_began_ms()
            progress.tokens += 1
            progress.text.append(text)
            self._job.grow(text, progress.tokens)
        if reason:
            progress.finish = "length" if reason == "length" else "stop"

    def _completed(self, progress: _Progress) -> Completed:
        finish = progress.finish or self._job.stopped
        if finish is None:
            raise self._endpoint.fault("its answer has no reply in it.", "Look into its log.")
        usage = progress.usage
        details = usage.get("prompt_tokens_details")
        return Completed(
            request_id=self._request.request_id,
            text="".join(progress.text),
            finish=finish,
            prompt_tokens=_count(usage.get("prompt_tokens")),
            cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
            output_tokens=_count(usage.get("completion_tokens")) or progress.tokens,
            device=self._endpoint.host,
            queued_ms=self._job.queued_ms,
            first_token_ms=progress.first_ms,
            took_ms=self._job.since_began_ms(),
            choice=Choice(note=_NO_SCORES) if isinstance(self._request, Choose) else None,
        )

    def _body(self, form: str) -> Json:
        request = self._request
        body: Json = {
            "model": request.model.remote_model,
            "messages": self._messages,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stream": request.stream,
        }
        if request.stream:
            body["stream_options"] = {"include_usage": True}
        if request.stop:
            body["stop"] = list(request.stop)
        if form == "openai":
            schema = {"name": "reply", "schema": self._schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "llama":
            body["response_format"] = {"type": "json_object", "schema": self._schema}
        return body


def _schema(request: Chat) -> Json | None:
    if not request.schema:
        return None
    try:
        schema = json.loads(request.schema)
    except (ValueError, RecursionError) as error:
        raise BadGrammar(f"the schema is no JSON: {error}.") from error
    if not isinstance(schema, dict):
        raise BadGrammar("the schema is no JSON object.")
    return schema


def _messages(request: Chat, blob: bytes) -> list[Json]:
    """Return the messages as the endpoint takes them; pictures go inside, as data.

    Where its probe found that a system turn spoils it, the system's text begins the user's.
    """
    messages: list[Json] = []
    wanted = sum(message.image for message in request.messages)
    pictures = iter(pictures_of(blob, request.pictures, wanted) if wanted and request.model.sees else [])
    before = ""
    for message in request.messages:
        if message.role == "system" and request.model.form is PromptForm.FOLDED:
            before += f"{message.text}\n"
            continue
        text, before = before + message.text, ""
        content: object = text
        if message.image:
            if not request.model.sees:
                raise ModelWithoutVision(
                    f"{request.model.name} is not declared to see pictures.", "Choose a model that sees."
                )
            picture = next(pictures)
            decode(picture)
            data = base64.b64encode(picture).decode("ascii")
            url = f"data:image/{picture_type(picture)};base64,{data}"
            content = [
                {"type": "image_url", "image_url": {"url": url}},
                {"type": "text", "text": text},
            ]
        messages.append({"role": message.role, "content": content})
    return messages


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


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
