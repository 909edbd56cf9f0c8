"""Measures a model's speed on this machine: with fresh prompts, and replies long enough to count."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from pitwall.core.errors import RequestFailed
from pitwall.core.prompts import Layer, Message, Span
from pitwall.models.entry import Measured
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import (
    Complete,
    Completed,
    Loaded,
    LoadedModel,
    LoadModel,
    Tokenise,
    Tokenised,
)
from pitwall.models.spec import ModelSpec

_ROUNDS = 3
_MOST_ROUNDS = 12
_ENOUGH_TOKENS = 192
_REPLY_TOKENS = 128
_PROMPT_TOKENS = 512
_SLOT = "bench"
_SAMPLE = "The pipe opens {n} pixels below; the speed is {n}, so wait, then press jump and hold it. "
_MS = 1000.0


def measure(
    client: HostClient,
    spec: ModelSpec,
    progress: Callable[[int, int], None] | None = None,
    *,
    once: bool = False,
) -> Measured:
    """Load a model and time its answers to some prompts of about 512 tokens; `once`: to one prompt.

    Tokens a second are those of the replies' later tokens over the time between them; a prompt's are those
    not in the cache over the time to the first token, without loading and waiting.

    Args:
        progress: called with (rounds done, rounds in all).

    Raises:
        RequestFailed: it could not be loaded or asked, or writes nothing.
        ChildDied: it killed the host.
    """
    load_ms = _load(client, spec).load_ms
    per_sample = _tokens_of(client, spec)
    room = max(64, spec.context - _REPLY_TOKENS)
    samples = max(1, round(min(_PROMPT_TOKENS, room // 2) / per_sample))
    rounds: list[Completed] = []
    least = 1 if once else _ROUNDS
    while len(rounds) < least or (
        not once and _written(rounds)[0] < _ENOUGH_TOKENS and len(rounds) < _MOST_ROUNDS
    ):
        if progress is not None:
            progress(len(rounds), max(least, len(rounds) + 1))
        rounds.append(_one_round(client, spec, number=len(rounds), samples=samples))
    if progress is not None:
        progress(len(rounds), len(rounds))
    tokens, seconds = _written(rounds)
    if not tokens or seconds <= 0:
        raise RequestFailed(f"{spec.name} ends its replies at once: there is nothing to measure.")
    firsts = [_first_ms(round) for round in rounds]
    speeds = [
        (round.prompt_tokens - round.cached_tokens) * _MS / first
        for round, first in zip(rounds, firsts, strict=True)
        if first > 0
    ]
    return Measured(
        tokens_per_s=tokens / seconds,
        prompt_tokens_per_s=median(speeds) if speeds else None,
        load_ms=load_ms or None,
        first_token_ms=median(firsts),
        memory_bytes=_load(client, spec).memory_bytes,
        device=rounds[-1].device,
    )


def _load(client: HostClient, spec: ModelSpec) -> LoadedModel:
    loaded = client.answer(LoadModel(request_id=client.number(), model=spec), kind=Loaded)
    return next(
        (model for model in loaded.models if model.name == spec.name), LoadedModel(name="", device="")
    )


def _one_round(client: HostClient, spec: ModelSpec, *, number: int, samples: int) -> Completed:
    text = "".join(_SAMPLE.format(n=(number + 1) * 1009 + index * 37) for index in range(samples))
    message = Message(role="user", spans=(Span(layer=Layer.STATE, text=f"{number}: {text}"),))
    return client.answer(
        Complete(
            request_id=client.number(),
            model=spec,
            messages=(message,),
            slot=_SLOT,
            max_tokens=_REPLY_TOKENS,
            temperature=0.7,
            seed=number,
            deadline_ms=600_000,
        ),
        kind=Completed,
    )


def _tokens_of(client: HostClient, spec: ModelSpec) -> int:
    """Count the tokens of a sample sentence; a guess if an endpoint cannot count."""
    request = Tokenise(request_id=client.number(), model=spec, texts=(_SAMPLE.format(n=1009),))
    try:
        return max(1, client.answer(request, kind=Tokenised).counts[0])
    except RequestFailed:
        if spec.kind != "remote":
            raise
        return len(_SAMPLE) // 4


def _first_ms(round: Completed) -> float:
    """Return the time from the start of the work to the first token."""
    return (round.first_token_ms or round.took_ms) - round.queued_ms - round.load_ms


def _written(rounds: list[Completed]) -> tuple[int, float]:
    """Count the tokens after the first of each reply, and the seconds they took."""
    later = [round for round in rounds if round.output_tokens > 1 and round.first_token_ms is not None]
    tokens = sum(round.output_tokens - 1 for round in later)
    return tokens, sum(round.took_ms - (round.first_token_ms or 0.0) for round in later) / _MS
