"""Takes in an agent that a package brings: from then on it is a version of its module like any other."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.games.checks.folder import check_module
from pitwall.gsm.inference import read_policy
from pitwall.gsm.packaged_agents import PackagedAgent, agents_for, packaged_agents
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.pixels.space import space_in
from pitwall.gsm.version_record import ABOUT, POLICY, VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder, behaviour
from pitwall.store.folder_errors import write_file
from pitwall_lab.modules.policy_probe import probe


class UnfitAgent(PitwallError):
    """A package's agent cannot play the module that it names."""


def offered(folder: ModuleFolder, agents: Sequence[PackagedAgent]) -> dict[str, tuple[PackagedAgent, str]]:
    """Return which of these agents play a module, by name, each with the version that it became here; empty
    text: as it is now, it has become none.
    """
    agents = agents_for(agents, folder.game.game_id, folder.declared.name)
    if not agents:
        return {}
    taken = {behaviour(about): about.version for about in folder.all()[0]}
    return {agent.name: (agent, taken.get(behaviour(_taken(folder, agent)), "")) for agent in agents}


def take_in(data: DataFolder, folder: ModuleFolder, name: str) -> VersionRecord:
    """Make a package's agent a version, of the bytes that it has now.

    Its rules must be the game's to follow; a policy is run once in a host. Its maker's scores do not count.

    Raises:
        UnfitAgent: there is none of that name; or it acts or looks at what the game has not; or it was taken
            in before. BadPolicy, UnfitPolicy: its policy is another than it says, or none for this game.
    """
    known = offered(folder, packaged_agents()[0])
    if name not in known:
        there = f"There are: {', '.join(known)}." if known else "Install a package that does."
        hint = suggestion(name, known, there)
        raise UnfitAgent(f"no package brings an agent {name!r} for {folder.name}.", hint)
    agent, version = known[name]
    if version:
        raise UnfitAgent(
            f"{agent.title} is {folder.name} {version} already.", f"See: pitwall gsm show {folder.name}"
        )
    about = _taken(folder, agent)
    _check_rules(folder, agent)
    if isinstance(about.learned, PixelSpace):
        space_in(folder.game, about.learned.pixels)  # says which key or action the game has not
    content = b"" if about.kind == "rules" else read_policy(agent.folder / POLICY, about.policy_sha256)
    made = folder.new(about)
    try:
        if content:
            write_file(folder.folder(made.version) / POLICY, content)
        probe(data, folder, made.version)
    except PitwallError:
        shutil.rmtree(folder.folder(made.version), ignore_errors=True)
        raise
    return made


def _taken(folder: ModuleFolder, agent: PackagedAgent) -> VersionRecord:
    """Return the record under which it is kept: what it is stays, where it came from is the package."""
    stays = ("game_id", "module", "kind", "detectors", "learned", "policy_sha256", "seed", "steps", "wall_s")
    kept = {name: getattr(agent.about, name) for name in stays}
    rules = agent.about.rules
    if rules is not None:  # what it is judged by and what may be learned of it is the game's to say
        declared = {name: getattr(folder.declared, name) for name in ("name", "trials", "learned")}
        rules = rules.model_copy(update=declared)
    return VersionRecord(
        **kept,
        version="",
        rules=rules,
        title=agent.title,
        why=agent.about.title or agent.about.why,
        by="operator",
        profile_hash=folder.game.profile_hash,
        standing=VersionStatus.TRAINED,
    )


def _check_rules(folder: ModuleFolder, agent: PackagedAgent) -> None:
    about, profile = agent.about, folder.game.profile
    if about.kind == "rules" and (about.rules is None or not about.rules.rules):
        raise UnfitAgent(f"{agent.folder / ABOUT} holds no rules.", "Give it rules, or a policy.")
    if about.rules is None:
        return
    others = [module for module in profile.modules if module.name != folder.declared.name]
    rules = about.rules.model_copy(update={"name": folder.declared.name})
    joined = profile.model_copy(update={"modules": others})
    faults = check_module(folder.game.folder, joined, rules, str(agent.folder / ABOUT))
    if faults:
        raise UnfitAgent(
            f"{agent.title} does not fit {folder.name}: {faults[0]}", "Ask its maker for another."
        )
