"""Describes one model of the registry: how to load it, its header, and its speed measured here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from pitwall.models.address import without_login
from pitwall.models.click_scale import CLICK_SCALE_WORDS, ClickScale, ClickTest
from pitwall.models.files.gguf_header import GgufHeader
from pitwall.models.memory_estimate import MemoryEstimate, estimate
from pitwall.models.probed import Probed
from pitwall.models.spec import FlashAttention, ModelKind, ModelSpec

_NO_LANGUAGE = (
    "Its answers are not language: its file may be damaged. Compare its SHA-256 with the published one."
)
_NO_LANGUAGE_THERE = "Its answers are not language: look at the model's name and at the log of its endpoint."
_SPEC_FIELDS = tuple(field.name for field in fields(ModelSpec))
_IDENTITY = {"kind", "sha256", "projector_sha256", "url", "remote_model", "sees"}
LONGEST_CONTEXT = 1 << 24
MOST_THREADS = 1024
MOST_GPU_LAYERS = 4096


class Measured(BaseModel):
    """Holds the findings of `pitwall models bench` on this machine.

    Attributes:
        tokens_per_s: written after the first one. prompt_tokens_per_s: of a prompt never seen before.
        load_ms: from the file to ready. first_token_ms: of that prompt.
        memory_bytes: as the library reports it.
        device: the device it ran on. measured_at: ISO 8601, UTC.
    """

    model_config = ConfigDict(frozen=True)

    tokens_per_s: float = Field(gt=0)
    prompt_tokens_per_s: float | None = None
    load_ms: float | None = None
    first_token_ms: float | None = None
    memory_bytes: int = 0
    device: str = ""
    measured_at: str = ""


class ModelTrial(BaseModel):
    """The result of a trial against the skills: the same worlds played with the model and without it.

    Attributes:
        task: GAME/TASK. pairs: worlds that both played. wins, skills_wins: successes of each side.
        low, high: success with the model less success without it, −1 … 1, 95 % (Newcombe).
        step_s, skills_step_s: seconds a step of each side. tried_at: ISO 8601, UTC.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    pairs: int = Field(gt=0)
    wins: int
    skills_wins: int
    low: float
    high: float
    verdict: Literal["better", "no better", "worse"]
    step_s: float = 0.0
    skills_step_s: float = 0.0
    tried_at: str = ""

    @property
    def sentence(self) -> str:
        """Return the verdict in a sentence, with the interval."""
        return (
            f"{self.verdict.capitalize()} than the skills at {self.task}: success in {self.wins} of "
            f"{self.pairs} worlds against {self.skills_wins} of {self.pairs}, {100 * self.low:+.0f} to "
            f"{100 * self.high:+.0f} points (95 %); {self.step_s:.1f} s a step against "
            f"{self.skills_step_s:.1f} s."
        )


class ModelEntry(BaseModel):
    """Describes one model of the registry; the fields of `ModelSpec` under the same names.

    Attributes:
        header: of the GGUF file, without its chat template; None for other kinds.
        has_chat_template: whether the file contains one.
        projector_bytes: size of the projector's file.
        inputs, outputs: of an ONNX model.
        click_scale: scale in which it writes the places of clicks; empty: as its click test found.
        source: origin of its download; empty for a file from disk.
        added_at: ISO 8601, UTC.
        trial: its last trial against the skills; None: not tried.
        probed: the abilities found when it was added; None: it was not asked.
        click_test: where it clicked in the pictures of the click test; None: it was not asked.
    """

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1)
    kind: ModelKind
    path: str = ""
    size_bytes: int = Field(0, ge=0)
    mtime_ns: int = 0
    sha256: str = ""
    projector: str = ""
    projector_sha256: str = ""
    projector_bytes: int = Field(0, ge=0)
    url: str = ""
    remote_model: str = ""
    key_variable: str = ""
    context: int = Field(4096, ge=256, le=LONGEST_CONTEXT)
    gpu_layers: int = Field(-1, ge=-1, le=MOST_GPU_LAYERS)
    threads: int = Field(0, ge=0, le=MOST_THREADS)
    flash_attention: FlashAttention = "auto"
    sees: bool = False
    embeds: bool = False
    click_scale: ClickScale | Literal[""] = ""
    header: GgufHeader | None = None
    has_chat_template: bool = False
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    source: str = ""
    added_at: str = ""
    measured: Measured | None = None
    trial: ModelTrial | None = None
    probed: Probed | None = None
    click_test: ClickTest | None = None

    @property
    def identity(self) -> str:
        """Return a hash of what stands behind the name: a file and its projector, or an endpoint's model."""
        behind = self.model_dump(mode="json", include=_IDENTITY)
        return hashlib.sha256(json.dumps(behind, sort_keys=True).encode()).hexdigest()

    @field_validator("url")
    @classmethod
    def _drop_login(cls, url: str) -> str:
        """Drop a password from an address: earlier registries took it, and no request ever sent it."""
        return without_login(url)

    @model_validator(mode="before")
    @classmethod
    def _take_up_language(cls, values: Any) -> Any:
        """Read the old place of "answers are no language": earlier registries kept it with the speed."""
        measured = values.get("measured") if isinstance(values, dict) else None
        if isinstance(measured, dict) and measured.get("language") is False and not values.get("probed"):
            return {**values, "probed": {"language": False}}
        return values

    @property
    def spec(self) -> ModelSpec:
        """Return the part that travels with each request to the host."""
        values: dict[str, Any] = {name: getattr(self, name) for name in _SPEC_FIELDS}
        measured = self.click_test.scale if self.click_test is not None else None
        return ModelSpec(**values | {"click_scale": self.click_scale or measured or ""})

    @property
    def reads(self) -> float:
        """Return the tokens of a fresh prompt that it reads per second on this machine; 0: not measured."""
        return (self.measured.prompt_tokens_per_s or 0.0) if self.measured is not None else 0.0

    @property
    def writes_text(self) -> bool:
        """Return whether a tier, or the answerer of an exam, can use it."""
        return self.kind == "remote" or (self.kind == "gguf" and not self.embeds)

    @property
    def click_words(self) -> str:
        """Describe in which scale it writes the places of its clicks; empty where nobody asked."""
        if self.click_scale:
            return f"in {CLICK_SCALE_WORDS[self.click_scale]}, as you chose"
        return self.click_test.words if self.click_test is not None else ""

    @property
    def doubt(self) -> str:
        """Return the doubt that its probe raised, as a sentence; empty if there is none."""
        if self.probed is None or self.probed.language:
            return ""
        return _NO_LANGUAGE_THERE if self.kind == "remote" else _NO_LANGUAGE

    @property
    def tokens_per_s(self) -> float | None:
        """Return the speed measured on this machine; None until it is measured."""
        return None if self.measured is None else self.measured.tokens_per_s

    def need(self, *, slots: int = 1, gpu: bool = True) -> MemoryEstimate | None:
        """Estimate the memory it takes with its settings; None without a header.

        Args:
            slots: tiers that use it. gpu: there is a GPU to give layers to.
        """
        if self.header is None:
            return None
        return estimate(
            self.header,
            context=self.context,
            gpu_layers=self.gpu_layers if gpu else 0,
            slots=slots,
            projector_bytes=self.projector_bytes,
            flash=self.flash_attention == "on",
        )
