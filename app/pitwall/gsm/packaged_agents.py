"""Finds the agents that other packages bring, by entry points: versions of modules, as data.

An agent's folder holds the files of a version: about.json, and policy.onnx where it is a policy
(`gsm/versions.py`). Nothing of the package is imported. Trusting an agent makes it a version here.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.rail import named_folders
from pitwall.gsm.version_record import ABOUT, VersionRecord

ENTRY_POINTS = "pitwall.agents"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedAgent:
    """An agent of an installed package.

    Attributes:
        package: its name and version. licence: as the package states it; empty where it states none.
        about: as its maker wrote it; its scores are the maker's own.
    """

    name: str
    package: str
    licence: str
    folder: Path
    about: VersionRecord

    @property
    def title(self) -> str:
        """Return its name, package and licence, like: calm of pitwall-catch-calm 1.0.0 (MIT)."""
        return f"{self.name} of {self.package} ({self.licence or 'no licence named'})"

    @property
    def how_to_trust(self) -> str:
        """Return the command that makes it a version here."""
        module = f"{self.about.game_id}/{self.about.module}"
        return f"Look at {self.folder}, then: pitwall gsm trust {module} {self.name}"


def packaged_agents() -> tuple[list[PackagedAgent], list[PitwallError]]:
    """List the agents of installed packages, and the errors of those that cannot be read."""
    agents: list[PackagedAgent] = []
    faults: list[PitwallError] = []
    for point, folder in named_folders(ENTRY_POINTS):
        try:
            about = read_model(VersionRecord, folder / ABOUT, fix="Install the package again, or remove it.")
        except FileNotFoundError:
            faults.append(
                PitwallError(
                    f"the agent {point.name!r} has no {folder / ABOUT}.",
                    f"Name its folder: [project.entry-points.{ENTRY_POINTS!r}] NAME = package:folder",
                )
            )
        except DamagedFile as error:
            faults.append(error)
        else:
            agents.append(_agent(point, folder, about))
    return agents, faults


def agents_for(agents: Iterable[PackagedAgent], game_id: str, module: str) -> list[PackagedAgent]:
    """List the agents that play a module of a game."""
    return [agent for agent in agents if (agent.about.game_id, agent.about.module) == (game_id, module)]


def _agent(point: importlib.metadata.EntryPoint, folder: Path, about: VersionRecord) -> PackagedAgent:
    package, licence = "a package without a name", ""
    if point.dist is not None:
        metadata = point.dist.metadata
        package = f"{point.dist.name} {point.dist.version}"
        licence = next(
            (str(metadata[key]) for key in ("License-Expression", "License") if key in metadata), ""
        )
    return PackagedAgent(name=point.name, package=package, licence=licence, folder=folder, about=about)
