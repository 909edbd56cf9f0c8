"""Prompts of one long run with every layer at its cap, against one that keeps the transcript (SPEC §4).

Counts are those of a real tokeniser (the tiny model's); the state's is estimated while composing, as in a
run, and counted afterwards. Timed is everything that the engine does for a prompt: wording the state,
checking that every text is counted, and composing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import llama_cpp
import numpy as np

from pitwall.core.calls import Purpose
from pitwall.core.prompts import PROMPT_LAYERS, Layer, Message, Prompt, Span
from pitwall.core.settings import LayerSettings
from pitwall.engine.inference.token_counts import TokenCounts
from pitwall.memory.prompt.compose import compose
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.models.host_requests import HostReply, HostRequest, Tokenise, Tokenised
from pitwall.models.spec import ModelSpec
from workshop.benchmarks.planning.prompt_game import Play, filled_book
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.tiny_models import tiny_text_model

_EARLY, _LATE = 50, 5_000
_WINDOW = 50
"""Decisions up to and including the early and the late measured one."""
_QUICK_ROUNDS, _ROUNDS = 4, 100
_MOST_GROWTH, _MOST_MS = 1.02, 1.0
_SEED = 7
_SPEC = ModelSpec(name="tiny", kind="gguf")


def run(*, quick: bool) -> dict[str, Any]:
    """Measure a run of 5,000 decisions: its prompts around the 50th and at the end."""
    with TemporaryDirectory() as folder:
        tokens = _Tokeniser(tiny_text_model(Path(folder) / "tiny.gguf"))
        book, layers = filled_book(Path(folder) / "game", tokens.of)
        return _measured(book, layers, tokens, rounds=_QUICK_ROUNDS if quick else _ROUNDS)


@dataclass(slots=True)
class _Window:
    """Figures around a decision: tokens and composing times of prompts; `processor_ms` is this process's."""

    tokens: list[float] = field(default_factory=list)
    took_ms: list[float] = field(default_factory=list)
    processor_ms: list[float] = field(default_factory=list)
    peer_tokens: list[float] = field(default_factory=list)
    peer_took_ms: list[float] = field(default_factory=list)


def _measured(
    book: PromptLayers, layers: LayerSettings, tokens: _Tokeniser, *, rounds: int
) -> dict[str, Any]:
    """Run the same run twice, one after the other: neither side is timed with the other's memory in use."""
    ours = _Ours(book, layers, tokens)
    windows = {_EARLY: _Window(), _LATE: _Window()}
    filled: dict[Layer, float] = {}
    for play, _, window in _decisions(book, windows):
        if window is not None:
            for _ in range(rounds):
                before = time.thread_time()
                window.took_ms.append(_ms(partial(ours.compose, play)))
                window.processor_ms.append((time.thread_time() - before) * 1e3)
            prompt = ours.compose(play)
            window.tokens.append(sum(tokens.of(span.text) for span in prompt.spans))
            for layer, share in _shares(prompt, layers, tokens.of):
                filled[layer] = max(filled.get(layer, 0.0), share)
    peer = _Transcript(ours.compose(Play(book, seed=_SEED)).messages[0], tokens.of)
    for play, reply, window in _decisions(book, windows):
        spans = ours.compose(play).spans
        state = "".join(span.text for span in spans if span.layer is Layer.STATE)
        if window is not None:
            window.peer_took_ms += [_ms(partial(peer.compose, state)) for _ in range(rounds)]
            window.peer_tokens.append(peer.tokens(state))
        peer.add(state, reply)
    return _report(windows[_EARLY], windows[_LATE], filled, layers)


def _decisions(book: PromptLayers, windows: dict[int, _Window]) -> Iterator[tuple[Play, str, _Window | None]]:
    """Yield the run decision by decision: the play, its reply, and the window it belongs to."""
    play = Play(book, seed=_SEED)
    while play.decision < _LATE:
        play.go_on()
        inside = [window for end, window in windows.items() if end - _WINDOW < play.decision <= end]
        yield play, play.reply(), inside[0] if inside else None


def _report(
    early: _Window, late: _Window, filled: dict[Layer, float], layers: LayerSettings
) -> dict[str, Any]:
    growth = float(np.median(late.tokens) / np.median(early.tokens))
    size, peer_size = spread(late.tokens), spread(late.peer_tokens)["p50"]
    took, peer_took = spread(late.took_ms), spread(late.peer_took_ms)["p50"]
    fullest = max(filled.values())
    return report(
        "prompt",
        [
            check(
                "tokens at decision 5,000",
                "tok",
                size,
                aim="≤ 1.02 of decision 50's",
                met=growth <= _MOST_GROWTH,
                peer=("transcript", peer_size),
                ratio=growth,
            ),
            check(
                "compose at decision 5,000",
                "ms",
                took,
                aim="≤ 1 ms (p95)",
                met=took["p95"] <= _MOST_MS,
                peer=("transcript", peer_took),
                ratio=peer_took / took["p50"],
            ),
            check("fullest layer", "", figure(fullest), aim="≤ 1 of its cap", met=fullest <= 1.0),
        ],
        decision_50={
            "tokens": spread(early.tokens),
            "compose_ms": spread(early.took_ms),
            "transcript_tokens": spread(early.peer_tokens)["p50"],
            "transcript_ms": spread(early.peer_took_ms)["p50"],
        },
        processor_ms=spread(late.processor_ms),
        filled={layer.value: round(share, 3) for layer, share in sorted(filled.items())},
        caps=layers.model_dump(),
        tokeniser="of the generated tiny model, for both",
        transcript="the same first layers, then every state and reply since the run began",
    )


class _Tokeniser:
    """A model's vocabulary. Counts are cached: the same text is never counted twice."""

    def __init__(self, path: Path) -> None:
        self._model = llama_cpp.Llama(str(path), n_ctx=64, verbose=False)
        self._kept: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Count the tokens of a text."""
        if text not in self._kept:
            if len(self._kept) > 4096:
                self._kept.clear()
            self._kept[text] = len(self._model.tokenize(text.encode("utf-8"), add_bos=False, special=False))
        return self._kept[text]


class _CountingHost:
    """The host as the engine's token counts know it: answers counts at once."""

    generation = 1

    def __init__(self, tokens: _Tokeniser, counts: Callable[[Tokenised], object]) -> None:
        self._tokens = tokens
        self._answer = counts

    def fileno(self) -> int | None:
        return 0

    def pump(self) -> list[HostReply]:
        return []

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        assert isinstance(request, Tokenise) and not blob
        self.waiting = Tokenised(
            request_id=request.request_id, counts=tuple(self._tokens.of(text) for text in request.texts)
        )
        return True

    def deliver(self) -> None:
        """Hand over the answer."""
        self._answer(self.waiting)


class _Ours:
    """Prompts as the engine composes them."""

    def __init__(self, book: PromptLayers, layers: LayerSettings, tokens: _Tokeniser) -> None:
        self._book = book
        self._layers = layers
        host = _CountingHost(tokens, lambda reply: self._counts.take(reply))
        self._counts = TokenCounts(host)
        if not self._counts.exact(_SPEC, book.texts(Purpose.PLAN)):
            host.deliver()
        sample = Play(book, seed=1).state()
        self._counts.learn(_SPEC.name, sample, tokens.of(sample))

    def compose(self, play: Play) -> Prompt:
        """Compose the prompt of the play's decision."""
        assert self._counts.exact(_SPEC, self._book.texts(Purpose.PLAN))
        return compose(
            self._book,
            purpose=Purpose.PLAN,
            values=play.values,
            turn=[_user(play.state())],
            count=lambda text: self._counts.count(_SPEC.name, text),
            layers=self._layers,
        )


class _Transcript:
    """The peer: the same first layers, then every state and reply since the run began."""

    def __init__(self, first: Message, count: Callable[[str], int]) -> None:
        self._messages = [first]
        self._count = count
        self._past = count(first.text)

    def compose(self, state: str) -> str:
        """Compose the whole prompt as text."""
        return "".join(message.text for message in (*self._messages, _user(state)))

    def tokens(self, state: str) -> int:
        """Count the tokens of the whole prompt."""
        return self._past + self._count(state)

    def add(self, state: str, reply: str) -> None:
        """Add a finished decision."""
        answer = Message(role="assistant", spans=(Span(layer=Layer.STATE, text=reply),))
        self._messages += [_user(state), answer]
        self._past += self._count(state) + self._count(reply)


def _user(state: str) -> Message:
    return Message(role="user", spans=(Span(layer=Layer.STATE, text=state),))


def _shares(
    prompt: Prompt, layers: LayerSettings, count: Callable[[str], int]
) -> Iterator[tuple[Layer, float]]:
    """Calculate each layer's share of its cap in tokens."""
    caps = [layers.l1_tokens, layers.l2_tokens, layers.l3_tokens]
    caps += [layers.l4_tokens, layers.l5_tokens, layers.state_tokens]
    for layer, cap in zip(PROMPT_LAYERS, caps, strict=True):
        yield layer, sum(count(span.text) for span in prompt.spans if span.layer is layer) / cap


def _ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3
