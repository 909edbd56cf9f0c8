"""Reads lines, objects and step rows of a foreign file, compressed or not; errors name file and line."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwall.core.bounded_reading import parse_json, read_at_most, read_bytes
from pitwall.core.errors import DamagedFile, ExamError
from pitwall.core.validation import expectation

_PACKED = b"\x1f\x8b"
_MOST_BYTES = 1 << 30
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def lines_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and text of each line; gzip is unpacked. The default is UTF-8.

    Raises:
        ExamError: the file cannot be opened or unpacked, or a line has another encoding.
    """
    content = _bytes_of(file)
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "")
    if encoding:
        try:
            content = content.decode(encoding).encode()
        except UnicodeDecodeError as error:
            raise _foreign(file, 0, error) from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _foreign(file, number, error) from error
        yield number, text.removesuffix("\r")


def objects_of(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and object of each line of JSON; empty lines are skipped.

    Raises:
        ExamError: see lines_of; or a line is no JSON object, for example because it was cut off.
    """
    for number, text, last in _with_last(line for line in lines_of(file) if line[1].strip()):
        try:
            content = parse_json(text, file)
        except DamagedFile as error:
            fault = "is cut off in its middle" if last else f"is no JSON ({error.problem[:80]})"
            fix = "Take this line out, or copy the file once more." if last else "Mend or remove this line."
            raise ExamError(f"{file}:{number}: the line {fault}.", fix) from error
        if not isinstance(content, dict):
            raise ExamError(f"{file}:{number}: the line holds {text[:40]!r}, no JSON object.")
        yield number, content


def unlike(error: ValidationError) -> str:
    """Describe the first fault of an object, as the rest of a sentence."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][:3] if not str(part).startswith("function-"))
    if first["type"] == "missing":
        return f"has no {where!r}"
    return f"has {repr(first.get('input'))[:60]} for {where!r}; expected {expectation(first)}"


def _bytes_of(file: Path) -> bytes:
    try:
        content = read_bytes(file, most_bytes=_MOST_BYTES)
        if not content.startswith(_PACKED):
            return content
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            unpacked = read_at_most(packed, _MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise ExamError(f"{file} is not there.") from error
    except DamagedFile as error:
        raise ExamError(error.what) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ExamError(
            f"{file} is a gzip archive that cannot be unpacked: {error}.", "Copy it once more."
        ) from error
    if len(unpacked) > _MOST_BYTES:
        raise ExamError(f"{file} unpacks to more than {_MOST_BYTES:,} bytes.")
    return unpacked


def _foreign(file: Path, line: int, error: UnicodeDecodeError) -> ExamError:
    where = f"{file}:{line}" if line else str(file)
    return ExamError(
        f"{where}: byte 0x{error.object[error.start]:02x} is not {error.encoding}.", "Save the file as UTF-8."
    )


def _with_last(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, bool]]:
    held: tuple[int, str] | None = None
    for line in lines:
        if held is not None:
            yield *held, False
        held = line
    if held is not None:
        yield *held, True


STRICT = ConfigDict(strict=True, frozen=True)


class StepRow(BaseModel):
    """The fields that the rows of every log have."""

    model_config = STRICT

    episode: int = 0
    step: int


R = TypeVar("R", bound=StepRow)


def step_rows(log: Path, kind: type[R], fix: str) -> Iterator[tuple[int, R]]:
    """Yield the line number and row of each step; a closing line about how the game ended is skipped.

    Args:
        fix: what the operator can do about a line that is no such row.

    Raises:
        ExamError: the log is missing, empty, damaged, foreign or cut off, or steps are out of order; names
            file and line.
    """
    episode, last = 0, 0
    for number, fields in objects_of(log):
        if fields.get("final") is True and "step" not in fields:
            continue
        try:
            row = kind.model_validate(fields)
        except ValidationError as error:
            raise ExamError(f"{log}:{number}: the step {unlike(error)}.", fix) from error
        if last and row.episode != episode:
            raise ExamError(
                f"{log}:{number}: episode {row.episode} begins after episode {episode}.",
                "Give one episode's lines: questions are about one.",
            )
        if row.step != last + 1:
            came = f"after step {last}" if last else "first"
            raise ExamError(
                f"{log}:{number}: step {row.step} comes {came}; expected step {last + 1}.",
                "Give the log in order, without gaps, from step 1 on.",
            )
        episode, last = row.episode, row.step
        yield number, row
    if not last:
        raise ExamError(f"{log} is empty.", fix)
