"""The controllers of one run, built from the settings and exchanged between two steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pitwall.core.actions import Effect
from pitwall.core.calls import Purpose
from pitwall.core.frames import Pixels
from pitwall.core.retrieval import Retrieval
from pitwall.core.settings import LayerSettings, MemorySettings, Settings
from pitwall.engine.control.baselines import IdlePlanner, RandomPlanner
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.default_agent import DefaultAgent
from pitwall.engine.control.legality import legal
from pitwall.engine.control.model_planner import ModelPlanner
from pitwall.engine.control.model_reactor import ModelReactor
from pitwall.engine.control.picture_actions import PictureActions, model_actions
from pitwall.engine.control.planner import Planner
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.active_plan import fallback_proposal
from pitwall.engine.decision.effective_settings import acts_by_name, effective
from pitwall.engine.decision.open_step import OpenStep
from pitwall.engine.decision.rolling_rounds import RollingRounds
from pitwall.engine.decision.router import Router
from pitwall.engine.decision.trust import EXPLORER, EarnedPlanner, Trust
from pitwall.engine.inference.host_link import HostConnection
from pitwall.engine.inference.model_calls import ModelCalls, SettledCall
from pitwall.engine.inference.model_manager import ModelManager, explores, wanted_planner, wanted_reactive
from pitwall.engine.recall.agent_memory import AgentMemory
from pitwall.engine.session.game_session import PerceivedFrame
from pitwall.engine.session.seen_game import SeenGame
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import WhileThinking
from pitwall.gsm.contract import GameSenseModule
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.memory_entries import usable_skills

_SEEDS = 2**31
"""The game's seed is multiplied by this, so that decoding seeds of different games never meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerResources:
    """Holds the parts of the engine that a run's controllers need.

    Attributes:
        models: the available models. host: asks the host process.
        record: takes each settled call. tell: sends telemetry; the flag says whether it may be lost.
        memory: None if it cannot be opened.
        on_recall: takes each question to the memory with its answer.
        modules: game sense modules by name; the version behind a name may change during play.
        instruction: the goal in words; empty: to be inferred.
        dry: nobody acts on the decisions: the memory keeps nothing of them, and the game never waits.
    """

    models: ModelManager
    host: HostConnection
    record: Callable[[SettledCall], None]
    tell: Callable[[Any, bool], None]
    modules: Mapping[str, GameSenseModule]
    memory: AgentMemory | None = None
    on_recall: Callable[[Retrieval], None] = lambda _: None
    instruction: str = ""
    dry: bool = False


class Controllers:
    """The controllers of one run.

    Args:
        session: what the agent sees; its settings are the ones in force.

    Attributes:
        rounds: the rolling memory, if it replaces the layers.
    """

    while_thinking: WhileThinking

    def __init__(
        self, session: SeenGame, resources: ControllerResources, budget: Budget, *, began_ns: int
    ) -> None:
        profile, space = session.game.profile, session.vocabulary
        fields = frozenset(field.name for field in profile.fields)
        modules = resources.modules if acts_by_name(session.settings) else {}
        self._session = session
        self._modules = modules
        self._resources = resources
        self._settings = effective(session.settings)
        self._revision = -1
        self._before: Pixels | None = None
        self._book: tuple[LayerSettings, MemorySettings, bool, PromptLayers] | None = None
        self.rounds: RollingRounds | None = None
        if self._settings.memory.form == "rounds":
            units = {field.name: field.unit for field in profile.fields}
            self.rounds = RollingRounds(lambda: self._settings, units)
        self.calls = ModelCalls(
            resources.host,
            resolve=resources.models.resolve,
            models=lambda: self._settings.models,
            budget=budget,
            picture=lambda: session.seen.frame.pixels if session.seen is not None else None,
            before=lambda: self._before,
            record=resources.record,
            tell=resources.tell,
            began_ns=began_ns,
        )
        self._budget = budget
        self._skills = SkillPlanner(profile.skills, space, fields=fields, modules=modules)
        memory = resources.memory
        explored = explores(profile) and acts_by_name(session.settings)
        self.trust = Trust(
            memory.track_record if memory is not None else None,
            keep=memory.add_tally if memory is not None and not resources.dry else None,
            tell=lambda note: resources.tell(note, False),
            baseline=EXPLORER if explored else "skills",
        )
        self.router = Router(
            planner=self._skills,
            reactive=ReactiveController(space),
            reflex=ReflexController(space, step_ms=session.settings.control.reflex_step_ms),
            budget=budget,
            modules=modules,
            settle=self.calls.settle,
            skills=self._skills,
            trust=self.trust,
        )
        self.adopt(session.settings)

    @cached_property
    def _model(self) -> ModelPlanner:
        """Return the model planner. Made on first use: it reads the game's knowledge."""
        profile = self._session.game.profile
        return ModelPlanner(
            caller=self.calls,
            book=self._layers,
            space=self._model_actions,
            fields=frozenset(field.name for field in profile.fields),
            modules=tuple(self._modules),
            ended=lambda name, values: self._modules[name].ended(values),
            settings=lambda: self._settings,
            stand_in=self._stand_in,
            ranks=self._skills,
            instruction=self._resources.instruction,
            rounds=self.rounds,
        )

    @property
    def _stand_in(self) -> Planner | None:
        """Return the planner that answers where the model gives no plan (`control.stand_in`)."""
        match self._settings.control.stand_in:
            case "skills":
                return self._skills
            case "random":
                return self._random
        return None

    @cached_property
    def _model_actions(self) -> Vocabulary | PictureActions:
        """Return the actions as the models see them."""
        return model_actions(
            self._session.vocabulary, lambda: self._settings.models.image_px, lambda: self.calls.click_scale
        )

    @property
    def _seed(self) -> int:
        return (self._session.seed or 0) * _SEEDS + self._settings.models.seed

    @cached_property
    def _earned(self) -> EarnedPlanner:
        baseline = self._explorer if self.trust.baseline == EXPLORER else self._skills
        return EarnedPlanner(self._model, self._skills, self.trust, self._spent, baseline=baseline)

    @cached_property
    def _earned_grounding(self) -> EarnedPlanner:
        """Return the planner for a model that only grounds what the skills plan."""
        return EarnedPlanner(None, self._skills, self.trust, self._spent, baseline=self._skills)

    @cached_property
    def _random(self) -> RandomPlanner:
        return RandomPlanner(self._session.vocabulary, seed=self._seed)

    @cached_property
    def _explorer(self) -> DefaultAgent:
        session = self._session
        profile = session.game.profile
        return DefaultAgent(
            session.vocabulary,
            look=session.descriptor,
            scores=profile.gain_fields,
            naming=[
                field.name for field in profile.fields if field.kind == "cells" and field.value == "actions"
            ],
            seed=self._seed,
            first=self._skills if profile.game.without_skill == "explore" else None,
            known=self._resources.memory.explored if self._resources.memory is not None else None,
        )

    @cached_property
    def _idle(self) -> IdlePlanner:
        return IdlePlanner()

    @cached_property
    def _reactor(self) -> ModelReactor:
        return ModelReactor(
            caller=self.calls,
            book=self._layers,
            space=self._model_actions,
            settings=lambda: self._settings,
            rounds=self.rounds,
        )

    def adopt(self, settings: Settings) -> list[str]:
        """Put settings in force between two steps; return the changes in words for the log."""
        settings = effective(settings)
        before, self._settings = self._settings, settings
        if before.models != settings.models:
            self._book = None  # the places of clicks are those of the picture, in the model's own scale
        control = settings.control
        reactor = self._reactor if wanted_reactive(settings) == "model" else None
        self.trust.pin = control.trust
        self.trust.model = self._resources.models.identity(settings.models)
        if "_model" in self.__dict__:
            self._model.stand_in = self._stand_in
        self.router.use(self._planner(wanted_planner(settings), grounds=reactor is not None), reactor)
        self.while_thinking = self._session.game.profile.game.while_thinking
        if control.while_thinking != "profile":
            self.while_thinking = control.while_thinking
        if self._resources.dry:
            self.while_thinking = "go-on"
        self.router.while_thinking = self.while_thinking
        self.router.evidence.recent.limit = settings.models.recent_steps
        self.router.plan_query.dropped_in_a_row = control.dropped_in_a_row
        self.router.always_consult = control.consult == "every-step"
        self.router.set_ablations(
            override=control.override,
            persist=control.alone or control.routing == "fixed-schedule",
            fallback=fallback_proposal(self._session.vocabulary) if control.alone else None,
            stands_in=control.stand_in != "hold",
        )
        if settings.models != before.models:
            self.calls.forget_models()
        return _differences(before, settings)

    def _planner(self, name: str, *, grounds: bool) -> Planner:
        match name:
            case "model":
                return self._earned
            case "explore":
                return self._explorer
            case "random":
                return self._random
            case "idle":
                return self._idle
        return self._earned_grounding if grounds else self._skills

    def _spent(self) -> int:
        return self._budget.tokens.prompt + self._budget.tokens.output

    def round_over(self, step: OpenStep, effect: Effect) -> None:
        """Keep a finished step's frame, and add the step to the rolling memory, if there is one."""
        self._before = step.pixels
        if self.rounds is not None:
            sees = self.calls.sees(Purpose.PLAN) or self.calls.sees(Purpose.REACT)
            self.rounds.add(step, effect, picture=sees)

    @property
    def book(self) -> PromptLayers:
        """Return the layers that prompts are composed of, under the settings in force."""
        return self._layers()

    def close(self) -> None:
        """Close every call and the picture encoder, and keep the last decision's tally."""
        self.trust.end()
        memory = self._resources.memory
        if memory is not None and not self._resources.dry and "_explorer" in self.__dict__:
            memory.keep_explored(self._explorer.kept())
        self.calls.close()
        if self.rounds is not None:
            self.rounds.close()

    def recall(self, seen: PerceivedFrame, step: int) -> Retrieval | None:
        """Ask the memory about a state; return None if it is not asked."""
        memory = self._resources.memory
        if memory is None:
            return None
        self._follow_memory(memory)
        space = self._session.vocabulary
        retrieval = memory.ask(
            seen.values,
            seen.observation.status,
            step=step,
            legal=lambda text: legal(text, space) is not None,
        )
        if retrieval is not None:
            self._resources.on_recall(retrieval)
        return retrieval

    def _follow_memory(self, memory: AgentMemory) -> None:
        """Adopt learned and edited skills; a plan that follows a changed skill is over."""
        if memory.revision != self._revision:
            self._revision = memory.revision
            skills, _ = usable_skills(self._session.game.profile, memory.prompt_entries, role=self._role)
            changed = self._skills.adopt(skills)  # the memory page lists unusable skills
            self.router.outdate(changed)
            if self._book is not None:
                layers, settings, alone, book = self._book
                self._book = (layers, settings, alone, book.with_remembered(memory.prompt_entries))

    @property
    def _role(self) -> str:
        return self._session.role if self._session.game.profile.roles else ""

    def _layers(self) -> PromptLayers:
        """Return the layers under the settings in force, rebuilt when these change."""
        layers, memory = self._settings.layers, self._settings.memory
        alone = self._settings.control.alone
        if self._book is None or self._book[:3] != (layers, memory, alone):
            known = self._resources.memory
            book = PromptLayers(
                self._session.game,
                self._role,
                forms=self._model_actions.forms,
                layers=layers,
                memory=memory,
                remembered=known.prompt_entries if known is not None else (),
                instruction=self._resources.instruction,
                seed=self._session.seed,
                alone=alone,
            )
            self._book = (layers, memory, alone, book)
        return self._book[3]


def _differences(before: Settings, after: Settings) -> list[str]:
    """Return the changed settings of how the agent thinks, each as half a sentence."""
    changes = []
    for section in ("control", "models", "layers", "memory"):
        old, new = getattr(before, section).model_dump(), getattr(after, section).model_dump()
        changes += [f"{section}.{name} {old[name]} → {new[name]}" for name in new if new[name] != old[name]]
    return changes
