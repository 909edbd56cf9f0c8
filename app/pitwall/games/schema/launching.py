"""How a game is started: its own program, or its page in a browser."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from pitwall.games.schema.fields import Table


class Launch(Table):
    """[launch]: the command that starts the game's program.

    Words of the command may hold {python}, {folder}, {seed}, {data}.
    """

    command: list[str] = Field(min_length=1, description="Program and its arguments")
    programs: list[str] = Field(
        default_factory=list, description="Programs that must be found, on PATH or in /usr/games"
    )
    packages: list[str] = Field(
        default_factory=list, description="Python packages that its program imports and that may be missing"
    )
    install_hint: str = Field("", description="What to install where a program is missing")
    env: dict[str, str] = Field(
        default_factory=dict, description="Environment variables beside those there are"
    )
    copies: list[str] = Field(
        default_factory=list,
        description="Files of the folder that are laid anew into {data} before each start, for programs "
        "that write into their own settings",
    )
    ready_timeout_s: float = Field(
        20.0, gt=0, le=300, description="How long the window may take to come, in seconds"
    )
    settle_s: float = Field(0.0, ge=0, le=60, description="Wait after the window came")


class Browser(Table):
    """[browser]: a game that is a web page, in a Chromium of its own (replaces [launch]).

    The page's seed, clock and state are reached through the debugging protocol by the process that starts it
    (`pitwall browser-game`); neither the agent nor the engine sees them. A scenario's arguments become the
    page's query (`level=2`).
    """

    page: str = Field("", description="File of the folder, like page/index.html")
    url: str = Field("", description="Or an address, like chrome://dino")
    state: dict[str, str] = Field(
        default_factory=dict,
        description="Dotted path of the true state → JavaScript expression, for a page without "
        "`window.gameAPI`, or in place of what its `getState()` says there",
    )
    init: str = Field(
        "",
        description="JavaScript run once, as soon as the page is loaded (`gameAPI.init` is called by itself)",
    )
    ready: str = Field(
        "",
        description="Expression that is true once it can be played; empty: `getState()` says ready, "
        "playing or menu",
    )
    reset: str = Field("", description="Expression that begins it anew; empty: `gameAPI.reset({seed})`")
    fit: Literal["screen", "page"] = Field(
        "screen",
        description='Make the window as large as "screen" says, or as the "page" is, while it is added',
    )
    clock: bool = Field(
        True, description="Control the page's time (frames, timers, dates): exact pause, resume and speed"
    )
    ready_timeout_s: float = Field(
        30.0, gt=0, le=300, description="How long the page may take to be ready, in seconds"
    )
    install_hint: str = Field("", description="What to install where no Chromium is found")
