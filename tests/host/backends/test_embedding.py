"""Vectors of texts: the installed model against its weights, encoders as others publish them, mailboxes."""

from __future__ import annotations

import json
import select
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tests.host.backends.sentences import SENTENCES
from tests.host.host_driver import LONG_S, HostProcess, spec

from pitwall.core.errors import RequestFailed
from pitwall.core.paths import embedder_dir
from pitwall.engine.inference.host_link import HostConnection, HostLink
from pitwall.models.embedder.installed import InstalledEmbedder, check_model, installed_embedder
from pitwall.models.embedder.vectors import rows_of
from pitwall.models.host_requests import Embed, Embedded, HostFault, HostReply, Tokenise
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_encoder

WIDTH = 6
NEAR_ENOUGH = 0.999


def _vectors(host: HostProcess, model: ModelSpec, *texts: str) -> NDArray[np.float32]:
    request = Embed(request_id=host.number(), model=model, texts=texts)
    reply = host.ask(request, kind=Embedded)
    return rows_of(reply, host.blob_of(request.request_id))


# ---- the installed model


@pytest.fixture(scope="module")
def installed() -> InstalledEmbedder:
    """The model that the installer built."""
    embedder = installed_embedder()
    if embedder is None:
        built = (Path(sys.prefix) / ".pitwall-embedder").exists()
        assert not built, f"the installer says that it built a model, but {embedder_dir()} has none"
        pytest.skip("the installer could not have the model's package")
    return embedder


def test_the_installed_model_says_what_its_weights_say(
    host: HostProcess, installed: InstalledEmbedder
) -> None:
    expected = np.load(Path(__file__).with_name("minilm_reference.npy")).astype(np.float32)
    got = _vectors(host, installed.spec, *SENTENCES)
    assert got.shape == expected.shape == (len(SENTENCES), installed.about.width)
    cosines = dict(zip(SENTENCES, (got * expected).sum(axis=1), strict=True))
    assert min(cosines.values()) >= NEAR_ENOUGH, min(cosines, key=lambda text: cosines[text])
    assert installed.about.agreement.cosine_least >= NEAR_ENOUGH
    check_model(installed)


def test_what_is_alike_in_meaning_is_near(host: HostProcess, installed: InstalledEmbedder) -> None:
    wood, timber, menu = _vectors(
        host,
        installed.spec,
        "chop the tree for wood",
        "fell the oak to get timber",
        "press start in the menu",
    )
    assert wood @ timber > 0.6 > 0.3 > wood @ menu


def test_neighbours_in_a_batch_change_nothing(host: HostProcess, installed: InstalledEmbedder) -> None:
    together = _vectors(host, installed.spec, *SENTENCES)
    for row in (0, 20, len(SENTENCES) - 1):
        alone = _vectors(host, installed.spec, SENTENCES[row])[0]
        assert alone @ together[row] > 0.99999


def test_a_long_text_is_cut_where_training_ended(host: HostProcess, installed: InstalledEmbedder) -> None:
    assert installed.about.tokens == 256
    room = installed.about.tokens - 2
    exact, longer, shorter = _vectors(
        host, installed.spec, "lava " * room, "lava " * room + "boat " * 600, "lava " * (room - 1) + "boat"
    )
    assert exact @ longer > 0.99999 and exact @ shorter < 0.9999


# ---- encoders as others publish them


def _tokens_encoder(path: Path, *, outputs: tuple[str, ...]) -> Path:
    """An encoder whose `last_hidden_state` is each token's row of a table. `pooler_output`: no use."""
    tiny_encoder(path)
    vocabulary = json.loads(path.with_name("tokenizer.json").read_text())["model"]["vocab"]
    rng = np.random.default_rng(3)
    table = rng.standard_normal((len(vocabulary), WIDTH)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"]),
        helper.make_node("ReduceMax", ["last_hidden_state", "middle"], ["pooler_output"], keepdims=0),
    ]
    shapes: dict[str, list[str | int | None]] = {
        "last_hidden_state": ["batch", "length", WIDTH],
        "pooler_output": ["batch", WIDTH],
    }
    graph = helper.make_graph(
        nodes,
        "tokens",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
        [numpy_helper.from_array(table, "table"), numpy_helper.from_array(np.array([1]), "middle")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, path)
    return path


def _expected(path: Path, text: str, *, first: bool = False, most: int = 256) -> NDArray[np.float32]:
    """What the encoder above means, from its own files."""
    tokenizer = json.loads(path.with_name("tokenizer.json").read_text())["model"]["vocab"]
    table = numpy_helper.to_array(onnx.load(path).graph.initializer[0])
    pieces = [piece for word in text.split() for piece in (word[0], *(f"##{letter}" for letter in word[1:]))]
    ids = [tokenizer[piece] for piece in ("[CLS]", *pieces[: most - 2], "[SEP]")]
    vector = table[ids[0]] if first else table[ids].mean(axis=0)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


@pytest.mark.parametrize("outputs", [("last_hidden_state",), ("pooler_output", "last_hidden_state")])
def test_tokens_vectors_are_averaged(host: HostProcess, tmp_path: Path, outputs: tuple[str, ...]) -> None:
    file = _tokens_encoder(tmp_path / "model.onnx", outputs=outputs)
    got = _vectors(host, spec(f"mean-{len(outputs)}", "onnx", file), "open door", "open the other door")
    assert np.allclose(got[0], _expected(file, "open door"), atol=1e-5)
    assert np.allclose(got[1], _expected(file, "open the other door"), atol=1e-5)


def test_the_first_token_is_taken_where_the_encoder_was_trained_so(host: HostProcess, tmp_path: Path) -> None:
    file = _tokens_encoder(tmp_path / "model.onnx", outputs=("last_hidden_state",))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(
        '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}'
    )
    got = _vectors(host, spec("first", "onnx", file), "open door")[0]
    assert np.allclose(got, _expected(file, "open door", first=True), atol=1e-5)
    assert not np.allclose(got, _expected(file, "open door"), atol=1e-2)


def test_what_cannot_be_read_of_a_pooling_is_the_mean(host: HostProcess, tmp_path: Path) -> None:
    file = _tokens_encoder(tmp_path / "model.onnx", outputs=("last_hidden_state",))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("[")
    got = _vectors(host, spec("unread", "onnx", file), "open door")[0]
    assert np.allclose(got, _expected(file, "open door"), atol=1e-5)


def test_of_a_published_folder_the_onnx_file_may_be_added(host: HostProcess, tmp_path: Path) -> None:
    inner = _tokens_encoder(tmp_path / "onnx" / "model.onnx", outputs=("last_hidden_state",))
    expected = _expected(inner, "open door")
    inner.with_name("tokenizer.json").rename(tmp_path / "tokenizer.json")
    assert np.allclose(_vectors(host, spec("inner", "onnx", inner), "open door")[0], expected, atol=1e-5)


def test_a_text_is_cut_where_the_tokenizer_says(host: HostProcess, tmp_path: Path) -> None:
    file = _tokens_encoder(tmp_path / "model.onnx", outputs=("last_hidden_state",))
    tokenizer = json.loads((tmp_path / "tokenizer.json").read_text())
    tokenizer["truncation"] = {
        "direction": "Right",
        "max_length": 6,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    tokenizer["padding"] = {
        "strategy": {"Fixed": 128},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    model = spec("cut", "onnx", file)
    got = _vectors(host, model, "abcdefgh", "ab")
    assert np.allclose(got[0], _expected(file, "abcdefgh", most=6), atol=1e-5)
    assert np.allclose(got[1], _expected(file, "ab"), atol=1e-5), "padding counts"
    counting = Tokenise(request_id=host.number(), model=model, texts=("abcdefgh",))
    assert getattr(host.answer(host.send(counting)), "counts", None) == (8,)


# ---- their way back


def _letters(box: HostConnection, count: int) -> list[tuple[HostReply, bytes]]:
    letters: list[tuple[HostReply, bytes]] = []
    deadline = time.monotonic() + LONG_S
    while len(letters) < count:
        assert time.monotonic() < deadline, "the host did not answer"
        fileno = box.fileno()
        assert fileno is not None, box.faults()
        select.select([fileno], [], [], 0.2)
        letters += box.pump_letters()
    return letters


def test_a_mailbox_gives_replies_with_their_blobs(link: HostLink, models: Path) -> None:
    encoder = spec("encoder", "onnx", models / "encoder.onnx")
    vectors, other = link.mailbox(), link.mailbox()
    assert vectors.send(Embed(request_id=1, model=encoder, texts=("open", "close")))
    assert other.send(Embed(request_id=1, model=encoder, texts=("wait",)))
    assert vectors.send(Embed(request_id=2, model=spec("none", "onnx", models / "policy.onnx"), texts=("a",)))
    (reply, blob), (fault, nothing) = _letters(vectors, 2)
    assert isinstance(reply, Embedded) and reply.request_id == 1
    assert rows_of(reply, blob).shape == (2, 32)
    assert isinstance(fault, HostFault) and (fault.request_id, nothing) == (2, b"")
    ((mine, wait),) = _letters(other, 1)
    assert isinstance(mine, Embedded) and len(rows_of(mine, wait)) == 1
    assert vectors.pump() == [] == vectors.pump_letters()


def test_pump_alone_still_gives_every_reply(link: HostLink, models: Path) -> None:
    box = link.mailbox()
    encoder = spec("encoder", "onnx", models / "encoder.onnx")
    box.send(Embed(request_id=5, model=encoder, texts=("open",)))
    replies: list[HostReply] = []
    deadline = time.monotonic() + LONG_S
    while not replies:
        assert time.monotonic() < deadline
        replies += box.pump()
        time.sleep(0.01)
    assert [(type(reply), reply.request_id) for reply in replies] == [(Embedded, 5)]


def test_vectors_that_are_none_come_as_zeros_and_a_short_blob_is_refused() -> None:
    rows = np.array([[3, 4], [np.nan, 1], [0, 0]], np.float32)
    reply = Embedded(request_id=1, count=3, width=2)
    assert np.allclose(rows_of(reply, rows.tobytes()), np.array([[0.6, 0.8], [0, 0], [0, 0]]))
    with pytest.raises(RequestFailed, match="20 bytes came for vectors of 24"):
        rows_of(reply, rows.tobytes()[:-4])
