"""`pitwall gsm train`: trains a version in its twin, from live play or from demonstrations."""

from __future__ import annotations

from typing import Any

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.order_command import order_command
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.arguments import (
    ModuleArgument,
    module_folder,
    read_source,
    trainer_of,
    training_packages,
)
from pitwall_lab.cli.clone import begun_clone
from pitwall_lab.cli.recipe_arguments import changed_recipe
from pitwall_lab.cli.training_run import detach_training, play_first, run_training
from pitwall_lab.modules.screen_measurement import read_measured
from pitwall_lab.orders import TrainingOrder


@order_command
def train(
    module: ModuleArgument, order: TrainingOrder, data: DataOption = None, json: JsonOption = False
) -> None:
    """Train a version in its twin, from live play, or from demonstrations. Ctrl+C stops, --resume goes on."""
    folder_of_data, report = data_folder(data), Reporter(json)
    _check(order)
    with training_packages():
        import pitwall_lab.training.train  # noqa: F401  # a missing torch shows before a version is begun

        if order.clones:
            folder, version = begun_clone(folder_of_data, module, order)
        else:
            folder = module_folder(folder_of_data, module)
            if order.minutes is not None and not order.drives:
                play_first(folder_of_data, folder, order.minutes, order.seed, report)
            version = _resumed(folder, order) if order.resume else _begun(folder, order)
        (detach_training if order.detach else run_training)(folder_of_data, folder, version, order, report)


def _check(order: TrainingOrder) -> None:
    """Refuse options that do not go together."""
    if order.clones:
        if (
            any((order.resume, order.live, order.follow, order.run, order.ray, order.workers, order.measured))
            or order.reward is not None
        ):
            raise PitwallError(
                "--from with demonstrations takes no twin, no runs and no reward.",
                "Use it with --start-from, --pixels or --fields, --minutes, --set, --seed, --detach.",
            )
    elif order.start_from or order.pixels is not None:
        raise PitwallError(
            "--start-from, --pixels and --fields belong to demonstrations.", "Name some: --from all"
        )
    elif order.minutes is not None and not order.drives and (not order.live or order.detach):
        raise PitwallError(
            "--minutes is a time of play to learn from.", "Add --live, and leave out --detach: it plays here."
        )


def _begun(folder: ModuleFolder, order: TrainingOrder) -> str:
    """Create the folder of a new version; return its name."""
    from pitwall_lab.training.new_version import begin_version

    changes = _recipe(folder, order)
    reward = read_source(order.reward) if order.reward is not None else None
    return begin_version(
        folder, parent=order.source, reward=reward, changes=changes, title=order.title, why=order.why
    ).version


def _recipe(folder: ModuleFolder, order: TrainingOrder) -> dict[str, Any]:
    learned = folder.declared.learned
    if learned is None:
        raise PitwallError(
            f"{folder.name} learns nothing: it has only rules.",
            "Declare [modules.learned] in the game's plugin.toml.",
        )
    recipe = (folder.about(order.source).recipe if order.source else None) or learned.training
    if not order.measured:
        return changed_recipe(recipe, order.changes)
    measurement = read_measured(folder.root)
    if measurement is None:
        raise PitwallError(
            f"nothing was measured of {folder.name}.", f"Run: pitwall gsm measure {folder.name}"
        )
    return changed_recipe(recipe, order.changes, measurement.recipe())


def _resumed(folder: ModuleFolder, order: TrainingOrder) -> str:
    """Check that a version's training can resume unchanged; return its name."""
    version = order.resume
    if folder.about(version).explore is not None and not order.drives:
        raise PitwallError(
            f"{folder.name} {version} learns by playing the game.",
            f"Go on: pitwall learn --game {folder.game.reference} --module {folder.declared.name}",
        )
    if any((order.source, order.changes, order.measured, order.reward, order.title, order.why)):
        raise PitwallError(
            f"--resume continues {version} unchanged: it takes no other changes.",
            f"Begin another from it: pitwall gsm train {folder.name} --from {version}",
        )
    holder = trainer_of(folder, version)
    if holder is not None:
        raise PitwallError(
            f"{folder.name} {version} is being trained by {holder}.",
            f"Steer it: pitwall gsm pause|resume|stop {folder.name} {version}",
        )
    return version
