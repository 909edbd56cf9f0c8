"""Kills: any process of a play at any moment; no key stays down, nothing remains, the next run works."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.desktops.here import processes
from pitwall.games.launcher import missing_programs
from pitwall.games.registry import Registry
from pitwall.store.run_reader import RunReader
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.fixtures.simulated_person import SimulatedPerson

_MARK = "CAMPAIGN_CASE"
_PATIENCE_S = 90.0
_GAMES = ("flappy", "crafter", "arena", "snake")
_VICTIMS = (
    ("run",),
    ("engine",),
    ("broker",),
    ("broker", "broker"),
    ("game-supervisor",),
    ("game",),
    ("truth-keeper",),
    ("host",),
    ("run", "engine"),
    ("engine", "broker"),
    ("engine", "game-supervisor"),
    ("run", "engine", "game-supervisor"),
)
_PATIENT = ("--setting", "broker.heartbeat_ms=5000", "--setting", "broker.observation_age_ms=5000")


@contextmanager
def _rig(shared: Path) -> Iterator[Trial]:
    registry, hands = Registry(DataFolder(shared)), SimulatedPerson()
    games = [name for name in _GAMES if not missing_programs(registry.load(name))]
    try:
        yield lambda case: _kill_in_mid_play(case, case.chance.choice(games), hands)
    finally:
        hands.close()


def _kill_in_mid_play(case: Case, game: str, hands: SimulatedPerson) -> str:
    victims, wait_s = case.chance.choice(_VICTIMS), case.chance.random() * 2
    data, mark = DataFolder(case.folder / "data"), f"{os.getpid()}-{case.seed}-{case.index}"
    play = _started(data, game, mark, seconds=60)
    try:
        _until(lambda: committed_steps(data) or play.poll() is not None, "the agent to play")
        time.sleep(wait_s)
        by_role = _of_roles(mark)
        for role in victims:
            pids = by_role.get(role, [])
            with suppress(ProcessLookupError, IndexError):
                os.kill(pids.pop(case.chance.randrange(len(pids) or 1)), signal.SIGKILL)
        if "run" not in victims:
            time.sleep(case.chance.random())
            play.send_signal(signal.SIGINT)
        _until(lambda: play.poll() is not None, "the command to end")
        _until(lambda: not hands.keys_down() and not hands.buttons_down(), "every key to be up")
        _until(lambda: not _marked(mark), f"{_named(mark)} to end")
    except TimeoutError as late:
        raise FellShort(
            f"{game}, {' and '.join(victims)} killed: not within {_PATIENCE_S:.0f} s: {late}"
        ) from None
    finally:
        for pid in _marked(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        play.communicate()
    _goes_on(data, game, mark, victims)
    return " and ".join(victims)


def _goes_on(data: DataFolder, game: str, mark: str, victims: tuple[str, ...]) -> None:
    kept = committed_steps(data)
    again = _started(data, game, mark, seconds=8)
    out, err = again.communicate(timeout=_PATIENCE_S * 2)
    event = f"{game}, {' and '.join(victims)} killed"
    if again.returncode or committed_steps(data) <= kept:
        raise FellShort(f"{event}: the next run ends with {again.returncode}: {(err or out).decode()[-400:]}")
    answer = json.loads(out.splitlines()[-1])
    if answer["keys_down_at_end"]:
        raise FellShort(f"{event}: the next run ends with keys down: {answer['keys_down_at_end']}")


def _started(data: DataFolder, game: str, mark: str, *, seconds: int) -> subprocess.Popen[bytes]:
    words = ["run", "--game", game, "--seconds", str(seconds), "--json", *_PATIENT, "--data", str(data.root)]
    return subprocess.Popen(
        [sys.executable, "-m", "pitwall", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, _MARK: mark, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
        start_new_session=True,
    )


def committed_steps(data: DataFolder) -> int:
    """Count the committed steps of all runs; each run's steps must be without gaps."""
    if not data.database.exists():
        return 0
    reader = RunReader.open(data)
    try:
        counted = 0
        for run in range(1, reader.count() + 1):
            numbers = [step.step for step in reader.steps(run)]
            if numbers != list(range(1, len(numbers) + 1)):
                raise FellShort(f"run {run} has the steps {numbers[:20]}")
            counted += len(numbers)
        return counted
    finally:
        reader.close()


def _marked(mark: str) -> list[int]:
    """List the running processes that descend from a case's command, whatever their present parents."""
    pids = []
    for process in processes().running():
        with suppress(OSError):
            if f"{_MARK}={mark}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0"):
                pids.append(process.pid)
    return pids


def _of_roles(mark: str) -> dict[str, list[int]]:
    """Group a case's processes by role; a process without one of Pitwall's roles is the game."""
    roles: dict[str, list[int]] = {}
    for pid in _marked(mark):
        words = processes().command_words(pid)
        at = words.index("pitwall") if "pitwall" in words else -1
        roles.setdefault(words[at + 1] if at > 0 else "game", []).append(pid)
    return roles


def _named(mark: str) -> str:
    return ", ".join(f"{len(pids)} {role}" for role, pids in _of_roles(mark).items()) or "nothing"


def _until(probe: Callable[[], object], expectation: str) -> None:
    end_s = time.monotonic() + _PATIENCE_S
    while not probe():
        if time.monotonic() > end_s:
            raise TimeoutError(expectation)
        time.sleep(0.05)


CAMPAIGN = Campaign(
    tries="processes of a play are killed in mid-play: every key comes up, the game and all else ends, "
    "committed steps are whole, and the next run plays",
    rig=_rig,
    screen=True,
    alone=False,
)
