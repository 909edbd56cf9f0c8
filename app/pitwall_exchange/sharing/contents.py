"""The first file of a bundle, which lists its contents, and the places that other files may have."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

KIND = "pitwall-bundle"
VERSION = 1
"""Version of the bundle's format. It changes when a file's meaning changes, and when a file or key is added,
because readers refuse unknown ones."""
CONTENTS = "bundle.json"
RUN_LOG, MEMORY, PROFILE = "runs.sqlite", "memory.jsonl", "game/plugin.toml"
SUFFIX = ".pitwall"

_PLACE = re.compile(r"runs/\d{6,}(/[\w\-][\w\-.]*){1,4}", re.ASCII)


class PackedFile(BaseModel):
    """One file of a bundle: its SHA-256 in hexadecimal, and its size."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class Contents(BaseModel):
    """The contents of `bundle.json`.

    Attributes:
        versions: of the programs that made the bundle: pitwall, and the schemas.
        played_with: versions of the programs that played the run, from its log.
        profile: SHA-256 of the game's manifest when the run was played.
        profile_now: that of the manifest in the bundle; empty if the game is not installed here.
        memory: content hash of the entries in the bundle; empty without any.
        memory_of: "begin": as the run found it; "now": when the bundle was made; "none".
        missing: pictures that the run log names but that do not exist.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    v: int
    kind: str
    run_id: int = Field(ge=1)
    game_id: str
    game_name: str
    outcome: str
    steps: int = Field(ge=0)
    seconds: float = Field(ge=0)
    made_at: str
    versions: dict[str, str]
    played_with: dict[str, str]
    profile: str = ""
    profile_now: str = ""
    memory: str = ""
    memory_of: str = "none"
    missing: tuple[str, ...] = ()
    files: dict[str, PackedFile]
    sha256: str

    def content_hash(self) -> str:
        """Return the SHA-256 of all files' names and hashes, which copies of a bundle share."""
        return hash_of_files(self.files)


def hash_of_files(files: Mapping[str, PackedFile]) -> str:
    """Return the SHA-256 of lines of name and hash, sorted by name."""
    lines = "".join(f"{name} {files[name].sha256}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def may_contain(name: str, run_id: int) -> bool:
    """Return whether a bundle of this run may contain a file of this name, which must not lead elsewhere."""
    if name in (RUN_LOG, MEMORY, PROFILE):
        return True
    inside = _PLACE.fullmatch(name) is not None and name.startswith(f"runs/{run_id:06d}/")
    return inside and ".." not in name
