"""Choices by the real llama.cpp on a tiny model: scores against a plain evaluation, limits, faults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llama_cpp
import numpy as np
import pytest
from tests.host.host_driver import HostProcess, chat_message, spec
from tests.host.model_files import with_damaged_numbers, with_template

from pitwall.core.calls import OptionScore
from pitwall.host.backends.gguf.slot import BRANCHES
from pitwall.models.host_requests import Cancel, Completed, HostFault
from pitwall.models.spec import ModelSpec

OPTIONS = ('{"skill":"gather wood"}', '{"skill":"explore"}', '{"skill":"wait"}', '{"keep":true}')
ASKED = (chat_message("system", "You play a game of doors and keys. "), chat_message("user", "What now?"))


def _options(host: HostProcess, request_reply: Completed) -> dict[str, OptionScore]:
    assert request_reply.choice is not None and host
    return {option.text: option for option in request_reply.choice.options}


def _choose(
    host: HostProcess, model: ModelSpec, *options: str, user: str = "What now?", **limits: object
) -> Completed:
    request = host.choose(model, ASKED[0], chat_message("user", user), options=options or OPTIONS, **limits)
    return host.ask(request, kind=Completed)


@pytest.fixture
def plain(models: Path, tmp_path: Path) -> ModelSpec:
    """A model without a chat template."""
    path = with_template(models / "text.gguf", tmp_path / "plain.gguf", None)
    return spec("plain", "gguf", path, context=1024)


def _reference(path: str, prompt: str, options: tuple[str, ...]) -> dict[str, tuple[int, float]]:
    """Tokens and log-probability of each option's own part, evaluated whole, one after another."""
    model = llama_cpp.Llama(path, n_ctx=1024, logits_all=True, verbose=False)
    tokens = {text: model.tokenize(text.encode(), add_bos=False) for text in options}
    shared = 0
    while len({tuple(part[: shared + 1]) for part in tokens.values()}) == 1:
        shared += 1
    before = model.tokenize(prompt.encode(), add_bos=True, special=True)
    likeliest = {}
    for text, part in tokens.items():
        model.n_tokens = 0
        model.eval([*before, *part])
        rows = model.scores[len(before) - 1 : len(before) + len(part) - 1].astype(np.float64)
        rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
        chances = [rows[at, token] for at, token in enumerate(part)]
        likeliest[text] = len(part) - shared, float(sum(chances[shared:]))
    model.close()
    return likeliest


def test_scores_are_those_of_a_plain_evaluation(host: HostProcess, plain: ModelSpec) -> None:
    scored = _options(host, _choose(host, plain))
    prompt = "Instructions:\nYou play a game of doors and keys. \n\nUser:\nWhat now?\n\nAssistant:\n"
    true = _reference(plain.path, prompt, OPTIONS)
    empty = _reference(plain.path, "User:\nN/A\n\nAssistant:\n", OPTIONS)
    for text, option in scored.items():
        assert option.tokens == true[text][0]
        assert option.log_probability == pytest.approx(true[text][1], abs=0.02)
        assert option.baseline == pytest.approx(empty[text][1], abs=0.02)
    weights = {text: (true[text][1] - empty[text][1]) / true[text][0] for text in OPTIONS}
    total = sum(np.exp(weight) for weight in weights.values())
    for text, option in scored.items():
        assert option.probability == pytest.approx(np.exp(weights[text]) / total, abs=0.01)


def test_the_reply_is_the_likeliest_option_whatever_their_order(host: HostProcess, text: ModelSpec) -> None:
    first, second = _choose(host, text), _choose(host, text, *reversed(OPTIONS))
    assert first.choice is not None and first.text == second.text == first.choice.options[0].text
    assert first.finish == "stop" and first.output_tokens == 0 and first.prompt_tokens > 10
    for key, option in _options(host, second).items():
        assert option.log_probability == pytest.approx(_options(host, first)[key].log_probability, abs=0.02)


def test_a_choice_keeps_the_prefix_and_disturbs_no_reply_after_it(host: HostProcess, text: ModelSpec) -> None:
    written = host.complete(text, *ASKED, max_tokens=12, slot="a")
    chosen = _choose(host, text, slot="a")
    again = _choose(host, text, slot="a")
    assert chosen.cached_tokens == again.cached_tokens == chosen.prompt_tokens, (
        "all but what options begin with"
    )
    assert again.text == chosen.text
    assert host.complete(text, *ASKED, max_tokens=12, slot="a").text == written.text


@pytest.mark.parametrize("count", [1, BRANCHES, BRANCHES + 1, 3 * BRANCHES])
def test_any_number_of_options(host: HostProcess, text: ModelSpec, count: int) -> None:
    options = [f'{{"action":"door {number}"}}' for number in range(count)]
    reply = _choose(host, text, *options)
    assert reply.choice is not None and {option.text for option in reply.choice.options} == set(options)
    assert sum(option.probability for option in reply.choice.options) == pytest.approx(1)


def test_a_deadline_and_a_cancelled_choice_end_without_one(host: HostProcess, endless: ModelSpec) -> None:
    late = _choose(host, endless, user="a door " * 2500, deadline_ms=1)
    assert (late.finish, late.text, late.choice) == ("deadline", "", None)
    number = host.send(
        host.choose(endless, chat_message("user", "a key " * 4000), options=OPTIONS, deadline_ms=600_000)
    )
    host.send(Cancel(request_id=number))
    reply = host.answer(number)
    assert isinstance(reply, Completed) and (reply.finish, reply.text) == ("cancelled", "")
    assert _choose(host, endless).text in OPTIONS


def test_a_short_context_is_said_where_it_is_too_short(host: HostProcess, text: ModelSpec) -> None:
    short = replace(text, name="short", context=512)
    assert _choose(host, short).text in OPTIONS
    refused = host.ask(
        host.choose(short, chat_message("user", "a door " * 200), options=OPTIONS), kind=HostFault
    )
    assert refused.error == "PromptTooLong" and "512 tokens" in refused.what


def test_weights_that_are_no_numbers_are_a_fault_and_no_choice(
    host: HostProcess, models: Path, tmp_path: Path
) -> None:
    path = with_damaged_numbers(models / "text.gguf", tmp_path / "nan.gguf", "output_norm.weight")
    damaged = spec("nan", "gguf", path, context=1024)
    fault = host.ask(host.choose(damaged, *ASKED, options=OPTIONS), kind=HostFault)
    assert fault.error == "ModelFailed" and "no numbers" in fault.what


def test_an_only_option_is_chosen_without_reading_the_prompt(host: HostProcess, text: ModelSpec) -> None:
    only = _choose(host, text, OPTIONS[0], slot="only")
    assert only.choice is not None and [option.probability for option in only.choice.options] == [1.0]
    assert (only.text, only.finish) == (OPTIONS[0], "stop")
    assert only.cached_tokens == only.prompt_tokens > 10
    (loaded,) = (loaded for loaded in host.loaded().models if loaded.name == text.name)
    assert "only" not in loaded.slots
    both = _choose(host, text, *OPTIONS[:2], slot="only")
    assert both.cached_tokens == 0 and both.text in OPTIONS[:2]


def test_no_option_is_no_choice(host: HostProcess, text: ModelSpec) -> None:
    for options in ((), ("",)):
        fault = host.ask(host.choose(text, *ASKED, options=options), kind=HostFault)
        assert fault.error == "BadInput"
