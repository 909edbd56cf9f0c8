"""Actions: atomic events, semantic actions, proposals, and what became of them (SPEC §5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Argument = str | int | float

EventKind = Literal[
    "mouse_move", "mouse_look", "mouse_down", "mouse_up", "key_down", "key_up", "scroll", "wait"
]
Button = Literal["left", "middle", "right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEvent:
    """Holds one atomic key or mouse event.

    Attributes:
        key: canonical key name (core.keys) for key_down and key_up.
        x, y: pixels inside the game's client area, for mouse events that have a place.
        dx, dy: wheel notches, for scroll; positive is right and down. Of mouse_look, and of a person's
            mouse_move, how far the device moves, in its own units, without acceleration.
        wait_ms: for wait.
    """

    kind: EventKind
    key: str = ""
    button: Button = "left"
    x: int | None = None
    y: int | None = None
    dx: int = 0
    dy: int = 0
    wait_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedEvent:
    """An event and when it is due, in milliseconds after the action began."""

    at_ms: float
    event: InputEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticAction:
    """A named action of the game's profile, with its arguments."""

    name: str
    arguments: dict[str, Argument] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        inside = ", ".join(f"{key}={argument_text(value)}" for key, value in self.arguments.items())
        return f"{self.name}({inside})"


def argument_text(value: Argument) -> str:
    """Write an argument of an action; text that could not be read back otherwise gets quotes."""
    text = str(value)
    if isinstance(value, str) and (not text or text != text.strip() or set(text) & set(",()='\"")):
        return f'"{text}"' if "'" in text else f"'{text}'"
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentForm:
    """Describes an action's argument: one of `choices`, or a number from `minimum` to `maximum`.

    "keys" are two to `most` of `choices`, joined by +; a "text" is one to `most` characters of `choices`.
    """

    name: str
    kind: Literal["int", "float", "choice", "keys", "text"]
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    default: Argument | None = None
    most: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionForm:
    """A legal action and its arguments, as a grammar or a prompt needs it."""

    name: str
    description: str = ""
    arguments: tuple[ArgumentForm, ...] = ()
    expect: str = ""


NO_OP = SemanticAction(name="no_op")
"""What an invalid action is executed as."""


class Invalid(StrEnum):
    """Names why a proposed action is not valid (SPEC §5): the parts of the invalid action rate.

    The source counts malformed calls, which were begun and cannot be read, among those without a call.
    """

    NO_CALL = "no_tool_call"
    MALFORMED = "malformed"
    OUT_OF_SPACE = "out_of_space"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedAction:
    """A semantic action as timed atomic events.

    Attributes:
        events: ordered by `at_ms`; empty for a no-op.
        duration_ms: how long the action lasts before the next step is decided.
        invalid: why it was replaced by a no-op, None for a valid action.
        expect: condition on fields that should hold afterwards; empty: any seen change counts.
        effect_wait_ms: how long after its last press its effect is looked for; None: as long as usual.
    """

    action: SemanticAction
    events: tuple[TimedEvent, ...]
    duration_ms: float
    invalid: Invalid | None = None
    expect: str = ""
    effect_wait_ms: float | None = None


NOBODY = "nobody"
"""Decides a step in which nothing is done, or that no plan stands behind."""
MODEL_SOURCE = "model:"
"""Precedes a model's name in the source of its proposals."""
SKILL_SOURCE = "skill:"
"""Precedes a skill's name in a proposal's source, after the model's name where a model chose the skill."""


def decider_of(source: str) -> str:
    """Return who decides by a plan of this source: model, skills, or another planner's name."""
    kinds = {MODEL_SOURCE: "model", SKILL_SOURCE: "skills"}
    return next((name for start, name in kinds.items() if source.startswith(start)), source or NOBODY)


def skill_of(source: str) -> str:
    """Return the name of the stored skill in a proposal's source, empty for none."""
    return source.partition(SKILL_SOURCE)[2]


def model_of(source: str) -> str:
    """Return the name of the model in a proposal's source, empty for none."""
    before = source.partition(SKILL_SOURCE)[0].strip()
    return before.removeprefix(MODEL_SOURCE) if before.startswith(MODEL_SOURCE) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A strategic plan for the next few steps.

    Attributes:
        candidates: legal actions, best first; empty when a module drives.
        module: game sense module to run, empty for none.
        stop: condition that ends the proposal.
        steps: number of steps after which it is used up.
        named: a field of its skill names the candidates: each is taken once, then the field is read again.
        source: the planner, and the skill or model reply it came from.
        planned_ns: monotonic nanoseconds.
    """

    proposal_id: int
    situation: str
    subgoal: str
    candidates: tuple[SemanticAction, ...] = ()
    module: str = ""
    stop: str = ""
    steps: int = 8
    named: bool = False
    source: str = ""
    planned_ns: int = 0

    @property
    def skill(self) -> str:
        """Return the name of the stored skill that it carries out unchanged, empty for none."""
        return skill_of(self.source)


class Refusal(StrEnum):
    """Names why the broker did not inject an event."""

    FOCUS = "focus"
    POINTER = "pointer"
    NOT_ALLOWED = "not_allowed"
    RATE = "rate"
    HELD_CAP = "held_cap"
    FORBIDDEN = "forbidden"
    STALE = "stale"
    LATCHED = "latched"
    DISARMED = "disarmed"
    UNKNOWN_KEY = "unknown_key"
    WINDOW_GONE = "window_gone"
    MODIFIER = "modifier"
    """Somebody else holds a modifier: the press would mean another."""


class Effect(StrEnum):
    """The effect of an action as the following frames show it; delivery alone is no effect."""

    CONFIRMED = "confirmed"
    UNVERIFIED = "unverified"
    NONE = "none"
    """Nothing was sent, or the picture stood still after it (`StepRecord.effect_why`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentEvent:
    """Records one event as the broker truly treated it: sent at a time, or refused for a cause."""

    event: InputEvent
    sent_ns: int | None
    refused: Refusal | None = None


def wheel_name(dx: int, dy: int) -> str:
    """Name a turn of the wheel by its notches right and down: "wheel up", "wheel left"."""
    if dx:
        return "wheel left" if dx < 0 else "wheel right"
    return "wheel up" if dy < 0 else "wheel down"
