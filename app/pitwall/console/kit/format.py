"""Writes states, causes and figures in words, as an operator reads them. No Qt."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.state.view_state import Phase
from pitwall.core.actions import Effect, InputEvent, Refusal, SentEvent, model_of, skill_of
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.core.injection import StopCause
from pitwall.core.observations import Value
from pitwall.core.signals import Reason
from pitwall.core.steps import StepRecord

_KIB = 1024
NONE = "–"
"""Stands where nothing was measured."""


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

REASONS: dict[Reason, str] = {
    Reason.REFRESH: "refresh",
    Reason.SCENE: "scene change",
    Reason.STALL: "stall",
    Reason.LOOP: "loop",
    Reason.FAILURE: "failure",
    Reason.REQUESTED: "request",
    Reason.SCHEDULE: "schedule",
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
    Refusal.UNKNOWN_KEY: "unknown key",
    Refusal.WINDOW_GONE: "window gone",
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


def reasons(found: tuple[Reason, ...]) -> str:
    """Join all reasons of one step: "stall, loop"."""
    return ", ".join(REASONS[reason] for reason in found)


def reason_words(names: tuple[str, ...]) -> str:
    """The same of reasons by name, as a note of the engine carries them."""
    known = {reason.value: text for reason, text in REASONS.items()}
    return ", ".join(known.get(name, name) for name in names)


def planned_by(source: str) -> str:
    """Name a plan's maker by its source: "pitwall-small, following the skill fly"; a dash for none."""
    skill = skill_of(source)
    if not skill:
        return model_of(source) or _PLANNERS.get(source, source) or NONE
    return f"{model_of(source) or 'the skill planner'}, following the skill {skill}"


def refusal(cause: Refusal) -> str:
    """Say why the broker refused."""
    return _REFUSALS[cause]


def effect(seen: Effect) -> str:
    """Say what effect the next frames showed."""
    return _EFFECTS[seen]


def field_name(name: str) -> str:
    """A state-reader field, action or kind as it is read: "next gap bottom"."""
    return name.replace("_", " ")


_READ_ALOUD = (("==", "is"), ("!=", "is not"), (">=", "≥"), ("<=", "≤"), ("_", " "), ("'", ""), ('"', ""))


def condition_words(text: str) -> str:
    """A condition as it is read aloud: "status is not playing", "score ≥ 10"."""
    for sign, word in _READ_ALOUD:
        text = text.replace(sign, word)
    return text


def value(read: Value, unit: str) -> str:
    """A state-reader field's value with its unit."""
    if read is None:
        return "?"
    if isinstance(read, bool):
        return spoken("yes" if read else "no")
    if isinstance(read, float):
        text = f"{read:.0f}" if abs(read) >= 100 or read == int(read) else f"{read:.1f}"
    else:
        text = str(read)
    return f"{text} {unit}".rstrip()


def figure(number: float | None, unit: str) -> str:
    """A measured figure with its unit: 4 ms, 35 Hz, 0.6 ms; a dash where nothing was measured."""
    if number is None:
        return NONE
    if number >= 99.5:
        return f"{number:,.0f} {unit}"
    if 0 < number < 0.05:
        return f"<0.1 {unit}"
    return f"{number:.1f} {unit}"


def clock(seconds: float) -> str:
    """Time in a run: 0:07, 12:41, 1:02:03."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{whole % 60:02}"
    return f"{minutes}:{whole % 60:02}"


def left(seconds: float) -> str:
    """ "26 s left", "3:05 min left", "1:02:03 h left"."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s left"
    return f"{clock(seconds)} {'min' if seconds < 3600 else 'h'} left"


def clock_tenths(seconds: float) -> str:
    """Time in a run to a tenth of a second: 12:41.2."""
    tenths = int(seconds * 10)
    return f"{clock(tenths / 10)}.{tenths % 10}"


def ago(seconds: float) -> str:
    """Say how long ago something was: 0.3 s ago, 12 s ago, 3 min ago."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s ago"
    if seconds < 100:
        return f"{seconds:.0f} s ago"
    return f"{seconds / 60:.0f} min ago"


def event(sent: InputEvent) -> str:
    """An atomic event in words: "W down", "click left at 120, 80"."""
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
        case "scroll":
            return f"scroll {sent.dx}, {sent.dy}"
        case "wait":
            return f"wait {sent.wait_ms} ms"


def sent_text(sent: tuple[SentEvent, ...]) -> tuple[str, str]:
    """Name the events that were sent, and the causes of refusals; an empty text for none."""
    done = ", ".join(event(one.event) for one in sent if one.refused is None)
    causes = dict.fromkeys(refusal(one.refused) for one in sent if one.refused is not None)
    return done, ", ".join(causes)


_BEGINNINGS = frozenset({"a", "an", "the", "there", "it", "what", "nothing"})
"""Words that a sentence begins with; anything else may be a name, and keeps its letters."""


def error_sentence(error: PitwallError) -> str:
    """An error in its own sentences; of a command that died, also its last words."""
    last = error.traceback.rpartition("\n")[2] if isinstance(error, ChildDied) else ""
    text = " ".join(filter(None, (str(error), last)))
    names_a_thing = text.partition(" ")[0] not in _BEGINNINGS
    return text if names_a_thing else text[:1].upper() + text[1:]


def started_text(started_at: str, now: datetime) -> str:
    """Local time of a UTC stamp: "today 14:02", "3 Nov 14:02", "3 Nov 2024 14:02".

    Args:
        now: the present, with its time zone.
    """
    try:
        moment = datetime.fromisoformat(started_at).astimezone(now.tzinfo)
    except ValueError:
        return started_at
    clock = moment.strftime("%H:%M")
    if moment.date() == now.date():
        return f"today {clock}"
    year = f" {moment.year}" if moment.year != now.year else ""
    return f"{moment.day} {moment.strftime('%b')}{year} {clock}"


def counted(number: int, one: str, many: str = "") -> str:
    """ "1 step", "1,284 steps"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def duration_text(seconds: float) -> str:
    """Write a run's duration: "30 s", "12:41 min", "1:02:03 h"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{clock(seconds)} {'min' if seconds < 3600 else 'h'}"


def step_time(step: StepRecord) -> str:
    """Write a step's time since the run began: 12:41.2."""
    return clock_tenths(step.at_ns / 1_000_000_000)


def local_time(at: float, now: float | None = None) -> str:
    """A time on the local clock: "today 14:02", "3 Nov 14:02", "3 Nov 2024"."""
    now = time.time() if now is None else now
    moment, present = time.localtime(at), time.localtime(now)
    if moment[:3] == present[:3]:
        return time.strftime("today %H:%M", moment)
    day = f"{moment.tm_mday} {time.strftime('%b', moment)}"
    return f"{day} {time.strftime('%H:%M', moment)}" if moment[0] == present[0] else f"{day} {moment[0]}"


def csv_text(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as CSV, its head first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows(rows)
    return out.getvalue()


def byte_size(count: int) -> str:
    """A size in binary units: "2.3 GiB", "640 MiB", "0.5 MiB", "12 KiB"."""
    if count >= 1000 * _KIB**2:
        number = count / _KIB**3
        return f"{number:,.0f} GiB" if number >= 99.5 else f"{number:.1f} GiB"
    if count >= 100 * _KIB:
        number = count / _KIB**2
        return f"{number:,.0f} MiB" if number >= 9.95 else f"{number:.1f} MiB"
    return f"{count / _KIB:.0f} KiB" if count >= _KIB else f"{count} B"


def byte_share(part: int, whole: int) -> str:
    """Write two sizes, the unit once where it is the same: "2.9 of 21.4 GiB", "12 KiB of 21.4 GiB"."""
    small, large = byte_size(part), byte_size(whole)
    number, _, unit = small.partition(" ")
    return f"{number} of {large}" if large.endswith(f" {unit}") else f"{small} of {large}"


def byte_rate(bytes_per_s: float) -> str:
    """ "45 MiB/s"; empty where nothing moves."""
    return f"{byte_size(int(bytes_per_s))}/s" if bytes_per_s >= 1 else ""
