"""Writes states, causes and figures in words, as an operator reads them. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.state.view_state import Phase
from pitwall.core.actions import Effect, InputEvent, Refusal, SentEvent, model_of, skill_of
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.injection import StopCause
from pitwall.core.observations import Value
from pitwall.core.quantities import NONE, clock_tenths
from pitwall.core.signals import Reason
from pitwall.core.steps import StepRecord

Tone = Literal["neutral", "strategic", "reactive", "reflex", "stop", "human", "ok"]
"""A meaning that a chip, button or line can carry."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A state as sign and word (colour is never the only sign), with its tone."""

    sign: str
    word: str
    tone: Tone = "neutral"

    def __str__(self) -> str:
        return f"{self.sign} {self.word}"


PHASES: dict[Phase, Badge] = {
    Phase.EMPTY: Badge("○", "NO GAME", "neutral"),
    Phase.OPENING: Badge("…", "OPENING", "neutral"),
    Phase.READY: Badge("○", "READY", "neutral"),
    Phase.PLAYING: Badge("▶", "PLAYING", "ok"),
    Phase.WAITING: Badge("◌", "WAITING", "neutral"),
    Phase.PAUSED: Badge("▮▮", "PAUSED", "neutral"),
    Phase.LATCHED: Badge("■", "STOPPED", "stop"),
    Phase.FAILED: Badge("!", "FAILED", "stop"),
    Phase.CLOSING: Badge("…", "CLOSING", "neutral"),
    Phase.LOST: Badge("!", "DISCONNECTED", "stop"),
}

_YOU_DRIVE = Badge("✋", "YOU DRIVE", "human")


def phase_badge(phase: Phase, cause: str) -> Badge:
    """Return the badge of a phase; a pause that a takeover caused says who drives."""
    return _YOU_DRIVE if phase is Phase.PAUSED and cause in HUMAN_CAUSES else PHASES[phase]


REASONS: dict[Reason, str] = {
    **{reason: reason.value for reason in Reason},
    Reason.SCENE: "scene change",
    Reason.REQUESTED: "request",
}

_REFUSALS: dict[Refusal, str] = {
    Refusal.FOCUS: "focus on another window",
    Refusal.POINTER: "pointer outside the game",
    Refusal.NOT_ALLOWED: "key not allowed for this role",
    Refusal.RATE: "rate cap",
    Refusal.HELD_CAP: "too many keys held",
    Refusal.FORBIDDEN: "forbidden combination",
    Refusal.STALE: "observation too old",
    Refusal.LATCHED: "emergency stop is latched",
    Refusal.DISARMED: "agent is not playing",
    Refusal.UNKNOWN_KEY: "key not on this keyboard",
    Refusal.WINDOW_GONE: "window gone",
    Refusal.MODIFIER: "a modifier key is held",
}

_EFFECTS = {
    Effect.CONFIRMED: "seen in the next frames",
    Effect.UNVERIFIED: "not seen yet",
    Effect.NONE: "nothing was sent",
}

_PLANNERS = {"explore": "the default agent", "random": "chance", "standing": "the standing rule (no planner)"}
"""Sources of plans that neither a model nor a skill made."""

HUMAN_CAUSES = frozenset({StopCause.TAKEOVER.value})
EMERGENCIES = frozenset({StopCause.HOTKEY.value, StopCause.CONSOLE.value})


def reasons(causes: tuple[Reason, ...]) -> str:
    """Join all reasons of one step: "stall, loop"."""
    return ", ".join(REASONS[reason] for reason in causes)


def reason_words(names: tuple[str, ...]) -> str:
    """Join reasons that are given by name, as the engine's notes carry them."""
    known = {reason.value: text for reason, text in REASONS.items()}
    return ", ".join(known.get(name, name) for name in names)


def planned_by(source: str) -> str:
    """Name a plan's maker by its source: "pitwall-small, following the skill fly"; a dash for none."""
    skill = skill_of(source)
    if not skill:
        return model_of(source) or _PLANNERS.get(source, source) or NONE
    return f"{model_of(source) or 'the skill planner'}, following the skill {skill}"


def refusal(cause: Refusal) -> str:
    """Return the words for the cause for which the input broker did not inject an event."""
    return _REFUSALS[cause]


def effect(step: StepRecord) -> str:
    """Say what effect the next frames showed of a step, and why there was none."""
    return f"none: {step.effect_why}" if step.effect_why else _EFFECTS[step.effect]


def field_name(name: str) -> str:
    """Write the name of a field, action or kind with spaces: "next gap bottom"."""
    return name.replace("_", " ")


_READ_ALOUD = (("==", "is"), ("!=", "is not"), (">=", "≥"), ("<=", "≤"), ("_", " "), ("'", ""), ('"', ""))


def condition_words(text: str) -> str:
    """Write a condition in words: "status is not playing", "score ≥ 10"."""
    for sign, word in _READ_ALOUD:
        text = text.replace(sign, word)
    return text


def value(read: Value, unit: str) -> str:
    """Write a field's value with its unit."""
    if read is None:
        return "?"
    if isinstance(read, bool):
        return spoken("yes" if read else "no")
    if isinstance(read, float):
        text = f"{read:.0f}" if abs(read) >= 100 or read == int(read) else f"{read:.1f}"
    else:
        text = str(read)
    return f"{text} {unit}".rstrip()


def event(sent: InputEvent) -> str:
    """Describe an input event: "W down", "click left at 120, 80"."""
    place = f" at {sent.x}, {sent.y}" if sent.x is not None else ""
    match sent.kind:
        case "key_down":
            return f"{sent.key} down"
        case "key_up":
            return f"{sent.key} up"
        case "mouse_move":
            return f"pointer{place}"
        case "mouse_down":
            return f"{sent.button} button down{place}"
        case "mouse_up":
            return f"{sent.button} button up"
        case "mouse_look":
            return f"look {sent.dx:+d}, {sent.dy:+d}"
        case "scroll":
            return f"scroll {sent.dx}, {sent.dy}"
        case "wait":
            return f"wait {sent.wait_ms} ms"


def _joined(events: Iterable[InputEvent]) -> Iterator[InputEvent]:
    """Yield the events, with the motions of one look as a single event."""
    for look, motions in groupby(events, lambda event: event.kind == "mouse_look"):
        parts = list(motions)
        if look:
            yield replace(parts[0], dx=sum(part.dx for part in parts), dy=sum(part.dy for part in parts))
        else:
            yield from parts


def sent_text(sent: tuple[SentEvent, ...]) -> tuple[str, str]:
    """Name the events that were sent, and the causes of refusals; an empty text for none."""
    done = ", ".join(event(entry) for entry in _joined(e.event for e in sent if e.refused is None))
    causes = dict.fromkeys(refusal(entry.refused) for entry in sent if entry.refused is not None)
    return done, ", ".join(causes)


_BEGINNINGS = frozenset({"a", "an", "the", "there", "it", "what", "nothing"})
"""Words that a sentence begins with; anything else may be a name, and keeps its letters."""


def error_sentence(error: PitwallError) -> str:
    """Write an error as sentences, for a dead command with its last line."""
    last = error.traceback.rpartition("\n")[2] if isinstance(error, ChildDied) else ""
    text = " ".join(filter(None, (str(error), last)))
    names_a_thing = text.partition(" ")[0] not in _BEGINNINGS
    return text if names_a_thing else text[:1].upper() + text[1:]


def step_time(step: StepRecord) -> str:
    """Write a step's time since the run began: 12:41.2."""
    return clock_tenths(step.at_ns / 1_000_000_000)
