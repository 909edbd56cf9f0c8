"""Controllers that take their time: what the agent does meanwhile, and what happens to a late answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.loop.player_rig import MANIFEST, Clock, Stage

from pitwall.core import telemetry
from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Route
from pitwall.engine.control.planner import PlanReply, PlanRequest
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.models.replies.plan import Reflection

TAP, HOLD = SemanticAction(name="tap"), SemanticAction(name="hold")
PAUSE = """
[pause]
keys = ["Space"]
"""
PAUSED = 'paused = "ball == none"\n'


class Thinker:
    """A planner whose answer the test gives."""

    name = "slow"

    def __init__(self) -> None:
        self.asked: list[PlanRequest] = []
        self.open: PlanRequest | None = None
        self.cancelled = 0
        self._reply: PlanReply | None = None

    def request(self, request: PlanRequest) -> None:
        self.asked.append(request)
        self.open = request

    def poll(self) -> PlanReply | None:
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        self.open, self.cancelled = None, self.cancelled + 1

    def answer(
        self, *actions: SemanticAction, steps: int = 1000, reflection: Reflection | None = None
    ) -> None:
        assert self.open is not None
        proposal = Proposal(
            proposal_id=1, situation="", subgoal="play", candidates=actions, steps=steps, source="model:x"
        )
        self._reply = PlanReply(
            request_id=self.open.request_id,
            proposal=proposal,
            why="It is time.",
            reflection=reflection,
            reflected=self.open.history[-1].step if self.open.history else 0,
        )
        self.open = None


class Grounder:
    """A reactive model whose answer the test gives."""

    available = True

    def __init__(self) -> None:
        self.asked: list[ReactRequest] = []
        self.open: ReactRequest | None = None
        self._reply: ReactReply | None = None

    def request(self, request: ReactRequest) -> None:
        self.asked.append(request)
        self.open = request

    def poll(self) -> ReactReply | None:
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        self.open = None

    def answer(self, action: SemanticAction | None, *, escalate: bool = False, why: str = "") -> None:
        assert self.open is not None
        self._reply = ReactReply(
            request_id=self.open.request_id, action=action, escalate=escalate, why=why, call=0
        )
        self.open = None


MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    """Makes a stage under a while-thinking policy, with a reactive model that is asked at every step."""
    clock = Clock()
    for module in ("loop.player", "recording.run_figures", "decision.step_decider"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)

    def make(policy: str = "go-on", consult: str = "every-step") -> Stage:
        manifest = MANIFEST.replace('name = "Ball"', f'name = "Ball"\nwhile_thinking = "{policy}"', 1)
        if policy == "pause":
            manifest = manifest.replace("[status]\n", f"[status]\n{PAUSED}") + PAUSE
        (tmp_path / "plugin.toml").write_text(manifest)
        settings = Settings().with_value("control", "consult", consult)
        return Stage(tmp_path, clock, settings=settings.with_value("control", "planner", "skills"))

    return make


def _lanes(stage: Stage) -> list[tuple[Route | None, str]]:
    return [(note.route, note.state) for note in stage.records if isinstance(note, telemetry.RouteSpan)]


def _plans(stage: Stage) -> list[str]:
    return [note.state for note in stage.records if isinstance(note, telemetry.ProposalNote)]


def test_nobody_acts_before_the_first_plan(make_stage: MakeStage) -> None:
    stage, thinker = make_stage(), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.play(2_000)
    assert stage.batches == [] and stage.steps == []
    assert len(thinker.asked) == 1
    assert (_lanes(stage), _plans(stage)) == ([(Route.STRATEGIC, "thinking")], ["thinking"])
    thinker.answer(TAP)
    stage.play(500)
    assert stage.presses()[0] == "Space"
    assert stage.steps[0].route is Route.STRATEGIC
    assert _plans(stage) == ["thinking", "planned"]
    assert "It is time." in stage.steps[0].why


@pytest.mark.parametrize(("policy", "acts"), [("go-on", True), ("hold", False)])
def test_while_it_thinks_again(make_stage: MakeStage, policy: str, acts: bool) -> None:
    stage, thinker = make_stage(policy), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.turn()
    thinker.answer(TAP)
    while len(thinker.asked) < 2:
        stage.window.draw(30 + len(stage.batches) % 20)
        stage.turn()
    steps, presses = len(stage.steps), len(stage.presses())
    stage.play(1_500)
    assert (len(stage.presses()) > presses) is acts
    thinker.answer(HOLD)
    stage.play(1_200)
    assert "ArrowLeft" in stage.presses()
    assert len(stage.steps) > steps
    if not acts:
        assert (Route.STRATEGIC, "thinking") in _lanes(stage)[1:]


def test_the_game_is_paused_while_it_thinks(make_stage: MakeStage) -> None:
    stage, thinker = make_stage("pause"), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.play(100)
    assert stage.presses() == ["Space"], "the pause key"
    stage.window.draw(None)
    stage.play(1_000)
    assert stage.presses() == ["Space"] and stage.steps == []
    assert (Route.STRATEGIC, "waiting") in _lanes(stage)
    thinker.answer(HOLD)
    stage.play(100)
    assert stage.presses() == ["Space", "Space"], "the game goes on"
    assert stage.steps == []
    stage.window.draw(30)
    stage.play(1_200)
    assert stage.presses()[2] == "ArrowLeft"
    assert stage.steps[0].step == 1


def test_a_game_that_shows_no_pause_is_held_instead(make_stage: MakeStage) -> None:
    stage, thinker = make_stage("pause"), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.play(3_000)
    assert stage.presses() == ["Space", "Space"], "asked once more: a key may be lost"
    assert not any("did not show a pause" in text for _, text, _ in stage.events)
    stage.play(6_000)
    assert stage.presses() == ["Space"] * 3
    assert any("did not show a pause" in text for _, text, _ in stage.events)
    thinker.answer(HOLD)
    stage.play(1_000)
    assert stage.presses()[3] == "ArrowLeft"


def test_a_lost_key_of_the_pause_is_pressed_again(make_stage: MakeStage) -> None:
    stage, thinker = make_stage("pause"), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.play(2_500)
    assert stage.presses() == ["Space", "Space"]
    stage.window.draw(None)
    stage.play(500)
    thinker.answer(HOLD)
    stage.play(2_500)
    assert stage.presses() == ["Space"] * 4, "the game did not go on at the first asking"
    stage.window.draw(30)
    stage.play(1_200)
    assert "ArrowLeft" in stage.presses()


def test_an_answer_for_a_scene_that_is_gone_is_dropped_and_counted(make_stage: MakeStage) -> None:
    stage, thinker = make_stage(), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.turn()
    for seed in (2, 3, 4):
        stage.window.draw(30, seed=seed)
        stage.turn(50)
        thinker.answer(TAP)
        stage.turn(50)
    assert _plans(stage) == ["thinking", "dropped", "thinking", "dropped", "thinking", "planned"]
    assert stage.player.figures.plans_dropped == 0 and len(stage.presses()) == 1
    stage.play(600)
    assert stage.player.figures.plans_dropped == 2
    assert sum("came too late" in text for _, text, _ in stage.events) == 2


def test_a_model_grounds_one_action_a_step(make_stage: MakeStage) -> None:
    stage, thinker, grounder = make_stage(), Thinker(), Grounder()
    stage.player.controllers.router.use(thinker, grounder)
    stage.turn()
    thinker.answer(TAP, HOLD)
    stage.turn()
    while grounder.open is None:
        stage.window.draw(30 + len(stage.batches) % 20)
        stage.turn()
    presses = len(stage.presses())
    stage.play(1_000)
    assert len(stage.presses()) == presses, "nobody acts until it answers"
    assert _lanes(stage)[-1] == (Route.REACTIVE, "thinking")
    assert grounder.asked[-1].history[-1].action == TAP
    assert grounder.asked[-1].candidate == 1
    grounder.answer(HOLD, why="the ball rolls away")
    stage.play(100)
    assert stage.presses()[-1] == "ArrowLeft"
    stage.window.draw(44)
    stage.play(700)
    step = stage.steps[-1]
    assert (step.route, step.action, "rolls away" in step.why) == (Route.REACTIVE, HOLD, True)


@pytest.mark.parametrize(("done", "effect"), [(True, True), (False, False)])
def test_a_sure_reflection_counts_for_progress_and_failure_level(
    make_stage: MakeStage, done: bool, effect: bool
) -> None:
    stage, thinker = make_stage(), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.turn()
    thinker.answer(TAP, steps=1)
    while len(stage.steps) < 1:
        stage.window.draw(30 + len(stage.batches) % 20)
        stage.turn(50)
    while thinker.open is None:
        stage.turn(50)
    before = thinker.asked[-1]
    assert before.history[-1].effect is Effect.CONFIRMED and before.signals.failure is Failure.NONE
    verdict = Reflection(
        effect=effect, cause="the wrong ball", next="", done=done, failure=Failure.NONE, confidence=0.8
    )
    thinker.answer(TAP, steps=1, reflection=verdict)
    steps = len(stage.steps)
    while thinker.open is None or len(stage.steps) == steps:
        stage.turn(50)
    after = thinker.asked[-1]
    judged = next(past for past in after.history if past.step == before.history[-1].step)
    assert judged.effect is (Effect.CONFIRMED if effect else Effect.UNVERIFIED)
    assert any("the wrong ball" in note.problem for note in after.trace) is not effect
    assert (after.signals.progress > before.signals.progress) is done
    assert stage.player.figures.summary("finished").deciders.keys() == {"model"}


def _roll(stage: Stage, steps: int) -> None:
    """Play for so many steps, the ball moving with each action."""
    while len(stage.steps) < steps:
        stage.window.draw(20 + len(stage.batches) % 20)
        stage.turn()


def test_a_model_is_asked_only_in_doubt_and_each_step_says_why(make_stage: MakeStage) -> None:
    stage, thinker, grounder = make_stage(consult="in-doubt"), Thinker(), Grounder()
    stage.player.controllers.router.use(thinker, grounder)
    stage.turn()
    thinker.answer(TAP, HOLD)
    _roll(stage, 3)
    assert grounder.asked == []
    assert [(step.route, step.action) for step in stage.steps[1:]] == [
        (Route.REACTIVE, HOLD),
        (Route.REACTIVE, TAP),
    ]
    assert "next in turn, nothing speaks against it" in stage.steps[-1].why
    while grounder.open is None:
        stage.window.draw(None)
        stage.turn()
    taken = len(stage.steps)
    grounder.answer(HOLD, why="the ball is gone")
    _roll(stage, taken + 1)
    assert stage.steps[taken].why == "hold the ball is gone (asked: ball is now unknown)."


def test_when_a_model_is_asked_changes_between_two_steps(make_stage: MakeStage) -> None:
    stage = make_stage(consult="in-doubt")
    router = stage.player.controllers.router
    stage.play(200)
    before = router.always_consult
    stage.session.settings = stage.session.settings.with_value("control", "consult", "every-step")
    stage.play(200)
    assert (before, router.always_consult) == (False, True)
    assert any("control.consult in-doubt → every-step" in text for _, text, _ in stage.events)


def test_a_model_that_asks_for_a_plan_escalates_and_an_unusable_one_leaves_it_to_the_rules(
    make_stage: MakeStage,
) -> None:
    stage, thinker, grounder = make_stage(), Thinker(), Grounder()
    stage.player.controllers.router.use(thinker, grounder)
    stage.turn()
    thinker.answer(TAP, HOLD)

    def until_asked() -> None:
        while grounder.open is None:
            stage.window.draw(30 + len(stage.batches) % 20)
            stage.turn()

    until_asked()
    grounder.answer(None, why="the model died")
    stage.play(100)
    assert stage.presses()[-1] == "ArrowLeft"
    until_asked()
    assert "the model died" in stage.steps[-1].why
    grounder.answer(None, escalate=True, why="the way is blocked")
    stage.turn()
    assert len(thinker.asked) == 2
    assert [reason.value for reason in thinker.asked[1].reasons] == ["requested"]


def test_an_interrupted_thought_is_cancelled(make_stage: MakeStage) -> None:
    stage, thinker = make_stage(), Thinker()
    stage.player.controllers.router.use(thinker, None)
    stage.turn()
    stage.player.rest()
    assert thinker.cancelled == 1 and thinker.open is None
    assert _plans(stage) == ["thinking", "ended"]
    stage.turn()
    assert len(thinker.asked) == 2


def test_the_memory_is_asked_once_a_step_and_again_after_an_interruption(
    make_stage: MakeStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, asked = make_stage(), list[int]()
    stage.player.controllers.router.use(Thinker(), None)
    monkeypatch.setattr(stage.player.controllers, "recall", lambda _seen, step: asked.append(step))
    stage.turn()
    stage.turn()
    assert asked == [1]
    stage.player.rest()
    stage.turn()
    assert asked == [1, 1]


def test_switches_change_between_two_steps(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.session.settings = Settings().with_value("control", "routing", "reactive-only")
    stage.play(800)
    assert {step.route for step in stage.steps} == {Route.REACTIVE}
    assert stage.steps[0].proposal is not None and stage.steps[0].proposal.source == "standing"
    stage.session.settings = Settings().with_value("control", "routing", "strategic-only")
    before = len(stage.steps)
    stage.play(1_500)
    assert {step.route for step in stage.steps[before + 1 :]} == {Route.STRATEGIC}
    assert all("schedule" in [reason.value for reason in step.reasons] for step in stage.steps[before + 1 :])
    assert any("control.routing" in text for _, text, _ in stage.events)
