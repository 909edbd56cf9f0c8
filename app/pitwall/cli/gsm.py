"""`pitwall gsm`: game sense modules: what there is, training, improving, evaluating, and what drives."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pitwall.cli import gsm_evaluate, gsm_improve, gsm_promote, gsm_train
from pitwall.cli.gsm_options import ModuleArgument, module_folder, trainer_of
from pitwall.cli.gsm_text import newest, promotion_lines, score_text, version_lines
from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.terminal import say
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.gsm.measured import read_measured
from pitwall.gsm.versions import ModuleFolder

app = typer.Typer(
    help="Game sense modules: list, train, analyse, improve, evaluate, promote, roll back.",
    invoke_without_command=True,
)
app.command("train")(gsm_train.train)
app.command("pause")(gsm_train.pause)
app.command("resume")(gsm_train.resume)
app.command("stop")(gsm_train.stop)
app.command("analyse")(gsm_improve.analyse)
app.command("improve")(gsm_improve.improve)
app.command("check-reward")(gsm_improve.check_reward)
app.command("evaluate")(gsm_evaluate.evaluate)
app.command("measure")(gsm_evaluate.measure)
app.command("promote")(gsm_promote.promote)
app.command("rollback")(gsm_promote.rollback)


@app.callback()
def gsm(context: typer.Context, data: DataOption = None, json: JsonOption = False) -> None:
    """List the game sense modules there are."""
    if context.invoked_subcommand is None:
        list_modules(data=data, json=json)


@app.command("list")
def list_modules(
    game: Annotated[str, typer.Option("--game", help="Only this game's.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the game sense modules there are, and which version of each drives."""
    folder = data_folder(data)
    modules = [_summary(one) for one in _modules(folder, game)]
    if json:
        print_json(modules)
        return
    if not modules:
        say("There are no game sense modules: a game declares its own in plugin.toml, [[modules]].")
    for one in modules:
        training = f", {', '.join(one['training'])} trains now" if one["training"] else ""
        name = f"{one['game']}/{one['module']}"
        say(f"{name:24s} {one['drives'] or 'nothing':8s} drives, {len(one['versions'])} versions{training}")
        for text in one["scores_text"]:
            say(f"    {text}")


@app.command("show")
def show(
    module: ModuleArgument,
    version: Annotated[str, typer.Argument(help="Only this version.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a module: its versions, their scores, what drove when, what was measured."""
    folder = module_folder(data_folder(data), module)
    versions, faults = ([folder.about(version)], []) if version else folder.all()
    measured = read_measured(folder.root)
    if json:
        print_json(
            {
                **_summary(folder),
                "declared": folder.declared,
                "versions": versions,
                "folders": {one.version: str(folder.folder(one.version)) for one in versions},
                "promotions": folder.promoted().history,
                "measured": measured,
                "faults": [{"what": fault.what, "fix": fault.fix} for fault in faults],
            }
        )
        return
    say(f"{folder.name}: {folder.declared.description}".rstrip(": "))
    for line in version_lines(folder, versions):
        say(line)
    for line in promotion_lines(folder):
        say(line)
    for fault in faults:
        say(str(fault))
    if measured is not None:
        reaction = measured.reaction_ms
        if reaction.p50 is not None and reaction.p95 is not None:
            say(f"measured on this screen: pixel to key p50 {reaction.p50:.1f} ms, p95 {reaction.p95:.1f} ms")


def _modules(data: DataFolder, wanted: str) -> list[ModuleFolder]:
    registry = Registry(data)
    names = [wanted] if wanted else [one.game_id for one in registry.games() if not one.fault]
    games = [registry.load(name) for name in names]
    return [ModuleFolder(data, game, module.name) for game in games for module in game.profile.modules]


def _summary(folder: ModuleFolder) -> dict[str, Any]:
    versions, drives = folder.names(), folder.driving()
    scores = newest(folder.about(drives)) if drives else []
    return {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "description": folder.declared.description,
        "learns": folder.declared.learned is not None,
        "drives": drives,
        "versions": versions,
        "training": [one for one in versions if trainer_of(folder, one) is not None],
        "trials": [one.name for one in folder.declared.trials],
        "scores": scores,
        "scores_text": [score_text(one) for one in scores],
    }
