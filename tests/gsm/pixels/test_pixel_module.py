"""A pixel policy at play: what it sees, keeps and holds, when it is late, and when it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from tests.gsm.pixels.tiny_policy import kept, tiny_policy
from tests.gsm.policies import LEARNED, game

from pitwall.games.schema.actions import ActionBinding, MouseLook, Parameter
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game
from pitwall.gsm.cloned_module import placed
from pitwall.gsm.inference import BadPolicy
from pitwall.gsm.pixel_manifest import At, Picture, PixelPolicy, PointerOutput, PressOutput, read_manifest
from pitwall.gsm.pixels.module import PixelModule, laid_out
from pitwall.gsm.pixels.runner import Arrays
from pitwall.gsm.pixels.space import UnfitPolicy, numbers_of, space_in
from pitwall.gsm.version_record import VersionRecord

FLY = Module(name="fly", ends="fallen == 1", learned=LEARNED)
PLAYS = {"height": 50.0, "fallen": 0}
MS = 1_000_000


class Runner:
    """Runs a network here; what is asked is answered when `late` is False."""

    busy = False
    late = False

    def __init__(self, content: bytes) -> None:
        self._session: Any = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        self._came: Arrays | None = None
        self.asked: list[dict[str, NDArray[Any]]] = []

    @property
    def answered(self) -> bool:
        return self._came is not None and not self.late

    def ask(self, inputs: Mapping[str, NDArray[Any]]) -> None:
        names = [node.name for node in self._session.get_outputs()]
        self.asked.append(dict(inputs))
        self._came = dict(zip(names, self._session.run(names, dict(inputs)), strict=True))
        self.busy = True

    def answer(self) -> Arrays | None:
        if not self.answered:
            return None
        came, self._came, self.busy = self._came, None, False
        return came

    def drop(self) -> None:
        self._came, self.busy = None, False


LOOKS = """
[pointer]
action = "look"
form = "look"
units = 100
x = { output = "keys", index = 0 }
y = { output = "keys", index = 1 }
x_argument = "dx"
y_argument = "dy"
[[presses]]
output = "keys"
form = "motion"
action = "look"
threshold = 0.4"""


def _with_looks(of: Game) -> Game:
    """That game, whose view turns with the mouse as well."""
    look = ActionBinding(name="look", look=("$dx", "$dy"), parameters={"dx": Parameter(), "dy": Parameter()})
    controls = of.profile.controls.model_copy(update={"mouse": True})
    changes = {"actions": [*of.profile.actions, look], "controls": controls, "mouse_look": MouseLook()}
    return of.model_copy(update={"profile": of.profile.model_copy(update=changes)})


def _playing(
    folder: Path, content: bytes, *, looks: bool = False, **changes: str
) -> tuple[PixelModule, Runner]:
    _, manifest = kept(folder, content, **changes)
    of = game(folder, FLY)
    of = _with_looks(of) if looks else of
    about = VersionRecord(
        game_id="kite",
        module="fly",
        version="v1",
        kind="policy",
        learned=space_in(of, read_manifest(manifest)),
    )
    runner = Runner(content)
    module = PixelModule(FLY, about, runner, screen=of.profile.screen)
    module.begin()
    return module, runner


def _picture(red: int = 0, blue: int = 0) -> NDArray[np.uint8]:
    pixels = np.zeros((64, 64, 4), np.uint8)
    pixels[..., 0], pixels[..., 2] = blue, red
    return pixels


def test_a_key_is_held_as_long_as_it_is_chosen(tmp_path: Path) -> None:
    module, _ = _playing(tmp_path, tiny_policy(red=3.0))
    assert module.act(PLAYS, 0, _picture(red=255)) is None
    assert module.held == ("flap",)
    module.act(PLAYS, 20 * MS, _picture())
    assert module.held == ("flap",), "20 decisions a second: the next is not due yet"
    module.act(PLAYS, 50 * MS, _picture(blue=255))
    assert not module.held


def test_a_tap_is_pressed_once(tmp_path: Path) -> None:
    tap = '[[presses]]\noutput = "keys"\nkey = "Space"\ntap = true\nrest_ms = 120'
    module, _ = _playing(tmp_path, tiny_policy(red=3.0), presses=tap)
    actions = [module.act(PLAYS, at * 50 * MS, _picture(red=255)) for at in range(4)]
    assert actions == ["flap", None, None, "flap"]
    assert not module.held


def test_each_decision_looks_by_its_own_amount_and_again_by_the_same(tmp_path: Path) -> None:
    module, _ = _playing(tmp_path, tiny_policy(red=3.0), looks=True, presses=LOOKS)
    seen = (_picture(red=255), _picture(red=255), _picture(red=200), _picture())
    actions = [module.act(PLAYS, at * 50 * MS, picture) for at, picture in enumerate(seen)]
    assert actions == ["look(dx=88, dy=0)", "look(dx=88, dy=0)", "look(dx=79, dy=0)", None]
    assert not module.held


def test_its_state_goes_on_and_begins_anew(tmp_path: Path) -> None:
    module, runner = _playing(tmp_path, tiny_policy(state=0.5))
    for at in range(3):
        module.act(PLAYS, at * 50 * MS, _picture())
    assert [float(inputs["state_in"][0, 0]) for inputs in runner.asked] == [0.0, 1.0, 2.0]
    assert module.held == ("flap",)
    module.begin()
    module.act(PLAYS, 200 * MS, _picture())
    assert float(runner.asked[-1]["state_in"][0, 0]) == 0.0
    assert not module.held


def test_the_instruction_goes_in(tmp_path: Path) -> None:
    module, _ = _playing(tmp_path, tiny_policy(instruction=2.0))
    module.act(PLAYS, 0, _picture())
    assert module.held == ("flap",)


def test_an_answer_that_comes_late_is_acted_on_without_a_new_frame(tmp_path: Path) -> None:
    module, runner = _playing(tmp_path, tiny_policy(red=3.0))
    runner.late = True
    module.act(PLAYS, 0, _picture(red=255))
    module.act(PLAYS, 60 * MS, _picture())
    assert (module.held, module.ready, len(runner.asked)) == ((), False, 1)
    runner.late = False
    assert module.ready
    module.act(PLAYS, 70 * MS)
    assert module.held == ("flap",)


def test_what_is_held_is_let_go_where_no_answer_comes(tmp_path: Path) -> None:
    module, runner = _playing(tmp_path, tiny_policy(red=3.0))
    module.act(PLAYS, 0, _picture(red=255))
    runner.late = True
    module.act(PLAYS, 100 * MS, _picture(red=255))
    assert module.held == ("flap",)
    module.act(PLAYS, 700 * MS, _picture(red=255))
    assert not module.held


def test_a_policy_whose_numbers_are_none_lets_go_and_ends(tmp_path: Path) -> None:
    module, _ = _playing(tmp_path, tiny_policy(broken=True))
    assert module.act(PLAYS, 0, _picture()) is None
    assert module.problem is not None and "is no number" in module.problem.what
    assert module.ended(PLAYS)
    assert not module.held


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"presses": '[[presses]]\noutput = "keys"\nindex = 7\nkey = "Space"'}, "no place 7"),
        ({"presses": '[[presses]]\noutput = "kezs"\nkey = "Space"'}, "no output 'kezs'"),
        (
            {"state": '[[state]]\ninput = "state_in"\noutput = "features"\nshape = [1, 8]'},
            r"'features' is \[1, 15\], not \[1, 8\]",
        ),
    ],
)
def test_outputs_that_the_manifest_does_not_fit(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    module, _ = _playing(tmp_path, tiny_policy(), **changes)
    module.act(PLAYS, 0, _picture())
    with pytest.raises(BadPolicy, match=message):
        raise module.problem or AssertionError


@pytest.mark.parametrize(
    ("colour", "layout", "numbers", "first"),
    [
        ("rgb", "nchw", "bytes", 30),
        ("bgr", "nhwc", "bytes", 10),
        ("grey", "nchw", "unit", 0.1),
        ("rgb", "ntchw", "signed", -0.76),
    ],
)
def test_pictures_are_laid_out_as_declared(colour: Any, layout: Any, numbers: Any, first: float) -> None:
    seen = Picture(width=8, height=16, colour=colour, layout=layout, numbers=numbers, frames=2)
    shown = {"rgb": (30, 20, 10), "bgr": (10, 20, 30), "grey": (26,)}[colour]
    picture = np.full((16, 8, len(shown)), shown, np.uint8)
    stack = laid_out(seen, [picture, picture])
    assert stack.shape == seen.shape
    assert stack.flat[0] == pytest.approx(first, abs=0.01)
    assert stack.dtype == (np.uint8 if numbers == "bytes" else np.float32)


def test_forms_of_outputs_and_the_pointer() -> None:
    policy = PixelPolicy.model_validate(
        {
            "schema": 1,
            "name": "All",
            "licence": "MIT",
            "sha256": "0" * 64,
            "presses": [
                {"output": "kind", "index": 1, "form": "largest", "action": "a"},
                {"output": "kind", "index": 2, "form": "largest", "action": "b"},
                {"output": "wheel", "form": "amount", "threshold": 0.5, "action": "c"},
                {"output": "wheel", "form": "amount", "threshold": 0.5, "negative": True, "action": "d"},
                {"output": "raw", "form": "logit", "action": "e"},
            ],
            "pointer": {
                "action": "a",
                "x": {"output": "move", "index": 0},
                "y": {"output": "move", "index": 1},
                "form": "move",
            },
        }
    )
    outputs = {
        "kind": np.array([[0.1, 0.7, 0.2]], np.float32),
        "wheel": np.array([[-0.9]], np.float32),
        "raw": np.array([2.5], np.float32),
        "move": np.array([[0.25, 0.9]], np.float32),
    }
    _, largest, other, down, up, raw, x, y = numbers_of(policy, outputs, (0.5, 0.5))
    assert largest > 0 > other
    assert up > 0 > down
    assert (raw, x, y) == pytest.approx((2.5, 0.75, 1.0))


def test_an_output_moves_the_mouse_by_its_units_either_way(tmp_path: Path) -> None:
    _, manifest = kept(tmp_path, tiny_policy(), presses=LOOKS)
    policy = read_manifest(manifest)
    space = space_in(_with_looks(game(tmp_path, FLY)), policy)
    pointer = space.presses[0].pointer
    assert pointer is not None
    for given, moved in (((-0.5, 0.02), (-50, 2)), ((0.004, -0.3), (0, -30)), ((12.0, 0.0), (1000, 0))):
        outputs = {"keys": np.array([given], np.float32)}
        _, logit, *place = numbers_of(policy, outputs, (0.5, 0.5))
        assert placed("look", pointer, place) == f"look(dx={moved[0]}, dy={moved[1]})"
        assert bool(logit > 0) is (max(map(abs, given)) > 0.4)


def test_a_pointer_that_looks_needs_an_action_that_does(tmp_path: Path) -> None:
    _, manifest = kept(tmp_path, tiny_policy(), presses=LOOKS.replace('action = "look"', 'action = "flap"'))
    policy = read_manifest(manifest)
    with pytest.raises(UnfitPolicy, match="does not look"):
        space_in(_with_looks(game(tmp_path, FLY)), policy)


def test_a_pointer_needs_an_action_that_clicks(tmp_path: Path) -> None:
    _, manifest = kept(tmp_path, tiny_policy())
    at = At(output="keys")
    policy = read_manifest(manifest).model_copy(
        update={
            "presses": [PressOutput(output="keys", action="flap")],
            "pointer": PointerOutput(action="flap", x=at, y=at),
        }
    )
    with pytest.raises(UnfitPolicy, match="does not click"):
        space_in(game(tmp_path, FLY), policy)
