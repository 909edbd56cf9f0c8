"""Measures how soon a model decides through the host process: plans, reactions, choices, stops, memory.

The prompts are those of the two controllers in the long game, every layer at its cap, each in a context of
its own. `$PITWALL_BENCH_MODEL` names a model, or a size whose weights are made here at random (`random-8b`):
for a machine's speed weights say nothing. A grammar refuses nearly every token that a random model likes
best, so its writing is the slowest case; `writes_free_per_s` is without a grammar.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from pitwall.core.calls import Purpose
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Prompt
from pitwall.core.settings import ModelSettings
from pitwall.host.backends.gguf.library import threads_for
from pitwall.models.free_memory import free_memory
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import (
    Choose,
    Complete,
    Completed,
    Loaded,
    LoadModel,
    Priority,
    Streamed,
    Tokenise,
    Tokenised,
    UnloadModel,
)
from pitwall.models.memory_estimate import estimate
from workshop.benchmarks.benchmark_model import BenchmarkModel, benchmark_model
from workshop.benchmarks.models.host_prompts import GAME, Prompts
from workshop.benchmarks.report import check, figure, load_average, report, spread

_SLOTS = {Purpose.PLAN: "strategic", Purpose.REACT: "fast"}
_WRITTEN = {Purpose.PLAN: 100, Purpose.REACT: 48}
"""Tokens of the longest reply: plans of a small real model took 54 to 108."""
_ROUNDS, _QUICK_ROUNDS = 5, 2
_STOPS, _QUICK_STOPS = 10, 3
_STOP_MS = 1000.0
_DEADLINE_MS = 600_000
_LEAST_ESTIMATED, _MOST_ESTIMATED = 0.95, 1.35


@dataclass(slots=True)
class Decisions:
    """The replies of each kind, and milliseconds after which the host was free again after a stop."""

    replies: dict[str, list[Completed]] = field(default_factory=dict)
    free_ms: dict[str, list[float]] = field(default_factory=dict)


def run(*, quick: bool) -> dict[str, Any]:
    """Ask one model; the machine's load is among the conditions."""
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        data = DataFolder(Path(scratch))
        model = benchmark_model(data, layers=2 if quick else 8, width=512, threads=threads_for(0))
        return measure(data, model, quick=quick)


def measure(data: DataFolder, model: BenchmarkModel, *, quick: bool) -> dict[str, Any]:
    """Load the model, ask, stop, and unload it."""
    spec, header = model.entry.spec, model.entry.header
    assert header is not None
    before = free_memory().vram_bytes
    with HostClient(data.logs, data=data.root) as client:
        asker = Asker(client, model)
        began = time.monotonic()
        (loaded,) = client.answer(LoadModel(request_id=client.number(), model=spec), kind=Loaded).models
        load_s = time.monotonic() - began
        asked = _ask_all(asker, Prompts(data, asker.count, spec.context - 200), quick=quick)
        (loaded,) = client.answer(LoadModel(request_id=client.number(), model=spec), kind=Loaded).models
        on_gpu = loaded.device != "CPU"
        taken = before - (free_memory().vram_bytes or 0) if on_gpu and before else loaded.memory_bytes
        need = estimate(
            header,
            context=spec.context,
            gpu_layers=spec.gpu_layers if on_gpu else 0,
            slots=len(loaded.slots),
            flash=on_gpu and spec.flash_attention != "off",
        )
        estimated = need.gpu_bytes if on_gpu else need.total_bytes
        client.answer(UnloadModel(request_id=client.number(), name=spec.name), kind=Loaded)
        left = before - (free_memory().vram_bytes or 0) if on_gpu and before else None
    return report(
        "decision",
        [*_checks(asked), _memory(estimated, taken)],
        **model.conditions,
        device=loaded.device,
        load_s=round(load_s, 2),
        slots=len(loaded.slots),
        memory_estimated=estimated,
        memory_taken=taken,
        gpu_left_after_unload=left,
        prompts=f"{GAME}: {_tokens(asked)}",
        **_speeds(asked),
        load_average=load_average(),
    )


class Asker:
    """Asks one model through a host."""

    def __init__(self, client: HostClient, model: BenchmarkModel) -> None:
        self._client, self._spec = client, model.entry.spec
        self._counts: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        if text not in self._counts:
            asked = Tokenise(request_id=self._client.number(), model=self._spec, texts=(text,))
            self._counts[text] = self._client.answer(asked, kind=Tokenised).counts[0]
        return self._counts[text]

    def request(
        self, prompt: Prompt, purpose: Purpose, grammar: str, options: Sequence[str] = ()
    ) -> Complete | Choose:
        """Return a request in the context of the purpose's controller."""
        common: dict[str, Any] = {
            "request_id": self._client.number(),
            "model": self._spec,
            "messages": prompt.messages,
            "slot": _SLOTS[purpose],
            "grammar": grammar,
            "max_tokens": _WRITTEN[purpose],
            "deadline_ms": _DEADLINE_MS,
            "priority": Priority.STRATEGIC if purpose is Purpose.PLAN else Priority.REACTIVE,
        }
        return Choose(**common, options=tuple(options)) if options else Complete(**common)

    def ask(self, request: Complete | Choose) -> Completed:
        """Return the whole reply."""
        return self._client.answer(request, kind=Completed)

    def stopped(self, request: Complete, after_s: float, *, writing: bool) -> float | None:
        """Stop a request; return the milliseconds until the host can compute again, None if it ended before.

        Args:
            after_s: since the request, or with `writing` since the first piece of its reply.
        """
        due, stopped_at = time.perf_counter() + after_s if not writing else float("inf"), 0.0

        def cancelled() -> bool:
            nonlocal stopped_at
            if time.perf_counter() < due:
                return False
            stopped_at = time.perf_counter()
            return True

        done: Completed | None = None
        for reply in self._client.ask(request, cancelled=cancelled):
            if isinstance(reply, Streamed) and due == float("inf"):
                due = time.perf_counter() + after_s
            done = reply if isinstance(reply, Completed) else done
        free = Tokenise(request_id=self._client.number(), model=self._spec, texts=("free",))
        self._client.answer(free, kind=Tokenised)
        if done is None or done.finish != "cancelled" or bool(done.output_tokens) != writing:
            return None
        return (time.perf_counter() - stopped_at) * 1e3


def _ask_all(asker: Asker, prompts: Prompts, *, quick: bool) -> Decisions:
    asked = Decisions()
    for purpose in _SLOTS:
        grammar = prompts.grammar_of(purpose)

        def ask(
            name: str,
            number: int,
            state: int,
            grammar: str,
            options: Sequence[str] = (),
            purpose: Purpose = purpose,
        ) -> Completed:
            request = asker.request(prompts.prompt(number, state, purpose), purpose, grammar, options)
            reply = asker.ask(request)
            asked.replies.setdefault(f"{purpose.value} {name}".strip(), []).append(reply)
            return reply

        for number in range(1, 1 + (_QUICK_ROUNDS if quick else _ROUNDS)):
            ask("new", number, 0, grammar)
            ask("again", number, 1, grammar)
            ask("free", number, 1, "")
            if purpose is Purpose.REACT:
                ask("choice", number, 2, grammar, prompts.options)
                ask("choice", number, 3, grammar, prompts.options)
    _stop_all(asker, prompts, asked, _QUICK_STOPS if quick else _STOPS)
    return asked


def _stop_all(asker: Asker, prompts: Prompts, asked: Decisions, count: int) -> None:
    first_s = median(_first_ms(reply) for reply in asked.replies["plan new"]) / 1e3
    for phase, writing in (("reads", False), ("writes", True)):
        for number in range(count):
            prompt = prompts.prompt(100 + number + count * writing, 0)
            request = asker.request(prompt, Purpose.PLAN, "")
            assert isinstance(request, Complete)
            after_s = (number + 0.5) / count * (first_s if not writing else 0.2)
            free_ms = asker.stopped(request, after_s, writing=writing)
            if free_ms is not None:
                asked.free_ms.setdefault(phase, []).append(free_ms)


def _checks(asked: Decisions) -> list[dict[str, Any]]:
    limits = ModelSettings()
    bounds = {"plan": limits.strategic_deadline_ms, "react": limits.reactive_deadline_ms}
    checks = []
    for name in ("plan new", "plan again", "react again", "react choice"):
        took = [reply.took_ms for reply in asked.replies[name]]
        most = bounds[name.split()[0]]
        checks.append(
            check(name, "ms", spread(took), aim=f"≤ {most:,}, its deadline", met=median(took) <= most)
        )
    for phase, free in asked.free_ms.items():
        aim, met = f"≤ {_STOP_MS:,.0f}", max(free) <= _STOP_MS
        checks.append(check(f"stop while it {phase}", "ms", spread(free), aim=aim, met=met))
    return checks


def _memory(estimated: int, taken: int) -> dict[str, Any]:
    ratio = estimated / taken if taken else 0.0
    aim, met = f"{_LEAST_ESTIMATED} to {_MOST_ESTIMATED}", _LEAST_ESTIMATED <= ratio <= _MOST_ESTIMATED
    return check("memory estimated over taken", "share", figure(ratio), aim=aim, met=met)


def _first_ms(reply: Completed) -> float:
    return reply.first_token_ms if reply.first_token_ms is not None else reply.took_ms


def _speeds(asked: Decisions) -> dict[str, float]:
    """Return tokens read and written in a second, at the median."""
    new = asked.replies["plan new"]
    reads = [(reply.prompt_tokens - reply.cached_tokens) * 1e3 / max(_first_ms(reply), 0.01) for reply in new]
    speeds = {"reads_per_s": round(median(reads), 1)}
    for name, replies in (("writes_per_s", new), ("writes_free_per_s", asked.replies["plan free"])):
        written = [
            (reply.output_tokens - 1) * 1e3 / (reply.took_ms - _first_ms(reply))
            for reply in replies
            if reply.output_tokens > 1 and reply.took_ms > _first_ms(reply)
        ]
        if written:
            speeds[name] = round(median(written), 1)
    return speeds


def _tokens(asked: Decisions) -> str:
    parts = []
    for name, replies in asked.replies.items():
        each = [(reply.prompt_tokens, reply.cached_tokens, reply.output_tokens) for reply in replies]
        read, kept, written = (round(median(column)) for column in zip(*each, strict=True))
        parts.append(f"{name} {read} tokens, {kept} kept, {written} written")
    return "; ".join(parts)
