"""Decides a recorded run's steps again with another agent, without sending anything.

The recorded world does not react to the agent: if it would do something else, its plan is dropped and it
decides the next step afresh. Planners decide as in play (`StepDecider`). A game sense module decides on every
frame whose fields the run log kept (`reflexes`), else on each step's.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pitwall.core.actions import NO_OP, Effect
from pitwall.core.clock import NS_PER_MS, ms_between, now_ns
from pitwall.core.errors import PitwallError, RequestFailed
from pitwall.core.observations import DECIDABLE, GameStatus, Value
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Route
from pitwall.core.steps import ReflexRecord, StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.decision.controllers import ControllerResources, Controllers
from pitwall.engine.decision.effective_settings import check_agent
from pitwall.engine.decision.open_step import changed_fields
from pitwall.engine.decision.step_decider import StepDecider, StepDecision
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.recording.operator_reports import RunOutlets, ignore
from pitwall.engine.replaying.recorded_session import RecordedSession
from pitwall.engine.trigger.progress import GAINS
from pitwall.games.schema.profile import Game
from pitwall.gsm.agreement import AgreementTally, Pressed
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.playable import module_of
from pitwall.gsm.policy_module import ENDED, Decision
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient
from pitwall.store.run_reader import RunRow

NOTHING = "nothing"
_DRIVES = "module "
_LONGEST_WAIT_S = 600.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedAgain:
    """What was done at one moment of a run, and what the agent would do there.

    Attributes:
        at_ms: since the run began. did, would: an action's text, "module NAME" if a module drives, or
            NOTHING.
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
        """Add it to a tally: the run's player first, the agent second."""
        tally.add(round(self.at_ms * NS_PER_MS), _pressed(self.did), _pressed(self.would))


class PlannerAgain:
    """A planner, with or without a model, on the steps of a recorded run.

    Raises:
        PitwallError: the agent cannot play this game.
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
                models=ModelManager(data, self._host.mailbox(), ignore),
                host=self._host.mailbox(),
                record=ignore,
                tell=ignore,
                modules={name: module for name, module in self._modules.items() if module is not None},
            ),
            budget,
            began_ns=now_ns(),
        )
        self._decider = StepDecider(session, self._controllers, budget, RunOutlets())
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
            self._budget.calls = 0  # a run's cap on calls does not apply to a replay
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
        """End the host if one was needed."""
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
        """Note the recorded step's outcome, as after a step in play."""
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


def _pressed(text: str) -> Pressed:
    labels = frozenset({text} - {NOTHING})
    return Pressed(labels, labels)


def done(step: StepRecord) -> str:
    """Return what a recorded step did: an action's text, the module that drove, or NOTHING."""
    if module_drove(step) and step.proposal is not None:
        return f"{_DRIVES}{step.proposal.module}"
    return NOTHING if step.action == NO_OP else str(step.action)


def module_drove(step: StepRecord) -> bool:
    """Return whether a module acted from frame to frame within a step."""
    return step.proposal is not None and bool(step.proposal.module)


def _driving(data: DataFolder, game: Game, name: str) -> GameSenseModule | None:
    """Return the version of a module that drives; None if none can be loaded."""
    folder = ModuleFolder(data, game, name)
    try:
        return module_of(folder, folder.about(folder.driving()))() if folder.driving() else None
    except PitwallError:
        return None


_PLAYED = (GameStatus.PLAYING.value, GameStatus.READY.value)
_LATE_NS = 100 * NS_PER_MS
"""How long after a step's picture a decision still belongs to it."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A moment of a run at which something was decided. start: how often the decider had been started."""

    step: StepRecord
    at_ns: int
    did: str
    values: Mapping[str, Value]
    start: int


class ModuleAgain:
    """A version of a module on the moments of a recorded run.

    Args:
        version: empty: the one that drives now.

    Raises:
        UnknownModule, BadPolicy: there is no such version, or it cannot be loaded.
    """

    def __init__(
        self, data: DataFolder, game: Game, session: RecordedSession, module: str, version: str
    ) -> None:
        self._folder = ModuleFolder(data, game, module)
        self.version = version or self._folder.must_drive()
        about = self._folder.about(self.version)
        self._seen: list[Decision] = []
        plays = {"on_decision": self._seen.append} if about.kind != "rules" else {}
        self._host = HostClient(data.logs) if isinstance(about.learned, PixelSpace) else None
        try:
            self._module = module_of(self._folder, about, host=self._host, **plays)()
        except BaseException:
            self.close()
            raise
        self._sees = about.learned is not None and about.learned.vision is not None
        self._chosen = about.learned.actions if about.learned is not None else []
        self._ruled = about.kind == "rules"
        self._session = session
        self._actions: dict[str, list[str]] = {}

    def close(self) -> None:
        """End the host if a pixel policy needed one."""
        if self._host is not None:
            self._host.close()

    def decide(self, steps: Sequence[StepRecord], frames: Sequence[ReflexRecord]) -> Iterator[DecidedAgain]:
        """Decide at every moment of these steps.

        Args:
            frames: the decisions of learned modules in the run, frame by frame.
        """
        start = None
        for moment in self._moments(steps, frames):
            if moment.values.get("status") not in _PLAYED:
                continue
            if moment.start != start:
                start = moment.start
                self._module.begin()
            pixels = self._session.show(moment.step).frame.pixels if self._sees else None
            if self._sees and not self._session.pictured:
                continue
            began = now_ns()
            self._seen.clear()
            would = self._module.act(moment.values, moment.at_ns, pixels) or NOTHING
            if self._module.problem is not None:
                raise self._module.problem
            if self._seen:  # its surest choice, as the run log keeps it
                would = self._chosen[self._seen[-1].action] or NOTHING
            if self._ruled or self._seen:  # otherwise it skips this frame
                yield DecidedAgain(
                    step=moment.step.step,
                    at_ms=moment.at_ns / NS_PER_MS,
                    did=moment.did,
                    would=would,
                    took_ms=ms_between(began, now_ns()),
                    picture=moment.step.frame_ref,
                )

    def _moments(self, steps: Sequence[StepRecord], frames: Sequence[ReflexRecord]) -> Iterator[_Moment]:
        """Return the frames with enough fields that were decided on; else each step's picture."""
        own = [row for row in frames if row.module == self._folder.declared.name and row.action != ENDED]
        at = 0
        for number, step in enumerate(steps):
            until = steps[number + 1].at_ns if number + 1 < len(steps) else None
            while at < len(own) and own[at].at_ns < step.at_ns:
                at += 1
            if not module_drove(step):
                values = {**step.fields, "status": step.status.value}
                yield _Moment(step, step.at_ns, done(step), values, -1)
                continue
            while at < len(own) and (until is None or own[at].at_ns < until):
                row, at = own[at], at + 1
                did = self._text(row)
                if did and (not self._sees or row.at_ns - step.at_ns <= _LATE_NS):
                    yield _Moment(step, row.at_ns, did, row.values, row.start)
                if self._sees:
                    break

    def _text(self, row: ReflexRecord) -> str:
        """Return a decision in the words of the version that made it; empty if that version is gone."""
        if row.version not in self._actions:
            try:
                learned = self._folder.about(row.version).learned
            except PitwallError:
                learned = None
            self._actions[row.version] = learned.actions if learned is not None else []
        actions = self._actions[row.version]
        return (actions[row.action] or NOTHING) if row.action < len(actions) else ""
