"""The environment itself, stepped without a window: what this game's modules are trained in."""

from pathlib import Path

import cv2
from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall_environments.gym.twin import EnvironmentTwin
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game

_HERE = Path(__file__).parent
_NOTHING = ((), 0.0)


def make_twin(*, module, scenario, actions, render):
    """See gsm.twin. Fields are read from the picture where the module's state has some."""
    profile = load_profile(_HERE)
    learned = next(one.learned for one in profile.modules if one.name == module)
    bound = {one.name: (one.keys, one.hold_ms) for one in profile.actions}
    words = profile.launch.command
    return EnvironmentTwin(
        words[words.index("--env") + 1],
        [bound.get(text, _NOTHING) for text in actions],
        step_ms=learned.decide_every_ms,
        render=render,
        read=_reader(profile, learned) if learned.state else None,
    )


def _reader(profile, learned):
    game = Game(profile=profile, folder=_HERE, profile_hash="", trusted=True, source="path")
    eyes, given = plugin_fields(game), {one.name for one in profile.fields if one.kind == "python"}
    if {name for one in learned.state for name in (one.field, one.minus) if name} <= given:
        return lambda picture: eyes.read(cv2.cvtColor(picture, cv2.COLOR_RGB2BGRA))  # at any whole scale
    reader = StateReader(profile, _HERE, eyes)
    size = profile.screen.width, profile.screen.height

    def read(picture):
        shown = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_NEAREST), cv2.COLOR_RGB2BGRA)
        frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=shown, window=Rect(0, 0, *size))
        return {name: one.value for name, one in reader.read(frame, None).items()}

    return read
