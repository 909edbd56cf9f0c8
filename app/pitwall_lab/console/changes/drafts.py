"""Saves the operator's untrained changes on disk as they are typed, so that none is lost. No Qt.

DATA/modules/GAME/MODULE/drafts/VERSION.py is a changed reward function, VERSION.json holds changed rules.
Each is a change to the version of that name. Only the console writes them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall_lab.console.view_model import ModuleKey

Kind = Literal["reward", "rules"]
_ENDINGS: dict[Kind, str] = {"reward": ".py", "rules": ".json"}
_VERSION = re.compile(r"rules|shipped|v\d+")


class DraftKey(NamedTuple):
    """Identifies a draft: its module, its version, and what it changes."""

    module: ModuleKey
    version: str
    kind: Kind


class Drafts:
    """The drafts of one data folder."""

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._texts: dict[DraftKey, str] = {}

    def file(self, key: DraftKey) -> Path:
        """Return the path of a draft, whether it exists or not."""
        folder = self._data.modules / key.module.game_id / key.module.module / "drafts"
        return folder / f"{key.version}{_ENDINGS[key.kind]}"

    def get(self, key: DraftKey) -> str | None:
        """Return the draft's text; None without a draft."""
        if key not in self._texts:
            with contextlib.suppress(OSError, UnicodeDecodeError):
                self._texts[key] = self.file(key).read_text(encoding="utf-8")
        return self._texts.get(key)

    def put(self, key: DraftKey, text: str) -> Path:
        """Save a draft and return its file; the text stays in memory even if writing fails.

        Raises:
            DataFolderError: the folder is read-only or full.
        """
        self._texts[key] = text
        file = self.file(key)
        write_file(file, text)
        return file

    def drop(self, key: DraftKey) -> None:
        """Delete a draft, if it exists."""
        self._texts.pop(key, None)
        with contextlib.suppress(OSError):
            self.file(key).unlink(missing_ok=True)

    def all(self) -> list[DraftKey]:
        """List every draft, including those of earlier windows."""
        return sorted({*self._texts, *self._on_disk()})

    def _on_disk(self) -> Iterator[DraftKey]:
        kinds = {ending: kind for kind, ending in _ENDINGS.items()}
        for file in self._data.modules.glob("*/*/drafts/*"):
            if file.suffix in kinds and _VERSION.fullmatch(file.stem):
                game_id, module = file.parts[-4], file.parts[-3]
                yield DraftKey(ModuleKey(game_id, module), file.stem, kinds[file.suffix])
