"""A call: one completion that was asked of a model, its outcome, and the settings of calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import pydantic

from pitwall.core.actions import Invalid
from pitwall.core.input_settings import SettingsSection
from pitwall.core.validation import bounded_number


class Tier(StrEnum):
    """Names which model serves a call (SPEC glossary)."""

    FAST = "fast"
    """The reactive controller."""
    STRATEGIC = "strategic"
    ANALYSIS = "analysis"
    """After the run: episode summaries, memory extraction."""
    EVOLUTION = "evolution"
    """Skill distilling, module improvement."""


class Purpose(StrEnum):
    """Names the purpose of a call; each has its own reply schema and limit in tokens (SPEC §2, §8)."""

    DESCRIBE = "describe"
    INFER = "infer"
    REFLECT = "reflect"
    PLAN = "plan"
    REACT = "react"
    ANALYSE_SCREEN = "analyse_screen"
    REFLECT_TASK = "reflect_task"
    REFLECT_HISTORY = "reflect_history"
    REFLECT_ACTIONS = "reflect_actions"
    PLAN_TASK = "plan_task"
    PLAN_ACTIONS = "plan_actions"
    CONSTRUCT = "construct"
    SUMMARISE = "summarise"
    PROPOSE_SKILL = "propose_skill"
    """After the run: a skill from a part of it that was lost."""
    JUDGE_SKILL = "judge_skill"
    """Asks whether a proposed skill is already known."""
    IMPROVE_REWARD = "improve_reward"
    """A new reward function for a learned game sense module (SPEC §8)."""
    IMPROVE_RULES = "improve_rules"
    """Other numbers in a rule-based module's conditions."""
    IMPROVE_LABELS = "improve_labels"
    """What an object detector looks for, and how sure it must be."""
    INVENT_MODULE = "invent_module"
    """A rule-based module that the game's author did not declare."""
    TEST = "test"
    """The operator's own test prompt."""

    @property
    def tier(self) -> Tier:
        """Return the tier that serves it."""
        if self is Purpose.REACT:
            return Tier.FAST
        if self in _EVOLUTION:
            return Tier.EVOLUTION
        return Tier.ANALYSIS if self in (Purpose.SUMMARISE, Purpose.TEST) else Tier.STRATEGIC


_EVOLUTION = frozenset(
    {
        Purpose.PROPOSE_SKILL,
        Purpose.JUDGE_SKILL,
        Purpose.IMPROVE_REWARD,
        Purpose.IMPROVE_RULES,
        Purpose.IMPROVE_LABELS,
        Purpose.INVENT_MODULE,
    }
)

FREE_TEXT = frozenset(
    {
        Purpose.DESCRIBE,
        Purpose.INFER,
        Purpose.REFLECT,
        Purpose.ANALYSE_SCREEN,
        Purpose.REFLECT_TASK,
        Purpose.REFLECT_HISTORY,
        Purpose.REFLECT_ACTIONS,
        Purpose.SUMMARISE,
        *_EVOLUTION,
    }
)
"""Purposes whose replies are a model's own words: asked only of models that can write."""


class CallOutcome(StrEnum):
    """Names how a call's reply ended."""

    USED = "used"
    DROPPED = "dropped"
    """It came too late for the scene, or while the run was held back."""
    INVALID = "invalid"
    """It came, but was no valid reply: `problem` says why."""
    FAILED = "failed"
    """The host could not answer: `problem` says why."""
    CANCELLED = "cancelled"


PICTURE, TEMPLATE = "picture", "template"
"""Parts of a prompt's tokens that no layer has: its pictures, and what the chat template adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTokens:
    """Tokens of one call. `prompt` counts all of the prompt's; of these `cached` were not evaluated again.

    Attributes:
        by_layer: prompt tokens by layer, and by `PICTURE` and `TEMPLATE`.
    """

    prompt: int = 0
    cached: int = 0
    output: int = 0
    by_layer: dict[str, int] = field(default_factory=dict)

    @property
    def fresh(self) -> int:
        return self.prompt - self.cached


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionScore:
    """Scores one option of a choice.

    Attributes:
        text: the whole reply for the option.
        tokens: of it, without those with which all options begin; the figures are of these alone.
        log_probability: sum of their natural logarithms after the prompt. baseline: the same after a
            content-free prompt.
        probability: 0 … 1 among the options, by (log_probability − baseline) / tokens.

    An only option is not scored: both figures are 0, and its probability is 1.
    """

    text: str
    tokens: int
    log_probability: float
    baseline: float
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Records how a reply was chosen among options.

    Attributes:
        options: with their scores, likeliest first; empty where the choice was written instead.
        note: why it was, as one sentence; empty where it was not.
    """

    options: tuple[OptionScore, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTimes:
    """Holds the times of a call, in ms. `first_token_ms` and `took_ms` count from the asking."""

    queued_ms: float = 0.0
    load_ms: float = 0.0
    first_token_ms: float | None = None
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """Records one call as the run log keeps it.

    Attributes:
        call: 1, 2, 3 … within the run.
        step: the step that it was made for.
        at_ns: time of the request, nanoseconds since the run began.
        model: name in the registry. device: what it ran on ("CPU", "CUDA 0: …", a host name).
        prompt_hash, grammar_hash: of texts kept once by content; empty for none.
        image_ref: path of the picture sent, relative to the run folder; empty for none.
        finish: stop, length, deadline, cancelled; empty where it failed.
        invalid: the part of the invalid action rate that a bad reply counts under.
        proposed: actions the reply proposed; of these `illegal` were outside the action space.
        choice: how it was chosen among options; None: it was written freely.
        left_out: what the prompt omitted to fit the budget, in words, the first omission first.
    """

    call: int
    step: int
    at_ns: int
    purpose: Purpose
    tier: Tier
    model: str
    device: str = ""
    prompt_hash: str
    grammar_hash: str = ""
    image_ref: str = ""
    reply: str = ""
    finish: str = ""
    outcome: CallOutcome
    problem: str = ""
    invalid: Invalid | None = None
    proposed: int = 0
    illegal: int = 0
    tokens: CallTokens = field(default_factory=CallTokens)
    times: CallTimes = field(default_factory=CallTimes)
    choice: Choice | None = None
    left_out: tuple[str, ...] = ()


CallFormName = Literal["json", "tools", "qwen-vl", "ui-tars", "anthropic"]
"""Names how a model writes the call of an action."""


class ModelSettings(SettingsSection):
    """Chooses which model serves which tier, and its limits."""

    fast: str = pydantic.Field(
        "", description="Model of the reactive controller; empty: the shipped one or none"
    )
    strategic: str = pydantic.Field(
        "", description="Model of the strategic controller; empty: the shipped one or none"
    )
    analysis: str = pydantic.Field("", description="Model that works after the run; empty: none")
    evolution: str = pydantic.Field("", description="Model that improves skills and modules; empty: none")
    shipped: bool = pydantic.Field(
        True, description="Think with the model that ships with Pitwall where none is chosen; off: skills"
    )
    replies: Literal["auto", "write", "choose"] = pydantic.Field(
        "auto",
        description="How a model answers where skills or actions are given: by writing, or by how likely it "
        "finds each; auto: models below 1 GiB choose, the shipped one writes",
    )
    grammar: bool = pydantic.Field(
        True,
        description="Bind replies to their form: a grammar for local models, a schema or a required call at "
        "endpoints; off: a model writes freely, and wrong calls are counted by kind",
    )
    calls: CallFormName = pydantic.Field(
        "json",
        description="How the fast model writes an action: as JSON, as a native tool call, or as the "
        "computer-use calls of Qwen-VL, UI-TARS or Anthropic",
    )
    prompt: Literal["layers", "sections"] = pydantic.Field(
        "layers",
        description="How an action is asked for: with the layers, or in four sections: rules, role and "
        "controls, task, output format",
    )
    prompt_budget: bool = pydantic.Field(
        True, description="Shorten prompts that this machine reads too slowly, by SPEC §4's rules"
    )
    strategic_read_ms: int = bounded_number(
        1_000, 10, 60_000, "Time that reading a plan's prompt afresh may take", "ms"
    )
    reactive_read_ms: int = bounded_number(
        500, 10, 60_000, "Time that reading a reactive prompt afresh may take", "ms"
    )
    strategic_temperature: float = bounded_number(0.0, 0.0, 2.0, "Decoding, strategic")
    fast_temperature: float = bounded_number(0.1, 0.0, 2.0, "Decoding, reactive")
    seed: int = bounded_number(0, 0, 2**31 - 1, "Seed of decoding")
    description_tokens: int = bounded_number(1024, 16, 32_768, "Longest description", "tokens")
    inference_tokens: int = bounded_number(800, 16, 32_768, "Longest task inference", "tokens")
    reflection_tokens: int = bounded_number(512, 16, 32_768, "Longest reflection", "tokens")
    planning_tokens: int = bounded_number(2048, 16, 32_768, "Longest plan", "tokens")
    reactive_tokens: int = bounded_number(1024, 16, 32_768, "Longest reactive reply", "tokens")
    image_px: int = bounded_number(960, 64, 960, "Longest side of a picture sent", "px")
    look: Literal["scene", "escalation", "always", "never"] = pydantic.Field(
        "escalation", description="When a model that sees gets the picture"
    )
    recent_steps: int = bounded_number(5, 0, 50, "Recent steps shown in a prompt", "steps")
    strategic_deadline_ms: int = bounded_number(60_000, 500, 600_000, "Longest strategic call", "ms")
    reactive_deadline_ms: int = bounded_number(5_000, 100, 600_000, "Longest reactive call", "ms")
