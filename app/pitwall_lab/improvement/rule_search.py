"""Improves rules without a model: a small seeded search over their numbers, their logic and the detectors.

Every candidate is judged on the same training seeds. The last accepted candidates are judged once more on
other training seeds. The held-out comparison of the improve loop decides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pitwall.core.quantities import counted
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.modules import Module, Trial
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.playthrough import FIRST_SEED
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal, checked_change
from pitwall_lab.improvement.detector_variation import detectors_of, draw_detector
from pitwall_lab.improvement.playing import Playing
from pitwall_lab.improvement.rule_edits import with_edits
from pitwall_lab.improvement.rule_numbers import (
    NumberPosition,
    RuleNumber,
    number_changes,
    rule_numbers,
    with_numbers,
)
from pitwall_lab.improvement.rule_variation import draw_edit, plain_actions
from pitwall_lab.improvement.search_budget import SearchBudget, ignore_progress
from pitwall_lab.trials.twin_trials import JudgingStopped

_REACH = 0.2
"""Standard deviation of a change, as a share of the number."""
_LEAST_COOLDOWN_MS = 40.0
_MOST_AT_ONCE = 3
_LOGIC = 0.4
"""Share of the variations that edit the logic, not the numbers."""
_SEEING = 0.2
"""Share of the variations that change a detector, where pictures are played."""
_DOUBT = 0.5
"""A gain of fewer standard errors counts as luck."""
_FRESH = 50_000
"""Offset from the first training seed to the seeds that judge the finalists."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Changed rules and detectors.

    Attributes:
        steps: the changes that led to it, in words. logic: whether one was more than other numbers of rules.
        detectors: all of the game's; none where pictures play no part.
    """

    rules: Module
    detectors: tuple[Detector, ...] = ()
    steps: tuple[str, ...] = ()
    logic: bool = False

    def change(self, before: _Candidate) -> Change:
        """Return what differs from before."""
        seen = tuple(detector for detector in self.detectors if detector not in before.detectors)
        return Change(by="rules", rules=None if self.rules == before.rules else self.rules, detectors=seen)


def search_change(
    folder: ModuleFolder,
    about: VersionRecord,
    trial: Trial,
    playing: Playing,
    *,
    seen: Seen,
    seed: int,
    search: SearchBudget | None = None,
    on_candidate: Callable[[int, int], None] = ignore_progress,
    should_stop: Callable[[], bool] = lambda: False,
) -> Change:
    """Search for a change of a module's rules that does better on training seeds.

    Args:
        playing: where candidates are played. seen: values that the fields were seen to have.

    Raises:
        NoProposal: it has no rules, nothing can be gained, or no candidate was better.
        PitwallError: a candidate cannot be played.
        JudgingStopped, EvaluationStopped: it was asked to stop.
    """
    search = search or playing.budget
    rules, profile = about.rules or folder.declared, folder.game.profile
    if about.kind != "rules" or not rules.rules:
        raise NoProposal(
            f"{folder.name} {about.version} has no rules to vary.",
            "Let a model propose, or change its reward yourself.",
        )

    before = _Candidate(rules, detectors_of(profile, about) if playing.sees else ())

    def scores(of: _Candidate, runs: int, first_seed: int) -> list[float]:
        if should_stop():
            raise JudgingStopped("the search was stopped.")
        different = {detector.name: detector for detector in (*about.detectors, *of.change(before).detectors)}
        changed = {"rules": of.rules, "detectors": tuple(different.values())}
        return playing.try_changed(about.model_copy(update=changed), trial, runs=runs, first_seed=first_seed)

    chance, actions = random.Random(seed), plain_actions(profile, rules)
    chain, best_scores = [before], scores(before, search.runs, FIRST_SEED)
    if _cannot_rise(best_scores, trial):
        raise NoProposal(f"{folder.name} {about.version} reaches the trial's cap on every training seed.")
    for number in range(search.candidates):
        on_candidate(number, search.candidates)
        candidate = _varied(chain[-1], seen, actions, chance)
        if candidate is None or not _usable(folder, about, candidate.change(before)):
            continue
        new_scores = scores(candidate, search.runs, FIRST_SEED)
        if _gain(best_scores, new_scores, trial) > _DOUBT * _deviation(best_scores, new_scores):
            chain.append(candidate)
            best_scores = new_scores
    on_candidate(search.candidates, search.candidates)
    if len(chain) == 1:
        raise NoProposal(f"none of {search.candidates} variations of its rules did better on training seeds.")
    first, runs = FIRST_SEED + _FRESH, search.final_runs
    finals = [(made, scores(made, runs, first)) for made in chain[1:][-search.finalists :]]
    return _best_change(before, scores(before, runs, first), finals, trial, search)


def _best_change(
    before: _Candidate,
    old: Sequence[float],
    finals: Sequence[tuple[_Candidate, Sequence[float]]],
    trial: Trial,
    search: SearchBudget,
) -> Change:
    """Return the best of the final candidates, if it also does better on other training seeds."""
    best, new = max(finals, key=lambda final: _gain(old, final[1], trial))
    figures = f"{np.mean(old):.4g} → {np.mean(new):.4g} {trial.unit}"
    if _gain(old, new, trial) <= 0:
        raise NoProposal(
            f"the best of {search.candidates} variations was only lucky: {figures} on other training seeds."
        )
    changed = "; ".join(best.steps) if best.logic else number_changes(before.rules, best.rules)
    why = (
        f"Of {search.candidates} variations the best on training seeds: {figures} over "
        f"{search.final_runs} others. {changed}."
    )
    if best.logic:
        title = f"{counted(len(best.steps), 'change')} of its rules or detectors"
    else:
        title = f"{counted(changed.count('→'), 'number')} of its rules"
    return best.change(before).model_copy(update={"title": title, "why": why[:2_000]})


def _gain(old: Sequence[float], new: Sequence[float], trial: Trial) -> float:
    gain = float(np.mean(new) - np.mean(old))
    return gain if trial.higher else -gain


def _deviation(old: Sequence[float], new: Sequence[float]) -> float:
    """Return the standard error of the mean difference, run by run."""
    apart = np.subtract(new, old)
    return float(apart.std(ddof=1) / np.sqrt(len(apart))) if len(apart) > 1 else 0.0


def _cannot_rise(scores: Sequence[float], trial: Trial) -> bool:
    return trial.higher and trial.cap is not None and all(score >= trial.cap for score in scores)


def _varied(of: _Candidate, seen: Seen, actions: Sequence[str], chance: random.Random) -> _Candidate | None:
    """Vary some numbers, a detector, or edit the logic; None if the draw changes nothing."""
    if of.detectors and chance.random() < _SEEING:
        drawn = draw_detector(of.detectors, chance)
        if drawn is None:
            return None
        seeing = tuple(drawn[0] if known.name == drawn[0].name else known for known in of.detectors)
        return replace(of, detectors=seeing, steps=(*of.steps, drawn[1]), logic=True)
    every = [number for number in rule_numbers(of.rules) if number.value != 0 or number.cooldown]
    if not every or chance.random() < _LOGIC:
        edit = draw_edit(of.rules, seen, actions, chance)
        if edit is None:
            return None
        edited = with_edits(of.rules, [edit])
        return replace(of, rules=edited, steps=(*of.steps, edit.sentence), logic=True)
    picked = chance.sample(every, min(len(every), chance.randint(1, _MOST_AT_ONCE)))
    values: dict[NumberPosition, float] = {number.place: _near(number, chance) for number in picked}
    varied = with_numbers(of.rules, values)
    return replace(of, rules=varied, steps=(*of.steps, number_changes(of.rules, varied)))


def _near(site: RuleNumber, chance: random.Random) -> float:
    least = _LEAST_COOLDOWN_MS if site.cooldown else 1.0 if site.whole and abs(site.value) >= 4 else 0.0
    value = chance.gauss(site.value, max(least, _REACH * abs(site.value)))
    if site.cooldown:
        return max(0.0, round(value))
    value = max(0.0, value) if site.value > 0 else value
    return round(value) if site.whole and abs(site.value) >= 10 else round(value, 3)


def _usable(folder: ModuleFolder, about: VersionRecord, change: Change) -> bool:
    try:
        checked_change(folder, about, change, (), on_screen=True)
    except ChangeRefused:
        return False
    return True
