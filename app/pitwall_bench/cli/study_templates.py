"""`pitwall study templates`: has a model fill five templates of skills for a game (Mode B)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Message
from pitwall.games.registry import Registry
from pitwall.memory.prompt.skills import skill_sentence
from pitwall.models.entry import ModelEntry
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed
from pitwall.models.registry import ModelRegistry
from pitwall_bench.study.templates import FilledTemplates, fill_templates, library_lock, write_templates

_TOKENS = 512
_DEADLINE_MS = 120_000


def templates(
    game: Annotated[str, typer.Argument(help="Id of the game.")],
    model: Annotated[str, typer.Option(help="The model that fills them.")],
    role: Annotated[str, typer.Option(help="A role of the game; default: its first.")] = "",
    out: Annotated[Path | None, typer.Option(help="The memory's file; default: in the data folder.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Fill five templates of skills for a game by a model, as a memory that suites begin with."""
    folder = data_folder(data)
    file = out or folder.suites / f"templates-{game}-{model}.jsonl"
    filled, content_hash = filled_templates(folder, game, model, file, role=role)
    body = {"file": file, "content_hash": content_hash, "skills": filled.skills, "problems": filled.problems}
    lines = [f"{skill.name}: {skill_sentence(skill)}" for skill in filled.skills]
    lines += [f"Not filled: {problem}" for problem in filled.problems]
    Reporter(json).result(body, [*lines, f"{file}; in a suite: memory: {file.name}"])


def filled_templates(
    folder: DataFolder, game: str, model: str, file: Path, *, role: str = "", instruction: str = ""
) -> tuple[FilledTemplates, str]:
    """Ask a model for each template, and write what it filled; return it with the memory's hash.

    Raises:
        PitwallError: the model writes no text, or filled none. DataFolderError: another process fills those
            of the game.
    """
    loaded, entry = Registry(folder).load(game), ModelRegistry(folder).get(model)
    if why := entry.spec.no_text:
        raise PitwallError(f"{model} fills no templates: {why}", "Choose a model that writes.")
    with library_lock(folder, loaded.game_id), HostClient(folder.logs, data=folder.root) as client:
        ask = partial(_asked, client, entry)
        filled = fill_templates(loaded, model, ask, role=role, instruction=instruction)
        if not filled.skills:
            raise PitwallError(f"{model} filled no template: {filled.problems[0]}", "Choose another model.")
        return filled, write_templates(loaded, filled, model, file)


def _asked(client: HostClient, entry: ModelEntry, messages: Sequence[Message], shape: Shape) -> str:
    request = Complete(
        request_id=client.number(),
        model=entry.spec,
        messages=tuple(messages),
        slot="templates",
        grammar=shape.grammar,
        schema=shape.schema,
        max_tokens=_TOKENS,
        deadline_ms=_DEADLINE_MS,
        stream=False,
    )
    return client.answer(request, kind=Completed).text
