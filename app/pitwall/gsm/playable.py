"""Builds a module that plays a version: its rules, or its policy's file, read and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.gsm.cloned_module import learned_module
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.inference import Policy, read_policy
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.pixels.module import PixelModule
from pitwall.gsm.pixels.probe import check_hash
from pitwall.gsm.pixels.runner import WaitingRunner, spec_of
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import POLICY, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.models.host_client import HostClient


def module_of(
    folder: ModuleFolder, about: VersionRecord, *, host: HostClient | None = None, **play: Any
) -> Callable[[], GameSenseModule]:
    """Return a function that builds a version's module as the engine runs it.

    Args:
        host: runs a pixel policy, one decision at a time; None: pixel policies are refused.
        play: arguments of `learned_module`, like the callback of its decisions and its share of exploration.

    Raises:
        BadPolicy: its policy cannot be loaded. PitwallError: it has none yet.
    """
    game, module = folder.game, folder.declared
    if isinstance(about.learned, PixelSpace) and host is not None:
        pixels, file = about.learned.pixels, folder.folder(about.version) / POLICY
        check_hash(pixels, file)
        runner = WaitingRunner(host, spec_of(pixels, file))
        return lambda: PixelModule(module, about, runner, screen=game.profile.screen, **play)
    if isinstance(about.learned, PixelSpace):
        raise PitwallError(
            f"version {about.version} of {folder.name} runs in the host: it is judged on the screen.",
            f"Run: pitwall gsm evaluate {folder.name} --version {about.version}",
        )
    fields = frozenset(field.name for field in game.profile.fields)
    if about.kind == "rules":
        rules = about.rules or module
        return lambda: RuleModule(rules, fields, origin=about.version)
    if about.learned is None or not about.policy_sha256:
        raise PitwallError(f"version {about.version} of {folder.name} has no policy yet.", "Train it first.")
    content = read_policy(folder.folder(about.version) / POLICY, about.policy_sha256)
    policy = Policy(content, about.learned)
    return lambda: learned_module(module, about, policy, screen=game.profile.screen, **play)
