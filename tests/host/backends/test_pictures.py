"""Pictures: through a real projector into the reply, and refused before any library where they are bad."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.host.host_driver import HostProcess, chat_message, spec
from tests.host.model_files import without_tensor

from pitwall.models.spec import ModelSpec

pytestmark = pytest.mark.usefixtures("llama")

LETTERS = "root ::= [a-z] root"
LOOK = (chat_message("system", "You see a game. " * 5), chat_message("user", "What is it?", image=True))


def _picture(colour: tuple[int, int, int], width: int = 96, height: int = 64, kind: str = ".png") -> bytes:
    pixels = np.full((height, width, 3), colour, np.uint8)
    pixels[: height // 2, : width // 2] = 255 - np.array(colour)
    return bytes(cv2.imencode(kind, pixels)[1])


def test_a_picture_changes_the_reply(host: HostProcess, seeing: ModelSpec) -> None:
    def look(blob: bytes) -> str:
        return host.complete(seeing, *LOOK, blob=blob, grammar=LETTERS, max_tokens=30).text

    red, blue, again = look(_picture((0, 0, 255))), look(_picture((255, 0, 0))), look(_picture((0, 0, 255)))
    assert red == again != blue
    assert look(_picture((0, 0, 255), kind=".jpg"))


def test_a_pictures_tokens_are_counted_and_kept(host: HostProcess, seeing: ModelSpec) -> None:
    model = replace(seeing, name="seeing twice")
    red, blue = _picture((0, 0, 255)), _picture((255, 0, 0))
    blind = host.complete(model, LOOK[0], chat_message("user", "What is it?"), max_tokens=1, slot="blind")
    first = host.complete(model, *LOOK, blob=red, max_tokens=1)
    assert first.prompt_tokens == blind.prompt_tokens + 16
    assert first.span_tokens == blind.span_tokens and first.cached_tokens == 0
    same = host.complete(model, *LOOK, blob=red, max_tokens=1)
    assert same.cached_tokens == same.prompt_tokens - 1
    other = host.complete(model, *LOOK, blob=blue, max_tokens=1)
    assert other.span_tokens[0] < other.cached_tokens < other.prompt_tokens - 16


@pytest.mark.parametrize(
    ("blob", "problem"),
    [
        (b"", "no picture"),
        (b"GIF89a" + bytes(40), "neither"),
        (b"file:///etc/passwd", "neither"),
        (_picture((1, 2, 3))[:60], "damaged"),
        (_picture((1, 2, 3), kind=".jpg")[:80], "damaged"),
        (_picture((1, 2, 3), width=961), "961×64"),
        (_picture((1, 2, 3), height=2000), "96×2000"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_pictures_are_refused(host: HostProcess, seeing: ModelSpec, blob: bytes, problem: str) -> None:
    fault = host.refuse(seeing, *LOOK, blob=blob)
    assert fault.error == "BadPicture" and problem in fault.what and fault.fix


def test_a_model_without_a_projector_sees_nothing(host: HostProcess, text: ModelSpec) -> None:
    fault = host.refuse(text, *LOOK, blob=_picture((1, 2, 3)))
    assert fault.error == "ModelWithoutVision" and "projector" in fault.fix


def test_each_message_has_its_own_picture(host: HostProcess, seeing: ModelSpec) -> None:
    red, blue = _picture((0, 0, 255)), _picture((255, 0, 0))
    turns = (LOOK[1], chat_message("assistant", "A square."), LOOK[1])

    def look(*pictures: bytes) -> tuple[str, int]:
        sizes = tuple(len(picture) for picture in pictures)
        reply = host.complete(
            seeing, *turns, blob=b"".join(pictures), pictures=sizes, grammar=LETTERS, max_tokens=30
        )
        return reply.text, reply.prompt_tokens

    assert look(red, blue) == look(red, blue)
    assert look(red, blue)[0] != look(red, red)[0]
    blind = host.complete(
        seeing, *(chat_message(turn.role, turn.text) for turn in turns), max_tokens=1, slot="blind"
    )
    assert look(red, blue)[1] == blind.prompt_tokens + 2 * 16
    fault = host.refuse(seeing, *turns, blob=red)
    assert fault.error == "BadPicture" and "2 messages have a picture, and 1 came" in fault.what


@pytest.mark.parametrize("missing", ["mm.0.weight", "v.patch_embd.weight", "v.blk.1.ffn_up.weight"])
def test_a_projector_with_a_hole_is_refused(
    host: HostProcess, models: Path, tmp_path: Path, missing: str
) -> None:
    holed = without_tensor(models / "projector.gguf", tmp_path / "holed.gguf", missing)
    model = spec("holed", "gguf", models / "text.gguf", context=512, projector=str(holed), sees=True)
    fault = host.refuse(model, *LOOK, blob=_picture((1, 2, 3)))
    assert fault.error in {"BadModelFile", "ModelFailed"} and "projector" in fault.what + fault.fix
    assert host.child.alive


def test_model_and_projector_are_not_mixed_up(host: HostProcess, models: Path) -> None:
    as_model = spec("mixed", "gguf", models / "projector.gguf")
    assert "projector" in host.refuse(as_model, chat_message("user", "Go.")).what
    as_projector = spec("mixed", "gguf", models / "text.gguf", projector=str(models / "text.gguf"), sees=True)
    assert "no projector" in host.refuse(as_projector, *LOOK, blob=_picture((1, 2, 3))).what
