"""The gate before a promotion: what may drive, judged by the evaluations there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pitwall.core.model_telemetry import Agreement
from pitwall.core.quantities import share_with_interval
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


def judge_promotion(
    folder: ModuleFolder, version: str, agreements: Mapping[str, Agreement] | None = None
) -> PromotionVerdict:
    """Judge a version against what drives now.

    A policy must have been evaluated with delay: on the screen, or in the twin with the delay that was
    measured; where the module has no trials, it must agree with a person's held-out play more than chance
    would, by the lower end of the interval. No version may be worse than what drives, outside the noise:
    worse is one whose 95 % interval of the mean, or of the share of successes, lies wholly on the wrong side
    of the other's, in the newest evaluations of a trial that both played in the same place, or in agreement
    with the same held-out play.

    Args:
        agreements: version → agreement with play that `version` has not learned from.

    Raises:
        UnknownModule, DamagedVersion: as `ModuleFolder.about`.
    """
    about, drives = folder.about(version), folder.driving()
    against: list[str] = []
    notes: list[str] = []
    ours_agrees = (agreements or {}).get(version, Agreement())
    if about.kind == "policy" and not any(_with_delay(score) for score in about.scores):
        against += _without_trial(folder, version, ours_agrees)
        if ours_agrees.decisions and not against:
            notes.append(f"beside held-out play it {ours_agrees.text()}")
    if drives in ("", version):
        return PromotionVerdict(tuple(against), tuple(notes))
    other = folder.about(drives)
    compared = False
    for ours, theirs in _pairs(about, other):
        compared = True
        figures = f"{_shown(ours)} against {_shown(theirs)} of {drives} ({ours.trial}, {ours.where})"
        if _worse(folder, ours, theirs):
            against.append(f"{version} is worse than what drives now: {figures}.")
        else:
            notes.append(f"not worse: {figures}.")
    theirs_agrees = (agreements or {}).get(drives, Agreement())
    if ours_agrees.share is not None and theirs_agrees.share is not None:
        compared = True
        figures = (
            f"{_agreed(ours_agrees)} of the same held-out play against {_agreed(theirs_agrees)} of {drives}"
        )
        if ours_agrees.high < theirs_agrees.low:
            against.append(f"{version} agrees less with the person than what drives now: {figures}.")
        else:
            notes.append(f"agrees no less: {figures}.")
    if not compared:
        notes.append(f"{version} and {drives}, which drives now, have no evaluation in common.")
    return PromotionVerdict(tuple(against), tuple(notes))


def _without_trial(folder: ModuleFolder, version: str, agreement: Agreement) -> list[str]:
    """Return the objection to a policy without a trial; None if a person's play supports it."""
    if folder.declared.trials:
        return [f"{version} was never evaluated with delay, on the screen or in the twin."]
    if not agreement.decisions:
        return [f"{version} was never held against play of a person that it has not learned from."]
    if not agreement.beats_chance:
        return [
            f"{version} is not surely nearer to the person's held-out play than chance: {agreement.text()}"
        ]
    return []


def _agreed(agreement: Agreement) -> str:
    return share_with_interval(agreement.share, agreement.low, agreement.high)


def _with_delay(score: Score) -> bool:
    return score.cap is None and (score.where == "screen" or bool(score.delay_ms))


def _pairs(about: VersionRecord, other: VersionRecord) -> list[tuple[Score, Score]]:
    """Return the newest scores of each trial and place that both have."""
    pairs = []
    for where in ("screen", "twin"):
        for trial in dict.fromkeys(score.trial for score in about.scores if score.where == where):
            ours, theirs = about.score(where, trial), other.score(where, trial)
            if ours is not None and theirs is not None:
                pairs.append((ours, theirs))
    return pairs


def _worse(folder: ModuleFolder, ours: Score, theirs: Score) -> bool:
    higher = next((trial.higher for trial in folder.declared.trials if trial.name == ours.trial), True)
    mean = ours.high < theirs.low if higher else ours.low > theirs.high
    return mean or ours.win_high < theirs.win_low


def _shown(score: Score) -> str:
    unit = f" {score.unit}" if score.unit else ""
    return (
        f"{score.mean:.3g}{unit} ({score.low:.3g} … {score.high:.3g}), "
        f"{score.wins} of {score.runs} runs succeeded"
    )
