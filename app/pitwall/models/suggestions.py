"""Suggests well-known open models that fit this machine, and estimates how long each would think."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile, NotEnoughMemory
from pitwall.core.paths import resources_dir
from pitwall.core.validation import first_fault
from pitwall.models.entry import ModelEntry
from pitwall.models.entry_from_file import USUAL_CONTEXT
from pitwall.models.files.gguf_header import GgufHeader
from pitwall.models.free_memory import FreeMemory
from pitwall.models.memory_estimate import MemoryEstimate, check_fits, estimate
from pitwall.models.shipped import SOURCE as SHIPPED
from pitwall.models.spec import SMALL_BYTES

SLOTS = 2
"""The strategic and the fast tier."""
FRESH_TOKENS, REPLY_TOKENS = 500, 40
"""Of a decision: tokens that no cache holds, and tokens written by a model that does not choose (measured in
crafter)."""
_READS, _WRITES = 0.4, 0.15
"""Shares of a plain matrix product's speed that prompts and replies reach (SmolLM2-135M on two cores)."""
_WIDTH, _ROWS, _TRIES = 2048, 256, 8


class KnownModel(BaseModel):
    """Describes a model of `resources/models/known.toml`.

    Attributes:
        spec: the publisher's file, as `pitwall models download` takes it. projector: the same of the file
            that lets it see; empty: it does not.
        what: its strengths. tried: how it was played with Pitwall; empty: not at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    spec: str
    projector: str = ""
    page: str
    licence: str
    what: str
    tried: str = ""
    size_bytes: int = Field(gt=0)
    projector_bytes: int = Field(0, ge=0)
    parameters: int = Field(gt=0)
    quantisation: str
    context: int = Field(gt=0)
    layers: int = Field(gt=0)
    embedding: int = Field(gt=0)
    heads: int = Field(gt=0)
    kv_heads: int = Field(gt=0)
    head_length: int = Field(gt=0)
    feed_forward: int = Field(gt=0)
    vocabulary: int = Field(gt=0)

    @property
    def header(self) -> GgufHeader:
        """Return its file's header, as far as an estimate of memory needs it."""
        facts = self.model_dump(include=set(GgufHeader.__dataclass_fields__))
        return GgufHeader(
            **facts,
            architecture="",
            file_bytes=self.size_bytes,
            tensor_bytes=self.size_bytes,
            key_length=self.head_length,
            value_length=self.head_length,
            chat_template="",
            is_projector=False,
            kv_width=2 * self.layers * self.kv_heads * self.head_length,
            embedding_bytes=self.size_bytes * self.vocabulary * self.embedding // self.parameters,
        )


_MARGIN = 2.0
"""An expected speed is good within this factor, so a decision may take half the deadline at most."""


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    model: tuple[KnownModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A known model compared with this machine.

    Attributes:
        need: memory of both tiers. lacks: the missing resources, in a sentence; empty: it fits.
        decision_s: expected seconds a decision; None: this machine's GPU was not measured yet.
        deadline_s: after which a decision is given up.
        likened_to: the measured model that this is estimated from; empty: from a short sum on the processor.
        installed: name of the same file in the registry; empty: not there.
    """

    model: KnownModel
    need: MemoryEstimate
    lacks: str
    decision_s: float | None
    deadline_s: float
    likened_to: str
    installed: str

    @property
    def verdict(self) -> Literal["fits", "slow", "too big"]:
        """Return whether it fits the memory, and can be expected to decide well before the deadline."""
        if self.lacks:
            return "too big"
        return "slow" if (self.decision_s or 0.0) * _MARGIN > self.deadline_s else "fits"

    @property
    def too_slow(self) -> bool:
        """Return whether most of its decisions are expected after the deadline."""
        return (self.decision_s or 0.0) > self.deadline_s

    @property
    def seconds(self) -> str:
        """Return the expected seconds of a decision as written: "3.9", "1,276"; empty: not known."""
        if self.decision_s is None:
            return ""
        return f"{self.decision_s:.1f}" if self.decision_s < 10 else f"{self.decision_s:,.0f}"

    @property
    def expected(self) -> str:
        """Return the expected speed, in words: "about 3.9 s a decision (reckoned from smol)"."""
        if not self.seconds:
            return "Its speed is not known: measure any model on this machine first."
        source = self.likened_to or "a short sum on this processor"
        late = ""
        if self.verdict == "slow":
            when = "later than" if self.too_slow else "close to"
            late = f", {when} its deadline of {self.deadline_s:g} s"
        return f"About {self.seconds} s a decision{late} (reckoned from {source})."


def known_models() -> tuple[KnownModel, ...]:
    """Read the table of known models, the smallest first.

    Raises:
        DamagedFile: names the field that is wrong.
    """
    file = resources_dir() / "models" / "known.toml"
    try:
        models = _File.model_validate(parse_toml(read_text(file), file)).model
    except FileNotFoundError:
        raise DamagedFile(file, "is not there", fix="Install Pitwall again.") from None
    except ValidationError as error:
        where, problem = first_fault(error)
        raise DamagedFile(file, problem, key=where) from None
    return tuple(sorted(models, key=lambda model: model.size_bytes))


def suggestions(entries: Iterable[ModelEntry], free: FreeMemory, *, deadline_ms: float) -> list[Suggestion]:
    """Hold every known model against this machine, the best proposal first: the largest that fits.

    Args:
        entries: the registry's; the measured model nearest in size gives the expected speed.
        deadline_ms: after which a decision is given up.
    """
    entries = list(entries)
    gpu = free.vram_bytes is not None
    measured = [entry for entry in entries if entry.measured and entry.header and entry.source != SHIPPED]
    speed = None if measured or gpu else processor_speed()
    listed = [
        _suggestion(model, entries, measured, free, speed, deadline_ms / 1000) for model in known_models()
    ]
    quick = [suggestion for suggestion in listed if suggestion.verdict == "fits"]
    return [
        *reversed(quick),
        *(suggestion for word in ("slow", "too big") for suggestion in listed if suggestion.verdict == word),
    ]


def processor_speed() -> float:
    """Multiply two matrices, and return the best rate in operations a second. Takes some 0.2 s."""
    left, right = np.ones((_ROWS, _WIDTH), np.float32), np.ones((_WIDTH, _WIDTH), np.float32)
    took_s = []
    for _ in range(_TRIES):
        began_s = time.perf_counter()
        left @ right
        took_s.append(time.perf_counter() - began_s)
    return 2 * _ROWS * _WIDTH * _WIDTH / min(took_s)


def _suggestion(
    model: KnownModel,
    entries: list[ModelEntry],
    measured: list[ModelEntry],
    free: FreeMemory,
    speed: float | None,
    deadline_s: float,
) -> Suggestion:
    need = estimate(
        model.header,
        context=min(USUAL_CONTEXT, model.context),
        gpu_layers=-1 if free.vram_bytes is not None else 0,
        slots=SLOTS,
        projector_bytes=model.projector_bytes,
    )
    try:
        check_fits(need, free)
        lacks = ""
    except NotEnoughMemory as error:
        lacks = error.what
    like = min(measured, key=lambda entry: _unlikeness(entry, model), default=None)
    return Suggestion(
        model=model,
        need=need,
        lacks=lacks,
        decision_s=_decision_s(model, like, speed),
        deadline_s=deadline_s,
        likened_to=like.name if like is not None else "",
        installed=next((entry.name for entry in entries if entry.source == model.spec), ""),
    )


def _unlikeness(entry: ModelEntry, model: KnownModel) -> float:
    assert entry.header is not None
    return abs(math.log(max(1, entry.header.parameters) / model.parameters))


def _decision_s(model: KnownModel, like: ModelEntry | None, speed: float | None) -> float | None:
    """Return the seconds to read a fresh prompt and to write the reply of a model that does not choose."""
    if like is not None and like.measured is not None and like.header is not None:
        smaller = max(1, like.header.parameters) / model.parameters
        writes = like.measured.tokens_per_s * smaller
        reads = (like.measured.prompt_tokens_per_s or like.measured.tokens_per_s) * smaller
    elif speed is not None:
        reads, writes = (share * speed / (2 * model.parameters) for share in (_READS, _WRITES))
    else:
        return None
    return FRESH_TOKENS / reads + (REPLY_TOKENS / writes if model.size_bytes >= SMALL_BYTES else 0.0)
