"""Records a version of a module: its origin, its inputs, its training, its scores."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.modules import Learned, Module, ModuleKind, Recipe
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.pixel_manifest import PixelSpace

ABOUT, POLICY = "about.json", "policy.onnx"
"""The files of a version's folder: its record, and what it learned."""


class VersionStatus(StrEnum):
    """Names how far a version came."""

    PROPOSED = "proposed"
    """Written and checked, not trained yet."""
    TRAINING = "training"
    TRAINED = "trained"
    KEPT = "kept"
    """An improve loop compared it and kept it."""
    ROLLED_BACK = "rolled back"
    FAILED = "failed"


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Score(_Kept):
    """Holds one evaluation on held-out seeds.

    Attributes:
        where: headless with the live delay and noise, or on the screen through capture and keys.
        mean, low, high: of the trial's score, with a bootstrap 95 % interval. unit: the trial's.
        wins: runs that succeeded; win_low, win_high: Wilson 95 % of the share.
        values: every run's score, in the order of the seeds, which count up from `first_seed`.
        delay_ms: that the twin added, or the median from pixel to key that the screen showed.
        cap: it was played under in place of the trial's own; None: the trial's.
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
        """Share of runs that succeeded, 0 … 1."""
        return self.wins / self.runs


class MeasuredRate(_Kept):
    """Says how often a pixel policy can decide on this machine: its decisions' times, in the host and to it.

    Attributes:
        hz: decisions a second that it was made for. device: that ran it.
    """

    p50_ms: float
    p95_ms: float
    hz: float
    device: str

    @property
    def words(self) -> str:
        """Say it in half a line."""
        return (
            f"decides {self.hz:g} times a second; {self.p50_ms:.1f} ms each here (95 % within "
            f"{self.p95_ms:.1f} ms) on {self.device}"
        )


class VersionRecord(_Kept):
    """`about.json` of a version's folder.

    Attributes:
        version: its folder's name. parent: the version it was made from; empty: the manifest's rules.
        iteration: how many improvements lie between it and the first version.
        loop: the version that the improve loop which made it began from; empty: no loop made it.
        title: what is new, in half a sentence. why: the reason, as given. by: who proposed it.
        rules: the module's table as this version plays it (thresholds may differ from the manifest's).
        detectors: those it was changed with; others are the manifest's.
        learned: as it was trained: the state space, the actions. None for rules.
        reward_sha256, policy_sha256: of `reward.py` and `policy.onnx` beside it; empty where there is none.
        rate: of a pixel policy, as it was added.
        steps: decisions it has learned from; of `recipe.steps`. seed: of its training. wall_s: how long.
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
    seed: int = 0
    steps: int = 0
    wall_s: float = 0.0
    standing: VersionStatus = VersionStatus.TRAINED
    note: str = Field("", description="Why it failed or was rolled back")
    scores: tuple[Score, ...] = ()

    def score(self, where: Literal["twin", "screen"], trial: str = "") -> Score | None:
        """The newest score of a trial under its own cap (of any trial where none is named)."""
        of = [
            one for one in self.scores if one.where == where and trial in ("", one.trial) and one.cap is None
        ]
        return max(of, key=lambda one: one.at, default=None)


class Promotion(_Kept):
    """Records one change of the driving version: a promotion or a rolling back.

    Attributes:
        version: what drives from then on; "rules": the manifest's rules; empty: as if nothing was promoted.
        back: it takes the newest promotion back that was not taken back yet.
    """

    version: str
    back: bool = False
    at: float
    by: str = "operator"
    why: str = ""


class PromotionHistory(_Kept):
    """`promoted.json` of a module's folder: what drives, the newest last."""

    history: tuple[Promotion, ...] = ()

    @property
    def version(self) -> str:
        """Return the driving version; "" if none was ever promoted."""
        return self.history[-1].version if self.history else ""
