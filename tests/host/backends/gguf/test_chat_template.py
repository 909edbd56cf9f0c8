"""A chat template comes with a file from anywhere: one that computes without end is cut off."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from tests.host.host_driver import chat_message

pytest.importorskip("llama_cpp")

from pitwall.host.backends.gguf.chat_template import Chat

GO = (chat_message("system", "Be quick."), chat_message("user", "What now?"))
LOOPS = (
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}"
    "{% endfor %}{% endfor %}{% for message in messages %}{{ message['content'] }}{% endfor %}"
)


def _chat(template: str) -> Chat:
    model: Any = SimpleNamespace(template=template, end_text="</s>", begin_text="<s>")
    return Chat(model)


def test_nested_loops_give_way_to_plain_headings_once(llama: str) -> None:
    assert llama
    chat = _chat(LOOPS)
    began = time.monotonic()
    rendered = chat.render(GO, "")
    assert "User:" in rendered.text and "What now?" in rendered.text
    assert "takes more than" in chat.note
    cut_s, began = time.monotonic() - began, time.monotonic()
    chat.render(GO, "")
    assert time.monotonic() - began < cut_s, "the template was tried again"


def test_a_template_writes_the_functions_as_its_model_was_trained(llama: str) -> None:
    assert llama
    own = "{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}"
    chat = _chat(
        own + "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}{% endfor %}"
    )
    assert '"name": "go"' in chat.render(GO, "", tools=[{"name": "go"}]).text
    assert "<tools>" not in chat.render(GO, "").text


def test_a_usual_template_is_not_cut(llama: str) -> None:
    assert llama
    chat = _chat("{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}{% endfor %}")
    assert "<user>What now?" in chat.render(GO, "").text.replace("\u2003", "") and not chat.note
