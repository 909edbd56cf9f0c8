"""The lab's top line: the module, its iteration, the progress of its training, and the possible commands."""

from __future__ import annotations

from pitwall.console.kit.elements import Button, set_property
from pitwall.console.kit.page_head import PageHead
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.version_record import POLICY
from pitwall_lab.console.commands import LabCommands
from pitwall_lab.console.format import at_rest, invented_words, module_sign, progress_words
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel

_TITLE = "GSM lab"


class LabHead(PageHead):
    """Shows the module in view; its buttons call `do`."""

    def __init__(self, do: LabCommands) -> None:
        super().__init__(_TITLE, progress_name="Progress of the training", tone="reflex")
        add = self.add_action
        self.train = add(Button("Train…", do.train, name="New training…"))
        self.improve = add(Button("Improve…", do.improve))
        self.design = add(Button("Design…", do.design, name="Design a module for a task…"))
        self.pause = add(Button("Pause", lambda: do.steer("pause"), name="Pause the training"))
        self.resume = add(Button("Resume", do.resume, name="Resume the training"))
        self.stop = add(Button("Stop", lambda: do.steer("stop"), name="Stop the training"))
        self.promote = add(Button("Promote", do.promote, kind="reflex", name="Promote"))
        self.more = self.add_menu("More", "More to do with this version")
        self.show_module(None, None)

    def show_module(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Show a module and its chosen version.

        This is called every few seconds, so no button may move even for a moment, or a click would be lost.
        """
        self.set_title(module.title if module is not None else _TITLE, _how(module))
        self.promote.setVisible(module is not None)
        self.more.setVisible(module is not None)
        unfinished = version if _unfinished(version) else None
        self._show_training((module.training or unfinished) if module is not None else None)
        if module is None:
            self.train.setVisible(False)
            self.improve.setVisible(False)
            self.set_chip("")
            return
        resting = at_rest(module.declared)
        self.train.setVisible(module.learns and module.training is None)
        self.improve.setVisible(module.training is None and not resting and version is not None)
        iteration = version.about.iteration if version is not None and version.learned else 0
        self.set_chip(f"iteration {iteration}" if iteration else "")
        why_not = f"It is at rest: {resting}." if resting else why_not_promotable(version)
        name = version.name if version is not None else ""
        self.promote.setEnabled(not why_not)
        judged = is_judged(module, version)
        set_property(self.promote, "kind", "reflex" if judged and not why_not else "")
        unjudged = f"{name} has no score yet: evaluate it first, under More"
        let = f"Let {name} drive from now on" if judged else unjudged
        self.promote.setToolTip(why_not or let)
        self.promote.setAccessibleName(f"Promote {name}".strip())
        self.promote.setAccessibleDescription(why_not)

    def _show_training(self, version: VersionViewModel | None) -> None:
        progress = version.progress if version is not None else None
        live = progress is not None and progress.live
        goes_on = live and progress is not None and progress.stage != "paused"
        self.pause.setVisible(goes_on)
        self.resume.setVisible(progress is not None and not goes_on)
        self.stop.setVisible(live)
        if progress is None or version is None:
            self.hide_progress()
            return
        self.pause.setEnabled(progress.wish != "pause")
        self.stop.setEnabled(progress.wish != "stop")
        done, left = progress_words(progress)
        share = progress.step / progress.steps if progress.steps else 0.0
        self.show_progress(done, left if live else "", share, version.name)
        for button in (self.pause, self.resume, self.stop):
            button.setAccessibleName(f"{button.text()} the training of {version.name}")
            button.setToolTip(button.accessibleName())


def is_judged(module: ModuleViewModel, version: VersionViewModel | None) -> bool:
    """Return whether a version has a score where the gate asks for one."""
    return version is not None and bool(
        not version.learned or not module.declared.trials or version.about.scores
    )


def why_not_promotable(version: VersionViewModel | None) -> str:
    """Return why a version cannot be promoted; empty if it can."""
    if version is None:
        return "Choose a version first."
    if version.drives:
        return f"{version.name} drives already."
    if version.learned and not version.about.policy_sha256 and not (version.folder / POLICY).is_file():
        return f"{version.name} has no policy yet: it must be trained first."
    return ""


def _unfinished(version: VersionViewModel | None) -> bool:
    """Return whether its training ended early and can resume."""
    progress = version.progress if version is not None else None
    return (
        progress is not None
        and progress.stage in ("stopped", "failed", "died")
        and (not progress.steps or progress.step < progress.steps)
    )


def _how(module: ModuleViewModel | None) -> str:
    if module is None:
        return ""
    shown = module.training or module.version(module.driving)
    how = str(module_sign(module))
    if shown is not None and shown.learned:
        if isinstance(shown.about.learned, ClonedSpace):
            how += " · cloned from play"
        elif (recipe := shown.about.recipe) is not None:
            how += " · by PPO" if recipe.algorithm == "ppo" else " · by Double DQN"
    return " · ".join(filter(None, (how, invented_words(module.declared), at_rest(module.declared))))
