"""Improves rules without a model: a small seeded search over their numbers and their logic.

Every candidate is judged on the same training seeds. The last accepted candidates are judged once more on
other training seeds. The held-out comparison of the improve loop decides.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pitwall.core.quantities import counted
from pitwall.games.schema.modules import Module, Trial
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.playthrough import FIRST_SEED
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal, checked_change
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
_DOUBT = 0.5
"""A gain of fewer standard errors counts as luck."""
_FRESH = 50_000
"""Offset from the first training seed to the seeds that judge the finalists."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Changed rules, in words the changes that led to them, and whether one of them changed the logic."""

    rules: Module
    steps: tuple[str, ...] = ()
    logic: bool = False


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
    before = about.rules or folder.declared
    if about.kind != "rules" or not before.rules:
        raise NoProposal(
            f"{folder.name} {about.version} has no rules to vary.",
            "Let a model propose, or change its reward yourself.",
        )

    def scores(rules: Module, runs: int, first_seed: int) -> list[float]:
        if should_stop():
            raise JudgingStopped("the search was stopped.")
        return playing.try_rules(about, rules, trial, runs=runs, first_seed=first_seed)

    chance, actions = random.Random(seed), plain_actions(folder.game.profile, before)
    chain, best_scores = [_Candidate(before)], scores(before, search.runs, FIRST_SEED)
    if _cannot_rise(best_scores, trial):
        raise NoProposal(f"{folder.name} {about.version} reaches the trial's cap on every training seed.")
    for number in range(search.candidates):
        on_candidate(number, search.candidates)
        candidate = _varied(chain[-1], seen, actions, chance)
        if candidate is None or not _usable(folder, about, candidate.rules):
            continue
        new_scores = scores(candidate.rules, search.runs, FIRST_SEED)
        if _gain(best_scores, new_scores, trial) > _DOUBT * _deviation(best_scores, new_scores):
            chain.append(candidate)
            best_scores = new_scores
    on_candidate(search.candidates, search.candidates)
    if len(chain) == 1:
        raise NoProposal(f"none of {search.candidates} variations of its rules did better on training seeds.")
    first, runs = FIRST_SEED + _FRESH, search.final_runs
    finals = [(made, scores(made.rules, runs, first)) for made in chain[1:][-search.finalists :]]
    return _best_change(before, scores(before, runs, first), finals, trial, search)


def _best_change(
    before: Module,
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
    changed = "; ".join(best.steps) if best.logic else number_changes(before, best.rules)
    why = (
        f"Of {search.candidates} variations the best on training seeds: {figures} over "
        f"{search.final_runs} others. {changed}."
    )
    if best.logic:
        title = f"{counted(len(best.steps), 'change')} of its rules"
    else:
        title = f"{counted(changed.count('→'), 'number')} of its rules"
    return Change(title=title, why=why[:2_000], by="rules", rules=best.rules)


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
    """Vary some numbers, or edit the logic; None if the draw changes nothing."""
    every = [number for number in rule_numbers(of.rules) if number.value != 0 or number.cooldown]
    if not every or chance.random() < _LOGIC:
        edit = draw_edit(of.rules, seen, actions, chance)
        if edit is None:
            return None
        return _Candidate(with_edits(of.rules, [edit]), (*of.steps, edit.sentence), logic=True)
    picked = chance.sample(every, min(len(every), chance.randint(1, _MOST_AT_ONCE)))
    values: dict[NumberPosition, float] = {number.place: _near(number, chance) for number in picked}
    varied = with_numbers(of.rules, values)
    return _Candidate(varied, (*of.steps, number_changes(of.rules, varied)), of.logic)


def _near(site: RuleNumber, chance: random.Random) -> float:
    least = _LEAST_COOLDOWN_MS if site.cooldown else 1.0 if site.whole and abs(site.value) >= 4 else 0.0
    value = chance.gauss(site.value, max(least, _REACH * abs(site.value)))
    if site.cooldown:
        return max(0.0, round(value))
    value = max(0.0, value) if site.value > 0 else value
    return round(value) if site.whole and abs(site.value) >= 10 else round(value, 3)


def _usable(folder: ModuleFolder, about: VersionRecord, rules: Module) -> bool:
    try:
        checked_change(folder, about, Change(rules=rules), ())
    except ChangeRefused:
        return False
    return True
