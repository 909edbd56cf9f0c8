"""The record of a module's version: its origin, its inputs, its training, its scores."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.modules import Learned, Module, ModuleKind, Recipe
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.pixel_manifest import PixelSpace

ABOUT, POLICY = "about.json", "policy.onnx"
"""Files of a version's folder: its record, and its policy."""


class VersionStatus(StrEnum):
    """The progress of a version."""

    PROPOSED = "proposed"
    """Written and checked, but not trained yet."""
    TRAINING = "training"
    TRAINED = "trained"
    KEPT = "kept"
    """Compared by an improve loop, and kept."""
    ROLLED_BACK = "rolled back"
    FAILED = "failed"


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Score(_Kept):
    """One evaluation on held-out seeds.

    Attributes:
        where: headless with the live delay and noise, or on the screen through capture and keys.
        mean, low, high: of the trial's score, with its 95 % interval. unit: the trial's.
        wins: runs that succeeded; win_low, win_high: Wilson 95 % of the share.
        values: every run's score, in the order of the seeds, which count up from `first_seed`.
        delay_ms: added by the twin, or the median from pixel to key on the screen.
        cap: replaces the trial's own cap; None: the trial's.
    """

    where: Literal["twin", "screen"]
    trial: str
    runs: int = Field(ge=1)
    mean: float
    low: float
    high: float
    unit: str = ""
    wins: int = Field(ge=0)
    win_low: float
    win_high: float
    values: tuple[float, ...] = ()
    first_seed: int = 0
    delay_ms: float | None = None
    cap: float | None = None
    at: float = Field(description="Seconds since 1970")

    @property
    def win_rate(self) -> float:
        """Return the share of runs that succeeded, 0 … 1."""
        return self.wins / self.runs


class MeasuredRate(_Kept):
    """The times of a pixel policy's decisions on this machine, in the host and on the way to it.

    Attributes:
        hz: decisions a second that it was made for. device: that ran it.
    """

    p50_ms: float
    p95_ms: float
    hz: float
    device: str

    @property
    def words(self) -> str:
        """Return the speed in half a sentence: "decides 10 times a second; 3.1 ms each here …"."""
        return (
            f"decides {self.hz:g} times a second; {self.p50_ms:.1f} ms each here (95 % within "
            f"{self.p95_ms:.1f} ms) on {self.device}"
        )


class VersionRecord(_Kept):
    """`about.json` of a version's folder.

    Attributes:
        version: its folder's name. parent: the version it was made from; empty: the manifest's rules.
        iteration: number of tries of improve loops since the first version; one's own trainings add none.
        loop: first version of the improve loop that made it; empty: no loop made it.
        title: the change, in half a sentence. why: the reason, as given. by: who proposed it.
        rules: the module's table as this version plays it (thresholds may differ from the manifest's).
        detectors: those it was changed with; others are the manifest's.
        learned: as it was trained: the state space, the actions. None for rules.
        reward_sha256, policy_sha256: of `reward.py` and `policy.onnx` beside it; empty where there is none.
        rate: of a pixel policy, measured when it was added.
        explore: share of its decisions to take by chance while it drives a game to learn; None: it does not.
        steps: decisions it has learned from; of `recipe.steps`. seed: of its training. wall_s: its duration.
    """

    game_id: str
    module: str
    version: str
    kind: ModuleKind
    parent: str = ""
    iteration: int = Field(0, ge=0)
    loop: str = ""
    title: str = ""
    why: str = ""
    by: Literal["project", "operator", "model", "rules"] = "operator"
    created_at: float = 0.0
    profile_hash: str = ""
    rules: Module | None = None
    detectors: tuple[Detector, ...] = ()
    learned: PixelSpace | ClonedSpace | Learned | None = None
    recipe: Recipe | None = None
    reward_sha256: str = ""
    policy_sha256: str = ""
    rate: MeasuredRate | None = None
    explore: float | None = Field(None, ge=0, le=1)
    seed: int = 0
    steps: int = 0
    wall_s: float = 0.0
    standing: VersionStatus = VersionStatus.TRAINED
    note: str = Field("", description="Why it failed or was rolled back")
    scores: tuple[Score, ...] = ()

    def score(self, where: Literal["twin", "screen"], trial: str = "") -> Score | None:
        """Return the newest score of a trial under its own cap (of any trial for an empty name)."""
        of = [
            score
            for score in self.scores
            if score.where == where and trial in ("", score.trial) and score.cap is None
        ]
        return max(of, key=lambda score: score.at, default=None)


class Promotion(_Kept):
    """A change of the driving version: a promotion, or a rollback.

    Attributes:
        version: what drives from then on; "rules": the manifest's rules; empty: the state before promotions.
        back: it takes back the newest promotion that was not taken back yet.
    """

    version: str
    back: bool = False
    at: float
    by: str = "operator"
    why: str = ""


class PromotionHistory(_Kept):
    """`promoted.json` of a module's folder: the promotions, newest last."""

    history: tuple[Promotion, ...] = ()

    @property
    def version(self) -> str:
        """Return the driving version; "" if none was ever promoted."""
        return self.history[-1].version if self.history else ""
