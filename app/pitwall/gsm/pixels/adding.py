"""Takes in a pixel policy that was made elsewhere: checked against manifest and game, tried, measured."""

from __future__ import annotations

import shutil
from pathlib import Path

from pitwall.core.paths import DataFolder
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import read_manifest
from pitwall.gsm.pixels.probe import measured_rate, require_rate
from pitwall.gsm.pixels.space import UnfitPolicy, space_in
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import folder_error

POLICY = "policy.onnx"


def add_policy(data: DataFolder, folder: ModuleFolder, file: Path, manifest: Path) -> VersionRecord:
    """Keep a policy as a further version of a module, with its licence and its rate on this machine.

    Raises:
        DamagedFile: the manifest cannot be read. UnfitPolicy: it is for another game, or no ONNX file.
        BadPolicy, TooSlow: it is not what the manifest says, or too slow here. Nothing is kept then.
    """
    if file.suffix != ".onnx":
        raise UnfitPolicy(
            f"{file} is no ONNX file.",
            "A safetensors file holds a network's numbers but not the network: export it to ONNX with the "
            "program that it came with.",
        )
    policy = read_manifest(manifest)
    space = space_in(folder.game, policy)
    try:
        rate = measured_rate(data, policy, file)
        require_rate(policy.name, rate)
    except BadPolicy as error:
        raise type(error)(f"{manifest}: {error.what}", error.fix) from None
    about = folder.new(
        VersionRecord(
            game_id=folder.game.game_id,
            module=folder.declared.name,
            version="",
            kind="policy",
            title=f"{policy.name} ({policy.licence})",
            why=policy.source,
            by="operator",
            created_at=0.0,
            profile_hash=folder.game.profile_hash,
            learned=space,
            policy_sha256=policy.sha256,
            rate=rate,
        )
    )
    try:
        shutil.copyfile(file, folder.folder(about.version) / POLICY)
    except OSError as error:
        shutil.rmtree(folder.folder(about.version), ignore_errors=True)
        raise folder_error(error, folder.folder(about.version)) from error
    return about
