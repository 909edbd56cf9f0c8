"""Vectors during play with a real host: the embedder used, the order of texts, failures."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, embedder_dir
from pitwall.core.settings import MemorySettings
from pitwall.engine.inference.host_link import HostConnection, HostLink
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.recall.embedder import Embedder
from pitwall.memory.retrieval.hashing_embedder import HashingEmbedder
from pitwall.models.embedder.installed import AboutEmbedder, Agreement, installed_embedder
from pitwall.models.host_requests import Embed, HostReply, HostRequest
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.processes import ENDS_AT_ONCE, kill
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy, tiny_text_model

LONG_S = 60.0
TEXT = "health low enemy near"


class Box(HostConnection):
    """A mailbox that also keeps what was sent through it."""

    def __init__(self, link: HostLink) -> None:
        super().__init__(link)
        self.sent: list[HostRequest] = []

    def send(self, request: HostRequest, blob: bytes = b"") -> bool:
        went = super().send(request, blob)
        if went:
            self.sent.append(request)
        return went

    @property
    def asked(self) -> list[tuple[str, ...]]:
        """Texts of each request, without the first one of each model."""
        texts = [request.texts for request in self.sent if isinstance(request, Embed)]
        return [entry for entry in texts if entry != ("state",)]


@dataclass
class Desk:
    """An embedder with everything it needs, all of it real."""

    folder: Path
    link: HostLink
    settings: MemorySettings = field(default_factory=MemorySettings)

    def __post_init__(self) -> None:
        self.data = DataFolder(self.folder / "data")
        self.registry = ModelRegistry(self.data)
        self.installed = self.folder / "embedder"
        self.box = Box(self.link)

    def embedder(self, **options: int) -> Embedder:
        models = ModelManager(self.data, self.link.mailbox(), lambda _note: None)
        return Embedder(self.box, lambda: self.settings, models.resolve, installed=self.installed, **options)

    def choose(self, name: str) -> None:
        self.settings = self.settings.model_copy(update={"embedder": name})


def _install(folder: Path) -> None:
    """A tiny encoder where the installer puts the real one."""
    model = tiny_encoder(folder / "model.onnx", seed=5)
    about = AboutEmbedder(
        name="tiny-installed",
        width=32,
        tokens=256,
        package="tiny",
        version="1",
        source_hashes={},
        quantisation="none",
        model_sha256=hashlib.sha256(model.read_bytes()).hexdigest(),
        model_bytes=model.stat().st_size,
        tokenizer_sha256=hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest(),
        agreement=Agreement(texts=1, cosine_least=1.0, cosine_mean=1.0, text_ms=1.0),
        built_at="2026-01-01T00:00:00+00:00",
    )
    (folder / "about.json").write_text(about.model_dump_json())


@pytest.fixture
def link(tmp_path: Path) -> Iterator[HostLink]:
    link = HostLink(tmp_path / "logs", back_off_ms=20)
    yield link
    link.close()


@pytest.fixture
def desk(tmp_path: Path, link: HostLink) -> Desk:
    return Desk(tmp_path, link)


def _until(embedder: Embedder, done: Callable[[], object]) -> None:
    deadline = time.monotonic() + LONG_S
    while not done():
        assert time.monotonic() < deadline, [problem.what for problem in embedder.problems()]
        embedder.pump()
        time.sleep(0.005)


def _vector(embedder: Embedder, text: str) -> NDArray[np.float32]:
    _until(embedder, lambda: embedder.vector(text) is not None)
    vector = embedder.vector(text)
    assert vector is not None
    return vector


def _faults(embedder: Embedder) -> str:
    return " ".join(str(problem) for problem in embedder.problems())


# ---- which embedder serves


def test_the_installed_model_serves_where_nothing_is_chosen(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder()
    assert embedder.name == "", "it has not shown yet that it works"
    assert embedder.vector(TEXT) is None, "nothing waits"
    vector = _vector(embedder, TEXT)
    assert embedder.name == "tiny-installed" and embedder.problems() == []
    assert vector.shape == (32,) and vector.dtype == np.float32
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5)
    again = embedder.vector(TEXT)
    assert again is vector and len(desk.box.asked) == 1, "a vector is kept"
    assert embedder.waiting == 0


def test_it_shows_that_it_works_before_it_is_asked(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder()
    _until(embedder, lambda: embedder.name == "tiny-installed")
    assert desk.box.asked == []


def test_without_the_graph_no_host_is_started(desk: Desk) -> None:
    _install(desk.installed)
    desk.settings = MemorySettings(knowledge_graph=False)
    embedder = desk.embedder()
    for _ in range(5):
        embedder.pump()
    assert desk.link.pid is None
    _vector(embedder, TEXT)
    assert desk.link.pid is not None


def test_hashed_words_serve_at_once_where_none_is_installed(desk: Desk) -> None:
    embedder = desk.embedder()
    assert embedder.name == "hashing-384"
    vector = embedder.vector(TEXT)
    assert vector is not None and np.array_equal(vector, HashingEmbedder().embed([TEXT])[0])
    embedder.pump()
    assert "no sentence-embedding model is installed" in _faults(embedder)
    embedder.pump()
    assert embedder.problems() == [] and desk.link.pid is None and embedder.waiting == 0


def test_a_model_of_the_registry_is_chosen_by_name(desk: Desk) -> None:
    _install(desk.installed)
    entry = desk.registry.add_file(tiny_encoder(desk.folder / "bge.onnx", seed=2))
    desk.choose("bge")
    embedder = desk.embedder()
    chosen = _vector(embedder, TEXT)
    assert embedder.name == f"bge@{entry.sha256[:8]}" and embedder.problems() == []
    desk.choose("")
    assert embedder.vector(TEXT) is None and embedder.name == "", "another one's vectors are others"
    assert not np.allclose(_vector(embedder, TEXT), chosen, atol=1e-3)
    assert embedder.name == "tiny-installed"


@pytest.mark.usefixtures("llama")
def test_a_gguf_model_embeds_too(desk: Desk) -> None:
    desk.registry.add_file(tiny_text_model(desk.folder / "text.gguf"))
    desk.choose("text")
    embedder = desk.embedder()
    assert _vector(embedder, TEXT).shape == (64,)
    assert embedder.name.startswith("text@")


def test_hashed_words_can_be_chosen(desk: Desk) -> None:
    _install(desk.installed)
    desk.choose("hashing-384")
    embedder = desk.embedder()
    assert embedder.name == "hashing-384" and embedder.vector(TEXT) is not None
    assert embedder.problems() == []


# ---- failures


def test_an_unknown_name_is_reported_once_and_used_when_it_appears(desk: Desk) -> None:
    _install(desk.installed)
    desk.choose("bge")
    models = ModelManager(desk.data, desk.link.mailbox(), lambda _note: None)
    embedder = Embedder(desk.box, lambda: desk.settings, models.resolve, installed=desk.installed)
    _vector(embedder, TEXT)
    assert embedder.name == "tiny-installed"
    assert "there is no model 'bge'" in _faults(embedder)
    embedder.pump()
    assert embedder.problems() == []
    desk.registry.add_file(tiny_encoder(desk.folder / "bge.onnx", seed=2))
    _until(embedder, lambda: embedder.name.startswith("bge@"))
    assert embedder.problems() == []


def test_a_model_that_embeds_nothing_makes_way_for_the_installed_one(desk: Desk) -> None:
    _install(desk.installed)
    desk.registry.add_file(tiny_policy(desk.folder / "policy.onnx"))
    desk.choose("policy")
    embedder = desk.embedder()
    embedder.ask("asked before it failed")
    _until(embedder, lambda: embedder.name == "tiny-installed")
    faults = _faults(embedder)
    assert "the embedder policy cannot be used: policy takes state: it is no encoder of texts." in faults
    assert "tiny-installed serves in its place." in faults
    _until(embedder, lambda: embedder.waiting == 0)
    assert embedder.vector("asked before it failed") is not None
    assert embedder.problems() == []


def test_a_damaged_file_is_never_loaded_and_hashed_words_serve(desk: Desk) -> None:
    _install(desk.installed)
    model = desk.installed / "model.onnx"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    embedder = desk.embedder()
    _until(embedder, lambda: embedder.name == "hashing-384")
    faults = _faults(embedder)
    assert "has changed since it was added" in faults and "Hashed words serve in its place." in faults
    assert embedder.vector(TEXT) is not None


def test_damage_beside_the_model_is_reported_too(desk: Desk) -> None:
    _install(desk.installed)
    (desk.installed / "about.json").write_text("{")
    embedder = desk.embedder()
    assert embedder.name == "hashing-384"
    assert "about.json is damaged" in _faults(embedder)


def test_a_killed_host_is_asked_again(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder()
    _vector(embedder, TEXT)
    assert desk.link.pid is not None
    embedder.ask("on its way when it dies")
    embedder.pump()
    kill(desk.link.pid)
    _vector(embedder, "on its way when it dies")
    _vector(embedder, "after its death")
    assert embedder.name == "tiny-installed" and embedder.problems() == []
    assert desk.link.generation >= 2


def test_a_host_that_keeps_dying_is_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", ENDS_AT_ONCE)
    _install(desk.installed)
    embedder = desk.embedder()
    _until(embedder, lambda: embedder.name == "hashing-384")
    problems = embedder.problems()
    assert len(problems) == 1 and "the embedder tiny-installed cannot be used" in problems[0].what
    assert embedder.vector(TEXT) is not None


@pytest.mark.usefixtures("llama")
def test_a_text_that_cannot_be_embedded_is_like_nothing(desk: Desk) -> None:
    """A GGUF model takes no text longer than its context; its neighbours in the request get their vectors."""
    desk.registry.add_file(tiny_text_model(desk.folder / "text.gguf", context=256), context=256)
    desk.choose("text")
    embedder = desk.embedder()
    _until(embedder, lambda: embedder.name)
    texts = ["open the door", "z" * 1000, "", "close it"]
    for text in texts:
        embedder.ask(text)
    _until(embedder, lambda: embedder.waiting == 0)
    lengths = [float(np.linalg.norm(_vector(embedder, text))) for text in texts]
    assert np.allclose(lengths, np.array([1, 0, 1, 1]), atol=1e-5)
    assert embedder.name.startswith("text@") and embedder.problems() == []


# ---- what goes first


def test_one_request_at_a_time_and_the_newest_first(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder()
    _until(embedder, lambda: embedder.name)
    for number in range(20):
        embedder.ask(f"text {number}")
    embedder.ask("text 3")
    embedder.pump()
    assert len(desk.box.asked) == 1 and embedder.waiting == 20
    embedder.ask("text 19")
    embedder.ask("asked last")
    embedder.pump()
    _until(embedder, lambda: embedder.waiting == 0)
    first, second, *_ = desk.box.asked
    assert first == ("text 3", *(f"text {number}" for number in range(19, 12, -1)))
    assert second[:2] == ("asked last", "text 12")
    sent = [text for texts in desk.box.asked for text in texts]
    assert len(sent) == len(set(sent)) == 21, "what is on its way is not asked again"
    assert all(embedder.vector(f"text {number}") is not None for number in range(20))


def test_the_cache_is_bounded(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder(most_cached=4)
    first = _vector(embedder, "text 0")
    for number in range(1, 4):
        _vector(embedder, f"text {number}")
    assert embedder.vector("text 0") is first, "used again"
    _vector(embedder, "text 4")
    assert embedder.vector("text 0") is first
    assert embedder.vector("text 1") is None, "it was not used for longest"
    assert np.allclose(_vector(embedder, "text 1"), _vector(embedder, "text 1"))


def test_a_returned_vector_cannot_be_changed(desk: Desk) -> None:
    vector = desk.embedder().vector(TEXT)
    assert vector is not None
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


# ---- beside others on the same host


def test_others_who_ask_the_host_get_their_own(desk: Desk) -> None:
    _install(desk.installed)
    embedder = desk.embedder()
    other = desk.link.mailbox()
    spec = desk.registry.add_file(tiny_encoder(desk.folder / "bge.onnx", seed=2)).spec
    assert other.send(Embed(request_id=1, model=spec, texts=("theirs",)))
    mine = _vector(embedder, "theirs")
    letters: list[tuple[HostReply, bytes]] = []
    deadline = time.monotonic() + LONG_S
    while not letters:
        assert time.monotonic() < deadline
        time.sleep(0.005)
        letters = other.pump_letters()
    theirs = np.frombuffer(letters[0][1], np.float32)
    assert not np.allclose(mine, theirs, atol=1e-3)


def test_the_real_model_knows_meanings(desk: Desk) -> None:
    if installed_embedder() is None:
        pytest.skip("the installer could not have the model's package")
    desk.installed = embedder_dir()
    embedder = desk.embedder()
    low, weak, menu = (
        _vector(embedder, text)
        for text in ("health low enemy near", "the player is wounded and a foe is close", "options menu")
    )
    assert embedder.name == "minilm-l6-v2-q8"
    assert low @ weak > low @ menu + 0.2


def test_the_choice_is_read_from_a_registry_that_was_never_followed(desk: Desk) -> None:
    desk.registry.add_file(tiny_encoder(desk.folder / "bge.onnx", seed=2))
    models = ModelManager(desk.data, desk.link.mailbox(), lambda _note: None)
    assert models.resolve("bge").kind == "onnx"
    with pytest.raises(PitwallError, match="there is no model"):
        models.resolve("bga")
