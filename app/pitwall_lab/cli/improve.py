"""`pitwall gsm analyse`, `check-reward` and `improve`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.schema.modules import Trial
from pitwall.gsm.training_log import Line, State
from pitwall.gsm.version_record import Score
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, training_packages

if TYPE_CHECKING:
    from pitwall_lab.improvement.loop import LoopProgress
    from pitwall_lab.improvement.proposers import Proposer

Author = Literal["model", "operator", "rules"]
_SCREEN_RUNS = 20
_SAMPLES = 500


def analyse(
    module: ModuleArgument,
    version: Annotated[str, typer.Argument(help="Default: the version that drives.")] = "",
    play: Annotated[
        bool | None,
        typer.Option(
            "--play/--no-play",
            help="Also execute it on its twin: what it does, and trends within an episode. Default: where it "
            "has a twin and no training of its own to show.",
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Analyse a version's training: actions, reward parts, states, stability, regressions."""
    folder = module_folder(data_folder(data), module)
    named = version or folder.driving()
    with training_packages(), stop_requested() as stopping:
        from pitwall_lab.analysis.analyser import analyse as analysed

        analysis = analysed(folder, named)
        if play or (play is None and not analysis.points and _can_play(folder)):
            from pitwall_lab.analysis.playthrough import play_version

            played = play_version(folder, folder.about(named), _trial_of(folder), should_stop=stopping)
            analysis = analysed(folder, named, play=played)
    text = analysis.text()
    Reporter(json).result({**analysis.model_dump(mode="json"), "text": text}, [text])


def _can_play(folder: ModuleFolder) -> bool:
    space = folder.declared.judged_in
    return bool(space is not None and space.twin and folder.declared.trials)


def _trial_of(folder: ModuleFolder) -> Trial:
    """Return the trial for playing: the module's first."""
    for trial in folder.declared.trials:
        return trial
    raise PitwallError(
        f"{folder.name} has no trial to play.", "Declare one in its plugin.toml: [[modules.trials]]."
    )


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
        text = _text(source)
        result = check(text, sample_transitions(folder, about, count=_SAMPLES), name=source.name)
    lines = [result.sentence]
    if result.passed:
        lines.append(f"rewards {result.low:.3g} … {result.high:.3g}, mean {result.mean:.3g}")
    Reporter(json).result(result, [*lines, *result.warnings])
    if not result.passed and not json:
        raise typer.Exit(1)


def improve(
    module: ModuleArgument,
    by: Annotated[
        Author, typer.Option("--by", help="Who proposes: the evolution tier's model, you, or fixed rules.")
    ],
    change: Annotated[
        list[Path] | None,
        typer.Option("--change", help="Your change: a reward function (.py) or JSON. Repeatable."),
    ] = None,
    source: Annotated[
        str, typer.Option("--from", help="Version to begin from; default: the driving version.")
    ] = "",
    iterations: Annotated[int, typer.Option(min=1, max=3, help="Most tries.")] = 3,
    trial: Annotated[str, typer.Option(help="The trial that decides; default: the first.")] = "",
    runs: Annotated[int, typer.Option(min=5, max=1_000, help="Held-out seeds of a comparison.")] = 60,
    screen: Annotated[
        bool, typer.Option("--screen", help="Compare on the screen as well; then that decides.")
    ] = False,
    parallel: Annotated[int, typer.Option(min=1, max=16, help="Runs side by side on the screen.")] = 1,
    steps: Annotated[int, typer.Option(min=0, help="Steps of each training; 0: the recipe's.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of search and training.")] = 0,
    workers: Annotated[int, typer.Option(min=0, max=256, help="Processes for the twins.")] = 0,
    ray: Annotated[str, typer.Option(help="Address of a Ray cluster that runs the twins.")] = "",
    detector: Annotated[str, typer.Option(help="Let the model propose this detector's labels.")] = "",
    only_propose: Annotated[
        bool,
        typer.Option(
            "--only-propose", help="Stop after the first checked proposal, which waits as a version."
        ),
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Improve a module: analyse it, propose, check, train and compare a change, keep it or roll it back.

    An interrupted loop resumes. Nothing is promoted.
    """
    folder_of_data = data_folder(data)
    folder = module_folder(folder_of_data, module)
    report = Reporter(json)
    progress = _LoopReport(report)
    with training_packages(), stop_requested() as stopping:
        from pitwall_lab.improvement.loop import ImprovementTerms
        from pitwall_lab.improvement.loop import improve as improved

        terms = ImprovementTerms(
            iterations=iterations,
            trial=trial,
            runs=runs,
            steps=steps,
            seed=seed,
            workers=workers,
            ray=ray,
            screen=_on_screen(folder_of_data, folder, trial, parallel, stopping) if screen else None,
            only_propose=only_propose,
        )
        with _proposer(folder_of_data, by, change or [], detector, seed) as propose:
            result = improved(
                folder_of_data,
                folder.game,
                folder.declared.name,
                propose,
                start=source,
                terms=terms,
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
def _proposer(
    data: DataFolder, by: Author, change: Sequence[Path], detector: str, seed: int
) -> Iterator[Proposer]:
    from pitwall_lab.improvement import proposers as proposing
    from pitwall_lab.improvement.changes import read_change

    if (by == "operator") != bool(change):
        raise PitwallError(
            "--by operator needs your change." if by == "operator" else f"--change is not for --by {by}.",
            "Give it: --by operator --change FILE",
        )
    if by == "model":
        with proposing.by_model(data, load_settings(data.settings), detector=detector) as propose:
            yield propose
    elif by == "rules":
        yield proposing.by_rules(seed=seed)
    else:
        yield proposing.by_operator(*(read_change(file) for file in change))


def _on_screen(
    data: DataFolder, folder: ModuleFolder, trial: str, parallel: int, stopping: Callable[[], bool]
) -> Callable[[str], Score]:
    """Return a function that plays a version on the screen, on seeds used by no training or evaluation."""
    from pitwall_lab.game_trials.evaluation import evaluate, trial_of
    from pitwall_lab.improvement.loop import COMPARISON_SEED_OFFSET

    first_seed = trial_of(folder.game, folder.declared.name, trial).first_seed + COMPARISON_SEED_OFFSET

    def play(version: str) -> Score:
        return evaluate(
            data,
            folder.game,
            folder.declared.name,
            version,
            trial=trial,
            runs=_SCREEN_RUNS,
            parallel=parallel,
            first_seed=first_seed,
            should_stop=stopping,
        )

    return play


def _own_reward(folder: ModuleFolder, version: str) -> Path:
    """Return the file of a version's reward function; without a version the manifest's."""
    learned = folder.declared.learned
    if version:
        return folder.folder(version) / "reward.py"
    if learned is None:
        raise PitwallError(f"{folder.name} learns nothing: it has no reward function.", "Name a file.")
    return folder.game.folder / learned.reward


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PitwallError(f"{file} cannot be read: {error}.", "Name a Python file.") from None
