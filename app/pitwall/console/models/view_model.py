"""Everything the page shows of one model, from registry, settings, engine and memory. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pitwall.console.models.format import TIERS, listed, speed, tokens
from pitwall.console.models.memory_share import MemoryShare, shares_of
from pitwall.core.calls import Tier
from pitwall.core.quantities import NONE, byte_size, spelled
from pitwall.core.telemetry import ControllersNote, ModelHeld
from pitwall.models.address import host_of
from pitwall.models.entry import ModelEntry
from pitwall.models.memory_estimate import FreeMemory, estimate
from pitwall.models.shipped import SOURCE as SHIPPED

ToneName = Literal["neutral", "strategic", "reactive", "stop", "ok"]


class Presence(StrEnum):
    """State of a model, with its sign."""

    NOT_LOADED = "○ not loaded"
    LOADING = "… loading"
    LOADED = "● loaded"
    ENDPOINT = "◇ endpoint"
    GONE = "! file is gone"


_TONES: Mapping[Presence, ToneName] = {Presence.LOADED: "ok", Presence.GONE: "stop"}


@dataclass(frozen=True, kw_only=True)
class ModelViewModel:
    """One model as the page shows it.

    Attributes:
        entry: its entry in the registry. there: whether its file exists.
        tiers: the tiers that it serves, by choice or as the shipped model.
        held: its state in the model host; None where it is not loaded. loading: it is being loaded.
        free: memory that is free now; None while it is not known.
    """

    entry: ModelEntry
    there: bool = True
    tiers: tuple[Tier, ...] = ()
    held: ModelHeld | None = None
    loading: bool = False
    free: FreeMemory | None = None

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def kind(self) -> str:
        return self.entry.kind

    @property
    def shipped(self) -> bool:
        """Return whether it is the model that ships with Pitwall."""
        return self.entry.source == SHIPPED

    @property
    def layers(self) -> int:
        return self.entry.header.layers if self.entry.header is not None else 0

    @property
    def trained_context(self) -> int:
        """Return the number of tokens that it was trained for; 0 where it is not known."""
        return self.entry.header.context if self.entry.header is not None else 0

    @property
    def host(self) -> str:
        return host_of(self.entry.url)

    # ---- where it is

    @property
    def presence(self) -> Presence:
        if self.loading:
            return Presence.LOADING
        if self.held is not None:
            return Presence.LOADED
        if self.kind == "remote":
            return Presence.ENDPOINT
        return Presence.NOT_LOADED if self.there else Presence.GONE

    @property
    def on_gpu(self) -> bool:
        return self.held is not None and self.kind != "remote" and not self.held.device.startswith("CPU")

    @property
    def trouble(self) -> bool:
        """Return whether the note names something that keeps it from being loaded."""
        return bool(self.short) or self.presence is Presence.GONE

    @property
    def note(self) -> str:
        """Return a note for the operator; empty where none is needed."""
        if self.presence is Presence.GONE:
            return f"{self.entry.path} is not there any more. Bring the file back, or remove the model."
        if self.held is not None and self.held.note:
            return self.held.note
        return self._lack() if self.held is None else ""

    def _lack(self) -> str:
        """Return how much memory is missing to load it, and the remedies; empty where it fits."""
        lacking = [share for share in self.shares if share.short]
        if not lacking:
            return ""
        ways = ["fewer GPU layers"] if any(share.memory == "VRAM" for share in lacking) else []
        if all(share.kv + share.compute >= share.short for share in lacking):
            ways.append("a shorter context")
        ways.append("a smaller quantisation")
        missing = listed(f"{byte_size(share.short)} of {share.memory}" for share in lacking)
        return f"{missing} missing to load it now. Possible remedies: {', '.join(ways)}."

    # ---- memory

    @cached_property
    def shares(self) -> tuple[MemoryShare, ...]:
        """Return its need of VRAM and RAM with its options; empty where it is not known."""
        entry, free = self.entry, self.free
        if self.kind == "remote":
            return ()
        held = self.held.memory_bytes if self.held is not None else 0
        if entry.header is None:
            room = free.ram_bytes if free is not None else None
            return (MemoryShare(memory="RAM", weights=entry.size_bytes, free=room, held=held),)
        no_gpu = free is None or free.vram_bytes is None
        need = estimate(
            entry.header,
            context=entry.context,
            gpu_layers=0 if no_gpu else entry.gpu_layers,
            slots=max(1, len(self.tiers)),
            projector_bytes=entry.projector_bytes,
            flash=entry.flash_attention == "on",
        )
        on_gpu = held if self.on_gpu else 0
        return shares_of(need, free, held_ram=held - on_gpu, held_vram=on_gpu)

    def shares_with(self, changes: Mapping[str, Any]) -> tuple[MemoryShare, ...]:
        """Return the need with other options; a new projector counts as none, because its size is unknown."""
        unknown = {"projector_bytes": 0} if "projector" in changes else {}
        return replace(self, entry=self.entry.model_copy(update={**changes, **unknown})).shares

    @property
    def tightest(self) -> MemoryShare | None:
        """Return the memory that it comes closest to filling."""
        return max(self.shares, key=lambda share: share.fullness, default=None)

    @property
    def short(self) -> int:
        """Return the bytes missing of the tightest memory; 0 where it fits."""
        return self.tightest.short if self.tightest is not None else 0

    @property
    def memory_words(self) -> str:
        """Return memory in words, like "2.9 of 21.4 GiB RAM"."""
        if self.tightest is None:
            return "on the endpoint" if self.kind == "remote" else NONE
        return self.tightest.brief()

    @property
    def memory_sentence(self) -> str:
        if not self.shares:
            return "none here: it runs on the endpoint" if self.kind == "remote" else "not known"
        return "\n".join(share.sentence() for share in self.shares)

    # ---- two lines for each column of the table

    @property
    def kind_words(self) -> str:
        """Return the kind in words, like "GGUF · llama · sees" or "GGUF · llama · shipped"."""
        header = self.entry.header
        kind = {"gguf": "GGUF", "onnx": "ONNX", "remote": "endpoint"}[self.kind]
        origin = header.architecture if header is not None else self.host if self.kind == "remote" else ""
        gives = "embeds" if self.entry.embeds else "sees" if self.entry.sees else ""
        return " · ".join(filter(None, (kind, origin, gives, "shipped" if self.shipped else "")))

    @property
    def search_text(self) -> str:
        """Return what a search looks in, in lower case."""
        entry = self.entry
        tiers = " ".join(tier.value for tier in self.tiers)
        return f"{self.name} {self.kind_words} {entry.remote_model} {entry.path} {tiers}".casefold()

    @property
    def size_lines(self) -> tuple[str, str]:
        header = self.entry.header
        if self.kind == "remote":
            return self.entry.remote_model or NONE, ""
        if header is None:
            return byte_size(self.entry.size_bytes), ""
        return spelled(header.parameters), f"{header.quantisation} · {byte_size(header.file_bytes)}"

    @property
    def context_lines(self) -> tuple[str, str]:
        if self.kind == "onnx":
            return NONE, ""
        trained = self.trained_context
        return tokens(self.entry.context, short=True), f"of {trained:,}" if trained else ""

    @property
    def speed_lines(self) -> tuple[str, str]:
        measured = self.entry.measured
        if measured is None:
            return ("not measured" if self.kind != "onnx" else NONE), ""
        return speed(measured.tokens_per_s), measured.device.partition(":")[0]

    @property
    def tier_lines(self) -> tuple[str, str]:
        titles = [TIERS[tier].title.lower() for tier in self.tiers]
        if not titles:
            return NONE, ""
        first = 1 if len(titles) < 3 else 2
        return ", ".join(titles[:first]), ", ".join(titles[first:])

    @property
    def deed(self) -> str:
        """Return the command that loads it, or unloads it."""
        if self.presence is Presence.LOADED:
            return "Disconnect" if self.kind == "remote" else "Unload"
        return "Connect" if self.kind == "remote" else "Load"

    @property
    def state_lines(self) -> tuple[str, str]:
        if self.held is None:
            return self.presence.value, "! does not fit" if self.short else ""
        if self.kind == "remote" and not self.loading:
            return "● reached", self.host
        return self.presence.value, f"on {self.held.device.partition(':')[0]}"

    @property
    def state_tones(self) -> tuple[str, str]:
        top = _TONES.get(self.presence, "text" if self.loading else "dim")
        return top, "stop" if self.held is None and self.short else "dim"

    @property
    def state_chip(self) -> tuple[str, ToneName]:
        """State and tone: "● loaded on CPU"."""
        first, second = self.state_lines
        text = f"{first} {second}" if self.held is not None else first
        return text, _TONES.get(self.presence, "neutral")


def gather(
    entry: ModelEntry,
    *,
    there: bool,
    chosen: Mapping[Tier, str],
    mind: ControllersNote | None,
    free: FreeMemory | None,
) -> ModelViewModel:
    """Build the view model of one entry.

    Args:
        chosen: tier → name of its model. mind: the open engine's report; None without an engine.
    """
    held = (
        next((model for model in mind.held if model.name == entry.name), None) if mind is not None else None
    )
    return ModelViewModel(
        entry=entry,
        there=there,
        tiers=tuple(tier for tier in TIERS if chosen.get(tier) == entry.name),
        held=held,
        loading=mind is not None and mind.loading == entry.name,
        free=free,
    )
