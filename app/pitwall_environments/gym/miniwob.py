"""Writes the game folder of a MiniWoB page: a web page; its utterance is the task, its reward the truth.

The pages are data of the package miniwob (Shi et al., 2017; Liu et al., 2018). Its own code, which drives a
browser by selenium, is not used.
"""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pitwall.core.paths import resources_dir
from pitwall.games.drafting.toml_writer import toml_value
from pitwall_environments.gym.environment import HINT, EnvironmentFault

FAMILY = "miniwob"
_PAGE_PX, _QUERY_PX, _GRID = 160, 50, 4
WINDOW = (500, 320)
_EPISODE_S = 60
FULL_REWARD = 0.9
"""Reward that counts as full: pages that grade a click give less than 1 for a pixel beside the spot."""
CLICKS = {
    f"click_row{row + 1}_column{column + 1}": (
        _PAGE_PX * (2 * column + 1) // (2 * _GRID),
        _QUERY_PX + _PAGE_PX * (2 * row + 1) // (2 * _GRID),
    )
    for row in range(_GRID)
    for column in range(_GRID)
}
"""Spots below the instruction that an agent without sight can click."""
_KEYS = [*"abcdefghijklmnopqrstuvwxyz0123456789", "Space", "Enter", "Tab", "Backspace"]
INIT = f"""core.EPISODE_MAX_TIME = {_EPISODE_S * 1000};
core.startEpisodeReal();
document.getElementById("reward-display").style.display = "none";"""
"""Starts the page, and hides the reward that it shows beside the task."""
_STATE = {
    "status": 'WOB_DONE_GLOBAL ? "terminal" : "playing"',
    "terminal.isTerminal": "WOB_DONE_GLOBAL",
    "terminal.outcome": '!WOB_DONE_GLOBAL ? null : WOB_RAW_REWARD_GLOBAL > 0 ? "win" : "loss"',
    "game_state.score": "WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : 0",
    "game_state.utterance": 'document.getElementById("query").textContent.trim()',
}


def is_page(env_id: str) -> bool:
    """Return whether an id names a MiniWoB page: miniwob/click-button-v1."""
    return env_id.startswith(f"{FAMILY}/")


def page_ids() -> list[str]:
    """Return the id of every page.

    Raises:
        EnvironmentFault: the package is not installed.
    """
    return [f"{FAMILY}/{page.stem}-v1" for page in sorted(_pages().glob("*.html"))]


def page_manifest(env_id: str, game_id: str) -> str:
    """Return the manifest of a page's game.

    Raises:
        EnvironmentFault: there is no such page, or the package is not installed.
    """
    name = re.sub(r"-v\d+$", "", env_id.removeprefix(f"{FAMILY}/"))
    return "\n".join(_lines(page_file(name), game_id)) + "\n"


def page_file(name: str) -> Path:
    """Return the file of a page by its name, like click-button.

    Raises:
        EnvironmentFault: there is no such page, or the package is not installed.
    """
    page = _pages() / f"{name}.html"
    if not page.is_file():
        raise EnvironmentFault(f"there is no MiniWoB page {name!r}.", "pitwall games add-gym --all MiniWoB")
    return page


def baselines_file() -> Path:
    """Return the file that lists which baseline solves each page; `bench miniwob` writes it."""
    return resources_dir() / "gym" / FAMILY / "baselines.toml"


def _baseline(name: str) -> dict[str, str]:
    marks = tomllib.loads(baselines_file().read_text(encoding="utf-8"))
    return {"baseline": marks[name]} if name in marks else {}


def _pages() -> Path:
    try:
        package = importlib.metadata.distribution(FAMILY)  # only its data is used; its code needs selenium
    except importlib.metadata.PackageNotFoundError:
        raise EnvironmentFault(f"{FAMILY} is not installed.", HINT) from None
    return Path(str(package.locate_file(FAMILY))) / "html" / FAMILY


def _lines(page: Path, game_id: str) -> Iterator[str]:
    words = page.stem.replace("-", " ")
    yield "# Made of a MiniWoB page: pitwall games add-gym. Everything here may be changed by hand."
    yield "schema = 1"
    yield from _table(
        "[game]",
        id=game_id,
        name=f"{words.capitalize()} (MiniWoB)",
        summary=f"MiniWoB's page {page.stem}: do on a web page what it says at its top.",
        genre="simulation",
        while_thinking="hold",
    )
    yield from _table(
        "[browser]",
        url=page.as_uri(),
        init=INIT,
        ready="!WOB_DONE_GLOBAL && core.ept0 !== null",
        reset="core.startEpisodeReal()",
        install_hint="Install it: installer/extra browser",
    )
    yield from _table("[browser.state]", **_STATE)
    yield from _table("[window]", title=".*")
    yield from _table("[screen]", width=WINDOW[0], height=WINDOW[1])
    yield from _table("[controls]", keys=_KEYS, mouse=True, hold_ms=[20, 500])
    for name, at in CLICKS.items():
        yield from _table("[[actions]]", name=name, click=list(at), hold_ms=40, duration_ms=200)
    yield from _table("[[fields]]", name="utterance", kind="text", box=[0, 0, _PAGE_PX, _QUERY_PX])
    yield from _table("[[fields]]", name="changed", kind="change", unit="%")
    yield from _table("[truth]", kind="file", score="game_state.score")
    yield from _table(
        "[[tasks]]",
        id="utterance",
        instruction=f"Do what is written at the top of the page ({words}).",
        score="game_state.score",
        target=FULL_REWARD,
        steps=60,
        seconds=_EPISODE_S,
        **_baseline(page.stem),
    )


def _table(name: str, /, **values: object) -> Iterator[str]:
    yield f"\n{name}"
    for key, value in values.items():
        yield f'"{key}" = {toml_value(value)}' if "." in key else f"{key} = {toml_value(value)}"
