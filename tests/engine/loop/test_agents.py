"""Agents of the floor, the paused protocol, rolling rounds and a person: the real stages on drawn frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.loop.player_rig import MANIFEST, SKILL, Clock, Stage
from tests.engine.loop.steered_game import Steered, until

from pitwall.core.actions import NO_OP, Effect, InputEvent
from pitwall.core.calls import Purpose
from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.injection import PersonActed
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Route, Signals
from pitwall.core.steps import StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.decision.effective_settings import check_agent, effective
from pitwall.engine.decision.open_step import OpenStep
from pitwall.engine.decision.rolling_rounds import RollingRounds
from pitwall.engine.decision.route_decision import RouteDecision
from pitwall.engine.loop.person_player import PersonPlayer
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.session.game_clock import ClockWatch, GameClock, paused_protocol_for
from pitwall.memory.prompt.compose import compose
from pitwall.memory.prompt.layer_entries import PromptLayers

MakeStage = Callable[..., Stage]
PLAYS = '{skill}actions = ["tap"]\nsteps = 1000\n'


@pytest.fixture
def make_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    clock = Clock()
    for module in ("loop.player", "recording.run_figures", "loop.person_player"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)

    def make(manifest: str = MANIFEST, **options: Any) -> Stage:
        (tmp_path / "plugin.toml").write_text(manifest + PLAYS.format(skill=SKILL))
        return Stage(tmp_path, clock, **options)

    return make


def _open_step(stage: Stage) -> OpenStep:
    seen = stage.session.seen
    assert seen is not None
    routed = RouteDecision(
        route=Route.STRATEGIC, action=None, reasons=(), why="", proposal=None, failure=Failure.NONE
    )
    pixels = seen.frame.pixels.copy()
    now = stage.clock()
    return OpenStep(
        number=1,
        began_ns=now,
        since_run_ns=0,
        seen=seen,
        routed=routed,
        signals=Signals(),
        pixels=pixels,
        over_ns=now,
    )


def _settings(**changes: Any) -> Settings:
    settings = Settings()
    for name, value in changes.items():
        section, _, key = name.partition("__")
        settings = settings.with_value(section, key, value)
    return settings


# ---- the floor


def test_random_acts_each_step_alone_and_equally_for_equal_seeds(make_stage: MakeStage) -> None:
    taken = []
    for _ in range(2):
        stage = make_stage(settings=_settings(control__planner="random", models__seed=5))
        stage.play(6_000)
        taken.append([str(step.action) for step in stage.steps])
        assert {step.route for step in stage.steps} == {Route.STRATEGIC}
        assert not any(step.proposal.module for step in stage.steps if step.proposal is not None)
        assert len(set(taken[-1])) >= 3
    assert taken[0] == taken[1]


def test_idle_lets_every_step_pass(make_stage: MakeStage) -> None:
    stage = make_stage(settings=_settings(control__planner="idle"), steps_cap=5)
    stage.play(4_000)
    assert [step.action for step in stage.steps] == [NO_OP] * 5
    assert stage.batches == []
    assert stage.player.budget_spent


def test_computer_use_acts_by_keys_and_knows_no_skill_and_no_module(make_stage: MakeStage) -> None:
    settings = _settings(control__planner="random", control__interface="computer-use")
    stage = make_stage(settings=settings)
    stage.play(6_000)
    names = {step.action.name for step in stage.steps}
    assert names == {"press_key", "press_keys", "wait"}
    assert stage.player.figures.refusals == {}
    assert {event.key for batch in stage.batches for event in batch} == {"Space", "ArrowLeft"}
    with pytest.raises(PitwallError, match="named actions"):
        check_agent(_settings(control__interface="computer-use"))


# ---- the paused protocol


def _play_paused(stage: Stage, game_clock: GameClock, ms: int) -> None:
    for _ in range(ms // 5):
        stage.turn()
        until(lambda: game_clock.settled)


def test_the_game_runs_for_each_actions_length_and_is_still_while_decided(
    make_stage: MakeStage, steered: tuple[Steered, GameClock]
) -> None:
    game, game_clock = steered
    settings = _settings(control__protocol="paused", control__effect_wait_ms=50)
    stage = make_stage(settings=settings, game_clock=game_clock, steps_cap=3)
    _play_paused(stage, game_clock, 900)
    assert stage.player.budget_spent
    tap_ms = 100.0
    round_ = [("pause", None), ("resume", tap_ms)]
    assert game.words[:6] == round_ * 3
    assert stage.presses() == ["Space"] * 3
    stage.player.interrupt()
    stage.player.release_game()
    until(lambda: game_clock.settled)
    assert game.words[-1] == ("resume", None)
    before = len(game.words)
    stage.player.release_game()  # harmless twice
    until(lambda: game_clock.settled)
    assert len(game.words) == before


def test_nothing_is_sent_before_the_game_runs(
    make_stage: MakeStage, steered: tuple[Steered, GameClock]
) -> None:
    game, game_clock = steered
    stage = make_stage(settings=_settings(control__protocol="paused"), game_clock=game_clock)
    stage.turn()
    until(lambda: game_clock.settled)
    game.answers.clear()
    for _ in range(5):
        stage.turn()
    assert not stage.presses()
    game.answers.set()
    until(lambda: game_clock.settled)
    stage.turn()
    assert stage.presses() == ["Space"]
    assert [word for word, _ in game.words] == ["pause", "resume"]
    stage.player.release_game()


def test_a_game_that_cannot_be_steered_any_more_stops_the_run_with_a_sentence(
    make_stage: MakeStage, steered: tuple[Steered, GameClock]
) -> None:
    game, game_clock = steered
    stuck: list[PitwallError] = []
    stage = make_stage(
        settings=_settings(control__protocol="paused"), game_clock=game_clock, on_stuck=stuck.append
    )
    game_clock.hold()
    until(lambda: game_clock.settled)
    game_clock._control.close()  # the game's process is gone, and its connection with it
    game.close()
    (Path(stage.session.game.folder) / "c.sock").unlink()
    for _ in range(100):
        stage.turn()
        until(lambda: game_clock.settled)
    assert stuck and "cannot be steered" in stuck[0].what
    assert stage.presses() == []


def test_a_game_that_cannot_be_paused_is_not_played_so(make_stage: MakeStage) -> None:
    with pytest.raises(PitwallError, match="cannot be paused"):
        make_stage(settings=_settings(control__protocol="paused"))
    assert not ClockWatch(make_stage().session.game.profile).awaited(None, 0)


def test_keys_stand_in_for_the_socket(make_stage: MakeStage) -> None:
    shown = MANIFEST.replace('loading = "black"', 'loading = "black"\npaused = "ball > 1000"')
    stage = make_stage(shown + '[pause]\nkeys = ["Space"]\n')
    assert paused_protocol_for(stage.session.game.profile, None) is None


def test_a_socket_is_waited_for_but_not_for_ever(make_stage: MakeStage, tmp_path: Path) -> None:
    profile = make_stage().session.game.profile
    game_clock = GameClock(tmp_path / "never.sock")
    watch = ClockWatch(profile)
    assert watch.awaited(game_clock, 1)
    assert not watch.awaited(game_clock, 4_000 * NS_PER_MS)
    game_clock.close()


# ---- what settings put out of force


def test_rounds_stand_in_the_place_of_layers() -> None:
    settings = effective(_settings(memory__form="rounds"))
    layers = settings.layers
    assert (layers.l3, layers.l4, layers.l5, layers.thread_messages) == ("off", "disable", "disable", 0)
    assert settings.models.recent_steps == 0
    assert effective(Settings()) == Settings()


def test_a_prompt_grows_by_whole_rounds_and_nothing_else(make_stage: MakeStage) -> None:
    settings = _settings(memory__form="rounds", control__effect_wait_ms=50)
    stage = make_stage(settings=settings, steps_cap=4)
    stage.play(2_000)
    rounds = stage.player.controllers.rounds
    assert rounds is not None
    forms = stage.session.vocabulary.forms
    book = PromptLayers(stage.session.game, forms=forms, layers=settings.layers, memory=settings.memory)
    others = set()
    for many in (0, 1, 3):
        stage.session.settings = settings.with_value("memory", "rounds", many)
        stage.player.controllers.adopt(stage.session.settings)
        earlier = rounds.recent(sees=True)
        prompt = compose(
            book,
            purpose=Purpose.PLAN,
            values={"status": "playing"},
            turn=[Message(role="user", spans=(Span(layer=Layer.STATE, text="now"),))],
            count=len,
            layers=effective(settings).layers,
            rounds=earlier.messages,
        )
        spans = [span for span in prompt.spans if span.layer is Layer.ROUNDS]
        assert [span.item for span in spans] == [f"round {n}" for n in range(5 - many, 5) for _ in "qa"]
        assert all("Action: tap (" in span.text for span in spans[1::2])
        assert [message.role for message in prompt.messages][1:-1] == ["user", "assistant"] * many
        others.add(tuple(span for span in prompt.spans if span.layer is not Layer.ROUNDS))
    assert len(others) == 1
    seeing = RollingRounds(lambda: stage.session.settings, {})
    step = _open_step(stage)
    seeing.add(step, Effect.CONFIRMED, picture=True)
    assert seeing.recent(sees=True).pictures[0].startswith(b"\xff\xd8\xff")
    assert seeing.recent(sees=False).pictures == ()
    seeing.close()


def test_a_person_plays_in_real_time() -> None:
    with pytest.raises(PitwallError, match="real time"):
        check_agent(_settings(control__player="person", control__protocol="paused"))


# ---- a person


def test_each_press_of_a_person_is_a_step_with_its_effect(make_stage: MakeStage) -> None:
    stage = make_stage(settings=_settings(control__player="person"))
    steps: list[StepRecord] = []
    player = PersonPlayer(
        stage.session,
        stage.session.settings,
        RunOutlets(on_step=lambda step, _: steps.append(step), tell=stage.records.append),
        budget=Budget("hard", steps_cap=3),
    )
    player.look_afresh()
    stage.player = player  # type: ignore[assignment]

    def press(**event: Any) -> None:
        player.acted(PersonActed(event=InputEvent(**event), at_ns=stage.clock()))

    stage.turn()
    press(kind="key_down", key="Space")
    stage.window.draw(50)
    stage.turn(30)
    press(kind="key_up", key="Space")
    stage.play(400)
    press(kind="mouse_down", x=32, y=12, button="left")
    stage.play(20)
    press(kind="key_down", key="ArrowLeft")
    press(kind="key_up", key="ArrowLeft")
    stage.play(600)
    press(kind="key_down", key="Space")  # beyond the cap
    stage.play(600)
    assert [str(step.action) for step in steps] == [
        "press_key(key=Space)",
        "click(x=32, y=12, button=left)",
        "press_key(key=ArrowLeft)",
    ]
    assert {step.route for step in steps} == {Route.PERSON}
    assert [step.effect.value for step in steps] == ["confirmed", "unverified", "unverified"]
    assert [sent.event.kind for sent in steps[0].sent] == ["key_down", "key_up"]
    first, last = steps[0].sent
    assert first.sent_ns is not None and last.sent_ns is not None
    assert last.sent_ns - first.sent_ns == 30 * NS_PER_MS
    assert steps[0].fields["ball"] is not None
    assert player.budget_spent and player.figures.steps == 3
    assert stage.batches == []


def test_a_press_while_the_game_loads_is_no_step(make_stage: MakeStage) -> None:
    stage = make_stage(settings=_settings(control__player="person"))
    steps: list[StepRecord] = []
    session, settings = stage.session, stage.session.settings
    player = PersonPlayer(
        session,
        settings,
        RunOutlets(on_step=lambda step, _: steps.append(step), tell=stage.records.append),
    )
    stage.player = player  # type: ignore[assignment]
    stage.window.draw(None, seed=0)
    stage.turn()
    player.acted(PersonActed(event=InputEvent(kind="key_down", key="Space"), at_ns=stage.clock()))
    player.interrupt()
    assert steps == []
