"""`pitwall doctor`: checks the installation, and capture and input on a real window."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pitwall.cli.doctor_report import write_report
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.real_machine import machine_findings
from pitwall.cli.reporter import Reporter
from pitwall.cli.virtual_screen import has_screen, screen_or_virtual
from pitwall.core import commands, telemetry
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.core.telemetry import EngineState
from pitwall.desktops.contract import Finding
from pitwall.desktops.here import this_desktop
from pitwall.games.registry import GameEntry, Registry
from pitwall.link.engine_session import EngineSession
from pitwall.models.embedder.installed import INSTALL, NONE_INSTALLED, check_model, installed_embedder
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import llama_is_installed, with_shipped
from pitwall.store.components import absence, component_of
from pitwall.store.run_reader import RunReader

_PROBES: tuple[Literal["capture", "leak", "input", "stop"], ...] = (
    ("capture", "input", "stop") if sys.platform == "win32" else ("capture", "leak", "input", "stop")
)
_NO_LEAK_PROBE = "whether another window gets into the picture is not probed on Windows yet"
_OF_THE_SYSTEM = ("windows-capture", "pynput") if sys.platform == "win32" else ("xcffib",)
_PACKAGES = ("PySide6-Essentials", "opencv-python", *_OF_THE_SYSTEM, "sqlalchemy", "rapidocr", "pygame-ce")


def doctor(
    game: Annotated[str, typer.Option("--game", help="Game to try capture and input on.")] = "flappy",
    report: Annotated[
        Path | None,
        typer.Option(
            help="Also write everything into this file to send it, without names, folders and window titles."
        ),
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Check programs, display, machine, data folder, games; then capture and keys on a real window."""
    folder = data_folder(data)
    findings = [
        *_machine(),
        *machine_findings(folder),
        _data(folder),
        _thinker(folder),
        _embedder(folder),
        *_games(folder),
    ]
    with screen_or_virtual() as screen:
        findings += _screen(screen, folder)
        if all(finding.passed for finding in findings if finding.name == "display"):
            findings += _probes(folder, game)
    passed = all(finding.passed for finding in findings)
    lines = [
        f"{'ok  ' if finding.passed else 'FAIL'} {finding.name:14s} {finding.text} {finding.fix}".rstrip()
        for finding in findings
    ]
    if report is not None:
        write_report(report, lines, folder, command="pitwall doctor --report")
        typer.echo(f"The report is in {report}. Read it before you send it.", err=True)
    Reporter(json).result({"passed": passed, "findings": findings}, lines)
    if not passed:
        raise typer.Exit(1)


def _machine() -> list[Finding]:
    python = Finding(
        "python", sys.version_info >= (3, 11), f"{platform.python_version()} {platform.machine()}"
    )
    findings = [python]
    for name in _PACKAGES:
        try:
            findings.append(Finding(name, True, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            later = component_of(name)
            lacks = absence(later.key) if later is not None else ("not installed", "Run installer/run again.")
            findings.append(Finding(name, later is not None, *lacks))
    if not has_screen():
        for program in ("Xvfb", "openbox"):
            path = shutil.which(program)
            fix = "" if path else "sudo apt-get install xvfb openbox"
            findings.append(Finding(program, path is not None, path or "not installed", fix))
    return findings


_DECIDERS = {
    "skills": "the skill planner",
    "explore": "the default agent",
    "random": "chance",
    "idle": "no agent: each step waits",
}
"""Planners that need no model, in words."""


def _data(folder: DataFolder) -> Finding:
    try:
        with contextlib.closing(RunReader.open(folder)) as reader:
            return Finding("data folder", True, f"{folder.root}: {reader.count()} runs")
    except PitwallError as error:
        return Finding("data folder", False, error.what, error.fix)


def _thinker(folder: DataFolder) -> Finding:
    """Check the planner: having no model is no fault, but a chosen model that is gone is one."""
    name = "planner"
    try:
        settings = load_settings(folder.settings)
        planner = settings.control.planner
        model = with_shipped(settings).models.strategic
        if planner not in ("auto", "model"):
            who = _DECIDERS[planner]
            return Finding(name, True, f"{who}, as the settings choose")
        if settings.models.strategic:
            ModelRegistry(folder).get(model)
            return Finding(name, True, f"{model}, as the settings choose")
    except PitwallError as error:
        return Finding(name, False, error.what, error.fix)
    if model:
        return Finding(name, True, f"{model}, which ships with Pitwall: no other model is chosen")
    if settings.models.shipped and not llama_is_installed():
        return Finding(name, True, "the skill planner: the model that ships with Pitwall needs llama.cpp")
    return Finding(name, True, "the skill planner: no model is chosen")


def _embedder(folder: DataFolder) -> Finding:
    """Check the memory's embedder: having only the fallback is no fault, but a damaged model is one."""
    name = "embedder"
    try:
        chosen = load_settings(folder.settings).memory.embedder
        if chosen:
            ModelRegistry(folder).get(chosen)
            return Finding(name, True, f"{chosen}, as the settings choose")
        installed = installed_embedder()
        if installed is None:
            return Finding(name, True, f"{NONE_INSTALLED}.", INSTALL)
        check_model(installed)
    except PitwallError as error:
        return Finding(name, False, error.what, error.fix)
    return Finding(name, True, installed.text)


def _games(folder: DataFolder) -> list[Finding]:
    return [
        Finding(
            f"game {entry.game_id}",
            not entry.fault,
            entry.fault or _game_text(entry),
        )
        for entry in Registry(folder).games()
    ]


def _game_text(entry: GameEntry) -> str:
    if not entry.playable:
        return f"{entry.name}: {entry.lacking}"
    return f"{entry.name}: {entry.seat.text}" if entry.seat is not None else entry.name


def _screen(screen: str, folder: DataFolder) -> list[Finding]:
    try:
        this_desktop().check()
    except PitwallError as error:
        return [Finding("display", False, error.what, error.fix)]
    notes = [*this_desktop().notes(), *([_NO_LEAK_PROBE] if sys.platform == "win32" else [])]
    return [Finding("display", True, screen), _seat(folder), *(Finding("note", True, note) for note in notes)]


def _seat(folder: DataFolder) -> Finding:
    name = "own keyboard"
    try:
        wanted = load_settings(folder.settings).broker.own_seat
        return Finding(name, True, this_desktop().describe_seat(wanted=wanted))
    except PitwallError as error:
        return Finding(name, False, error.what, error.fix)


def _probes(folder: DataFolder, game: str) -> list[Finding]:
    session = EngineSession(folder, commands.Open(game=game, settings=load_settings(folder.settings)))
    waiting: set[str] = set(_PROBES)
    asked = False
    findings: list[Finding] = []
    try:
        while waiting:
            for record in session.wait(1.0):
                if isinstance(record, telemetry.ProbeResult):
                    findings.append(Finding(record.name, record.passed, record.text, record.fix))
                    waiting.discard(record.name)
                elif isinstance(record, telemetry.StateChanged):
                    if record.state is EngineState.FAILED:
                        return [*findings, Finding("game", False, record.text, record.fix)]
                    if record.state is EngineState.READY and not asked:
                        asked = True
                        for name in _PROBES:
                            session.send(commands.Probe(name=name))
    except PitwallError as error:
        findings.append(Finding("engine", False, error.what, error.fix))
    finally:
        session.close()
    return findings
