"""Makes a game's folder of a draft: written aside, checked, then put into its place in one move."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from pitwall.core.errors import DataFolderError, Fault, ManifestError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.checks.folder import check_game
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.learned_module import REWARD, reward_text
from pitwall.games.drafting.store import written_file
from pitwall.games.drafting.toml_writer import counted_fields, manifest_text, prompt_text, rules_text
from pitwall.games.manifest import MANIFEST
from pitwall.games.registry import Registry
from pitwall.games.trust import content_hash, trust
from pitwall.store.folder_errors import write_file


class GameThere(PitwallError):
    """A folder of this name is there already, and nobody said that it may be replaced."""


def folder_of(data: DataFolder, draft: Draft) -> Path:
    """Return the folder of a draft's game among the operator's own games."""
    return data.games / draft.game_id


def faults_of_draft(draft: Draft) -> list[Fault]:
    """Check the draft as the conformance checker would, without writing it for good."""
    if draft.missing:
        return [_lacking(draft, MANIFEST)]
    with tempfile.TemporaryDirectory(prefix="pitwall-draft-") as aside:
        lay_out(draft, Path(aside))
        return _placed(check_game(Path(aside)), Path(aside), Path())


def write_game(draft: Draft, folder: Path, *, replace: bool = False) -> None:
    """Write a game's folder, whole or not at all.

    Args:
        folder: the game's folder itself.
        replace: take the place of a folder that is there; what it holds is gone then.

    Raises:
        GameThere: there is such a folder, and it may not be replaced.
        ManifestError: the draft is unfinished, or the checker finds faults; nothing was written.
        DataFolderError: the folder cannot be written.
    """
    if draft.missing:
        raise ManifestError(str(folder / MANIFEST), [_lacking(draft, str(folder / MANIFEST))])
    put_game(folder, lambda aside: lay_out(draft, aside), replace=replace)


def put_game(folder: Path, lay_out: Callable[[Path], None], *, replace: bool = False) -> None:
    """Write a game's folder aside, check it, and put it in place: whole or not at all.

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
    """Whether a folder is there that is not as this draft was last written: it was changed elsewhere."""
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
    """Write the game and trust it: the operator made it just now. Returns its folder.

    Args:
        goes_on: the draft was gone on with: what it wrote before may be replaced while that is as it was.

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
    """Write the files of a game into a folder that is there.

    Raises:
        OSError: a file cannot be written.
        PitwallError: a picture of the draft is none, or would lie outside the folder.
    """
    (folder / MANIFEST).write_text(manifest_text(draft), encoding="utf-8")
    (folder / "rules.md").write_text(rules_text(draft), encoding="utf-8")
    (folder / "prompts").mkdir()
    (folder / "prompts" / "player.md").write_text(prompt_text(draft), encoding="utf-8")
    if not draft.play.steers:
        (folder / REWARD).parent.mkdir()
        (folder / REWARD).write_text(reward_text(counted_fields(draft)), encoding="utf-8")
    lay_out_pictures(draft, folder)


def lay_out_pictures(draft: Draft, folder: Path) -> None:
    """Write the pictures of a draft, as `lay_out`."""
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


def _put(aside: Path, folder: Path) -> None:
    """Rename into place; a folder that is there steps aside first, and comes back where that fails."""
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
    """Faults that name the folder they are meant for."""
    return [
        dataclasses.replace(
            fault,
            file=str(folder / MANIFEST),
            problem=fault.problem.replace(str(aside), str(folder)),
        )
        for fault in faults
    ]
