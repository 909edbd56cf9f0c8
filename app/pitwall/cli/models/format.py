"""Writes models as lines for a person and as JSON for a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.reporter import Reporter
from pitwall.core.calls import Tier
from pitwall.core.errors import NotEnoughMemory
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_share, byte_size, spelled
from pitwall.core.settings import Settings, load_settings
from pitwall.models.address import host_of
from pitwall.models.entry import Measured, ModelEntry
from pitwall.models.files.integrity import Progress
from pitwall.models.files.onnx_header import TOKENIZER, beside
from pitwall.models.free_memory import FreeMemory, free_memory
from pitwall.models.memory_estimate import MemoryEstimate, check_fits
from pitwall.models.probed import card_lines
from pitwall.models.shipped import SOURCE as SHIPPED
from pitwall.models.shipped import WHAT_IT_IS, card_file, shipped_model_serves

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of a model, as listed.")]


def tiers_using(entry: ModelEntry, settings: Settings) -> list[str]:
    """Return the names of the tiers that use a model."""
    return [tier.value for tier in Tier if getattr(settings.models, tier.value) == entry.name]


def shipped_model_tiers(entry: ModelEntry, settings: Settings) -> list[str]:
    """Return the tiers that the shipped model serves without being chosen; empty for other models."""
    stands = shipped_model_serves(settings) if entry.source == SHIPPED else {}
    return [tier.value for tier in Tier if tier.value in stands]


def entry_json(entry: ModelEntry, settings: Settings, free: FreeMemory) -> dict[str, Any]:
    """Return a model for a program: the registry's fields, its tiers and its memory needs."""
    need = need_of(entry, settings, free)
    shipped = entry.source == SHIPPED
    return {
        **entry.model_dump(mode="json"),
        "shipped": shipped,
        "card": str(card_file()) if shipped and card_file().is_file() else None,
        "tokens_per_s": entry.tokens_per_s,
        "doubt": entry.doubt,
        "probed": entry_card(entry),
        "tiers": tiers_using(entry, settings),
        "stands_in": shipped_model_tiers(entry, settings),
        "need": None if need is None else need_json(need),
    }


def entry_card(entry: ModelEntry) -> dict[str, Any] | None:
    """Return the results of a model's probe for a program; None where it was not probed."""
    if entry.probed is None:
        return None
    return {
        **asdict(entry.probed),
        "free_text": not entry.probed.no_text,
        "why_no_text": entry.probed.no_text,
    }


def card_text(entry: ModelEntry) -> list[str]:
    """Describe what a model can do, one line a result, with the place of its own card if it has one."""
    clicks = [f"  {'Clicks':20s} {entry.click_words}"] if entry.sees and entry.click_words else []
    if entry.source == SHIPPED or entry.probed is None:
        return clicks
    lines = [f"  {name:20s} {text}" for name, text in card_lines(entry.probed, remote=entry.kind == "remote")]
    lines += clicks
    return [*lines, *([f"  {entry.doubt}"] if entry.doubt else [])]


def need_of(entry: ModelEntry, settings: Settings, free: FreeMemory) -> MemoryEstimate | None:
    """Estimate a model's memory, with a slot for each tier that it serves; None without a header."""
    slots = max(1, len(tiers_using(entry, settings)) + len(shipped_model_tiers(entry, settings)))
    return entry.need(slots=slots, gpu=free.vram_bytes is not None)


def need_json(need: MemoryEstimate) -> dict[str, int]:
    """Return bytes by purpose and by place."""
    return {
        "slots": need.slots,
        "weights_bytes": need.weights_bytes,
        "kv_bytes": need.kv_bytes,
        "compute_bytes": need.compute_bytes,
        "gpu_bytes": need.gpu_bytes,
        "ram_bytes": need.ram_bytes,
        "total_bytes": need.total_bytes,
    }


def entry_line(entry: ModelEntry, settings: Settings) -> str:
    """Describe one model in one line."""
    unmeasured = "" if entry.kind == "onnx" else "not measured"
    speed = f"{entry.tokens_per_s:,.1f} tok/s" if entry.tokens_per_s else unmeasured
    tiers = _serves(entry, settings)
    room = "" if entry.kind == "onnx" else f"{entry.context:,} tokens"
    return f"{entry.name:24s} {_kind_of(entry):34s} {room:>15s}  {speed:>14s}  {tiers}"


def entry_text(entry: ModelEntry, settings: Settings, free: FreeMemory) -> list[str]:
    """Describe one model in full."""
    lines = [entry_line(entry, settings)]
    if entry.path:
        lines += [f"file: {entry.path} ({byte_size(entry.size_bytes)})", f"SHA-256: {entry.sha256}"]
    if entry.source == SHIPPED:
        lines += [f"It {SHIPPED}. {WHAT_IT_IS}", _card_line()]
    elif entry.source:
        lines.append(f"from: {entry.source}")
    if entry.projector:
        lines.append(f"sees through: {entry.projector}")
    if entry.url:
        key = f", key in ${entry.key_variable}" if entry.key_variable else ""
        lines.append(f"endpoint: {entry.url}, model {entry.remote_model}{key}")
    if (header := entry.header) is not None:
        lines.append(
            f"{spelled(header.parameters)} parameters, {header.layers} layers, "
            f"trained for {header.context:,} tokens, a vocabulary of {header.vocabulary:,}"
        )
        if not entry.has_chat_template:
            lines.append("It brings no chat template: it may not understand a conversation.")
        layers = "all" if entry.gpu_layers < 0 else str(entry.gpu_layers)
        threads = entry.threads or "as many as help"
        lines.append(f"GPU layers: {layers}, threads: {threads}, flash attention: {entry.flash_attention}")
    if entry.outputs:
        lines.append(f"{', '.join(entry.inputs)} → {', '.join(entry.outputs)}")
    need = need_of(entry, settings, free)
    if need is not None:
        lines.append(need_text(need))
    if (measured := entry.measured) is not None:
        lines.append(_speed_line(measured))
    tried = [f"tried {entry.trial.tried_at[:10]}: {entry.trial.sentence}"] if entry.trial is not None else []
    return [*lines, *card_text(entry), *tried]


def _speed_line(measured: Measured) -> str:
    return (
        f"measured {measured.measured_at[:10]} on {measured.device}: {measured.tokens_per_s:,.1f} tok/s"
        + (f", prompt {measured.prompt_tokens_per_s:,.0f} tok/s" if measured.prompt_tokens_per_s else "")
        + (f", first token {measured.first_token_ms:,.0f} ms" if measured.first_token_ms else "")
        + (f", loaded in {measured.load_ms:,.0f} ms" if measured.load_ms else "")
    )


def need_text(need: MemoryEstimate) -> str:
    """Describe a model's memory need in one line."""
    parts = (
        f"weights {byte_size(need.weights_bytes)}, keys and values {byte_size(need.kv_bytes)}, "
        f"buffers {byte_size(need.compute_bytes)}"
    )
    slots = "1 tier" if need.slots == 1 else f"{need.slots} tiers"
    return f"needs {byte_size(need.total_bytes)} with {slots}: {parts}"


def free_text(free: FreeMemory) -> str:
    """Describe the free memory in one line."""
    video = "no GPU found" if free.vram_bytes is None else f"{byte_size(free.vram_bytes)} of video memory"
    return f"free now: {byte_size(free.ram_bytes)} of memory, {video}"


def tiers_of(settings: Settings) -> dict[str, str]:
    """Return the name of each tier's model; empty for none."""
    return {tier.value: str(getattr(settings.models, tier.value)) for tier in Tier}


def checking_progress(report: Reporter) -> Progress:
    """Return a callback that reports how far a file is checked, a hundred times at most."""
    last = 0

    def tell(done: int, total: int) -> None:
        nonlocal last
        if done == total or done - last >= total // 100:
            last = done
            report.progress(done, total, f"checking: {byte_share(done, total)}", stage="checking")

    return tell


def report_added(
    entry: ModelEntry, folder: DataFolder, report: Reporter, trouble: str = "", **more: Any
) -> None:
    """Report an added model, its card, and whether it fits into the free memory.

    Args:
        trouble: why it could not be probed; empty where it was probed or was not to be.
    """
    settings, free = load_settings(folder.settings), free_memory()
    need = need_of(entry, settings, free)
    fits = True
    if need is not None:
        try:
            check_fits(need, free)
        except NotEnoughMemory as error:
            trouble, fits = str(error), False
    if entry.kind == "onnx" and entry.embeds:
        tokenizer = beside(Path(entry.path), TOKENIZER)
        if not tokenizer.is_file():
            trouble = f"It embeds no text before its tokenizer lies there: {tokenizer}"
    body = {
        "entry": entry_json(entry, settings, free),
        "free": free,
        "fits": fits,
        "note": trouble,
    }
    lines = [f"{entry.name} is added.", entry_line(entry, settings)]
    lines += [need_text(need)] if need is not None else []
    lines += [*card_text(entry), *([_speed_line(entry.measured)] if entry.measured else [])]
    lines.append(trouble or free_text(free))
    if entry.kind != "onnx":
        lines.append(f"Let it think: pitwall models use {entry.name} --tier strategic --tier fast")
    elif entry.embeds:
        lines.append(f"Let the memory use it: pitwall settings set memory.embedder {entry.name}")
    report.result({**body, **more}, lines)


def tier_lines(settings: Settings) -> Iterator[str]:
    """Yield a line for each tier with the model that serves it."""
    stands = shipped_model_serves(settings)
    for tier, used in tiers_of(settings).items():
        other = f"none chosen: {stands[tier]} (shipped) thinks" if tier in stands else "none"
        yield f"{tier:10s} {used or other}"


def _serves(entry: ModelEntry, settings: Settings) -> str:
    """Name a model's tiers: "fast, strategic", "shipped; fast, strategic where none is chosen", "no tier"."""
    chosen, stands = ", ".join(tiers_using(entry, settings)), ", ".join(shipped_model_tiers(entry, settings))
    parts = (
        "shipped" if entry.source == SHIPPED else "",
        chosen,
        f"{stands} where none is chosen" if stands else "",
        "" if chosen or stands else "no tier",
    )
    return "; ".join(filter(None, parts))


def _card_line() -> str:
    card = card_file()
    return f"card: {card}" if card.is_file() else f"card: none ({card} is not there)"


def _kind_of(entry: ModelEntry) -> str:
    sees = " + sees" if entry.sees else ""
    if entry.header is not None:
        return f"{entry.header.architecture} {entry.header.quantisation} {byte_size(entry.size_bytes)}{sees}"
    if entry.kind == "remote":
        return f"endpoint {host_of(entry.url)}{sees}"
    return f"ONNX {'encoder' if entry.embeds else 'policy'} {byte_size(entry.size_bytes)}"
