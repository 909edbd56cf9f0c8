"""Shortens a prompt that this machine would read too slowly: which parts are left out, in order (SPEC §4).

The head (L1 to L3) is read once and kept by the prefix cache: it may take several times as many tokens as the
rest, which is read again for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.core.calls import Purpose
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer
from pitwall.core.settings import Settings
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.layers import LayerItem, PromptCut
from pitwall.memory.value_format import field_lines

ONCE = 2
"""Multiple of the budget that the head may take (choice)."""
_STEP_TOKENS = 24
"""Rough number of tokens of a recent step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPrompt:
    """A prompt's parts after shortening.

    Attributes:
        fields: names of the fields that the state shows; None: all.
        left_out: descriptions of the omitted parts, in the order of omission.
    """

    book: PromptLayers
    settings: Settings
    fields: frozenset[str] | None = None
    left_out: tuple[str, ...] = ()


def fit_prompt(
    book: PromptLayers,
    settings: Settings,
    *,
    budget: int,
    purpose: Purpose,
    values: Mapping[str, Value],
    skills: Sequence[str] | None,
    closed: bool,
    steps: int,
    count: Callable[[str], int],
) -> FittedPrompt:
    """Shorten a prompt until its parts fit, in SPEC's order.

    Args:
        budget: tokens that may be read without the cache. skills: names of the listed skills; None: all that
        apply. closed: the reply is one of given options, each of which the prompt names: it writes nothing of
        L2. steps: recent steps that the state would show. count: returns the tokens of a text.
    """
    fitting = _Fitting(book, settings, purpose, values, skills, count)
    if fitting.head() > ONCE * budget or fitting.fresh(steps) > budget:
        fitting.leave_out("fields that no condition uses", PromptCut(fields=True))
        fitting.fields = book.used_fields(fitting.listed() if closed else None)
    if fitting.head() > ONCE * budget:
        part = "actions, modules and fields, which a choice does not write" if closed else "what actions do"
        fitting.leave_out(part, PromptCut(fields=True, schema="none" if closed else "brief"))
    if fitting.head() > ONCE * budget:
        fitting.leave_out_knowledge(ONCE * budget)
    if fitting.fresh(steps) > budget:
        fitting.leave_out_history()
    if fitting.head() > ONCE * budget or fitting.fresh(1) > budget:
        cut = PromptCut(fields=True, schema=fitting.book.cut.schema, brief=True, closed=closed)
        fitting.leave_out("the long form of rules and skills", cut)
    return FittedPrompt(
        book=fitting.book, settings=fitting.settings, fields=fitting.fields, left_out=tuple(fitting.left_out)
    )


@dataclass(slots=True)
class _Fitting:
    """A prompt that is being shortened."""

    book: PromptLayers
    settings: Settings
    purpose: Purpose
    values: Mapping[str, Value]
    skills: Sequence[str] | None
    count: Callable[[str], int]
    fields: frozenset[str] | None = None
    left_out: list[str] = field(default_factory=list)

    def head(self) -> int:
        """Return the tokens of the part before the changing part."""
        knowledge = min(self._tokens(Layer.KNOWLEDGE), self.settings.layers.l3_tokens)
        return self._tokens(Layer.PROTOCOL) + self._tokens(Layer.SCHEMA) + knowledge

    def fresh(self, steps: int) -> int:
        """Return roughly the tokens that are read again for each call."""
        values = {
            name: value for name, value in self.values.items() if self.fields is None or name in self.fields
        }
        lines = "\n".join(field_lines(values, self.book.units, self.book.lengths))
        recent = min(steps, self.settings.models.recent_steps) * _STEP_TOKENS
        episodes = min(self._tokens(Layer.EPISODES), self.settings.layers.l4_tokens)
        asked = self.count(self.book.ask(self.purpose))
        return episodes + self._tokens(Layer.SKILLS) + self.count(lines) + recent + asked

    def listed(self) -> frozenset[str]:
        """Return the names of the skills that the prompt lists."""
        return frozenset(item.item for item in self._items(Layer.SKILLS))

    def leave_out(self, part: str, cut: PromptCut) -> None:
        self.book = self.book.with_cut(cut)
        self.left_out.append(part)

    def leave_out_knowledge(self, most: int) -> None:
        """Keep the first sections that fit."""
        sections = len(self._items(Layer.KNOWLEDGE))
        room = max(0, most - self._tokens(Layer.PROTOCOL) - self._tokens(Layer.SCHEMA))
        kept = 0
        for item in self._items(Layer.KNOWLEDGE):
            room -= self.count(item.text)
            kept += room >= 0
        if kept < sections:
            self._layers(l3_items=kept, **({} if kept else {"l3": "off"}))
            self.left_out.append(f"{sections - kept} of {sections} sections of knowledge")

    def leave_out_history(self) -> None:
        """Keep only the newest step, and neither earlier messages nor earlier runs."""
        self._layers(thread_messages=1, l4="disable")
        models = self.settings.models.model_copy(
            update={"recent_steps": min(1, self.settings.models.recent_steps)}
        )
        self.settings = self.settings.model_copy(update={"models": models})
        self.left_out.append("earlier runs, and steps before the last")

    def _layers(self, **changes: object) -> None:
        layers = self.settings.layers.model_copy(update=changes)
        self.settings = self.settings.model_copy(update={"layers": layers})
        self.book = self.book.with_settings(layers, self.settings.memory, alone=self.book.alone)

    def _items(self, layer: Layer) -> Sequence[LayerItem]:
        items = self.book.items(layer, purpose=self.purpose, values=self.values)
        if layer is Layer.SKILLS and self.skills is not None:
            return [item for item in items if item.item in self.skills]
        return items

    def _tokens(self, layer: Layer) -> int:
        return sum(self.count(item.text) for item in self._items(layer))
