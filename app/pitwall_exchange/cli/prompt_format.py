"""A model call for a person: its prompt in the colours of its layers, its reply and its cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from pitwall.cli.reporter import Line
from pitwall.core.calls import PICTURE, TEMPLATE, CallOutcome, CallRecord
from pitwall.core.prompts import Layer, Message, Prompt, hash_of
from pitwall.core.quantities import count_share, counted, figure

_TEXTLESS = {PICTURE: "picture", TEMPLATE: "chat template"}
"""Parts that count as layers, but have no text."""

_COLOURS: dict[str, str] = {
    Layer.PROTOCOL: "blue",
    Layer.SCHEMA: "cyan",
    Layer.KNOWLEDGE: "green",
    Layer.EPISODES: "yellow",
    Layer.SKILLS: "magenta",
}
_HASH_SHOWN = 12


@dataclass(frozen=True, slots=True)
class LayerText:
    """The part of a prompt that comes from a single layer.

    Attributes:
        tokens: None where they were not counted.
        items: ids of its entries, in order.
    """

    name: str
    tokens: int | None
    items: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call with the texts of its prompt; `prompt` is None where the run log has none."""

    record: CallRecord
    prompt: Prompt | None
    grammar: str

    @property
    def layers(self) -> tuple[LayerText, ...]:
        """Return each layer's share of the prompt, in the layers' order; layers without a text come last."""
        spans = self.prompt.spans if self.prompt is not None else ()
        by_layer = self.record.tokens.by_layer
        names = dict.fromkeys([*(span.layer.value for span in spans), *by_layer])
        return tuple(
            LayerText(
                name=name,
                tokens=by_layer.get(name),
                items=tuple(dict.fromkeys(span.item for span in spans if span.layer == name and span.item)),
                text="".join(span.text for span in spans if span.layer == name),
            )
            for name in sorted(names, key=lambda name: name in _TEXTLESS)
        )

    @property
    def cached_share(self) -> float | None:
        """Return the share of the prompt tokens that came from the cache, 0 … 1; None without tokens."""
        tokens = self.record.tokens
        return tokens.cached / tokens.prompt if tokens.prompt else None


def call_lines(asked: AskedCall) -> Iterator[str | Line]:
    """Yield the lines of a call: its cost, its prompt by layer, its reply."""
    record = asked.record
    yield ""
    where = f" on {record.device}" if record.device else ""
    yield Line(f"call {record.call} · {record.purpose} · {record.tier} · {record.model}{where}", bold=True)
    for line in _cost_lines(asked):
        yield f"  {line}"
    if asked.prompt is None:
        yield "  its prompt is not in the run log"
    else:
        yield from _prompt_lines(asked, asked.prompt)
    yield from _reply_lines(record)


def _cost_lines(asked: AskedCall) -> Iterator[str]:
    record, tokens, times = asked.record, asked.record.tokens, asked.record.times
    cached = f"{count_share(tokens.cached, tokens.prompt)} cached, " if tokens.prompt else ""
    yield f"prompt {tokens.prompt:,} tokens: {cached}{tokens.fresh:,} fresh · reply {tokens.output:,} tokens"
    if record.left_out:
        yield f"left out for the budget: {'; '.join(record.left_out)}"
    yield (
        f"queued {figure(times.queued_ms, 'ms')} · loading {figure(times.load_ms, 'ms')} · "
        f"first token {figure(times.first_token_ms, 'ms')} · took {figure(times.took_ms, 'ms')}"
    )
    yield f"prompt sha256 {record.prompt_hash}"
    if record.grammar_hash:
        yield f"grammar sha256 {record.grammar_hash}, {len(asked.grammar):,} characters"
    if record.image_ref:
        yield f"picture {record.image_ref}"


def _prompt_lines(asked: AskedCall, prompt: Prompt) -> Iterator[Line]:
    layers = {layer.name: layer for layer in asked.layers}
    begun: set[str] = set()
    for message in prompt.messages:
        yield Line(f"── {message.role}{' (with the picture)' if message.image else ''} ──", dim=True)
        for layer, text in _stretches(message):
            heading = f"{_title(layer)}, continued" if layer in begun else _heading(layers[layer])
            begun.add(layer)
            yield Line(f"▌{heading}", colour=_COLOURS.get(layer), bold=True)
            yield Line(_indented(text), colour=_COLOURS.get(layer))
    for name in _TEXTLESS:
        if name in layers:
            yield Line(f"▌{_heading(layers[name])}", bold=True)


def _stretches(message: Message) -> Iterator[tuple[Layer, str]]:
    for layer, spans in groupby(message.spans, key=lambda span: span.layer):
        yield layer, "".join(span.text for span in spans)


def _heading(layer: LayerText) -> str:
    tokens = "tokens not counted" if layer.tokens is None else counted(layer.tokens, "token")
    if layer.name in _TEXTLESS:
        return f"{_title(layer.name)} · {tokens}"
    items = f" · {', '.join(layer.items)}" if layer.items else ""
    return f"{_title(layer.name)} · {tokens} · sha256 {hash_of(layer.text)[:_HASH_SHOWN]}{items}"


def _title(name: str) -> str:
    if name in _TEXTLESS:
        return _TEXTLESS[name]
    word = next((layer.name.lower() for layer in Layer if layer == name), "")
    return name if word == name else f"{name} {word}".rstrip()


def _reply_lines(record: CallRecord) -> Iterator[str | Line]:
    finish = f" · finish {record.finish}" if record.finish else ""
    invalid = f" · {record.invalid.value.replace('_', ' ')}" if record.invalid is not None else ""
    actions = f" · {record.proposed} proposed, {record.illegal} illegal" if record.proposed else ""
    bad = record.outcome is not CallOutcome.USED
    head = f"── reply · {record.outcome}{finish}{invalid}{actions} ──"
    yield Line(head, colour="red" if bad else None, dim=not bad)
    if record.problem:
        yield _indented(f"problem: {record.problem}")
    yield _indented(record.reply or "(nothing)")


def _indented(text: str) -> str:
    """Indent a text, so that none of its lines can be taken for one of ours."""
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip("\n").split("\n"))
