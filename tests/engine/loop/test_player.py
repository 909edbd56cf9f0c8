"""One run's play, step by step: the real stages on drawn frames, with a clock that the test turns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.loop.player_rig import MANIFEST, SKILL, Clock, Stage

from pitwall.core import telemetry
from pitwall.core.actions import Effect, InputEvent, Refusal, SentEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.injection import Receipt
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Reason, Route
from pitwall.engine.trigger.event_trigger import replay
from pitwall.games.registry import Registry
from pitwall.games.trust import trust

MakeStage = Callable[..., Stage]

_PAUSING = MANIFEST.replace('loading = "black"', 'loading = "black"\npaused = "ball > 55"')
_PAUSING += '[pause]\nkeys = ["ArrowLeft"]\n'


@pytest.fixture
def make_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    """Makes a stage whose only skill plays these actions, or runs this module."""
    clock = Clock()
    for module in ("loop.player", "recording.run_figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)

    def make(
        *actions: str,
        module: str = "",
        steps: int = 1000,
        steps_cap: int | None = None,
        pauses: bool = False,
        planner: str = "skills",
    ) -> Stage:
        does = f'module = "{module}"' if module else f"actions = {json.dumps(actions)}"
        skill = f"{SKILL}{does}\nsteps = {steps}\n" if module or actions else ""
        manifest = _PAUSING if pauses else MANIFEST
        if planner == "explore":
            manifest = manifest.replace("[game]", '[game]\nwithout_skill = "explore"')
        (tmp_path / "plugin.toml").write_text(manifest + skill)
        settings = Settings().with_value("control", "planner", planner)
        return Stage(tmp_path, clock, settings=settings, steps_cap=steps_cap)

    return make


def test_no_step_beyond_the_cap(make_stage: MakeStage) -> None:
    stage = make_stage("tap", steps_cap=3)
    stage.play(5_000)
    assert stage.player.budget_spent
    assert [step.step for step in stage.steps] == [1, 2, 3]
    assert stage.presses() == ["Space"] * 3
    assert stage.player.figures.steps == 3
    summary = stage.player.figures.summary("finished")
    assert (summary.ended_by, summary.deciders) == ("steps", {"skills": 3})


def test_a_step_is_decided_acted_and_confirmed_by_a_later_frame(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.turn()
    stage.turn(20)
    stage.window.draw(50)
    stage.turn(90)
    stage.window.draw(40)
    stage.play(200)
    first, second = stage.steps[:2]
    assert (first.step, first.route, first.reasons) == (1, Route.STRATEGIC, (Reason.REQUESTED,))
    assert (str(first.action), first.effect) == ("tap", Effect.CONFIRMED)
    assert [sent.event.kind for sent in first.sent] == ["key_down", "key_up"]
    assert first.timings.reaction_ms is None  # decided on the first look, not on a change
    assert (second.step, second.route, second.reasons) == (2, Route.REACTIVE, ())
    assert second.timings.reaction_ms == pytest.approx(91)  # drawn 90 ms before the turn, sent 1 ms after it
    stage.play(100)
    assert stage.player.figures.events_sent == len(stage.presses()) + len(stage.releases())


@pytest.mark.parametrize(("rest_ms", "length_ms"), [(0, 100), (40, 130)])
def test_a_step_that_is_over_waits_until_the_screen_has_come_to_rest(
    make_stage: MakeStage, tmp_path: Path, rest_ms: int, length_ms: int
) -> None:
    clock = make_stage("tap").clock
    manifest = (tmp_path / "plugin.toml").read_text()
    (tmp_path / "plugin.toml").write_text(
        manifest.replace("height = 48", f"height = 48\nrest_ms = {rest_ms}")
    )
    stage = Stage(tmp_path, clock)
    stage.turn()
    stage.turn(90)
    stage.window.draw(50)  # seen 90 ms after the step began, which takes 100 ms
    stage.play(900)
    first, second = stage.steps[:2]
    assert first.effect is Effect.CONFIRMED
    assert (second.at_ns - first.at_ns) / NS_PER_MS == pytest.approx(length_ms, abs=5)


def test_what_the_operator_changes_in_mid_run_holds_from_the_next_step_on(make_stage: MakeStage) -> None:
    stage = make_stage("tap")

    def gap_ms() -> float:
        """Return the time between the last two of some more steps."""
        stage.play(5_000)
        before, last = stage.steps[-2:]
        return (last.at_ns - before.at_ns) / NS_PER_MS

    def change(section: str, name: str, value: int) -> None:
        stage.session.settings = stage.session.settings.with_value(section, name, value)

    change("control", "effect_wait_ms", 1_000)
    assert gap_ms() >= 1_000, "the effect of a tap is looked for for so long"
    change("control", "effect_wait_ms", 100)
    assert gap_ms() < 200
    change("broker", "actions_per_second", 2)
    assert gap_ms() > 400, "there is no room for a press before"


def test_a_step_is_decided_when_there_is_room_for_its_press_and_not_before(
    make_stage: MakeStage, tmp_path: Path
) -> None:
    """The broker lets two presses a second through: the third step is decided on what is seen then."""
    clock = make_stage("tap").clock
    settings = Settings().with_value("broker", "actions_per_second", 2)
    stage = Stage(tmp_path, clock, settings=settings)
    began = clock()
    for ball in range(10, 50, 2):
        stage.window.draw(ball)
        stage.play(100)
    decided_ms = [round((step.at_ns - began) / NS_PER_MS) for step in stage.steps[:4]]
    assert decided_ms[0] < decided_ms[1] < 300
    assert decided_ms[2] - decided_ms[0] >= 1_050
    assert [step.effect for step in stage.steps[:3]] == [Effect.CONFIRMED] * 3, "none waits for nothing"
    assert all(len(step.sent) == 2 for step in stage.steps[:3])
    seen = stage.steps[2].fields["ball"]
    assert isinstance(seen, float) and seen >= 30, "not on what was seen when its turn came"
    assert stage.player.figures.refusals == {}


def test_no_step_ends_while_a_key_of_it_has_still_to_go_out(make_stage: MakeStage) -> None:
    stage = make_stage("twice", "hold")
    stage.turn()
    stage.turn(150)  # the first release is late, and with it all that follows
    stage.window.draw(50)
    stage.turn(55)
    assert stage.steps == []
    stage.play(200)
    assert stage.presses() == ["Space", "Space", "ArrowLeft"]


def test_a_step_waits_for_its_receipts_but_not_for_ever(make_stage: MakeStage) -> None:
    stage = make_stage("tap", "hold")
    stage.answers = False
    stage.turn()
    stage.window.draw(50)
    stage.play(150)
    assert len(stage.presses()) == 2
    assert stage.steps == []
    stage.answer()
    stage.turn()
    assert [step.step for step in stage.steps] == [1]
    assert len(stage.steps[0].sent) == 2
    stage.window.draw(40)
    stage.play(900)
    assert [step.step for step in stage.steps] == [1, 2]


def test_a_refused_action_is_offered_again_and_counts_for_nothing(make_stage: MakeStage) -> None:
    stage = make_stage("tap", "hold")
    stage.refusal = Refusal.FOCUS
    stage.play(60)
    stage.refusal = None
    stage.play(800)
    assert [(str(step.action), step.effect, step.effect_why) for step in stage.steps[:2]] == [
        ("tap", Effect.NONE, ""),
        ("tap", Effect.NONE, "the picture stood still after it"),
    ]
    refused = sum(sent.refused is Refusal.FOCUS for step in stage.steps for sent in step.sent)
    assert stage.player.figures.refusals == {"focus": refused}
    assert ("refusal", "tap: focus", 1) in stage.events


def test_a_refusal_that_is_reported_late_still_counts(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.turn()
    stage.answers, stage.refusal = False, Refusal.RATE
    stage.window.draw(50)
    stage.turn(120)
    late = stage.unanswered[:]
    stage.player.interrupt()
    stage.answer()
    stage.player.rest()
    assert late
    assert (stage.steps[-1].effect, stage.steps[-1].sent[0].refused) == (Effect.NONE, Refusal.RATE)


def test_keys_released_by_a_pause_belong_to_the_step(make_stage: MakeStage) -> None:
    stage = make_stage("hold")
    stage.play(50)
    assert stage.presses() == ["ArrowLeft"]
    stage.player.rest()
    stage.player.rest()
    assert stage.releases() == ["ArrowLeft"]
    assert stage.steps == []
    stage.answer()
    stage.player.rest()
    assert [sent.event.kind for sent in stage.steps[0].sent] == ["key_down", "key_up"]
    assert [note.state for note in stage.records if isinstance(note, telemetry.ProposalNote)] == [
        "planned",
        "ended",
    ]


def test_only_a_press_decided_on_a_new_frame_is_a_reaction(make_stage: MakeStage) -> None:
    stage = make_stage("twice")
    stage.turn()
    while len(stage.presses()) < 2:
        stage.window.draw(40 + len(stage.releases()))  # new pictures all along, also with the second tap
        stage.turn()
    stage.player.interrupt()
    stage.answer()
    stage.player.rest()
    assert [sent.event.kind for sent in stage.steps[0].sent] == ["key_down", "key_up"] * 2
    assert stage.steps[0].timings.reaction_ms is None


def test_a_scene_cut_ends_the_step_at_once(make_stage: MakeStage) -> None:
    stage = make_stage("hold")
    stage.play(50)
    stage.window.draw(40, seed=2)
    stage.turn()
    stage.turn()
    assert stage.releases() == ["ArrowLeft"]
    assert len(stage.steps) == 1
    stage.play(1_000)
    second = stage.steps[1]
    assert Reason.SCENE in second.reasons
    assert second.signals.change >= 0.35
    assert second.at_ns - stage.steps[0].at_ns < 100 * NS_PER_MS


def test_nothing_is_decided_while_the_game_loads(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    stage.turn()
    stage.window.draw(50)
    stage.play(20)
    acted = len(stage.presses())
    assert acted >= 1
    for _ in range(20):
        stage.window.draw(50, seed=0)
        stage.turn(100)
    assert len(stage.presses()) == acted
    assert len(stage.steps) == 0


def test_a_module_acts_on_frames_and_counts_a_step_a_second(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    for frame in range(40):
        stage.window.draw(20 + frame % 3)
        stage.turn(100)
    assert len(stage.presses()) > 30
    assert [step.route for step in stage.steps] == [Route.STRATEGIC, *[Route.REFLEX] * (len(stage.steps) - 1)]
    assert len(stage.steps) == 3
    assert [step.signals.since_strategic for step in stage.steps] == [0, 0, 1]
    assert stage.steps[1].timings.reaction_ms == pytest.approx(101)  # each picture is 100 ms old when seen
    spans = [note.route for note in stage.records if isinstance(note, telemetry.RouteSpan)]
    plans = [note for note in stage.records if isinstance(note, telemetry.ProposalNote)]
    assert spans == [Route.STRATEGIC, Route.REFLEX] * len(plans)
    assert stage.player.shown().last_action == "far"


def test_a_module_drives_on_where_the_default_agent_plans_every_step(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase", planner="explore")
    for frame in range(60):
        stage.window.draw(20 + frame % 3)
        stage.turn(100)
    assert len(stage.steps) >= 4
    assert {step.route for step in stage.steps[1:]} == {Route.REFLEX}


@pytest.mark.parametrize("held", [True, False])
def test_a_module_goes_on_with_the_first_frame_after_the_operator_held_the_game_still(
    make_stage: MakeStage, held: bool
) -> None:
    stage = make_stage(module="chase", pauses=held)
    for frame in range(12):
        stage.window.draw(20 + frame % 3)
        stage.turn(100)
    plans = sum(isinstance(note, telemetry.ProposalNote) for note in stage.records)
    stage.player.interrupt(plan_stays=True)
    message = stage.player.hold_game(by_keys=True)
    assert ("paused" in message) is held
    for _ in range(5):
        stage.clock.pass_ms(100)
        stage.player.rest(plan_stays=True)
    assert stage.player.shown().badge == ""
    before = len(stage.presses())
    stage.window.draw(21)
    stage.turn()
    stage.turn()
    assert ("Space" in stage.presses()[before:]) is held, "a game that went on is planned anew"
    assert (sum(isinstance(note, telemetry.ProposalNote) for note in stage.records) == plans) is held


def test_the_frame_that_an_action_answers_to_says_nothing_of_its_effect(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    stage.turn()
    stage.window.draw(50)  # here the ball is far already, which is what the action should bring about
    stage.turn()
    assert len(stage.presses()) == 1
    for _ in range(12):
        stage.window.draw(8)
        stage.turn(100)
    assert (str(stage.steps[0].action), stage.steps[0].effect) == ("far", Effect.UNVERIFIED)


def test_where_no_skill_applies_nobody_acts(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.play(1_000)
    assert stage.batches == []
    assert {str(step.action) for step in stage.steps} == {"no_op"}
    assert {step.effect for step in stage.steps} == {Effect.NONE}
    assert 2 <= len(stage.steps) <= 4
    plans = [note for note in stage.records if isinstance(note, telemetry.ProposalNote)]
    assert {(plan.proposal, plan.state) for plan in plans} == {(None, "ended")}


FOLLOWS = """
[python]
module = "ways.py"
[[fields]]
name = "way"
kind = "python"
[[skills]]
name = "go"
when = "ball != none"
subgoal = "go there"
actions = ["{way}"]
steps = 4
"""
WAYS = """
def reader(folder):
    return Ways()
class Ways:
    def read(self, pixels):
        return {"way": "tap" if pixels[:, :32, 2].max() > 250 else "twice"}
"""


def test_a_plan_that_goes_on_by_its_field_says_so_each_time_and_no_planner_is_asked(
    make_stage: MakeStage, tmp_path: Path
) -> None:
    """The field names one action, by where the ball is: "tap" on the left, "twice" on the right."""
    clock, folder, data = make_stage().clock, tmp_path / "game", DataFolder(tmp_path / "elsewhere")
    folder.mkdir()
    (folder / "ways.py").write_text(WAYS)
    (folder / "plugin.toml").write_text(MANIFEST + FOLLOWS)
    trust(data, Registry(data).load(str(folder)))
    stage = Stage(folder, clock, data=data)
    for turn in range(60):
        stage.window.draw((44 if turn < 20 else 12) + turn % 2 * 3)
        stage.turn(30)
    plans = [note for note in stage.records if isinstance(note, telemetry.ProposalNote)]
    assert [note.state for note in plans[:5]] == ["planned", "named", "named", "named", "planned"]
    notes = [
        (note.proposal.proposal_id, *map(str, note.proposal.candidates)) for note in plans if note.proposal
    ]
    assert notes[:4] == [*[(1, "twice")] * 3, (1, "tap")]
    assert [step.route for step in stage.steps[:4]] == [Route.STRATEGIC, *[Route.REACTIVE] * 3]


def test_replaying_a_run_finds_the_reasons_it_recorded(make_stage: MakeStage) -> None:
    stage = make_stage("tap", steps=100)
    for turn in range(1_200):
        if turn > 700 and turn % 7 == 0:
            stage.window.draw(10 + turn % 40, seed=1 + turn // 1_100)
        stage.turn()
    assert len(stage.steps) > 15
    reasons = {reason for step in stage.steps for reason in step.reasons}
    assert {Reason.REFRESH, Reason.STALL, Reason.LOOP, Reason.FAILURE} <= reasons
    decisions = replay(stage.steps, stage.session.thresholds)
    assert [decision.reasons for decision in decisions] == [step.reasons for step in stage.steps]


def test_changed_thresholds_apply_from_the_next_step_and_are_reported(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.play(50)
    stage.session.thresholds = stage.session.thresholds.model_copy(update={"refresh_steps": 1})
    stage.play(2_000)
    assert ("note", "Thresholds changed: refresh_steps 4 → 1.", 2) in stage.events
    assert all(Reason.REFRESH in step.reasons for step in stage.steps if step.signals.since_strategic)


def test_a_receipt_of_something_else_is_not_counted(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.play(50)
    sent = stage.player.figures.events_sent
    press = InputEvent(kind="key_down", key="Space")
    stage.player.receipt(Receipt(batch=999, events=(SentEvent(event=press, sent_ns=1),)))
    assert stage.player.figures.events_sent == sent


def test_progress_confirms_an_action_whose_effect_was_not_seen(make_stage: MakeStage) -> None:
    stage = make_stage("far")
    stage.turn()
    ball = 10
    while len(stage.steps) < 4:  # every tap moves the ball on, never as far as expected
        ball = 10 + (ball - 9) % 16
        stage.window.draw(ball)
        stage.play(480)
    assert {step.effect for step in stage.steps} == {Effect.UNVERIFIED}
    assert [step.signals.progress for step in stage.steps] == [0, 1, 2, 3]
    assert [int(step.signals.failure) for step in stage.steps[:2]] == [0, 0]  # F1 where nothing had moved


def test_a_scene_cut_counts_a_step_of_a_module_and_the_next_is_a_second_later(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    for turn in range(500):
        stage.window.draw(8 + turn % 2, seed=1 if turn < 80 else 2)  # another scene 0.4 s after the start
        stage.turn()
    assert Reason.SCENE in stage.steps[1].reasons
    assert [step.at_ns // NS_PER_MS for step in stage.steps] == [5, 405, 1405]
