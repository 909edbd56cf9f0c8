"""Rules improved without a model: numbers by their places, the search, the comparison, and what is kept."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_lab.improve_game import hold, steer

from pitwall.core.paths import DataFolder
from pitwall.games.manifest import load_profile
from pitwall.games.schema.modules import Module, Trial
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder, UnknownModule
from pitwall_lab.analysis.comparison import Verdict
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.game_trials.side_by_side import TrialsFailed
from pitwall_lab.improvement.changes import (
    Change,
    ChangeRefused,
    NoProposal,
    checked_change,
    read_change,
)
from pitwall_lab.improvement.detector_variation import detectors_of, draw_detector
from pitwall_lab.improvement.loop import improve
from pitwall_lab.improvement.playing import TwinPlaying
from pitwall_lab.improvement.proposers import Proposer, Situation, by_operator, by_rules
from pitwall_lab.improvement.records import LoopProgress
from pitwall_lab.improvement.rule_edits import RuleEdit, with_edits
from pitwall_lab.improvement.rule_numbers import (
    number_changes,
    numbered_rules,
    rule_numbers,
    with_numbers,
)
from pitwall_lab.improvement.rule_search import search_change
from pitwall_lab.improvement.rule_variation import draw_edit
from pitwall_lab.improvement.search_budget import SearchBudget, ignore_progress
from pitwall_lab.orders import ImprovementTerms

SMALL = SearchBudget(candidates=12, runs=8, final_runs=20)
TERMS = ImprovementTerms(iterations=1, runs=20)


def at(folder: ModuleFolder, number: float) -> Module:
    """The rules with both limits at a number."""
    return with_numbers(folder.declared, {(1, 1): number, (2, 1): number})


def data(root: Path) -> DataFolder:
    return DataFolder(root / "data")


def test_numbers_have_places() -> None:
    module = Module.model_validate(
        {
            "name": "m",
            "ends": "a > 1",
            "rules": [
                {"when": "a > 12.5 and b - 3 < -4 * a or 'x 7' == c", "action": "left", "cooldown_ms": 60},
                {"when": "b == none", "action": "right"},
            ],
        }
    )
    result = [(rule_number.place, rule_number.value) for rule_number in rule_numbers(module)]
    assert result == [((1, 1), 12.5), ((1, 2), 3.0), ((1, 3), 4.0), ((1, 4), 60.0), ((2, 1), 0.0)]
    assert "a > [1: 12.5] and b - [2: 3] < -[3: 4] * a or 'x 7' == c" in numbered_rules(module)
    after = with_numbers(module, {(1, 1): 100.25, (1, 3): -7.0, (1, 4): -5.0, (2, 1): 250.4})
    assert after.rules[0].when == "a > 100.25 and b - 3 < -(-7) * a or 'x 7' == c"
    assert [rule.cooldown_ms for rule in after.rules] == [0, 250]
    RuleModule(after, frozenset("abc"))
    assert number_changes(module, after).startswith("rule 1, number 1: 12.5 → 100.25; rule 1, number 3: 4 → ")
    with pytest.raises(KeyError):
        with_numbers(module, {(2, 2): 1.0})


def test_a_search_improves_rules_and_the_evidence_is_written(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    steps: list[LoopProgress] = []
    result = improve(
        data(tmp_path), folder, by_rules(seed=1, search=SMALL), terms=TERMS, on_step=steps.append
    )
    about = folder.about("v1")
    assert (result.began, result.best, result.finished) == ("rules", "v1", True)
    assert about.standing is VersionStatus.KEPT
    assert (about.parent, about.loop, about.iteration, about.by) == ("rules", "rules", 1, "rules")
    assert "better" in about.note and "95 % interval" in about.note
    old, new = folder.about("rules").score("twin"), about.score("twin")
    assert old is not None and new is not None and new.mean > old.mean
    assert old.first_seed == new.first_seed != folder.declared.trials[0].first_seed
    assert {step.phase for step in steps} == {"analyse", "propose", "check", "compare", "decide"}


def test_what_is_not_better_is_rolled_back(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    changes = [
        Change(rules=at(folder, 14.0), title="later"),
        Change(rules=with_numbers(folder.declared, {(2, 2): 299.0}), title="hardly other"),
        Change(rules=at(folder, 1.0), title="sooner"),
    ]
    result = improve(data(tmp_path), folder, by_operator(*changes), terms=ImprovementTerms(runs=20))
    assert [(attempt.title, attempt.standing) for attempt in result.attempts] == [
        ("later", VersionStatus.ROLLED_BACK),
        ("hardly other", VersionStatus.ROLLED_BACK),
        ("sooner", VersionStatus.KEPT),
    ]
    assert "worse" in result.attempts[0].note
    assert "inside the noise" in result.attempts[1].note
    assert [item.parent for item in result.attempts] == ["rules"] * 3
    assert result.best == "v3"
    assert "3 iterations from rules are done" in result.sentence


def test_three_are_enough(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    changes = [Change(rules=at(folder, number)) for number in (8.0, 7.0, 6.0, 5.0)]
    once, terms = ImprovementTerms(runs=5, iterations=1), ImprovementTerms(runs=5, iterations=9)
    result = improve(data(tmp_path), folder, by_operator(*changes), terms=once)
    assert len(result.attempts) == 1
    assert result.sentence == "1 iteration is done; up to 2 more can follow from rules."
    result = improve(data(tmp_path), folder, by_operator(*changes[1:]), terms=terms)
    assert len(result.attempts) == 3
    again = improve(data(tmp_path), folder, by_operator(*changes), terms=terms)
    assert len(again.attempts) == 3
    further = improve(data(tmp_path), folder, by_operator(changes[3]), start=result.best, terms=terms)
    assert further.began == result.best


def test_a_proposal_may_wait_and_is_taken_up_later(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    change = Change(rules=at(folder, 1.0), title="sooner", why="it waits too long")
    waits = ImprovementTerms(runs=20, only_propose=True)
    result = improve(data(tmp_path), folder, by_operator(change), terms=waits)
    assert not result.finished
    assert folder.about("v1").standing is VersionStatus.PROPOSED
    assert folder.about("v1").why == "it waits too long"
    result = improve(data(tmp_path), folder, by_operator(), terms=ImprovementTerms(runs=20))
    assert [attempt.standing for attempt in result.attempts] == [VersionStatus.KEPT]


def test_a_stopped_loop_goes_on(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    steps: list[LoopProgress] = []
    result = improve(
        data(tmp_path),
        folder,
        by_operator(Change(rules=at(folder, 1.0))),
        terms=TERMS,
        on_step=steps.append,
        should_stop=lambda: bool(steps) and steps[-1].phase == "compare",
    )
    assert not result.finished
    assert folder.about("v1").standing is VersionStatus.PROPOSED
    result = improve(data(tmp_path), folder, by_operator(), terms=TERMS)
    assert [attempt.standing for attempt in result.attempts] == [VersionStatus.KEPT]
    assert result.finished


def test_the_search_edits_the_logic_of_rules(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    wrong = folder.declared.rules[0].model_copy(update={"when": "x > 4 and wind > 90"})
    module = folder.declared.model_copy(update={"rules": [wrong, folder.declared.rules[1]]})
    about = folder.about("rules").model_copy(update={"rules": module})
    trial, playing = folder.declared.trials[0], TwinPlaying(folder, runs=5)
    search = SearchBudget(candidates=40, runs=6, final_runs=12)
    seen = playing.watch(about, trial).seen
    assert set(seen) >= {"x", "wind"}
    change = search_change(folder, about, trial, playing, seen=seen, seed=4, search=search)
    assert change.rules is not None
    assert "rule 1 now when x > 4" in change.why
    assert "of its rules" in change.title
    old, new = (
        playing.try_changed(about.model_copy(update={"rules": rules}), trial, runs=12, first_seed=77)
        for rules in (module, change.rules)
    )
    assert sum(new) > sum(old)


def test_every_drawn_edit_can_be_made() -> None:
    module = Module.model_validate(
        {
            "name": "m",
            "ends": "a > 1 or b == 'x'",
            "rules": [
                {"when": "a > 1 and (b == 'x' or c < 2)", "action": "left"},
                {"when": "c > 5", "action": "right"},
            ],
        }
    )
    seen: Seen = {"a": (0.0, 1.5, 3.0), "b": ("x", "it's"), "c": (1.0,)}
    chance, edits = random.Random(1), list[RuleEdit]()
    for _ in range(200):
        edit = draw_edit(module, seen, ("left", "right", "jump"), chance)
        if edit is not None:
            edits.append(edit)
            RuleModule(with_edits(module, [edit]), frozenset("abc"))
    assert {edit.edit for edit in edits} == {"add", "remove", "move", "when", "also", "action", "ends"}
    whens = {edit.when for edit in edits if edit.edit == "when"}
    assert whens == {"a > 1", "(b == 'x' or c < 2)"}


def test_detectors_are_varied_within_their_bounds() -> None:
    profile = load_profile(Path(__file__).resolve().parents[3] / "plugins" / "shooting")
    about = VersionRecord(game_id="shooting", module="aim", version="rules", kind="rules")
    detectors = detectors_of(profile, about)
    chance, words = random.Random(2), set[str]()
    for _ in range(60):
        drawn = draw_detector(detectors, chance)
        if drawn is not None:
            assert drawn[0] not in detectors
            words.add(drawn[1].partition(":")[0].rpartition(" ")[2])
    assert words == {"tolerance", "least_px", "join_px", "confidence"}
    changed = about.model_copy(update={"detectors": (drawn[0],)} if drawn else {})
    assert detectors_of(profile, changed) != detectors or drawn is None


class _Screen(TwinPlaying):
    """Plays in the twin and turns every verdict round, like a screen on which the change is worse."""

    def compare(self, old: str, new: str, trial: Trial, on_run: Any = ignore_progress) -> Verdict:
        return super().compare(new, old, trial, on_run)


def test_the_screen_decides_where_it_is_asked(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    terms, change = ImprovementTerms(runs=20), Change(rules=at(folder, 1.0))
    screen = _Screen(folder, runs=20, place=" on the screen")
    result = improve(data(tmp_path), folder, by_operator(change), terms=terms, screen=screen)
    assert [attempt.standing for attempt in result.attempts] == [VersionStatus.ROLLED_BACK]
    assert "on the screen" in result.attempts[0].note


class _Broken(TwinPlaying):
    """Plays no comparison: the runs of these versions fail."""

    broken: frozenset[str]

    def compare(self, old: str, new: str, trial: Trial, _on_run: Any = ignore_progress) -> Verdict:
        fault = TrialsFailed(f"3 runs of {old} and {new} could not be played in {trial.name}.")
        fault.versions = self.broken
        raise fault


def test_a_game_that_cannot_be_played_is_no_fault_of_the_change(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    screen = _Broken(folder, runs=5, place=" on the screen")
    change, terms = Change(rules=at(folder, 1.0)), ImprovementTerms(runs=20, iterations=1)
    screen.broken = frozenset({"rules", "v1"})
    with pytest.raises(TrialsFailed):
        improve(data(tmp_path), folder, by_operator(change), terms=terms, screen=screen)
    assert folder.about("v1").standing is VersionStatus.PROPOSED
    screen.broken = frozenset({"v1"})
    improve(data(tmp_path), folder, by_operator(), terms=terms, screen=screen)
    assert folder.about("v1").standing is VersionStatus.FAILED


def test_a_refused_proposal_is_asked_for_again(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    asked: list[tuple[str, ...]] = []

    def propose(situation: Situation) -> Change:
        asked.append(situation.refused)
        assert "hold rules" in situation.analysis.text()
        rules = (
            [{"when": "x > 1", "action": "fly"}] if len(asked) == 1 else [{"when": "x >", "action": "left"}]
        )
        return Change(
            rules=folder.declared.model_copy(
                update={
                    "rules": Module.model_validate({"name": "hold", "ends": "x > 1", "rules": rules}).rules
                }
            )
        )

    proposer: Proposer = propose
    with pytest.raises(NoProposal, match="3 proposals were refused"):
        improve(data(tmp_path), folder, proposer, terms=TERMS)
    assert [len(item) for item in asked] == [0, 1, 2]
    assert "fly" in asked[1][0]
    assert "does not parse" in asked[2][1]
    assert folder.names() == ["rules"]


def test_nothing_to_propose_is_said(tmp_path: Path) -> None:
    folder = steer(tmp_path)
    about = folder.about(_untrained(folder))
    trial = folder.declared.trials[0]
    situation = Situation(
        folder=folder,
        about=about,
        trial=trial,
        playing=TwinPlaying(folder, runs=5),
        analysis=_no_analysis(folder, about.version),
        reward="",
        number=1,
    )
    with pytest.raises(NoProposal, match="speaks for another recipe"):
        by_rules(search=SMALL)(situation)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (Change(), "changes nothing"),
        (Change(reward="x = 1"), "plays by rules"),
        (Change(recipe={"gamma": 0.9}), "plays by rules"),
        (Change(module="steer", recipe={"gamma": 0.9}), "not 'hold'"),
    ],
)
def test_changes_that_do_not_fit(tmp_path: Path, change: Change, says: str) -> None:
    folder = hold(tmp_path)
    with pytest.raises(ChangeRefused, match=says):
        checked_change(folder, folder.about("rules"), change, [])


def test_no_module_is_invented(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    change = Change(module="dodge", rules=at(folder, 2.0))
    with pytest.raises(UnknownModule, match="no game sense module 'dodge'"):
        checked_change(folder, folder.about("rules"), change, [])


def test_a_proposal_touches_neither_trial_nor_space(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    easy = [folder.declared.trials[0].model_copy(update={"success": 0.0, "cap": 1.0})]
    bold = at(folder, 2.0).model_copy(update={"trials": easy, "learned": None, "name": "other"})
    rules = checked_change(folder, folder.about("rules"), Change(rules=bold), []).rules
    assert rules is not None
    assert (rules.trials, rules.learned, rules.name) == (
        folder.declared.trials,
        folder.declared.learned,
        "hold",
    )


def test_changes_come_from_files(tmp_path: Path) -> None:
    folder = hold(tmp_path)
    file = tmp_path / "change.json"
    file.write_text(Change(rules=at(folder, 2.0), title="t").model_dump_json(), encoding="utf-8")
    assert read_change(file).rules == at(folder, 2.0)
    (tmp_path / "mine.py").write_text("x = 1", encoding="utf-8")
    assert read_change(tmp_path / "mine.py").reward == "x = 1"
    file.write_text('{"rewrad": "x"}', encoding="utf-8")
    with pytest.raises(ChangeRefused, match="rewrad"):
        read_change(file)


def _untrained(folder: ModuleFolder) -> str:
    from pitwall_lab.training.new_version import begin_version

    return begin_version(folder).version


def _no_analysis(folder: ModuleFolder, version: str):  # type: ignore[no-untyped-def]
    from pitwall_lab.analysis.analyser import analyse

    return analyse(folder, version)
