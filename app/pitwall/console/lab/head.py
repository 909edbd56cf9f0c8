"""The lab's top line: which module, which iteration, how far its training is, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button
from pitwall.console.kit.page_head import PageHead
from pitwall.console.lab.format import module_sign, progress_words
from pitwall.console.lab.invented import at_rest, invented_words
from pitwall.console.lab.view_model import ITERATIONS, ModuleViewModel, VersionViewModel

_TITLE = "GSM lab"


class LabHead(PageHead):
    """Signals: train_wanted. improve_wanted. pause_wanted. resume_wanted. stop_wanted. promote_wanted."""

    train_wanted = Signal()
    improve_wanted = Signal()
    pause_wanted = Signal()
    resume_wanted = Signal()
    stop_wanted = Signal()
    promote_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(_TITLE, progress_name="Progress of the training", tone="reflex")
        add = self.add_action
        self.train = add(Button("Train…", self.train_wanted.emit, name="New training…"))
        self.improve = add(Button("Improve…", self.improve_wanted.emit))
        self.pause = add(Button("Pause", self.pause_wanted.emit, name="Pause the training"))
        self.resume = add(Button("Resume", self.resume_wanted.emit, name="Resume the training"))
        self.stop = add(Button("Stop", self.stop_wanted.emit, name="Stop the training"))
        self.promote = add(Button("Promote", self.promote_wanted.emit, kind="reflex", name="Promote"))
        self.more = self.add_menu("More", "More to do with this version")
        self.show_module(None, None)

    @property
    def _buttons(self) -> tuple[QWidget, ...]:
        return (self.train, self.improve, self.pause, self.resume, self.stop, self.promote, self.more)

    def show_module(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Show a module and the chosen one of its versions."""
        for button in self._buttons:
            button.setVisible(module is not None)
        self.hide_progress()
        self.set_chip("")
        self.set_title(module.title if module is not None else _TITLE, _how(module))
        if module is None:
            return
        trained = module.training or (version if _unfinished(version) else None)
        self._show_training(trained)
        self.train.setVisible(module.learns and module.training is None)
        self.improve.setVisible(module.training is None and not at_rest(module.declared))
        self._show_iteration(version)
        self._show_promote(version, at_rest(module.declared))

    def _show_training(self, version: VersionViewModel | None) -> None:
        progress = version.progress if version is not None else None
        live = progress is not None and progress.live
        self.pause.setVisible(live and progress is not None and progress.stage != "paused")
        self.resume.setVisible(progress is not None and not self.pause.isVisibleTo(self))
        self.stop.setVisible(live)
        if progress is None or version is None:
            return
        self.pause.setEnabled(progress.wish != "pause")
        self.stop.setEnabled(progress.wish != "stop")
        done, left = progress_words(progress)
        share = progress.step / progress.steps if progress.steps else 0.0
        self.show_progress(done, left if live else "", share, version.name)
        for button, word in ((self.pause, "Pause"), (self.resume, "Resume"), (self.stop, "Stop")):
            button.setAccessibleName(f"{word} the training of {version.name}")
            button.setToolTip(f"{word} the training of {version.name}")

    def _show_iteration(self, version: VersionViewModel | None) -> None:
        number = version.about.iteration if version is not None and version.learned else 0
        self.set_chip(f"iteration {number} of {ITERATIONS}" if number else "")

    def _show_promote(self, version: VersionViewModel | None, resting: str) -> None:
        able, why = (False, f"It is at rest: {resting}.") if resting else promotable(version)
        self.promote.setEnabled(able)
        name = version.name if version is not None else ""
        self.promote.setToolTip(why or f"Let {name} drive from now on")
        self.promote.setAccessibleName(f"Promote {name}".strip())
        self.promote.setAccessibleDescription(why)


def promotable(version: VersionViewModel | None) -> tuple[bool, str]:
    """Whether a version can be asked to drive, and why not."""
    if version is None:
        return False, "Choose a version first."
    if version.drives:
        return False, f"{version.name} drives already."
    if version.learned and not version.about.policy_sha256 and not (version.folder / "policy.onnx").is_file():
        return False, f"{version.name} has no policy yet: it must be trained first."
    return True, ""


def _unfinished(version: VersionViewModel | None) -> bool:
    """Whether its training ended early and can go on."""
    if version is None or version.progress is None:
        return False
    progress = version.progress
    return progress.stage in ("stopped", "failed", "died") and (
        not progress.steps or progress.step < progress.steps
    )


def _how(module: ModuleViewModel | None) -> str:
    if module is None:
        return ""
    learned = module.drives_by == "learned" or module.training is not None
    how = f"{module_sign(module).text} · Double DQN" if learned else module_sign(module).text
    return " · ".join(filter(None, (how, invented_words(module.declared), at_rest(module.declared))))
