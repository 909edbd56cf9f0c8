"""Writes the game folder of a MiniWoB page: a web page, its utterance the instruction, its reward the truth.

The pages are data of the package miniwob (Shi et al., 2017; Liu et al., 2018). Its own
code, which drives a browser by selenium, is not used.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from pitwall.evaluation.gym.environment import HINT, EnvironmentFault
from pitwall.games.drafting.toml_writer import toml_value

FAMILY = "miniwob"
_PAGE_PX, _QUERY_PX, _GRID = 160, 50, 4
_WINDOW = (500, 320)
_EPISODE_S = 60
_KEYS = [*"abcdefghijklmnopqrstuvwxyz0123456789", "Space", "Enter", "Tab", "Backspace"]
_INIT = f"""core.EPISODE_MAX_TIME = {_EPISODE_S * 1000};
core.startEpisodeReal();
document.getElementById("reward-display").style.display = "none";"""
"""The page shows its reward beside the task: no agent may see it."""
_STATE = {
    "status": 'WOB_DONE_GLOBAL ? "terminal" : "playing"',
    "terminal.isTerminal": "WOB_DONE_GLOBAL",
    "terminal.outcome": '!WOB_DONE_GLOBAL ? null : WOB_RAW_REWARD_GLOBAL > 0 ? "win" : "loss"',
    "game_state.score": "WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : 0",
    "game_state.utterance": 'document.getElementById("query").textContent.trim()',
}


def is_page(env_id: str) -> bool:
    """Whether an id names a MiniWoB page: miniwob/click-button-v1."""
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
    page = _pages() / f"{name}.html"
    if not page.is_file():
        raise EnvironmentFault(f"there is no MiniWoB page {name!r}.", "pitwall games add-gym --all MiniWoB")
    return "\n".join(_lines(page, game_id)) + "\n"


def _pages() -> Path:
    try:
        package = importlib.metadata.distribution(FAMILY)  # nothing of it is run: its code asks for selenium
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
        init=_INIT,
        ready="!WOB_DONE_GLOBAL && core.ept0 !== null",
        reset="core.startEpisodeReal()",
        install_hint="Install it: installer/extra browser",
    )
    yield from _table("[browser.state]", **_STATE)
    yield from _table("[window]", title=".*")
    yield from _table("[screen]", width=_WINDOW[0], height=_WINDOW[1])
    yield from _table("[controls]", keys=_KEYS, mouse=True, hold_ms=[20, 500])
    side = _PAGE_PX // _GRID
    for row in range(_GRID):
        for column in range(_GRID):
            at = [column * side + side // 2, _QUERY_PX + row * side + side // 2]
            name = f"click_row{row + 1}_column{column + 1}"
            yield from _table("[[actions]]", name=name, click=at, hold_ms=40, duration_ms=200)
    yield from _table("[[fields]]", name="utterance", kind="text", box=[0, 0, _PAGE_PX, _QUERY_PX])
    yield from _table("[[fields]]", name="changed", kind="change", unit="%")
    yield from _table("[truth]", kind="file", score="game_state.score")
    yield from _table(
        "[[tasks]]",
        id="utterance",
        instruction=f"Do what is written at the top of the page ({words}).",
        score="game_state.score",
        target=1,
        steps=60,
        seconds=_EPISODE_S,
    )


def _table(name: str, /, **values: object) -> Iterator[str]:
    yield f"\n{name}"
    for key, value in values.items():
        yield f'"{key}" = {toml_value(value)}' if "." in key else f"{key} = {toml_value(value)}"
