"""Bounded reading: whatever a file is or holds, its reader gets a value or one error that names the file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pitwall.core.bounded_reading import (
    DEEPEST,
    parse_json,
    parse_toml,
    read_bytes,
    read_json,
    read_model,
    read_text,
)
from pitwall.core.errors import DamagedFile

needs_posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of a POSIX system")
LONG = "9" * 5000


class Small(BaseModel):
    """A model with one number."""

    number: int = 0


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def _loop(file: Path) -> None:
    file.symlink_to(file)


@needs_posix
@pytest.mark.parametrize("make", [_pipe, _device, Path.mkdir, _loop])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    file = tmp_path / "odd.json"
    make(file)
    for read in (read_bytes, read_text, read_json):
        with pytest.raises(DamagedFile, match=r"odd\.json (is no regular file|cannot be read)"):
            read(file)


@pytest.mark.skipif(sys.platform == "win32", reason="a file is written whole there, its gaps too")
def test_a_file_beyond_its_bound_is_never_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "big.json"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(DamagedFile, match=r"is too big; expected at most 1,000 bytes\. Make room\."):
        read_bytes(file, most_bytes=1000, fix="Make room.")


@pytest.mark.parametrize("name", ["a\0b", "n" * 300, "folder/" * 2000])
def test_a_path_that_no_file_can_have_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    with pytest.raises((DamagedFile, FileNotFoundError)):
        read_bytes(tmp_path / name)


def test_a_missing_file_stays_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(Small, tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deep"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "nested too deep"),
        (f'{{"number": {LONG}}}', "too many digits"),
        (f'{{"number": {LONG[:400]}}}', "too many digits"),
        ('{"number": 1e999}', "not finite"),
        ('{"number": NaN}', "NaN is no number"),
        ('{"number": ', "does not parse"),
        ("\x00", "does not parse"),
    ],
)
def test_hostile_json_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(text, encoding="utf-8")
    for read in (read_json, lambda file: read_model(Small, file)):
        with pytest.raises(DamagedFile, match=message) as caught:
            read(file)
        assert str(file) in caught.value.what
        assert len(caught.value.what) < 600


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 20_000, "nested too deep"),
        (".".join("a" * 900) + " = 1", "nested too deep"),
        (".".join("a" * 400_000) + " = 1", "a key of too many parts"),
        (f"a = {LONG}", "too many digits"),
        (f"a = 0x{'f' * 6000}", "too many digits"),
        ("a = inf", "not finite"),
        ("a = 2024-13-45", "does not parse"),
        ("a = ", "does not parse"),
    ],
)
def test_hostile_toml_is_one_error(text: str, message: str) -> None:
    with pytest.raises(DamagedFile, match=message):
        parse_toml(text, "hostile.toml")


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.json"
    file.write_bytes(b"{\n\xe9}")
    with pytest.raises(DamagedFile, match=r"latin\.json:2 is damaged: it is not UTF-8"):
        read_json(file)


def test_a_field_that_does_not_fit_is_named(tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text('{"number": "many"}', encoding="utf-8")
    with pytest.raises(
        DamagedFile,
        match=r"small\.json is damaged: number: found 'many'; expected a whole number\. Mend it\.$",
    ):
        read_model(Small, file, fix="Mend it.")


@pytest.mark.parametrize("value", [{}, [1, 2.5, None, "x"], {"a": {"b": [[]]}}, 2**63])
def test_what_is_within_the_bounds_is_read_as_it_is(value: Any) -> None:

    assert parse_json(json.dumps(value), "cell") == value


def test_a_bom_and_half_a_utf_16_pair_are_read(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b'\xef\xbb\xbf{"name": "\\ud83d\\ude00 \\uD83D"}')
    assert read_json(file) == {"name": "😀 \ufffd"}
    file.write_bytes(b"\xef\xbb\xbfname = 1\r\n")
    assert parse_toml(read_text(file), file) == {"name": 1}
