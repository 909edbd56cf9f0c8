"""The gate before a promotion: what may drive, judged by the evaluations there are."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import ModuleFolder


@dataclass(frozen=True, slots=True)
class PromotionVerdict:
    """Whether a version may drive.

    Attributes:
        against: reasons not to, one sentence each; none: it may. notes: what was compared.
    """

    against: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Return whether nothing speaks against the promotion."""
        return not self.against


def judge_promotion(folder: ModuleFolder, version: str) -> PromotionVerdict:
    """Judge a version against what drives now.

    A policy must have been evaluated with delay: on the screen, or in the twin with the delay that was
    measured. No version may be worse than what drives, outside the noise: worse is one whose 95 % interval of
    the mean, or of the share of successes, lies wholly on the wrong side of the other's, in the newest
    evaluations of a trial that both played in the same place.

    Raises:
        UnknownModule, DamagedVersion: as `ModuleFolder.about`.
    """
    about, drives = folder.about(version), folder.driving()
    against: list[str] = []
    notes: list[str] = []
    if about.kind == "policy" and not any(_with_delay(score) for score in about.scores):
        against.append(f"{version} was never evaluated with delay, on the screen or in the twin.")
    if drives in ("", version):
        return PromotionVerdict(tuple(against), tuple(notes))
    other = folder.about(drives)
    compared = False
    for ours, theirs in _pairs(about, other):
        compared = True
        said = f"{_shown(ours)} against {_shown(theirs)} of {drives} ({ours.trial}, {ours.where})"
        if _worse(folder, ours, theirs):
            against.append(f"{version} is worse than what drives now: {said}.")
        else:
            notes.append(f"not worse: {said}.")
    if not compared:
        notes.append(f"{version} and {drives}, which drives now, have no evaluation in common.")
    return PromotionVerdict(tuple(against), tuple(notes))


def _with_delay(score: Score) -> bool:
    return score.cap is None and (score.where == "screen" or bool(score.delay_ms))


def _pairs(about: VersionRecord, other: VersionRecord) -> list[tuple[Score, Score]]:
    """The newest scores of each trial and place that both have."""
    pairs = []
    for where in ("screen", "twin"):
        for trial in dict.fromkeys(one.trial for one in about.scores if one.where == where):
            ours, theirs = about.score(where, trial), other.score(where, trial)
            if ours is not None and theirs is not None:
                pairs.append((ours, theirs))
    return pairs


def _worse(folder: ModuleFolder, ours: Score, theirs: Score) -> bool:
    higher = next((one.higher for one in folder.declared.trials if one.name == ours.trial), True)
    mean = ours.high < theirs.low if higher else ours.low > theirs.high
    return mean or ours.win_high < theirs.win_low


def _shown(score: Score) -> str:
    unit = f" {score.unit}" if score.unit else ""
    return (
        f"{score.mean:.3g}{unit} ({score.low:.3g} … {score.high:.3g}), "
        f"{score.wins} of {score.runs} runs succeeded"
    )
