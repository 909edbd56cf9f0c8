"""Starts a game's own program, and ends it."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pitwall.core.errors import LaunchFailed, suggestion
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder, games_bytecode_dir
from pitwall.games.game_process import Launched, left_running, start
from pitwall.games.schema.launching import Launch
from pitwall.games.schema.profile import Game
from pitwall.games.trust import require_trust
from pitwall.link.game_control import CAN_STEER
from pitwall.store.components import absence, component_of, installed

_GAME_FOLDERS = ("/usr/games", "/usr/local/games")
CONTROL_VARIABLE = "PITWALL_CONTROL"
"""Socket at which a game takes pause, resume, reset and speed (see link.game_control)."""
VALUES_VARIABLE = "PITWALL_PAGE_VALUES"
"""File for a page's values while it is being added as a game; only its author sees them."""
_AT_THE_LEFT = {"SDL_VIDEO_WINDOW_POS": "40,80"}
"""Position of a window of pygame or SDL 1.2 unless game or user set another; the console fits beside it."""
_BROWSER = "chromium"
_NO_PAGES = "Games that are web pages are played on Linux alone so far."


def search_path() -> str:
    """Return PATH, extended by the folders where Debian keeps games."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), *_GAME_FOLDERS])


def launching_of(game: Game) -> Launch | None:
    """Return how Pitwall starts the game: by its command, or its page in a browser; None: it does not."""
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
    """List the programs and Python packages that the game needs and that are not installed."""
    launch = launching_of(game)
    if launch is None:
        return []
    if sys.platform == "win32" and _BROWSER in launch.programs:
        return [_BROWSER]  # not even an installed browser helps on Windows
    programs = [name for name in launch.programs if shutil.which(name, path=search_path()) is None]
    return programs + [name for name in launch.packages if not installed(name)]


def lacking_words(missing: Sequence[str]) -> str:
    """Say what a game lacks, and whether it is being installed; empty where nothing is missing."""
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
    """Start a game's program, after ending what an earlier engine left running of it.

    Python neither reads nor writes caches in the game's folder: they would not be covered by its trust. All
    games share a folder of caches, or each start would compile the standard library anew.

    Args:
        seed: replaces {seed} in the command; 0 where none is given.
        data: the data folder; {data} becomes the game's own folder in it.
        env: added to the environment, like the file for the true state.
        scenario: its arguments follow the command; empty: none.
        owner: process whose end also ends the game (Linux); 0: this process.

    Raises:
        UntrustedPlugin: the operator has not trusted the folder.
        LaunchFailed: the game has no launch command or no such scenario, or a program is not installed.
    """
    launching = launching_of(game)
    name = game.profile.game.name
    if launching is None:
        raise LaunchFailed(f"{name} is not started by Pitwall.", "Start it yourself, then choose its window.")
    require_trust(game)
    _require_programs(game, launching)
    own, log = _places(game, data)
    placeholders = _placeholders(game, own, seed or 0)
    words = [*launching.command, *_scenario_arguments(game, scenario)]
    control = Path(env.get(CONTROL_VARIABLE) or os.environ.get(CONTROL_VARIABLE) or _free_control())
    truth = DataFolder(data).truth(game.game_id)
    variables = {
        "PATH": search_path(),
        "PYTHONPYCACHEPREFIX": str(_bytecode(own)),
        "PYTHONDONTWRITEBYTECODE": "",
        **_truth_variable(game, truth),
        **{key: _filled(value, placeholders) for key, value in launching.env.items()},
        **env,
        **({CONTROL_VARIABLE: str(control)} if CAN_STEER else {}),
    }
    try:
        _prepare(game, launching, own, log, truth)
        return start(
            [_filled(word, placeholders) for word in words],
            {**_AT_THE_LEFT, **os.environ, **variables},
            folder=game.folder,
            own=own,
            log=log,
            control=control,
            owner=owner or os.getpid(),
        )
    except OSError as error:
        where = error.filename or _filled(words[0], placeholders)
        problem = f"{name} cannot be started: {where}: {error.strerror}."
        raise LaunchFailed(problem, launching.install_hint) from None


def _bytecode(own: Path) -> Path:
    """Return the folder of compiled modules: the environment's, or the game's where that is read-only."""
    return games_bytecode_dir() if os.access(sys.prefix, os.W_OK) else own / "pycache"


def _placeholders(game: Game, own: Path, seed: int) -> dict[str, str]:
    """Return each placeholder of a launch command with its value."""
    return {"{python}": sys.executable, "{folder}": str(game.folder), "{seed}": str(seed), "{data}": str(own)}


def _prepare(game: Game, launching: Launch, own: Path, log: Path, truth: Path) -> None:
    """Make the game's own folder, end a program that an earlier engine left, and remove its true state."""
    own.mkdir(parents=True, exist_ok=True)
    truth.unlink(missing_ok=True)
    for copied in launching.copies:
        shutil.copyfile(game.folder / copied, own / Path(copied).name)
    log.parent.mkdir(parents=True, exist_ok=True)
    if left := left_running(own, log):
        left.close()


def _require_programs(game: Game, launching: Launch) -> None:
    """Raise LaunchFailed where a program or package that the game needs is not installed."""
    name, missing = game.profile.game.name, missing_programs(game)
    if not missing:
        return
    windows = sys.platform == "win32"
    if windows and _BROWSER in missing:
        raise LaunchFailed(f"{name} cannot be started here.", _NO_PAGES)
    if any(map(component_of, missing)):
        hint = lacking_words(missing)
    elif launching.install_hint:
        hint = launching.install_hint
    elif windows:
        hint = "Install it, and add its folder to PATH."
    else:
        hint = f"Install it: sudo apt-get install {' '.join(missing)}"
    raise LaunchFailed(f"{name} needs {' and '.join(missing)}, not found on this machine.", hint)


def _truth_variable(game: Game, file: Path) -> dict[str, str]:
    """Return the variable that names the file for the true state, unless the environment has one."""
    truth = game.profile.truth
    if truth is None or truth.kind != "file" or os.environ.get(TRUTH_VARIABLE):
        return {}
    return {TRUTH_VARIABLE: str(file)}


def _free_control() -> str:
    """Return an unused path that is short enough for a socket."""
    return str(Path(tempfile.gettempdir()) / f"pitwall-{os.getpid()}-{secrets.token_hex(4)}.sock")


def adopt(game: Game, *, data: Path, owner: int | None = None) -> Launched | None:
    """Return the game's program where it outlived the engine that started it (Linux); None otherwise.

    Args:
        owner: process that the program must belong to; None: any.
    """
    return left_running(*_places(game, data), owner)


def _places(game: Game, data: Path) -> tuple[Path, Path]:
    """Return the game's own folder in the data folder, and the file for its output."""
    return data / "game-data" / game.game_id, data / "logs" / f"game-{game.game_id}.log"


def _scenario_arguments(game: Game, name: str) -> list[str]:
    if not name:
        return []
    known = {scenario.name: scenario.arguments for scenario in game.profile.scenarios}
    if name not in known:
        hint = suggestion(name, known, f"It has: {', '.join(known) or 'none'}.")
        raise LaunchFailed(f"{game.profile.game.name} has no scenario {name!r}.", hint)
    return known[name]


def _filled(word: str, words: Mapping[str, str]) -> str:
    for placeholder, value in words.items():
        word = word.replace(placeholder, value)
    return word
