"""The peer: ChromaDB alone, in memory. Run as a program, with the Python of the peers' environment.

Reads one JSON request per line and answers each with one JSON line. It is timed inside its own process: the
figures exclude the pipe and the JSON. Nothing of Pitwall is imported here.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import chromadb  # type: ignore[import-not-found, unused-ignore]
import numpy as np

_BATCH = 1000


class _Chroma:
    """Collections by name, compared by cosine."""

    def __init__(self) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client: Any = chromadb.EphemeralClient(settings=settings)
        self._collection: Any = None
        self._queries: Any = None

    def fill(self, vectors: str, queries: str, name: str) -> dict[str, Any]:
        """Take vectors in, numbered from 1. vectors, queries: files of numpy arrays, shape (n, dims)."""
        rows = np.load(vectors)
        self._queries = np.load(queries)
        space = {"hnsw": {"space": "cosine"}}
        self._collection = self._client.create_collection(name, configuration=space, embedding_function=None)
        began = time.perf_counter()
        for start in range(0, len(rows), _BATCH):
            part = rows[start : start + _BATCH]
            self._collection.add(ids=[str(start + n + 1) for n in range(len(part))], embeddings=part)
        return {"seconds": time.perf_counter() - began, "version": chromadb.__version__}

    def ask(self, query: int, k: int) -> dict[str, Any]:
        """Return the k nearest, and the time of the search."""
        vector = self._queries[query : query + 1]
        began = time.perf_counter()
        answer = self._collection.query(query_embeddings=vector, n_results=k, include=["distances"])
        took_ms = (time.perf_counter() - began) * 1e3
        return {"took_ms": took_ms, "ids": [int(name) for name in answer["ids"][0]]}


def main() -> int:
    """Answer until the input ends."""
    chroma = _Chroma()
    for line in sys.stdin:
        asked = json.loads(line)
        answer = chroma.fill(**asked["fill"]) if "fill" in asked else chroma.ask(**asked["ask"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
