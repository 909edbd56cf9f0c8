"""What the operator does with modules and versions: asks, orders, and tells what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.command_queue import CommandQueue
from pitwall.console.kit.confirm import Confirm
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.notification import Notification
from pitwall.console.kit.theme import Look
from pitwall.console.lab.changes.controller import ChangeController, change_json
from pitwall.console.lab.command_lines import CommandLines, TrainingOrder
from pitwall.console.lab.format import PLACES, ScorePlace, answer_sentence, improvement_sentence
from pitwall.console.lab.jobs import JobStrip, LongJob
from pitwall.console.lab.questions import PromoteAnyway
from pitwall.console.lab.training.improve_dialog import ImproveDialog, ImproveOrder
from pitwall.console.lab.training.train_dialog import TrainDialog
from pitwall.console.lab.versions.compare_dialog import CompareDialog
from pitwall.console.lab.versions.removal import delete_version, reject
from pitwall.console.lab.view_model import ModuleKey, ModuleViewModel, VersionViewModel
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.bridge import Bridge
from pitwall.core.errors import ChildDied, PitwallError
from pitwall.games.schema.modules import Module
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import write_file

_RUNS = 20
_EVALUATE_FIRST = "Evaluate it on the screen, or on the twin with delay (More), and try again."
Started = tuple[ModuleKey, str]


class LabCommands(QObject):
    """Acts on the module and version in view.

    Signals:
        notified(notification): a `Notification`. chosen(name): show this version. changed(): read again.
        analysed(key, version, answer): what the analyser found.
    """

    notified = Signal(object)
    chosen = Signal(str)
    changed = Signal()
    analysed = Signal(object, str, object)

    def __init__(
        self, bridge: Bridge, look: Look, changing: ChangeController, aside: BackgroundWorker, window: QWidget
    ) -> None:
        super().__init__(window)
        self._bridge, self._look, self._aside, self._window = bridge, look, aside, window
        self._changing = changing
        self._commands = CommandLines(bridge.data)
        self.queue = CommandQueue(self)
        self.works = JobStrip()
        self.started: set[Started] = set()
        self._module: ModuleViewModel | None = None
        self._version: VersionViewModel | None = None
        self.queue.notified.connect(self.notified)
        self.queue.changed.connect(self.changed)
        self.works.ended.connect(self._work_ended)
        changing.train_wanted.connect(self.train)
        changing.try_wanted.connect(self.try_rules)
        changing.accept_wanted.connect(self.accept)
        changing.reject_wanted.connect(self.reject)

    def use(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """What is in view now."""
        self._module, self._version = module, version

    def close(self) -> None:
        """End what ends with the window."""
        self.queue.close()
        self.works.close_jobs()

    # ---- training

    def train(self) -> None:
        """Ask for what is to be trained, and begin."""
        module = self._module
        if module is None or not module.learns:
            return
        dialog = TrainDialog(module, self._version, self._changing.drafts_of(module), self._window)
        dialog.ordered.connect(lambda order: self.begin(module, order))
        dialog.open()

    def begin(self, module: ModuleViewModel, order: TrainingOrder) -> None:
        """Begin a training as ordered."""

        def begun(answer: Any) -> None:
            version = str(answer.get("version", "")) if isinstance(answer, dict) else ""
            if order.reward is not None:
                self._changing.forget_file(order.reward)
            self.started.add((module.key, version))
            self.notified.emit(Notification(f"{module.key}: {version} is being trained."))
            self.chosen.emit(version)

        self.queue.do(
            self._commands.train(module.named, order), doing="Beginning the training …", answered=begun
        )

    def accept(self) -> None:
        """Train the proposal in view."""
        self._resume(f"{self._name}: accepted, and being trained.")

    def resume(self) -> None:
        """Go on with a paused training, or with one that ended early."""
        module, version = self._module, self._trained
        if module is None or version is None:
            return
        if version.live:
            self.rein("resume")
        else:
            self._resume(f"{version.name} goes on from its last checkpoint.", version)

    def rein(self, wish: Literal["pause", "resume", "stop"]) -> None:
        """Steer the training that runs."""
        module, version = self._module, self._trained
        if module is None or version is None:
            return
        words = {"pause": "is asked to pause", "resume": "goes on", "stop": "is asked to stop"}
        self.started.add((module.key, version.name))
        self.queue.do(
            self._commands.rein(wish, module.named, version.name),
            doing=f"Asking the training of {version.name} …",
            done=f"The training of {version.name} {words[wish]}.",
        )

    def rein_all(
        self,
        running: Sequence[Started],
        wish: Literal["pause", "stop"],
        then: Callable[[], object],
        failed: Callable[[], object],
    ) -> None:
        """Steer several trainings, then do something; `failed` where one of them could not be asked."""
        waiting = list(running)

        def refused(error: PitwallError) -> None:
            self.notified.emit(Notification(error_sentence(error), done=False))
            failed()

        def following(_: object = None) -> None:
            if not waiting:
                then()
                return
            key, version = waiting.pop(0)
            words = self._commands.rein(wish, str(key), version)
            self.queue.do(
                words, doing=f"Asking the training of {version} …", answered=following, refused=refused
            )

        following()

    def reject(self) -> None:
        """The proposal in view is not wanted."""
        version = self._version
        if version is not None and version.proposed:
            self._on_folder(lambda folder: reject(folder, version.name), f"{version.name} was rejected.")

    # ---- what drives

    def promote(self, *, anyway: bool = False, why: str = "") -> None:
        """Let the version in view drive; where the gate refuses, show why and ask."""
        module, version = self._module, self._version
        if module is None or version is None:
            return

        def refused(error: PitwallError) -> None:
            if anyway or isinstance(error, ChildDied):
                self.notified.emit(Notification(error_sentence(error), done=False))
                return
            dialog = PromoteAnyway(version.name, [error.what, _EVALUATE_FIRST], self._window)
            dialog.wanted.connect(lambda reason: self._promote(module, version, anyway=True, why=reason))
            dialog.open()

        self._promote(module, version, anyway=anyway, why=why, refused=refused)

    def _promote(
        self,
        module: ModuleViewModel,
        version: VersionViewModel,
        *,
        anyway: bool,
        why: str,
        refused: Callable[[PitwallError], object] | None = None,
    ) -> None:
        self.queue.do(
            self._commands.promote(module.named, version.name, anyway=anyway, why=why),
            doing=f"Promoting {version.name} …",
            answered=lambda _: self.notified.emit(Notification(f"{version.name} drives now.", offers="undo")),
            refused=refused,
        )

    def roll_back(self) -> None:
        """Let what drove before drive again."""
        module = self._module
        if module is not None:
            self.queue.do(
                self._commands.roll_back(module.named),
                doing="Rolling back …",
                done=f"{module.key}: rolled back to what drove before.",
            )

    # ---- long work

    def improve(self) -> None:
        """Ask who proposes, and run the improve loop."""
        module = self._module
        if module is None:
            return
        dialog = ImproveDialog(
            module,
            model=self._bridge.settings.models.evolution,
            draft=self._changing.drafting,
            parent=self._window,
        )
        dialog.ordered.connect(lambda order: self.begin_improving(module, order))
        dialog.open()

    def begin_improving(self, module: ModuleViewModel, order: ImproveOrder) -> None:
        """Run the improve loop as ordered."""
        change = self._changing.file() if order.by == "operator" else None
        more = ["--iterations", str(order.iterations)]
        more += ["--screen"] if order.screen else []
        more += ["--only-propose"] if order.only_propose else []
        more += ["--from", self._version.name] if self._version is not None else []
        self._begin(
            LongJob(
                key=module.key,
                title="Improving",
                draft=self._changing.key if change is not None else None,
                arguments=self._commands.improve(module.named, order.by, change=change, more=more),
                words=improvement_sentence,
            )
        )

    def try_rules(self, rules: Module) -> None:
        """Make a version of changed rules, and compare it with what they were made from."""
        module, version = self._module, self._version
        if module is None or version is None:
            return
        file = self._bridge.data.modules / module.key.game_id / module.key.module / "drafts" / "change.json"
        try:
            write_file(file, change_json(rules, "changed rules", ""))
        except PitwallError as error:
            self.notified.emit(Notification(error_sentence(error), done=False))
            return
        self._begin(
            LongJob(
                key=module.key,
                title="Trying the changed rules",
                draft=self._changing.key,
                arguments=self._commands.improve(
                    module.named, "operator", change=file, more=("--iterations", "1", "--from", version.name)
                ),
                words=improvement_sentence,
            )
        )

    def evaluate(self, where: ScorePlace) -> None:
        """Play the version in view on held-out seeds."""
        module, version = self._module, self._version
        if module is None or version is None:
            return
        self._begin(
            LongJob(
                key=module.key,
                title=f"Evaluating {version.name} {PLACES[where]}",
                arguments=self._commands.evaluate(module.named, version.name, where, runs=_RUNS),
                unit="runs",
                words=answer_sentence,
            )
        )

    def analyse(self) -> None:
        """Look at how the version in view learned."""
        module, version = self._module, self._version
        if module is not None and version is not None:
            self._begin(
                LongJob(
                    key=module.key,
                    title=f"Analysing {version.name}",
                    version=version.name,
                    arguments=self._commands.analyse(module.named, version.name),
                    words=lambda _: "Its sentences stand in the Analysis tab.",
                )
            )

    def measure(self) -> None:
        """Measure delay and reading noise on the screen."""
        module = self._module
        if module is not None:
            self._begin(
                LongJob(
                    key=module.key,
                    title="Measuring delay and noise",
                    arguments=self._commands.measure(module.named),
                    words=answer_sentence,
                )
            )

    # ---- versions

    def compare(self, other: str = "") -> None:
        """The version in view beside another one: its parent, where none is named."""
        module, version = self._module, self._version
        if module is None or version is None or len(module.versions) < 2:
            return
        parent = module.parent_of(version)
        rest = [one.name for one in module.versions if one.name != version.name]
        against = other or (parent.name if parent is not None else rest[0])
        CompareDialog(self._look, module, against, version.name, self._window).open()

    def open_folder(self) -> None:
        """Show the version's files in the file manager."""
        if self._version is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._version.folder)))

    def ask_to_delete(self) -> None:
        """Delete the version in view, once the operator said so."""
        version = self._version
        if version is None:
            return
        dialog = Confirm(
            f"Delete {version.name}?",
            ["Its policy, its training curves, its checkpoint and its clips are deleted from the disk."],
            f"Delete {version.name}",
            "Keep it",
            self._window,
        )
        name = version.name
        dialog.confirmed.connect(
            lambda: self._on_folder(lambda folder: delete_version(folder, name), f"{name} was deleted.")
        )
        dialog.open()

    # ---- inside

    @property
    def _name(self) -> str:
        return self._version.name if self._version is not None else ""

    @property
    def _trained(self) -> VersionViewModel | None:
        """The version whose training the buttons steer."""
        if self._module is None:
            return None
        return self._module.training or self._version

    def _resume(self, done: str, version: VersionViewModel | None = None) -> None:
        module, version = self._module, version or self._version
        if module is None or version is None:
            return
        self.started.add((module.key, version.name))
        self.queue.do(
            self._commands.resume(module.named, version.name), doing="Beginning the training …", done=done
        )

    def _work_ended(self, work: LongJob, answer: Any) -> None:
        if work.draft is not None and answer is not None:
            self._changing.forget(work.draft)
        if work.arguments[1] == "analyse" and isinstance(answer, dict):
            self.analysed.emit(work.key, work.version, answer)
        self.changed.emit()

    def _begin(self, work: LongJob) -> None:
        if self.works.begin(work) is None:
            self.notified.emit(Notification(f"{work.title} is on its way already.", done=False))

    def _on_folder(self, deed: Callable[[ModuleFolder], None], done: str) -> None:
        module = self._module
        if module is None:
            return

        def work() -> None:
            deed(ModuleFolder(self._bridge.data, module.game, module.key.module))

        def finished(_: None) -> None:
            self.notified.emit(Notification(done))
            self.changed.emit()

        self._aside.ask(
            work, finished, lambda error: self.notified.emit(Notification(error_sentence(error), done=False))
        )
