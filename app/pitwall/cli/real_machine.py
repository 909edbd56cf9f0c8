"""Checks that need a real machine: guards, GPU, and what the desktop knows."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size
from pitwall.desktops.contract import Finding
from pitwall.desktops.here import this_desktop
from pitwall.games.anti_cheat import guard_on_machine, known_guards, resident_guards
from pitwall.models.free_memory import free_memory


def machine_findings(folder: DataFolder) -> Iterator[Finding]:
    """Yield every check of this machine that needs no game."""
    yield _anti_cheat(folder)
    yield _gpu()
    yield from this_desktop().findings()


def _anti_cheat(folder: DataFolder) -> Finding:
    name = "anti-cheat"
    try:
        guards = known_guards(folder.root)
    except PitwallError as error:
        return Finding(name, False, error.what, error.fix)
    running = guard_on_machine(guards)
    if running is not None:
        return Finding(
            name,
            False,
            f"{running.guard.name}: {running.sign}. Nothing is played until it ends.",
            running.fix,
        )
    resident = ", ".join(f"{guard} ({sign})" for guard, sign in resident_guards(guards).items())
    if resident:
        return Finding(name, True, f"no guarded game runs; started with the machine: {resident}")
    return Finding(name, True, f"none of {len(guards)} known guards runs")


def _gpu() -> Finding:
    vram = free_memory().vram_bytes
    names = ", ".join(_gpu_names()) or "no name known"
    if vram is None:
        return Finding("GPU", True, f"no NVIDIA GPU answers ({names}): models think on the processor")
    return Finding("GPU", True, f"{names}: {byte_size(vram)} of video memory are free")


def _gpu_names() -> list[str]:
    if adapters := this_desktop().display_adapters():
        return adapters
    try:
        answer = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return (
        [line.strip() for line in answer.stdout.splitlines() if line.strip()] if not answer.returncode else []
    )
