"""Measures the host process's cost: tokens per second and time to first token, against bare llama-cpp-python.

Both load the same file in their own processes and are asked in turns, never at once: a new prompt of the long
game, then several with the same layers and another state, alternately with and without a plan's grammar. Ours
is timed by the asker, the library inside its own process. Each ratio is the median over the requests, which
come in pairs close in time.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.host.backends.gguf.library import threads_for
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Loaded, LoadModel, Tokenise, Tokenised
from workshop.benchmarks.benchmark_model import BenchmarkModel, benchmark_model
from workshop.benchmarks.models.host_prompts import GAME, Prompts
from workshop.benchmarks.models.host_sides import BATCH, HostSide, LibrarySide, Reply, uses_flash
from workshop.benchmarks.report import check, figure, report, spread
from workshop.fixtures.cpu_time import cpu_seconds

PEER = "llama-cpp-python"
_MOST_LOSS, _LEAST_CACHED = 0.03, 60.0
_FEWEST_ROUNDS = 2
_TEMPLATE_TOKENS = 64
_WIDTH = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A request asked both ways.

    Attributes:
        again: the layers were evaluated for the request before; only the state is new.
        grammar: whether the reply had to follow one.
    """

    ours: Reply
    direct: Reply
    again: bool
    grammar: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """The bounds of a measurement: at least two rounds, then at most this many or this long.

    Attributes:
        again: requests of a round that differ from its first only in their state.
        written: tokens of the longest reply.
    """

    rounds: int
    seconds: float
    again: int
    written: int


_QUICK = Effort(rounds=4, seconds=8.0, again=2, written=160)
_FULL = Effort(rounds=12, seconds=300.0, again=3, written=256)
_QUICK_LAYERS, _LAYERS = 2, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measurements.

    Attributes:
        device: the host's device.
        processor_s: processor seconds of each side for its replies: host and asker against the library's
            process. On a busy machine they are more reliable than the times.
    """

    pairs: Sequence[Pair]
    device: str
    processor_s: Mapping[str, float]


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both in turns; the order changes from round to round."""
    effort, layers = (_QUICK, _QUICK_LAYERS) if quick else (_FULL, _LAYERS)
    with tempfile.TemporaryDirectory(prefix="pitwall-bench-") as scratch:
        data = DataFolder(Path(scratch))
        model = benchmark_model(data, layers=layers, width=_WIDTH, threads=threads_for(0))
        measured = measure(data, model, effort)
    pairs = measured.pairs
    return report(
        "host",
        checks_of(pairs),
        **model.conditions,
        device=measured.device,
        processor_s=measured.processor_s,
        batch=BATCH,
        prompts=f"a plan's, composed for {GAME}: {_tokens(pairs)} tokens; {effort.written} written at most",
        requests=len(pairs),
        same_replies=f"{sum(pair.ours.text == pair.direct.text for pair in pairs)} of {len(pairs)}",
        direct_cached_percent=_median(_cached(pair.direct) for pair in pairs if pair.again),
        load_average=os.getloadavg()[0],
    )


def measure(data: DataFolder, model: BenchmarkModel, effort: Effort) -> Measured:
    """Ask both in turns.

    Raises:
        PitwallError: one of them cannot be asked, or they did not get the same prompt.
    """
    spec = model.entry.spec
    pairs: list[Pair] = []
    with HostClient(data.logs, data=data.root) as client:
        loaded = client.answer(LoadModel(request_id=client.number(), model=spec), kind=Loaded)
        device = next((held.device for held in loaded.models if held.name == spec.name), "")

        counts: dict[str, int] = {}

        def count(text: str) -> int:
            if text not in counts:
                asked = Tokenise(request_id=client.number(), model=spec, texts=(text,))
                counts[text] = client.answer(asked, kind=Tokenised).counts[0]
            return counts[text]

        prompts = Prompts(data, count, max(256, spec.context - effort.written - _TEMPLATE_TOKENS))
        ours = HostSide(client, spec)
        with LibrarySide(spec, threads=spec.threads, flash=uses_flash(spec, device)) as direct:
            before = _processor_s(client, direct)
            until = time.monotonic() + effort.seconds
            for number in range(effort.rounds):
                if number >= _FEWEST_ROUNDS and time.monotonic() > until:
                    break
                for state in range(1 + effort.again):
                    pairs.append(_pair(ours, direct, prompts, number, state, effort.written))
            after = _processor_s(client, direct)
    spent = {side: after[side] - before[side] for side in after}
    return Measured(pairs=pairs, device=device, processor_s=spent)


def _processor_s(client: HostClient, direct: LibrarySide) -> dict[str, float]:
    """Return the processor seconds used so far."""
    return {"host": cpu_seconds([client.pid, os.getpid()]), PEER: cpu_seconds([direct.pid])}


def _pair(
    ours: HostSide, direct: LibrarySide, prompts: Prompts, number: int, state: int, written: int
) -> Pair:
    grammar = prompts.grammar if (number + state) % 2 else ""
    prompt = prompts.prompt(number, state)
    sides = (ours, direct) if number % 2 else (direct, ours)
    replies = {id(side): side.ask(prompt, grammar=grammar, most_tokens=written) for side in sides}
    pair = Pair(ours=replies[id(ours)], direct=replies[id(direct)], again=state > 0, grammar=bool(grammar))
    if pair.ours.prompt_tokens != pair.direct.prompt_tokens:
        raise PitwallError(
            f"the host made {pair.ours.prompt_tokens} tokens of a prompt, the library "
            f"{pair.direct.prompt_tokens}: they cannot be compared."
        )
    return pair


def checks_of(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Compare figures with their aims."""
    cold, warm = ([pair for pair in pairs if pair.again is again] for again in (False, True))
    shares = [_cached(pair.ours) for pair in warm]
    sooner = _median(pair.ours.first_ms for pair in warm) / _median(pair.ours.first_ms for pair in cold)
    return [
        _speed("prompt", cold, lambda reply: reply.prompt_per_s),
        _speed("written", [p for p in pairs if not p.grammar], lambda reply: reply.written_per_s),
        _speed("written, grammar", [p for p in pairs if p.grammar], lambda reply: reply.written_per_s),
        _wait("first token", cold),
        _wait("first token, same layers", warm),
        check(
            "prompt not evaluated again",
            "%",
            spread(shares),
            aim=f"≥ {_LEAST_CACHED:.0f} %, same layers",
            met=median(shares) >= _LEAST_CACHED,
        ),
        check(
            "first token, layers kept",
            "ms",
            spread([pair.ours.first_ms for pair in warm]),
            peer=("never seen before", _median(pair.ours.first_ms for pair in cold)),
            ratio=sooner,
            aim="sooner",
            met=sooner < 1.0,
        ),
    ]


def _speed(name: str, pairs: Sequence[Pair], of: Callable[[Reply], float | None]) -> dict[str, Any]:
    """Compare tokens per second, ours to the library's."""
    both = [
        (ours, direct)
        for pair in pairs
        if (ours := of(pair.ours)) and (direct := of(pair.direct)) is not None
    ]
    aim = f"≥ {1 - _MOST_LOSS:g}× {PEER}"
    if not both:  # a model that ends its replies at once
        return check(name, "1/s", {**figure(0.0), "n": 0}, aim=aim, met=False)
    ratio = median(ours / direct for ours, direct in both)
    return check(
        name,
        "1/s",
        spread([ours for ours, _ in both]),
        peer=(PEER, median(direct for _, direct in both)),
        ratio=ratio,
        aim=aim,
        met=ratio >= 1 - _MOST_LOSS,
    )


def _wait(name: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Compare milliseconds to the first token, ours to the library's."""
    ratio = median(pair.ours.first_ms / pair.direct.first_ms for pair in pairs)
    return check(
        name,
        "ms",
        spread([pair.ours.first_ms for pair in pairs]),
        peer=(PEER, _median(pair.direct.first_ms for pair in pairs)),
        ratio=ratio,
        aim=f"≤ {1 + _MOST_LOSS:g}× {PEER}",
        met=ratio <= 1 + _MOST_LOSS,
    )


def _cached(reply: Reply) -> float:
    return 100.0 * reply.cached_tokens / reply.prompt_tokens


def _tokens(pairs: Sequence[Pair]) -> str:
    sizes = [pair.ours.prompt_tokens for pair in pairs]
    return f"{min(sizes):,}–{max(sizes):,}"


def _median(values: Iterable[float]) -> float:
    return float(median(values))
