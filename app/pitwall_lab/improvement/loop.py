"""The improve loop (SPEC §8): analyse → propose → check → train → compare → keep or roll back.

Every try is a version whose about.json records everything: the version that its loop began from (`loop`), its
progress (`standing`) and the evidence (`note`, its scores). Nothing else is kept, so an interrupted loop
resumes from these records. A loop has at most three tries, because more make a module worse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Learned, Module, Trial
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.lease import FileLock
from pitwall_lab.analysis.analyser import analyse
from pitwall_lab.analysis.comparison import Verdict
from pitwall_lab.analysis.playthrough import sample_transitions
from pitwall_lab.analysis.seen_values import Seen
from pitwall_lab.game_trials.side_by_side import EvaluationStopped, TrialsFailed
from pitwall_lab.improvement.changes import Change, ChangeRefused, NoProposal, checked_change
from pitwall_lab.improvement.live_training import made_transitions
from pitwall_lab.improvement.playing import TWIN_BUDGET, Playing, TwinPlaying
from pitwall_lab.improvement.proposers import Proposer, Situation, as_refusal
from pitwall_lab.improvement.records import Attempt, ImprovementResult, LoopProgress, Phase
from pitwall_lab.improvement.version_training import VersionTraining, reward_source
from pitwall_lab.orders import MOST_ITERATIONS, ImprovementTerms
from pitwall_lab.rewards.contract import RewardCall
from pitwall_lab.training.new_version import begin_version
from pitwall_lab.training_log import Line
from pitwall_lab.trials.default_trial import has_twin, with_trials
from pitwall_lab.trials.twin_trials import JudgingStopped, trial_named

_TRIES = 3
"""Proposals that an iteration asks for while they are refused."""
_SAMPLES = 400


def improve(
    data: DataFolder,
    folder: ModuleFolder,
    propose: Proposer,
    *,
    start: str = "",
    terms: ImprovementTerms | None = None,
    screen: Playing | None = None,
    on_step: Callable[[LoopProgress], None] | None = None,
    on_line: Callable[[Line], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> ImprovementResult:
    """Improve a module, or resume an interrupted loop.

    Args:
        start: version to begin from; empty: the loop that led to the driving version, else that version;
            the newest where none drives.
        screen: plays on the screen. Then the screen decides, unless the twin already showed the version to
            be worse. A module without a twin is played there alone.

    Raises:
        UnknownModule: there is no such version.
        NoProposal: nothing was proposed at all, in the first iteration.
        DataFolderError: another loop improves the module, or the folder cannot be written.
        PitwallError: the module has neither twin nor screen to be played on, or that fails.
    """
    lock = FileLock(folder.root / "improve.lock", role="improve loop", subject=f"the module {folder.name}")
    with lock:
        loop = _Loop(
            data, folder, propose, terms or ImprovementTerms(), screen, on_step, on_line, should_stop
        )
        return loop.run(start)


class _Stopped(Exception):
    """The loop was asked to stop."""


_STOPPED = (_Stopped, JudgingStopped, EvaluationStopped)


@dataclass(slots=True)
class _Loop:
    """Runs one loop while its lock is held."""

    data: DataFolder
    folder: ModuleFolder
    propose: Proposer
    terms: ImprovementTerms
    screen: Playing | None
    on_step: Callable[[LoopProgress], None] | None
    on_line: Callable[[Line], None] | None
    should_stop: Callable[[], bool]
    number: int = 0

    @property
    def trial(self) -> Trial:
        """Return the trial that decides."""
        return trial_named(self._judged, self.terms.trial)

    @property
    def _twin(self) -> bool:
        return has_twin(self.folder.declared)

    @property
    def _judged(self) -> Module:
        return with_trials(self.folder.game, self.folder.declared)

    @property
    def _playing(self) -> Playing:
        """Return where versions and candidates are played: in the twin if there is one."""
        if self._twin:
            budget = TWIN_BUDGET.changed(self.terms.candidates, self.terms.candidate_runs)
            return TwinPlaying(self.folder, self.terms.runs, self.should_stop, budget)
        if self.screen is None:
            raise PitwallError(
                f"module {self.folder.declared.name!r} has no headless twin.", "Compare it on the screen."
            )
        return self.screen

    def run(self, start: str) -> ImprovementResult:
        """Run up to three tries, until nothing more is proposed or the loop is stopped."""
        made = self.folder.names()
        began = start or self._root(self.folder.driving() or (made[-1] if made else ""))
        if not began:
            learn = f"pitwall learn --game {self.folder.game.reference} --module {self.folder.declared.name}"
            train_it = f"pitwall gsm train {self.folder.name}" if self._twin else learn
            raise PitwallError(f"{self.folder.name} has no version yet.", f"Train one: {train_it}")
        self.folder.about(began)
        sentence, finished = "", True
        try:
            sentence, finished = self._tries(began)
        except NoProposal as error:
            if not self._attempts(began):
                raise
            sentence = error.what
        except _STOPPED:
            sentence, finished = "it was stopped; improving again resumes it.", False
        return ImprovementResult(
            game=self.folder.game.game_id,
            module=self.folder.declared.name,
            began=began,
            best=self._best(began).version,
            attempts=tuple(Attempt.of(attempt) for attempt in self._attempts(began)),
            finished=finished,
            sentence=sentence,
        )

    def _tries(self, began: str) -> tuple[str, bool]:
        """Try the proposals in turn; return why they ended, and whether no proposal waits."""
        for _ in range(self.terms.iterations):
            unfinished, made = self._unfinished(began), len(self._attempts(began))
            if unfinished is None and made >= MOST_ITERATIONS:
                break
            self.number = made + (unfinished is None)
            about = unfinished or self._proposed(began)
            if self.terms.only_propose:
                return f"{about.version} is proposed and waits.", False
            self._try(about)
        made = len(self._attempts(began))
        if made < MOST_ITERATIONS:
            left = MOST_ITERATIONS - made
            done = "1 iteration is" if made == 1 else f"{made} iterations are"
            return f"{done} done; up to {left} more can follow from {began}.", True
        more = "Begin another loop from one of its versions to continue."
        return f"{made} iterations from {began} are done; further tries would make it worse. {more}", True

    # ---- progress, read from the versions

    def _root(self, version: str) -> str:
        return self.folder.about(version).loop or version if version else ""

    def _attempts(self, began: str) -> list[VersionRecord]:
        """List the tries of the loop in order, without damaged versions."""
        return [version for version in self.folder.all()[0] if version.loop == began]

    def _unfinished(self, began: str) -> VersionRecord | None:
        ended = (VersionStatus.KEPT, VersionStatus.ROLLED_BACK, VersionStatus.FAILED)
        return next((attempt for attempt in self._attempts(began) if attempt.standing not in ended), None)

    def _best(self, began: str) -> VersionRecord:
        kept = [attempt for attempt in self._attempts(began) if attempt.standing is VersionStatus.KEPT]
        return kept[-1] if kept else self.folder.about(began)

    # ---- one iteration

    def _proposed(self, began: str) -> VersionRecord:
        """Ask for proposals until one passes its checks, and make it a version.

        The kept runs of the search are forgotten, unless it was stopped and is to be resumed.
        """
        playing = self._playing
        try:
            made = self._made(began, *self._proposal(began, playing))
        except NoProposal:
            playing.forget()
            raise
        playing.forget()
        return made

    def _proposal(self, began: str, playing: Playing) -> tuple[VersionRecord, Change]:
        """Return the best version, and a checked change of it."""
        best = self._best(began)
        self._say("analyse", f"looking at {best.version}", best.version)
        play = playing.watch(best, self.trial)
        analysis = analyse(self.folder, best.version, play=play)
        reward = reward_source(self.folder, best)
        refused: tuple[str, ...] = ()
        while len(refused) < _TRIES:
            self._look()
            self._say("propose", f"asking for a change of {best.version}", best.version)
            situation = Situation(
                folder=self.folder,
                about=best,
                trial=self.trial,
                playing=playing,
                analysis=analysis,
                reward=reward,
                number=self.number,
                refused=refused,
                should_stop=self.should_stop,
                on_progress=lambda done, of: self._say("propose", "trying changes", best.version, done, of),
            )
            try:
                change = self.propose(situation)
                self._say("check", change.title or "the change", best.version)
                return best, self._checked(best, change, reward, play.seen)
            except ChangeRefused as error:
                refused = (*refused, as_refusal(error))
                self._say("check", f"refused: {refused[-1]}", best.version)
        raise NoProposal(f"{_TRIES} proposals were refused, the last one because {refused[-1]}")

    def _checked(self, best: VersionRecord, change: Change, reward: str, seen: Seen) -> Change:
        """Check a change; a reward function is tried on transitions of the twin, else on what was seen."""
        samples: list[RewardCall] = []
        if change.reward is not None and self._twin:
            samples = sample_transitions(self.folder, best, count=_SAMPLES, seed=self.terms.seed)
        elif change.reward is not None and best.learned is not None:
            samples = made_transitions(seen, best.learned.actions, count=_SAMPLES, seed=self.terms.seed)
        on_screen = self.screen is not None
        return checked_change(self.folder, best, change, samples, on_screen=on_screen, reward=reward)

    def _made(self, began: str, best: VersionRecord, change: Change) -> VersionRecord:
        title = change.title or "a change"
        if best.kind == "policy":
            recipe = {**change.recipe, **({"steps": self.terms.steps} if self.terms.steps else {})}
            space, learned = change.space, best.learned
            about = begin_version(
                self.folder,
                parent=best.version,
                learned=space.applied(learned) if space and isinstance(learned, Learned) else None,
                explore=None if self._twin else 1.0,
                reward=change.reward,
                changes=recipe,
                title=title,
                why=change.why,
            )
        else:
            about = self.folder.new(
                VersionRecord(
                    game_id=self.folder.game.game_id,
                    module=self.folder.declared.name,
                    version="",
                    kind="rules",
                    parent=best.version,
                    title=title,
                    why=change.why,
                    by=change.by,
                    profile_hash=self.folder.game.profile_hash,
                    rules=change.rules or best.rules,
                    standing=VersionStatus.PROPOSED,
                )
            )
        kept = {detector.name: detector for detector in (*best.detectors, *change.detectors)}
        made = {"loop": began, "by": change.by, "iteration": best.iteration + 1}
        about = about.model_copy(update={**made, "detectors": tuple(kept.values())})
        self.folder.write(about)
        return about

    def _try(self, about: VersionRecord) -> None:
        """Train if it learns, compare, and record the result."""
        try:
            about = self._trained(about)
            verdicts = self._compared(about)
        except _STOPPED:
            raise
        except PitwallError as error:
            self._look()
            if isinstance(error, TrialsFailed) and about.parent in error.versions:
                raise  # the parent cannot be played either: it is the game, not the change
            self._decide(self.folder.about(about.version), VersionStatus.FAILED, as_refusal(error))
            return
        first, others = verdicts[0], verdicts[1:]
        spoiled = next((verdict for verdict in others if verdict[1].finding == "worse"), None)
        good = first[1].finding == "better" and spoiled is None
        note = f"Against {about.parent}, {first[0]}: {first[1].sentence}"
        if spoiled is not None:
            note += f" But {spoiled[0]}: {spoiled[1].sentence}"
        self._decide(about, VersionStatus.KEPT if good else VersionStatus.ROLLED_BACK, note)

    def _trained(self, about: VersionRecord) -> VersionRecord:
        training = VersionTraining(
            self.data, self.folder, self.terms, self._say_training, self.on_line, self.should_stop
        )
        if not training.is_due(about):
            return about
        self._look()
        self._say("train", f"training {about.version}", about.version)
        return training.train(about)

    def _say_training(self, version: str, done: float, of: float, text: str) -> None:
        self._say("train", text, version, round(done), round(of))

    def _compared(self, about: VersionRecord) -> list[tuple[str, Verdict]]:
        """Compare the version with its parent in each trial, the deciding trial first."""
        playing, trials, verdicts = self._playing, self._trials(), list[tuple[str, Verdict]]()
        for trial in trials:
            verdicts.append(self._verdict(playing, about, trial))
            if playing is self.screen and verdicts[0][1].finding != "better":
                break  # real time is dear, and the version is rolled back in any case
        if self.screen is None or playing is self.screen or verdicts[0][1].finding == "worse":
            return verdicts
        return [self._verdict(self.screen, about, self.trial), *verdicts]

    def _verdict(self, playing: Playing, about: VersionRecord, trial: Trial) -> tuple[str, Verdict]:
        named = f"{trial.name}{playing.place}"
        text = f"{about.version} against {about.parent}, {named}"
        self._say("compare", text, about.version)
        verdict = playing.compare(
            about.parent,
            about.version,
            trial,
            lambda done, of: self._say("compare", text, about.version, done, of),
        )
        return named, verdict

    def _trials(self) -> list[Trial]:
        others = [trial for trial in self._judged.trials if trial.name != self.trial.name]
        return [self.trial, *others]

    def _decide(self, about: VersionRecord, standing: VersionStatus, note: str) -> None:
        now = self.folder.about(about.version)
        self.folder.write(now.model_copy(update={"standing": standing, "note": note}))
        self._say("decide", f"{standing}: {note}", about.version)

    # ---- stopping and reporting

    def _look(self) -> None:
        if self.should_stop():
            raise _Stopped

    def _say(self, phase: Phase, text: str, version: str = "", done: int = 0, of: int = 0) -> None:
        if self.on_step is not None:
            step = LoopProgress(
                iteration=self.number, phase=phase, text=text, version=version, done=done, of=of
            )
            self.on_step(step)
