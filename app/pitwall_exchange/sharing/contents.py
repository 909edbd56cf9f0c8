"""What a bundle says of itself in its first file, and where its other files may lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

KIND = "pitwall-bundle"
VERSION = 1
"""Of the bundle's form. It changes where a file comes to mean something else; files and keys that a reader
does not know of are refused, so a new one changes it as well."""
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
    """What stands in `bundle.json`.

    Attributes:
        versions: of what made the bundle: pitwall, and the schemas.
        played_with: versions of what played the run, as its log has them.
        profile: SHA-256 of the game's manifest when the run was played.
        profile_now: that of the one in the bundle; empty where the game is not installed here.
        memory: content hash of the entries in the bundle; empty where there are none.
        memory_of: "begin": as the run found it; "now": as it stood when the bundle was made; "none".
        missing: pictures that the run log names and that are gone.
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
        """SHA-256 over the names and hashes of all files: what two copies of a bundle have in common."""
        return hash_of_files(self.files)


def hash_of_files(files: Mapping[str, PackedFile]) -> str:
    """SHA-256 over lines of name and hash, in the names' order."""
    lines = "".join(f"{name} {files[name].sha256}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def may_lie(name: str, run_id: int) -> bool:
    """Whether a bundle of this run can hold a file of this name: none that leads anywhere else."""
    if name in (RUN_LOG, MEMORY, PROFILE):
        return True
    inside = _PLACE.fullmatch(name) is not None and name.startswith(f"runs/{run_id:06d}/")
    return inside and ".." not in name
