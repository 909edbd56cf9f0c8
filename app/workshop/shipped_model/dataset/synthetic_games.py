"""Invents games whose fields, actions, skills and hints only the prompt explains.

A profile is invented from a seed and checked like any other; the engine's own planner and reactor are asked
in states of it. So a lesson can only be learned by reading the prompt: which skill applies, what a field
names, what failed, what memory hints at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pitwall.core.actions import SKILL_SOURCE, Effect, Proposal, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.settings import ControlSettings, LayerSettings, Settings
from pitwall.core.signals import Failure, Reason, Signals
from pitwall.engine.control.failure import FailureNote
from pitwall.engine.control.planner import PastStep, PlanRequest
from pitwall.engine.control.reactor import ReactRequest
from pitwall.games.schema.profile import Game, Profile
from workshop.shipped_model.dataset.memory_entries import draw_memory_entries
from workshop.shipped_model.dataset.name_generator import NameGenerator
from workshop.shipped_model.dataset.prompt_recorder import Lesson
from workshop.shipped_model.dataset.teacher_controllers import TeacherControllers

_STATUSES = (GameStatus.PLAYING,) * 6 + (GameStatus.MENU, GameStatus.TERMINAL)
_UNITS = ("", "", "", "px", "%", "tiles", "turns")
_SMALL = 0.6
"""Share of games with short prompts, which teach the same in fewer tokens."""
_REPEATING = 0.25
"""Share of action lists that may repeat an action."""
_OFTEN = 0.7
_ALONE = 0.1
"""Share of games without a planner."""
_UNPLANNED = 0.1
"""Share of the other games' reactions without a plan; these escalate."""
_ROUNDS = 0.2
"""Share of plans that follow an earlier plan of the same scene."""
_KEPT = {Purpose.REFLECT: 0.35, Purpose.INFER: 0.5}
"""Share of lessons that are kept, by purpose: fewer of those that decide nothing."""
_TRIES = 3
_NOWHERE = Path("/nonexistent")
"""Placeholder: an invented game has no folder, and none of its files is ever read."""


class SyntheticGame:
    """An invented game and its states.

    Args:
        seed: decides everything. held_out: use words that no lesson has.
        count: counts the tokens of a text.

    Attributes:
        rng: its random generator. words: its names. names: of its actions without arguments.
    """

    def __init__(self, seed: int, count: Callable[[str], int], *, held_out: bool = False) -> None:
        self.rng = random.Random(f"{seed}{'-held-out' if held_out else ''}")
        self.words = NameGenerator(self.rng, held_out=held_out)
        self._kinds: dict[str, str] = {}
        self._small = self.rng.random() < _SMALL
        self.game = _game(self._profile(seed))
        rng = self.rng
        layers = LayerSettings(
            l1=rng.choice(("full", "full", "full", "stripped")),
            l2=rng.choice(("full", "full", "stripped")),
            l5="disable" if rng.random() < 0.15 else "update",
        )
        control = ControlSettings(routing="reactive-only") if rng.random() < _ALONE else ControlSettings()
        self.settings = Settings(layers=layers, control=control)
        self._instruction = self.words.phrase() if rng.random() < 0.8 else ""
        self._count = count
        self._past = draw_memory_entries(
            rng,
            self.words,
            self.game.game_id,
            units={field.name: field.unit for field in self.game.profile.fields},
            actions=self.names,
            subgoals=[skill.subgoal for skill in self.game.profile.skills],
            instruction=self._instruction,
        )
        self._step = rng.randint(1, 140)

    def lessons(self, states: int) -> Iterator[Lesson]:
        """Yield the strategic and reactive lessons of so many states."""
        for _ in range(states):
            room = self.room()
            values = self._values()
            if self.settings.control.alone:
                room.react(self._react_request(room, self._promising(room, values)))
            elif self.rng.random() < 0.6:
                if self.rng.random() < _ROUNDS:
                    room.plan(self._plan_request(room, {**self._values(), "status": values["status"]}))
                    room.scribe.take()
                room.plan(self._plan_request(room, values))
            else:
                room.react(self._react_request(room, values))
            assert not room.scribe.rejected, room.scribe.rejected
            yield from (
                lesson for lesson in room.scribe.take() if self.rng.random() < _KEPT.get(lesson.purpose, 1.0)
            )

    def room(self, game: Game | None = None, settings: Settings | None = None) -> TeacherControllers:
        """Make fresh controllers for this game, or for a game edited from it."""
        return TeacherControllers(
            game or self.game,
            settings or self.settings,
            self._count,
            instruction=self._instruction,
            remembered=self._past,
            about="invented",
        )

    def request(self) -> PlanRequest:
        """Request a plan in a fresh state."""
        return self._plan_request(self.room(), self._values())

    # ---- the game

    def _profile(self, seed: int) -> dict[str, Any]:
        rng, words = self.rng, self.words
        actions = [self._action() for _ in range(self._many((2, 4), (3, 7)))]
        names = [str(action["name"]) for action in actions if "parameters" not in action] or ["wait_turn"]
        if "wait_turn" in names and all(action["name"] != "wait_turn" for action in actions):
            actions.append({"name": "wait_turn", "wait": True})
        fields = [self._field() for _ in range(self._many((2, 4), (3, 9)))]
        modules = []
        if rng.random() < 0.3:
            modules = [
                {
                    "name": words.action(),
                    "description": f"{words.phrase()}",
                    "ends": "status != 'playing'",
                    "rules": [{"when": "status == 'playing'", "action": names[0]}],
                }
                for _ in range(rng.choice((1, 1, 2)))
            ]
        self.names = names
        skills = [
            self._skill([str(module["name"]) for module in modules])
            for _ in range(self._many((2, 4), (3, 8)))
        ]
        return {
            "game": {"id": f"invented-{seed}", "name": "Invented"},
            "screen": {"width": 100, "height": 100},
            "controls": {"keys": ["a"]},
            "actions": actions,
            "fields": fields,
            "modules": modules,
            "skills": skills,
        }

    def _many(self, small: tuple[int, int], usual: tuple[int, int]) -> int:
        return self.rng.randint(*(small if self._small else usual))

    def _action(self) -> dict[str, Any]:
        rng, words = self.rng, self.words
        action: dict[str, Any] = {"name": words.action(), "keys": ["a"]}
        if rng.random() < 0.5:
            action["description"] = f"{words.phrase().capitalize()}."
        if rng.random() < 0.12:
            low = rng.randint(0, 5)
            action["hold_ms"] = "$ms"
            action["parameters"] = {
                "ms": {
                    "type": "int",
                    "minimum": low,
                    "maximum": low + rng.randint(3, 400),
                    "default": low + 1,
                }
            }
        return action

    def _field(self) -> dict[str, Any]:
        rng, words = self.rng, self.words
        kind = rng.choice(("number", "number", "number", "truth", "truth", "way", "way", "word"))
        name = words.field()
        if kind == "way":
            name = f"way_to_{name}" if rng.random() < 0.5 else f"{name}_way"
        self._kinds[name] = kind
        field: dict[str, Any] = {
            "name": name,
            "kind": "python",
            "unit": rng.choice(_UNITS) if kind == "number" else "",
        }
        if rng.random() < 0.4:
            field["description"] = words.phrase().capitalize()
        return field

    def _skill(self, modules: list[str]) -> dict[str, Any]:
        rng, words = self.rng, self.words
        ways = [name for name, kind in self._kinds.items() if kind == "way"]
        skill: dict[str, Any] = {
            "name": self._unique(words.phrase()),
            "when": self._condition(),
            "subgoal": words.phrase(),
            "priority": rng.randint(0, 99),
            "steps": rng.randint(1, 20),
        }
        if modules and rng.random() < 0.35:
            skill["module"] = rng.choice(modules)
        elif ways and rng.random() < 0.45:
            way = rng.choice(ways)
            skill["actions"] = [f"{{{way}}}"]
            if rng.random() < 0.7:
                skill["when"] = f"{way} != none and {self._comparison()}"
        else:
            skill["actions"] = self._several(rng.choice((1, 1, 2, 2, 3, 4)))
        if rng.random() < 0.6:
            skill["stop"] = self._condition(most=2)
        return skill

    def _several(self, many: int) -> list[str]:
        """Draw a list of actions, mostly without repetitions."""
        if self.rng.random() < _REPEATING:
            return [self.rng.choice(self.names) for _ in range(many)]
        return self.rng.sample(self.names, min(many, len(self.names)))

    def _unique(self, name: str) -> str:
        taken = self.__dict__.setdefault("_taken", set())
        while name in taken:
            name = f"{name} {self.words.nonsense()}"
        taken.add(name)
        return name

    def _condition(self, most: int = 3) -> str:
        parts = [self._comparison() for _ in range(min(most, self.rng.choice((1, 1, 2, 2, 3))))]
        return f" {self.rng.choice(('and', 'and', 'or'))} ".join(parts)

    def _comparison(self) -> str:
        rng = self.rng
        name = rng.choice(list(self._kinds))
        match self._kinds[name]:
            case "number":
                return f"{name} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {rng.randint(0, 12)}"
            case "truth":
                return name if rng.random() < 0.6 else f"not {name}"
            case "way":
                return f"{name} != none"
        return f"status == '{rng.choice(('playing', 'playing', 'playing', 'menu', 'terminal'))}'"

    # ---- states

    def _values(self) -> dict[str, Value]:
        rng = self.rng
        values: dict[str, Value] = {}
        for name, kind in self._kinds.items():
            if rng.random() < 0.1:
                values[name] = None
            elif kind == "number":
                values[name] = rng.randint(0, 14) if rng.random() < 0.8 else round(rng.uniform(-300, 300), 2)
            elif kind == "truth":
                values[name] = rng.random() < 0.5
            elif kind == "way":
                values[name] = "; ".join(self._several(rng.randint(1, 6)))
            else:
                values[name] = self.words.noun()
        values["status"] = rng.choice(_STATUSES).value
        return values

    def _promising(self, room: TeacherControllers, values: dict[str, Value]) -> dict[str, Value]:
        """Draw a state in which a skill with actions applies, if one is soon found."""
        tried = [values, *(self._values() for _ in range(_TRIES))]
        return next(
            (state for state in tried if any(skill.actions for skill in room.applying(state))), values
        )

    def _plan_request(self, room: TeacherControllers, values: dict[str, Value]) -> PlanRequest:
        rng = self.rng
        trace = self._trace(room, values)
        failure = Failure(rng.choice((1, 2, 2, 3))) if trace else Failure.NONE
        reasons = tuple(rng.sample(list(Reason), rng.choice((1, 1, 2))))
        return PlanRequest(
            request_id=1,
            step=self._step,
            now_ns=0,
            values=values,
            status=GameStatus(str(values["status"])),
            signals=self._signals(failure),
            reasons=tuple(reason for reason in Reason if reason in reasons),
            trace=trace,
            history=self._history(),
            hints=self._hints(),
            running=self._running(room, values) if rng.random() < 0.5 else None,
            flush=failure is Failure.HARD,
        )

    def _react_request(self, room: TeacherControllers, values: dict[str, Value]) -> ReactRequest:
        rng = self.rng
        unplanned = self.settings.control.alone or rng.random() < _UNPLANNED
        proposal = None if unplanned else self._running(room, values)
        candidate = rng.randrange(len(proposal.candidates if proposal is not None else self.names))
        return ReactRequest(
            request_id=1,
            step=self._step,
            now_ns=0,
            values=values,
            status=GameStatus(str(values["status"])),
            signals=self._signals(Failure.NONE),
            proposal=proposal,
            candidate=candidate,
            last_effect=rng.choice((None, Effect.CONFIRMED, Effect.CONFIRMED, Effect.UNVERIFIED)),
            history=self._history(),
            override=rng.random() < 0.9,
            hints=self._hints(),
        )

    def _signals(self, failure: Failure) -> Signals:
        rng = self.rng
        return Signals(
            change=rng.random(),
            progress=rng.randint(0, 50),
            stall=rng.randint(0, 8),
            repetition=rng.randint(0, 5),
            since_strategic=rng.randint(0, 9),
            failure=failure,
        )

    def _trace(self, room: TeacherControllers, values: dict[str, Value]) -> tuple[FailureNote, ...]:
        """Draw whether one or two skills have just failed, most often the first."""
        rng = self.rng
        applying = list(room.applying(values))
        if not applying or rng.random() < 0.6:
            return ()
        failed = applying[:1] if rng.random() < _OFTEN else [rng.choice(applying)]
        if rng.random() < 1 - _OFTEN:
            failed.append(rng.choice(applying))
        return tuple(
            FailureNote(
                number=number,
                step=max(1, self._step - rng.randint(1, 3)),
                action=rng.choice(("", *(text for text in skill.skill.actions if "{" not in text))),
                source=f"{SKILL_SOURCE}{skill.skill.name}",
                problem=rng.choice(("no effect seen 3 times in a row", "no progress for 4 steps")),
            )
            for number, skill in enumerate(failed, start=1)
        )

    def _history(self) -> tuple[PastStep, ...]:
        rng = self.rng
        steps = []
        for back in range(rng.choice((0, 0, 1, 2) if self._small else (0, 0, 1, 2, 3, 5)), 0, -1):
            changed: dict[str, tuple[Value, Value]] = {}
            for name in rng.sample(list(self._kinds), min(len(self._kinds), rng.randint(0, 3))):
                if self._kinds[name] == "number":
                    changed[name] = (rng.randint(0, 9), rng.randint(0, 9))
            steps.append(
                PastStep(
                    step=max(1, self._step - back),
                    action=SemanticAction(name=rng.choice(self.names)),
                    effect=rng.choice((Effect.CONFIRMED, Effect.CONFIRMED, Effect.UNVERIFIED)),
                    progressed=rng.random() < 0.4,
                    changed=changed,
                )
            )
        return tuple(steps)

    def _running(self, room: TeacherControllers, values: Mapping[str, Value]) -> Proposal:
        """Draw the plan in force: of a skill that applies, of another, or of unknown origin."""
        rng = self.rng
        applying = room.applying(values) if rng.random() < _OFTEN else room.skills
        acting = [rule for rule in applying if rule.skill.actions]
        source = ""
        if acting and rng.random() < _OFTEN:
            skill = acting[0 if rng.random() < _OFTEN else rng.randrange(len(acting))].skill
            subgoal, stop, source = skill.subgoal, skill.stop, f"{SKILL_SOURCE}{skill.name}"
        else:
            subgoal, stop = self.words.phrase(), ""
        names = self._several(rng.randint(1, 5))
        return Proposal(
            proposal_id=1,
            situation="" if source else self.words.phrase(),
            subgoal=subgoal,
            candidates=tuple(SemanticAction(name=name) for name in names),
            stop=stop,
            source=source,
        )

    def _hints(self) -> tuple[str, ...]:
        rng = self.rng
        if rng.random() < 0.6:
            return ()
        where = rng.choice(("in this state", "in a like state"))
        times = rng.randint(2, 9)
        worked = f"worked {rng.randint(1, times)} of {times} times"
        failed = f"failed {times} times of {times}"
        verdict = rng.choice((worked, worked, "worked when it was tried once", failed))
        return (f"{where} '{rng.choice(self.names)}' {verdict}",)


def _game(profile: dict[str, Any]) -> Game:
    validated = Profile.model_validate(profile)
    return Game(profile=validated, folder=_NOWHERE, profile_hash="", trusted=False, source="path")
