"""Numbers and pictures, on Freedoom's HUD and on drawn ones.

HUD boxes at 640×480: ammo (8, 407, 80, 42), health (100, 407, 80, 42), armour (362, 407, 80, 42).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading, Value
from pitwall.engine.perception.reader import StateReader
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

Read = Callable[..., dict[str, Reading]]
HUD = {"ammo": (8, 407, 80, 42), "health": (100, 407, 80, 42), "armour": (362, 407, 80, 42)}
STRIPS = Path(__file__).resolve().parents[1] / "frames" / "doom_hud_strips.webp"


def _digits(name: str, box: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    return {"kind": "digits", "name": name, "box": box, "templates": "templates/hud", "most": 3, **more}


def _hud_fields() -> list[dict[str, Any]]:
    return [_digits(name, box) for name, box in HUD.items()]


def _values(readings: dict[str, Reading]) -> dict[str, Value]:
    return {name: reading.value for name, reading in readings.items()}


def _resized(pixels: Pixels, width: int, height: int, how: int) -> Pixels:
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=how), np.uint8)


@pytest.fixture
def doom_folder(project_root: Path) -> Path:
    return project_root / "plugins" / "doom"


def test_every_digit_of_a_real_hud(
    make_profile: Callable[..., Profile], make_frame: Callable[..., Frame], doom_folder: Path
) -> None:
    """Twelve shots fired one by one: ammo counts down through every digit; one reader sees them all."""
    strips = cv2.imread(str(STRIPS))
    assert strips is not None
    reader = StateReader(make_profile(640, 480, *_hud_fields()), doom_folder)
    seen = []
    for shot in range(12):
        pixels = np.zeros((480, 640, 4), np.uint8)
        pixels[400:, :, :3] = strips[shot * 80 : (shot + 1) * 80]
        readings = reader.read(make_frame(pixels), None)
        seen.append(readings["ammo"].value)
        assert (readings["health"].value, readings["armour"].value) == (100, 0)
        assert min(reading.confidence for reading in readings.values()) > 0.98
    assert seen == list(range(50, 38, -1))


@pytest.mark.parametrize(("name", "ammo"), [("start", 50), ("walk", 50), ("corridor", 50), ("menu", 49)])
def test_whole_frames(
    read: Read, doom: Callable[[str], Pixels], doom_folder: Path, name: str, ammo: int
) -> None:
    readings = read(doom(name), *_hud_fields(), folder=doom_folder)
    assert _values(readings) == {"ammo": ammo, "health": 100, "armour": 0}
    assert readings["ammo"].found == Rect(35, 408, 52, 40)


@pytest.mark.parametrize("size", [(1280, 960), (960, 720), (800, 600), (320, 240)])
@pytest.mark.parametrize("how", [cv2.INTER_NEAREST, cv2.INTER_AREA], ids=["pixels", "smooth"])
def test_windows_of_another_size(
    read: Read, doom: Callable[[str], Pixels], doom_folder: Path, size: tuple[int, int], how: int
) -> None:
    pixels = _resized(doom("shots"), *size, how)
    readings = read(pixels, *_hud_fields(), screen=(640, 480), folder=doom_folder)
    assert _values(readings) == {"ammo": 45, "health": 100, "armour": 0}


def test_a_tinted_screen(read: Read, doom: Callable[[str], Pixels], doom_folder: Path) -> None:
    """Pain flashes the whole picture red."""
    pixels = doom("shots")
    pixels[..., :3] = pixels[..., :3] // 2
    pixels[..., 2] += 100
    assert _values(read(pixels, *_hud_fields(), folder=doom_folder)) == {
        "ammo": 45,
        "health": 100,
        "armour": 0,
    }


def test_a_covered_hud_cannot_be_read(read: Read, doom: Callable[[str], Pixels], doom_folder: Path) -> None:
    pixels = doom("shots")
    pixels[400:] = 40
    readings = read(pixels, *_hud_fields(), folder=doom_folder)
    assert [(reading.value, reading.confidence) for reading in readings.values()] == [(None, 0.0)] * 3


def test_a_covered_middle_digit_does_not_make_a_shorter_number(
    read: Read, doom: Callable[[str], Pixels], doom_folder: Path
) -> None:
    pixels = doom("shots")
    pixels[400:452, 128:153] = 40
    assert read(pixels, *_hud_fields(), folder=doom_folder)["health"].value is None


def test_more_digits_than_the_field_has(read: Read, doom: Callable[[str], Pixels], doom_folder: Path) -> None:
    readings = read(doom("shots"), _digits("health", HUD["health"], most=2), folder=doom_folder)
    assert readings["health"].value is None


def test_a_box_smaller_than_the_digits(read: Read, doom: Callable[[str], Pixels], doom_folder: Path) -> None:
    readings = read(doom("shots"), _digits("ammo", (61, 408, 10, 10)), folder=doom_folder)
    assert (readings["ammo"].value, readings["ammo"].confidence) == (None, 0.0)


def _outlined(sign: str) -> Pixels:
    """A white sign with a black outline on nothing, BGRA, 16×22."""
    picture = np.zeros((22, 16, 4), np.uint8)
    for colour, thick in (((0, 0, 0, 255), 5), ((255, 255, 255, 255), 2)):
        cv2.putText(picture, sign, (1, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.6, colour, thick)
    return picture


@pytest.fixture
def score_folder(tmp_path: Path) -> Path:
    place = tmp_path / "score"
    place.mkdir()
    for sign in (*"0123456789", "-"):
        name = "minus" if sign == "-" else sign
        cv2.imwrite(str(place / f"{name}.png"), _outlined(sign))
    return tmp_path


@pytest.mark.parametrize("number", [0, 7, 11, 40, 86, 1939, 2574, -5, -308])
def test_transparent_digits_over_anything(
    read: Read, doom: Callable[[str], Pixels], score_folder: Path, number: int
) -> None:
    pixels = doom("corridor")
    for place, sign in enumerate(str(number)):
        picture = _outlined(sign)
        opaque = picture[..., 3] > 0
        pixels[60:82, 300 + 17 * place : 316 + 17 * place][opaque] = picture[opaque]
    field = _digits("score", (280, 50, 140, 44), most=5, templates="score", signed=True)
    reading = read(pixels, field, folder=score_folder)["score"]
    assert reading.value == number
    assert reading.confidence > 0.99


def _template(name: str, box: tuple[int, int, int, int] | None = None) -> dict[str, Any]:
    return {"kind": "template", "name": name, "template": f"{name}.png", "box": box}


def _sprite(name: str) -> dict[str, Any]:
    return {"kind": "sprite", "name": name, "template": f"{name}.png"}


@pytest.mark.parametrize("scale", [1, 2])
def test_a_menu_is_known_by_a_picture(
    read: Read, doom: Callable[[str], Pixels], tmp_path: Path, scale: int
) -> None:
    cv2.imwrite(str(tmp_path / "menu.png"), doom("menu")[125:150, 165:340, :3])
    seen = {
        name: read(
            _resized(doom(name), 640 * scale, 480 * scale, cv2.INTER_NEAREST),
            _template("menu", (150, 110, 220, 60)),
            screen=(640, 480),
        )["menu"]
        for name in ("menu", "start", "walk", "corridor")
    }
    assert [reading.value for reading in seen.values()] == [True, False, False, False]
    assert seen["menu"].found == Rect(165 * scale, 125 * scale, 175 * scale, 25 * scale)
    assert seen["menu"].confidence > 0.95
    assert seen["start"].found is None


@pytest.mark.parametrize("name", ["start", "walk", "corridor", "shots"])
def test_the_pause_of_freedoom_is_known_over_any_view_and_a_red_flash_is_none(
    read: Read, doom: Callable[[str], Pixels], doom_folder: Path, name: str
) -> None:
    field = next(field for field in load_profile(doom_folder).fields if field.name == "paused")
    letters = cv2.imread(str(doom_folder / "templates" / "pause.png"), cv2.IMREAD_UNCHANGED)
    assert letters is not None
    opaque = letters[..., 3] > 0
    height, width = opaque.shape
    playing, paused, hit = doom(name), doom(name), doom(name)
    paused[41 : 41 + height, 252 : 252 + width, :3][opaque] = letters[..., :3][opaque]
    hit[..., :3] //= 2
    hit[..., 2] += 100
    shown = [
        read(picture, field.model_dump(), folder=doom_folder)["paused"] for picture in (playing, paused, hit)
    ]
    assert [reading.value for reading in shown] == [False, True, False]
    assert shown[1].confidence - max(shown[0].confidence, shown[2].confidence) > 0.2


@pytest.mark.parametrize("scale", [1, 2])
def test_a_thing_of_many_colours_is_located_by_its_picture(read: Read, tmp_path: Path, scale: int) -> None:
    dice = np.random.default_rng(3)
    ground = np.asarray(cv2.GaussianBlur(dice.integers(0, 256, (240, 320, 4), np.uint8), (0, 0), 5), np.uint8)
    thing = np.repeat(np.repeat(dice.integers(0, 256, (8, 6, 4), np.uint8), 3, axis=0), 3, axis=1)
    cv2.imwrite(str(tmp_path / "me.png"), thing[..., :3])
    values: list[Value] = []
    for at in (40, 200):
        picture = ground.copy()
        picture[100:124, at : at + 18] = thing
        big = _resized(picture, 320 * scale, 240 * scale, cv2.INTER_NEAREST)
        reading = read(big, _sprite("me"), screen=(320, 240))["me"]
        assert reading.found == Rect(at * scale, 100 * scale, 18 * scale, 24 * scale)
        values.append(reading.value)
    assert values == [49.0, 209.0]
    assert read(ground, _sprite("me"))["me"].value is None
    assert read(ground, {**_sprite("me"), "value": "seen"})["me"].value is False
    within = read(picture, {**_sprite("me"), "within": (190, 90, 60, 60)})["me"]
    assert (within.value, within.found) == (209.0, Rect(200, 100, 18, 24))
    for elsewhere in ((0, 0, 60, 60), (400, 0, 10, 10)):
        assert read(picture, {**_sprite("me"), "within": elsewhere})["me"].value is None


def test_a_pictured_thing_of_one_grey_is_told_by_its_colours_and_one_of_one_colour_by_nothing(
    read: Read, tmp_path: Path
) -> None:
    picture = np.full((80, 120, 4), 99, np.uint8)
    stripes = np.zeros((16, 16, 3), np.uint8)
    stripes[:, ::2], stripes[:, 1::2] = (0, 0, 200), (0, 102, 0)  # alike in grey
    cv2.imwrite(str(tmp_path / "me.png"), stripes)
    picture[40:56, 60:76, :3] = stripes
    assert read(picture, _sprite("me"))["me"].value == 68.0
    small = _resized(picture, 30, 20, cv2.INTER_AREA)
    checks = (np.indices((8, 8)).sum(axis=0) % 2 * 255).astype(np.uint8)
    cv2.imwrite(str(tmp_path / "me.png"), checks)
    assert read(small, _sprite("me"), screen=(120, 80))["me"].value is None


def test_a_picture_larger_than_its_box_cannot_be_seen(
    read: Read, doom: Callable[[str], Pixels], tmp_path: Path
) -> None:
    cv2.imwrite(str(tmp_path / "menu.png"), doom("menu")[125:150, 165:340, :3])
    reading = read(doom("menu"), _template("menu", (165, 125, 100, 25)))["menu"]
    assert (reading.value, reading.confidence) == (None, 0.0)


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda _: None, "there is no file"),
        (lambda file: file.write_bytes(b""), "is not a readable picture"),
        (lambda file: file.write_text("not a picture"), "is not a readable picture"),
        (lambda file: cv2.imwrite(str(file), np.full((9, 9, 3), 77, np.uint8)), "all one colour"),
        (lambda file: cv2.imwrite(str(file), np.eye(9, dtype=np.uint16)), "uint16"),
    ],
    ids=["missing", "empty", "text", "flat", "16 bit"],
)
def test_a_picture_that_cannot_be_used(
    read: Read, tmp_path: Path, write: Callable[[Path], object], says: str
) -> None:
    file = tmp_path / "door.png"
    write(file)
    with pytest.raises(PitwallError, match=says) as caught:
        read(np.zeros((50, 50, 4), np.uint8), _template("door"))
    assert "fields.door.template" in caught.value.what
    assert str(file) in caught.value.what
    assert caught.value.fix


def test_a_missing_digit_names_its_file_and_key(read: Read, score_folder: Path) -> None:
    (score_folder / "score" / "7.png").unlink()
    missing = re.escape(str(Path("score", "7.png")))
    with pytest.raises(PitwallError, match=rf"fields\.score\.templates: there is no file .*{missing}"):
        read(np.zeros((50, 50, 4), np.uint8), _digits("score", (0, 0, 9, 9), templates="score"))
