"""The controllers over a real host process and a generated model: whatever it writes, every plan is legal.

More seeds by `--campaign N`.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.engine.control.model_fakes import book_of, bundled

from pitwall.core.actions import Effect, Proposal, SemanticAction
from pitwall.core.calls import CallOutcome, CallRecord
from pitwall.core.clock import now_ns
from pitwall.core.conditions import parse_condition
from pitwall.core.frames import Pixels
from pitwall.core.observations import GameStatus, Value
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Reason, Signals
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.model_planner import ModelPlanner
from pitwall.engine.control.model_reactor import ModelReactor
from pitwall.engine.control.planner import PastStep, PlanReply, PlanRequest
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.model_calls import ModelCalls, SettledCall
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.models.files.integrity import sha256_of
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_projector, tiny_text_model

LONG_S = 110.0
GAMES = ("flappy", "doom")

Reply = TypeVar("Reply", PlanReply, ReactReply)


def _spec(path: Path, projector: Path | None = None) -> ModelSpec:
    stat = path.stat()
    return ModelSpec(
        name="tiny",
        kind="gguf",
        path=str(path),
        size_bytes=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        sha256=sha256_of(path),
        projector=str(projector or ""),
        projector_sha256=sha256_of(projector) if projector is not None else "",
        context=6144,
        gpu_layers=0,
        threads=1,
        sees=projector is not None,
    )


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory, llama: str) -> dict[str, ModelSpec]:
    assert llama
    folder = tmp_path_factory.mktemp("models")
    blind = tiny_text_model(folder / "blind.gguf", context=6144)
    seeing = tiny_text_model(folder / "seeing.gguf", seed=1, context=6144)
    return {
        "blind": _spec(blind),
        "seeing": _spec(seeing, tiny_projector(folder / "projector.gguf")),
    }


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLink]:
    link = HostLink(tmp_path_factory.mktemp("logs"))
    yield link
    link.close()


class Played:
    """A planner and a reactor of one game over the host."""

    def __init__(self, link: HostLink, spec: ModelSpec, game: Game, **settings: Any) -> None:
        self.game = game
        self.space = Vocabulary(game.profile)
        self.records: list[CallRecord] = []
        self.link = link
        self.settings = Settings.model_validate(settings | {"models": _models(settings.get("models", {}))})
        self.calls = ModelCalls(
            link.mailbox(),
            resolve=lambda _: spec,
            models=lambda: self.settings.models,
            budget=Budget("hard"),
            picture=_picture,
            record=self._record,
            tell=lambda _note, _lossy: None,
            began_ns=now_ns(),
        )
        book = book_of(game, self.settings)
        self.planner = ModelPlanner(
            caller=self.calls,
            book=lambda: book,
            space=self.space,
            fields=[field.name for field in game.profile.fields],
            modules=[module.name for module in game.profile.modules],
            settings=lambda: self.settings,
            stand_in=None,
            ranks=SkillPlanner(game.profile.skills, self.space),
        )
        self.reactor = ModelReactor(
            caller=self.calls, book=lambda: book, space=self.space, settings=lambda: self.settings
        )

    def _record(self, settled: SettledCall) -> None:
        self.records.append(settled.record)

    def seed(self, seed: int) -> None:
        self.settings = self.settings.with_value("models", "seed", seed)

    def wait(self, poll: Callable[[], Reply | None]) -> Reply:
        deadline = time.monotonic() + LONG_S
        while (reply := poll()) is None:
            assert time.monotonic() < deadline, "the host did not answer"
            fileno = self.link.fileno()
            if fileno is not None:
                select.select([fileno], [], [], 0.05)
        return reply

    def plan(self, number: int, **more: Any) -> PlanReply:
        self.planner.request(self.request(number, **more))
        reply = self.wait(self.planner.poll)
        if reply.call:
            self.calls.settle(reply.call, CallOutcome.USED, proposed=reply.proposed, illegal=reply.illegal)
        return reply

    def request(self, number: int, **more: Any) -> PlanRequest:
        names = [field.name for field in self.game.profile.fields]
        values: dict[str, Value] = {name: (3 * place) % 50 for place, name in enumerate(names)}
        first = SemanticAction(name=self.space.legal[0])
        defaults: dict[str, Any] = {
            "reasons": (Reason.STALL, Reason.REFRESH),
            "signals": Signals(stall=4, since_strategic=4, failure=Failure.LOCAL),
            "trace": (FailureNote(number=1, step=2, action="", source="", problem="no progress"),),
            "history": (PastStep(step=3, action=first, effect=Effect.UNVERIFIED),),
        }
        return PlanRequest(
            request_id=number,
            step=4 * number,
            now_ns=now_ns(),
            values=values | {"status": "playing"},
            status=GameStatus.PLAYING,
            **(defaults | more),
        )

    def check(self, proposal: Proposal) -> None:
        """A plan that may be carried out as it is."""
        assert bool(proposal.module) != bool(proposal.candidates)
        assert not proposal.module or proposal.module in [module.name for module in self.game.profile.modules]
        for action in proposal.candidates:
            assert self.space.parse(str(action)) == action
            assert self.space.resolve(action, width=320, height=240).invalid is None
        if proposal.stop:
            known = frozenset(field.name for field in self.game.profile.fields)
            parse_condition(proposal.stop, known)
        assert proposal.steps >= 1 and proposal.subgoal

    def check_records(self) -> None:
        """Invalid action rate 0, and no call left over."""
        assert not self.calls.open_calls
        assert [record.call for record in self.records] == list(range(1, len(self.records) + 1))
        wrong = [
            (record.purpose, record.outcome, record.problem, record.reply)
            for record in self.records
            if record.problem
        ]
        assert not wrong
        assert all(record.outcome is CallOutcome.USED for record in self.records)
        assert not any(record.illegal or record.invalid for record in self.records)


def _models(given: dict[str, Any]) -> dict[str, Any]:
    wild = {"strategic_temperature": 1.5, "fast_temperature": 1.5, "strategic_deadline_ms": 100_000}
    return (
        {"strategic": "tiny", "fast": "tiny", "replies": "write", "reactive_deadline_ms": 100_000}
        | wild
        | given
    )


def _picture() -> Pixels:
    return np.random.default_rng(0).integers(0, 256, (120, 160, 4), dtype=np.uint8)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("workflow", ["spike", "gamesense"])
def test_every_plan_is_legal(
    link: HostLink,
    specs: dict[str, ModelSpec],
    game: str,
    workflow: str,
    campaign_size: Callable[[int], int],
) -> None:
    played = Played(link, specs["blind"], bundled(game), control={"workflow": workflow})
    running: Proposal | None = None
    for number in range(1, campaign_size(3) + 1):
        played.seed(number)
        reply = played.plan(number, running=running, flush=number == 3 and workflow == "spike")
        assert not reply.failed, reply.why
        running = running if reply.keep else reply.proposal
        assert running is not None
        played.check(running)
    purposes = {record.purpose.value for record in played.records}
    expected = (
        {"infer", "reflect", "plan"}
        if workflow == "spike"
        else {"analyse_screen", "reflect_task", "plan_task", "plan_actions"}
    )
    assert expected <= purposes, "each stage came"
    played.check_records()
    assert all(record.tokens.prompt and record.tokens.output for record in played.records)


@pytest.mark.parametrize("game", GAMES)
def test_a_model_that_chooses_is_asked_for_plans_alone_and_its_odds_are_recorded(
    link: HostLink, specs: dict[str, ModelSpec], game: str
) -> None:
    played = Played(link, specs["blind"], bundled(game), models={"replies": "choose"})
    running: Proposal | None = None
    for number in range(1, 4):
        reply = played.plan(number, running=running)
        assert not reply.failed, reply.why
        running = running if reply.keep else reply.proposal
        assert running is not None
        played.check(running)
    assert {record.purpose.value for record in played.records} == {"plan"}
    played.check_records()
    chosen = [record for record in played.records if record.choice is not None]
    assert len(chosen) >= 2, "there was a plan in force to keep, at least"
    for record in chosen:
        assert record.choice is not None and not record.choice.note and record.tokens.output == 0
        assert record.reply == record.choice.options[0].text
        assert sum(option.probability for option in record.choice.options) == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("override", [True, False])
def test_every_reaction_is_legal(
    link: HostLink, specs: dict[str, ModelSpec], game: str, override: bool
) -> None:
    played = Played(link, specs["blind"], bundled(game))
    candidates = tuple(played.space.parse(name) for name in played.space.legal[:2])
    proposal = Proposal(proposal_id=1, situation="", subgoal="go on", candidates=candidates)
    for number in range(1, 7):
        played.seed(number)
        request = ReactRequest(
            request_id=number,
            step=number,
            now_ns=now_ns(),
            values={"status": "playing"},
            status=GameStatus.PLAYING,
            signals=Signals(),
            proposal=proposal,
            override=override,
        )
        played.reactor.request(request)
        reply = played.wait(played.reactor.poll)
        assert (reply.action is None) is reply.escalate, reply.why
        if reply.action is not None:
            assert played.space.parse(str(reply.action)) == reply.action
            assert override or reply.action in candidates
        played.calls.settle(reply.call, CallOutcome.USED, proposed=int(reply.action is not None))
    played.check_records()


def test_a_model_that_sees_describes_the_screen(link: HostLink, specs: dict[str, ModelSpec]) -> None:
    played = Played(link, specs["seeing"], bundled("flappy"))
    reply = played.plan(1)
    assert reply.proposal is not None, reply.why
    played.check(reply.proposal)
    described = played.records[0]
    assert described.purpose.value == "describe" and described.image_ref
    looked = {record.purpose.value for record in played.records if record.image_ref}
    assert looked == {"describe", "reflect", "plan"}, "and it looks again where it decides"
    played.check_records()


def test_a_call_that_is_cancelled_frees_the_model(link: HostLink, specs: dict[str, ModelSpec]) -> None:
    played = Played(link, specs["blind"], bundled("flappy"))
    played.planner.request(played.request(1))
    deadline = time.monotonic() + LONG_S
    while not played.calls.open_calls:
        assert played.planner.poll() is None and time.monotonic() < deadline
    played.planner.cancel()
    assert [record.outcome for record in played.records] == [CallOutcome.CANCELLED]
    reply = played.plan(2)
    assert reply.request_id == 2 and reply.proposal is not None
