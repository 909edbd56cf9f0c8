"""Truth of the kinds "log" and "output": a game's own report, line by line, in a growing file."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.observations import Value
from pitwall_evaluation.truth.state import TrueState
from pitwall_evaluation.truth.values import state_from_values, value_of

_READ_BYTES = 1 << 20
_MOST_LINE = 1 << 16
_ENDS = re.compile(r"\r\n|\n|\r")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Tail:
    """Whole lines added to a file, even a rotated or cut one; in UTF-8, or as its byte order mark says.

    Args:
        file: need not exist yet. Its existing lines are skipped: they belong to an earlier play.
    """

    def __init__(self, file: Path) -> None:
        self._path = file
        self._file: BinaryIO | None = None
        self._identity = (0, 0)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._partial, self._start = "", b""
        self.problem = ""
        self._open()
        self._pass_over()

    def lines(self) -> list[str]:
        """Return the lines that ended since the last call, without line ends and colours; [] for none."""
        text = ""
        if self._rotated():
            text = self._rest() + "\n"  # the old file's last words
            self.close()
        if self._file is None and not self._open():
            return self._split(text)
        return self._split(text + self._rest())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _pass_over(self) -> None:
        if self._file is not None:
            self._decoder = _decoder_of(self._file.read(4))
            self._file.seek(0, os.SEEK_END)

    def _open(self) -> bool:
        try:
            self._file = open_regular(self._path)
        except FileNotFoundError:
            self.problem = f"there is no {self._path}."
            return False
        except DamagedFile as error:
            self.problem = error.what
            return False
        status = os.fstat(self._file.fileno())
        self._identity, self._decoder, self._start = (status.st_dev, status.st_ino), None, b""
        self.problem = ""
        return True

    def _rotated(self) -> bool:
        """Return whether the name now belongs to another file, or this one was cut."""
        if self._file is None:
            return False
        try:
            status = self._path.stat()
        except OSError:
            return False  # moved away; the next one has not come yet
        if (status.st_dev, status.st_ino) != self._identity:
            return True
        if status.st_size < self._file.tell():
            self._file.seek(0)
            self._decoder, self._partial, self._start = None, "", b""
        return False

    def _rest(self) -> str:
        assert self._file is not None
        data = self._file.read(_READ_BYTES)
        if self._decoder is None:
            data = self._start = self._start + data
            if any(mark != data and mark.startswith(data) for mark, _ in _MARKS):
                return ""  # perhaps the beginning of a mark
            self._decoder, self._start = _decoder_of(data), b""
        return self._decoder.decode(data)

    def _split(self, text: str) -> list[str]:
        *whole, partial = _ENDS.split(self._partial + text)
        self._partial = partial[-_MOST_LINE:]
        return [_COLOURS.sub("", line) for line in whole if line]


def _decoder_of(start: bytes) -> codecs.IncrementalDecoder:
    name = next((encoding for mark, encoding in _MARKS if start.startswith(mark)), "utf-8")
    return codecs.getincrementaldecoder(name)(errors="replace")


class TailTruth:
    """True states from a growing file: each path has the value of the newest line that matches.

    Args:
        game_id: included in the states.
        file: the log, or the program's output.
        patterns: dotted path → regular expression; its first group is the value. If a line matches without
            the group, the value is no, 0 or empty.
    """

    def __init__(self, game_id: str, file: Path, patterns: Mapping[str, str]) -> None:
        self._game_id = game_id
        self._patterns = {path: re.compile(pattern) for path, pattern in patterns.items()}
        self._tail = Tail(file)
        self._file = file
        self._values: dict[str, Value] = {}
        self._state: TrueState | None = None
        self._problem = ""

    def read(self) -> TrueState | None:
        """Return the newest state; None while no line matched."""
        if self._heard():
            try:
                self._state, self._problem = state_from_values(self._game_id, self._values), ""
            except PitwallError as error:
                self._state, self._problem = None, str(error)
        return self._state

    def complaint(self) -> str:
        """Describe why there is no state; "" if there is one."""
        if self._state is not None:
            return ""
        nothing = f"no line of {self._file} says anything of the true state."
        return self._problem or self._tail.problem or nothing

    def close(self) -> None:
        """Close the file."""
        self._tail.close()

    def _heard(self) -> bool:
        heard = False
        for line in self._tail.lines():
            for path, pattern in self._patterns.items():
                if (match := pattern.search(line)) is not None:
                    self._values[path] = value_of(match.group(1) or "")
                    heard = True
        return heard
