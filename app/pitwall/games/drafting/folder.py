"""Writes a game's folder from a draft: into a temporary folder, checked, then moved into place."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from pitwall.core.errors import DataFolderError, Fault, ManifestError, PitwallError
from pitwall.core.geometry import WindowRef
from pitwall.core.paths import DataFolder
from pitwall.games.checks.folder import check_game
from pitwall.games.drafting.draft import Draft, DraftAction
from pitwall.games.drafting.learned_module import REWARD, reward_text
from pitwall.games.drafting.store import written_file
from pitwall.games.drafting.toml_writer import counted_fields, manifest_text, prompt_text, rules_text
from pitwall.games.manifest import MANIFEST
from pitwall.games.registry import Registry
from pitwall.games.schema.profile import BARE_WINDOW, Screen, WindowMatch
from pitwall.games.trust import content_hash, trust
from pitwall.store.folder_errors import write_file

_LONGEST_NAME = 80


class GameThere(PitwallError):
    """A folder of this name exists, and replacing it was not allowed."""


def folder_of(data: DataFolder, draft: Draft) -> Path:
    """Return the folder of a draft's game among the operator's own games."""
    return data.games / draft.game_id


def faults_of_draft(draft: Draft) -> list[Fault]:
    """Check a draft as the conformance checker would, in a temporary folder."""
    if draft.missing:
        return [_lacking(draft, MANIFEST)]
    with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
        lay_out(draft, Path(aside))
        return _placed(check_game(Path(aside)), Path(aside), Path())


def write_game(draft: Draft, folder: Path, *, replace: bool = False) -> None:
    """Write a game's folder, whole or not at all.

    Args:
        folder: the game's folder itself.
        replace: replace a folder that exists; its contents are lost.

    Raises:
        GameThere: the folder exists, and may not be replaced.
        ManifestError: the draft is unfinished, or the checker finds faults; nothing was written.
        DataFolderError: the folder cannot be written.
    """
    if draft.missing:
        raise ManifestError(str(folder / MANIFEST), [_lacking(draft, str(folder / MANIFEST))])
    put_game(folder, lambda aside: lay_out(draft, aside), replace=replace)


def put_game(folder: Path, lay_out: Callable[[Path], None], *, replace: bool = False) -> None:
    """Write a game's folder aside, check it, and move it into place: whole or not at all.

    Args:
        lay_out: writes the files into the folder that it is given.

    Raises:
        GameThere, ManifestError, DataFolderError: as `write_game`.
    """
    if folder.exists() and not replace:
        raise GameThere(
            f"{folder} is there already.",
            "Give the game another id, or let it be replaced (--replace).",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise DataFolderError(f"{folder.parent} cannot be written: {error.strerror}.") from None
    try:
        lay_out(aside)
        if faults := check_game(aside):
            raise ManifestError(str(folder / MANIFEST), _placed(faults, aside, folder))
        aside.chmod(0o755)
        _put(aside, folder)
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def asks_to_replace(data: DataFolder, draft: Draft) -> bool:
    """Return whether the folder exists and was changed since this draft was written to it."""
    folder = folder_of(data, draft)
    if not folder.exists():
        return False
    try:
        written = written_file(data, draft.game_id).read_text(encoding="ascii")
        return content_hash(folder) != written
    except (OSError, UnicodeDecodeError, PitwallError):
        return True


def add_game(
    data: DataFolder, draft: Draft, *, out: Path | None = None, replace: bool = False, goes_on: bool = False
) -> Path:
    """Write a draft's game, trust it, and return its folder.

    Args:
        goes_on: an earlier version of this draft was written: its unchanged folder may be replaced.

    Raises:
        GameThere, ManifestError, DataFolderError: as `write_game`.
    """
    folder = (out if out is not None else folder_of(data, draft)).resolve()
    own = goes_on and out is None and not asks_to_replace(data, draft)
    write_game(draft, folder, replace=replace or own)
    trust(data, Registry(data).load(str(folder)))
    if out is None:
        write_file(written_file(data, draft.game_id), content_hash(folder))
    return folder


def lay_out(draft: Draft, folder: Path) -> None:
    """Write the files of a game into an existing folder.

    Raises:
        OSError: a file cannot be written.
        PitwallError: a picture of the draft is damaged, or would be written outside the folder.
    """
    (folder / MANIFEST).write_text(manifest_text(draft), encoding="utf-8")
    (folder / "rules.md").write_text(rules_text(draft), encoding="utf-8")
    (folder / "prompts").mkdir()
    (folder / "prompts" / "player.md").write_text(prompt_text(draft), encoding="utf-8")
    if not draft.play.steers:
        (folder / REWARD).parent.mkdir()
        (folder / REWARD).write_text(reward_text(dict.fromkeys(counted_fields(draft), 1.0)), encoding="utf-8")
    lay_out_pictures(draft, folder)


def lay_out_pictures(draft: Draft, folder: Path) -> None:
    """Write the pictures of a draft; raises as `lay_out`."""
    for name, text in draft.pictures.items():
        path = (folder / name).resolve()
        try:
            picture = base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            raise PitwallError(f"pictures.{name} is no picture.", "Draw its box anew.") from None
        if not path.is_relative_to(folder.resolve()) or path.suffix != ".png":
            raise PitwallError(
                f"pictures.{name} of the draft is no PNG inside the folder.", "Draw its box anew."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)


def lay_out_window(window: WindowRef, folder: Path) -> None:
    """Write a minimal game folder, whose profile matches one open window, into an empty folder."""
    name = "".join(letter if letter.isprintable() else " " for letter in window.title).strip()
    draft = Draft(
        game_id=BARE_WINDOW,
        name=name[:_LONGEST_NAME] or "A window",
        window=WindowMatch(title=f"^{re.escape(window.title)}$"),
        screen=Screen(width=window.rect.width, height=window.rect.height),
        actions=[DraftAction(name="rest")],
    )
    lay_out(draft, folder)


def _put(aside: Path, folder: Path) -> None:
    """Move the new folder into place; restore the old one where that fails."""
    if not folder.exists():
        aside.rename(folder)
        return
    before = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent)) / "before"
    folder.rename(before)
    try:
        aside.rename(folder)
    except OSError:
        before.rename(folder)
        raise
    finally:
        shutil.rmtree(before.parent, ignore_errors=True)


def _lacking(draft: Draft, file: str) -> Fault:
    return Fault(file=file, key="draft", problem="is not finished", expected=" and ".join(draft.missing))


def _placed(faults: list[Fault], aside: Path, folder: Path) -> list[Fault]:
    """Return the faults with the final folder's path in place of the temporary one."""
    return [
        dataclasses.replace(
            fault,
            file=str(folder / MANIFEST),
            problem=fault.problem.replace(str(aside), str(folder)),
        )
        for fault in faults
    ]
