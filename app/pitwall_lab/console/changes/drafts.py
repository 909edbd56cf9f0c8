"""Keeps the operator's untrained changes on disk as they are typed, so that none is lost. No Qt.

DATA/modules/GAME/MODULE/drafts/VERSION.py is a changed reward function, VERSION.json changed rules; each is
a change to the version of that name. The console alone writes them.
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
    """Whose draft: of which version, and of what of it."""

    module: ModuleKey
    version: str
    kind: Kind


class Drafts:
    """Drafts of one data folder.

    Args:
        data: where they lie.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._texts: dict[DraftKey, str] = {}

    def file(self, key: DraftKey) -> Path:
        """Return the path of a draft, whether it exists or not."""
        folder = self._data.modules / key.module.game_id / key.module.module / "drafts"
        return folder / f"{key.version}{_ENDINGS[key.kind]}"

    def get(self, key: DraftKey) -> str | None:
        """The draft's text; None where there is none."""
        if key not in self._texts:
            with contextlib.suppress(OSError, UnicodeDecodeError):
                self._texts[key] = self.file(key).read_text(encoding="utf-8")
        return self._texts.get(key)

    def put(self, key: DraftKey, text: str) -> Path:
        """Keep a draft; it is kept here even where it cannot be written. Returns its file.

        Raises:
            DataFolderError: the folder is read-only or full.
        """
        self._texts[key] = text
        file = self.file(key)
        write_file(file, text)
        return file

    def drop(self, key: DraftKey) -> None:
        """Throw a draft away; nothing happens where there is none."""
        self._texts.pop(key, None)
        with contextlib.suppress(OSError):
            self.file(key).unlink(missing_ok=True)

    def all(self) -> list[DraftKey]:
        """Every draft there is, those of earlier windows too."""
        return sorted({*self._texts, *self._on_disk()})

    def _on_disk(self) -> Iterator[DraftKey]:
        kinds = {ending: kind for kind, ending in _ENDINGS.items()}
        for file in self._data.modules.glob("*/*/drafts/*"):
            if file.suffix in kinds and _VERSION.fullmatch(file.stem):
                game_id, module = file.parts[-4], file.parts[-3]
                yield DraftKey(ModuleKey(game_id, module), file.stem, kinds[file.suffix])
