"""A model's cost is bounded, whatever it does; a model as good as the skills drives."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.model_telemetry import Driver, Situation, Tally
from pitwall.core.observations import GameStatus
from pitwall.core.signals import Reason, Signals
from pitwall.core.telemetry import TrustNote
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.decision.trust import (
    EXPLORER,
    FIRST_TRIES,
    LEAST_STEPS,
    MOST_BARREN,
    SLOW_MS,
    TRY_SHARE,
    TRY_STEPS,
    Trust,
    situation_of,
)
from pitwall.memory.track_record import TrackRecord

USE = SemanticAction(name="use")
SKILLED = 0.8
"""Share of the baseline's steps with progress in the made world."""

Outcomes = Callable[[int], tuple[bool, bool]]
"""From a step's number to whether it brought progress, and a gain."""


def _request(status: GameStatus = GameStatus.PLAYING, *reasons: Reason) -> PlanRequest:
    return PlanRequest(
        request_id=1, step=1, now_ns=0, values={}, status=status, signals=Signals(), reasons=reasons
    )


def _trust(record: TrackRecord | None = None) -> Trust:
    trust = Trust(record)
    trust.model = "one"
    return trust


class World:
    """Decisions under earned control, one after another; the skills' steps are drawn with a fixed seed."""

    def __init__(self, model: Outcomes, *, loses: bool = False) -> None:
        self.record = TrackRecord()
        self.trust = _trust(self.record)
        self.drivers: list[Driver] = []
        self._model, self._loses = model, loses
        self._chance = random.Random(7)
        self.steps = 0

    def decide(self) -> None:
        driver: Driver = "model" if self.trust.asks(Situation.GOING) else "skills"
        self.drivers.append(driver)
        self.trust.begin(driver, _request())
        for _ in range(TRY_STEPS):
            self.steps += 1
            skilled = self._chance.random() < SKILLED
            progressed, gained = self._model(self.steps) if driver == "model" else (skilled, skilled)
            self.trust.note(_outcome(self.steps, progressed=progressed, gained=gained))
            if self.trust.try_over:
                break
        if driver == "model" and self._loses:
            self.trust.seen(GameStatus.TERMINAL)
        self.trust.end()

    def play(self, decisions: int) -> World:
        for _ in range(decisions):
            self.decide()
        return self

    def share(self, last: int) -> float:
        """Return the share of the last decisions that the model made."""
        return self.drivers[-last:].count("model") / last


def _outcome(step: int, *, progressed: bool, gained: bool = False) -> Outcome:
    return Outcome(step=step, action=USE, effect=Effect.CONFIRMED, progressed=progressed, gained=gained)


def _turns_bad(step: int) -> tuple[bool, bool]:
    return step < 400, step < 400


ADVERSARIES: dict[str, tuple[Outcomes, bool]] = {
    "brings nothing": (lambda _: (False, False), False),
    "every other step": (lambda step: (step % 2 == 0, step % 2 == 0), False),
    "good, then nothing": (_turns_bad, False),
    "moves about and gains nothing": (lambda _: (True, False), False),
    "loses the game": (lambda _: (True, True), True),
}


@pytest.mark.parametrize("name", ADVERSARIES)
def test_the_cost_of_tries_stays_within_the_bound_at_every_time(name: str) -> None:
    model, loses = ADVERSARIES[name]
    world = World(model, loses=loses)
    for _ in range(600):
        world.decide()
        bound = FIRST_TRIES * TRY_STEPS + TRY_SHARE * world.steps
        assert world.trust.lack(Situation.GOING) <= bound + 1e-9
    assert world.share(200) <= 2 * TRY_SHARE


def test_pinned_to_the_model_an_adversary_costs_everything() -> None:
    world = World(ADVERSARIES["brings nothing"][0])
    world.trust.pin = "model"
    world.play(100)
    assert world.drivers == ["model"] * 100 and world.trust.lack(Situation.GOING) == 100 * TRY_STEPS


def test_a_model_that_does_as_well_comes_to_drive() -> None:
    chance = random.Random(3)

    def as_well(_: int) -> tuple[bool, bool]:
        progressed = chance.random() < SKILLED + 0.1
        return progressed, progressed

    world = World(as_well).play(600)
    assert world.trust.earned(Situation.GOING)
    assert world.share(100) == 1.0
    assert world.trust.why.startswith("The model has earned it: in play the model made progress in ")


def test_before_anything_is_known_one_try_is_allowed_and_then_the_skills_drive() -> None:
    trust = _trust()
    assert trust.asks(Situation.GOING)
    trust.begin("model", _request())
    for step in range(1, 1 + MOST_BARREN):
        assert not trust.try_over
        trust.note(_outcome(step, progressed=False))
    assert trust.try_over
    trust.end()
    assert not trust.asks(Situation.GOING)
    assert trust.why == (
        "The skills drive: in play the model made progress in 0 of 2 steps (0–66 %), the skills in no "
        "step yet; it is tried again after 78 steps."
    )
    assert trust.asks(Situation.STUCK), "another kind of situation has a record of its own"


def test_the_model_is_tried_again_after_the_reported_number_of_steps() -> None:
    world = World(ADVERSARIES["brings nothing"][0]).play(1)
    before, after = world.steps, 0
    while not world.trust.asks(Situation.GOING):
        after = after or int(world.trust.why.rsplit(" after ", 1)[1].split()[0])
        world.play(1)
    assert after <= world.steps - before < after + TRY_STEPS


def test_a_choice_that_the_skills_make_too_is_no_try() -> None:
    trust = _trust()
    for step in range(1, 101):
        assert trust.asks(Situation.GOING)
        trust.begin("both", _request())
        trust.note(_outcome(step, progressed=step % 2 == 0))
        assert trust.consults and not trust.try_over
    trust.deviated()
    trust.note(_outcome(101, progressed=False))
    trust.end()
    assert trust.lack(Situation.GOING) == 1


def test_a_slow_model_that_agrees_is_not_asked_over_and_over() -> None:
    trust = _trust()
    asked = 0
    for step in range(1, 402):
        if trust.asks(Situation.GOING):
            asked += 1
            trust.begin("both", _request(), ms=SLOW_MS)
        else:
            trust.begin("skills", _request())
        trust.note(_outcome(step, progressed=True))
    assert asked == FIRST_TRIES + 400 * TRY_SHARE // TRY_STEPS


def test_play_lost_soon_after_a_try_is_the_tries_harm() -> None:
    trust = _trust()
    trust.begin("model", _request())
    trust.note(_outcome(1, progressed=True))
    trust.begin("skills", _request())
    trust.note(_outcome(2, progressed=True))
    trust.seen(GameStatus.TERMINAL)
    trust.seen(GameStatus.TERMINAL)
    trust.end()
    assert trust.lack(Situation.GOING) == TRY_STEPS
    assert not trust.asks(Situation.GOING)


def test_play_that_the_skills_lose_themselves_is_nobodys_harm() -> None:
    trust = _trust()
    trust.begin("skills", _request())
    trust.note(_outcome(1, progressed=True))
    trust.seen(GameStatus.TERMINAL)
    trust.end()
    assert trust.lack(Situation.GOING) == 0


def test_an_answer_that_cannot_be_used_counts_as_a_try() -> None:
    trust = _trust()
    assert trust.asks(Situation.GOING)
    trust.failed(Situation.GOING, ms=60_000.0)
    assert not trust.asks(Situation.GOING)


def test_a_missing_answer_is_a_try_and_no_harm() -> None:
    trust = _trust()
    trust.unanswered(Situation.GOING)
    assert not trust.asks(Situation.GOING) and trust.lack(Situation.GOING) == 0
    assert "it gave no answer 1 times" in trust.why and "harm" not in trust.why


def test_the_baseline_is_named_after_the_player_without_a_model() -> None:
    trust = Trust(baseline=EXPLORER)
    trust.model = "one"
    trust.failed(Situation.GOING)
    assert not trust.asks(Situation.GOING)
    assert trust.why.startswith("The default agent drives: in play the model made progress in no step yet, ")


def test_another_model_begins_with_an_empty_record() -> None:
    record = TrackRecord()
    record.add("one", Tally(driver="model", situation=Situation.GOING, decisions=1, steps=2))
    trust = _trust(record)
    assert not trust.asks(Situation.GOING)
    trust.model = "another"
    assert trust.asks(Situation.GOING)


def test_a_known_record_is_reported_with_the_driver() -> None:
    record, notes = TrackRecord(), list[TrustNote]()
    for driver in ("model", "skills"):
        tally = Tally(driver=driver, situation=Situation.GOING, decisions=9, steps=2 * LEAST_STEPS)
        record.add("one", tally + Tally(driver=driver, situation=Situation.GOING, progressed=30, gained=30))
    trust = Trust(record, tell=notes.append)
    trust.model = "one"
    assert trust.asks(Situation.GOING)
    trust.begin("model", _request())
    assert notes[-1].driver == "model" and len(notes[-1].tallies) == 2
    assert notes[-1].why == (
        "The model has earned it: in play the model made progress in 30 of 40 steps (60–86 %), "
        "the skills in 30 of 40 steps (60–86 %)."
    )


@pytest.mark.parametrize(
    ("status", "reasons", "kind"),
    [
        (GameStatus.PLAYING, (Reason.REFRESH,), Situation.GOING),
        (GameStatus.PLAYING, (Reason.REFRESH, Reason.STALL), Situation.STUCK),
        (GameStatus.READY, (Reason.STALL,), Situation.AWAY),
    ],
)
def test_the_kind_of_situation(status: GameStatus, reasons: tuple[Reason, ...], kind: Situation) -> None:
    assert situation_of(_request(status, *reasons)) is kind
