"""Runs a training, from a version's folder to its policy: begins it, obeys its control file, resumes it.

The version's folder determines everything: its space, its recipe, its reward function. gsm.versions names the
files that a training writes there. It reads `control.json` several times a second and never touches the
game's input.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Literal

from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import LATER, ON_POLICY, Module, Recipe, Trial
from pitwall.gsm.version_record import POLICY, Score, VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, SHIPPED, ModuleFolder, sha256_of
from pitwall.store.folder_errors import folder_error
from pitwall.store.lease import FileLock, holder_of
from pitwall_lab.algorithms.double_dqn import DoubleDQN
from pitwall_lab.algorithms.learner import learner_of
from pitwall_lab.algorithms.policy_network import Shape
from pitwall_lab.environments.twin_environment import training_spec
from pitwall_lab.environments.vector_environment import open_environment
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.rewards.reward_function import RewardFunction
from pitwall_lab.rewards.sandbox import Limits
from pitwall_lab.training.advice import ShownSource, ShowsPlay, rule_advice
from pitwall_lab.training.checkpoint import read_checkpoint, write_checkpoint
from pitwall_lab.training.driving_policy import AVERAGED, DrivingPolicy
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training.new_version import REWARD_FILE
from pitwall_lab.training.rollouts import TransitionSource, TwinRollouts
from pitwall_lab.training.run_log_transitions import RunLogTransitions
from pitwall_lab.training.training_loop import TrainingLoop
from pitwall_lab.training_log import LOCK, PLAYS_LOCK, Line, State, read_control, request_control
from pitwall_lab.trials.twin_trials import JudgingStopped, space_of, twin_trial

_LOOK_S = 0.2
_KEEP_S = 20.0
_KEEP_SHARE = 20.0
"""Least time between two checkpoints, as a multiple of the time that writing a checkpoint takes."""
_NICE, _TURN_S = 10, 1.0
"""Niceness of a training beside play, and the longest time that it learns before it reads on."""
_PATIENT = Limits(seconds=15.0)
"""Generous, because a busy machine may delay a reward that was already checked for seconds."""


def train(
    data: DataFolder,
    folder: ModuleFolder,
    version: str,
    order: TrainingOrder,
    *,
    on_line: Callable[[Line], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    shows: ShowsPlay | None = None,
) -> VersionRecord:
    """Train a version, from its checkpoint if there is one, until its recipe is done or it is stopped.

    Args:
        version: its folder exists (`begin_version`), with or without a checkpoint.
        order: its seed (for a new training), workers, Ray cluster, and the runs to learn from.
        on_line: called with every line of the log as it is written.
        should_stop: checked several times a second, beside control.json.
        shows: makes the source of shown play of a version that drives; None: there is none.

    Returns:
        The version afterwards; its `steps` are fewer than the recipe's if it was stopped.

    Raises:
        PitwallError: the version cannot be trained, or its twin or reward function failed; log and about.json
            name the reason too. DataFolderError: another process trains it.
    """
    if version in (RULES, SHIPPED):
        raise PitwallError(
            f"{folder.name}: the version {version} is not trained here.",
            f"Begin one from it: pitwall gsm train {folder.name} --from {version}",
        )
    about = folder.about(version)
    if about.learned is None:
        raise PitwallError(f"{folder.name} {version}: its about.json names no space to learn in.")
    with FileLock(folder.folder(version) / LOCK, role="training", subject=f"{folder.name} {version}"):
        return _Training(data, order, folder, about, on_line, should_stop, shows).run()


class _Training:
    """Runs one training while its lock is held."""

    def __init__(
        self,
        data: DataFolder,
        order: TrainingOrder,
        folder: ModuleFolder,
        about: VersionRecord,
        on_line: Callable[[Line], None] | None,
        should_stop: Callable[[], bool],
        shows: ShowsPlay | None,
    ) -> None:
        self._data, self._order, self._folder, self._about = data, order, folder, about
        self._on_line, self._should_stop = on_line, should_stop
        self._where = folder.folder(about.version)
        self._learned, self._recipe = space_of(folder.declared, about)
        self._trials = trials_of(folder.declared, self._recipe)
        self._looked_at = 0.0
        self._keep_at = time.monotonic() + _KEEP_S
        self._wish = "run"
        self._driving: DrivingPolicy | None = None
        self._played: RunLogTransitions | None = None
        self._shows = shows
        self._shown: ShownSource | None = None

    def run(self) -> VersionRecord:
        """Train to the end, or until it is stopped."""
        import torch

        torch.set_num_threads(1)  # small networks on busy machines: more threads only wait
        if self._order.drives and sys.platform != "win32":
            os.nice(_NICE)  # the game and its engine go first
        if not self._order.drives:  # the command that plays did it before it started this process
            request_control(self._where, "run")
        saved = read_checkpoint(self._where, space=self._space())
        seed = self._about.seed if saved is not None else self._order.seed
        self._keep_about(standing=VersionStatus.TRAINING, seed=seed, note="")
        journal = TrainingLogWriter(
            self._where,
            points_to=saved["point_at"] if saved is not None else 0,
            evaluated_to=saved["evaluated_at"] if saved is not None else 0,
            listen=self._on_line,
        )
        with closing(journal):
            course: TrainingLoop | None = None
            try:
                with self._opened(seed) as course:
                    if saved is not None:
                        course.load(saved)
                        if self._shown is not None:
                            self._shown.load(saved.get("shown"))
                    return self._drive(course, journal)
            except Exception as error:
                why = str(error) if isinstance(error, PitwallError) else f"{type(error).__name__}: {error}"
                self._say(journal, "failed", course, why)
                self._keep_about(standing=VersionStatus.FAILED, note=why)
                raise

    def _drive(self, course: TrainingLoop, journal: TrainingLogWriter) -> VersionRecord:
        self._begin(course, journal)
        while not course.done or course.evaluation_due:
            if self._look(course, journal) == "stop":
                return self._stopped(course, journal)
            if course.evaluation_due:
                try:
                    best = course.evaluate(journal, lambda: self._look(None, journal) == "stop")
                except JudgingStopped:
                    return self._stopped(course, journal)
                if best:
                    self._keep_policy(course)
                continue
            self._turn(course, journal)
            if time.monotonic() >= self._keep_at:
                self._checkpoint(course)
        self._checkpoint(course)
        if not course.learnt:
            raise PitwallError(
                f"{self._folder.name} learned nothing, and no policy was written: {course.account}.",
                f"Let it be played: pitwall gsm train {self._folder.name} --live --minutes 10",
            )
        self._keep_policy(course)
        try:
            scores = self._judged()
        except JudgingStopped:
            return self._stopped(course, journal)
        kept = tuple(score for score in self._about.scores if score.where != "twin")
        about = self._keep_about(standing=VersionStatus.TRAINED, scores=(*kept, *scores))
        self._say(journal, "finished", course)
        return about

    def _begin(self, course: TrainingLoop, journal: TrainingLogWriter) -> None:
        """Learn from shown play, and publish the first policy of a version that drives."""
        shown = self._shown.begin(learn=not course.learner.step) if self._shown is not None else ""
        self._say(journal, "running", course, shown)
        if shown:
            self._keep_about(note=shown)
        if self._driving is not None:
            self._driving.begin(course)
            self._keep_policy(course)

    def _turn(self, course: TrainingLoop, journal: TrainingLogWriter) -> None:
        """Learn from the next decisions, and publish the policy or a point of the curve if due."""
        course.turn()
        if self._played is not None:
            course.wall_s = self._played.clock_s  # play counts, waiting for it does not
        if self._shown is not None and (taken := self._shown.turn()):
            shown = f"It learns from {taken}."
            self._keep_about(note=shown)
            self._say(journal, "running", course, shown)
        if self._driving is not None and self._driving.turn(course, journal):
            self._keep_policy(course)
        elif course.point_due:
            course.log_point(journal)

    def _judged(self) -> list[Score]:
        """Judge the best policy as the engine will run it, on the trials' held-out seeds."""
        return [
            twin_trial(
                self._folder,
                self._about.version,
                trial=trial,
                runs=self._recipe.evaluate_runs,
                should_stop=self._stops,
            )
            for trial in (self._trials if self._learned.twin else ())
        ]

    # ---- control requests

    def _wished(self) -> str:
        """Return the requested state; the control file is read several times a second."""
        if self._should_stop():
            return "stop"
        now = time.monotonic()
        if now >= self._looked_at + _LOOK_S:
            self._looked_at = now
            self._wish = "stop" if self._is_left_alone() else read_control(self._where)
        return self._wish

    def _is_left_alone(self) -> bool:
        """Return whether the command that plays has ended without a word; beside play it ends with it."""
        lock = self._where / PLAYS_LOCK
        return self._order.drives and lock.is_file() and holder_of(lock) is None

    def _stops(self) -> bool:
        return self._wished() == "stop"

    def _look(self, course: TrainingLoop | None, journal: TrainingLogWriter) -> str:
        """Wait while a pause is requested, then return the request. course: None if it cannot pause now."""
        wish = self._wished()
        if wish != "pause" or course is None:
            return wish
        self._checkpoint(course)
        self._say(journal, "paused", course)
        while (wish := self._wished()) == "pause":
            time.sleep(_LOOK_S)
        if wish == "run":
            self._say(journal, "running", course)
        return wish

    def _stopped(self, course: TrainingLoop, journal: TrainingLogWriter) -> VersionRecord:
        self._checkpoint(course)
        if self._driving is not None:
            self._driving.finish(course, journal)
            self._keep_policy(course)
        elif self._order.follow and course.learner.step > course.evaluated_at and course.learnt:
            course.evaluate(journal, lambda: False)  # following ends only by a stop
            self._keep_policy(course)
        trained = (self._where / POLICY).is_file() and (self._driving is None or course.learnt > 0)
        about = self._keep_about(
            standing=VersionStatus.TRAINED if trained else VersionStatus.PROPOSED,
            steps=course.learner.step,
            wall_s=course.wall_s,
        )
        self._say(journal, "stopped", course, "It was asked to stop.")
        return about

    # ---- saving

    def _checkpoint(self, course: TrainingLoop) -> None:
        began = time.monotonic()
        shown = {"shown": self._shown.save()} if self._shown is not None else {}
        write_checkpoint(self._where, {**course.save(), **shown}, space=self._space())
        took_s = time.monotonic() - began
        self._keep_at = time.monotonic() + max(_KEEP_S, _KEEP_SHARE * took_s)

    def _keep_policy(self, course: TrainingLoop) -> None:
        """Record the policy's hash in about.json; the scores of another policy do not stay."""
        file = self._where / POLICY
        policy = sha256_of(file) if file.is_file() else ""
        self._keep_about(
            policy_sha256=policy,
            scores=self._about.scores if policy == self._about.policy_sha256 else (),
            explore=self._about.explore if self._driving is None else self._driving.explore,
            steps=course.learner.step,
            wall_s=course.wall_s,
        )

    def _keep_about(self, **changes: Any) -> VersionRecord:
        """Write changes to about.json; what an improve loop decided, and why, stays."""
        if self._about.standing is VersionStatus.KEPT:
            changes = {name: value for name, value in changes.items() if name not in ("standing", "note")}
        self._about = self._about.model_copy(update=changes)
        self._folder.write(self._about)
        return self._about

    def _say(
        self,
        journal: TrainingLogWriter,
        state: Literal["running", "paused", "stopped", "finished", "failed"],
        course: TrainingLoop | None,
        why: str = "",
    ) -> None:
        step = course.learner.step if course is not None else 0
        journal.write(State(state=state, step=step, steps=self._recipe.steps, at=time.time(), why=why))

    def _space(self) -> str:
        """Return a hash that changes whenever a checkpoint would no longer fit."""
        space = self._learned.model_dump_json(exclude={"training", "reward", "twin", "policy"})
        free = {"evaluate_every", "evaluate_runs", *(() if self._recipe.learning_rate_to else ("steps",))}
        if self._recipe.algorithm == "double_dqn":  # its older checkpoints do not know these keys
            usual = Recipe()
            later = {name for name in LATER if getattr(self._recipe, name) == getattr(usual, name)}
            free |= {"algorithm", *ON_POLICY, *later}
        recipe = self._recipe.model_dump_json(exclude=free)
        return hashlib.sha256(
            f"{space}{recipe}{self._about.reward_sha256}{bool(self._order.live_mode)}".encode()
        ).hexdigest()

    @contextmanager
    def _opened(self, seed: int) -> Iterator[TrainingLoop]:
        """Open the training loop with its reward function and source, which are closed with it."""
        order, recipe, learned, module = self._order, self._recipe, self._learned, self._folder.declared
        lanes = 1 if order.live_mode else recipe.environments
        learner = learner_of(Shape.of(learned, recipe), recipe, lanes=lanes, seed=seed)
        with ExitStack() as opened:
            reward = opened.enter_context(closing(self._rewards()))
            source: TransitionSource
            if order.live_mode:
                if not isinstance(learner, DoubleDQN):
                    raise PitwallError(
                        f"{self._folder.name} cannot learn from live play by {recipe.algorithm}, which needs "
                        "many games side by side.",
                        "Train it by double_dqn: --set algorithm=double_dqn.",
                    )
                advise = rule_advice(self._folder, learned) if order.drives and order.shown else None
                source = RunLogTransitions(
                    self._data,
                    self._folder,
                    learned,
                    reward,
                    learner,
                    follow=order.follow or order.drives,
                    runs=order.run,
                    own=self._about.version if order.drives else "",
                    advise=advise,
                )
                opened.enter_context(closing(source))
                if order.drives:
                    learner.averaged = AVERAGED
                    self._played = source
                    self._driving = DrivingPolicy(self._where, source, learner, order.minutes)
                if order.drives and order.shown and self._shows is not None:
                    self._shown = self._shows(
                        self._data, self._folder, self._about, learner, reward, advise, self._stops
                    )
            else:
                orders = [
                    training_spec(self._folder.game, module, learned, recipe, number=number, seed=seed)
                    for number in range(lanes)
                ]
                twins = opened.enter_context(
                    closing(open_environment(orders, workers=order.workers, ray=order.ray))
                )
                source = TwinRollouts(twins, reward, learner, lanes=lanes)
            yield TrainingLoop(
                self._folder.game,
                module,
                learned,
                recipe,
                learner=learner,
                source=source,
                trials=self._trials if learned.twin else (),
                folder=self._where,
                most_turn_s=_TURN_S if order.drives else math.inf,
            )

    def _rewards(self) -> RewardFunction:
        file = self._where / REWARD_FILE
        try:
            return RewardFunction(read_text(file), name=str(file), limits=_PATIENT)
        except FileNotFoundError as error:
            raise folder_error(error, file) from error


def trials_of(module: Module, recipe: Recipe) -> list[Trial]:
    """Return the trials that judge a training: those of its scenarios, else all of the module's.

    A module without trials is judged by its twin's own score.
    """
    scenarios = recipe.scenarios or [""]
    fitting = [trial for trial in module.trials if trial.scenario in scenarios]
    return fitting or module.trials or [Trial(name="twin", score="", success=math.inf)]
