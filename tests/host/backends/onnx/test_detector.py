"""Detectors through a real host process: every layout, other pictures, and exports that do not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper
from tests.host.host_driver import HostProcess, spec
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from pitwall.models.host_requests import Detect, Detected, FoundBox, HostFault, Loaded, UnloadModel
from pitwall.models.spec import ModelSpec
from workshop.fixtures.tiny_detectors import LABELS, Shape, tiny_detector
from workshop.fixtures.tiny_models import saved_graph, tiny_encoder, tiny_policy

Picture = NDArray[np.uint8]
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
SHAPES: tuple[Shape, ...] = ("yolov8", "yolov5", "end", "end7")
Place = tuple[str, float, float, float, float]


def _picture(width: int, height: int, *boxes: tuple[int, int, int, int, tuple[int, int, int]]) -> Picture:
    pixels = np.zeros((height, width, 3), np.uint8)
    for x, y, wide, high, (red, green, blue) in boxes:
        pixels[y : y + high, x : x + wide] = (blue, green, red)
    return pixels


def _ask(
    host: HostProcess, model: ModelSpec, picture: Picture, *, confidence: float = 0.6, **more: object
) -> Detected | HostFault:
    height, width = picture.shape[:2]
    options = {"labels": LABELS, "iou": 0.5, "most": 20, **more}
    request = Detect(
        request_id=host.number(),
        model=model,
        width=width,
        height=height,
        confidence=confidence,
        **options,  # type: ignore[arg-type]
    )
    reply = host.answer(host.send(request, picture.tobytes()))
    assert isinstance(reply, Detected | HostFault)
    return reply


def _found(reply: Detected | HostFault) -> set[Place]:
    assert isinstance(reply, Detected), reply
    return {_place(box) for box in reply.boxes}


def _place(box: FoundBox) -> Place:
    return box.label, round(box.left), round(box.top), round(box.right), round(box.bottom)


def _fault(reply: Detected | HostFault, *parts: str) -> HostFault:
    assert isinstance(reply, HostFault), reply
    for part in parts:
        assert part in f"{reply.what} {reply.fix}"
    return reply


SCENE = _picture(320, 320, (32, 64, 32, 32, RED), (128, 128, 16, 16, BLUE), (256, 0, 64, 32, GREEN))
IN_SCENE = {
    ("red", 32, 64, 64, 96),
    ("blue", 128, 128, 144, 144),
    ("green", 256, 0, 288, 32),
    ("green", 288, 0, 320, 32),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_layout_is_understood(host: HostProcess, tmp_path: Path, shape: Shape) -> None:
    model = spec(f"{shape}-320", "onnx", tiny_detector(tmp_path / "d.onnx", shape))
    reply = _ask(host, model, SCENE, confidence=0.65, iou=0.2)
    assert _found(reply) == IN_SCENE
    assert isinstance(reply, Detected)
    assert reply.layout == {"yolov8": "YOLOv8", "yolov5": "YOLOv5"}.get(shape, "end to end")
    assert reply.device == "CPU" and 0 < reply.run_ms <= reply.took_ms
    assert [box.confidence for box in reply.boxes] == sorted(
        (box.confidence for box in reply.boxes), reverse=True
    )
    everything = _ask(host, model, SCENE, confidence=0.3, iou=1.0)
    assert isinstance(everything, Detected) and len(everything.boxes) == 20, "most"
    assert _found(_ask(host, model, SCENE, confidence=0.95)) == set()


@pytest.mark.parametrize("shape", SHAPES)
def test_one_label_and_two(host: HostProcess, tmp_path: Path, shape: Shape) -> None:
    """With one label a row of YOLOv5 has six numbers, as end-to-end exports have; with two YOLOv8's has."""
    for count in (1, 2):
        model = spec(
            f"{shape}-{count}", "onnx", tiny_detector(tmp_path / f"{count}.onnx", shape, labels=count)
        )
        boxes = _found(_ask(host, model, SCENE, confidence=0.65, iou=0.2, labels=LABELS[:count]))
        assert boxes == {place for place in IN_SCENE if place[0] in LABELS[:count]}


@pytest.mark.parametrize(
    ("size", "fit"),
    [((640, 480), (320, 240)), ((160, 320), (160, 320)), ((1280, 320), (320, 80)), ((100, 50), (320, 160))],
)
def test_pictures_of_other_shapes_are_laid_in_and_boxes_come_back(
    host: HostProcess, tmp_path: Path, size: tuple[int, int], fit: tuple[int, int]
) -> None:
    """Letterboxed: the picture lies in the middle, so cells are moved by half of what was added."""
    model = spec("boxed", "onnx", tiny_detector(tmp_path / "d.onnx"))
    width, height = size
    scale = fit[0] / width
    corner = ((320 - fit[0]) // 2, (320 - fit[1]) // 2)
    cell = (-(-corner[0] // 32) * 32, -(-corner[1] // 32) * 32)  # the first whole cell inside
    left, top = (round((cell[side] - corner[side]) / scale) for side in (0, 1))
    side = round(32 / scale)
    reply = _ask(host, model, _picture(width, height, (left, top, side, side, RED)), confidence=0.85)
    assert isinstance(reply, Detected)
    (box,) = reply.boxes
    assert (reply.fit_width, reply.fit_height) == fit
    expected = (left, top, left + side, top + side)
    assert np.allclose((box.left, box.top, box.right, box.bottom), expected, atol=1.1 / min(1, scale))


def test_an_open_input_takes_the_picture_as_it_is(host: HostProcess, tmp_path: Path) -> None:
    def opened(model: onnx.ModelProto) -> None:
        """As an export with dynamic axes says it; the graph itself is of 640 × 480."""
        shape = model.graph.input[0].type.tensor_type.shape
        for axis, name in ((0, "batch"), (2, "height"), (3, "width")):
            shape.dim[axis].dim_param = name

    file = _changed(tiny_detector(tmp_path / "d.onnx", width=640, height=480), opened)
    reply = _ask(
        host, spec("open", "onnx", file), _picture(1280, 960, (128, 256, 64, 64, BLUE)), confidence=0.85
    )
    assert _found(reply) == {("blue", 128, 256, 192, 320)}
    assert isinstance(reply, Detected) and (reply.fit_width, reply.fit_height) == (640, 480)

    def small(model: onnx.ModelProto) -> None:
        opened(model)
        model.metadata_props.append(onnx.StringStringEntryProto(key="imgsz", value="[256, 320]"))

    file = _changed(tiny_detector(tmp_path / "s.onnx", width=320, height=256), small)
    reply = _ask(
        host, spec("noted", "onnx", file), _picture(640, 512, (128, 256, 64, 64, BLUE)), confidence=0.85
    )
    assert _found(reply) == {("blue", 128, 256, 192, 320)}


@pytest.mark.parametrize("dtype", [TensorProto.UINT8, TensorProto.FLOAT16])
def test_inputs_of_other_types(host: HostProcess, tmp_path: Path, dtype: int) -> None:
    model = spec(f"type-{dtype}", "onnx", tiny_detector(tmp_path / "d.onnx", dtype=dtype))
    assert _found(_ask(host, model, SCENE, confidence=0.65, iou=0.2)) == IN_SCENE


def _changed(path: Path, change: Callable[[onnx.ModelProto], None]) -> Path:
    model = onnx.load(str(path))
    change(model)
    path.write_bytes(model.SerializeToString())
    return path


# ---- words


WORDS = ("[pad]", "demon", "door", "key", "exit")
"""A word's number modulo three is a colour to the tiny model: demon and exit green, door blue, key red."""


def _with_words(path: Path) -> Path:
    model = tiny_detector(path, "words", width=256, height=256)
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[pad]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(path.with_name("tokenizer.json")))
    return model


def test_labels_of_an_open_vocabulary_are_words(host: HostProcess, tmp_path: Path) -> None:
    model = spec("words", "onnx", _with_words(tmp_path / "owl.onnx"))
    picture = _picture(512, 256, (128, 64, 64, 32, GREEN), (256, 128, 64, 32, RED))  # stretched to a square
    reply = _ask(host, model, picture, labels=("demon", "key", "door"), confidence=0.99)
    assert _found(reply) == {("demon", 128, 64, 192, 96), ("key", 256, 128, 320, 160)}
    assert isinstance(reply, Detected) and (reply.layout, reply.fit_width, reply.fit_height) == (
        "words",
        256,
        256,
    )
    assert _found(_ask(host, model, picture, labels=("exit",), confidence=0.99)) == {
        ("exit", 128, 64, 192, 96)
    }
    edited = _ask(host, model, picture, labels=("door", "demon"), confidence=0.99)
    assert _found(edited) == {("demon", 128, 64, 192, 96)}


def test_a_padding_family_keeps_the_pictures_shape(host: HostProcess, tmp_path: Path) -> None:
    file = _with_words(tmp_path / "owl.onnx")
    config = {"image_processor_type": "Owlv2ImageProcessor", "size": {"height": 256, "width": 256}}
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(config))
    picture = _picture(512, 256, (128, 64, 64, 64, GREEN))
    reply = _ask(host, spec("owlv2", "onnx", file), picture, labels=("demon",), confidence=0.99)
    assert _found(reply) == {("demon", 128, 64, 192, 128)}
    assert isinstance(reply, Detected) and (reply.fit_width, reply.fit_height) == (256, 128)


def test_words_need_their_tokeniser(host: HostProcess, tmp_path: Path) -> None:
    model = spec("wordless", "onnx", tiny_detector(tmp_path / "owl.onnx", "words", width=64, height=64))
    fault = _fault(
        _ask(host, model, SCENE, labels=("demon",)), "tokenizer.json", "the tokenizer of the detector"
    )
    assert fault.error == "BadModelFile"


# ---- what does not fit


@pytest.mark.parametrize(
    ("shape", "labels", "parts"),
    [
        (
            "yolov8",
            ("a", "b"),
            ("gives output0 [1, 7, 2100]", "2 labels", "[1, 6, N]", "3 labels: list them"),
        ),
        ("yolov5", ("a",) * 9, ("gives output0 [1, 6300, 8]", "[1, N, 14]", "3 labels: list them")),
        ("end", ("a",), ("label number 1, counted from 0; 1 label declared", "every label")),
    ],
)
def test_labels_that_are_not_the_exports(
    host: HostProcess, tmp_path: Path, shape: Shape, labels: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    model = spec(f"labels-{shape}", "onnx", tiny_detector(tmp_path / "d.onnx", shape))
    fault = _fault(_ask(host, model, SCENE, labels=labels), *parts)
    assert fault.error == "WrongKind"


def test_models_that_are_no_detectors(host: HostProcess, tmp_path: Path) -> None:
    policy = spec("no-eyes", "onnx", tiny_policy(tmp_path / "policy.onnx"))
    _fault(_ask(host, policy, SCENE), "takes state ['batch', 8]", "one picture as its input")
    encoder = spec("only-words", "onnx", tiny_encoder(tmp_path / "encoder.onnx"))
    _fault(_ask(host, encoder, SCENE), "takes input_ids")
    blank = spec("blank", "onnx", tiny_detector(tmp_path / "d.onnx"))
    _fault(_ask(host, blank, SCENE, labels=("a", " ", "c")), "none of them empty")
    request = Detect(
        request_id=host.number(), model=blank, width=9, height=9, labels=LABELS, confidence=1, iou=1, most=1
    )
    assert host.answer(host.send(request, b"123")).kind == "host_fault"


def _constant_output(path: Path, values: NDArray[np.float32]) -> Path:
    """A detector that gives the same whatever it sees."""
    node = helper.make_node("Constant", [], ["output0"], value=onnx.numpy_helper.from_array(values))
    graph = helper.make_graph(
        [node],
        "constant",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 64, 64])],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, list(values.shape))],
    )
    return saved_graph(graph, path)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ([32, 32, 10, 10, 7.5], ("scores from 7.5 to 7.5", "sigmoid")),
        ([32, 32, 10, 10, np.nan], ("scores from nan", "0 … 1 expected")),
        ([np.inf, 32, 10, 10, 0.9], ("boxes that are no numbers",)),
    ],
)
def test_numbers_that_are_none(
    host: HostProcess, tmp_path: Path, row: list[float], parts: tuple[str, ...]
) -> None:
    values = np.asarray(row, np.float32).reshape(1, 5, 1)
    model = spec("strange", "onnx", _constant_output(tmp_path / f"{hash(str(row))}.onnx", values))
    assert _fault(_ask(host, model, SCENE, labels=("a",)), *parts).error == "ModelFailed"


def test_boxes_in_shares_and_beyond_the_edge(host: HostProcess, tmp_path: Path) -> None:
    values = np.asarray([[0.5, 0.9], [0.5, 0.5], [0.25, 0.4], [0.5, 0.25], [0.9, 0.8]], np.float32)[None]
    model = spec("shares", "onnx", _constant_output(tmp_path / "shares.onnx", values))
    reply = _ask(host, model, _picture(128, 128), labels=("a",))
    assert _found(reply) == {("a", 48, 32, 80, 96), ("a", 90, 48, 128, 80)}


def test_a_damaged_file_is_told_and_the_host_lives_on(host: HostProcess, tmp_path: Path) -> None:
    whole = tiny_detector(tmp_path / "whole.onnx").read_bytes()
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(whole[: len(whole) // 2])
    _fault(_ask(host, spec("cut", "onnx", cut), SCENE), "cut.onnx")
    changed = spec("changed", "onnx", tmp_path / "whole.onnx")
    (tmp_path / "whole.onnx").write_bytes(whole + b"\0")
    _fault(_ask(host, changed, SCENE), "whole.onnx", "has changed since")
    rng = np.random.default_rng(3)
    for number in range(12):
        bad = bytearray(whole)
        for at in rng.integers(0, len(bad), 40):
            bad[at] = rng.integers(0, 256)
        file = tmp_path / f"bad{number}.onnx"
        file.write_bytes(bytes(bad))
        _ask(host, spec(f"bad{number}", "onnx", file), SCENE)  # any answer, but an answer
    assert host.child.alive


def test_a_detector_is_unloaded_by_name(host: HostProcess, tmp_path: Path) -> None:
    model = spec("leaving", "onnx", tiny_detector(tmp_path / "d.onnx"))
    _ask(host, model, SCENE)
    left = host.ask(UnloadModel(request_id=host.number(), name="leaving"), kind=Loaded)
    assert "leaving" not in {model.name for model in left.models}
