"""What moves in recorded play is found, and becomes what a module sees; a takeover does not end learning."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.pitwall_lab.cloning.made_play import PROFILE
from tests.plain_records import run_manifest, step_record

from pitwall.core import commands, telemetry
from pitwall.core.actions import InputEvent, SemanticAction, SentEvent
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.signals import Route
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import WATCHED, WatchedModule, with_watched
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.folder_errors import write_file
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog
from pitwall_lab.live.finding import axes_of, found_in_play
from pitwall_lab.live.learning_play import LearningPlay
from pitwall_lab.live.module import _played, named_version, needs_play, newest_version
from pitwall_lab.orders import LearnOrder
from pitwall_lab.training.new_version import begin_version

_BARE = PROFILE.model_copy(update={"fields": [], "modules": []})
_GAME = Game(profile=_BARE, folder=Path("/nowhere"), profile_hash="0" * 64, trusted=True, source="user")
_STEP_NS = 100_000_000


def _record(data: DataFolder) -> None:
    """Record a run in which Left and Right move a yellow paddle, and a green ball bounces."""
    paddle, ball, speed = 160.0, np.array([90.0, 60.0]), np.array([9.0, 6.5])
    manifest = run_manifest(
        "bat", game_version="1.0.0", profile_hash="0", role="", planner="explore", screen=(320, 240)
    )
    with RunLog.open(data) as log:
        run = log.begin(manifest)
        frames = FrameStore(data.run(run), RecordingSettings())
        for step in range(1, 121):
            key = ("Left", "Right")[step // 9 % 2]
            sent = [SentEvent(event=InputEvent(kind="key_down", key=key), sent_ns=step * _STEP_NS)]
            sent += [SentEvent(event=InputEvent(kind="key_up", key=key), sent_ns=(step + 1) * _STEP_NS)]
            paddle = float(np.clip(paddle + (-16 if key == "Left" else 15.5), 20, 300))
            ball = ball + speed
            speed = np.where((ball < (10, 20)) | (ball > (310, 180)), -speed, speed)
            picture = np.full((240, 320, 4), 40, np.uint8)
            cv2.rectangle(picture, (round(paddle) - 20, 205), (round(paddle) + 20, 215), (60, 170, 200), -1)
            cv2.circle(picture, (round(ball[0]), round(ball[1])), 6, (90, 220, 110), -1)
            log.add_step(
                run,
                step_record(
                    step,
                    at_ns=step * _STEP_NS,
                    route=Route.STRATEGIC,
                    why="by chance",
                    action=SemanticAction(name=key.lower()),
                    sent=tuple(sent),
                    frame_ref=frames.save(step, picture),
                ),
            )
        log.finish(run, RunSummary(steps=120))


def test_what_moves_in_a_run_is_found_and_seen(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    assert needs_play(_BARE)
    assert found_in_play(data, _GAME) == []
    _record(data)
    found = found_in_play(data, _GAME)
    assert "player" in [proposal.role for proposal in found], [proposal.words for proposal in found]
    fields = [field for proposal in found for field in axes_of(proposal, _BARE)]
    module = _played(_BARE.model_copy(update={"fields": fields}), by_itself=True)
    assert module.learned is not None and module.learned.vision is not None
    assert {place.field for place in module.learned.state} == {field.name for field in fields}
    watched = WatchedModule(module=module, fields=fields)
    write_file(data.modules / "bat" / "played" / WATCHED, watched.model_dump_json())
    told = with_watched(_GAME, data).profile
    assert [field.name for field in told.fields] == [field.name for field in fields]
    assert told.modules == [module]


def test_learning_goes_on_with_the_newest_version_that_stands(walk: ModuleFolder) -> None:
    assert newest_version(walk) is None
    begin_version(walk)  # it learns in the twin
    assert newest_version(walk) is None
    standing = VersionStatus

    def newest_after(standing: VersionStatus, loop: str) -> str:
        about = begin_version(walk, explore=1.0)
        walk.write(about.model_copy(update={"standing": standing, "loop": loop}))
        newest = newest_version(walk)
        return newest.version if newest is not None else ""

    assert newest_after(standing.TRAINED, "") == "v2"
    for refused in (standing.ROLLED_BACK, standing.FAILED, standing.PROPOSED, standing.TRAINED):
        assert newest_after(refused, "v2") == "v2"
    assert newest_after(standing.ROLLED_BACK, "") == "v2", "the operator rejected it"
    assert newest_after(standing.KEPT, "v2") == "v8"
    assert newest_after(standing.FAILED, "") == "v9", "its training ended by a fault: it goes on"


def test_only_a_version_that_learns_by_playing_is_named_to_learn_on(walk: ModuleFolder) -> None:
    begin_version(walk)
    begin_version(walk, explore=0.2)
    with pytest.raises(PitwallError, match="v1 does not learn by playing"):
        named_version(walk, "v1")
    assert named_version(walk, "v2").version == "v2"
    assert LearnOrder(version="v2").words() == ["--version", "v2"]


def test_a_takeover_waits_for_the_person_and_another_pause_ends_the_play() -> None:
    said: list[str] = []
    play = LearningPlay(commands.Start(), menu_s=60.0, tell=said.append, start_key="F9")
    state = telemetry.EngineState
    ready = telemetry.StateChanged(state=state.READY, text="")
    assert play.react(ready) == [commands.Start()]
    play.react(telemetry.StateChanged(state=state.PLAYING, text=""))
    assert (
        play.react(telemetry.StateChanged(state=state.PAUSED, text="You took over.", cause="takeover")) == []
    )
    assert "F9" in said[0]
    assert play.react(telemetry.StateChanged(state=state.PLAYING, text="")) == []
    paused = telemetry.StateChanged(state=state.PAUSED, text="", cause="operator")
    assert play.react(paused) == [commands.Stop()]
