"""Peers of the model controllers: a caller that answers by script, replies, requests, and the games."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pitwall.core.actions import Effect, Invalid, Proposal, SemanticAction
from pitwall.core.calls import FREE_TEXT, CallOutcome, Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.settings import Settings
from pitwall.core.signals import Failure, Reason, Signals
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest
from pitwall.engine.control.model_planner import ModelPlanner
from pitwall.engine.control.model_reactor import ModelReactor
from pitwall.engine.control.planner import PastStep, PlanReply, PlanRequest
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.folder import check_game
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game, Profile, Skill
from pitwall.gsm.rule_module import RuleModule
from pitwall.memory.prompt.layer_entries import PromptLayers

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"

FAILED = "the host died"
"""A scripted reply that is a failure instead."""

WALKER: dict[str, Any] = {
    "game": {"id": "walker", "name": "Walker"},
    "screen": {"width": 320, "height": 200},
    "controls": {"keys": ["ArrowUp", "ArrowLeft", "ArrowRight", "Space"]},
    "actions": [
        {
            "name": "forward",
            "keys": ["ArrowUp"],
            "hold_ms": "$ms",
            "parameters": {"ms": {"type": "int", "minimum": 50, "maximum": 500, "default": 100}},
        },
        {"name": "turn_left", "keys": ["ArrowLeft"]},
        {"name": "turn_right", "keys": ["ArrowRight"]},
        {"name": "use", "keys": ["Space"]},
    ],
    "fields": [
        {"name": "wood", "kind": "bar", "box": [0, 0, 100, 10], "colour": [255, 0, 0]},
        {"name": "enemy", "kind": "colour", "colour": [255, 0, 0], "at_least": 5},
    ],
    "modules": [{"name": "shooter", "ends": "not enemy", "rules": [{"when": "enemy", "action": "use"}]}],
}

FIELDS = frozenset({"wood", "enemy"})


def skills() -> tuple[Skill, ...]:
    return (Skill(name="walk", when="true", subgoal="explore", actions=["forward"]),)


def walker(*more: Skill) -> Game:
    known = [skill.model_dump() for skill in (*skills(), *more)]
    profile = Profile.model_validate(WALKER | {"skills": known})
    return Game(profile=profile, folder=Path(), profile_hash="", trusted=True, source="path")


def bundled(name: str) -> Game:
    folder = PLUGINS / name
    assert not check_game(folder)
    return Game(profile=load_profile(folder), folder=folder, profile_hash="", trusted=True, source="bundled")


def book_of(game: Game, settings: Settings, instruction: str = "") -> PromptLayers:
    return PromptLayers(
        game,
        forms=Vocabulary(game.profile).forms,
        layers=settings.layers,
        memory=settings.memory,
        instruction=instruction,
    )


@dataclass
class FakeCaller:
    """Answers each purpose by its script, in order; the last reply again and again.

    It fails the test where a call is settled twice, settled unanswered, or cancelled after its answer.

    Attributes:
        slow: nothing is answered. slow_from: nor is this call or one after it.
        writes: gives the replies instead of the script.
        without: purposes that have no model.
        wordless: why free text is not asked for; empty: it is.
        rooms: tokens that a prompt may take. size, picture: a picture's size and tokens.
        steps: the picture before the last step is kept.
        uncounted: so many times `counted` says no.
    """

    script: dict[Purpose, list[str]] = field(default_factory=dict)
    writes: Callable[[Purpose], str] | None = None
    sight: bool = False
    size: tuple[int, int] = (320, 200)
    picture: int = 256
    steps: bool = True
    choosing: bool = False
    wordless: str = ""
    budgets: dict[Purpose, int] = field(default_factory=dict)
    calls_left: int = 1000
    without: frozenset[Purpose] = frozenset()
    rooms: dict[Purpose, int] = field(default_factory=dict)
    slow: bool = False
    slow_from: int | None = None
    uncounted: int = 0
    finish: str = "stop"
    asks: list[CompletionRequest] = field(default_factory=list)
    settled: dict[int, tuple[CallOutcome, str, Invalid | None, int, int]] = field(default_factory=dict)
    answered: set[int] = field(default_factory=set)
    counts: list[Purpose] = field(default_factory=list)

    def available(self, purpose: Purpose) -> bool:
        return self.calls_left > 0 and purpose not in self.without

    def prompt_budget(self, purpose: Purpose) -> int:
        return self.budgets.get(purpose, 0)

    def no_text(self, purpose: Purpose) -> str:
        return self.wordless if purpose in FREE_TEXT else ""

    def sees(self, purpose: Purpose) -> bool:
        return self.sight and purpose not in self.without

    def picture_size(self, *, before: bool = False) -> tuple[int, int]:
        return (0, 0) if before and not self.steps else self.size

    def picture_tokens(self, purpose: Purpose) -> int:
        return self.picture if self.sees(purpose) else 0

    def chooses(self, purpose: Purpose) -> bool:
        return self.choosing and purpose not in self.without

    def ask(self, ask: CompletionRequest) -> int:
        assert not self.open, "one call at a time"
        self.calls_left -= 1
        self.asks.append(ask)
        return len(self.asks)

    def answer(self, call: int) -> CompletionReply | None:
        assert call not in self.answered, "answered once"
        if self.slow or (self.slow_from is not None and call >= self.slow_from):
            return None
        self.answered.add(call)
        purpose = self.asks[call - 1].purpose
        if self.writes is not None:
            return CompletionReply(call=call, text=self.writes(purpose), finish=self.finish)
        script = self.script.get(purpose) or [usual(purpose)]
        reply = script.pop(0) if len(script) > 1 else script[0]
        if reply == FAILED:
            return CompletionReply(call=call, text="", problem=FAILED)
        return CompletionReply(call=call, text=reply, finish=self.finish)

    def settle(
        self,
        call: int,
        outcome: CallOutcome,
        *,
        problem: str = "",
        invalid: Invalid | None = None,
        proposed: int = 0,
        illegal: int = 0,
        step: int = 0,  # noqa: ARG002
    ) -> None:
        assert call in self.answered, f"call {call} is not answered"
        assert call not in self.settled, f"call {call} is settled twice"
        self.settled[call] = (outcome, problem, invalid, proposed, illegal)

    def cancel(self, call: int) -> None:
        assert call not in self.answered and call not in self.settled
        self.settled[call] = (CallOutcome.CANCELLED, "", None, 0, 0)

    def count(self, purpose: Purpose, text: str) -> int:  # noqa: ARG002
        return len(text) // 4

    def room(self, purpose: Purpose) -> int:
        return self.rooms.get(purpose, 0)

    def counted(self, purpose: Purpose, texts: Iterable[str]) -> bool:
        assert all(texts)
        self.counts.append(purpose)
        self.uncounted -= 1
        return self.uncounted < 0

    @property
    def purposes(self) -> list[str]:
        """What was asked, in order."""
        return [ask.purpose.value for ask in self.asks]

    @property
    def open(self) -> list[int]:
        """Calls neither answered nor cancelled."""
        numbers = range(1, len(self.asks) + 1)
        return [call for call in numbers if call not in self.answered and call not in self.settled]

    @property
    def unsettled(self) -> list[int]:
        return sorted(self.answered - set(self.settled))

    def outcome(self, call: int) -> CallOutcome:
        return self.settled[call][0]

    def said(self, number: int) -> str:
        """The last message of a prompt, numbered from 0 (−1 the newest)."""
        return self.asks[number].prompt.messages[-1].text


def usual(purpose: Purpose) -> str:
    """A sound reply."""
    replies: dict[Purpose, Any] = {
        Purpose.REFLECT: {
            "effect": False,
            "cause": "a wall",
            "next": "turn",
            "done": False,
            "failure": 1,
            "confidence": 0.5,
        },
        Purpose.PLAN: plan(),
        Purpose.REACT: {"action": "forward(ms=200)"},
        Purpose.ANALYSE_SCREEN: {"screen": "gameplay", "observation": "a hall"},
        Purpose.REFLECT_TASK: {
            "done": False,
            "evidence": "still far",
            "level": "plan",
            "issue": "too slow",
            "next": "run",
        },
        Purpose.REFLECT_ACTIONS: {
            "actions": [{"action": "forward", "worked": True, "lesson": "hold longer"}]
        },
        Purpose.PLAN_TASK: {
            "situation": "a hall",
            "goal": "reach the door",
            "needs": "",
            "stop": "wood >= 9",
        },
        Purpose.PLAN_ACTIONS: {"actions": [{"action": "forward", "aim": "near the door"}], "module": ""},
        Purpose.CONSTRUCT: {"actions": ["forward(ms=300)", "forward(ms=300)"], "steps": 5},
    }
    return text(replies.get(purpose, {"text": f"said for {purpose.value}"}))


def plan(*actions: str, module: str = "", subgoal: str = "reach the tree", stop: str = "") -> dict[str, Any]:
    listed = list(actions) or ([] if module else ["forward(ms=200)", "turn_left"])
    return {
        "situation": "in the woods",
        "subgoal": subgoal,
        "actions": listed,
        "module": module,
        "stop": stop,
        "steps": 6,
    }


def text(reply: Mapping[str, Any]) -> str:
    return json.dumps(reply)


def note(problem: str = "no effect seen", *, step: int = 3, transient: bool = False) -> FailureNote:
    return FailureNote(
        number=1, step=step, action="forward", source="model:tiny", problem=problem, transient=transient
    )


def past(
    step: int,
    action: str = "forward",
    effect: Effect = Effect.CONFIRMED,
    *,
    problem: str = "",
    **arguments: int,
) -> PastStep:
    return PastStep(
        step=step,
        action=SemanticAction(name=action, arguments=dict(arguments)),
        effect=effect,
        problem=problem,
    )


def plan_request(
    number: int = 1,
    *,
    step: int = 10,
    values: Mapping[str, Value] | None = None,
    status: GameStatus = GameStatus.PLAYING,
    reasons: tuple[Reason, ...] = (Reason.REFRESH,),
    failure: Failure = Failure.NONE,
    trace: tuple[FailureNote, ...] = (),
    history: tuple[PastStep, ...] = (),
    hints: tuple[str, ...] = (),
    running: Proposal | None = None,
    flush: bool = False,
) -> PlanRequest:
    fields: dict[str, Value] = {"wood": 3, "enemy": False} if values is None else dict(values)
    return PlanRequest(
        request_id=number,
        step=step,
        now_ns=1,
        values=fields | {"status": status.value},
        status=status,
        signals=Signals(failure=failure, since_strategic=4),
        reasons=reasons,
        trace=trace,
        recent=tuple(past.action for past in history),
        history=history,
        hints=hints,
        running=running,
        flush=flush,
    )


def react_request(
    number: int = 1, *, proposal: Proposal | None = None, override: bool = True, **more: Any
) -> ReactRequest:
    return ReactRequest(
        request_id=number,
        step=10,
        now_ns=1,
        values={"wood": 3, "status": "playing"},
        status=GameStatus.PLAYING,
        signals=Signals(),
        proposal=proposal,
        override=override,
        **more,
    )


class Bench:
    """A planner and a reactor over one caller and one game, with settings that can be changed."""

    def __init__(
        self,
        caller: FakeCaller | None = None,
        *,
        game: Game | None = None,
        instruction: str = "",
        stand_in: bool = True,
        **settings: Any,
    ) -> None:
        self.caller = caller or FakeCaller()
        self.game = game or walker()
        self.space = Vocabulary(self.game.profile)
        self.settings = Settings.model_validate(
            {"models": {"strategic": "tiny", "fast": "tiny"}} | dict(settings)
        )
        names = [field.name for field in self.game.profile.fields]
        modules = {module.name: RuleModule(module, frozenset(names)) for module in self.game.profile.modules}
        self.skills = SkillPlanner(
            self.game.profile.skills, self.space, fields=frozenset(names), modules=modules
        )
        self.book = book_of(self.game, self.settings, instruction)
        self.planner = ModelPlanner(
            caller=self.caller,
            book=lambda: self.book,
            space=self.space,
            fields=names,
            modules=tuple(modules),
            settings=lambda: self.settings,
            stand_in=self.skills if stand_in else None,
            ranks=self.skills,
            ended=lambda name, values: modules[name].ended(values),
        )
        self.reactor = ModelReactor(
            caller=self.caller, book=lambda: self.book, space=self.space, settings=lambda: self.settings
        )

    def plan(self, request: PlanRequest) -> PlanReply:
        """Ask and have the answer."""
        self.planner.request(request)
        reply = self.planner.poll()
        assert reply is not None and reply.request_id == request.request_id
        assert self.planner.poll() is None, "answered once"
        return reply

    def react(self, request: ReactRequest) -> ReactReply:
        self.reactor.request(request)
        reply = self.reactor.poll()
        assert reply is not None and reply.request_id == request.request_id
        assert self.reactor.poll() is None
        return reply
