"""`pitwall manual`: searches the manual."""

from __future__ import annotations

from typing import Annotated

import typer

from pitwall.cli.options import JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.store.manual import search_manual


def manual(
    words: Annotated[list[str], typer.Argument(help="Words that a paragraph must all hold.")],
    json: JsonOption = False,
) -> None:
    """Search the manual's pages; the console shows them with F1."""
    matches = search_manual(" ".join(words))
    lines = [line for match in matches for line in (f"{match.page}: {match.section}", f"    {match.text}")]
    Reporter(json).result(matches, lines or ["Nothing in the manual holds these words."])
