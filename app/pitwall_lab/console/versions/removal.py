"""Deletes and rejects versions that do not drive. No Qt."""

from __future__ import annotations

import shutil

from pitwall.core.errors import PitwallError
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import RULES, SHIPPED, ModuleFolder
from pitwall.store.folder_errors import folder_error
from pitwall.store.lease import holder_of
from pitwall_lab.training_log import LOCK


def why_not_deletable(folder: ModuleFolder, version: str) -> str:
    """Return why a version must stay; empty if it may be deleted."""
    if version in (RULES, SHIPPED):
        return f"{version} belongs to the game's folder."
    if version == folder.driving():
        return f"{version} drives: promote another version, or roll back, first."
    if holder_of(folder.folder(version) / LOCK) is not None:
        return f"{version} is being trained: stop it first."
    return ""


def delete_version(folder: ModuleFolder, version: str) -> None:
    """Delete a version with its log, its checkpoint and its clips.

    Raises:
        PitwallError: it must stay, or it cannot be deleted.
    """
    why = why_not_deletable(folder, version)
    if why:
        raise PitwallError(why)
    where = folder.folder(version)
    if where.parent != folder.root or where.is_symlink():
        raise PitwallError(f"{where} is outside {folder.root}: it is not deleted.")
    try:
        shutil.rmtree(where)
    except FileNotFoundError:
        return
    except OSError as error:
        raise folder_error(error, where) from error


def reject(folder: ModuleFolder, version: str) -> None:
    """Mark a proposal as rolled back, because the operator rejects it.

    Raises:
        PitwallError: it is not a proposal, or cannot be written.
    """
    about = folder.about(version)
    if about.standing is not VersionStatus.PROPOSED:
        raise PitwallError(f"{folder.name}: {version} is {about.standing.value}, not proposed.")
    folder.write(
        about.model_copy(update={"standing": VersionStatus.ROLLED_BACK, "note": "rejected by the operator"})
    )
