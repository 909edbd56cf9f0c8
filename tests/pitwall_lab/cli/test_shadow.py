"""`pitwall shadow`: when an agent gets control, and what it would have pressed in a demonstration."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.plain_records import run_manifest
from typer.testing import CliRunner

from pitwall.cli.main import program
from pitwall.cli.reporter import Reporter
from pitwall.core import commands
from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.model_telemetry import Agreement
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import Settings
from pitwall.core.telemetry import RunBegan, RunEnded, ShadowNote
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.engine.replaying.replay import NamedAgent
from pitwall.games.registry import Registry
from pitwall.games.watched_modules import watch, with_started
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.cli.shadow import ShadowPlay

GOOD = Agreement(
    decisions=900, spans=30, share=0.9, low=0.75, high=0.97, kappa=0.6, kappa_low=0.2, kappa_high=0.8
)
MANIFEST = run_manifest(
    profile_hash="",
    planner="person",
    started_at="",
    settings=commands.PlayMode.SHADOW.stored_in(Settings()).model_dump(mode="json"),
    versions={"module fly": "rules 12ab"},
)


def _play(data: DataFolder, grant_at: float | None) -> ShadowPlay:
    agent = NamedAgent("fly", module="fly")
    report = Reporter(json=True)
    play = ShadowPlay(data, agent, seconds=60, grant_at=grant_at, report=report)
    play.react(RunBegan(run_id=4, manifest=MANIFEST, at_ns=NS_PER_S))
    return play


def _compared(play: ShadowPlay, agreement: Agreement) -> list[Any]:
    return play.react(ShadowNote(at_ns=21 * NS_PER_S, agreement=agreement))


def test_control_is_given_once_it_agrees_enough_and_the_agent_plays_the_rest(tmp_path: Path) -> None:
    play = _play(DataFolder(tmp_path), 0.85)
    assert _compared(play, replace(GOOD, share=0.8)) == []
    assert "80 %" in play.refusal
    assert _compared(play, replace(GOOD, spans=4)) == []
    assert "8 of 20 s" in play.refusal
    assert _compared(play, replace(GOOD, kappa_low=-0.1)) == []
    assert "chance" in play.refusal
    assert _compared(play, GOOD) == [commands.Stop()]
    (start,) = play.react(RunEnded(run_id=4, summary=RunSummary(), keys_down=0))
    assert start.mode is commands.PlayMode.AGENT
    assert start.seconds == pytest.approx(40) and play.watched_run == 4
    done = [play.done]
    play.react(RunEnded(run_id=5, summary=RunSummary(steps=3), keys_down=0))
    assert [*done, play.done] == [False, True] and play.agreement is GOOD


def test_an_agent_that_had_control_needs_no_threshold_the_next_time(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    first = _play(data, 0.0)
    assert _compared(first, Agreement(decisions=19)) == [], "a second is compared first"
    assert "1 s" in first.refusal
    assert _compared(first, Agreement(decisions=20)) == [commands.Stop()], "a threshold of nothing is none"
    first.react(RunEnded(run_id=4, summary=RunSummary(), keys_down=0))
    assert _compared(_play(data, 0.99), replace(GOOD, share=0.3)) == [commands.Stop()]
    assert _compared(_play(data, None), GOOD) == [], "never asked to"


def _demonstrated(data: DataFolder) -> str:
    """Four seconds of flappy without a pipe: once a second the bird is low, and Space comes 200 ms later."""
    begun = Demonstration(
        id="20261123-192500-flappy",
        game="flappy",
        picture_size=(36, 64),
        window_size=(288, 512),
        rate_fps=20,
        started_at=datetime.now(UTC).isoformat(),
    )
    with DemonstrationWriter(data.demonstrations / begun.id, begun) as writer:
        for number in range(80):
            at_ns = NS_PER_S + number * 50 * NS_PER_MS
            if number % 20 == 4:
                writer.event(at_ns, InputEvent(kind="key_down", key="Space"), "flap")
                writer.event(at_ns + NS_PER_MS, InputEvent(kind="key_up", key="Space"))
            fields = {"gap_bottom": None, "low": 300 if number % 20 == 0 else 200}
            writer.picture(at_ns, np.zeros((64, 36, 3), np.uint8))
            writer.moment(at_ns, 0, "playing", fields)
    return begun.id


def _run(data: DataFolder, *words: str) -> dict[str, Any]:
    done = CliRunner().invoke(
        program("shadow"), ["shadow", *words, "--data", str(data.root), "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    body: dict[str, Any] = json.loads(done.output.splitlines()[-1])
    return body


def test_a_module_beside_a_demonstration(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    body = _run(data, "--demo", _demonstrated(data), "--agent", "fly@rules")
    assert body["agreement"]["share"] == 1.0 and body["agreement"]["presses"]["Space"]["agent"] >= 4
    assert body["moments"] == [] and body["version"] == "rules"
    with pytest.raises(PitwallError, match="its own presses"):
        _run(data, "--demo", "20261123", "--agent", "skills")
    with pytest.raises(PitwallError, match="name what is played"):
        _run(data, "--agent", "skills")


def test_a_module_of_which_nothing_drives_names_its_versions_and_never_plays_idle(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    watch(data, Registry(data).load("blocks"), "watched", [])
    folder = ModuleFolder(data, Registry(data).load("blocks"), "watched")
    beside = ("--game", "blocks", "--agent", "watched")
    with pytest.raises(PitwallError, match="has no version"):
        _run(data, *beside)
    folder.new(VersionRecord(game_id="blocks", module="watched", version="", kind="policy"))
    with pytest.raises(PitwallError, match="There are: v1") as refused:
        _run(data, *beside)
    assert "watched@v1" in refused.value.fix
    assert all(not skill.module for skill in folder.game.profile.skills), (
        "nothing starts it while nothing drives"
    )
    assert with_started(folder.game, ["watched"]).profile.skills[-1].module == "watched"
