"""A story and the Z-machine that plays it: commands in, printed text and the story's memory out."""

from __future__ import annotations

import re
import unicodedata
import warnings
from dataclasses import dataclass
from pathlib import Path

import jericho
from story_memory import StoryMemory

_UPPER = re.compile(r"(?:\n>)? {40,}(.*)", re.DOTALL)
"""Text of the upper window, which comes last, after blanks that fill its line."""
_BAR = re.compile(r"\A\s*>?[^\n]* {8,}(?:Score|Time):[^\n]*\n")
"""Status line that the machine draws itself for stories up to version 3, before their answer."""
_STATUS = re.compile(r"(.*?)\s*(?:Score:\s*(-?\d+))?\s*(?:(?:Moves|Turns):\s*(\d+))?\s*")
_PROMPT = re.compile(r"\n?>\s*\Z")
_END = re.compile(r"\*\*\*+\s*(.+?)\s*\*\*\*+")
_WON = re.compile(r"\bwon\b|victor", re.IGNORECASE)
_OUT_OF = re.compile(r"(?:possible|total of|maximum of|out of)\s+(?:a possible\s+)?(\d+)", re.IGNORECASE)
_HEADER = 64
_FILE_UNITS = {1: 2, 2: 2, 3: 2, 4: 4, 5: 4, 7: 8, 8: 8}
"""Version → bytes of a unit in which its header counts the file's length."""
_PLAIN = str.maketrans({"—": "-", "–": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})

_Status = tuple[str, int | None, int | None]


@dataclass(frozen=True)
class Now:
    """The present state of a story.

    Attributes:
        place: name of the location; empty: it is not known.
        carried: names of the carried things, in alphabetical order; None: the player is not known.
        score, moves: None where the story shows none.
        ending: the text between asterisks at the end; empty: it goes on.
    """

    place: str
    carried: tuple[str, ...] | None
    score: int | None
    moves: int | None
    ending: str

    @property
    def won(self) -> bool:
        """Whether it ended well."""
        return bool(_WON.search(self.ending))


@dataclass(frozen=True)
class Mark:
    """A moment of a story: the machine's whole state, and its last output."""

    state: object
    status: _Status
    ending: str


class Machine:
    """Plays a story file.

    Args:
        story: the file. seed: of the story's random numbers.
    """

    def __init__(self, story: Path, seed: int) -> None:
        self._image = story.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of every story that it has no table for
            self._player = jericho.FrotzEnv(str(story), seed=1 + seed % 2**30)  # 0 is by the clock
        self._ending = ""
        self._status: _Status = ("", None, None)

    def begin(self) -> str:
        """Begin the story again, and return its text."""
        return self._printed(str(self._player.reset()[0]))

    def say(self, command: str) -> str:
        """Type a line, and return the story's answer."""
        return self._printed(str(self._player.step(command)[0]))

    @property
    def stopped(self) -> bool:
        """Whether the story has quit and takes no line any more."""
        return bool(self._player._emulator_halted())

    @property
    def ended(self) -> bool:
        """Whether the story is over, or has quit."""
        return bool(self._ending) or self.stopped

    @property
    def status(self) -> tuple[str, int | None, int | None]:
        """Return place, score and moves, as the story shows them."""
        return self.memory.status or self._status

    @property
    def memory(self) -> StoryMemory:
        """Return the story's present memory."""
        changed = self._player._get_ram().tobytes()
        return StoryMemory(changed + self._image[len(changed) :])

    def now(self) -> Now:
        """Return the present state of the story."""
        memory = self.memory
        player = memory.player
        place, score, moves = self.status
        return Now(
            place=place or (memory.name(memory.room) if memory.room else ""),
            carried=tuple(sorted(map(memory.name, memory.inside(player)))) if player else None,
            score=score,
            moves=moves,
            ending=self._ending,
        )

    def mark(self) -> Mark:
        """Return the present moment, to go back to."""
        return Mark(self._player.get_state(), self._status, self._ending)

    def go_to(self, mark: Mark) -> None:
        """Go to a moment of a machine of the same story."""
        self._player.set_state(mark.state)
        self._status, self._ending = mark.status, mark.ending

    def most(self) -> int | None:
        """Return the highest possible score, where the story names it. It costs this machine a command."""
        match = _OUT_OF.search(self.say("score"))
        return int(match.group(1)) if match else None

    def _printed(self, text: str) -> str:
        text = _BAR.sub("", text)
        upper = _UPPER.search(text)
        if upper is not None:
            text = text[: upper.start()]
            self._read_status(plain(upper.group(1)).strip())
        end = _END.search(text)
        self._ending = " ".join(end.group(1).split()) if end is not None else ""
        return plain(_PROMPT.sub("", text)).strip("\n")

    def _read_status(self, line: str) -> None:
        match = _STATUS.fullmatch(" ".join(line.split()))
        if match is not None:
            place, score, moves = match.groups()
            self._status = (place, int(score) if score else None, int(moves) if moves else None)


def fault_of(story: Path) -> str:
    """Return why a file is no playable story (Z-Machine Standards 1.1, section 11); empty where it is one."""
    image = story.read_bytes()
    if len(image) < _HEADER or image[0] not in _FILE_UNITS:
        return "it is no Z-machine story of version 1 to 5, 7 or 8"
    length = (image[0x1A] << 8 | image[0x1B]) * _FILE_UNITS[image[0]]
    return f"it should have {length:,} bytes and has {len(image):,}" if length > len(image) else ""


def plain(text: str) -> str:
    """Return a text in the characters that the window has."""
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN)).replace("\t", " ")
    return "".join(letter for letter in text if letter == "\n" or " " <= letter <= "~")
