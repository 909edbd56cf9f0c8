"""`pitwall windows`: what could be played."""

from __future__ import annotations

import typer

from pitwall.cli.options import JsonOption, print_json
from pitwall.engine.capture.display_check import check_display
from pitwall.engine.capture.window_search import list_windows


def windows(json: JsonOption = False) -> None:
    """List the open windows, bottom to top, with their ids and places."""
    check_display()
    found = list_windows()
    if json:
        print_json(found)
        return
    for window in reversed(found):
        rect = window.rect
        typer.echo(
            f"{window.native_id:#010x}  {rect.width}×{rect.height} px at {rect.x},{rect.y}  {window.title}"
        )
    if not found:
        typer.echo("No windows are open.")
