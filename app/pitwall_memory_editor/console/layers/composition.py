"""A prompt composed with the layers in force and with others: sizes, entries, differences. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pitwall.console.state.model_calls import Calls
from pitwall.core.calls import PICTURE, TEMPLATE, Purpose
from pitwall.core.prompts import PROMPT_LAYERS, Layer, Prompt, Span
from pitwall.core.settings import LayerSettings, Settings
from pitwall.memory.prompt.compose import CUT, compose
from pitwall.memory.prompt.layer_entries import HEADINGS, PromptLayers
from pitwall_memory_editor.console.layers.situation import Situation, turn_of

BYTES_A_TOKEN = 3.0
"""As the engine estimates where no tokeniser has counted."""
_LIMITS = {
    Purpose.REACT: "reactive_tokens",
    Purpose.REFLECT: "reflection_tokens",
    Purpose.DESCRIBE: "description_tokens",
}
_TEMPLATE_TOKENS = 64
_NAME_LENGTH = 36
LISTED = (Layer.KNOWLEDGE, Layer.EPISODES, Layer.SKILLS)
"""Layers with caps in items."""


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Estimates tokens of a text.

    Attributes:
        model: whose last prompt it was learnt from; empty: none has counted yet.
    """

    bytes_a_token: float = BYTES_A_TOKEN
    model: str = ""

    def __call__(self, text: str) -> int:
        return math.ceil(len(text.encode("utf-8", "replace")) / self.bytes_a_token)

    @property
    def words(self) -> str:
        """Tell in words how the prompt's tokens are counted."""
        if not self.model:
            why = "for no model has counted a prompt yet"
            return f"tokens estimated: {self.bytes_a_token:g} bytes each, {why}"
        return (
            f"tokens estimated: {self.bytes_a_token:.1f} bytes each, as {self.model} counted its last prompt"
        )


def counter_of(calls: Calls) -> TokenCounter:
    """Return a token counter that is calibrated by the newest prompt that a model counted."""
    for call in reversed(list(calls)):
        if call.record is None or call.prompt is None:
            continue
        tokens = sum(
            n for layer, n in call.record.tokens.by_layer.items() if layer not in (PICTURE, TEMPLATE)
        )
        size = sum(len(span.text.encode("utf-8", "replace")) for span in call.prompt.spans)
        if tokens > 0 and size > 0:
            return TokenCounter(size / tokens, call.model)
    return TokenCounter()


def prompt_budget(purpose: Purpose, settings: Settings, context: int) -> int:
    """Return the tokens of a model's context that a prompt may use; 0 if unknown."""
    if context <= 0:
        return 0
    limit = int(getattr(settings.models, _LIMITS.get(purpose, "planning_tokens")))
    return max(1, context - limit - _TEMPLATE_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerUse:
    """The part of a layer in a prompt.

    Attributes:
        items: ids of its entries that entered. offered: how many might have.
        tokens: of its whole text. cap: the most there may be.
        cut: the state was longer than its cap.
    """

    items: tuple[str, ...] = ()
    offered: int = 0
    tokens: int = 0
    cap: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A prompt and its layers, in their order."""

    prompt: Prompt
    uses: dict[Layer, LayerUse] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return sum(use.tokens for use in self.uses.values())

    @property
    def by_layer(self) -> dict[str, int]:
        """Return the tokens of each layer that has any."""
        return {layer.value: use.tokens for layer, use in self.uses.items() if use.tokens}


def composed(
    book: PromptLayers,
    situation: Situation,
    purpose: Purpose,
    layers: LayerSettings,
    settings: Settings,
    count: TokenCounter,
    *,
    context: int = 0,
) -> Composed:
    """Compose the prompt that would be sent.

    Args:
        layers: switches and caps. settings: the other settings.
        context: size of the tier's model context; 0 if unknown.
    """
    book = book.with_settings(layers, settings.memory, alone=settings.control.alone)
    book = book.with_instruction(situation.instruction)
    prompt = compose(
        book,
        purpose=purpose,
        values=situation.values,
        turn=turn_of(situation, purpose, book, settings, count),
        count=count,
        layers=layers,
        room=prompt_budget(purpose, settings, context),
    )

    def use(layer: Layer) -> LayerUse:
        spans = [span.text for span in prompt.spans if span.layer is layer]
        return LayerUse(
            items=tuple(_entries(prompt, layer)),
            offered=len(book.items(layer, purpose=purpose, values=situation.values)),
            tokens=sum(count(text) for text in spans),
            cap=getattr(layers, f"{layer.value.lower()}_tokens"),
            cut=layer is Layer.STATE and any(CUT in text for text in spans),
        )

    return Composed(prompt=prompt, uses={layer: use(layer) for layer in PROMPT_LAYERS})


def difference(now: Composed, then: Composed, layer: Layer) -> str:
    """Return the entries that enter or leave a layer or change their text; empty without a difference."""
    before, after = now.uses[layer], then.uses[layer]
    lines = [f"+ {item}" for item in after.items if item not in before.items]
    lines += [f"− {item}" for item in before.items if item not in after.items]
    texts = _entries(now.prompt, layer), _entries(then.prompt, layer)
    same = [item for item in after.items if item in before.items]
    lines += [f"~ {item}" for item in same if texts[0][item] != texts[1][item]]
    if layer is Layer.STATE:
        if before.cut != after.cut:
            lines.append("its end is cut" if after.cut else "its end is no longer cut")
        messages = _earlier(then.prompt) - _earlier(now.prompt)
        if messages:
            lines.append(f"{messages:+d} earlier messages".replace("-", "−"))
    return ", ".join(lines)


def _entries(prompt: Prompt, layer: Layer) -> dict[str, str]:
    """Return a layer's entries in a prompt: readable name and text."""
    if layer is Layer.STATE:
        return {}
    heading = HEADINGS.get(layer, "")
    spans = [span for span in prompt.spans if span.layer is layer and span.text != heading]
    return {_name_of(span): span.text for span in spans}


def _name_of(span: Span) -> str:
    if span.item and span.layer is not Layer.EPISODES:
        return span.item
    words = " ".join(span.text.removeprefix("- ").split())
    return words if len(words) <= _NAME_LENGTH else words[: _NAME_LENGTH - 1].rstrip() + "…"


def _earlier(prompt: Prompt) -> int:
    """Return messages before the question of now, the system's apart."""
    return sum(message.role != "system" for message in prompt.messages) - 1
