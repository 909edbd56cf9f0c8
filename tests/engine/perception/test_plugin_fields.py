"""Fields of a game's own code: faults are told once, the frame goes on without them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.observations import Value
from pitwall.engine.perception.plugin_fields import PluginFields, plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.games.schema.fields import PythonField
from pitwall.games.schema.profile import Game, Profile

Given = Callable[[Pixels], Mapping[str, Value]]
FIELDS = [PythonField(kind="python", name=name) for name in ("trees", "way")]
PIXELS: Pixels = np.zeros((8, 8, 4), np.uint8)


class Code:
    """What a plugin offers, as a function of the test's."""

    def __init__(self, given: Given) -> None:
        self.read = given


def fields_of(given: Given) -> PluginFields:
    return PluginFields(FIELDS, Code(given))


def test_declared_fields_are_taken_and_others_left_out() -> None:
    fields = fields_of(lambda _: {"trees": 3, "way": "left", "secret": 5})
    assert fields.read(PIXELS) == {"trees": 3, "way": "left"}
    assert fields.faults() == []


def test_what_is_not_given_reads_none_and_numpys_numbers_become_pythons() -> None:
    values = fields_of(lambda _: {"trees": np.int64(4)}).read(PIXELS)  # type: ignore[dict-item]
    assert values == {"trees": 4, "way": None}
    assert type(values["trees"]) is int
    assert fields_of(lambda _: {"trees": float("nan")}).read(PIXELS)["trees"] is None


def failing(_: Pixels) -> Mapping[str, Value]:
    raise ValueError("no such tile")


@pytest.mark.parametrize("given", [failing, lambda _: {"trees": [1, 2]}, lambda _: 5, lambda _: None])
def test_a_fault_is_told_once_and_the_fields_read_none(given: Given) -> None:
    fields = fields_of(given)
    for _ in range(5):
        assert fields.read(PIXELS) == {}
    faults = fields.faults()
    assert len(faults) == 1
    assert fields.faults() == []


def test_a_fault_names_the_line_it_came_from() -> None:
    fields = fields_of(failing)
    fields.read(PIXELS)
    assert "no such tile" in str(fields.faults()[0])
    fields.read(PIXELS)
    assert Path(__file__).name in str(fields_fault(failing))


def fields_fault(given: Given) -> PitwallError:
    fields = fields_of(given)
    fields.read(PIXELS)
    return fields.faults()[0]


def test_code_that_recovers_reads_again() -> None:
    calls: list[int] = []

    def sometimes(_: Pixels) -> Mapping[str, Value]:
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("once")
        return {"trees": len(calls)}

    fields = fields_of(sometimes)
    assert [fields.read(PIXELS).get("trees") for _ in range(3)] == [1, None, 3]


def test_slow_code_is_told_once() -> None:
    def slow(_: Pixels) -> Mapping[str, Value]:
        time.sleep(0.025)
        return {}

    fields = fields_of(slow)
    for _ in range(22):
        fields.read(PIXELS)
    assert fields.median_ms >= 25
    assert [fault for fault in fields.faults() if "ms a frame" in fault.what] != []
    fields.read(PIXELS)
    assert fields.faults() == []


def test_the_state_reader_takes_them_in_their_place(
    make_profile: Callable[..., Profile], make_frame: Callable[..., Frame], tmp_path: Path
) -> None:
    profile = make_profile(
        8,
        8,
        {"kind": "python", "name": "trees", "unit": "trees"},
        {"kind": "derived", "name": "many", "value": "trees > 2"},
        {"kind": "python", "name": "way"},
    )
    reader = StateReader(profile, tmp_path, fields_of(lambda _: {"trees": 3}))
    readings = reader.read(make_frame(PIXELS), None)
    assert list(readings) == ["trees", "many", "way"]
    assert (readings["trees"].value, readings["trees"].unit, readings["many"].value) == (3, "trees", True)
    assert (readings["way"].value, readings["way"].confidence) == (None, 0.0)
    without = StateReader(profile, tmp_path).read(make_frame(PIXELS), None)
    assert [reading.value for reading in without.values()] == [None, None, None]


def test_untrusted_code_is_a_fault_and_the_window_is_seen_all_the_same(
    make_profile: Callable[..., Profile], make_frame: Callable[..., Frame], tmp_path: Path
) -> None:
    (tmp_path / "eyes.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    profile = make_profile(8, 8, {"kind": "python", "name": "trees"}, python={"module": "eyes.py"})
    game = Game(profile=profile, folder=tmp_path, profile_hash="", trusted=False, source="user")
    reader = StateReader(profile, tmp_path, plugin_fields(game))
    assert reader.read(make_frame(PIXELS), None)["trees"].value is None
    assert "not trusted" in str(reader.faults()[0])
    assert reader.faults() == []
