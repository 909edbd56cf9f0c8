"""What only a child may try: files that kill llama.cpp, and weights that this processor cannot take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.host.host_driver import HostProcess, chat_message, spec
from tests.host.model_files import without_tensor

from pitwall.core.paths import DataFolder
from pitwall.core.prompts import hash_of
from pitwall.host.backends.gguf.library import build
from pitwall.host.backends.gguf.load_probe import ProbeResults, child_survives
from pitwall.models.spec import ModelSpec

pytestmark = pytest.mark.usefixtures("llama")

RISKY = "0.0 CPU : AMX_INT8 = 1"


def _never() -> bool:
    return False


@pytest.fixture
def holed(models: Path, tmp_path: Path) -> ModelSpec:
    """A model whose projector kills llama.cpp."""
    projector = without_tensor(models / "projector.gguf", tmp_path / "holed.gguf", "v.patch_embd.weight")
    return spec("holed", "gguf", models / "text.gguf", projector=str(projector), sees=True)


def test_children_tell_life_from_death(models: Path, tmp_path: Path, holed: ModelSpec) -> None:
    text, projector = str(models / "text.gguf"), str(models / "projector.gguf")
    foreign = tmp_path / "foreign.gguf"
    foreign.write_bytes(b"GGUF is what it is not")
    assert child_survives(["--probe", text], _never) is True
    assert child_survives(["--probe", text, "--projector", projector], _never) is True
    assert child_survives(["--probe", text, "--projector", holed.projector], _never) is False
    assert child_survives(["--probe", str(foreign)], _never) is None
    assert child_survives(["--probe", text], lambda: True) is None


def test_a_verdict_is_kept_for_file_and_build(tmp_path: Path, text: ModelSpec, holed: ModelSpec) -> None:
    verdicts = ProbeResults(tmp_path / "models", RISKY)
    assert verdicts.rearranged(text, _never) and not verdicts.seeing(holed, _never)
    stored = json.loads((tmp_path / "models" / "survives.json").read_text())
    assert sorted(stored.values()) == [False, True]
    again = ProbeResults(tmp_path / "models", RISKY)
    assert not again.seeing(holed, lambda: True), "asked a child once more"
    assert ProbeResults(tmp_path / "models", "another build").seeing(holed, lambda: True)


def test_without_the_risk_no_child_is_asked(text: ModelSpec) -> None:
    def asked() -> bool:
        raise AssertionError

    assert ProbeResults(None, "0.0 CPU : AVX2 = 1").rearranged(text, asked)


def test_damaged_verdicts_are_found_out_anew(tmp_path: Path, text: ModelSpec) -> None:
    (tmp_path / "survives.json").write_text("[1, 2")
    assert ProbeResults(tmp_path, RISKY).rearranged(text, _never)
    assert json.loads((tmp_path / "survives.json").read_text())


def test_a_host_falls_back_by_itself_and_says_so(tmp_path: Path, text: ModelSpec) -> None:
    data = DataFolder(tmp_path / "data")
    data.models.mkdir(parents=True)
    verdict = {hash_of(f"{text.sha256}\n{build()}"): False}
    (data.models / "survives.json").write_text(json.dumps(verdict))
    host = HostProcess(tmp_path / "host.log", ["--data", str(data.root)])
    reply = host.complete(text, chat_message("user", "Go."), grammar='root ::= "ok"')
    assert reply.text == "ok"
    (loaded,) = host.loaded().models
    assert "rearranged weights" in loaded.note
    assert host.close() == 0
