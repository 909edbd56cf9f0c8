"""The memory that an agent of a suite begins with: a file, or a snapshot of the operator's memory."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.skills import SkillTerms, as_profile_skill, usable_skill
from pitwall.memory.reader import MemoryReader
from pitwall.memory.transfer.files import snapshot_file
from pitwall.memory.transfer.jsonl import JsonlFile

_ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class FirstMemory:
    """A memory that runs begin with.

    Attributes:
        text: path of the file, or what names the snapshot. content_hash: of its entries.
    """

    text: str
    content_hash: str


@contextlib.contextmanager
def memory_as_file(text: str, data: DataFolder) -> Iterator[Path]:
    """Give the file of a memory: the named one, or a snapshot written out for the time of the block.

    Raises:
        UnknownSnapshot: it names neither.
    """
    if text.endswith(_ENDING):
        yield Path(text)
        return
    with (
        tempfile.TemporaryDirectory(prefix="pitwall-memory-") as folder,
        contextlib.closing(MemoryReader(data)) as reader,
    ):
        yield reader.export(Path(folder) / f"snapshot{_ENDING}", "jsonl", snapshot=text).path


def first_memory(named: str, folder: Path, data: DataFolder, games: Mapping[str, Game]) -> FirstMemory:
    """Read and check a memory that runs of some games begin with.

    Args:
        named: a snapshot, or a file's path, relative to `folder`.

    Raises:
        PitwallError: it is not there, its hash is another one, or it is of another game or version.
    """
    text = str((folder / named).resolve()) if named.endswith(_ENDING) else named
    with memory_as_file(text, data) as file:
        content_hash, _ = snapshot_file(file)
        with contextlib.closing(JsonlFile(file, "")) as lines:
            entries = [row for row in lines.rows() if row.game_id in games]
    if not entries:
        raise PitwallError(
            f"it holds nothing of {' or '.join(sorted(games))}.", "Name a memory of a game that is played."
        )
    terms = {game_id: SkillTerms.of(game.profile) for game_id, game in games.items()}
    for entry in entries:
        skill = entry.content
        if isinstance(skill, SkillMemory) and skill.status == "active":
            try:
                usable_skill(as_profile_skill(skill), terms[entry.game_id])
            except PitwallError as error:
                raise PitwallError(
                    f"it was made for another version of {entry.game_id}: {error.what}",
                    "Retire or forget that skill, and take the snapshot again.",
                ) from None
    return FirstMemory(text, content_hash)
