"""Declares the engine's messages on models, memory and game sense modules; part of `core.telemetry`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Literal

from pitwall.core import quantities
from pitwall.core.calls import CallRecord, Purpose, Tier
from pitwall.core.memories import EditResult
from pitwall.core.prompts import Prompt
from pitwall.core.retrieval import Retrieval

Driver = Literal["model", "skills", "both"]
"""Who made a decision; both: the model chose what the skill planner would have done."""
TrustPin = Literal["earned", "model", "skills"]
WorkflowName = Literal[
    "spike", "gamesense", "react", "transcript", "reflexion", "stardojo", "voyager", "cradle"
]
"""Names how the strategic model works."""
PUBLISHED = frozenset({"react", "transcript", "reflexion", "stardojo", "voyager", "cradle"})
"""Workflows of published baselines: each plans a single action (SPEC §2)."""


class Situation(StrEnum):
    """Names the kind of situation that a decision was made in."""

    AWAY = "away"
    """The game is not being played: a menu, a start, an end."""
    GOING = "going"
    STUCK = "stuck"
    """Asked for by a stall, a loop or a failure."""


SITUATION_WORDS = {
    Situation.AWAY: "in menus",
    Situation.GOING: "in play",
    Situation.STUCK: "when stuck",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A tally: counts of one driver's decisions in one kind of situation, and of their effects.

    Attributes:
        steps: that its decisions led to. progressed: of these, with progress (SPEC §1).
        gained: of these, with something more than a move: a thing carried or scored, a dialogue, a task done.
        harms: decisions after which play was lost, or that gave no usable answer, or too late.
        unanswered: decisions that an endpoint, or a host that failed, gave no answer to.
        ms, tokens: that asking took.
    """

    driver: Driver
    situation: Situation
    decisions: int = 0
    steps: int = 0
    progressed: int = 0
    gained: int = 0
    harms: int = 0
    unanswered: int = 0
    ms: float = 0.0
    tokens: int = 0

    def __add__(self, other: Tally) -> Tally:
        """Return the sum under this one's names."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Tally(driver=self.driver, situation=self.situation, **sums)


COUNTS = tuple(field.name for field in fields(Tally))[2:]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBegan:
    """A model was asked.

    Attributes:
        image_width, image_height: size of the picture sent, 0 for none.
        at_ns: monotonic nanoseconds.
    """

    kind: Literal["call_began"] = "call_began"
    call: int
    step: int
    purpose: Purpose
    tier: Tier
    model: str
    prompt: Prompt
    grammar: str = ""
    image_width: int = 0
    image_height: int = 0
    deadline_ms: int = 0
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStreamed:
    """A piece of a reply as it is written. Lossy: `CallEnded` has the whole."""

    kind: Literal["call_streamed"] = "call_streamed"
    call: int
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """A call that is settled: with its whole reply and what became of it. at_ns: monotonic."""

    kind: Literal["call_ended"] = "call_ended"
    record: CallRecord
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHeld:
    """A model in the host's memory. Bytes as the library reports them; 0 for an endpoint."""

    name: str
    device: str
    memory_bytes: int = 0
    context: int = 0
    slots: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllersNote:
    """Tells which controllers think, whenever that changes.

    Attributes:
        planner: who decides: "skills", "model", "explore", "random", "idle" or "person".
        reactive: "rules" or "model".
        tiers: tier → name of its model.
        held: models in the host's memory.
        loading: name of the model that is being loaded, empty for none.
        text: one sentence for the operator: that the shipped model thinks, or why the planner is not what
            was asked for.
    """

    kind: Literal["mind_note"] = "mind_note"
    planner: str
    reactive: str
    tiers: dict[str, str] = field(default_factory=dict)
    held: tuple[ModelHeld, ...] = ()
    loading: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustNote:
    """Tells who drives from this decision on, and why.

    Attributes:
        why: one sentence with its figures; empty where no model is chosen.
        tallies: of all decisions beside this model, in all runs of the game.
    """

    kind: Literal["trust_note"] = "trust_note"
    driver: Driver
    pin: TrustPin
    why: str = ""
    tallies: tuple[Tally, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOpened:
    """Whose memory is open, and how much of it there is: entries by kind, forgotten ones apart.

    Attributes:
        embedder: name of the embedder of the graph; empty while there is none.
        snapshot: content hash of the memory as the run began; empty where no run is on.
        text: what the operator should know, as one sentence.
    """

    kind: Literal["memory_opened"] = "memory_opened"
    game_id: str
    counts: dict[str, int] = field(default_factory=dict)
    forgotten: int = 0
    embedder: str = ""
    snapshot: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEdited:
    """Answer to `EditMemory`."""

    kind: Literal["memory_edited"] = "memory_edited"
    edit_id: int
    result: EditResult


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanged:
    """Entries were committed by any process: views read them again. Empty `entry_ids` means all of them."""

    kind: Literal["memory_changed"] = "memory_changed"
    entry_ids: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    author: str = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """Tells the question to the memory before a decision, and its answer."""

    kind: Literal["retrieved"] = "retrieved"
    retrieval: Retrieval
    at_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleState:
    """Tells which version of a game sense module drives.

    Attributes:
        version: "rules", "shipped", "v3"; empty: none can drive.
        driven_by: rules or a policy. title: describes the version in half a sentence.
        fault: why the intended version does not drive. made: existing versions, where none drives.
    """

    name: str
    version: str
    driven_by: Literal["rules", "policy", "nothing"]
    title: str = ""
    fault: str = ""
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulesNote:
    """Lists every game sense module; sent when a game is opened and when a module's version changes."""

    kind: Literal["modules"] = "modules"
    modules: tuple[ModuleState, ...]


GRANT_SPANS = 10
"""Spans of two seconds that must be compared before an agent is first given control."""
GRANT_DECISIONS = 20
"""Decisions, a second of play, that are compared whatever the threshold is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressAgreement:
    """Counts the decisions at which one key or action was pressed: by whom, and by both."""

    person: int = 0
    agent: int = 0
    both: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Reports how far two players agree.

    Attributes:
        decisions, spans: how much was compared; a span counts as one trial of the interval.
        share: of the decisions, 0 … 1, with its 95 % interval; None where nothing was compared.
        kappa: agreement beyond chance, −1 … 1, with the interval that follows from the share's; None where
            chance alone always agrees, for example where neither presses anything.
        presses: by key or action.
    """

    decisions: int = 0
    spans: int = 0
    share: float | None = None
    low: float = 0.0
    high: float = 1.0
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None
    tolerance_ms: float = 0.0
    presses: dict[str, PressAgreement] = field(default_factory=dict)

    @property
    def beats_chance(self) -> bool:
        """Return whether agreement by chance alone lies outside the interval."""
        return self.kappa_low is not None and self.kappa_low > 0

    def refusal(self, threshold: float) -> str:
        """Say why an agent is not given control yet, from this share on; empty: it may have it."""
        if self.decisions < GRANT_DECISIONS:
            return "Less than 1 s of play was compared so far."
        if threshold <= 0:
            return ""
        if self.spans < GRANT_SPANS:
            return f"{2 * self.spans} of {2 * GRANT_SPANS} s of play were compared so far."
        if self.share is None or self.share < threshold:
            agrees, least = quantities.share(self.share or 0.0), quantities.share(threshold)
            return f"It agrees on {agrees}; control is given from {least} on."
        return "" if self.beats_chance else "It agrees no more than chance alone would."

    def text(self) -> str:
        """Put the score into a sentence, as command and page show it."""
        if self.share is None:
            return "was not compared yet."
        if self.kappa is None:
            compared = "neither pressed anything that tells them apart"
        else:
            compared = f"kappa {self.kappa:.2f} ({self.kappa_low:.2f} to {self.kappa_high:.2f}) over chance"
        agrees = quantities.share_with_interval(self.share, self.low, self.high)
        return f"agrees on {agrees} of {self.decisions:,} decisions; {compared}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Reports one stretch in which the two pressed differently: what each did that the other did not.

    Attributes:
        picture: the game as it began, as a small JPEG in base64; empty where none was kept.
    """

    at_ns: int
    until_ns: int
    person: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    picture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPress:
    """Reports a key or button that one of the two had down; `up_ns` is None while they have."""

    by: Literal["person", "agent"]
    label: str
    down_ns: int
    up_ns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowNote:
    """Reports the agent that decides beside a playing person, twice a second, and once more at the run's end.

    Attributes:
        person, agent: what each holds down now; the agent's keys never reach the game.
        presses: of both, at least since the last note.
        moments: disagreements that began or continued since the last note; `at_ns` identifies them.
    """

    kind: Literal["shadow_note"] = "shadow_note"
    at_ns: int
    agreement: Agreement
    person: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    presses: tuple[ShownPress, ...] = ()
    moments: tuple[Disagreement, ...] = ()
