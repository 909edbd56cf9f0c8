"""Lists the embedders, best first: the one of the settings, the installed one, hashed words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pitwall.core.errors import PitwallError
from pitwall.core.fault_log import FaultLog
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import installed_embedder
from pitwall.models.spec import ModelSpec
from pitwall.store.components import can_install, component

HASHING = HashingEmbedder.name
_NOT_INSTALLED = PitwallError(
    "no sentence-embedding model is installed: states are compared by hashed words.",
    "With a network, installer/run builds it; or choose one: pitwall settings set memory.embedder NAME",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderCandidate:
    """An embedder that might serve.

    Attributes:
        name: identifies its vectors: the registry's name and the beginning of its file's hash.
        spec: the model; None for hashed words.
    """

    name: str
    spec: ModelSpec | None = None


class EmbedderChoice:
    """The candidates, one after the other, and why those before were passed over.

    Args:
        chosen: the model that the settings name, what is wrong with it, or None where they name none.
        folder: where the installed one lies; None: the environment's own.
    """

    def __init__(self, name: str, chosen: ModelSpec | PitwallError | None, folder: Path | None) -> None:
        self.problems = FaultLog()
        self._candidates = self._found(name, chosen, folder)

    def next(self) -> EmbedderCandidate:
        """The next best; hashed words are the last, again and again."""
        return next(self._candidates, EmbedderCandidate(name=HASHING))

    def _found(
        self, name: str, chosen: ModelSpec | PitwallError | None, folder: Path | None
    ) -> Iterator[EmbedderCandidate]:
        if name == HASHING:
            return
        if isinstance(chosen, ModelSpec):
            yield EmbedderCandidate(name=f"{chosen.name}@{_short_hash(chosen)}", spec=chosen)
        elif chosen is not None:
            self.problems.add(chosen)
        try:
            installed = installed_embedder(folder)
        except PitwallError as error:
            self.problems.add(error)
            return
        if installed is None:
            if component("sentences").present or not can_install():  # else the Models page offers it
                self.problems.add(_NOT_INSTALLED)
            return
        yield EmbedderCandidate(name=installed.about.name, spec=installed.spec)


def _short_hash(spec: ModelSpec) -> str:
    """Return a short hash of the model's file, or of an endpoint's address and model."""
    whole = spec.sha256 or hashlib.sha256(f"{spec.url} {spec.remote_model}".encode()).hexdigest()
    return whole[:8]
