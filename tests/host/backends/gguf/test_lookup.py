"""Guessed tokens: where guesses come from, and that no guess changes a reply of the real llama.cpp."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from tests.host.backends.gguf.loaded import load
from tests.host.host_driver import chat_message

from pitwall.host.backends.gguf.completion import Completion
from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.lookup import EarlierReplies, Lookup, Tokens
from pitwall.host.requests.job import Job, Outbox
from pitwall.models.host_requests import Complete, Completed
from pitwall.models.spec import ModelSpec

ACTION = r"""
root ::= "{\"situation\":\"" [a-d]{6} "\",\"actions\":[\"" name "\",\"" name "\"]}"
name ::= "go" | "stop" | "jump left"
"""
RULES = chat_message("system", "You play a game of doors and keys. " * 4)


@pytest.fixture
def loaded(text: ModelSpec) -> Iterator[LoadedGguf]:
    """The tiny model, loaded here, which keeps nothing."""
    loaded = load(text)
    yield loaded
    loaded.free()


def _reply(loaded: LoadedGguf, state: str, *, slot: str, grammar: str, temperature: float) -> Completed:
    request = Complete(
        request_id=1,
        model=loaded.spec,
        messages=(RULES, chat_message("user", state)),
        slot=slot,
        grammar=grammar,
        temperature=temperature,
        max_tokens=60,
        seed=3,
    )
    outbox = Outbox()
    try:
        return Completion(loaded, Job(request, b"", outbox), request, lambda: None).run(0.0)
    finally:
        outbox.close()


def _replies(loaded: LoadedGguf, slot: str, grammar: str, temperature: float) -> list[tuple[str, int]]:
    states = ("Door one.", "Door two.", "Door one.", "Door three, and a key.", "Door two.")
    replies = [_reply(loaded, state, slot=slot, grammar=grammar, temperature=temperature) for state in states]
    return [(reply.text, reply.output_tokens) for reply in replies]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("grammar", ["", ACTION])
@pytest.mark.parametrize("guess", [Lookup.guess, lambda *_: [5, 6, 7, 8], lambda *_: [5]])
def test_no_guess_changes_a_reply(
    loaded: LoadedGguf,
    monkeypatch: pytest.MonkeyPatch,
    temperature: float,
    grammar: str,
    guess: Callable[..., list[int]],
) -> None:
    monkeypatch.setattr(Lookup, "guess", lambda *_: [])
    plain = _replies(loaded, "plain", grammar, temperature)
    monkeypatch.setattr(Lookup, "guess", guess)
    assert _replies(loaded, "guessing", grammar, temperature) == plain


def test_a_repeated_reply_takes_fewer_evaluations(
    loaded: LoadedGguf, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot = loaded.slot("a")
    evaluated: list[int] = []
    each = slot.evaluate_each

    def counted(tokens: Sequence[int]) -> None:
        evaluated.append(len(tokens))
        each(tokens)

    monkeypatch.setattr(slot, "evaluate_each", counted)
    first = _reply(loaded, "Door one.", slot="a", grammar=ACTION, temperature=0.0)
    before = len(evaluated)
    again = _reply(loaded, "Door one.", slot="a", grammar=ACTION, temperature=0.0)
    assert (again.text, again.output_tokens) == (first.text, first.output_tokens)
    assert len(evaluated) - before < first.output_tokens / 2
    assert slot.filled <= again.prompt_tokens + again.output_tokens, "no wrong guess is held"


def _array(*tokens: int) -> Tokens:
    return np.array(tokens, np.int64)


def test_a_guess_continues_the_newest_reply_with_the_longest_beginning() -> None:
    earlier = EarlierReplies()
    earlier.add(_array(1, 2, 3, 4, 10, 11, 12, 13, 14), 4)
    earlier.add(_array(8, 8, 3, 4, 20, 21, 22, 23, 24), 4)
    lookup = Lookup(earlier)
    assert lookup.guess(_array(9, 1, 2, 3, 4), 8) == [10, 11, 12], "four tokens before two"
    assert lookup.guess(_array(9, 9, 9, 3, 4), 8) == [20, 21, 22], "the newest of two"
    assert lookup.guess(_array(9, 9, 9, 3, 4), 1) == [20]
    assert lookup.guess(_array(5, 6, 30, 31, 7, 5, 6), 8) == [30, 31, 7], "the prompt itself"
    assert lookup.guess(_array(5, 6, 30, -7, -7, 5, 6), 8) == [30], "a picture is no token"
    assert lookup.guess(_array(40, 41, 42), 8) == [] == lookup.guess(_array(40), 8)


def test_guesses_that_come_true_let_the_next_be_longer() -> None:
    earlier = EarlierReplies()
    earlier.add(np.arange(100, 140), 4)
    lookup, start = Lookup(earlier), _array(*range(100, 104))
    lengths = []
    for right in (1.0, 1.0, 0.5, 0.0):
        guessed = len(lookup.guess(start, 99))
        lengths.append(guessed)
        lookup.judge(guessed, int(guessed * right))
    assert lengths == [3, 6, 12, 6] and len(lookup.guess(start, 99)) == 3
