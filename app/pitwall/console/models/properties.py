"""Lists a model's properties line by line: its file or endpoint, its header, and its measurements."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from pitwall.console.kit.elements import Card, KeyValue, clear_layout
from pitwall.console.kit.theme import STEP
from pitwall.console.models.format import speed, tokens
from pitwall.core.quantities import byte_size, figure, local_time, spelled
from pitwall.models.entry import ModelEntry
from pitwall.models.probed import card_lines

_SHORT_HASH = 16


class PropertyLine(NamedTuple):
    """A name and its value, with the whole value where it is shortened."""

    name: str
    text: str
    whole: str = ""


class PropertiesCard(Card):
    """Shows the lines of a model."""

    def __init__(self) -> None:
        super().__init__(gap=STEP)
        self._shown: tuple[PropertyLine, ...] = ()

    def show_entry(self, entry: ModelEntry, *, left_out: str = "") -> None:
        """Show a model; unchanged lines are left alone.

        Args:
            left_out: name of a line.
        """
        lines = tuple(line for line in _lines(entry) if line.name != left_out)
        if lines == self._shown:
            return
        self._shown = lines
        clear_layout(self.body)
        for name, text, whole in lines:
            line = KeyValue(name)
            line.set_value(text)
            line.setToolTip(whole or text)
            self.body.addWidget(line)


def _lines(entry: ModelEntry) -> tuple[PropertyLine, ...]:
    lines = _endpoint_lines(entry) if entry.kind == "remote" else _file_lines(entry)
    return tuple(line for line in (*lines, *_probed_lines(entry), *_measured_lines(entry)) if line.text)


def _file_lines(entry: ModelEntry) -> tuple[PropertyLine, ...]:
    header = entry.header
    lines = [
        PropertyLine("File", PurePath(entry.path).name, entry.path),
        PropertyLine("Size", byte_size(entry.size_bytes)),
    ]
    if header is not None:
        lines += [
            PropertyLine("Architecture", header.architecture),
            PropertyLine("Parameters", spelled(header.parameters)),
            PropertyLine("Quantisation", header.quantisation),
            PropertyLine("Layers", f"{header.layers} layers"),
            PropertyLine("Trained context", tokens(header.context)),
            PropertyLine("Vocabulary", tokens(header.vocabulary)),
            PropertyLine("Chat template", "in the file" if entry.has_chat_template else "none in the file"),
        ]
    if entry.kind == "gguf":
        gives = "embeddings" if entry.embeds else "text, from text and pictures" if entry.sees else "text"
        lines.append(PropertyLine("Gives", gives))
    if entry.projector:
        seen = f"{PurePath(entry.projector).name} · {byte_size(entry.projector_bytes)}"
        lines.append(PropertyLine("Projector", seen, entry.projector))
    if entry.inputs:
        lines += [
            PropertyLine("Inputs", ", ".join(entry.inputs)),
            PropertyLine("Outputs", ", ".join(entry.outputs)),
        ]
    short_hash = f"{entry.sha256[:_SHORT_HASH]}…" if entry.sha256 else ""
    return (
        *lines,
        PropertyLine("SHA-256", short_hash, entry.sha256),
        PropertyLine("From", entry.source),
        PropertyLine("Added", _when(entry.added_at)),
    )


def _endpoint_lines(entry: ModelEntry) -> tuple[PropertyLine, ...]:
    return (
        PropertyLine("Address", entry.url),
        PropertyLine("Model there", entry.remote_model),
        PropertyLine("Key", f"${entry.key_variable}" if entry.key_variable else "none"),
        PropertyLine("Pictures", "taken" if entry.sees else "not taken"),
        PropertyLine("Added", _when(entry.added_at)),
    )


def _probed_lines(entry: ModelEntry) -> tuple[PropertyLine, ...]:
    clicks = (PropertyLine("Clicks", entry.click_words),) if entry.sees else ()
    if entry.probed is None or entry.probed.only:
        return clicks
    lines = tuple(
        PropertyLine(name, text) for name, text in card_lines(entry.probed, remote=entry.kind == "remote")
    )
    return (PropertyLine("Answers", "not language" if entry.doubt else "", entry.doubt), *lines[1:], *clicks)


def _measured_lines(entry: ModelEntry) -> tuple[PropertyLine, ...]:
    measured = entry.measured
    if measured is None:
        return ()
    return (
        PropertyLine("Writes", speed(measured.tokens_per_s)),
        PropertyLine("Reads", speed(measured.prompt_tokens_per_s) if measured.prompt_tokens_per_s else ""),
        PropertyLine("First token", figure(measured.first_token_ms, "ms") if measured.first_token_ms else ""),
        PropertyLine("Loaded in", figure(measured.load_ms, "ms") if measured.load_ms else ""),
        PropertyLine("Memory used", byte_size(measured.memory_bytes) if measured.memory_bytes else ""),
        PropertyLine("Measured", " · ".join(filter(None, (_when(measured.measured_at), measured.device)))),
    )


def _when(stamp: str) -> str:
    return local_time(stamp) if stamp else ""
