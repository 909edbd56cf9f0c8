"""Reads a suite's YAML file, and reports every fault at once: line, key, expected value and nearest name."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from pitwall.core.errors import Fault, SuiteError, nearest
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.core.validation import faults_of
from pitwall_bench.suites.checking import Checker
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.spec import AgentSpec, GameTasks, SuiteSpec
from pitwall_bench.suites.yaml_text import YamlText, read_yaml


def read_suite(file: Path, data: DataFolder) -> Plan:
    """Read a suite into a plan for this machine.

    Args:
        file: YAML. data: the data folder with the games and models that it names.

    Raises:
        SuiteError: with every fault of the file.
    """
    return read_text(read_yaml(file), file, data)


def read_text(text: YamlText, file: Path, data: DataFolder) -> Plan:
    """Read a suite as `read_suite` does, from a parsed document.

    Args:
        file: its folder is the base of games' paths.

    Raises:
        SuiteError: with every fault of it.
    """
    faults = list(text.twice())
    spec: SuiteSpec | None = None
    try:
        spec = SuiteSpec.model_validate(text.value)
    except ValidationError as error:
        faults += faults_of(error, file, model=SuiteSpec, document=text.value, line_of=text.line_of)
    checker = Checker(text, file.parent, data)
    faults += checker.faults()
    if faults or spec is None:
        raise SuiteError(str(file), sorted(list(dict.fromkeys(faults)), key=lambda fault: fault.line))
    memories = {agent: memory.content_hash for agent, memory in checker.memories.items()}
    return Plan(_spelt_out(spec, checker), checker.games, checker.wanted, memories)


def bundled_suites() -> dict[str, Path]:
    """Return the bundled suites by the name of their file."""
    folder = resources_dir() / "suites"
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


def suite_file(named: str) -> Path:
    """Find a suite's file by its path, or by a bundled suite's name.

    Raises:
        SuiteError: there is none; names the nearest bundled one.
    """
    path = Path(named)
    bundled = bundled_suites()
    if path.is_file() or named not in bundled:
        if path.is_file() or path.suffix or len(path.parts) > 1:
            return path
        near = nearest(named, bundled)
        expected = f"a YAML file, or one of {', '.join(bundled)}"
        fault = Fault(file=named, key="file", problem="is not there", expected=expected, nearest=near)
        raise SuiteError(named, [fault])
    return bundled[named]


def _spelt_out(spec: SuiteSpec, checker: Checker) -> SuiteSpec:
    """Write out ids for paths, task ids for "all", and each game once."""
    tasks: dict[str, dict[str, None]] = {}
    for entry in spec.games:
        for game in checker.fitting.get(entry.game) or [checker.ids[entry.game]]:
            every = [task.id for task in checker.games[game].profile.tasks]
            known = every if entry.tasks == "all" else [task for task in entry.tasks if task in every]
            tasks.setdefault(game, {}).update(dict.fromkeys(known))
    games = [GameTasks(game=game, tasks=list(ids)) for game, ids in tasks.items()]
    ladders = [ladder.model_copy(update={"game": checker.ids[ladder.game]}) for ladder in spec.ladders]
    agents = [_with_memory(agent, checker) for agent in spec.agents]
    return spec.model_copy(update={"games": games, "ladders": ladders, "agents": agents})


def _with_memory(agent: AgentSpec, checker: Checker) -> AgentSpec:
    """Write out the path of the memory's file."""
    memory = checker.memories.get(agent.name)
    return agent if memory is None else agent.model_copy(update={"memory": memory.text})
