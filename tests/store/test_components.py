"""What is installed after the first start: named once, pinned, and told in words while it is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pitwall.core.errors import PitwallError
from pitwall.store import components
from pitwall.store.components import COMPONENTS, absence, component, component_of, note_state
from pitwall.store.lease import FileLock


@pytest.fixture
def one_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Text reading as if it were not installed, in an own environment whose notes lie in `tmp_path`."""
    gone = tuple(
        replace(component, packages=("no-such-package",)) if component.key == "text" else component
        for component in COMPONENTS
    )
    monkeypatch.setattr(components, "COMPONENTS", gone)
    monkeypatch.setattr(components, "STATE_FILE", tmp_path / "components.json")
    monkeypatch.setattr(components, "LOCK_FILE", tmp_path / "components.lock")
    monkeypatch.setattr(components, "can_install", lambda: True)
    return "text"


def test_every_dependency_is_installed_first_or_with_a_component_and_pinned(project_root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, str(project_root / "installer" / "base.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    first = {re.split(r"[^\w.-]", line)[0].lower() for line in ran.stdout.splitlines()}
    later = {name.lower() for component in COMPONENTS for name in (*component.packages, *component.alone)}
    assert {"pyside6-essentials", "opencv-python", "pygame-ce"} <= first
    assert {"llama-cpp-python", "onnxruntime-gpu", "rapidocr"} <= later
    assert not first & later
    pins = (
        (project_root / "installer" / "constraints.txt").read_text(encoding="ascii").lower().replace("_", "-")
    )
    assert {name for name in later if f"\n{name}==" not in f"\n{pins}"} == set()


def test_a_missing_component_says_what_does_without_it_and_where_to_get_it(one_missing: str) -> None:
    sentence, fix = absence(one_missing)
    assert sentence == "Text reading: not installed yet. Fields of text read none."
    assert "pitwall components install text" in fix


def test_one_on_its_way_says_how_far_it_is_and_nobody_who_died_is_believed(one_missing: str) -> None:
    with FileLock(components.LOCK_FILE, role="installer", subject="the environment"):
        note_state(key="text", doing="Text reading: unpacking", share=0.5, failed={})
        assert absence(one_missing)[0].startswith("Text reading: on its way (Text reading: unpacking).")
        note_state(key="models", doing="Local models: building llama_cpp_python", share=0.5, failed={})
        assert "(after Local models: building" in absence("text")[0]
    assert absence("text")[0].startswith("Text reading: not installed yet.")


def test_a_module_leads_to_its_component_and_a_wrong_name_to_those_there_are() -> None:
    models = component_of("llama_cpp")
    assert models is not None and models.key == "models"
    assert component_of("numpy") is None
    with pytest.raises(PitwallError, match="no component 'ocr'") as refused:
        component("ocr")
    assert "text" in refused.value.fix


def test_a_component_on_demand_is_installed_only_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = (
        replace(component("training"), packages=("no-such-package",)),
        replace(component("text"), packages=("no-such-package",)),
    )
    monkeypatch.setattr(components, "COMPONENTS", gone)
    assert [entry.key for entry in components.missing_components()] == ["text"]
    assert [entry.key for entry in components.missing_components(["training"])] == ["training"]
    assert [entry.key for entry in components.missing_on_demand()] == ["training"]
