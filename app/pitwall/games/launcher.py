"""Starts a game's own program, and ends it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from pitwall.core.errors import LaunchFailed, nearest
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.games.schema.profile import Game, Launch
from pitwall.games.trust import require_trust

_GAME_FOLDERS = ("/usr/games", "/usr/local/games")
_PROGRAM = "program.pid"
_END_S = 3.0
CONTROL_VARIABLE = "PITWALL_CONTROL"
"""Where a game that can be steered from outside listens (link.game_control): pause, resume, reset, speed."""
_BROWSER = "chromium"


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
    """Programs the game needs that are not installed."""
    launch = launching_of(game)
    wanted = launch.programs if launch is not None else []
    return [name for name in wanted if shutil.which(name, path=search_path()) is None]


class Launched:
    """A running game.

    Args:
        process: its program where this process started it; None for one that an engine before us left.

    Attributes:
        pid: its first process, which leads a session of its own.
        log: file that takes its output.
        control: where it listens, if it does (link.game_control); None: not known.
    """

    def __init__(
        self,
        pid: int,
        log: Path,
        process: subprocess.Popen[bytes] | None = None,
        control: Path | None = None,
    ) -> None:
        self._process = process
        self.pid = pid
        self.log = log
        self.control = control

    @property
    def alive(self) -> bool:
        return self._process.poll() is None if self._process is not None else self._signal(0)

    def last_words(self, limit: int = 400) -> str:
        """The end of what it wrote, on one line."""
        with contextlib.suppress(OSError):
            text = self.log.read_text(encoding="utf-8", errors="replace")
            return " ".join(text.split())[-limit:]
        return ""

    def close(self) -> None:
        """End it and all it started: asked first, then made to."""
        self._signal(signal.SIGTERM)
        until = time.monotonic() + _END_S
        while time.monotonic() < until and self._group_lives():
            time.sleep(0.02)
        self._signal(signal.SIGKILL)
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
        if self.control is not None:
            self.control.unlink(missing_ok=True)

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _group_lives(self) -> bool:
        """Whether the program or anything it started still runs."""
        return self.alive or self._signal(0)


def launch(
    game: Game, *, seed: int | None, data: Path, env: Mapping[str, str], scenario: str = ""
) -> Launched:
    """Start a game's program in a session of its own.

    Python keeps its caches in {data}: they are no part of what was trusted, so none is read from the
    folder, and none is written there.

    Args:
        seed: takes the place of {seed} in the command; 0 where none is given.
        data: the data folder; {data} becomes a folder of the game's own in it.
        env: added to the environment (where evaluation wants its truth).
        scenario: its words follow the command; empty: none.

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
        hint = launching.install_hint or f"Install it: sudo apt-get install {' '.join(missing)}"
        raise LaunchFailed(f"{name} needs {' and '.join(missing)}, not found on this machine.", hint)
    own = data / "game-data" / game.game_id
    log = data / "logs" / f"game-{game.game_id}.log"
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
        for name in launching.copies:
            shutil.copyfile(game.folder / name, own / Path(name).name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=game.folder,
                env={
                    **os.environ,
                    "PATH": search_path(),
                    "PYTHONPYCACHEPREFIX": str(own / "pycache"),
                    **_told(game, truth),
                    **{key: _filled(value, words) for key, value in launching.env.items()},
                    **env,
                    CONTROL_VARIABLE: str(control),
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
    except OSError as error:
        where = error.filename or command[0]
        raise LaunchFailed(
            f"{name} cannot be started: {where}: {error.strerror}.", launching.install_hint
        ) from None
    with contextlib.suppress(OSError):  # without it a game outlives an engine that is killed, no more
        both = (process.pid, os.getpid())
        (own / _PROGRAM).write_text(" ".join(f"{pid} {_born(pid)}" for pid in both), encoding="utf-8")
    return Launched(process.pid, log, process, control)


def _told(game: Game, file: Path) -> dict[str, str]:
    """Name the file for a game that writes its true state, unless the environment names one."""
    told = game.profile.truth
    if told is None or told.kind != "file" or os.environ.get(TRUTH_VARIABLE):
        return {}
    return {TRUTH_VARIABLE: str(file)}


def _free_control() -> str:
    """A name nobody has, short enough for a socket's."""
    return str(Path(tempfile.gettempdir()) / f"pitwall-{os.getpid()}-{secrets.token_hex(4)}.sock")


def adopt(game: Game, *, data: Path) -> Launched | None:
    """The game's program, where it still runs and the engine that started it does not (Linux)."""
    try:
        text = (data / "game-data" / game.game_id / _PROGRAM).read_text(encoding="utf-8")
        pid, born, owner, owner_born = (int(number) for number in text.split())
    except (OSError, ValueError):
        return None
    if not born or _born(pid) != born or _born(owner) == owner_born:
        return None
    return Launched(pid, data / "logs" / f"game-{game.game_id}.log")


def starter(own: Path) -> int:
    """The process that launched this one, by the note it left in this one's own folder; 0: it is gone.

    Without a note: the parent, which is another one by now where the true one died while this one started.

    Args:
        own: what {data} stood for in the command.
    """
    try:
        text = (own / _PROGRAM).read_text(encoding="utf-8")
        pid, _, owner, owner_born = (int(number) for number in text.split())
    except (OSError, ValueError):
        return os.getppid()
    if pid != os.getpid():
        return os.getppid()
    return owner if _born(owner) == owner_born else 0


def _born(pid: int) -> int:
    """Return a process's start in kernel ticks: with its id it names one process for good; 0 unknown."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


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
