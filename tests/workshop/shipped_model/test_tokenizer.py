"""The shipped model's tokens: nothing is lost, names read the same everywhere, llama.cpp makes the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from llama_cpp import Llama
from tests.workshop.shipped_model.conftest import invented

from pitwall.core.errors import PitwallError
from workshop.language.lessons import ShardWriter, batches, families, read_lessons
from workshop.shipped_model.gguf_writer import write_model
from workshop.shipped_model.tokenizer import CHAT_TEMPLATE, END, Tokenizer

_WIDTH, _INNER = 64, 96


def test_every_text_comes_back_as_it_was(tokenizer: Tokenizer) -> None:
    for text in ["", "Fields:\n- wood = 3", "naïve … 水 \U000f0003 \x00", "{move_left}; move_left"]:
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_name_reads_the_same_in_a_skill_in_a_field_and_in_a_reply(tokenizer: Tokenizer) -> None:
    name = tokenizer.encode("grab_zorkle")
    for text in ("- go: when x -> y; grab_zorkle; 3 steps", 'way = "grab_zorkle; a"', '["grab_zorkle","a"]'):
        tokens = tokenizer.encode(text)
        assert any(tokens[at : at + len(name)] == name for at in range(len(tokens))), text


def test_a_kept_tokenizer_is_the_same(tokenizer: Tokenizer, tokens_file: Path) -> None:
    again = Tokenizer.read(tokens_file)
    for lesson in invented(range(50, 53)):
        assert again.prompt(lesson.prompt.messages) == tokenizer.prompt(lesson.prompt.messages)


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Llama:
    rng = np.random.default_rng(0)
    block: dict[str, tuple[int, ...]] = {
        "q": (_WIDTH, _WIDTH),
        "k": (_WIDTH, _WIDTH),
        "v": (_WIDTH, _WIDTH),
        "out": (_WIDTH, _WIDTH),
    }
    block |= {"gate": (_INNER, _WIDTH), "up": (_INNER, _WIDTH), "down": (_WIDTH, _INNER)}
    block |= {"attention_norm": (_WIDTH,), "gated_norm": (_WIDTH,)}
    sizes: dict[str, tuple[int, ...]] = {"table.weight": (tokenizer.size, _WIDTH), "norm.weight": (_WIDTH,)}
    sizes |= {f"blocks.0.{name}.weight": size for name, size in block.items()}
    weights = {name: rng.standard_normal(size, dtype=np.float32) for name, size in sizes.items()}
    file = write_model(
        tmp_path_factory.mktemp("model") / "model.gguf",
        weights,
        tokenizer,
        heads=2,
        context=2048,
        norm_epsilon=1e-5,
        speeds=np.ones(_WIDTH // 4),
        name="test",
        about="A test's.",
        quantised=True,
    )
    return Llama(str(file), n_ctx=256, n_threads=1, verbose=False)


def test_llama_cpp_makes_the_same_tokens(tokenizer: Tokenizer, model: Llama) -> None:
    lessons = [*invented(range(200, 220)), *invented(range(5), held_out=True)]
    for lesson in lessons:
        written = "".join(f"<|{message.role}|>{message.text}<|end|>" for message in lesson.prompt.messages)
        theirs = model.tokenize(f"{written}<|assistant|>".encode(), add_bos=False, special=True)
        assert theirs == tokenizer.prompt(lesson.prompt.messages)
        reply = model.tokenize(lesson.reply.encode(), add_bos=False, special=False)
        assert reply == tokenizer.encode(lesson.reply)
        assert model.detokenize(reply).decode() == lesson.reply


def test_the_template_ends_and_asks_as_lessons_do(model: Llama) -> None:
    assert model.metadata["tokenizer.chat_template"] == CHAT_TEMPLATE
    assert model.token_eos() == END


def test_lessons_come_back_in_whole_batches(tmp_path: Path) -> None:
    shard = ShardWriter()
    for length in (5, 40, 9, 23, 8):
        shard.add([3, END, *range(2, length)], [7, END], kind=2, source=0)
    shard.write(tmp_path / "lessons-0000.npz")
    lessons = read_lessons(tmp_path)
    result = families(lessons, longest=30, ends=END)
    assert all(item.shared == 2 for item in result)
    made = list(batches(lessons, result, tokens=40, seed=1, epoch=0))
    rows = [row for batch in made if batch is not None for row in batch.own]
    assert sorted(int((row > 0).sum()) for row in rows) == [5, 8, 9, 23]
    for batch in made:
        assert batch is not None
        assert (batch.wanted.sum(axis=1) == 2).all()
        assert (batch.targets[batch.wanted].reshape(-1, 2) == [7, END]).all()
    again = list(batches(lessons, result, tokens=40, seed=1, epoch=0, skip=1))
    assert len(made) > 1 and again[0] is None
    assert all((a.own == b.own).all() for a, b in zip(made[1:], again[1:], strict=True) if a and b)


def test_an_empty_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(PitwallError, match="no lessons"):
        read_lessons(tmp_path)
