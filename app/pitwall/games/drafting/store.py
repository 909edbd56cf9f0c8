"""Keeps drafts in the data folder, so that nothing is lost when the window closes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.drafting.draft import Draft
from pitwall.store.folder_errors import write_file

_MOST_BYTES = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDraft:
    """A draft in the data folder.

    Attributes:
        changed_s: when it was last written, in seconds since 1970.
    """

    draft: Draft
    file: Path
    changed_s: float


def draft_file(data: DataFolder, game_id: str) -> Path:
    """Return the path of a game's draft."""
    return data.drafts / f"{game_id}.json"


def written_file(data: DataFolder, game_id: str) -> Path:
    """Return the path of the file with the SHA-256 of a draft's folder as it was last written."""
    return data.drafts / f"{game_id}.written"


def save_draft(data: DataFolder, draft: Draft) -> Path:
    """Save a draft, whole or not at all, and return its file.

    Raises:
        DataFolderError: it cannot be written.
    """
    file = draft_file(data, draft.game_id)
    write_file(file, draft.model_dump_json(indent=1) + "\n")
    return file


def read_draft(file: Path) -> Draft:
    """Read a draft from its file.

    Raises:
        PitwallError: the file cannot be read or holds no draft; names the file and the key.
    """
    try:
        return read_model(Draft, file, most_bytes=_MOST_BYTES, fix="Mend it, or add the game anew.")
    except FileNotFoundError:
        raise PitwallError(f"{file} is not there.", "Name a draft's file.") from None


def saved_drafts(data: DataFolder) -> list[SavedDraft]:
    """List the saved drafts, newest first, without unreadable files."""
    drafts = []
    for file in data.drafts.glob("*.json") if data.drafts.is_dir() else ():
        try:
            drafts.append(SavedDraft(draft=read_draft(file), file=file, changed_s=file.stat().st_mtime))
        except (PitwallError, OSError):
            continue
    return sorted(drafts, key=lambda draft: -draft.changed_s)


def delete_draft(data: DataFolder, game_id: str) -> None:
    """Delete a draft, if there is one."""
    draft_file(data, game_id).unlink(missing_ok=True)
