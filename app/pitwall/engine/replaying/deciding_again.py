"""Decides a recorded run's steps again with another agent: what it would do there. Nothing is sent.

The world goes on as it was recorded, whatever the agent would do: where it would do something else, its plan
is dropped, and it decides the next step afresh. Planners decide as they do in play (`StepDecider`); a game
sense module does on every frame whose fields the run log kept (`reflexes`), else on each step's.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pitwall.core.actions import NO_OP, Effect
from pitwall.core.clock import NS_PER_MS, ms_between, now_ns
from pitwall.core.errors import PitwallError, RequestFailed
from pitwall.core.observations import DECIDABLE
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Route
from pitwall.core.steps import StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.decision.controllers import ControllerResources, Controllers
from pitwall.engine.decision.effective_settings import check_agent
from pitwall.engine.decision.open_step import changed_fields
from pitwall.engine.decision.step_decider import StepDecider, StepDecision
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.replaying.recorded_session import RecordedSession
from pitwall.engine.trigger.progress import GAINS
from pitwall.games.schema.profile import Game
from pitwall.gsm.agreement import AgreementTally, Pressed
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.playable import module_of
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.run_reader import RunRow

NOTHING = "nothing"
_DRIVES = "module "
_LONGEST_WAIT_S = 600.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedAgain:
    """What was done at one moment of a run, and what the agent would do there.

    Attributes:
        at_ms: since the run began. did, would: an action's text, "module NAME" where one drives, or NOTHING.
        why: the agent's reason. took_ms: its decision. picture: relative to the run's folder; empty: none.
    """

    step: int
    at_ms: float
    did: str
    would: str
    why: str = ""
    took_ms: float = 0.0
    picture: str = ""

    @property
    def agrees(self) -> bool:
        return self.did == self.would

    def count(self, tally: AgreementTally) -> None:
        """Add it to an agreement: the run's player first, the agent second."""
        tally.add(round(self.at_ms * NS_PER_MS), _pressed(self.did), _pressed(self.would))


class PlannerAgain:
    """A planner, with or without a model, on the steps of a recorded run.

    Args:
        settings: in force for it.

    Raises:
        PitwallError: such an agent cannot play this game.
    """

    def __init__(self, data: DataFolder, game: Game, run: RunRow, settings: Settings) -> None:
        check_agent(settings)
        self._session = session = RecordedSession(data, game, run, settings)
        self._host = HostLink(data.logs, arguments=("--data", str(data.root)))
        self._modules = {module.name: _driving(data, game, module.name) for module in game.profile.modules}
        budget = Budget(game.profile.game.difficulty)
        self._controllers = Controllers(
            session,
            ControllerResources(
                models=ModelManager(data, self._host.mailbox(), _unheard),
                host=self._host.mailbox(),
                record=_unheard,
                tell=_unheard,
                modules={name: module for name, module in self._modules.items() if module is not None},
            ),
            budget,
            began_ns=now_ns(),
        )
        self._decider = StepDecider(session, self._controllers, budget, tell=_unheard, on_event=_unheard)
        self._budget = budget

    def decide(self, steps: Sequence[StepRecord]) -> Iterator[DecidedAgain]:
        """Decide steps that follow one another.

        Raises:
            RequestFailed: a model did not answer.
        """
        last_effect: Effect | None = None
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            if step.status not in DECIDABLE:
                continue
            self._budget.calls = 0  # a run's own cap does not hold for who is asked about all of it
            began = now_ns()
            decision = self._decision(step, last_effect)
            routed = decision.routed
            module = self._controllers.router.module
            drives = routed.route is Route.REFLEX or (routed.action is None and module)
            would = f"{_DRIVES}{module}" if drives else str(routed.action or NOTHING)
            again = DecidedAgain(
                step=step.step,
                at_ms=step.at_ns / NS_PER_MS,
                did=done(step),
                would=would,
                why=routed.why,
                took_ms=ms_between(began, now_ns()),
                picture=step.frame_ref,
            )
            self._go_on(step, after)
            if not again.agrees:
                self._decider.interrupt()
            last_effect = step.effect if step.action != NO_OP and again.agrees else None
            yield again

    def close(self) -> None:
        """End the host, where one was needed."""
        self._controllers.close()
        self._host.close()

    def _decision(self, step: StepRecord, last_effect: Effect | None) -> StepDecision:
        """Ask until there is an answer, as the loop does."""
        seen = self._session.show(step)
        until = time.monotonic() + _LONGEST_WAIT_S
        while isinstance(decided := self._decider.decide(seen, last_effect, now_ns()), Route):
            if time.monotonic() > until:
                raise RequestFailed(
                    f"step {step.step}: no answer within {_LONGEST_WAIT_S:.0f} s.", "Try a smaller model."
                )
            fileno = self._host.fileno()
            if fileno is None:
                time.sleep(_POLL_S)
            else:
                select.select([fileno], [], [], _POLL_S)
            self._controllers.calls.pump()
        return decided

    def _go_on(self, step: StepRecord, after: StepRecord | None) -> None:
        """The recorded step is what happened: take in what became of it, as after a step in play."""
        before = {**step.fields, "status": step.status.value}
        values = before if after is None else {**after.fields, "status": after.status.value}
        confirmed = step.effect is Effect.CONFIRMED and step.action != NO_OP
        grown = self._decider.progress.update(values, effect_confirmed=confirmed)
        self._decider.trigger.acted(str(step.action))
        outcome = Outcome(
            step=step.step,
            action=step.action,
            effect=step.effect,
            invalid=step.invalid,
            progressed=bool(grown),
            gained=bool(GAINS.intersection(grown)),
        )
        self._controllers.router.outcome(outcome, changed_fields(before, values))


def _unheard(*_: object) -> None:
    """Nobody listens."""


def _pressed(text: str) -> Pressed:
    labels = frozenset({text} - {NOTHING})
    return Pressed(labels, labels)


def done(step: StepRecord) -> str:
    """What a recorded step did: an action's text, the module that drove, or NOTHING."""
    if module_drove(step) and step.proposal is not None:
        return f"{_DRIVES}{step.proposal.module}"
    return NOTHING if step.action == NO_OP else str(step.action)


def module_drove(step: StepRecord) -> bool:
    """Whether a module acted from frame to frame within a step."""
    return step.proposal is not None and bool(step.proposal.module)


def _driving(data: DataFolder, game: Game, name: str) -> GameSenseModule | None:
    """The version of a module that drives; None where none can be loaded."""
    folder = ModuleFolder(data, game, name)
    try:
        return module_of(folder, folder.about(folder.driving()))() if folder.driving() else None
    except PitwallError:
        return None
