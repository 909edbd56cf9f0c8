"""Which version drives: promoted ones are tried in a real host, loaded, and exchanged while they play."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.gsm.pixels.tiny_policy import LEISURELY, kept, tiny_policy
from tests.gsm.policies import LEARNED, game, keep, linear_policy

from pitwall.core.clock import now_ns
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ModulesNote
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.games.schema.modules import Module, Rule
from pitwall.games.watched_modules import watch, with_watched
from pitwall.gsm.pixel_manifest import read_manifest
from pitwall.gsm.pixels.space import space_in
from pitwall.gsm.policy_module import Decision
from pitwall.gsm.versions import ModuleFolder, UnknownModule

RULES = [Rule(when="height > 10", action="rest")]
FLY = Module(name="fly", ends="fallen == 1", rules=RULES, learned=LEARNED)
HIGH = {"height": 90.0, "fallen": 0}


class Rig:
    """One game's modules beside a real host."""

    def __init__(self, folder: Path, host: HostLink, *modules: Module) -> None:
        self.data = DataFolder(folder / "data")
        self.game = game(folder, *(modules or (FLY,)))
        self.host = host
        self.told: list[ModulesNote] = []
        self.faults: list[PitwallError] = []

    def driving(self, *, explore: float = 0.0, **pins: str) -> ModuleManager:
        return ModuleManager(
            self.game,
            self.data,
            self.host.mailbox(),
            pins=pins,
            explore=explore,
            tell=self.told.append,
            on_fault=self.faults.append,
        )

    @property
    def folder(self) -> ModuleFolder:
        return ModuleFolder(self.data, self.game, "fly")


def until(driving: ModuleManager, holds: Callable[[], bool]) -> None:
    """Follow until something holds."""
    give_up = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < give_up, "it did not come"
        driving.follow(now_ns())
        time.sleep(0.01)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLink]:
    link = HostLink(tmp_path_factory.mktemp("logs"), back_off_ms=50)
    yield link
    link.close()


def test_a_game_that_is_open_takes_in_what_was_learned_by_watching_it(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    driving = rig.driving()
    held = driving.modules
    watch(rig.data, rig.game, "watched", ["rest", "key ArrowUp"])
    made = with_watched(rig.game, rig.data)
    driving.join(made)
    assert list(held) == ["fly", "watched"] and held is driving.modules
    assert "watched" not in {skill.module for skill in made.profile.skills}
    root = ModuleFolder(rig.data, made, "watched").root
    (root / "promoted.json").write_text('{"history": [{"version": "v1"}]}')
    promoted = with_watched(made, rig.data)
    assert "watched" in {skill.module for skill in promoted.profile.skills}
    assert with_watched(promoted, rig.data) is promoted, "nothing new: it is the same game"


def test_rules_drive_where_nothing_was_trained(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    driving = rig.driving()
    assert driving.ready
    assert driving.modules["fly"].act(HIGH, 0) == "rest"
    assert [(module.version, module.driven_by) for module in rig.told[-1].modules] == [("rules", "rules")]


def test_a_promoted_policy_takes_over_while_it_plays(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    driving = rig.driving()
    heard: list[tuple[str, str, Decision]] = []
    driving.listener = lambda *decision: heard.append(decision)
    fly = driving.modules["fly"]
    fly.begin()
    assert fly.act(HIGH, 0) == "rest"
    first = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=1.0))
    rig.folder.promote(first.version)
    until(driving, lambda: driving.ready and fly.provenance.kind == "policy")
    driving.load_policies()  # what is promoted from now on is loaded in a thread
    assert fly.act(HIGH, 1) == "flap"
    assert heard[-1][:2] == ("fly", "v1")
    second = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=-1.0))
    rig.folder.promote(second.version)
    until(driving, lambda: driving.versions["fly"].startswith("v2"))
    assert fly.act(HIGH, 2) is None
    rig.folder.roll_back()
    until(driving, lambda: driving.versions["fly"].startswith("v1"))
    assert fly.act(HIGH, 3) == "flap"
    assert rig.faults == []


def test_a_pin_drives_whatever_is_promoted(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    version = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=1.0)).version
    rig.folder.promote(version)
    driving = rig.driving(fly="rules")
    assert driving.ready
    assert driving.modules["fly"].act(HIGH, 0) == "rest"
    with pytest.raises(UnknownModule, match="v9"):
        rig.driving(fly="v9")
    with pytest.raises(UnknownModule, match="no game sense module"):
        rig.driving(swim="rules")


def test_a_version_that_learns_while_it_drives_goes_on_with_its_newer_policy(
    tmp_path: Path, host: HostLink
) -> None:
    rig = Rig(tmp_path, host)
    about = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=1.0), explore=0.0)
    driving = rig.driving(explore=1.0, fly=about.version)
    heard: list[Decision] = []
    driving.listener = lambda _, __, decision: heard.append(decision)
    until(driving, lambda: driving.ready)
    driving.load_policies()
    fly = driving.modules["fly"]
    fly.begin()
    fly.begin()
    assert fly.act(HIGH, 0) == "flap", "what the version says it takes by chance holds, not the whole share"
    newer = linear_policy(LEARNED, state=-1.0)
    (rig.folder.folder(about.version) / "policy.onnx").write_bytes(newer)
    rig.folder.write(about.model_copy(update={"policy_sha256": "0" * 64}))  # half written
    time.sleep(1.2)
    until(driving, lambda: True)
    assert fly.act(HIGH, 1) == "flap" and driving.failure is None and rig.faults == []
    rig.folder.write(about.model_copy(update={"policy_sha256": hashlib.sha256(newer).hexdigest()}))
    until(driving, lambda: fly.provenance.version == hashlib.sha256(newer).hexdigest()[:12])
    assert fly.act(HIGH, 2) is None
    assert [decision.start for decision in heard] == [2, 2, 2], "the start goes on"


def test_another_file_than_was_trained_does_not_drive(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    version = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=1.0)).version
    (rig.folder.folder(version) / "policy.onnx").write_bytes(linear_policy(LEARNED, state=2.0))
    rig.folder.promote(version)
    driving = rig.driving()
    until(driving, lambda: driving.ready and bool(rig.faults))
    assert driving.modules["fly"].act(HIGH, 0) == "rest", "the rules go on"
    assert driving.failure is None
    assert "rules drives" in rig.faults[0].fix
    pinned = rig.driving(fly=version)
    until(pinned, lambda: pinned.failure is not None)


def test_a_damaged_policy_costs_nothing(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    version = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED)[:150]).version
    rig.folder.promote(version)
    driving = rig.driving()
    until(driving, lambda: driving.ready and bool(rig.faults))
    assert rig.told[-1].modules[0].fault
    good = keep(rig.data, rig.game, "fly", LEARNED, linear_policy(LEARNED, state=1.0)).version
    rig.folder.promote(good)
    until(driving, lambda: driving.versions["fly"].startswith(good))


def test_changed_rules_drive_once_promoted(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    better = FLY.model_copy(update={"rules": [Rule(when="height > 80", action="flap")]})
    made = keep(rig.data, rig.game, "fly", LEARNED, b"", kind="rules", rules=better)
    rig.folder.promote(made.version)
    driving = rig.driving()
    assert driving.modules["fly"].act(HIGH, 0) == "flap"
    assert driving.versions["fly"].startswith("v1")


def test_a_module_without_anything_to_play_is_over_at_once(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host, Module(name="fly", ends="fallen == 1", learned=LEARNED))
    driving = rig.driving()
    assert driving.ready
    assert driving.modules["fly"].act(HIGH, 0) is None
    assert driving.modules["fly"].ended(HIGH)


def _keep_pixels(rig: Rig, content: bytes) -> str:
    """A pixel policy as a promoted version."""
    _, manifest = kept(rig.game.folder, content, picture=LEISURELY)
    space = space_in(rig.game, read_manifest(manifest))
    version = keep(rig.data, rig.game, "fly", space, content).version
    rig.folder.promote(version)
    return version


def test_a_pixel_policy_drives_through_the_host(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    _keep_pixels(rig, tiny_policy(red=3.0))
    driving = rig.driving()
    fly = driving.modules["fly"]
    until(driving, lambda: driving.ready and (fly.provenance.kind == "policy" or bool(rig.faults)))
    assert rig.faults == []
    fly.begin()
    fly.act(HIGH, 1, np.full((64, 64, 4), 255, np.uint8))
    until(driving, lambda: fly.ready or bool(fly.held))
    fly.act(HIGH, 2)
    assert fly.held == ("flap",)
    assert rig.faults == []


def test_a_pixel_policy_that_breaks_hands_over_to_the_rules(tmp_path: Path, host: HostLink) -> None:
    rig = Rig(tmp_path, host)
    _keep_pixels(rig, tiny_policy(broken=True))
    driving = rig.driving()
    fly = driving.modules["fly"]
    until(driving, lambda: driving.ready and fly.provenance.kind == "policy")
    fly.begin()
    fly.act(HIGH, 1, np.zeros((64, 64, 4), np.uint8))
    until(driving, lambda: fly.ready or fly.problem is not None)
    fly.act(HIGH, 2)
    until(driving, lambda: bool(rig.faults))
    assert "is no number" in rig.faults[0].what
    assert fly.act(HIGH, 3) == "rest", "the rules go on"
