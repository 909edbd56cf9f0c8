"""Messages between an evaluation and its workers, the processes that play one run each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.games.schema.modules import Trial
from pitwall.link.vocabulary import Vocabulary
from pitwall_lab.modules.screen_measurement import ScreenMeasurement

ROLE = "trial-seat"
Screen = Literal["own", "here"]
Cause = Literal["terminal", "cap", "time", "outside", "failed"]
"""Why a run ended: the game was over, its score reached the cap, its time was up, something outside of the
game ended it, or it never began."""


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldTrace(_Word):
    """A field's number over one run: in its first tenth, in its last, over all, in its last second."""

    first: float
    last: float
    mean: float
    at_end: float


class PlayTrace(_Word):
    """Samples what the agent saw and did in a run, ten times a second.

    Attributes:
        actions: action → its readings in the whole run, in its first tenth, in its last; "" for none.
        seen: field → numbers that divide its readings into equal parts, or its different words.
        picture: of the last decision, with what was seen drawn in; JPEG, empty for none.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    actions: dict[str, tuple[int, int, int]] = Field(default_factory=dict)
    fields: dict[str, FieldTrace] = Field(default_factory=dict)
    seen: dict[str, tuple[float | str, ...]] = Field(default_factory=dict)
    picture: bytes = b""


class TrialRun(_Word):
    """The result of one run of a trial on the screen.

    Attributes:
        score: the trial's at the end; None if the run does not count (outside, failed).
        why: the cause in words.
        seconds: from the first state in which the game was being played to the end.
        refusals: events that the broker refused, by cause.
        reaction_p50_ms, reaction_p95_ms: from changed pixels to the first key sent.
        load: the machine's load average (one minute) at the end.
        replayed: something outside the game ended a first run of this seed.
        at: time of the end, seconds since 1970.
        trace: of a watched run.
    """

    kind: Literal["run"] = "run"
    seed: int
    score: float | None
    success: bool = False
    cause: Cause
    why: str = ""
    seconds: float = 0.0
    steps: int = 0
    frames: int = 0
    dropped_frames: int = 0
    refusals: dict[str, int] = Field(default_factory=dict)
    takeovers: int = 0
    reaction_p50_ms: float | None = None
    reaction_p95_ms: float | None = None
    load: float = 0.0
    replayed: bool = False
    at: float = 0.0
    trace: PlayTrace | None = None


class RunSetup(_Word):
    """How a run is started.

    Attributes:
        game: id, or the path of a folder that is not bundled. game_id: its id in either case.
        data: the operator's data folder, which is only read.
        version_folder: the version's folder; None if it needs none.
        screen: "own" for a virtual screen, "here" for the present one.
    """

    game: str
    game_id: str
    seed: int
    module: str
    version: str
    scenario: str = ""
    data: Path
    version_folder: Path | None = None
    screen: Screen = "own"


class PlayTrial(_Word):
    """Asks for one run of a trial; answered by a TrialRun, with its trace if it is `watched`."""

    kind: Literal["play"] = "play"
    setup: RunSetup
    trial: Trial
    watched: bool = False


class MeasureRun(_Word):
    """Asks for `seconds` of play that measure delay and noise; answered by a Measurement."""

    kind: Literal["watch"] = "watch"
    setup: RunSetup
    seconds: float


class Measurement(_Word):
    """The result of a measured run."""

    kind: Literal["measurement"] = "measurement"
    measured: ScreenMeasurement


class WorkerFault(_Word):
    """Reports that the worker could not carry out the order."""

    kind: Literal["seat_fault"] = "seat_fault"
    what: str
    fix: str = ""


ORDERS = Vocabulary(Annotated[PlayTrial | MeasureRun, Field(discriminator="kind")])
ANSWERS = Vocabulary(Annotated[TrialRun | Measurement | WorkerFault, Field(discriminator="kind")])
