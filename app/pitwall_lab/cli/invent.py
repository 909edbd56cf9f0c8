"""`pitwall gsm invent` and `remove`: modules that a game's author did not declare, if allowed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.bounded_reading import read_text
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.store.folder_errors import folder_error
from pitwall_lab.cli.arguments import ModuleArgument, game_and_module, training_packages

if TYPE_CHECKING:
    from pitwall.games.schema.invention import ProposedModule


def invent(
    game: Annotated[str, typer.Argument(help="The game that gets the module.")],
    by: Annotated[
        Literal["model", "operator"],
        typer.Option("--by", help="Who proposes: the evolution tier's model, or you."),
    ],
    module: Annotated[
        Path | None,
        typer.Option(
            "--module", help="Your module: JSON with name, description, ends, rules; judged_by, why."
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add a rule-based module that the game does not declare; gsm.invent_modules must be switched on.

    It is checked like a declared module, and saved in the data folder, at most three for a game.
    """
    from pitwall_lab.modules.inventing import invent as take_in
    from pitwall_lab.modules.inventing import require_invention_allowed

    folder = data_folder(data)
    settings, played = load_settings(folder.settings), Registry(folder).load(game)
    require_invention_allowed(folder, played, settings)
    if (by == "operator") != (module is not None):
        raise PitwallError(
            "--by operator needs your module." if by == "operator" else "--module is not for --by model.",
            "Give it: --by operator --module FILE.json",
        )
    if module is not None:
        invention = take_in(folder, played, _proposal(module), settings, by="operator", file=module.name)
    else:
        with training_packages():
            from pitwall_lab.improvement.module_invention import invent_by_model

            refused: list[str] = []
            invention = invent_by_model(folder, played, settings, on_refused=refused.append)
    name = f"{played.game_id}/{invention.module.name}"
    body = {"game": played.game_id, "module": invention.module.name, "invention": invention}
    lines = [
        f"{name} is added: {invention.module.description}",
        f"See it: pitwall gsm show {name}. Remove it: pitwall gsm remove {name}",
    ]
    Reporter(json).result(body, lines)


def remove(module: ModuleArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Remove an invented module with its versions; runs that it drove stay readable."""
    from pitwall_lab.modules.inventing import remove as take_out

    folder = data_folder(data)
    game, name = game_and_module(folder, module)
    aside = take_out(folder, game, name)
    body = {"game": game.game_id, "module": name, "removed": True, "kept_in": aside}
    line = f"{game.game_id}/{name} is removed. Its files are kept in {aside}"
    Reporter(json).result(body, [line])


def _proposal(file: Path) -> ProposedModule:
    """Read the operator's file; a file that is too long is refused unread."""
    from pitwall.games.schema.invention import MOST_BYTES, InventionRefused, read_proposal

    try:
        text = read_text(file, most_bytes=MOST_BYTES)
    except FileNotFoundError as error:
        raise folder_error(error, file) from error
    except DamagedFile as error:
        raise InventionRefused(error.what, "Name a JSON file of one small module.") from None
    return read_proposal(text, file.name)
