"""Carries out the operator's orders for a module or a version, and reports the outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.components import ComponentsPanel
from pitwall.console.kit.dialogs import Confirm
from pitwall.console.kit.job import JobList, JobOrder
from pitwall.console.kit.notification import Notification, open_path
from pitwall.console.kit.theme import Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.games.schema.modules import Module
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.components import can_install, missing_components
from pitwall.store.folder_errors import write_file
from pitwall_evaluation.console.command_queue import CommandQueue
from pitwall_lab.console.changes.controller import ChangeController, change_json
from pitwall_lab.console.format import PLACES, ScorePlace, answer_sentence, improvement_sentence
from pitwall_lab.console.questions import PromoteAnyway
from pitwall_lab.console.training.design_dialog import DesignDialog
from pitwall_lab.console.training.improve_dialog import ImproveDialog
from pitwall_lab.console.training.train_dialog import TrainDialog
from pitwall_lab.console.versions.compare_dialog import CompareDialog
from pitwall_lab.console.versions.removal import delete_version, reject
from pitwall_lab.console.view_model import ModuleKey, ModuleViewModel, VersionViewModel
from pitwall_lab.orders import EvaluationOrder, ImproveOrder, TrainingOrder

_EVALUATE_FIRST = "Evaluate it on the screen, or on the twin with delay, and try again."
_SEE_IT_LIVE = (
    "Record more play on the Live page and train again; or play beside it there first, or by: "
    "pitwall shadow {agent}"
)
_NEEDED = ("training",)
"""Components that a training needs."""
_INSTALLS_FIRST = "What training needs is being installed first. Begin again once it is there."
_ASKED = {"pause": "is asked to pause", "resume": "resumes", "stop": "is asked to stop"}
Started = tuple[ModuleKey, str]


class LabCommands(QObject):
    """Acts on the module and version in view.

    Signals:
        notified(notification): a `Notification`. chosen(name): show this version. changed(): read again.
        analysed(key, version, answer): the analyser's answer.

    Attributes:
        queue: short commands. jobs: evaluations, measurements, improve loops; they end with the window.
        components: what a training needs and is not installed yet.
        started: trainings that this console began or steered.
    """

    notified = Signal(object)
    chosen = Signal(str)
    changed = Signal()
    analysed = Signal(object, str, object)
    live_wanted = Signal()

    def __init__(
        self, bridge: Bridge, look: Look, changes: ChangeController, worker: BackgroundWorker, window: QWidget
    ) -> None:
        super().__init__(window)
        self._bridge, self._look, self._worker, self._window = bridge, look, worker, window
        self._changes = changes
        self.queue = CommandQueue(self, data=bridge.data)
        self.jobs = JobList(data=bridge.data)
        self.components = ComponentsPanel(bridge.data, only=_NEEDED)
        self.started: set[Started] = set()
        self._module: ModuleViewModel | None = None
        self._version: VersionViewModel | None = None
        self.queue.notified.connect(self.notified)
        self.queue.changed.connect(self.changed)
        self.jobs.ended.connect(lambda *_: self.changed.emit())
        changes.reward.go_wanted.connect(self.train)
        changes.try_wanted.connect(self.try_rules)
        for panel in (changes.reward, changes.rules):
            panel.accept_wanted.connect(self.accept)
            panel.reject_wanted.connect(self.reject)

    def use(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Set the module and version to act on."""
        self._module, self._version = module, version

    def close(self) -> None:
        """End everything that ends with the window."""
        self.queue.close()
        self.jobs.close_jobs()
        self.components.close_jobs()

    # ---- training

    def train(self) -> None:
        """Open the train dialog, and begin the training that is ordered."""
        module = self._module
        if module is None or not module.learns or not self._can_train():
            return
        dialog = TrainDialog(module, self._version, self._changes.drafts_of(module), self._window)
        dialog.ordered.connect(lambda order: self.begin(module, order))
        dialog.open()

    def design(self) -> None:
        """Open the design dialog for the game of the module in view, else the open game."""
        module, subject = self._module, self._bridge.state.subject
        game_id = module.key[0] if module is not None else subject.game_id
        if self._can_train() and game_id:
            dialog = DesignDialog(game_id, game_id, self._bridge.data, self._window)
            dialog.designed.connect(self.changed)
            dialog.open()

    def begin(self, module: ModuleViewModel, order: TrainingOrder) -> None:
        """Begin an ordered training."""

        def begun(answer: Any) -> None:
            version = str(answer.get("version", "")) if isinstance(answer, dict) else ""
            if order.reward is not None:
                self._changes.forget_file(order.reward)
            self.started.add((module.key, version))
            self.notified.emit(Notification(f"{module.key}: {version} is being trained."))
            self.chosen.emit(version)

        words = ["gsm", "train", module.named, *order.words()]
        self.queue.do(words, doing="Beginning the training …", answered=begun)

    def accept(self) -> None:
        """Train the proposal in view."""
        if self._version is not None:
            self._resume_training(self._version, f"{self._version.name}: accepted, and being trained.")

    def resume(self) -> None:
        """Resume a paused training, or a training that ended early."""
        version = self._trained
        if version is not None and version.live:
            self.steer("resume")
        elif version is not None:
            self._resume_training(version, f"{version.name} resumes from its last checkpoint.")

    def steer(self, wish: Literal["pause", "resume", "stop"]) -> None:
        """Ask the running training to pause, resume or stop."""
        module, version = self._module, self._trained
        if module is not None and version is not None:
            self.started.add((module.key, version.name))
            self.queue.do(
                ["gsm", wish, module.named, version.name],
                doing=f"Asking the training of {version.name} …",
                done=f"The training of {version.name} {_ASKED[wish]}.",
            )

    def steer_all(
        self,
        running: Sequence[Started],
        wish: Literal["pause", "stop"],
        then: Callable[[], object],
        failed: Callable[[], object],
    ) -> None:
        """Steer several trainings, then call `then`; call `failed` if a request fails."""
        waiting = list(running)

        def refused(error: PitwallError) -> None:
            self.notified.emit(Notification.of_error(error))
            failed()

        def following(_: object = None) -> None:
            if not waiting:
                then()
                return
            key, version = waiting.pop(0)
            self.queue.do(
                ["gsm", wish, str(key), version],
                doing=f"Asking the training of {version} …",
                answered=following,
                refused=refused,
            )

        following()

    def reject(self) -> None:
        """Reject the proposal in view."""
        version = self._version
        if version is not None and version.proposed:
            self._on_folder(lambda folder: reject(folder, version.name), f"{version.name} was rejected.")

    # ---- promotion

    def promote(self) -> None:
        """Promote the version in view; if the gate refuses, show why and ask."""
        module, version = self._module, self._version
        if module is None or version is None:
            return

        def ask(*more: str, refused: Callable[[PitwallError], object] | None = None) -> None:
            self.queue.do(
                ["gsm", "promote", module.named, version.name, *more],
                doing=f"Promoting {version.name} …",
                answered=lambda _: self.notified.emit(
                    Notification(f"{version.name} drives now.", offers="undo")
                ),
                refused=refused,
            )

        def refused(error: PitwallError) -> None:
            if isinstance(error, ChildDied):
                self.notified.emit(Notification.of_error(error))
                return
            agent = f"--game {module.key.game_id} --agent {module.key.module}@{version.name}"
            advice = _EVALUATE_FIRST if module.declared.trials else _SEE_IT_LIVE.format(agent=agent)
            judge = "Evaluate it" if module.declared.trials else "Go to the Live page"
            dialog = PromoteAnyway(version.name, [error.what, advice], judge, self._window)
            dialog.wanted.connect(lambda why: ask("--force", "--why", why))
            dialog.judged.connect(partial(self._judge, module))
            dialog.open()

        ask(refused=refused)

    def _judge(self, module: ModuleViewModel) -> None:
        """Evaluate the version in view; without a trial a person judges it, live."""
        if module.declared.trials:
            self.evaluate_fast()
        else:
            self.live_wanted.emit()

    def evaluate_fast(self) -> None:
        """Evaluate the version in view where that goes fastest."""
        learned = self._module.declared.learned if self._module is not None else None
        self.evaluate("twin" if learned is not None and learned.twin else "screen")

    def roll_back(self) -> None:
        """Roll back to the version that drove before."""
        module = self._module
        if module is not None:
            self.queue.do(
                ["gsm", "rollback", module.named],
                doing="Rolling back …",
                done=f"{module.key}: rolled back to the version that drove before.",
            )

    # ---- jobs

    def improve(self) -> None:
        """Open the improve dialog, and run the improve loop that is ordered."""
        module = self._module
        if module is None or not self._can_train():
            return
        model, draft = self._bridge.settings.models.evolution, self._changes.drafting
        dialog = ImproveDialog(module, self._version, model=model, draft=draft, parent=self._window)
        dialog.ordered.connect(self._begin_improving)
        dialog.open()

    def _begin_improving(self, order: ImproveOrder) -> None:
        change = self._changes.file() if order.by == "operator" else None
        source = self._version.name if self._version is not None else ""
        order = order.model_copy(update={"source": source, "change": (change,) if change else ()})
        if change is None:
            self._start("Improving", "improve", *order.words(), outcome=improvement_sentence)
        else:
            self._start_with_draft("Improving", order)

    def try_rules(self, rules: Module) -> None:
        """Make a version of changed rules, and compare it with its parent."""
        module, version = self._module, self._version
        if module is None or version is None or not self._can_train():
            return
        file = self._bridge.data.modules / module.key.game_id / module.key.module / "drafts" / "change.json"
        try:
            write_file(file, change_json(rules, "changed rules", ""))
        except PitwallError as error:
            self.notified.emit(Notification.of_error(error))
            return
        order = ImproveOrder(by="operator", iterations=1, source=version.name, change=(file,))
        self._start_with_draft("Trying the changed rules", order)

    def evaluate(self, where: ScorePlace) -> None:
        """Play the version in view on held-out seeds."""
        if self._version is not None:
            name = self._version.name
            order = EvaluationOrder(version=name, on=where)
            self._start(f"Evaluating {name} {PLACES[where]}", "evaluate", *order.words(), unit="runs")

    def analyse(self) -> None:
        """Analyse how the version in view learned."""
        module, version = self._module, self._version
        if module is not None and version is not None:
            self._start(
                f"Analysing {version.name}",
                "analyse",
                version.name,
                outcome=lambda _: "Its findings are in the Analysis tab.",
                answered=lambda answer: self.analysed.emit(module.key, version.name, answer),
            )

    def measure(self) -> None:
        """Measure delay and reading noise on the screen."""
        self._start("Measuring delay and noise", "measure")

    # ---- versions

    def compare(self) -> None:
        """Compare the version in view with its parent, or with another if that is missing."""
        module, version = self._module, self._version
        if module is None or version is None or len(module.versions) < 2:
            return
        others = [other for other in module.versions if other.name != version.name]
        other = module.parent_of(version) or others[0]
        CompareDialog(self._look, module, other.name, version.name, self._window).open()

    def open_folder(self) -> None:
        """Show the version's files in the file manager."""
        if self._version is not None:
            open_path(self._version.folder)

    def ask_to_delete(self) -> None:
        """Delete the version in view after the operator confirms."""
        if self._version is None:
            return
        name = self._version.name
        consequence = (
            "Its policy, its training curves, its checkpoint and its clips are deleted from the disk."
        )
        dialog = Confirm(f"Delete {name}?", [consequence], f"Delete {name}", "Keep it", self._window)
        dialog.confirmed.connect(
            lambda: self._on_folder(lambda folder: delete_version(folder, name), f"{name} was deleted.")
        )
        dialog.open()

    # ---- inside

    @property
    def _trained(self) -> VersionViewModel | None:
        """Return the version whose training the buttons steer."""
        return (self._module.training or self._version) if self._module is not None else None

    def _can_train(self) -> bool:
        """Return whether a training can begin; where what it needs is missing, begin to install that."""
        if not can_install() or not missing_components(_NEEDED):
            return True
        self.components.offer(begin=True)
        self.notified.emit(Notification(_INSTALLS_FIRST))
        return False

    def _resume_training(self, version: VersionViewModel, done: str) -> None:
        if self._module is not None and self._can_train():
            self.started.add((self._module.key, version.name))
            order = TrainingOrder(resume=version.name, detach=True)
            words = ["gsm", "train", self._module.named, *order.words()]
            self.queue.do(words, doing="Beginning the training …", done=done)

    def _start_with_draft(self, title: str, order: ImproveOrder) -> None:
        """Run the improve loop on a draft, and drop the draft once it is a version."""
        key = self._changes.key

        def forget(_: object) -> None:
            if key is not None:
                self._changes.forget(key)

        words = order.words()
        self._start(title, "improve", *words, outcome=improvement_sentence, answered=forget)

    def _start(
        self,
        title: str,
        command: str,
        *words: str,
        unit: str = "",
        outcome: Callable[[Any], str] = answer_sentence,
        answered: Callable[[Any], object] = lambda _: None,
    ) -> None:
        """Begin a job with the module in view."""
        if self._module is None:
            return
        arguments = ["gsm", command, self._module.named, *words]
        order = JobOrder(
            title=f"{title} · {self._module.key}", arguments=arguments, unit=unit, outcome=outcome
        )
        card = self.jobs.start(order)
        if card is None:
            self.notified.emit(Notification(f"{title} is already running.", done=False))
        else:
            card.job.answered.connect(answered)

    def _on_folder(self, change: Callable[[ModuleFolder], None], done: str) -> None:
        module = self._module
        if module is None:
            return

        def finished(_: None) -> None:
            self.notified.emit(Notification(done))
            self.changed.emit()

        self._worker.ask(
            lambda: change(ModuleFolder(self._bridge.data, module.game, module.key.module)),
            finished,
            lambda error: self.notified.emit(Notification.of_error(error)),
        )
