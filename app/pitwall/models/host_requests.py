"""Defines the requests to the host process and its answers, one channel message each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, Literal

from pydantic import Field

from pitwall.core.calls import Choice
from pitwall.core.geometry import Rect
from pitwall.core.prompts import Message
from pitwall.models.spec import ModelSpec


class Priority(IntEnum):
    """The order of waiting requests; equal priorities keep the order of arrival."""

    REACTIVE = 0
    STRATEGIC = 1
    ANALYSIS = 2


# ---- asked


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadText:
    """Read the text in a picture.

    The message's blob is the picture: height × width × 3 bytes, BGR rows without padding.
    """

    kind: Literal["read_text"] = "read_text"
    request_id: int
    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """Fields of every request for a reply. Its blob holds its pictures (PNG or JPEG, at most 960 px each).

    Attributes:
        pictures: their sizes in bytes, one for each message with a picture; empty: the blob is one, or none.
        slot: name of the context (a tier's) whose prefix is kept between calls.
        grammar: GBNF that the reply must follow, for local models; empty for none.
        schema: the same as JSON schema, for endpoints that take one; empty for none.
        tools: functions that the model may call, as a JSON list in OpenAI's form; empty for none. A call of
            one becomes text, as `models/call_forms/` reads it. must_call: it must call one.
        deadline_ms: time from the request after which the reply ends unfinished (finish "deadline").
        stream: send `Streamed` as the reply grows.
    """

    request_id: int
    model: ModelSpec
    messages: tuple[Message, ...]
    pictures: tuple[int, ...] = ()
    slot: str = ""
    grammar: str = ""
    schema: str = ""
    tools: str = ""
    must_call: bool = False
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    deadline_ms: int = 60_000
    priority: Priority = Priority.STRATEGIC
    stream: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(Chat):
    """Complete a chat."""

    kind: Literal["complete"] = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose(Chat):
    """Choose one of several whole replies to a chat, by their likelihood under the model. Answered by
    `Completed`. Where the back end cannot score given texts, the choice is written, as by `Complete`.

    Attributes:
        options: the different replies, at least one; all of them follow the grammar.
    """

    kind: Literal["choose"] = "choose"
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Drop a request, waiting or running. It is answered with the part written so far, finish "cancelled"."""

    kind: Literal["cancel"] = "cancel"
    request_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Embed:
    """Embed texts. Answered by `Embedded`, whose blob is n × width float32."""

    kind: Literal["embed"] = "embed"
    request_id: int
    model: ModelSpec
    texts: tuple[str, ...]
    priority: Priority = Priority.ANALYSIS


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenise:
    """Count the tokens of each text."""

    kind: Literal["tokenise"] = "tokenise"
    request_id: int
    model: ModelSpec
    texts: tuple[str, ...]
    priority: Priority = Priority.STRATEGIC


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """Shape and type of an array in a blob; arrays are stored in order, row-major, without padding."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOnnx:
    """Run an ONNX model (an encoder, a policy) once on the arrays in the blob."""

    kind: Literal["run_onnx"] = "run_onnx"
    request_id: int
    model: ModelSpec
    inputs: tuple[Tensor, ...]
    priority: Priority = Priority.REACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Detect:
    """Look for things in a picture with an object detector.

    The message's blob is the picture: height × width × 3 bytes, BGR rows without padding.

    Attributes:
        labels: names of the detector's classes in its order; for a detector that takes words, the words.
        confidence: least score of a box. iou: boxes of a label that overlap more count once.
        most: so many boxes at most, the surest first.
    """

    kind: Literal["detect"] = "detect"
    request_id: int
    model: ModelSpec
    width: int
    height: int
    labels: tuple[str, ...]
    confidence: float
    iou: float
    most: int
    priority: Priority = Priority.REACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadModel:
    """Load a model in advance (every other request loads its model on demand)."""

    kind: Literal["load_model"] = "load_model"
    request_id: int
    model: ModelSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadModel:
    """Free a model and its slots; the answer is `Loaded` with the remaining models."""

    kind: Literal["unload_model"] = "unload_model"
    request_id: int
    name: str


HostRequest = Annotated[
    ReadText | Complete | Choose | Cancel | Embed | Tokenise | RunOnnx | Detect | LoadModel | UnloadModel,
    Field(discriminator="kind"),
]
"""Everything the engine may ask."""


# ---- answered


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """Holds one line of text and its place in the picture, in its pixels. Confidence 0 … 1."""

    text: str
    confidence: float
    box: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRead:
    """Answer to `ReadText`.

    Attributes:
        text: rows from top to bottom, pieces side by side joined by a space; empty if there is no text.
        confidence: of the least certain line; 1 if there is no text.
    """

    kind: Literal["text_read"] = "text_read"
    request_id: int
    text: str
    lines: tuple[TextLine, ...]
    confidence: float
    took_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Streamed:
    """A piece of a reply that is being written; `tokens` so far."""

    kind: Literal["streamed"] = "streamed"
    request_id: int
    text: str
    tokens: int


Finish = Literal["stop", "length", "deadline", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Answer to `Complete` and `Choose`, whole.

    Attributes:
        prompt_tokens: all of the prompt's; of these `cached_tokens` were not evaluated again.
        span_tokens: prompt tokens of each span, in order, without those that the chat template adds.
            Empty if the back end cannot count them.
        picture_tokens: those of the prompt's tokens that its pictures took.
        device: "CPU", "CUDA 0: …", or the endpoint's host.
        queued_ms: waited behind other requests. load_ms: the model was loaded for it.
        first_token_ms, took_ms: from the host's receipt of the request.
        choice: how it was chosen; None for a written reply.
    """

    kind: Literal["completed"] = "completed"
    request_id: int
    text: str
    finish: Finish
    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    span_tokens: tuple[int, ...] = ()
    picture_tokens: int = 0
    device: str = ""
    queued_ms: float = 0.0
    load_ms: float = 0.0
    first_token_ms: float | None = None
    took_ms: float = 0.0
    choice: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Answer to `Embed`; the blob is count × width float32."""

    kind: Literal["embedded"] = "embedded"
    request_id: int
    count: int
    width: int
    device: str = ""
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenised:
    """Answer to `Tokenise`: tokens of each text."""

    kind: Literal["tokenised"] = "tokenised"
    request_id: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxRan:
    """Answer to `RunOnnx`; the blob holds the outputs."""

    kind: Literal["onnx_ran"] = "onnx_ran"
    request_id: int
    outputs: tuple[Tensor, ...]
    device: str = ""
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBox:
    """A thing in a picture, its sides in that picture's pixels. Confidence 0 … 1."""

    label: str
    confidence: float
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """Answer to `Detect`.

    Attributes:
        boxes: the surest first.
        fit_width, fit_height: the size in which the model looks at such a picture: a larger one is shrunk
            to it, so the asker may as well send it that small.
        layout: how the model's outputs were understood.
        run_ms: of the model alone. took_ms: with preparing the picture and reading the boxes.
    """

    kind: Literal["detected"] = "detected"
    request_id: int
    boxes: tuple[FoundBox, ...]
    fit_width: int
    fit_height: int
    layout: str = ""
    device: str = ""
    run_ms: float = 0.0
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model that the host holds now.

    Attributes:
        device: "CPU", "CUDA 0: …", or an endpoint's host.
        memory_bytes: weights and contexts as the library reports them; 0 for an endpoint.
        slots: names of its contexts.
        note: a remark for the operator (such as a fallback), as one sentence.
    """

    name: str
    device: str
    memory_bytes: int = 0
    context: int = 0
    slots: tuple[str, ...] = ()
    load_ms: float = 0.0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Answers `LoadModel` and `UnloadModel`; sent unasked (request_id 0) when the loaded models change."""

    kind: Literal["loaded"] = "loaded"
    request_id: int
    models: tuple[LoadedModel, ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFault:
    """A request that failed; the host lives on.

    Attributes:
        error: name of the error's class.
    """

    kind: Literal["host_fault"] = "host_fault"
    request_id: int
    what: str
    fix: str = ""
    traceback: str = ""
    error: str = ""


HostReply = Annotated[
    TextRead | Streamed | Completed | Embedded | Tokenised | OnnxRan | Detected | Loaded | HostFault,
    Field(discriminator="kind"),
]
"""Everything the host may answer."""
