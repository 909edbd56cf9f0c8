"""Vectors of texts during play: requested from the host, taken when they have come. Nothing waits.

Until a vector has come the caller gets None, and does not ask the graph.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import FaultLog, PitwallError
from pitwall.core.settings import MemorySettings
from pitwall.engine.inference.host_link import HostConnection
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import installed_embedder
from pitwall.models.embedder.vectors import rows_of
from pitwall.models.host_requests import Cancel, Embed, Embedded, HostFault, Priority
from pitwall.models.spec import ModelSpec
from pitwall.store.components import can_install, component

HASHING = HashingEmbedder.name
_NOT_INSTALLED = PitwallError(
    "no sentence-embedding model is installed: states are compared by hashed words.",
    "With a network, installer/run builds it; or choose one: pitwall settings set memory.embedder NAME",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderCandidate:
    """An embedder that might be used.

    Attributes:
        name: identifies its vectors: the registry's name and the beginning of its file's hash.
        spec: the model; None for hashed words.
    """

    name: str
    spec: ModelSpec | None = None


class EmbedderChoice:
    """Lists the candidates, best first: the settings' model, the installed one, hashed words.

    Args:
        chosen: the settings' model, or the error that rules it out; None if they name none.
        folder: folder of the installed model; None: the environment's own.

    Attributes:
        problems: why better candidates were passed over.
    """

    def __init__(self, name: str, chosen: ModelSpec | PitwallError | None, folder: Path | None) -> None:
        self.problems = FaultLog()
        self._candidates = self._ranked(name, chosen, folder)

    def next(self) -> EmbedderCandidate:
        """Return the next best candidate; hashed words come last, any number of times."""
        return next(self._candidates, EmbedderCandidate(name=HASHING))

    def _ranked(
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


MOST_CACHED = 8192
MOST_WAITING = 16_384

_AT_ONCE = 8
_AIM_MS = 50.0
"""Longest time one request should take: a slower model gets fewer texts at once."""
_LONGEST = 4_000
"""How many letters of a text are sent: more than any encoder reads."""
_PROBE = "state"
"""The first text for each model: it loads the model, and shows that it works."""
_DEATHS = 2
"""So many deaths of the host without an answer rule a model out; another model may have caused the first."""
_PATIENCE_NS = 120 * NS_PER_S
_NO_HOST_NS = 20 * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flight:
    """A request on its way."""

    number: int
    texts: tuple[str, ...]
    generation: int
    sent_ns: int


class Embedder:
    """Turns texts into vectors of length 1, by the best embedder that works.

    The settings' model comes first, then the installed one, then hashed words. A model that fails is passed
    over until the settings or the registry change, and the reason is reported once. Only one request is under
    way at a time; the newest text goes first.

    Args:
        resolve: returns the registry's model of a name; raises PitwallError if there is none.
        installed: folder of the installed model; None: the environment's own.
        most_cached: how many vectors are kept; the least recently used goes first.
    """

    def __init__(
        self,
        host: HostConnection,
        settings: Callable[[], MemorySettings],
        resolve: Callable[[str], ModelSpec],
        *,
        installed: Path | None = None,
        most_cached: int = MOST_CACHED,
    ) -> None:
        self._host = host
        self._settings = settings
        self._resolve = resolve
        self._installed = installed
        self._most_cached = most_cached
        self._hashing = HashingEmbedder()
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._waiting: OrderedDict[str, None] = OrderedDict()
        self._problems = FaultLog()
        self._chosen: tuple[str, ModelSpec | None] | None = None
        self._last_number = 0
        self._flight: _Flight | None = None
        self._follow()

    # ---- requests

    @property
    def name(self) -> str:
        """Return whose vectors these are; empty until the model has shown that it works."""
        return self._candidate.name if self._width else ""

    @property
    def waiting(self) -> int:
        """Return how many requested texts have no vector yet."""
        return len(self._waiting) + (len(self._flight.texts) if self._flight is not None else 0)

    def ask(self, text: str) -> None:
        """Request a text's vector, ahead of earlier requests."""
        if text in self._cache or (self._flight is not None and text in self._flight.texts):
            return
        self._waiting[text] = None
        self._waiting.move_to_end(text)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)

    def vector(self, text: str) -> NDArray[np.float32] | None:
        """Return a text's vector, (width,), of length 1; None if it is not there yet: it is then requested.

        A text that cannot be embedded has zeros, which resemble nothing.
        """
        self._follow()
        known = self._cache.get(text)
        if known is not None:
            self._cache.move_to_end(text)
            return known
        if self._candidate.spec is None:
            return self._keep(text, self._hashing.embed([text[:_LONGEST]])[0])
        self.ask(text)
        return None

    def pump(self) -> None:
        """Take replies and send requests. Never waits."""
        self._follow()
        for reply, blob in self._host.pump_letters():
            if self._flight is None or reply.request_id != self._flight.number:
                continue
            if isinstance(reply, Embedded):
                self._take(reply, blob)
            elif isinstance(reply, HostFault):
                self._refused(reply)
        self._watch()
        self._send()

    def problems(self) -> list[PitwallError]:
        """Return the reasons why embedders were passed over, each once."""
        return self._problems.take()

    # ---- which embedder

    def _follow(self) -> None:
        """Choose an embedder, again whenever the settings or the registry change."""
        name = self._settings().embedder
        chosen: ModelSpec | PitwallError | None = None
        if name not in ("", HASHING):
            try:
                chosen = self._resolve(name)
            except PitwallError as error:
                chosen = error
        key = (name, chosen if isinstance(chosen, ModelSpec) else None)
        if key != self._chosen:
            self._chosen = key
            self._choice = EmbedderChoice(name, chosen, self._installed)
            self._next()

    def _next(self) -> None:
        """Switch to the next candidate and forget the vectors of the previous one."""
        if self._flight is not None:
            self._host.send(Cancel(request_id=self._flight.number))
            self._put_back(self._flight.texts)
        self._candidate: EmbedderCandidate = self._choice.next()
        for problem in self._choice.problems.take():
            self._problems.add(problem)
        self._width = self._hashing.dims if self._candidate.spec is None else 0
        self._cache.clear()
        self._flight = None
        self._deaths = 0
        self._text_ms = 0.0
        self._singly = 0
        self._no_host_since_ns: int | None = None
        self._generation = self._host.generation

    def _pass_over(self, why: str) -> None:
        failed = self._candidate.name.partition("@")[0]
        self._next()
        instead = "Hashed words serve" if self._candidate.spec is None else f"{self._candidate.name} serves"
        self._problems.add(
            PitwallError(f"the embedder {failed} cannot be used: {why}", f"{instead} in its place.")
        )

    # ---- the host

    def _send(self) -> None:
        spec = self._candidate.spec
        if spec is None:
            self._waiting.clear()
            return
        memory = self._settings()
        unproven = not self._width and memory.knowledge_graph and not memory.global_only
        if self._flight is not None or not (self._waiting or unproven):
            return
        texts = self._batch() if self._width else (_PROBE,)
        self._last_number += 1
        request = Embed(
            request_id=self._last_number,
            model=spec,
            texts=tuple(text[:_LONGEST] for text in texts),
            priority=Priority.REACTIVE,
        )
        if not self._host.send(request):
            self._put_back(texts)
            self._without_host()
            return
        self._no_host_since_ns = None
        self._generation = self._host.generation
        self._flight = _Flight(
            number=self._last_number, texts=texts, generation=self._generation, sent_ns=now_ns()
        )

    def _batch(self) -> tuple[str, ...]:
        """Return the texts that go next, newest first."""
        most = _AT_ONCE if self._text_ms <= 0 else max(1, min(_AT_ONCE, int(_AIM_MS / self._text_ms)))
        if self._singly:
            most, self._singly = 1, self._singly - 1
        return tuple(self._waiting.popitem()[0] for _ in range(min(most, len(self._waiting))))

    def _put_back(self, texts: tuple[str, ...]) -> None:
        for text in reversed(texts):
            if text != _PROBE:
                self._waiting[text] = None
                self._waiting.move_to_end(text)

    def _take(self, reply: Embedded, blob: bytes) -> None:
        assert self._flight is not None
        texts = self._flight.texts
        try:
            rows = rows_of(reply, blob)
        except PitwallError as error:
            self._pass_over(error.what)
            return
        if len(rows) != len(texts) or not rows.shape[1] or self._width not in (0, rows.shape[1]):
            self._pass_over(f"it gave {len(rows)} × {rows.shape[1]} numbers for {len(texts)} texts.")
            return
        self._flight = None
        self._deaths = 0
        if not self._width:
            self._width = rows.shape[1]  # the probe's time includes loading the model
        else:
            self._text_ms = 0.7 * self._text_ms + 0.3 * reply.took_ms / len(texts)
        for text, row in zip(texts, rows, strict=True):
            self._waiting.pop(text, None)
            self._keep(text, row)

    def _refused(self, fault: HostFault) -> None:
        assert self._flight is not None
        texts = self._flight.texts
        if fault.error != "BadInput" or not self._width:
            self._pass_over(fault.what)
            return
        self._flight = None
        self._deaths = 0
        if len(texts) == 1:
            self._keep(texts[0], np.zeros(self._width, np.float32))
            return
        self._put_back(texts)
        self._singly = len(texts)

    def _watch(self) -> None:
        """Send a request again that died with its host, unless that happens repeatedly."""
        flight = self._flight
        if flight is None:
            return
        if flight.generation != self._host.generation or self._host.fileno() is None:
            self._flight = None
            self._put_back(flight.texts)
            self._died()
        elif now_ns() - flight.sent_ns > _PATIENCE_NS:
            self._pass_over(f"it did not answer within {_PATIENCE_NS // NS_PER_S} s.")

    def _without_host(self) -> None:
        """Handle a failed send: the host died as it started, or may not be restarted yet."""
        now = now_ns()
        if self._host.generation != self._generation:
            self._generation = self._host.generation
            self._died()
            return
        if self._no_host_since_ns is None:
            self._no_host_since_ns = now
        elif now - self._no_host_since_ns > _NO_HOST_NS:
            self._pass_over("there is no model host.")

    def _died(self) -> None:
        self._deaths += 1
        if self._deaths >= _DEATHS:
            self._pass_over("the model host dies when it is asked.")

    def _keep(self, text: str, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        vector.setflags(write=False)
        self._cache[text] = vector
        self._cache.move_to_end(text)
        while len(self._cache) > self._most_cached:
            self._cache.popitem(last=False)
        return vector
