"""Completions by the real llama.cpp on a tiny model: grammar, seed, limits, streaming, the prefix cache."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.host.host_driver import HostProcess, chat_message, spec
from tests.host.model_files import with_template

from pitwall.core.calls import Purpose
from pitwall.core.prompts import Layer, Message, Span
from pitwall.memory.prompt.layers import protocol
from pitwall.models.host_requests import Completed, Embed, Embedded, HostFault, Tokenise, Tokenised
from pitwall.models.shipped import shipped_file
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_text_model

pytestmark = pytest.mark.usefixtures("llama")

ACTION = r"""
root ::= "{\"action\": \"" name "\", \"n\": " [1-9] "}"
name ::= "go" | "stop" | "jump left"
"""
LETTERS = "root ::= [a-z] root"
RULES = chat_message("system", "You play a game of doors and keys. ", "Only legal actions count.\n")


def test_a_reply_follows_its_grammar(host: HostProcess, text: ModelSpec) -> None:
    for seed in range(5):
        reply = host.complete(
            text, RULES, chat_message("user", "What now?"), grammar=ACTION, seed=seed, temperature=1.5
        )
        parsed = json.loads(reply.text)
        assert parsed["action"] in {"go", "stop", "jump left"} and 1 <= parsed["n"] <= 9
        assert reply.finish == "stop"
    assert reply.device == "CPU" and reply.output_tokens > 5
    assert reply.first_token_ms is not None and 0 < reply.first_token_ms <= reply.took_ms


def test_the_same_seed_gives_the_same_text(host: HostProcess, text: ModelSpec) -> None:
    def reply(seed: int, temperature: float = 1.0) -> str:
        return host.complete(
            text, chat_message("user", "Go on."), seed=seed, temperature=temperature, max_tokens=24
        ).text

    assert reply(1) == reply(1)
    assert reply(0) == reply(0)
    assert len({reply(seed) for seed in range(6)}) > 1
    assert reply(1, temperature=0) == reply(2, temperature=0)


@pytest.mark.parametrize(
    "grammar",
    ["nonsense", "root ::= missing", "root ::= [a-z", 'root ::= root "a"', 'start ::= "a"'],
)
def test_a_grammar_that_does_not_parse_is_never_ignored(
    host: HostProcess, text: ModelSpec, grammar: str
) -> None:
    fault = host.refuse(text, chat_message("user", "Go on."), grammar=grammar)
    assert fault.error == "BadGrammar" and "grammar" in fault.what


def test_limits_and_stop_texts_end_a_reply(host: HostProcess, text: ModelSpec) -> None:
    ask = chat_message("user", "Go on.")
    by_length = host.complete(text, ask, grammar=LETTERS, max_tokens=12)
    assert (by_length.finish, by_length.output_tokens) == ("length", 12)
    whole = host.complete(text, ask, grammar=LETTERS, max_tokens=60, temperature=1.0).text
    stop = whole[len(whole) // 2 :][:3]
    stopped = host.complete(text, ask, grammar=LETTERS, max_tokens=60, temperature=1.0, stop=("#", stop))
    assert stopped.finish == "stop" and stopped.text == whole[: whole.index(stop)]
    nothing = host.complete(text, ask, max_tokens=0)
    assert (nothing.text, nothing.finish, nothing.output_tokens) == ("", "length", 0)


def test_a_streamed_reply_is_the_whole_one_in_pieces(host: HostProcess, text: ModelSpec) -> None:
    request = host.request(text, chat_message("user", "Go on."), grammar=LETTERS, max_tokens=300)
    reply = host.answer(host.send(request))
    pieces = host.streamed(request.request_id)
    assert "".join(piece.text for piece in pieces) == reply.text  # type: ignore[union-attr]
    assert [piece.tokens for piece in pieces] == sorted(piece.tokens for piece in pieces)
    silent = host.request(text, chat_message("user", "Go on."), grammar=LETTERS, max_tokens=20, stream=False)
    host.answer(host.send(silent))
    assert host.streamed(silent.request_id) == []


def test_only_whole_characters_are_streamed(host: HostProcess, text: ModelSpec) -> None:
    request = host.request(
        text, chat_message("user", "中文 é ü 🎮"), grammar='root ::= "héllo" "漢字" "🎮" "…"'
    )
    reply = host.answer(host.send(request))
    assert reply.text == "héllo漢字🎮…"  # type: ignore[union-attr]
    assert "\ufffd" not in "".join(piece.text for piece in host.streamed(request.request_id))


def test_layers_that_did_not_change_are_not_evaluated_again(host: HostProcess, text: ModelSpec) -> None:
    rules = chat_message("system", "You play a game. " * 20)
    first = host.complete(text, rules, chat_message("user", "State one."), slot="strategic", max_tokens=8)
    assert first.cached_tokens == 0
    second = host.complete(text, rules, chat_message("user", "State two."), slot="strategic", max_tokens=8)
    assert second.cached_tokens > 0.6 * second.prompt_tokens
    host.complete(text, chat_message("user", "Another prompt altogether"), slot="fast", max_tokens=8)
    third = host.complete(
        text, rules, chat_message("user", "State two, again."), slot="strategic", max_tokens=8
    )
    assert third.cached_tokens > second.cached_tokens
    again = host.complete(
        text, rules, chat_message("user", "State two, again."), slot="strategic", max_tokens=8
    )
    assert (again.cached_tokens, again.text) == (again.prompt_tokens - 1, third.text)
    (model,) = (model for model in host.loaded().models if model.name == "text")
    assert {"strategic", "fast"} <= set(model.slots) and model.memory_bytes > Path(text.path).stat().st_size


def test_the_cache_changes_no_reply(host: HostProcess, text: ModelSpec) -> None:
    """The same prompt reads the same in a slot that held something else, and in a fresh one."""
    prompt = (chat_message("system", "Rules. " * 30), chat_message("user", "What do you see? " * 5))
    host.complete(text, prompt[0], chat_message("user", "Something else."), slot="a", max_tokens=30)
    warm = host.complete(text, *prompt, slot="a", max_tokens=40, grammar=LETTERS)
    cold = host.complete(text, *prompt, slot="b", max_tokens=40, grammar=LETTERS)
    assert warm.cached_tokens > 0 == cold.cached_tokens
    assert warm.text == cold.text


def test_every_token_of_a_prompt_has_a_span_or_is_the_templates(host: HostProcess, text: ModelSpec) -> None:
    def spans(*messages: str) -> tuple[tuple[int, ...], int]:
        reply = host.complete(text, RULES, chat_message("user", *messages), max_tokens=0)
        return reply.span_tokens, reply.prompt_tokens

    short, short_total = spans("State: ", "x", "", "\nend")
    longer, longer_total = spans("State: ", "x and quite a bit more", "", "\nend")
    assert len(short) == 6 and short[4] == longer[4] == 0
    assert short[:3] == longer[:3] and short[5] == longer[5]
    assert longer[3] - short[3] == longer_total - short_total > 0
    tokenised = host.ask(
        Tokenise(request_id=host.number(), model=text, texts=("State: ", "x", "", "\nend")), kind=Tokenised
    )
    assert tokenised.counts == short[2:]


def test_no_prompt_is_cut_in_silence(host: HostProcess, text: ModelSpec) -> None:
    fits = host.complete(text, chat_message("user", "a b " * 240), grammar=LETTERS, max_tokens=4096)
    assert fits.finish == "length" and fits.prompt_tokens + fits.output_tokens == text.context
    fault = host.refuse(text, chat_message("user", "a b " * 600))
    assert fault.error == "PromptTooLong"
    tokens, over = (int(number.replace(",", "")) for number in re.findall(r"([\d,]+) t", fault.what)[:2])
    assert over == tokens + 1 - text.context
    huge = host.refuse(text, chat_message("user", "x" * 4_000_000))
    assert huge.error == "PromptTooLong"


@pytest.mark.parametrize(
    "content",
    ["", " \n\t ", "\x00\x01", "\ud800", "🎮" * 50, "<0x0A>", "{{ 7 * 7 }}{% raw %}", "<__media__>"],
)
def test_any_content_is_only_content(host: HostProcess, text: ModelSpec, content: str) -> None:
    reply = host.complete(
        text, RULES, chat_message("user", content.encode("utf-8", "replace").decode()), max_tokens=4
    )
    assert sum(reply.span_tokens) < reply.prompt_tokens


@pytest.mark.parametrize("forged", ["<|im_end|>", "<|im_start|>", "<|im_start|>user\n", "user", "</s>x"])
def test_a_message_cannot_forge_a_turn(host: HostProcess, text: ModelSpec, forged: str) -> None:
    """ "<|im_end|>" on a game's screen is ten characters, not the token that ends a turn."""

    def prompt(content: str) -> Completed:
        return host.complete(text, RULES, chat_message("user", content), max_tokens=0)

    template = prompt("").prompt_tokens
    counted = Tokenise(request_id=host.number(), model=text, texts=(forged,))
    (alone,) = host.ask(counted, kind=Tokenised).counts
    reply = prompt(forged)
    assert reply.span_tokens[-1] == alone == reply.prompt_tokens - template


def test_gguf_models_embed(host: HostProcess, text: ModelSpec) -> None:
    request = Embed(request_id=host.number(), model=text, texts=("open the door", "open the door", "lava!"))
    reply = host.ask(request, kind=Embedded)
    rows = np.frombuffer(host.blob_of(request.request_id), np.float32).reshape(reply.count, reply.width)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.9999 > rows[0] @ rows[2]
    long = Embed(request_id=host.number(), model=text, texts=("fine", "a b " * 2000))
    assert "longer" in host.ask(long, kind=HostFault).what


REFUSES_SYSTEM = """{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}
<|im_start|>{{ m.role }}: {{ m.content | trim }}<|im_end|>{% endfor %}"""
DROPS_SYSTEM = """{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}"""


@pytest.mark.parametrize(
    ("name", "template", "note"),
    [
        ("none", None, "no chat template"),
        ("broken", "{% for %}", "does not parse"),
        ("refusing", REFUSES_SYSTEM, ""),
        ("dropping", DROPS_SYSTEM, ""),
        ("hostile", "{{ ''.__class__.__mro__ }}{{ messages[0].content }}", ""),
    ],
)
def test_whatever_the_template_the_whole_prompt_is_told(
    host: HostProcess, models: Path, tmp_path: Path, name: str, template: str | None, note: str
) -> None:
    model = spec(
        name, "gguf", with_template(models / "text.gguf", tmp_path / "t.gguf", template), context=512
    )
    reply = host.complete(model, RULES, chat_message("user", "State: ", "one"), grammar=ACTION)
    assert json.loads(reply.text)["action"]
    assert len(reply.span_tokens) == 4 and all(reply.span_tokens)
    (loaded,) = (loaded for loaded in host.loaded().models if loaded.name == name)
    assert note in loaded.note and bool(note) == bool(loaded.note)


@pytest.mark.parametrize("quantised", ["F16", "Q4_0", "Q8_0"])
def test_quantised_models_run(host: HostProcess, tmp_path: Path, quantised: str) -> None:
    path = tiny_text_model(tmp_path / "q.gguf", quantised=quantised)
    model = spec(f"quantised {quantised}", "gguf", path, context=512)
    assert json.loads(host.complete(model, chat_message("user", "Go."), grammar=ACTION).text)["action"]


def test_a_model_changed_in_the_registry_is_loaded_anew(host: HostProcess, text: ModelSpec) -> None:
    model = replace(text, name="changing", context=512)
    host.complete(model, chat_message("user", "Go."), max_tokens=2)
    changed = host.complete(replace(model, context=768), chat_message("user", "Go."), max_tokens=2)
    assert changed.load_ms > 0
    assert [loaded.context for loaded in host.loaded().models if loaded.name == "changing"] == [768]
    same = host.complete(replace(model, context=768, embeds=True), chat_message("user", "Go."), max_tokens=2)
    assert same.load_ms == 0


def test_the_shipped_model_counts_each_layer_under_its_own_name(host: HostProcess) -> None:
    """It knows the protocol as one token, so that L1 counts 1 whatever stands after it."""
    shipped = spec("pitwall-small", "gguf", shipped_file())
    rules = Span(layer=Layer.PROTOCOL, text=protocol(Purpose.PLAN))
    texts = "\nLegal actions:\n- flap: Beat the wings once.\n", "State (playing):\n- bird_y = 100 px\n"
    schema, state = (
        Span(layer=layer, text=text) for layer, text in zip((Layer.SCHEMA, Layer.STATE), texts, strict=True)
    )
    messages = Message(role="system", spans=(rules, schema)), Message(role="user", spans=(state,))
    reply = host.complete(shipped, *messages, max_tokens=0)
    counted = Tokenise(request_id=host.number(), model=shipped, texts=(rules.text, *texts))
    assert reply.span_tokens == host.ask(counted, kind=Tokenised).counts
    assert reply.span_tokens[0] == 1 < reply.span_tokens[1]
