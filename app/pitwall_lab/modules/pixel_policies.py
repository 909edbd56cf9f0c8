"""Takes in a pixel policy that was made elsewhere: checked against manifest and game, tried, measured."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from pitwall.core.paths import DataFolder
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import PixelPolicy, read_manifest
from pitwall.gsm.pixels.probe import check_hash, measured_rate, require_rate
from pitwall.gsm.pixels.space import UnfitPolicy, space_in
from pitwall.gsm.version_record import POLICY, VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import folder_error
from pitwall_lab.modules.safetensors import joined


def add_policy(data: DataFolder, folder: ModuleFolder, file: Path, manifest: Path) -> VersionRecord:
    """Keep a policy as a further version of a module, with its licence and its rate on this machine.

    Raises:
        DamagedFile: manifest, numbers or network cannot be read. UnfitPolicy: it is for another game, or
            neither an ONNX nor a safetensors file.
        BadPolicy, TooSlow: it is not what the manifest says, or too slow here. Nothing is kept then.
    """
    policy = read_manifest(manifest)
    with TemporaryDirectory(prefix="pitwall-policy-") as scratch:
        if file.suffix == ".safetensors":
            file, policy = _joined(file, manifest, policy, Path(scratch))
        elif file.suffix != ".onnx":
            raise UnfitPolicy(f"{file} is neither an ONNX nor a safetensors file.", "Export it to ONNX.")
        return _added(data, folder, file, manifest, policy)


def _joined(file: Path, manifest: Path, policy: PixelPolicy, scratch: Path) -> tuple[Path, PixelPolicy]:
    """Make an ONNX file of a safetensors file's numbers and the network beside the manifest."""
    if not policy.graph:
        raise UnfitPolicy(
            f"{file} holds a network's numbers but not the network.",
            'Name the network\'s ONNX file in the manifest: graph = "network.onnx". It needs no numbers.',
        )
    check_hash(policy, file)
    content = joined(file, manifest.parent / policy.graph, policy)
    made = scratch / POLICY
    made.write_bytes(content)
    return made, policy.model_copy(update={"sha256": hashlib.sha256(content).hexdigest()})


def _added(
    data: DataFolder, folder: ModuleFolder, file: Path, manifest: Path, policy: PixelPolicy
) -> VersionRecord:
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
