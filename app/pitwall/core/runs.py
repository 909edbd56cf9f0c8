"""A run is one recorded session of play: its versions and settings, its figures (SPEC §10), its summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pitwall.core.actions import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Holds one episode summary as memory keeps it.

    Attributes:
        run_id: the run it was written about.
        key: which situations it is for, as the game's profile declares them; empty for all.
        author: "rules", "operator", or the name of the model that wrote it.
        created_at: UTC, ISO 8601 with microseconds.
    """

    episode_id: int
    run_id: int
    game_id: str
    key: str
    text: str
    author: str
    created_at: str


EXPORT_VERSION = 1
"""Version that every exported line carries. It changes where a line comes to mean something else; a new type
of line or a new key in one does not change it: readers pass over what they do not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunManifest:
    """Records the conditions of a run; written when it begins.

    Attributes:
        started_at: UTC, ISO 8601 with microseconds.
        profile_hash: SHA-256 over the game folder's manifest.
        settings: every setting in force, by section.
        thresholds: the trigger's thresholds at the start.
        versions: pitwall, python, platform, the libraries that matter, and "module NAME" → its driver.
        screen: size of the game's client area in pixels.
    """

    game_id: str
    game_name: str
    game_version: str
    profile_hash: str
    role: str
    planner: str
    seed: int | None
    started_at: str
    settings: dict[str, Any]
    thresholds: dict[str, Any]
    versions: dict[str, str]
    screen: tuple[int, int]
    memory: str = ""
    """Content hash of the memory that the run began with; empty where there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Median and tail of a figure in milliseconds; None where nothing was measured."""

    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TierFigures:
    """Sums one tier's calls in a run. Of `prompt_tokens`, `cached_tokens` were not evaluated again.

    Attributes:
        dropped: replies that came too late. invalid: replies that were none. failed: no reply.
    """

    model: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    dropped: int = 0
    invalid: int = 0
    failed: int = 0
    took_ms: Spread = field(default_factory=Spread)
    first_token_ms: Spread = field(default_factory=Spread)


SCREEN_SCORE = "score"
"""The field that counts as the score by default."""


UNREAD_SCORE = "The score cannot be read reliably (field {field}): nothing is learned from it."
UNREAD_SCORE_FIX = "Draw its box closer around the digits, without other numbers: Add a game, Edit."
UNSURE_NUMBER = "It cannot be read reliably: draw its box closer around the digits, without other numbers."


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenScore:
    """The score as the state reader read it off the screen: the last reading and the highest.

    Attributes:
        field: the field that counts as the score.
    """

    field: str
    last: float
    best: float

    @property
    def unit(self) -> str:
        """Return what the number counts where the field is no score by name, like ammunition."""
        return "" if "score" in self.field else self.field.replace("_", " ")


Difficulty = Literal["easy", "medium", "hard"]

CALL_BUDGET: dict[Difficulty, int] = {"easy": 120, "medium": 200, "hard": 600}
"""Model calls of the source's tasks (SPEC §2): four a step of STEP_CAP."""
STEP_CAP: dict[Difficulty, int] = {"easy": 30, "medium": 50, "hard": 150}
"""Steps of the source's tasks."""

RunOutcome = Literal["playing", "stopped", "finished", "emergency", "hung", "lost_window", "crashed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Figures of one run.

    Attributes:
        escalations: steps by reason; a step with two reasons counts under both.
        routes: steps by route.
        refusals: events that the broker refused, by cause.
        invalid: proposed actions that were not valid, by kind.
        reaction_ms: changed pixels to first key sent.
        dropped_frames: changes that were overwritten by a newer one before they were read.
        deciders: steps by who decided them: model, skills, memory, reflexes, another planner, or nobody.
            Empty for a crashed run: its steps do not contain it.
        ended_by: steps, calls, tokens, seconds (its budgets), or the game; empty for another reason.
    """

    outcome: RunOutcome = "playing"
    seconds: float = 0.0
    steps: int = 0
    frames: int = 0
    dropped_frames: int = 0
    strategic_calls: int = 0
    deciders: dict[str, int] = field(default_factory=dict)
    ended_by: str = ""
    escalations: dict[str, int] = field(default_factory=dict)
    routes: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    invalid: dict[str, int] = field(default_factory=dict)
    effects: dict[str, int] = field(default_factory=dict)
    events_sent: int = 0
    takeovers: int = 0
    reaction_ms: Spread = field(default_factory=Spread)
    loop_ms: Spread = field(default_factory=Spread)
    frame_age_ms: Spread = field(default_factory=Spread)
    busy_ms: float = 0.0
    """Time the loop spent on frames."""
    recording_ms: float = 0.0
    """Time the loop spent handing over to the recorder."""
    stuck: int = 0
    recovered: int = 0
    tiers: dict[str, TierFigures] = field(default_factory=dict)
    """Model calls by tier (core.calls.Tier)."""
    proposed_actions: int = 0
    """Actions that models proposed; `illegal_actions` of them were not valid (SPEC §5, IAR)."""
    illegal_actions: dict[str, int] = field(default_factory=dict)
    plans_dropped: int = 0
    """Strategic answers that came too late for the scene."""
    step_ms: Spread = field(default_factory=Spread)
    """From one step's decision to the next one's."""
    score: ScreenScore | None = None
    """As read off the screen; None where no field counts as the score, or none was read."""
    score_unread: str = ""
    """The field of the score where hardly any of its readings could be relied on; empty for none."""


def invalid_action_rate(summary: RunSummary, kind: Invalid | None = None) -> float | None:
    """Return the share of invalid actions among those that models proposed (IAR, SPEC §5), 0 … 1.

    Args:
        kind: only this part of it; the parts add up to the whole.

    Returns:
        None where no model proposed anything: there is no rate then.
    """
    if not summary.proposed_actions:
        return None
    counts = summary.illegal_actions
    wrong = sum(counts.values()) if kind is None else counts.get(kind.value, 0)
    return wrong / summary.proposed_actions


def stuck_rate(summary: RunSummary) -> float | None:
    """Return the share of stuck steps, 0 … 1 (SPEC §10); None where there are no steps."""
    return summary.stuck / summary.steps if summary.steps else None


def recovery_rate(summary: RunSummary) -> float | None:
    """Return the share of stuck steps that recovered, 0 … 1; None, and not 0, where none was stuck."""
    return summary.recovered / summary.stuck if summary.stuck else None


def recovery_ratio(summary: RunSummary) -> float | None:
    """Return recovery rate over stuck rate (SPEC §10); None, and not 0, where no step was stuck."""
    stuck, recovery = stuck_rate(summary), recovery_rate(summary)
    return recovery / stuck if stuck and recovery is not None else None
