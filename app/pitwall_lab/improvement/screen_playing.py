"""Plays versions for the improve loop on the screen, where a module has no twin or the screen shall decide.

Finished runs are kept, so that an interrupted search or comparison goes on where it stopped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.core.quantities import duration_text
from pitwall.games.schema.modules import Trial
from pitwall.games.trust import require_trust
from pitwall.gsm.version_record import ABOUT, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import write_file
from pitwall_lab.analysis.comparison import Verdict, compare_scores
from pitwall_lab.analysis.figures import Play
from pitwall_lab.analysis.playthrough import FIRST_SEED
from pitwall_lab.game_trials.evaluation import evaluate_together
from pitwall_lab.game_trials.messages import PlayTrial, Screen, TrialRun
from pitwall_lab.game_trials.play_summary import play_of
from pitwall_lab.game_trials.results_log import TrialResultsLog
from pitwall_lab.game_trials.side_by_side import ScheduledRun, play_scheduled, screen_of, setup_of
from pitwall_lab.game_trials.truth import is_seeded, is_started
from pitwall_lab.improvement.playing import COMPARISON_SEED_OFFSET
from pitwall_lab.improvement.search_budget import SearchBudget, ignore_progress
from pitwall_lab.orders import EvaluationOrder

SCREEN_BUDGET = SearchBudget(candidates=8, runs=4, final_runs=8, finalists=1)
_WATCHED = 3
_CANDIDATE = "v1"
"""Name of changed rules in the sandbox of a run; they are no version of the module's folder."""


@dataclass(slots=True)
class ScreenPlaying:
    """Plays on virtual screens, or in an open window. A `Playing`.

    Args:
        runs: seeds of a comparison. parallel: runs side by side.
        seconds: longest run; 0: the trial's.
    """

    data: DataFolder
    folder: ModuleFolder
    runs: int
    parallel: int = 1
    seconds: float = 0.0
    should_stop: Callable[[], bool] = lambda: False
    budget: SearchBudget = SCREEN_BUDGET
    place: str = " on the screen"
    sees: bool = True
    _kept: set[Path] = field(default_factory=set)

    def plan(self, *, searches: bool, minutes: float = 0.0) -> str:
        """Describe in a sentence how many games an iteration plays.

        Args:
            searches: a search proposes, and plays its candidates.
            minutes: of play from which a new version learns; 0: it learns nothing there.
        """
        sides = "in the open window" if not is_started(self.folder.game) else "on virtual screens"
        alone = self.parallel == 1 or not is_started(self.folder.game)
        many = "one after the other" if alone else f"{self.parallel} side by side"
        longest = f", each at most {duration_text(self.seconds)}" if self.seconds else ""
        searched = f", at most {self.budget.games} to search" if searches else ""
        searched += f", {duration_text(60 * minutes)} to learn" if minutes else ""
        way = "on the same seeds" if is_seeded(self.folder.game) else "in turns"
        return (
            f"It plays {sides}, {many}{longest}: in each iteration {_WATCHED} games to analyse{searched}, "
            f"and {2 * self.runs} to compare both versions {way}."
        )

    def watch(self, about: VersionRecord, trial: Trial) -> Play:
        """See `Playing`."""
        seeds = range(FIRST_SEED, FIRST_SEED + _WATCHED)
        runs = self._played(about, self._shortened(trial), seeds, watched=True)
        return play_of(self.folder.game, runs)

    def try_changed(self, changed: VersionRecord, trial: Trial, *, runs: int, first_seed: int) -> list[float]:
        """See `Playing`."""
        seeds = range(first_seed, first_seed + runs)
        played = self._played(changed, self._shortened(trial), seeds, changed=True)
        return [run.score for run in played if run.score is not None]

    def forget(self) -> None:
        """See `Playing`."""
        for file in self._kept:
            file.unlink(missing_ok=True)
        self._kept.clear()

    def compare(
        self, old: str, new: str, trial: Trial, on_run: Callable[[int, int], None] = ignore_progress
    ) -> Verdict:
        """See `Playing`; both are played anew, in turns."""
        done = 0

        def report(_run: TrialRun, _kept: bool) -> None:
            nonlocal done
            done += 1
            on_run(done, 2 * self.runs)

        first_seed = trial.first_seed + COMPARISON_SEED_OFFSET
        scores = evaluate_together(
            self.data,
            self.folder,
            (old, new),
            EvaluationOrder(runs=self.runs, parallel=self.parallel, seeds_from=first_seed),
            trial=self._shortened(trial),
            on_run=report,
            should_stop=self.should_stop,
        )
        return compare_scores(*scores, higher=trial.higher, seeded=is_seeded(self.folder.game))

    def _shortened(self, trial: Trial) -> Trial:
        return trial.model_copy(update={"seconds": self.seconds}) if self.seconds else trial

    def _played(
        self,
        about: VersionRecord,
        trial: Trial,
        seeds: Sequence[int],
        *,
        watched: bool = False,
        changed: bool = False,
    ) -> list[TrialRun]:
        """Play a version, or changed rules that are no version yet, on these seeds."""
        require_trust(self.folder.game)
        screen = screen_of(self.folder.game, "own")
        log = TrialResultsLog(self.folder, about, trial, screen=screen, watched=watched)
        self._kept.add(log.file)
        with closing(log) as results, tempfile.TemporaryDirectory(prefix="pitwall-rules-") as place:
            name, files = (_CANDIDATE, Path(place)) if changed else (about.version, None)
            if changed:
                candidate = about.model_copy(update={"version": _CANDIDATE, "scores": ()})
                write_file(Path(place) / ABOUT, candidate.model_dump_json())
            self._play(results, trial, seeds, screen, name, files, watched=watched)
            return [results.runs[seed] for seed in seeds]

    def _play(
        self,
        results: TrialResultsLog,
        trial: Trial,
        seeds: Sequence[int],
        screen: Screen,
        name: str,
        files: Path | None,
        *,
        watched: bool,
    ) -> None:
        runs = [
            ScheduledRun(
                order=PlayTrial(
                    setup=setup_of(self.data, self.folder, name, trial.scenario, seed, screen, files),
                    trial=trial,
                    watched=watched,
                ),
                results=results,
            )
            for seed in seeds
        ]
        parallel = 1 if screen == "here" else self.parallel
        play_scheduled(self.data, runs, parallel, should_stop=self.should_stop)
