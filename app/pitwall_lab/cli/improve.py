"""`pitwall gsm analyse`, `check-reward` and `improve`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.order_command import order_command
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.container_limits import processors
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, read_source, training_packages
from pitwall_lab.orders import ImproveOrder
from pitwall_lab.training_log import Line, State
from pitwall_lab.trials.default_trial import has_twin, with_trials

if TYPE_CHECKING:
    from pitwall_lab.analysis.figures import Play
    from pitwall_lab.improvement.proposers import Proposer
    from pitwall_lab.improvement.records import LoopProgress
    from pitwall_lab.improvement.screen_playing import ScreenPlaying

_SAMPLES = 500


def analyse(
    module: ModuleArgument,
    version: Annotated[str, typer.Argument(help="Default: the version that drives.")] = "",
    play: Annotated[
        bool | None,
        typer.Option(
            "--play/--no-play",
            help="Also execute it on its twin, else on the screen: what it does, and trends within an "
            "episode. Default: where it has a twin and no training of its own to show.",
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Analyse a version's training: actions, reward parts, states, stability, regressions."""
    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    named = version or folder.driving()
    with training_packages(), stop_requested() as stopping:
        from pitwall_lab.analysis.analyser import analyse as analysed

        analysis = analysed(folder, named)
        if play or (play is None and not analysis.points and _can_play(folder)):
            played = _played(folder_of_data, folder, named, stopping)
            analysis = analysed(folder, named, play=played)
    text = analysis.text()
    Reporter(json).result({**analysis.model_dump(mode="json"), "text": text}, [text])


def _can_play(folder: ModuleFolder) -> bool:
    return has_twin(folder.declared) and bool(folder.declared.trials)


def _played(data: DataFolder, folder: ModuleFolder, version: str, stopping: Callable[[], bool]) -> Play:
    """Play a version in its twin, else on the screen."""
    from pitwall_lab.improvement.playing import TwinPlaying
    from pitwall_lab.improvement.screen_playing import ScreenPlaying
    from pitwall_lab.trials.twin_trials import trial_named

    trial = trial_named(with_trials(folder.game, folder.declared), "")
    about = folder.about(version)
    if has_twin(folder.declared):
        return TwinPlaying(folder, runs=0, should_stop=stopping).watch(about, trial)
    screen = ScreenPlaying(data, folder, runs=0, should_stop=stopping)
    try:
        return screen.watch(about, trial)
    finally:
        screen.forget()


def check_reward(
    module: ModuleArgument,
    file: Annotated[Path | None, typer.Argument(help="Default: the version's own.")] = None,
    version: Annotated[
        str, typer.Option("--version", help="The version whose space is used; default: the manifest's.")
    ] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Try a reward function in its sandbox, on transitions of a random player in the twin.

    The exit status is 1 if it may not be used for training; with --json the answer says so, and the status is
    0.
    """
    folder = module_folder(data_folder(data), module)
    about = folder.about(version) if version else None
    with training_packages():
        from pitwall_lab.analysis.playthrough import sample_transitions
        from pitwall_lab.rewards.reward_function import check

        source = file or _own_reward(folder, version)
        text = read_source(source)
        result = check(text, sample_transitions(folder, about, count=_SAMPLES), name=source.name)
    lines = [result.sentence]
    if result.passed:
        lines.append(f"rewards {result.low:.3g} … {result.high:.3g}, mean {result.mean:.3g}")
    Reporter(json).result(result, [*lines, *result.warnings])
    if not result.passed and not json:
        raise typer.Exit(1)


@order_command
def improve(
    module: ModuleArgument, order: ImproveOrder, data: DataOption = None, json: JsonOption = False
) -> None:
    """Improve a module: analyse it, propose, check, train and compare a change, keep it or roll it back.

    An interrupted loop resumes. Nothing is promoted.
    """
    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    report = Reporter(json)
    progress = _LoopReport(report)
    with training_packages(), stop_requested() as stopping, _proposer(folder_of_data, order) as propose:
        from pitwall_lab.improvement.loop import improve as improved

        screen = None
        if order.screen or not has_twin(folder.declared):
            screen = _on_screen(folder_of_data, folder, order, stopping)
            alone, learns = not has_twin(folder.declared), not folder.declared.rules
            searches = order.by == "rules" and not learns
            plan = screen.plan(searches=alone and searches, minutes=order.minutes if alone and learns else 0)
            report.event({"doing": plan}, plan)
        result = improved(
            folder_of_data,
            folder,
            propose,
            start=order.source,
            terms=order,
            screen=screen,
            on_step=progress.step,
            on_line=progress.line,
            should_stop=stopping,
        )
    attempts = [
        f"{made.version}: {made.title or 'a change'} by {made.by}: {made.standing}. {made.note}".rstrip()
        for made in result.attempts
    ]
    end = f"{result.best} is the best version; the loop began from {result.began}. {result.sentence}"
    report.result(result, [*attempts, end.rstrip()])


class _LoopReport:
    """Reports the steps of the improve loop and its training."""

    def __init__(self, report: Reporter) -> None:
        self._report = report
        self._of = 0

    def step(self, step: LoopProgress) -> None:
        """Report a step of the loop."""
        doing = f"Iteration {step.iteration}: {step.text}"
        body = {"progress": step.done, "of": step.of, "doing": doing, "step": step}
        self._report.event(body, *([] if step.done else [doing]))

    def line(self, line: Line) -> None:
        """Report a line of the training's log."""
        if isinstance(line, State):
            self._of = line.steps
        self._report.progress(
            min(line.step, self._of), self._of, f"training: step {line.step:,} of {self._of:,}"
        )


@contextlib.contextmanager
def _proposer(data: DataFolder, order: ImproveOrder) -> Iterator[Proposer]:
    from pitwall_lab.improvement import proposers as proposing
    from pitwall_lab.improvement.changes import read_change

    if (order.by == "operator") != bool(order.change):
        raise PitwallError(
            "--by operator needs your change."
            if order.by == "operator"
            else f"--change is not for --by {order.by}.",
            "Give it: --by operator --change FILE",
        )
    if order.by == "model":
        with proposing.by_model(data, load_settings(data.settings), detector=order.detector) as propose:
            yield propose
    elif order.by == "rules":
        yield proposing.by_rules(seed=order.seed)
    else:
        yield proposing.by_operator(*map(read_change, order.change))


def _on_screen(
    data: DataFolder, folder: ModuleFolder, order: ImproveOrder, stopping: Callable[[], bool]
) -> ScreenPlaying:
    """Return the screen to play on, with the budget of the order."""
    from pitwall_lab.improvement.screen_playing import ScreenPlaying

    playing = ScreenPlaying(
        data,
        folder,
        runs=order.screen_runs,
        parallel=order.parallel or max(1, processors() // 2),
        seconds=order.seconds,
        should_stop=stopping,
    )
    playing.budget = playing.budget.changed(order.candidates, order.candidate_runs)
    return playing


def _own_reward(folder: ModuleFolder, version: str) -> Path:
    """Return the file of a version's reward function; without a version the manifest's."""
    learned = folder.declared.learned
    if version:
        return folder.folder(version) / "reward.py"
    if learned is None:
        raise PitwallError(f"{folder.name} learns nothing: it has no reward function.", "Name a file.")
    return folder.game.folder / learned.reward
