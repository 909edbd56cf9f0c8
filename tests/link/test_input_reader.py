"""Standard input is read beside other work, as far as it has come."""

from __future__ import annotations

import os

from pitwall.link.input_reader import InputReader

_LONG_S = 60.0


def test_pieces_come_as_they_were_written_and_then_the_end() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb", buffering=0) as typed:
        reader = InputReader(source)
        assert reader.next(0.0) is None, "nothing was typed yet"
        typed.write(b"one\ntw")
        assert reader.next(_LONG_S) == b"one\ntw", "half a line is not waited for"
        typed.write(b"o\n")
        assert reader.next(_LONG_S) == b"o\n"
        typed.close()
        assert [reader.next(_LONG_S), reader.next(0.0)] == [b"", b""], "once ended, it stays so"
