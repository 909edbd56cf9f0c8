"""Plays versions for the improve loop: in the module's headless twin, or on the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pitwall.games.schema.modules import Trial
from pitwall.gsm.version_record import Score, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.analysis.comparison import Verdict, compare_scores
from pitwall_lab.analysis.figures import Play
from pitwall_lab.analysis.playthrough import play_version, try_rules
from pitwall_lab.improvement.search_budget import SearchBudget, ignore_progress
from pitwall_lab.trials.twin_trials import TwinRun, twin_trial

COMPARISON_SEED_OFFSET = 100_000
"""Offset from a trial's first seed to a comparison's seeds. They are held out, but differ from the seeds that
chose a checkpoint and those of an evaluation."""
TWIN_BUDGET = SearchBudget()
_WATCHED = 8


class Playing(Protocol):
    """Plays versions, changed versions and comparisons in one place.

    Attributes:
        budget: of a search for better rules there. sees: pictures are played, so that detectors count.
    """

    budget: SearchBudget
    sees: bool

    @property
    def place(self) -> str:
        """Return a trial's addition that names the place, like " on the screen"; empty for the twin."""
        ...

    def watch(self, about: VersionRecord, trial: Trial) -> Play:
        """Play a version on training seeds, for its analysis."""
        ...

    def try_changed(self, changed: VersionRecord, trial: Trial, *, runs: int, first_seed: int) -> list[float]:
        """Return the scores of changed rules and detectors on training seeds; they are no version yet."""
        ...

    def forget(self) -> None:
        """Forget the kept runs of a search that has ended; the next search plays anew."""
        ...

    def compare(
        self, old: str, new: str, trial: Trial, on_run: Callable[[int, int], None] = ignore_progress
    ) -> Verdict:
        """Play two versions on the comparison's seeds, and save their scores.

        Args:
            on_run: called with the finished runs and the number of all.
        """
        ...


@dataclass(slots=True)
class TwinPlaying:
    """Plays in the headless twin. A `Playing`.

    Args:
        runs: seeds of a comparison.
    """

    folder: ModuleFolder
    runs: int
    should_stop: Callable[[], bool] = lambda: False
    budget: SearchBudget = TWIN_BUDGET
    place: str = ""
    sees: bool = False

    def watch(self, about: VersionRecord, trial: Trial) -> Play:
        """See `Playing`."""
        return play_version(self.folder, about, trial, runs=_WATCHED, should_stop=self.should_stop)

    def try_changed(self, changed: VersionRecord, trial: Trial, *, runs: int, first_seed: int) -> list[float]:
        """See `Playing`; a twin has no pictures, so detectors play no part."""
        return try_rules(
            self.folder,
            changed,
            changed.rules or self.folder.declared,
            trial,
            runs=runs,
            first_seed=first_seed,
            should_stop=self.should_stop,
        )

    def forget(self) -> None:
        """See `Playing`; the twin keeps no runs."""

    def compare(
        self, old: str, new: str, trial: Trial, on_run: Callable[[int, int], None] = ignore_progress
    ) -> Verdict:
        """See `Playing`; a score that is already known is not played again."""
        scores = [self._score(version, trial, on_run) for version in (old, new)]
        return compare_scores(*scores, higher=trial.higher)

    def _score(self, version: str, trial: Trial, on_run: Callable[[int, int], None]) -> Score:
        first_seed, wanted = trial.first_seed + COMPARISON_SEED_OFFSET, self.runs
        for known in self.folder.about(version).scores:
            if (known.where, known.trial, known.first_seed, known.runs) == (
                "twin",
                trial.name,
                first_seed,
                wanted,
            ):
                return known
        done = 0

        def report(_: TwinRun) -> None:
            nonlocal done
            done += 1
            on_run(done, wanted)

        score = twin_trial(
            self.folder,
            version,
            trial=trial,
            runs=wanted,
            first_seed=first_seed,
            on_run=report,
            should_stop=self.should_stop,
        )
        self.folder.add_score(version, score)
        return score
