"""Agents of installed packages: found without importing them, taken in as versions, or refused in words."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.gsm.policies import LEARNED, game, linear_policy

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import Module, Rule
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.packaged_agents import packaged_agents
from pitwall.gsm.versions import RULES, ModuleFolder, UnknownModule
from pitwall_lab.modules.taking_in import UnfitAgent, offered, take_in

FLY = Module(name="fly", ends="fallen == 1", rules=[Rule(when="height < 10", action="flap")])
RULES_ABOUT: dict[str, Any] = {
    "game_id": "kite",
    "module": "fly",
    "version": "v7",
    "kind": "rules",
    "title": "flaps later",
    "rules": {"name": "fly", "ends": "fallen == 1", "rules": [{"when": "height < 5", "action": "flap"}]},
}
POLICY = linear_policy(LEARNED, state=1.0)
POLICY_ABOUT = {
    "game_id": "kite",
    "module": "fly",
    "version": "v7",
    "kind": "policy",
    "learned": LEARNED.model_dump(),
    "policy_sha256": hashlib.sha256(POLICY).hexdigest(),
}


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


@pytest.fixture
def folder(data: DataFolder, tmp_path: Path) -> ModuleFolder:
    return ModuleFolder(data, game(tmp_path, FLY.model_copy(update={"learned": LEARNED})), "fly")


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the agent `late` of an installed package, still empty."""
    site = tmp_path / "site"
    (site / "late_kite" / "late").mkdir(parents=True)
    (site / "late_kite" / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    info = site / "late_kite-1.2.dist-info"
    info.mkdir()
    message = "Metadata-Version: 2.4\nName: late-kite\nVersion: 1.2\nLicense-Expression: MIT\n"
    (info / "METADATA").write_text(message, encoding="utf-8")
    points = "[pitwall.agents]\nlate = late_kite:late\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    return site / "late_kite" / "late"


def write(agent: Path, about: dict[str, Any], **changes: object) -> None:
    (agent / "about.json").write_text(json.dumps(about | changes), encoding="utf-8")


def test_rules_become_a_version_once(data: DataFolder, folder: ModuleFolder, agent: Path) -> None:
    write(agent, RULES_ABOUT)
    with pytest.raises(UnknownModule, match="no version 'late'") as unknown:
        folder.about("late")
    assert "pitwall gsm trust kite/fly late" in unknown.value.fix
    about = take_in(data, folder, "late")
    assert (about.version, about.title, about.why) == ("v1", "late of late-kite 1.2 (MIT)", "flaps later")
    assert about.rules is not None and about.rules.rules[0].when == "height < 5"
    assert folder.driving() == RULES
    assert offered(folder, packaged_agents()[0])["late"][1] == "v1"
    with pytest.raises(UnfitAgent, match="is kite/fly v1 already"):
        take_in(data, folder, "late")
    newer = {**RULES_ABOUT["rules"], "ends": "height > 90"}
    write(agent, RULES_ABOUT, rules=newer)
    assert take_in(data, folder, "late").version == "v2"


def test_a_policy_is_kept_without_its_makers_scores(
    data: DataFolder, folder: ModuleFolder, agent: Path
) -> None:
    (agent / "policy.onnx").write_bytes(POLICY)
    score = {"where": "screen", "trial": "fly", "runs": 9, "mean": 9, "low": 9, "high": 9, "wins": 9}
    write(agent, POLICY_ABOUT, scores=[{**score, "win_low": 1, "win_high": 1, "at": 1}])
    about = take_in(data, folder, "late")
    assert (about.kind, about.scores) == ("policy", ())
    assert (folder.folder(about.version) / "policy.onnx").read_bytes() == POLICY


def test_what_does_not_fit_is_refused_and_leaves_nothing(
    data: DataFolder, folder: ModuleFolder, agent: Path
) -> None:
    rules: dict[str, Any] = RULES_ABOUT["rules"]
    write(agent, RULES_ABOUT, rules=rules | {"rules": [{"when": "altitude < 5", "action": "flap"}]})
    with pytest.raises(UnfitAgent, match="altitude"):
        take_in(data, folder, "late")
    write(agent, RULES_ABOUT, rules=rules | {"rules": [{"when": "height < 5", "action": "dive"}]})
    with pytest.raises(UnfitAgent, match="dive"):
        take_in(data, folder, "late")
    write(agent, RULES_ABOUT, rules=None)
    with pytest.raises(UnfitAgent, match="no rules"):
        take_in(data, folder, "late")
    write(agent, POLICY_ABOUT)
    with pytest.raises(BadPolicy, match="is not there"):
        take_in(data, folder, "late")
    (agent / "policy.onnx").write_bytes(POLICY + b"changed")
    with pytest.raises(BadPolicy, match="another SHA-256"):
        take_in(data, folder, "late")
    (agent / "policy.onnx").write_bytes(b"no network")
    write(agent, POLICY_ABOUT, policy_sha256=hashlib.sha256(b"no network").hexdigest())
    with pytest.raises(PitwallError):
        take_in(data, folder, "late")
    assert folder.names() == [RULES]
    with pytest.raises(UnfitAgent, match="Did you mean 'late'"):
        take_in(data, folder, "lat")


def test_a_package_that_names_no_agent_is_told(agent: Path) -> None:
    agents, [fault] = packaged_agents()
    assert not agents and str(agent / "about.json") in str(fault)
    (agent / "about.json").write_text("{", encoding="utf-8")
    assert str(agent / "about.json") in str(packaged_agents()[1][0])
    shutil.rmtree(agent)
    assert len(packaged_agents()[1]) == 1
