"""Checks how Windows draws, scales and protects windows now."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.desktops.contract import Finding
from pitwall_desktops.windows import facts


def machine_findings() -> Iterator[Finding]:
    """Yield the result of each check."""
    version = facts.version()
    yield Finding("Windows", True, version + (" under Wine" if facts.is_wine() else ""))
    composed = facts.is_composed()
    yield Finding(
        "DWM",
        composed or facts.is_wine(),
        "the desktop is composed: a window's own picture can be captured"
        if composed
        else "the desktop is not composed: the screen's part is captured, with what covers it",
        "" if composed else "Switch desktop composition on (it cannot be switched off since Windows 8).",
    )
    aware, scale = facts.is_dpi_aware(), facts.scale_percent()
    yield Finding(
        "DPI scaling",
        aware or scale == 100,
        f"{scale} %, and this process is {'' if aware else 'not '}aware of it",
        "" if aware or scale == 100 else "Pixels and clicks are off by the scale: set it to 100 %.",
    )
    elevated, higher = facts.is_elevated(), facts.windows_of_higher_rights()
    yield Finding(
        "elevated games",
        higher == 0 or elevated,
        f"{higher} open windows belong to programs with more rights than Pitwall has",
        "" if higher == 0 or elevated else "Windows swallows keys sent to these: start the game as yourself.",
    )
    exclusive = facts.is_full_screen_exclusive()
    yield Finding(
        "full screen",
        not exclusive,
        "a program has the screen exclusively" if exclusive else "no program has the screen exclusively",
        "Such a game is not captured: let it play in a window, or borderless." if exclusive else "",
    )
