"""Plays one run on a screen of its own: scores an agent or the demonstrator, records, corrects."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus
from pitwall.core.paths import TRUTH_VARIABLE, DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.launcher import launch
from pitwall.games.schema.modules import Trial
from pitwall.games.schema.profile import Game
from pitwall.link.autoplay import AutoPlay
from pitwall.link.child_process import dies_with_parent
from pitwall.link.engine_session import EngineSession
from pitwall.link.virtual_screen import virtual_screen
from pitwall_evaluation.agent_process import agent_process, last_complaints
from pitwall_evaluation.sandbox import Sandbox
from pitwall_evaluation.truth.state import TruthReader
from pitwall_lab.game_trials.watch import TrialWatch
from workshop.benchmarks.child_command import PITWALL, last_object

_OPENING_S, _LOOK_S = 90.0, 0.03
_CORRECTED_S, _ALONE_S = 4.0, 6.0
"""Length of a correction, and how long the agent plays alone before the next one."""


def agent_score(data: DataFolder, game: Game, trial: Trial, seed: int, words: list[str]) -> dict[str, Any]:
    """Score one game played by `pitwall run` with these words: 0 if it never began.

    Raises:
        PitwallError: it was not played.
    """
    with _sandbox(data) as sandbox:
        seconds = str(_OPENING_S + trial.seconds)
        command = [*_pitwall("run", data), "--game", game.game_id, "--seed", str(seed), "--seconds", seconds]
        with agent_process([*command, "--json", *words], sandbox, game) as play:

            def alive() -> bool:
                play.hear()
                return not play.ended

            facts = _watched(trial, sandbox.truth, alive)
        summary = play.heard.summary
        fault = last_complaints(sandbox) or play.heard.fault
        state = TruthReader(sandbox.truth).read()
        if facts is None and not fault and state is not None and state.status is GameStatus.MENU:
            facts = {"score": 0.0, "seconds": 0.0, "over": "never begun"}
        if facts is None:
            raise PitwallError(f"{game.game_id} was not played: {fault or _standing(sandbox.truth)}")
    return facts | {"reaction_p95_ms": summary.reaction_ms.p95 if summary else None}


def demonstrator_score(data: DataFolder, game: Game, trial: Trial, seed: int) -> dict[str, Any]:
    """Score one game played by the demonstrator, with no engine.

    Raises:
        PitwallError: it was not played.
    """
    with _sandbox(data) as sandbox, _display(sandbox.display):
        env = {TRUTH_VARIABLE: str(sandbox.truth)}
        program = launch(game, seed=seed, data=data.root, env=env, scenario=trial.scenario)
        try:
            with _demonstrator(sandbox, game, _OPENING_S + trial.seconds, seed) as player:
                facts = _watched(trial, sandbox.truth, lambda: player.poll() is None)
        finally:
            program.close()
        if facts is None:
            why = last_complaints(sandbox) or _standing(sandbox.truth)
            raise PitwallError(f"{game.game_id} was not played: {why}")
        return facts


def recorded(data: DataFolder, game: Game, scenario: str, minutes: float, seed: int) -> dict[str, Any]:
    """Record the demonstrator's play by `pitwall teach record`, and return its last note.

    Raises:
        PitwallError: it was not recorded.
    """
    with _sandbox(data) as sandbox, _display(sandbox.display):
        command = [*_pitwall("teach", data, "record"), "--game", game.game_id, "--minutes", str(minutes)]
        command += ["--scenario", scenario] if scenario else []
        command += ["--seed", str(seed), "--who", "demonstrator", "--json"]
        with _demonstrator(sandbox, game, _OPENING_S + 2 * 60 * minutes, seed):
            return last_object(command)


def corrected(
    data: DataFolder, game: Game, scenario: str, modules: dict[str, str], minutes: float, seed: int
) -> None:
    """Let a version play; every few seconds the demonstrator takes over and then gives it back."""
    with _sandbox(data) as sandbox, _display(sandbox.display):
        settings = load_settings(data.settings).with_value("control", "planner", "skills")
        opening = commands.Open(
            game=game.game_id, settings=settings, seed=seed, scenario=scenario, modules=modules
        )
        session, autoplay = EngineSession(data, opening), AutoPlay(commands.Start(seconds=60 * minutes))
        until_s = time.monotonic() + _OPENING_S + 60 * minutes
        spells = ("--spells", f"{_ALONE_S:g}:{_CORRECTED_S:g}")
        try:
            with _demonstrator(sandbox, game, _OPENING_S + 60 * minutes, seed, *spells) as player:
                while not autoplay.done and time.monotonic() < until_s:
                    for record in session.wait(_LOOK_S):
                        for command in autoplay.react(record):
                            session.send(command)
                    if player.stdout is not None and player.stdout.read():
                        session.send(commands.Resume())
        finally:
            session.close()


def pitwall(data: DataFolder, *words: str) -> dict[str, Any]:
    """Run a command of Pitwall on a data folder, in JSON."""
    return last_object([*_pitwall(words[0], data, *words[1:]), "--json"])


def _pitwall(name: str, data: DataFolder, *words: str) -> list[str]:
    return [*PITWALL, name, *words, "--data", str(data.root)]


def _watched(trial: Trial, truth: Path, alive: Callable[[], bool]) -> dict[str, Any] | None:
    """Follow the true state until the game is over; None if it was never played."""
    watch, reader, opened_s = TrialWatch(trial), TruthReader(truth), time.monotonic()
    while True:
        lives, state, now_s = alive(), reader.read(), time.monotonic()
        if state is not None and watch.take(state, now_s) is not None:
            break
        late = watch.began_s is None and now_s - opened_s > _OPENING_S
        if not lives or late or watch.late(now_s):
            break
        time.sleep(_LOOK_S)
    if watch.score is None or watch.began_s is None:
        return None
    return {"score": watch.score, "seconds": round(now_s - watch.began_s, 1), "over": watch.over or "time"}


def _standing(truth: Path) -> str:
    """Describe the state of a game that nobody began."""
    state = TruthReader(truth).read()
    return (
        "it wrote no true state" if state is None else f"it never began, its status is {state.status.value}"
    )


@contextlib.contextmanager
def _sandbox(data: DataFolder) -> Iterator[Sandbox]:
    with TemporaryDirectory(prefix="pitwall-imitate-") as folder, virtual_screen() as display:
        yield Sandbox(data, Path(folder, "truth.json"), Path(folder, "errors.txt"), display)


@contextlib.contextmanager
def _display(name: str) -> Iterator[None]:
    """Set the screen on which this process's children appear."""
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["DISPLAY"]
        else:
            os.environ["DISPLAY"] = before


@contextlib.contextmanager
def _demonstrator(
    sandbox: Sandbox, game: Game, seconds: float, seed: int, *words: str
) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "workshop.demonstrator.player", game.game_id, "--seconds", str(seconds)]
    command += ["--seed", str(seed), "--data", str(sandbox.data.root), *words]
    with sandbox.errors.open("wb") as complaints:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=complaints, preexec_fn=dies_with_parent(signal.SIGTERM)
        )
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
