"""`pitwall gsm`: lists, trains, improves, evaluates and promotes game sense modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.games.invented_modules import damaged_inventions
from pitwall.games.registry import Registry
from pitwall.gsm.packaged_agents import PackagedAgent, packaged_agents
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli import (
    add_policy,
    design,
    evaluate,
    improve,
    invent,
    parameter_table,
    promote,
    steering,
    train,
    trust,
)
from pitwall_lab.cli.arguments import ModuleArgument, module_folder, trainer_of
from pitwall_lab.cli.format import (
    invention_lines,
    invention_of,
    newest,
    promotion_lines,
    score_text,
    version_lines,
)
from pitwall_lab.modules.screen_measurement import read_measured
from pitwall_lab.modules.taking_in import offered


def list_modules(
    game: Annotated[str, typer.Option("--game", help="Only this game's.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the game sense modules, and the version that drives each."""
    folder = data_folder(data)
    agents, faults = packaged_agents()
    modules = [_summary(module, agents) for module in _modules(folder, game)]
    none = ["There are no game sense modules: a game declares its own in plugin.toml, [[modules]]."]
    lines = [line for module in modules for line in _module_lines(module)] or none
    Reporter(json).result(modules, [*map(str, [*_damaged(folder, game), *faults]), *lines])


def _module_lines(module: Mapping[str, Any]) -> Iterator[str]:
    training = f", {', '.join(module['training'])} trains now" if module["training"] else ""
    name, drives = f"{module['game']}/{module['module']}", module["drives"] or "nothing"
    versions = counted(len(module["versions"]), "version")
    yield f"{name:24s} {drives:8s} drives, {versions}{training}{_origin(module)}"
    for text in module["scores_text"]:
        yield f"    {text}"
    for agent in module["agents"]:
        state = f"is {agent['version']}" if agent["version"] else agent["fix"]
        yield f"    {agent['title']}: {state}"


def show(
    module: ModuleArgument,
    version: Annotated[str, typer.Argument(help="Only this version.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a module: its versions and scores, past promotions, measurements."""
    folder = module_folder(data_folder(data), module, resting=True)
    versions, faults = ([folder.about(version)], []) if version else folder.all()
    measured = read_measured(folder.root)
    body = {
        **_summary(folder, packaged_agents()[0]),
        "declared": folder.declared,
        "prompt": folder.invented.invention.prompt if folder.invented is not None else "",
        "versions": versions,
        "folders": {about.version: str(folder.folder(about.version)) for about in versions},
        "promotions": folder.promoted().history,
        "measured": measured,
        "faults": [{"what": fault.what, "fix": fault.fix} for fault in faults],
    }
    lines = [
        f"{folder.name}: {folder.declared.description}".rstrip(": "),
        *invention_lines(folder),
        *version_lines(folder, versions),
        *promotion_lines(folder),
        *map(str, faults),
    ]
    reaction = measured.reaction_ms if measured is not None else None
    if reaction is not None and reaction.p50 is not None and reaction.p95 is not None:
        figures = f"p50 {reaction.p50:.1f} ms, p95 {reaction.p95:.1f} ms"
        lines.append(f"measured on this screen: pixel to key {figures}")
    Reporter(json).result(body, lines)


def _modules(data: DataFolder, wanted: str) -> list[ModuleFolder]:
    registry = Registry(data)
    names = [wanted] if wanted else [entry.game_id for entry in registry.games() if not entry.fault]
    games = [registry.load(name) for name in names]
    return [ModuleFolder(data, game, name, resting=True) for game in games for name in game.module_names]


def _damaged(data: DataFolder, wanted: str) -> list[PitwallError]:
    """Return the faults of inventions that cannot be listed."""
    games = [wanted] if wanted else sorted(path.name for path in data.modules.glob("*"))
    return [fault for game in games for fault in damaged_inventions(data, game)]


def _summary(folder: ModuleFolder, agents: Sequence[PackagedAgent]) -> dict[str, Any]:
    versions, drives = folder.names(), folder.driving()
    scores = newest(folder.about(drives)) if drives else []
    return {
        "game": folder.game.game_id,
        "module": folder.declared.name,
        "description": folder.declared.description,
        "invented": invention_of(folder),
        "learns": folder.declared.learned is not None,
        "drives": drives,
        "versions": versions,
        "training": [version for version in versions if trainer_of(folder, version) is not None],
        "trials": [trial.name for trial in folder.declared.trials],
        "agents": [
            {"name": agent.name, "title": agent.title, "version": version, "fix": agent.how_to_trust}
            for agent, version in offered(folder, agents).values()
        ],
        "scores": scores,
        "scores_text": [score_text(score) for score in scores],
    }


def _origin(module: Mapping[str, Any]) -> str:
    of = module["invented"]
    return f"; invented by {of['author']}{'' if of['in_force'] else ', at rest'}" if of else ""


app = command_group(
    "Game sense modules: list, train, analyse, improve, invent, evaluate, promote, roll back.",
    list_modules,
    *(show, parameter_table.table, train.train, steering.pause, steering.resume, steering.stop),
    *(improve.analyse, improve.improve, improve.check_reward, invent.invent, invent.remove),
    *(design.design, add_policy.add_policy, trust.trust),
    *(evaluate.evaluate, evaluate.measure, promote.promote, promote.rollback),
)
