"""`pitwall gsm design`: designs a module for a task in words, shows or takes a design, trains it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.invented_modules import INVENTED
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import Game
from pitwall_lab.cli.arguments import training_packages
from pitwall_lab.design.document import Design, check_design, design_file, read_design, save_design

NAME = "designed"
"""Name of a designed module without --name."""


def design(
    game: Annotated[str, typer.Argument(help="The game that gets the module.")],
    task: Annotated[str, typer.Option("--task", help="What it shall do, in words.")] = "",
    name: Annotated[str, typer.Option("--name", help="Name of the module.")] = NAME,
    by: Annotated[
        Literal["search", "model"],
        typer.Option("--by", help="Who designs: a search, or a model that also writes rules to begin with."),
    ] = "search",
    file: Annotated[
        Path | None, typer.Option("--file", help="Take this design, which you edited, in place of a new one.")
    ] = None,
    train: Annotated[
        float | None, typer.Option("--train", help="Then train it for so many minutes.", min=0.1, max=1_440)
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Choose state, actions, first reward and kind of a module, with reasons. It drives once it is promoted.

    Without --task and --file it shows the design that there is.
    """
    folder, report = data_folder(data), Reporter(json)
    if task and file is not None:
        raise PitwallError("--task and --file are both given.", "Give a task for a new design, or a file.")
    played = Registry(folder).load(game)
    with training_packages():
        if task:
            made = _designed(folder, played, task, name, by, report)
        else:
            made = read_design(file or design_file(folder, played.game_id, name), played)
            made = made if file is None else made.model_copy(update={"by": "operator"})
    if task or file is not None:
        kept = _save(folder, played, made)
    else:
        kept = design_file(folder, played.game_id, made.name)
    if train is None:
        body = {"design": made, "file": kept, "trained": None}
        report.result(body, [*_lines(made), *_next(played, made, kept)])
        return
    from pitwall_lab.cli.learn import learned
    from pitwall_lab.orders import LearnOrder

    for line in _lines(made):
        report.line(line)
    order = LearnOrder(game=played.reference, module=made.name, minutes=train, fresh=bool(task or file))
    answer, lines = learned(order, folder, report)
    report.result({"design": made, "file": kept, "trained": answer}, lines)


def _designed(folder: DataFolder, game: Game, task: str, name: str, by: str, report: Reporter) -> Design:
    """Make a design; a game without recorded play is played for a moment first."""
    from pitwall_lab.cli.learn import look_at
    from pitwall_lab.design.search import LEAST_STEPS, RecordedPlay, search_design

    if len(RecordedPlay(folder, game).steps) < LEAST_STEPS:
        report.line("There is no recorded play of it yet: the default agent plays for a moment.")
        look_at(folder, game.reference)
    made = search_design(folder, game, task, name)
    if by == "model":
        from pitwall_lab.design.by_model import with_rules

        made = with_rules(folder, game, load_settings(folder.settings), made, on_refused=report.line)
    return made


def _save(folder: DataFolder, game: Game, made: Design) -> Path:
    """Check a design and keep it.

    Raises:
        PitwallError: the name is that of another module, or the design does not fit the game.
    """
    file = design_file(folder, game.game_id, made.name)
    declared = {module.name for module in game.profile.modules}
    if (made.name in declared and not file.is_file()) or (file.parent / INVENTED).is_file():
        raise PitwallError(
            f"{game.game_id} has a module {made.name!r} that was not designed.", "Give another --name."
        )
    check_design(made, game, str(file))
    return save_design(folder, made)


def _lines(made: Design) -> Iterator[str]:
    yield f"{made.game}/{made.name} for: {made.task}"
    sees = [f"{entry.field} − {entry.minus}" if entry.minus else entry.field for entry in made.state]
    sees += [f"pictures {made.vision.width}×{made.vision.height}"] if made.vision is not None else []
    parts: dict[str, Any] = {
        "kind": made.kind,
        "state": ", ".join(sees),
        "actions": ", ".join(text or "nothing" for text in made.actions),
        "period": f"{made.decide_every_ms:g} ms" if made.decide_every_ms else "every frame",
        "reward": "see the file",
    }
    parts |= {"rules": f"{len(made.rules)} to begin with"} if made.rules else {}
    for part, text in parts.items():
        reason = made.reasons.get(part, "")
        yield f"  {part:8s} {text}" + (f" — {reason}" if reason else "")
    for entry in made.weighed:
        figure = "" if entry.figure is None else f" {entry.figure:g} {entry.unit}"
        yield f"  {'*' if entry.chosen else ' '} {entry.part}: {entry.name}{figure}"


def _next(game: Game, made: Design, kept: Path) -> Iterator[str]:
    name = "" if made.name == NAME else f" --name {made.name}"
    yield f"Read and edit it: {kept}"
    yield f"Take what you edited: pitwall gsm design {game.reference} --file {kept}"
    yield f"Train it: pitwall gsm design {game.reference}{name} --train 15"
    yield f"It drives nothing until you promote a version: pitwall gsm promote {game.game_id}/{made.name}"
