"""Asks an endpoint for one reply to a chat, and collects its parts."""

from __future__ import annotations

import base64
import contextlib
import json
from dataclasses import dataclass, field

from pitwall.core.bounded_reading import TextPieces
from pitwall.core.calls import Choice
from pitwall.host.backends.endpoint import Endpoint, Json, RefusedByEndpoint
from pitwall.host.backends.negotiation import Agreement
from pitwall.host.backends.pictures import decode, picture_type, pictures_of
from pitwall.host.backends.reply_parts import ThinkingFilter, part_of, without_open_thought
from pitwall.host.requests.faults import (
    BadGrammar,
    EmptyReply,
    EndpointFault,
    ModelWithoutVision,
    ThoughtOnly,
)
from pitwall.host.requests.job import Job
from pitwall.models.host_requests import Chat, Choose, Completed
from pitwall.models.probed import PromptForm

_MOST_COUNT = 1 << 53
_NO_SCORES = "An endpoint gives no log-probabilities of given texts: the choice was written."


@dataclass(slots=True)
class _Progress:
    """Collects the parts of a reply."""

    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    refusal: str = ""
    calls: dict[int, list[str]] = field(default_factory=dict)
    tokens: int = 0
    reason: str = ""
    usage: Json = field(default_factory=dict)
    first_ms: float | None = None
    pieces: TextPieces = field(default_factory=TextPieces)
    filter: ThinkingFilter = field(default_factory=ThinkingFilter)


class RemoteReply:
    """Streams one completion of an endpoint."""

    def __init__(self, endpoint: Endpoint, job: Job, request: Chat) -> None:
        self._endpoint = endpoint
        self._job = job
        self._request = request
        self._messages = _messages(request, job.blob)
        self._schema = _schema(request)

    def body(self, agreement: Agreement) -> Json:
        """Return the request in the form that the endpoint agreed to."""
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
        if request.tools:
            body["tools"] = json.loads(request.tools)
            body["tool_choice"] = "required" if request.must_call else "auto"
        if request.stop:
            body["stop"] = list(request.stop)
        return agreement.fitted(body, self._schema)

    def ask(self, body: Json) -> Completed:
        """Return the whole reply, or the part that had come when it was stopped.

        Raises:
            EndpointFault: see `endpoint.Endpoint.post`; also where the reply is empty.
        """
        progress = _Progress()
        try:
            if body.get("stream"):
                for event in self._endpoint.stream("chat/completions", body, self._job.on_stop):
                    self._take(event, progress)
            else:
                self._take(self._endpoint.post("chat/completions", body, self._job.on_stop), progress)
        except EndpointFault as error:
            over = progress.reason and not isinstance(error, RefusedByEndpoint)
            if not over and self._job.stopped is None:
                raise
        reply, thinking = progress.filter.rest()
        self._grow(reply + progress.pieces.rest(), progress)
        progress.thinking.append(thinking)
        return self._completed(progress)

    def _take(self, event: Json, progress: _Progress) -> None:
        if isinstance(event.get("usage"), dict):
            progress.usage = event["usage"]
        choices = event.get("choices")
        if not choices:
            return
        try:
            part = part_of(choices[0])
            reason = choices[0].get("finish_reason")
        except (AttributeError, IndexError, KeyError, TypeError):
            raise self._endpoint.fault("its answer is not a chat completion.", "Check its address.") from None
        progress.tokens += bool(part.text or part.thinking)
        progress.refusal += part.refusal
        for call in part.calls:
            known = progress.calls.setdefault(call.number, ["", ""])
            known[0], known[1] = known[0] + call.name, known[1] + call.arguments
        text, thinking = progress.filter.take(progress.pieces.take(part.text))
        progress.thinking += [part.thinking, thinking]
        self._grow(text, progress)
        if reason:
            progress.reason = str(reason)

    def _grow(self, text: str, progress: _Progress) -> None:
        if not text:
            return
        if progress.first_ms is None:
            progress.first_ms = self._job.since_began_ms()
        progress.text.append(text)
        self._job.grow(text, progress.tokens)

    def _completed(self, progress: _Progress) -> Completed:
        stopped = None if progress.reason else self._job.stopped
        if not progress.reason and stopped is None:
            raise self._endpoint.fault("its answer has no reply in it.", "Look into its log.")
        text, open_thought = without_open_thought("".join(progress.text))
        for stop in self._request.stop:  # an endpoint may not take them
            text = text.partition(stop)[0]
        if self._request.tools:
            text += "".join(map(_call_text, progress.calls.values()))
        usage = progress.usage
        details = usage.get("prompt_tokens_details")
        tokens = _count(usage.get("completion_tokens")) or progress.tokens
        if stopped is None and not text.strip() and not self._request.tools:
            raise self._empty(progress, open_thought or "".join(progress.thinking), tokens)
        return Completed(
            request_id=self._request.request_id,
            text=text,
            finish=stopped or ("length" if progress.reason == "length" else "stop"),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
            output_tokens=tokens,
            device=self._endpoint.host,
            queued_ms=self._job.queued_ms,
            first_token_ms=progress.first_ms,
            took_ms=self._job.since_began_ms(),
            choice=Choice(note=_NO_SCORES) if isinstance(self._request, Choose) else None,
        )

    def _empty(self, progress: _Progress, thinking: str, tokens: int) -> EndpointFault:
        """Return the reason why a reply has no text."""
        kind, what, fix = EmptyReply, "its reply is empty.", "Look into its log, or choose another model."
        if progress.refusal:
            what, fix = f"it refused: {progress.refusal.strip()[:200]!r}.", "Choose another model."
        elif progress.reason == "content_filter":
            what, fix = "its filter withheld the reply.", "Choose another model, or change its filter."
        elif thinking.strip():
            kind = ThoughtOnly
            what = f"it spent its {tokens:,} tokens on thinking, none on the reply."
            fix = "Raise the limit of its reply, or switch its thinking off at the endpoint."
        elif progress.calls:
            what = "it called a tool instead of replying."
        elif progress.reason == "length":
            what = f"it wrote nothing within its limit of {self._request.max_tokens:,} tokens."
            fix = "Raise the limit of its reply, or switch its thinking off at the endpoint."
        fault = self._endpoint.fault(what, fix)
        return kind(fault.what, fault.fix)


def _call_text(call: list[str]) -> str:
    """Return a call of a function as text, in the form that most local models write it."""
    name, arguments = call
    with contextlib.suppress(ValueError, RecursionError):
        return (
            f"<tool_call>{json.dumps({'name': name, 'arguments': json.loads(arguments or '{}')})}</tool_call>"
        )
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


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


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value <= _MOST_COUNT else 0
