"""Conducts a study: plays, examines and answers; what is done is kept, so that a stopped study goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall_exam.answering.opening import open_answerer
from pitwall_exam.answering.session import all_answered, answer_sheet, same_answerer
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.folder import ExamFolder, KeptAnswers
from pitwall_exam.questions.paper import Exam
from pitwall_exam.study.plan import Episode, StudyPlan, spec_of
from pitwall_exam.study.playing import EpisodePlayer
from pitwall_exam.study.results import EmembenchResult, Sitting, results_of


@dataclass
class StudyConductor:
    """Conducts one study.

    Attributes:
        folder: of the study's own files; exams and answers lie where all exams lie.
        on_progress: called with what was done, the number of parts done, and of how many.
        workers, parallel: the Ray cluster that plays the episodes (see `ray_cluster.connect`); without
            workers they are played here, one after the other.
        runs: run of each episode that was played. unplayed: episode → why there is no exam about it.
    """

    plan: StudyPlan
    data: DataFolder
    folder: Path
    stopped: Callable[[], bool]
    on_progress: Callable[[str, int, int], None]
    workers: str = ""
    parallel: int = 1
    runs: dict[str, int] = field(default_factory=dict)
    unplayed: dict[str, str] = field(default_factory=dict)
    _done: int = 0

    def conduct(self) -> EmembenchResult:
        """Play and ask everything that is not there yet, and return the results so far."""
        sittings = list(self._sittings())
        return EmembenchResult(
            plan=self.plan,
            state="stopped" if self.stopped() else "done",
            runs=self.runs,
            unplayed=self.unplayed,
            sittings=results_of(sittings),
        )

    def _sittings(self) -> Iterator[Sitting]:
        player = EpisodePlayer(self.data, self.folder)
        if self.workers:
            player.play_ahead(
                self.workers, self.parallel, self.plan.episodes, self.stopped, self._tell_played
            )
        exams: list[tuple[Episode, int, Exam]] = []
        for episode in self.plan.episodes:
            exams += [(episode, horizon, exam) for horizon, exam in self._exams(player, episode)]
            if self.stopped():
                return
        for answerer in self.plan.answerers:
            for episode, horizon, exam in exams:
                if self.stopped():
                    return
                sitting = self._sit(answerer, episode, horizon, exam)
                if self.stopped() and len(sitting.answers.answers) < len(exam.questions):
                    return  # its marks would count what was not asked yet as wrong
                yield sitting

    def _exams(self, player: EpisodePlayer, episode: Episode) -> Iterator[tuple[int, Exam]]:
        """Play an episode and make its exams; an episode without an exam is noted with its cause."""
        try:
            run_id = player.run_of(episode, self.stopped)
            if run_id is None:
                return
            self.runs[episode.key] = run_id
            for horizon in self.plan.horizons:
                exam = exam_of_run(
                    self.data, run_id, horizon=horizon, per_template=self.plan.per_template
                ).exam
                ExamFolder(self.data, exam.exam_id).save(exam)
                yield horizon, exam
        except PitwallError as error:
            self.unplayed[episode.key] = error.what
        if not self.workers:
            self._tell_played(episode)

    def _tell_played(self, episode: Episode) -> None:
        self._progress(f"{episode.game}, {episode.agent}, seed {episode.seed}: played")

    def _sit(self, name: str, episode: Episode, horizon: int, exam: Exam) -> Sitting:
        """Let an answerer answer an exam, or take the answers that it gave before."""
        sheet, folder = exam.sheet(), ExamFolder(self.data, exam.exam_id)
        with open_answerer(spec_of(name, self.plan), self.data, sheet) as answerer:
            key, before = next(
                (pair for pair in folder.kept() if same_answerer(pair[1], answerer)), ("", None)
            )
            if before is None or not all_answered(before, answerer, sheet):
                keep = KeptAnswers(folder, key).keep
                before = answer_sheet(answerer, sheet, keep=keep, before=before, stopped=self.stopped)
        self._progress(f"{name} answered about {episode.key}")
        return Sitting(episode.game, episode.agent, horizon, name, exam, before)

    def _progress(self, text: str) -> None:
        self._done += 1
        episodes = len(self.plan.episodes)
        self.on_progress(
            text, self._done, episodes * (1 + len(self.plan.answerers) * len(self.plan.horizons))
        )
