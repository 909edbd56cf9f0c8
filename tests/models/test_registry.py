"""The registry: what is added is checked and hashed, nothing is lost, and every refusal says why."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.core.errors import (
    BadModelFile,
    CorruptRegistry,
    DataFolderError,
    ModelTaken,
    SettingsError,
    UnknownModel,
)
from pitwall.core.paths import DataFolder
from pitwall.models.files.integrity import check_file, sha256_of
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy, tiny_projector, tiny_text_model


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def registry(data: DataFolder) -> ModelRegistry:
    return ModelRegistry(data)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_text_model(tmp_path / "files" / "tiny one.gguf")


def test_a_file_is_added_with_its_hash_and_header(registry: ModelRegistry, model: Path) -> None:
    reports: list[tuple[int, int]] = []
    entry = registry.add_file(model, progress=lambda done, total: reports.append((done, total)))
    size = model.stat().st_size
    assert entry.name == "tiny-one"
    assert entry.spec == ModelSpec(
        name="tiny-one",
        kind="gguf",
        path=str(model),
        size_bytes=size,
        mtime_ns=model.stat().st_mtime_ns,
        sha256=sha256_of(model),
        context=4096,
    )
    assert reports[-1] == (size, size)
    assert entry.header is not None
    assert entry.header.layers == 2
    assert entry.has_chat_template
    assert registry.all() == (entry,)
    assert registry.get("tiny-one") == entry
    check_file(entry.spec)


def test_what_a_model_needs_is_told_from_the_registry(registry: ModelRegistry, model: Path) -> None:
    entry = registry.add_file(model, context=1024, gpu_layers=0)
    need = entry.need(slots=2)
    assert need is not None
    assert (need.context, need.slots, need.gpu_bytes) == (1024, 2, 0)


def test_onnx_files_tell_what_they_are(registry: ModelRegistry, tmp_path: Path) -> None:
    encoder = registry.add_file(tiny_encoder(tmp_path / "e.onnx"))
    policy = registry.add_file(tiny_policy(tmp_path / "p.onnx"), name="policy")
    assert (encoder.kind, encoder.embeds, encoder.outputs) == ("onnx", True, ("sentence_embedding",))
    assert (policy.kind, policy.embeds, policy.inputs) == ("onnx", False, ("state",))
    assert encoder.need() is None


def test_a_projector_lets_a_model_see(registry: ModelRegistry, model: Path, tmp_path: Path) -> None:
    projector = tiny_projector(tmp_path / "p.gguf")
    entry = registry.add_file(model, projector=projector)
    assert entry.spec.sees
    assert entry.spec.projector_sha256 == sha256_of(projector)
    blind = registry.change(entry.name, projector="")
    assert not blind.spec.sees
    assert registry.change(entry.name, projector=projector).spec == entry.spec


def test_a_projector_that_does_not_fit_is_refused(
    registry: ModelRegistry, model: Path, tmp_path: Path
) -> None:
    wide = tiny_projector(tmp_path / "wide.gguf", width=128)
    with pytest.raises(BadModelFile, match="128 wide; expected one for 64"):
        registry.add_file(model, projector=wide)
    with pytest.raises(BadModelFile, match="is a llama model; expected a projector"):
        registry.add_file(model, projector=model)
    with pytest.raises(BadModelFile, match=r"--projector wide\.gguf"):
        registry.add_file(wide)
    with pytest.raises(BadModelFile, match="takes no projector"):
        registry.add_file(tiny_policy(tmp_path / "p.onnx"), projector=wide)
    assert registry.all() == ()


def test_the_same_file_twice_names_the_entry(registry: ModelRegistry, model: Path, tmp_path: Path) -> None:
    registry.add_file(model, name="first")
    with pytest.raises(ModelTaken, match="as 'first'"):
        registry.add_file(model, name="second")
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(model.read_bytes())
    with pytest.raises(ModelTaken, match="as 'first'"):
        registry.add_file(copy)
    with pytest.raises(ModelTaken, match="a model 'first' already"):
        registry.add_file(tiny_text_model(tmp_path / "other.gguf", seed=1), name="first")


def test_an_endpoint_is_added_without_asking_it(registry: ModelRegistry) -> None:
    entry = registry.add_remote("far", "http://127.0.0.1:9/v1", "big", key_variable="FAR_KEY", sees=True)
    assert (entry.kind, entry.spec.remote_model, entry.spec.sees) == ("remote", "big", True)
    check_file(entry.spec)


@pytest.mark.parametrize(
    ("url", "model", "variable", "problem"),
    [
        ("localhost:80", "m", "", "no address"),
        ("ftp://host/v1", "m", "", "no address"),
        ("http://host/v1", "", "", "names no model"),
        ("http://host/v1", "m", "sk-123 abc", "environment variable"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused(
    registry: ModelRegistry, url: str, model: str, variable: str, problem: str
) -> None:
    with pytest.raises(SettingsError, match=problem):
        registry.add_remote("far", url, model, key_variable=variable)


def test_options_change_and_their_bounds_are_told(registry: ModelRegistry, model: Path) -> None:
    name = registry.add_file(model).name
    changed = registry.change(name, context=2048, gpu_layers=1, threads=2, flash_attention="on")
    assert (changed.context, changed.gpu_layers, changed.threads) == (2048, 1, 2)
    assert changed.spec.flash_attention == "on"
    assert registry.get(name) == changed
    for options, problem in (
        ({"context": 10}, "context"),
        ({"context": 9000}, "4,096 tokens that the model was trained for"),
        ({"gpu_layers": -2}, "gpu_layers"),
        ({"threads": "many"}, "threads"),
        ({"flash_attention": "yes"}, "flash_attention: found 'yes'; expected 'auto', 'on' or 'off'"),
        ({"contxt": 512}, "Did you mean 'context'"),
        ({"url": "http://x/v1"}, "endpoints only"),
    ):
        with pytest.raises(SettingsError, match=problem):
            registry.change(name, **options)
    assert registry.get(name) == changed


def test_a_measurement_is_kept_until_its_options_change(registry: ModelRegistry, model: Path) -> None:
    name = registry.add_file(model).name
    assert registry.get(name).tokens_per_s is None
    registry.measured(name, 41.5, load_ms=12.0, device="CPU")
    registry.change(name, context=1024)
    entry = registry.get(name)
    assert entry.tokens_per_s == 41.5
    assert entry.measured is not None
    assert entry.measured.measured_at
    assert registry.change(name, threads=1).tokens_per_s is None
    registry.measured(name, 41.5)
    assert registry.change(name, flash_attention="off").tokens_per_s is None


def test_flash_attention_is_for_gguf_models(registry: ModelRegistry, tmp_path: Path) -> None:
    policy = registry.add_file(tiny_policy(tmp_path / "p.onnx"))
    with pytest.raises(SettingsError, match="no GGUF model"):
        registry.change(policy.name, flash_attention="on")


def test_a_file_from_before_there_was_a_choice_leaves_it_open(
    data: DataFolder, registry: ModelRegistry, model: Path
) -> None:
    name = registry.add_file(model, flash_attention="on").name
    stored = json.loads(data.model_registry.read_text(encoding="utf-8"))
    assert stored["models"][0].pop("flash_attention") == "on"
    del stored["models"][0]["header"]["feed_forward"]
    data.model_registry.write_text(json.dumps(stored), encoding="utf-8")
    entry = registry.get(name)
    assert entry.spec.flash_attention == "auto"
    assert entry.need() is not None


def test_unknown_names_get_a_hint(registry: ModelRegistry, model: Path) -> None:
    registry.add_file(model)
    with pytest.raises(UnknownModel, match="Did you mean 'tiny-one'"):
        registry.get("tiny-on")
    with pytest.raises(UnknownModel, match="models list"):
        registry.remove("zebra")


def test_names_that_cannot_be_are_refused(registry: ModelRegistry, model: Path) -> None:
    for name in ("-x", "a b", "ü", "x" * 90, "a/b"):
        with pytest.raises(SettingsError, match="cannot be a model's name"):
            registry.add_file(model, name=name)


def test_a_model_is_forgotten_but_its_file_stays(registry: ModelRegistry, model: Path) -> None:
    entry = registry.add_file(model)
    assert registry.remove(entry.name) == entry
    assert registry.all() == ()
    assert model.exists()


def test_a_changed_file_is_refused_and_a_touched_one_is_not(registry: ModelRegistry, model: Path) -> None:
    spec = registry.add_file(model).spec
    os.utime(model, ns=(1, 1))
    check_file(spec)
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    with pytest.raises(BadModelFile, match="has changed since it was added"):
        check_file(spec)
    model.unlink()
    with pytest.raises(BadModelFile, match="does not exist"):
        check_file(spec)


def test_a_changed_projector_is_refused(registry: ModelRegistry, model: Path, tmp_path: Path) -> None:
    projector = tiny_projector(tmp_path / "p.gguf")
    spec = registry.add_file(model, projector=projector).spec
    tiny_projector(projector, seed=9)
    with pytest.raises(BadModelFile, match=r"p\.gguf has changed"):
        check_file(spec)


@pytest.mark.parametrize("content", ["{", "[]", '{"models": [{"name": "x"}]}', ""])
def test_a_damaged_file_is_kept_beside_a_new_one(
    registry: ModelRegistry, data: DataFolder, model: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    data.root.mkdir()
    data.model_registry.write_text(content)
    with pytest.raises(CorruptRegistry, match=r"models\.json is damaged"):
        registry.all()
    with pytest.raises(CorruptRegistry):
        registry.remove("x")
    assert data.model_registry.read_text() == content
    with caplog.at_level(logging.WARNING):
        entry = registry.add_file(model)
    assert "models.damaged-1.json" in caplog.text
    assert (data.root / "models.damaged-1.json").read_text() == content
    assert registry.all() == (entry,)


def test_a_newer_program_s_fields_are_no_damage(
    registry: ModelRegistry, data: DataFolder, model: Path
) -> None:
    registry.add_file(model)
    content = json.loads(data.model_registry.read_text())
    content["models"][0]["invented_later"] = 1
    data.model_registry.write_text(json.dumps(content))
    assert registry.all()[0].name == "tiny-one"


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, model: Path) -> None:
    (tmp_path / "wall").write_text("")
    with pytest.raises(DataFolderError, match="wall"):
        ModelRegistry(DataFolder(tmp_path / "wall")).add_file(model)


_ADD = (
    "import sys; from pathlib import Path; from pitwall.core.paths import DataFolder;"
    "from pitwall.models.registry import ModelRegistry;"
    "r = ModelRegistry(DataFolder(Path(sys.argv[1])));"
    "[r.add_remote(f'{sys.argv[2]}-{i}', 'http://127.0.0.1:9/v1', 'm') for i in range(20)]"
)


def test_writers_at_the_same_time_lose_nothing(registry: ModelRegistry, data: DataFolder) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _ADD, str(data.root), f"writer{number}"])
        for number in range(3)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    names = {entry.name for entry in registry.all()}
    assert names == {f"writer{number}-{i}" for number in range(3) for i in range(20)}
