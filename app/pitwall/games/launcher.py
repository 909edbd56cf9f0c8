"""Starts a game's own program, and ends it."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pitwall.core.errors import LaunchFailed, nearest
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.games.game_process import Launched, left_running, start
from pitwall.games.schema.profile import Game, Launch
from pitwall.games.trust import require_trust
from pitwall.link.game_control import CAN_STEER
from pitwall.store.components import absence, component_of, installed

_GAME_FOLDERS = ("/usr/games", "/usr/local/games")
CONTROL_VARIABLE = "PITWALL_CONTROL"
"""Where a game that can be steered from outside listens (link.game_control): pause, resume, reset, speed."""
VALUES_VARIABLE = "PITWALL_PAGE_VALUES"
"""Where a page's values are written while it is being added as a game, for its author alone."""
_BROWSER = "chromium"
_NO_PAGES = "Games that are web pages are played on Linux alone so far."


def search_path() -> str:
    """PATH, with the folders where Debian keeps games."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *_GAME_FOLDERS])


def launching_of(game: Game) -> Launch | None:
    """Return how Pitwall starts the game: its own command, or the page in a browser; None: it does not."""
    browser = game.profile.browser
    if browser is None:
        return game.profile.launch
    return Launch(
        command=[
            *("{python}", "-m", "pitwall", "browser-game", "--game", "{folder}"),
            *("--seed", "{seed}", "--profile", "{data}"),
        ],
        programs=[_BROWSER],
        install_hint=browser.install_hint or "Install it: installer/extra browser",
        ready_timeout_s=browser.ready_timeout_s,
    )


def missing_programs(game: Game) -> list[str]:
    """Programs, and Python packages of programs, that the game needs and that are not installed."""
    launch = launching_of(game)
    if launch is None:
        return []
    if sys.platform == "win32" and _BROWSER in launch.programs:
        return [_BROWSER]  # one that is there does not help
    programs = [name for name in launch.programs if shutil.which(name, path=search_path()) is None]
    return programs + [name for name in launch.packages if not installed(name)]


def lacking_words(missing: Sequence[str]) -> str:
    """Say what a game lacks, and whether it is on its way; empty where nothing is missing."""
    if not missing:
        return ""
    if sys.platform == "win32" and _BROWSER in missing:
        return _NO_PAGES
    lacking = next(filter(None, map(component_of, missing)), None)
    return f"{' and '.join(missing)} is not installed." if lacking is None else " ".join(absence(lacking.key))


def launch(
    game: Game,
    *,
    seed: int | None,
    data: Path,
    env: Mapping[str, str],
    scenario: str = "",
    owner: int = 0,
) -> Launched:
    """Start a game's program. What an engine before us left of it ends first.

    Python keeps its caches in {data}: they are no part of what was trusted, so none is read from the
    folder, and none is written there.

    Args:
        seed: takes the place of {seed} in the command; 0 where none is given.
        data: the data folder; {data} becomes a folder of the game's own in it.
        env: added to the environment (where evaluation wants its truth).
        scenario: its words follow the command; empty: none.
        owner: process with whose end the game ends (Linux); 0: this one.

    Raises:
        UntrustedPlugin: the operator has not trusted the folder.
        LaunchFailed: the game has no launch command or no such scenario, or a program is not installed.
    """
    launching = launching_of(game)
    name = game.profile.game.name
    if launching is None:
        raise LaunchFailed(f"{name} is not started by Pitwall.", "Start it yourself, then choose its window.")
    require_trust(game)
    if missing := missing_programs(game):
        if sys.platform == "win32" and _BROWSER in missing:
            raise LaunchFailed(f"{name} cannot be started here.", _NO_PAGES)
        by = f"Install it: sudo apt-get install {' '.join(missing)}"
        if sys.platform == "win32":
            by = "Install it, and add its folder to PATH."
        hint = launching.install_hint or by
        if any(map(component_of, missing)):
            hint = lacking_words(missing)
        raise LaunchFailed(f"{name} needs {' and '.join(missing)}, not found on this machine.", hint)
    own, log = _places(game, data)
    words = {
        "{python}": sys.executable,
        "{folder}": str(game.folder),
        "{seed}": str(seed if seed is not None else 0),
        "{data}": str(own),
    }
    command = [_filled(word, words) for word in (*launching.command, *_scenario_words(game, scenario))]
    control = Path(env.get(CONTROL_VARIABLE) or os.environ.get(CONTROL_VARIABLE) or _free_control())
    truth = DataFolder(data).truth(game.game_id)
    try:
        own.mkdir(parents=True, exist_ok=True)
        truth.unlink(missing_ok=True)
        for copied in launching.copies:
            shutil.copyfile(game.folder / copied, own / Path(copied).name)
        log.parent.mkdir(parents=True, exist_ok=True)
        if left := left_running(own, log):
            left.close()
        return start(
            command,
            {
                **os.environ,
                "PATH": search_path(),
                "PYTHONPYCACHEPREFIX": str(own / "pycache"),
                **_told(game, truth),
                **{key: _filled(value, words) for key, value in launching.env.items()},
                **env,
                **({CONTROL_VARIABLE: str(control)} if CAN_STEER else {}),
            },
            folder=game.folder,
            own=own,
            log=log,
            control=control,
            owner=owner or os.getpid(),
        )
    except OSError as error:
        where = error.filename or command[0]
        raise LaunchFailed(
            f"{name} cannot be started: {where}: {error.strerror}.", launching.install_hint
        ) from None


def _told(game: Game, file: Path) -> dict[str, str]:
    """Name the file for a game that writes its true state, unless the environment names one."""
    told = game.profile.truth
    if told is None or told.kind != "file" or os.environ.get(TRUTH_VARIABLE):
        return {}
    return {TRUTH_VARIABLE: str(file)}


def _free_control() -> str:
    """A name nobody has, short enough for a socket's."""
    return str(Path(tempfile.gettempdir()) / f"pitwall-{os.getpid()}-{secrets.token_hex(4)}.sock")


def adopt(game: Game, *, data: Path, owner: int | None = None) -> Launched | None:
    """The game's program, where it still runs and the engine that started it does not (Linux).

    Args:
        owner: process that it must belong to; None: any.
    """
    return left_running(*_places(game, data), owner)


def _places(game: Game, data: Path) -> tuple[Path, Path]:
    """The game's own folder in the data folder, and the file that takes its output."""
    return data / "game-data" / game.game_id, data / "logs" / f"game-{game.game_id}.log"


def _scenario_words(game: Game, name: str) -> list[str]:
    if not name:
        return []
    known = {one.name: one.arguments for one in game.profile.scenarios}
    if name not in known:
        near = nearest(name, known)
        hint = f"Did you mean {near!r}?" if near else f"It has: {', '.join(known) or 'none'}."
        raise LaunchFailed(f"{game.profile.game.name} has no scenario {name!r}.", hint)
    return known[name]


def _filled(word: str, words: Mapping[str, str]) -> str:
    for placeholder, value in words.items():
        word = word.replace(placeholder, value)
    return word
