"""`pitwall windows`: lists the windows that could be played."""

from __future__ import annotations

from dataclasses import replace

from pitwall.cli.options import JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import default_data_dir
from pitwall.desktops.here import this_desktop
from pitwall.desktops.window_search import list_windows
from pitwall.games.anti_cheat import guard_of_process, guard_on_machine, known_guards


def windows(json: JsonOption = False) -> None:
    """List the open windows, bottom to top, with their ids, places, and anti-cheat guards."""
    this_desktop().check()
    guards = known_guards(default_data_dir())
    everywhere = guard_on_machine(guards)
    shown = []
    for window in list_windows():
        guard = everywhere or guard_of_process(window.pid, guards)
        shown.append(replace(window, guard=guard.guard.name if guard is not None else ""))
    lines = []
    for window in reversed(shown):
        place = f"{window.rect.width}×{window.rect.height} px at {window.rect.x},{window.rect.y}"
        refused = f"  (not played: {window.guard})" if window.guard else ""
        lines.append(f"{window.native_id:#010x}  {place}  {window.title}{refused}")
    Reporter(json).result(shown, lines or ["No windows are open."])
