"""`pitwall games add-gym`: turns Gymnasium environments into games with a window."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.games.drafting.folder import GameThere


def add_gym(
    envs: Annotated[
        list[str] | None, typer.Argument(metavar="ID…", help="Registered ids, like ALE/Pong-v5 or MODULE:ID.")
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option("--all", help="Every environment of ALE, MiniGrid, BabyAI or MiniWoB. Repeatable."),
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace games that exist already.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Turn Gymnasium environments into games: window, keys, tasks, and a true state for evaluators."""
    try:
        from pitwall_environments.gym.environment import ids_of
        from pitwall_environments.gym.miniwob import FAMILY, page_ids
        from pitwall_environments.gym.profile import add_environment
    except ModuleNotFoundError as error:
        raise PitwallError(f"{error.name} is not installed.", "Install it: installer/extra gym") from None
    folder, report = data_folder(data), Reporter(json)
    wanted = [
        *(envs or []),
        *(
            env_id
            for name in family or []
            for env_id in (page_ids() if name.casefold() == FAMILY else ids_of(name))
        ),
    ]
    if not wanted:
        raise PitwallError("no environment is named.", "Give its id, like ALE/Pong-v5, or --all ALE.")
    added, failed = {}, {}
    for i, env_id in enumerate(wanted):
        report.progress(i, len(wanted), env_id)
        try:
            added[env_id] = add_environment(folder, env_id, replace=replace)
        except GameThere as error:
            if not family:
                raise
            failed[env_id] = error.what
        except PitwallError as error:
            if len(wanted) == 1:
                raise
            failed[env_id] = str(error)
    lines = [f"{env_id}: {path.name}" for env_id, path in added.items()]
    lines += [f"{env_id} was not added: {why}" for env_id, why in failed.items()]
    report.result({"added": {env_id: path.name for env_id, path in added.items()}, "failed": failed}, lines)
    if failed and not added:
        raise typer.Exit(1)
