"""Recognises by its first bytes a file that is not the expected model, and suggests a remedy."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO

from pitwall.core.errors import BadModelFile

AGAIN = "Download it again."
_LOOKED_AT = 512
_LONGEST_SAFETENSORS_HEADER = 100_000_000
"""Bytes; the limit of the format's own reader."""

_BY_START: tuple[tuple[bytes, str, str], ...] = (
    (
        b"version https://git-lfs",
        "is a Git LFS pointer, not the file itself",
        "Fetch the file it stands for (git lfs pull), or download it from the model's page.",
    ),
    (b"PK\x03\x04", "is a ZIP archive or a PyTorch checkpoint", "Unpack it, or download the model as GGUF."),
    (b"\x1f\x8b", "is a gzip archive", "Unpack it first."),
    (b"7z\xbc\xaf", "is a 7-Zip archive", "Unpack it first."),
    (b"\x80\x02", "is a Python pickle", "Download the model as GGUF or ONNX."),
    (b"\x80\x04", "is a Python pickle", "Download the model as GGUF or ONNX."),
    (b"\x89HDF", "is a Keras or HDF5 file", "Convert it to ONNX first."),
    (b"lmgg", "is an old GGML file", "Download the model as GGUF."),
    (b"fmgg", "is an old GGML file", "Download the model as GGUF."),
    (b"tjgg", "is an old GGML file", "Download the model as GGUF."),
    (b"algg", "is an old GGML adapter", "Download the merged model as GGUF."),
    (b"\x7fELF", "is a program", AGAIN),
    (b"MZ", "is a program", AGAIN),
)


def open_model_file(path: Path) -> tuple[BinaryIO, int]:
    """Return a regular, non-empty file open for reading, unbuffered, and its size.

    Raises:
        BadModelFile: missing, a folder or a device, unreadable, or empty.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise BadModelFile(str(path), "is a folder", expected="a model file", fix="Name the file in it.")
        if not stat.S_ISREG(mode):
            raise BadModelFile(str(path), "is not a regular file", expected="a model file")
        file = path.open("rb", buffering=0)
        size = path.stat().st_size
    except FileNotFoundError:
        raise BadModelFile(str(path), "does not exist", fix="Check the path, or add it again.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadModelFile(str(path), f"cannot be read: {why.lower()}") from error
    if size == 0:
        file.close()
        raise BadModelFile(str(path), "is empty", fix=AGAIN)
    return file, size


def unexpected_file(path: Path, start: bytes, size: int, *, wanted: str) -> BadModelFile:
    """Return the error for a file that does not begin as `wanted` ("a GGUF file") does.

    Args:
        start: its first bytes, at most 512.
    """
    problem, fix = _kind_of(start, size)
    return BadModelFile(str(path), problem, expected=wanted, fix=fix)


def looks_like_onnx(start: bytes) -> bool:
    """Return whether bytes begin like an ONNX ModelProto: a small ir_version, then another field."""
    return (
        len(start) > 2 and start[0] == 0x08 and 1 <= start[1] <= 32 and start[2] in (0x12, 0x1A, 0x3A, 0x42)
    )


def _kind_of(start: bytes, size: int) -> tuple[str, str]:
    for magic, problem, fix in _BY_START:
        if start.startswith(magic):
            return problem, fix
    if start.startswith(b"GGUF"):
        return "is a GGUF model", "Give it the name of a .gguf file."
    header = int.from_bytes(start[:8], "little")
    if start[8:9] == b"{" and 2 <= header <= min(size, _LONGEST_SAFETENSORS_HEADER):
        return (
            "is a safetensors file",
            "Convert it with llama.cpp's convert_hf_to_gguf.py, or download the model as GGUF.",
        )
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        return "is a web page", "The link led to a page: download the file itself."
    if looks_like_onnx(start):
        return "is an ONNX file", "Give it the name of an .onnx file."
    if text.startswith((b"{", b"[")):
        return "is a JSON text", "Download the model's own file, not its description."
    if not any(start):
        return "holds nothing but zeros", "The download never wrote it: download it again."
    return "is of a kind that is not known here", "Download the model as GGUF or ONNX."


def first_bytes(file: BinaryIO) -> bytes:
    """Return the beginning of a file for `unexpected_file`; moves the file's position."""
    file.seek(0)
    return file.read(_LOOKED_AT)
