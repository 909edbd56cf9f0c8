"""Checks that need a real machine: guards, GPU, and on Windows the desktop."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import byte_size
from pitwall.games.anti_cheat import guard_on_machine, known_guards, resident_guards
from pitwall.models.free_memory import free_memory

if sys.platform == "win32":
    from pitwall.desktops.windows import facts as windows


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    passed: bool
    text: str
    fix: str = ""


def machine_findings(folder: DataFolder) -> Iterator[Finding]:
    """Yield every check of this machine that needs no game."""
    yield _anti_cheat(folder)
    yield _gpu()
    if sys.platform == "win32":
        yield from _windows()


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
    if sys.platform == "win32":
        return windows.display_adapters()
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


if sys.platform == "win32":

    def _windows() -> Iterator[Finding]:
        """Yield how Windows draws, scales and protects windows now."""
        version = windows.version()
        yield Finding("Windows", True, version + (" under Wine" if windows.is_wine() else ""))
        composed = windows.is_composed()
        yield Finding(
            "DWM",
            composed or windows.is_wine(),
            "the desktop is composed: a window's own picture can be captured"
            if composed
            else "the desktop is not composed: the screen's part is captured, with what covers it",
            "" if composed else "Switch desktop composition on (it cannot be switched off since Windows 8).",
        )
        aware, scale = windows.is_dpi_aware(), windows.scale_percent()
        yield Finding(
            "DPI scaling",
            aware or scale == 100,
            f"{scale} %, and this process is {'' if aware else 'not '}aware of it",
            "" if aware or scale == 100 else "Pixels and clicks are off by the scale: set it to 100 %.",
        )
        elevated, higher = windows.is_elevated(), windows.windows_of_higher_rights()
        yield Finding(
            "elevated games",
            higher == 0 or elevated,
            f"{higher} open windows belong to programs with more rights than Pitwall has",
            ""
            if higher == 0 or elevated
            else "Windows swallows keys sent to these: start the game as yourself.",
        )
        exclusive = windows.is_full_screen_exclusive()
        yield Finding(
            "full screen",
            not exclusive,
            "a program has the screen exclusively" if exclusive else "no program has the screen exclusively",
            "Such a game is not captured: let it play in a window, or borderless." if exclusive else "",
        )
