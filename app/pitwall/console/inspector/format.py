"""Texts of the decision inspector: layers, outcomes, legality, replies. No Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pitwall.console.kit import format as words
from pitwall.console.kit.format import Badge
from pitwall.console.state.model_calls import Call
from pitwall.core.actions import Invalid
from pitwall.core.calls import PICTURE, TEMPLATE, CallOutcome, CallTokens, Purpose, Tier
from pitwall.core.prompts import Layer, Prompt
from pitwall.core.quantities import NONE, byte_size, counted, share
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord
from pitwall.core.telemetry import ControllersNote
from pitwall.models.shipped import NAME as SHIPPED

LAYER_ORDER: tuple[str, ...] = (*(layer.value for layer in Layer), PICTURE, TEMPLATE)
"""The layers in the order of a prompt; pictures and additions of the chat template come last."""
LAYER_NAMES: dict[str, str] = {
    "L1": "operator and protocol",
    "L2": "state schema and actions",
    "L3": "game knowledge",
    "L4": "episodes",
    "L5": "skills to plan by",
    "rounds": "the last rounds, whole",
    "state": "what holds now",
    PICTURE: "the picture",
    TEMPLATE: "added by the chat template",
}
PURPOSES: dict[Purpose, str] = {
    Purpose.ANALYSE_SCREEN: "analyse screen",
    Purpose.REFLECT_TASK: "reflect: task",
    Purpose.REFLECT_HISTORY: "reflect: history",
    Purpose.REFLECT_ACTIONS: "reflect: actions",
    Purpose.PLAN_TASK: "plan: task",
    Purpose.PLAN_ACTIONS: "plan: actions",
    Purpose.PROPOSE_SKILL: "propose a skill",
    Purpose.JUDGE_SKILL: "judge a skill",
    Purpose.IMPROVE_REWARD: "improve a reward",
    Purpose.IMPROVE_RULES: "improve rules",
    Purpose.IMPROVE_LABELS: "improve labels",
    Purpose.INVENT_MODULE: "invent a module",
}
"""Purposes whose name is not their word."""
_OUTCOMES: dict[CallOutcome, Badge] = {
    CallOutcome.USED: Badge("✓", "used", "ok"),
    CallOutcome.DROPPED: Badge("✕", "dropped, too late", "stop"),
    CallOutcome.INVALID: Badge("!", "invalid", "stop"),
    CallOutcome.FAILED: Badge("!", "failed", "stop"),
    CallOutcome.CANCELLED: Badge("○", "cancelled", "neutral"),
}
_FINISHES = {
    "stop": "ended by itself",
    "length": "cut at its token limit",
    "deadline": "cut at its deadline",
    "cancelled": "cancelled",
}
_LETTERS_A_TOKEN = 40
"""More letters a token than any word has: the model knows whole sentences."""
_MOST_FIELDS = 24
_MOST_VALUE = 2_000
_MOST_PARSED = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A step as the inspector shows it.

    Attributes:
        record: None while the step is not finished.
        calls: made for it, in the order they were asked.
        first, last: steps there are. with_calls: those that a model was asked for, ascending.
        note: why the step cannot be shown; empty where it can.
        retrieved: the memory was asked for it.
    """

    step: int
    record: StepRecord | None
    calls: tuple[Call, ...]
    first: int = 1
    last: int = 1
    with_calls: Sequence[int] = ()
    note: str = ""
    retrieved: bool = False

    @property
    def before(self) -> int:
        """Return the nearest earlier step with calls; 0 for none."""
        return max((step for step in self.with_calls if step < self.step), default=0)

    @property
    def after(self) -> int:
        """Return the nearest later step with calls; 0 for none."""
        return min((step for step in self.with_calls if step > self.step), default=0)

    @property
    def nearest(self) -> int:
        """Return the nearest step with calls, the earlier of two; 0 where there is none."""
        around = [step for step in (self.before, self.after) if step]
        return min(around, key=lambda step: abs(step - self.step), default=0)


def purpose(of: Purpose) -> str:
    """Name a call's purpose."""
    return PURPOSES.get(of, of.value)


def tier_route(tier: Tier) -> Route:
    """Return the route whose colour and sign a tier carries."""
    return Route.REACTIVE if tier is Tier.FAST else Route.STRATEGIC


def outcome(call: Call) -> Badge:
    """Return the outcome of a call, or its present activity."""
    if call.outcome is not None:
        return _OUTCOMES[call.outcome]
    if call.cut:
        return Badge("○", "cut off", "neutral")
    return Badge("…", "writing" if call.tokens else "reading the prompt", "neutral")


def problem(call: Call) -> str:
    """Return the problem of a call as a sentence; empty where it has none."""
    return call.record.problem if call.record is not None else call.cut


def left_out(call: Call) -> str:
    """Say what a call's prompt left out for the budget; empty for nothing."""
    parts = call.record.left_out if call.record is not None else ()
    return f"Left out for the budget: {'; '.join(parts)}." if parts else ""


def legality(call: Call) -> Badge:
    """Return whether the reply's proposed actions are legal (SPEC §5)."""
    record = call.record
    if record is None:
        return Badge("…", "not known yet" if call.open else "not known", "neutral")
    counts = f"{counted(record.proposed, 'action')} proposed"
    if record.invalid is Invalid.NO_CALL:
        return Badge("!", "no call: no readable action", "stop")
    if record.invalid is Invalid.MALFORMED:
        return Badge("!", "malformed: a call that cannot be read", "stop")
    if record.invalid is Invalid.OUT_OF_SPACE:
        return Badge("!", f"illegal: {record.illegal} of {counts}", "stop")
    if record.illegal:
        return Badge("!", f"{record.illegal} of {counts} illegal, left out", "stop")
    if record.outcome in (CallOutcome.FAILED, CallOutcome.CANCELLED):
        return Badge("○", "nothing was proposed", "neutral")
    if not record.proposed:
        return Badge("○", "proposes no action", "neutral")
    return Badge("✓", f"legal: {counts}", "ok")


def finish(call: Call) -> str:
    """Say how the writing of the reply ended; empty for an open call."""
    if call.record is None:
        return ""
    return _FINISHES.get(call.record.finish, call.record.finish)


def cached_words(tokens: CallTokens) -> str:
    """Write the tokens of a prompt: "2,914 tokens · 2,230 cached · 684 fresh"."""
    return f"{tokens.prompt:,} tokens · {tokens.cached:,} cached · {tokens.fresh:,} fresh"


def whole_sentences(prompt: Prompt | None, tokens: Mapping[str, int]) -> str:
    """Say that a model reads whole sentences as single tokens; empty where no layer shows it."""
    sizes = layer_sizes(prompt, {})[0]
    whole = any(
        size > _LETTERS_A_TOKEN * tokens[layer] > 0 for layer, size in sizes.items() if layer in tokens
    )
    return "Sentences that this model knows by heart are one token each." if whole else ""


def cached_share(tokens: CallTokens) -> str:
    """Write the cached share of a prompt: "77 %"; a dash where there was no prompt."""
    return share(tokens.cached / tokens.prompt) if tokens.prompt else NONE


def layer_sizes(prompt: Prompt | None, tokens: Mapping[str, int]) -> tuple[dict[str, int], bool]:
    """Return each layer's size in a prompt's order, and whether in tokens; else in characters."""
    if any(tokens.values()):
        return {name: tokens[name] for name in LAYER_ORDER if tokens.get(name)}, True
    sizes = dict.fromkeys(LAYER_ORDER, 0)
    for span in prompt.spans if prompt is not None else ():
        sizes[span.layer.value] += len(span.text)
    return {name: size for name, size in sizes.items() if size}, False


def prompt_text(prompt: Prompt) -> str:
    """Return the whole prompt as text, each message under its role."""
    return "\n".join(f"[{message.role}]\n{message.text}" for message in prompt.messages)


def picture(call: Call) -> str:
    """Return the size of the picture that was sent with a call, as far as it is known."""
    if call.image_width:
        return f"{call.image_width}×{call.image_height} px"
    return "sent" if call.sent_picture else "none was sent"


def parsed(reply: str) -> tuple[tuple[str, str], ...] | None:
    """Return the reply's JSON object as names and values; None where the reply has no whole object.

    A model's reply is untrusted data: it is shown as it is and never acted on here.
    """
    start = reply.find("{")
    if start < 0:
        return None
    try:
        parsed_reply, _ = json.JSONDecoder().raw_decode(reply[start : start + _MOST_PARSED])
        rows = [(name.replace("_", " "), _value(value)) for name, value in parsed_reply.items()]
    except (ValueError, RecursionError):
        return None
    return tuple(rows[:_MOST_FIELDS])


def option(text: str) -> str:
    """Write an option of a choice without its braces."""
    return ", ".join(f"{name} {value}" for name, value in parsed(text) or ()) or text


def _value(value: Any) -> str:
    match value:
        case None | "" | []:
            return NONE
        case bool():
            return "yes" if value else "no"
        case str():
            text = value
        case list() if all(isinstance(item, str) for item in value):
            text = " · ".join(value)
        case list():
            text = "\n".join(_value(item) for item in value)
        case dict():
            text = ", ".join(f"{name} {_value(item)}" for name, item in value.items())
        case _:
            text = str(value)
    return text[:_MOST_VALUE]


def why_no_call(step: StepRecord | None) -> tuple[str, str]:
    """Explain why no model was asked for a step: return a title and a sentence."""
    if step is None:
        return "No call yet", "A step's calls appear here as soon as a model is asked."
    title = f"No model was asked at step {step.step:,}"
    source = step.proposal.source if step.proposal is not None else ""
    if step.route is Route.STRATEGIC:
        return title, f"Planned by {words.planned_by(source) if source else 'the skill planner'}."
    if step.route is Route.REFLEX:
        module = step.proposal.module if step.proposal is not None else ""
        return title, f"The game sense module{f' {module}' if module else ''} acted at frame rate."
    if step.route is Route.PERSON:
        return title, "A person played; nothing was sent."
    plan = f" “{step.proposal.subgoal}”" if step.proposal is not None and step.proposal.subgoal else ""
    return title, f"The reactive rules grounded the plan in force{plan}."


_LONE_DECIDERS = {
    "explore": "the default agent tries actions and keeps what raises the score",
    "random": "any legal action, at random",
    "idle": "no agent; each step waits",
    "person": "you play; nothing is sent",
}
"""Who decides every step alone, in words."""


def _named(model: str) -> str:
    return f"{model} (shipped)" if model == SHIPPED else model


def controllers_text(mind: ControllersNote) -> tuple[str, str]:
    """Name the planner and the fast controller: in few words, and line by line."""
    strategic = _named(mind.tiers.get(Tier.STRATEGIC, "")) if mind.planner == "model" else ""
    fast = _named(mind.tiers.get(Tier.FAST, "")) if mind.reactive == "model" else ""
    if mind.loading:
        few = f"loading {mind.loading} …"
    else:
        plain = mind.planner if mind.planner in _LONE_DECIDERS else "skills"
        few = " · ".join(dict.fromkeys(name for name in (strategic, fast) if name)) or plain
    lines = [
        f"Strategic: {strategic or _LONE_DECIDERS.get(mind.planner, 'the skill planner')}",
        f"Reactive: {fast or 'rules'}",
    ]
    if mind.loading:
        lines.append(f"Loading: {mind.loading}")
    for held in mind.held:
        size = f", {byte_size(held.memory_bytes)}" if held.memory_bytes else ""
        lines.append(f"Held: {held.name} on {held.device or 'an endpoint'}{size}")
        lines += [f"  {held.note}"] if held.note else []
    return few, "\n".join([*lines, mind.text] if mind.text else lines)
