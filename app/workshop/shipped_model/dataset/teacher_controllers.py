"""The engine's planner and reactor as in a run, with the recorder as the model and the teacher's replies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from pitwall.core.actions import SemanticAction
from pitwall.core.memories import MemoryEntry
from pitwall.core.observations import Value
from pitwall.core.settings import Settings
from pitwall.engine.control.model_planner import ModelPlanner
from pitwall.engine.control.model_reactor import ModelReactor
from pitwall.engine.control.planner import PlanReply, PlanRequest
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.rule_module import RuleModule
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.skills import SkillTerms, UsableSkill, profile_skills
from pitwall.models.shipped import as_in_lessons
from workshop.shipped_model.dataset.prompt_recorder import PromptRecorder
from workshop.shipped_model.dataset.teacher import Teacher


class TeacherControllers:
    """Runs a game's controllers under the teacher.

    Args:
        count: counts the tokens of a text.
        instruction: the operator's task; empty: it is inferred.
        remembered: entries of a memory.
        about: noted in the lessons.

    Attributes:
        scribe: records the lessons. space: the legal actions. modules: of the game, played by their rules.
        rules: the skills that plans follow.
        skills: of the game, best first.
    """

    def __init__(
        self,
        game: Game,
        settings: Settings,
        count: Callable[[str], int],
        *,
        instruction: str = "",
        remembered: Sequence[MemoryEntry] = (),
        about: str = "",
    ) -> None:
        profile = game.profile
        fields = frozenset(field.name for field in profile.fields)
        self.space = Vocabulary(profile)
        self.modules: Mapping[str, GameSenseModule] = {
            module.name: RuleModule(module, fields) for module in profile.modules
        }
        usable = profile_skills(profile, SkillTerms.of(profile))
        self.skills = tuple(sorted(usable, key=lambda rule: -rule.skill.priority))
        self.scribe = PromptRecorder(count, about or game.game_id)
        self._settings = as_in_lessons(settings)
        self.rules = SkillPlanner(profile.skills, self.space, fields=fields, modules=self.modules)
        self._teacher = Teacher(self.space, self.skills, alone=settings.control.alone)
        book = PromptLayers(
            game,
            forms=self.space.forms,
            layers=settings.layers,
            memory=settings.memory,
            remembered=remembered,
            instruction=instruction,
            alone=settings.control.alone,
        )
        self._planner = ModelPlanner(
            caller=self.scribe,
            book=lambda: book,
            space=self.space,
            fields=fields,
            modules=tuple(self.modules),
            settings=lambda: self._settings,
            stand_in=None,
            ranks=self.rules,
            instruction=instruction,
            ended=lambda name, values: self.modules[name].ended(values),
        )
        self._reactor = ModelReactor(
            caller=self.scribe, book=lambda: book, space=self.space, settings=lambda: self._settings
        )
        self.planner = TeacherPlanner(self)
        self.reactor = TeacherReactor(self)

    def plan(self, request: PlanRequest) -> PlanReply:
        """Return the plan from the teacher's replies, and record its calls."""
        offered = [name for name, module in self.modules.items() if not module.ended(request.values)]
        self.scribe.says = lambda ask: self._teacher.plan(ask, request, offered)
        self._planner.request(request)
        reply = self._planner.poll()
        assert reply is not None, "the scribe answers at once"
        return reply

    def react(self, request: ReactRequest) -> ReactReply:
        """Return the reaction from the teacher's reply, and record its call."""
        self.scribe.says = lambda ask: self._teacher.react(ask, request)
        self._reactor.request(request)
        reply = self._reactor.poll()
        assert reply is not None, "the scribe answers at once"
        return reply

    def applying(self, values: Mapping[str, Value]) -> Sequence[UsableSkill]:
        """List the skills that apply now, by priority."""
        return [skill for skill in self.skills if skill.applies(values)]

    def legal(self) -> Collection[SemanticAction]:
        """List every legal action without arguments."""
        return [SemanticAction(name=form.name) for form in self.space.forms if not form.arguments]


class TeacherPlanner:
    """The teacher's controllers as a `Planner`."""

    name = "model"

    def __init__(self, room: TeacherControllers) -> None:
        self._room = room
        self._reply: PlanReply | None = None

    def request(self, request: PlanRequest) -> None:
        """See `Planner.request`."""
        self._reply = self._room.plan(request)

    def poll(self) -> PlanReply | None:
        """See `Planner.poll`."""
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        """See `Planner.cancel`."""
        self._reply = None


class TeacherReactor:
    """The teacher's controllers as a `Reactor`."""

    available = True

    def __init__(self, room: TeacherControllers) -> None:
        self._room = room
        self._reply: ReactReply | None = None

    def request(self, request: ReactRequest) -> None:
        """See `Reactor.request`."""
        self._reply = self._room.react(request)

    def poll(self) -> ReactReply | None:
        """See `Reactor.poll`."""
        reply, self._reply = self._reply, None
        return reply

    def cancel(self) -> None:
        """See `Reactor.cancel`."""
        self._reply = None
