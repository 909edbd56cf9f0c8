"""The library mem0 itself (PyPI mem0ai 2.2.1, Apache-2.0), where it is installed: its store and its search.

Each turn is added without inference and embedded by Pitwall's embedder; nothing leaves the machine. Mem0 lets
a model extract facts with a prompt of 33,956 characters, more than the small models here can read.
"""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from pitwall.core.errors import SettingsError
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.systems.protocol import Entry
from pitwall_exam.answering.systems.statements import statements_of
from pitwall_exam.answering.turns import Turn, turn_text

_EPISODE = "episode"
_UNREACHED = {"api_key": "none", "openai_base_url": "http://127.0.0.1:9/v1"}
"""For the endpoints that the library wants named; neither is ever called."""


def mem0_installed() -> bool:
    """Return whether the library is installed."""
    try:
        return bool(version("mem0ai"))
    except PackageNotFoundError:
        return False


class Mem0Library:
    """Adds every turn to a memory of mem0, and searches it.

    Raises:
        SettingsError: the library is not installed.
    """

    title: ClassVar[str] = "mem0's library, without a writer"
    about: ClassVar[str] = "every turn in its own words, stored and searched by the library mem0 itself"

    def __init__(self, vectors: SentenceVectors) -> None:
        if not mem0_installed():
            raise SettingsError(
                "the library mem0 is not installed.", "Install it beside Pitwall: pip install mem0ai"
            )
        folder = Path(tempfile.mkdtemp(prefix="mem0-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._memory = _memory(folder, vectors)
        self._entries: dict[str, Entry] = {}

    def observe(self, turn: Turn) -> None:
        """Add the next turn."""
        entry = Entry(turn_text(turn), statements_of(turn))
        added = self._memory.add(entry.text, user_id=_EPISODE, infer=False)
        self._entries |= {result["id"]: entry for result in added["results"]}

    def entries(self) -> Sequence[Entry]:
        """Return all turns."""
        return list(self._entries.values())

    def recall(self, question: str, k: int) -> Sequence[Entry]:
        """Return what the library's search gives, best first."""
        hits = self._memory.search(question, filters={"user_id": _EPISODE}, top_k=k, threshold=0.0)
        return [self._entries[hit["id"]] for hit in hits["results"] if hit["id"] in self._entries]


class _Embedder:
    """Gives the library our vectors, by the methods that it calls."""

    def __init__(self, vectors: SentenceVectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return [float(value) for value in self._vectors([text])[0]]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


def _memory(folder: Path, vectors: SentenceVectors) -> Any:
    """Return a memory whose files lie in a folder, without the library's own reports to its makers."""
    os.environ["MEM0_TELEMETRY"] = "False"
    os.environ["MEM0_DIR"] = str(folder)
    size = vectors(["one turn"]).shape[1]
    store = {"path": str(folder / "vectors"), "embedding_model_dims": size}
    memory = importlib.import_module("mem0").Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": {"provider": "openai", "config": _UNREACHED},
            "embedder": {"provider": "openai", "config": {**_UNREACHED, "embedding_dims": size}},
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embedder(vectors)
    return memory
