"""The client of ChromaDB's process (`chroma_peer`)."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from workshop.benchmarks.peers.environments import peer_python

REQUIREMENT = "chromadb==1.5.9"
_PROGRAM = Path(__file__).with_name("chroma_peer.py")
_LAST_WORDS = 600


class Chroma:
    """ChromaDB in memory, in a process of its own.

    Raises:
        PitwallError: it cannot be installed or started, or it died.
    """

    def __init__(self) -> None:
        python = peer_python(REQUIREMENT)
        self.version = ""
        self._folder = tempfile.TemporaryDirectory(prefix="pitwall-chroma-")
        self._words = Path(self._folder.name) / "words.txt"
        self._collections = 0
        with self._words.open("wb") as words:
            self._process = subprocess.Popen(
                [str(python), "-I", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=words,
                cwd=self._folder.name,
                env={**os.environ, "HOME": self._folder.name},
                text=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def fill(self, vectors: NDArray[np.float32], queries: NDArray[np.float32]) -> None:
        """Add vectors, numbered from 1, and the questions to be asked."""
        files = {}
        for name, rows in (("vectors", vectors), ("queries", queries)):
            files[name] = str(Path(self._folder.name) / f"{name}.npy")
            np.save(files[name], rows)
        self._collections += 1
        answer = self._answer({"fill": {**files, "name": f"collection-{self._collections}"}})
        self.version = answer["version"]

    def ask(self, query: int, k: int) -> tuple[list[int], float]:
        """Return the k nearest to a question by its number, and the milliseconds of the search."""
        answer = self._answer({"ask": {"query": query, "k": k}})
        return answer["ids"], answer["took_ms"]

    def _answer(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            words = self._words.read_text(encoding="utf-8", errors="replace").strip()
            raise PitwallError(f"ChromaDB, the peer, ended: {words[-_LAST_WORDS:] or 'without a word'}")
        return json.loads(line)
