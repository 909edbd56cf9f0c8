"""What is known of a model, line by line: file or endpoint, what was read of it and measured. No Qt."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath
from typing import NamedTuple

from pitwall.console import words
from pitwall.console.pages.models_words import parameters, size, speed, tokens
from pitwall.console.pages.runs_words import when
from pitwall.models.entry import ModelEntry

_SHORT_HASH = 16


class Line(NamedTuple):
    """A name and its value; the whole where the value is only a part of it."""

    name: str
    text: str
    whole: str = ""


def entry_lines(entry: ModelEntry) -> tuple[Line, ...]:
    """The file or the endpoint, what was read of it, and what was measured."""
    found = _endpoint_lines(entry) if entry.kind == "remote" else _file_lines(entry)
    return tuple(line for line in (*found, *_measured_lines(entry)) if line.text)


def _file_lines(entry: ModelEntry) -> tuple[Line, ...]:
    header = entry.header
    lines = [Line("File", PurePath(entry.path).name, entry.path), Line("Size", size(entry.size_bytes))]
    if header is not None:
        lines += [
            Line("Architecture", header.architecture),
            Line("Parameters", parameters(header.parameters)),
            Line("Quantisation", header.quantisation),
            Line("Layers", f"{header.layers} layers"),
            Line("Trained context", tokens(header.context)),
            Line("Vocabulary", tokens(header.vocabulary)),
            Line("Chat template", "in the file" if entry.has_chat_template else "none: ChatML stands in"),
        ]
    if entry.kind == "gguf":
        gives = "embeddings" if entry.embeds else "text, from text and pictures" if entry.sees else "text"
        lines.append(Line("Gives", gives))
    if entry.projector:
        seen = f"{PurePath(entry.projector).name} · {size(entry.projector_bytes)}"
        lines.append(Line("Projector", seen, entry.projector))
    if entry.inputs:
        lines += [Line("Inputs", ", ".join(entry.inputs)), Line("Outputs", ", ".join(entry.outputs))]
    short_hash = f"{entry.sha256[:_SHORT_HASH]}…" if entry.sha256 else ""
    return (
        *lines,
        Line("SHA-256", short_hash, entry.sha256),
        Line("From", entry.source),
        Line("Added", _when(entry.added_at)),
    )


def _endpoint_lines(entry: ModelEntry) -> tuple[Line, ...]:
    return (
        Line("Address", entry.url),
        Line("Model there", entry.remote_model),
        Line("Key", f"${entry.key_variable}" if entry.key_variable else "none"),
        Line("Pictures", "taken" if entry.sees else "not taken"),
        Line("Added", _when(entry.added_at)),
    )


def _measured_lines(entry: ModelEntry) -> tuple[Line, ...]:
    measured = entry.measured
    if measured is None:
        return ()
    return (
        Line("Writes", speed(measured.tokens_per_s)),
        Line("Reads", speed(measured.prompt_tokens_per_s) if measured.prompt_tokens_per_s else ""),
        Line("First token", words.figure(measured.first_token_ms, "ms") if measured.first_token_ms else ""),
        Line("Loaded in", words.figure(measured.load_ms, "ms") if measured.load_ms else ""),
        Line("Took of memory", size(measured.memory_bytes) if measured.memory_bytes else ""),
        Line("Measured", " · ".join(filter(None, (_when(measured.measured_at), measured.device)))),
    )


def _when(stamp: str) -> str:
    return when(stamp, datetime.now().astimezone()) if stamp else ""
