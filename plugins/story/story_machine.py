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
"""What is printed into the upper window comes last, after blanks that fill its line."""
_BAR = re.compile(r"\A\s*>?[^\n]* {8,}(?:Score|Time):[^\n]*\n")
"""The status line that the machine itself draws for stories up to version 3, before their answer."""
_STATUS = re.compile(r"(.*?)\s*(?:Score:\s*(-?\d+))?\s*(?:(?:Moves|Turns):\s*(\d+))?\s*")
_PROMPT = re.compile(r"\n?>\s*\Z")
_END = re.compile(r"\*\*\*+\s*(.+?)\s*\*\*\*+")
_WON = re.compile(r"\bwon\b|victor", re.IGNORECASE)
_OUT_OF = re.compile(r"(?:possible|total of|maximum of|out of)\s+(?:a possible\s+)?(\d+)", re.IGNORECASE)
_HEADER = 64
_FILE_UNITS = {1: 2, 2: 2, 3: 2, 4: 4, 5: 4, 7: 8, 8: 8}
"""Version → bytes in which its header counts the file's length."""
_PLAIN = str.maketrans({"—": "-", "–": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})

_Status = tuple[str, int | None, int | None]


@dataclass(frozen=True)
class Now:
    """How a story stands.

    Attributes:
        place: name of the location; empty: it is not known.
        carried: names of what is carried, in alphabetical order; None: the player is not known.
        score, moves: None where the story tells none.
        ending: what stands between asterisks at the end; empty: it goes on.
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
    """A moment of a story: the machine's whole state, and what it last told."""

    state: object
    status: _Status
    ending: str


class Machine:
    """Plays a story file.

    Args:
        story: the file. seed: of what the story leaves to chance.
    """

    def __init__(self, story: Path, seed: int) -> None:
        self._image = story.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells of every story that it has no table for
            self._player = jericho.FrotzEnv(str(story), seed=1 + seed % 2**30)  # 0 is by the clock
        self._ending = ""
        self._status: _Status = ("", None, None)

    def begin(self) -> str:
        """Begin the story anew; what it prints."""
        return self._printed(str(self._player.reset()[0]))

    def say(self, command: str) -> str:
        """Type a line; what the story prints."""
        return self._printed(str(self._player.step(command)[0]))

    @property
    def stopped(self) -> bool:
        """The story has quit: it takes no line any more."""
        return bool(self._player._emulator_halted())

    @property
    def ended(self) -> bool:
        """The story is over, or it has quit."""
        return bool(self._ending) or self.stopped

    @property
    def status(self) -> tuple[str, int | None, int | None]:
        """Place, score and moves, as the story tells them."""
        return self.memory.told or self._status

    @property
    def memory(self) -> StoryMemory:
        """The story's memory as it is."""
        changed = self._player._get_ram().tobytes()
        return StoryMemory(changed + self._image[len(changed) :])

    def now(self) -> Now:
        """How the story stands."""
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
        """Where it stands, to go back to."""
        return Mark(self._player.get_state(), self._status, self._ending)

    def go_to(self, mark: Mark) -> None:
        """Stand where a machine of the same story stood."""
        self._player.set_state(mark.state)
        self._status, self._ending = mark.status, mark.ending

    def most(self) -> int | None:
        """The highest score there is, where the story tells it. It costs this machine a command."""
        found = _OUT_OF.search(self.say("score"))
        return int(found.group(1)) if found else None

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
        found = _STATUS.fullmatch(" ".join(line.split()))
        if found is not None:
            place, score, moves = found.groups()
            self._status = (place, int(score) if score else None, int(moves) if moves else None)


def fault_of(story: Path) -> str:
    """Why a file is no story that can be played (Z-Machine Standards 1.1, section 11); empty where it is."""
    image = story.read_bytes()
    if len(image) < _HEADER or image[0] not in _FILE_UNITS:
        return "it is no Z-machine story of version 1 to 5, 7 or 8"
    told = (image[0x1A] << 8 | image[0x1B]) * _FILE_UNITS[image[0]]
    return f"it should have {told:,} bytes and has {len(image):,}" if told > len(image) else ""


def plain(text: str) -> str:
    """A text in the characters that the window has."""
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN)).replace("\t", " ")
    return "".join(one for one in text if one == "\n" or " " <= one <= "~")
