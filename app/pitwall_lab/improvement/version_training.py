"""Trains the versions of an improve loop: in the twin, or by playing the real game where there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pitwall.core.bounded_reading import read_text
from pitwall.core.paths import DataFolder
from pitwall.gsm.version_record import VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.improvement.live_training import has_played, learn_by_playing
from pitwall_lab.orders import ImprovementTerms, TrainingOrder
from pitwall_lab.training.new_version import REWARD_FILE
from pitwall_lab.training.train import train
from pitwall_lab.training_log import Line
from pitwall_lab.trials.default_trial import has_twin
from pitwall_lab.trials.twin_trials import JudgingStopped


@dataclass(slots=True)
class VersionTraining:
    """Trains versions of one module.

    Args:
        on_progress: called with the version, the done part, the whole, and a sentence, while it plays.
        on_line: called with each line of a training's log.
    """

    data: DataFolder
    folder: ModuleFolder
    terms: ImprovementTerms
    on_progress: Callable[[str, float, float, str], None]
    on_line: Callable[[Line], None] | None
    should_stop: Callable[[], bool]

    def is_due(self, about: VersionRecord) -> bool:
        """Return whether the version is still to be trained."""
        done = _whole(about) if has_twin(self.folder.declared) else has_played(about, self.terms.minutes)
        return about.kind == "policy" and not (about.standing is VersionStatus.TRAINED and done)

    def train(self, about: VersionRecord) -> VersionRecord:
        """Train a version to its end, and return its record.

        Raises:
            JudgingStopped: it was stopped. PitwallError: it cannot be trained.
        """
        terms, version = self.terms, about.version
        if not has_twin(self.folder.declared):
            about = learn_by_playing(
                self.data,
                self.folder,
                about,
                minutes=terms.minutes,
                seed=terms.seed,
                on_progress=lambda done, of, text: self.on_progress(version, done, of, text),
                should_stop=self.should_stop,
            )
            about = about.model_copy(update={"standing": VersionStatus.TRAINED})
            self.folder.write(about)
            return about
        order = TrainingOrder(seed=terms.seed, workers=terms.workers, ray=terms.ray)
        about = train(
            self.data, self.folder, version, order, on_line=self.on_line, should_stop=self.should_stop
        )
        if not _whole(about):
            raise JudgingStopped("the training was stopped.")
        return about


def reward_source(folder: ModuleFolder, about: VersionRecord) -> str:
    """Return the source of a policy's reward function; empty for rules, or if there is none."""
    own, declared = folder.folder(about.version) / REWARD_FILE, folder.declared.learned
    files = [own, *([folder.game.folder / declared.reward] if declared is not None else [])]
    file = next((file for file in files if file.is_file()), None)
    if about.kind == "rules" or file is None:
        return ""
    return read_text(file)


def _whole(about: VersionRecord) -> bool:
    """Return whether the version's training is complete."""
    return about.recipe is not None and about.steps >= about.recipe.steps and bool(about.policy_sha256)
