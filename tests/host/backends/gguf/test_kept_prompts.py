"""Evaluated prompts as files: what a second start and a beginning that returns save, and what damage does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.host.backends.gguf.loaded import load
from tests.host.host_driver import HostProcess, chat_message, spec
from tests.host.model_files import with_template

from pitwall.core.prompts import Message
from pitwall.host.backends.gguf import kept_prompts
from pitwall.host.backends.gguf.backend import KEPT_PROMPTS
from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.slot import Slot
from pitwall.models.host_requests import Completed
from pitwall.models.spec import ModelSpec

RULES = chat_message("system", "You play a game of doors and keys. " * 12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder's place for kept prompts."""
    return tmp_path / "data" / "models" / KEPT_PROMPTS


@pytest.fixture
def data(tmp_path: Path) -> tuple[str, ...]:
    """A host's argument for its data folder."""
    return ("--data", str(tmp_path / "data"))


def _ask(tmp_path: Path, data: tuple[str, ...], model: ModelSpec, *messages: Message) -> Completed:
    """Ask a host that lives for one request."""
    host = HostProcess(tmp_path / "host.log", data)
    try:
        return host.complete(model, *messages, max_tokens=12, slot="strategic")
    finally:
        host.close()


def test_the_next_start_need_not_read_the_rules(
    tmp_path: Path, folder: Path, data: tuple[str, ...], text: ModelSpec, host: HostProcess
) -> None:
    first = _ask(tmp_path, data, text, RULES, chat_message("user", "Door one."))
    assert first.cached_tokens == 0 and len(list(folder.iterdir())) == 1
    second = _ask(tmp_path, data, text, RULES, chat_message("user", "Door two, locked."))
    assert second.cached_tokens > 0.8 * second.prompt_tokens and len(list(folder.iterdir())) == 1
    plain = host.complete(text, RULES, chat_message("user", "Door two, locked."), max_tokens=12, slot="k")
    assert second.text == plain.text


def test_a_damaged_or_foreign_file_is_no_beginning(
    tmp_path: Path, folder: Path, data: tuple[str, ...], text: ModelSpec, models: Path
) -> None:
    asked = (RULES, chat_message("user", "Door one."))
    first = _ask(tmp_path, data, text, *asked)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for broken in (whole[: len(whole) // 2], whole[:-3000] + bytes(1000) + whole[-2000:], b""):
        file.write_bytes(broken)
        again = _ask(tmp_path, data, text, *asked)
        assert (again.cached_tokens, again.text) == (0, first.text)
    with np.load(file) as arrays:
        cells = arrays["cells"]
    with file.open("wb") as stream:
        np.savez(stream, cells=cells, state=np.full(5000, 7, np.uint8))
    refused = _ask(tmp_path, data, text, *asked)
    assert (refused.cached_tokens, refused.text) == (0, first.text)
    other = with_template(models / "text.gguf", tmp_path / "other.gguf", None)
    assert _ask(tmp_path, data, spec("other", "gguf", other, context=1024), *asked).cached_tokens == 0


@pytest.fixture
def loaded(text: ModelSpec, folder: Path) -> Iterator[LoadedGguf]:
    """The tiny model, loaded here."""
    loaded = load(text, folder)
    yield loaded
    loaded.free()


def _read(loaded: LoadedGguf, slot: Slot, prompt: str) -> int:
    """Evaluate a prompt as a request does; return the tokens that were not read."""
    cells = np.array(loaded.model.tokenise(prompt), np.int64)
    loaded.kept_prompts.offer(slot, cells)
    cached = slot.keep(cells)
    slot.evaluate(cells[cached:].tolist(), lambda: False)
    loaded.kept_prompts.keep(slot, cells, cached)
    return cached


def test_a_beginning_that_comes_back_is_kept(loaded: LoadedGguf) -> None:
    slot = loaded.slot("a")
    rest = " and a long state of the doors, the keys and the walls between them"
    heads = [f"Offered {skill}{rest}." for skill in ("a push", "the best push")]
    cached = [_read(loaded, slot, f"{heads[number % 2]} Step {number}.") for number in range(8)]
    assert max(cached[0], cached[1], cached[3]) < 40, "the first is kept, the second once it has come back"
    assert min(cached[2], *cached[4:]) > 40 and max(cached) < slot.filled


def test_files_unused_for_longest_go_first(
    loaded: LoadedGguf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(word: str) -> int:
        return _read(loaded, loaded.slot(word), f"{word} " * 80)

    assert start("one") == start("two") == 0
    size = max(file.stat().st_size for file in folder.iterdir())
    monkeypatch.setattr(kept_prompts, "_MOST_FOLDER_BYTES", int(2.5 * size))
    monkeypatch.setattr(kept_prompts, "_MOST_BYTES", 2 * size)
    assert _read(loaded, loaded.slot("x"), "one " * 80) > 0, "used: two is the older one"
    assert start("three") == 0 and len(list(folder.iterdir())) == 2
    assert _read(loaded, loaded.slot("y"), "two " * 80) == 0
    monkeypatch.setattr(kept_prompts, "_MOST_BYTES", size // 100)
    start("six")
    assert len(list(folder.iterdir())) <= 2
