"""`pitwall windows`: what could be played."""

from __future__ import annotations

from pitwall.cli.options import JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.engine.capture.display_check import check_display
from pitwall.engine.capture.window_search import list_windows


def windows(json: JsonOption = False) -> None:
    """List the open windows, bottom to top, with their ids and places."""
    check_display()
    found = list_windows()
    lines = [
        f"{one.native_id:#010x}  {one.rect.width}×{one.rect.height} px "
        f"at {one.rect.x},{one.rect.y}  {one.title}"
        for one in reversed(found)
    ]
    Reporter(json).result(found, lines or ["No windows are open."])
