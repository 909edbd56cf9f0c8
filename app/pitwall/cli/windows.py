"""`pitwall windows`: what could be played."""

from __future__ import annotations

from dataclasses import replace

from pitwall.cli.options import JsonOption
from pitwall.cli.reporter import Reporter
from pitwall.core.paths import default_data_dir
from pitwall.desktops.here import this_desktop
from pitwall.engine.capture.window_search import list_windows
from pitwall.games.anti_cheat import guard_of_process, guard_on_machine, known_guards


def windows(json: JsonOption = False) -> None:
    """List the open windows, bottom to top, with their ids and places, and what guards their games."""
    this_desktop().check()
    guards = known_guards(default_data_dir())
    everywhere = guard_on_machine(guards)
    found = []
    for one in list_windows():
        guard = everywhere or guard_of_process(one.pid, guards)
        found.append(replace(one, guard=guard.guard.name if guard is not None else ""))
    lines = [
        f"{one.native_id:#010x}  {one.rect.width}×{one.rect.height} px "
        f"at {one.rect.x},{one.rect.y}  {one.title}{f'  (not played: {one.guard})' if one.guard else ''}"
        for one in reversed(found)
    ]
    Reporter(json).result(found, lines or ["No windows are open."])
