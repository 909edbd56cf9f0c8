"""`pitwall teach train` and `pitwall teach agent`: from a person's play to a module that plays like them."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.components.installation import install_missing
from pitwall.cli.options import DataOption, GameOption, JsonOption, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.reporter import Reporter
from pitwall.cli.teach.record import record_play, recorded
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import WATCHED_MODULE
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.components import can_install, component, missing_components
from pitwall.store.lease import holder_of
from pitwall_lab.cli.arguments import training_packages
from pitwall_lab.cli.clone import ALL, begun_clone
from pitwall_lab.cli.shadow import play_beside
from pitwall_lab.cli.training_run import detach_training, run_training, train_version
from pitwall_lab.modules.policy_probe import probe
from pitwall_lab.orders import TrainingOrder

NEEDED = ("recordings", "training", "reflexes")
"""Components that recording, training and playing a module need."""
SourceOption = Annotated[
    str, typer.Option("--from", help="Demonstrations to learn from: IDs with commas, or all of the game's.")
]
ModuleOption = Annotated[
    str, typer.Option("--module", help="Module that learns; default: the game's own, else a new one.")
]
LearningOption = Annotated[
    float | None, typer.Option("--learning-minutes", min=0.1, help="Longest training.")
]
ChangesOption = Annotated[
    list[str] | None, typer.Option("--set", help="KEY=VALUE of the training's recipe. Repeatable.")
]


def train(
    game: GameOption,
    source: SourceOption = ALL,
    module: ModuleOption = "",
    learning_minutes: LearningOption = None,
    changes: ChangesOption = None,
    pixels: Annotated[
        bool | None, typer.Option("--pixels/--fields", help="What it sees; default: fields if any.")
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Train in the background; it outlives this command.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Train a module that plays as you did; install first what training needs."""
    folder, report = data_folder(data), Reporter(json)
    order = TrainingOrder(
        source=source, minutes=learning_minutes, changes=tuple(changes or ()), pixels=pixels, detach=detach
    )
    begun, version = _begun(folder, Registry(folder).load(game), module, order, report)
    (detach_training if detach else run_training)(folder, begun, version, order, report)


def agent(
    game: GameOption,
    minutes: Annotated[float, typer.Option(min=0.01, help="Minutes that you play and are recorded.")] = 3.0,
    source: Annotated[
        str, typer.Option("--from", help="Learn from these demonstrations, and record nothing.")
    ] = "",
    beside_minutes: Annotated[
        float, typer.Option(min=0.05, help="Minutes beside the agent; it plays the rest once it has control.")
    ] = 3.0,
    grant_at: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Share of agreement that gives it control; default: the settings'."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Let it drive from now on, once it was given control.")
    ] = False,
    module: ModuleOption = "",
    learning_minutes: LearningOption = None,
    changes: ChangesOption = None,
    seed: options.SeedOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Teach an agent: record your play, train, play beside the agent, and give it control."""
    folder, report = data_folder(data), Reporter(json)
    settings = load_settings(folder.settings)
    known = Registry(folder).load(game)
    with screen_or_virtual():
        install_needed(folder, report)
        from pitwall.engine.replaying.replay import named_agent  # loads the engine

        kept = {}
        if not source:
            report.line(f"Play {known.profile.game.name} for {minutes:g} min; you are recorded.")
            start = commands.Start(seconds=minutes * 60, mode=commands.PlayMode.TEACH)
            opening = commands.Open(game=game, settings=settings, seed=seed)
            kept = recorded(record_play(folder, opening, start, report).taught)
            source = kept.get("demonstration", ALL)
        order = TrainingOrder(source=source, minutes=learning_minutes, changes=tuple(changes or ()))
        learned, lines = train_version(folder, *_begun(folder, known, module, order, report), order, report)
        version, known = learned["about"].version, Registry(folder).load(game)
        for line in lines:
            report.line(line)
        named = named_agent(f"{learned['module']}@{version}", known)
        opening = commands.Open(
            game=game, settings=named.settings(settings), seed=seed, modules={named.module: version}
        )
        share = settings.control.grant_at if grant_at is None else grant_at
        beside, result = play_beside(
            folder, opening, named, report, seconds=beside_minutes * 60, grant_at=share
        )
    played = beside.body(result)
    drives = bool(keep and played["granted"])
    if drives:
        _let_drive(folder, known, named.module, version, str(played["sentence"]))
    body = {"recorded": kept, "trained": learned, "beside": played, "version": version, "drives": drives}
    report.result(body, beside.lines())


def taught_module(game: Game) -> str:
    """Return the module that learns to play like a person: the first that can learn, else a new one."""
    return next((module.name for module in game.profile.modules if module.learned), WATCHED_MODULE)


def _begun(
    data: DataFolder, game: Game, module: str, order: TrainingOrder, report: Reporter
) -> tuple[ModuleFolder, str]:
    """Install what training needs, and create the version that is to be trained."""
    install_needed(data, report)
    name = module or taught_module(game)
    if order.pixels is None:
        order = order.model_copy(update={"start_from": _clone_that_drives(data, game, name)})
    with training_packages():
        import pitwall_lab.cloning.clone  # noqa: F401  # a missing torch shows before a version is begun

        return begun_clone(data, f"{game.reference}/{name}", order)


def _clone_that_drives(data: DataFolder, game: Game, module: str) -> str:
    """Return the version that drives if it was cloned, too: the new version is compared with it."""
    if all(known.name != module for known in game.profile.modules):
        return ""
    folder = ModuleFolder(data, game, module)
    version = folder.driving()
    return version if version and isinstance(folder.about(version).learned, ClonedSpace) else ""


def install_needed(data: DataFolder, report: Reporter) -> None:
    """Install the missing components that teaching needs, where components can be installed."""
    if not missing_components(NEEDED) or not can_install():
        return
    work = install_missing(
        NEEDED,
        lambda done, of, doing: report.progress(done, of, doing, doing=doing, stage="install"),
        beside_play=holder_of(data.lease) is not None,
    )
    report.end_progress()
    for key, error in work.failed.items():
        raise PitwallError(f"{component(key).title} could not be installed: {error.what}", error.fix)


def _let_drive(data: DataFolder, game: Game, module: str, version: str, sentence: str) -> None:
    folder = ModuleFolder(data, game, module)
    probe(data, folder, version)
    folder.promote(version, why=f"Given control beside a person: {version} {sentence}")
