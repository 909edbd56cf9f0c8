"""Damages bytes, texts and files, as a bad disk, a bad transfer or a hostile author would."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

HOSTILE_VALUES = (
    "[" * 20_000,
    "9" * 5_000,
    "-1",
    "0",
    "1e999",
    "nan",
    "true",
    '""',
    "[]",
    "{}",
    '"\\u0000"',
    f'"{"n" * 300}"',
    f'"{"x/" * 3_000}"',
    '"../../../etc/passwd"',
    '"/dev/zero"',
    '"\\u202e"',
    '"\\ud800"',
    '"$(id)"',
    '"(" * 90',
    "9223372036854775808",
    "0x" + "f" * 6_000,
)


def damaged_bytes(content: bytes, chance: random.Random) -> bytes:
    """Cut, flip, blank, insert, or write an extreme number; the result always differs."""
    data = bytearray(content)
    way = chance.randrange(6)
    at = chance.randrange(max(1, len(data)))
    if way == 0:
        del data[at:]
    elif way == 1:
        for _ in range(chance.choice((1, 8, 64))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif way == 2:
        length = chance.randrange(1, 4_096)
        data[at : at + length] = bytes(len(data[at : at + length]))
    elif way == 3:
        data[at:at] = chance.randbytes(chance.randrange(1, 64))
    elif way == 4:
        extreme = chance.choice((0, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**62))
        data[at : at + 8] = extreme.to_bytes(8, chance.choice(("little", "big")))
    else:
        start = chance.choice(
            (b"GGUF", b"\x7fELF", b"PK\x03\x04", b"<!DOCTYPE html>", b"SQLite format 3\0", b"")
        )
        data = bytearray(start + chance.randbytes(chance.randrange(1, 2_000)))
    return bytes(data) if data != content else content + b"\0"


def damaged_text(text: str, chance: random.Random, assign: str = "=") -> str:
    """Put a hostile value after an assignment, or drop, double, swap or cut lines."""
    lines = text.splitlines()
    valued = [at for at, line in enumerate(lines) if re.match(rf'\s*-?\s*["\w.]+\s*{assign}', line)]
    way = chance.randrange(6)
    at = chance.choice(valued) if valued and way < 3 else chance.randrange(len(lines))
    if way < 3 and valued:
        lines[at] = f"{lines[at].split(assign, 1)[0]}{assign} {chance.choice(HOSTILE_VALUES)}"
    elif way == 3:
        del lines[at]
    elif way == 4:
        lines[at:at] = [lines[at]] * chance.choice((1, 1_000))
    else:
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines) + "\n"


def damaged_file(file: Path, chance: random.Random) -> str:
    """Replace a file by something else; return what."""
    way = chance.choice(("gone", "a pipe", "/dev/zero", "a loop", "a folder", "4 GiB", "empty", "damaged"))
    content = file.read_bytes()
    file.unlink()
    match way:
        case "a pipe":
            os.mkfifo(file)
        case "/dev/zero":
            file.symlink_to(way)
        case "a loop":
            file.symlink_to(file)
        case "a folder":
            file.mkdir()
        case "4 GiB":
            file.write_bytes(content)
            os.truncate(file, 1 << 32)
        case "empty":
            file.touch()
        case "damaged":
            file.write_bytes(damaged_bytes(content or b"\0", chance))
    return way
