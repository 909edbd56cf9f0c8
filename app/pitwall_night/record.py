"""What a night was ordered to do and what happened, kept in a folder so that it can go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import DamagedFile, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import folder_error, write_file

EventKind = Literal[
    "started",
    "played",
    "best",
    "crashed",
    "closed",
    "restarted",
    "needs-you",
    "person",
    "stopped",
    "finished",
]
ENDS: frozenset[EventKind] = frozenset({"closed", "needs-you", "person", "stopped", "finished"})
"""Events after which nothing more is played until somebody resumes the night."""
_EVENTS, _ORDER = "events.jsonl", "order.json"


class NightOrder(BaseModel):
    """The game, how it is played, and when to end.

    Attributes:
        until_s: seconds since 1970 at which it ends. runs, score: it ends after so many runs, or once a run
            reached the score. None: no such end.
        run_minutes: length of a run. failures: runs in a row that broke off, after which it stops.
        backoff_s: pause before the first restart; it doubles with each failure in a row, up to five minutes.
        again_when_closed: start the game again, too, when its program ended by itself without an error.
        planner, model, module, setting: as `pitwall run` takes them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str
    until_s: float | None = None
    runs: int | None = Field(None, ge=1)
    score: float | None = None
    run_minutes: float = Field(10.0, gt=0, le=1_440)
    failures: int = Field(5, ge=1)
    backoff_s: float = Field(2.0, ge=0)
    again_when_closed: bool = False
    planner: str = ""
    model: str = ""
    module: tuple[str, ...] = ()
    setting: tuple[str, ...] = ()


class NightEvent(BaseModel):
    """Something that happened.

    Attributes:
        at_s: seconds since 1970. run_id, seconds, steps, score: of the run it is about; None: not known.
        evidence: file name of a clip of the last seconds, in the night's folder; empty: none.
    """

    model_config = ConfigDict(frozen=True)

    kind: EventKind
    at_s: float
    text: str
    run_id: int | None = None
    seconds: float | None = None
    steps: int | None = None
    score: float | None = None
    evidence: str = ""


class NightFolder:
    """The folder of one night.

    Attributes:
        number: of the night, from 1.
    """

    def __init__(self, root: Path, number: int) -> None:
        self.root = root / str(number)
        self.number = number

    @classmethod
    def create(cls, data: DataFolder, order: NightOrder) -> NightFolder:
        """Make the folder of a new night.

        Raises:
            DataFolderError: it cannot be written.
        """
        root = data.root / "nights"
        number = max((night.number for night in nights(data)), default=0) + 1
        night = cls(root, number)
        try:
            night.root.mkdir(parents=True)
        except OSError as error:
            raise folder_error(error, night.root) from error
        write_file(night.root / _ORDER, order.model_dump_json(indent=1), sync=True)
        return night

    def order(self) -> NightOrder:
        """Read the order.

        Raises:
            DamagedFile: it cannot be read; names the field.
        """
        file = self.root / _ORDER
        try:
            return read_model(NightOrder, file)
        except FileNotFoundError:
            raise DamagedFile(f"{file} is missing.", "Begin another night.") from None

    def events(self) -> Sequence[NightEvent]:
        """Read the events; an unfinished last line is left out."""
        file = self.root / _EVENTS
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        events = []
        for line in lines:
            try:
                events.append(NightEvent.model_validate_json(line))
            except ValidationError:
                continue
        return events

    def add(self, event: NightEvent) -> None:
        """Append an event.

        Raises:
            DataFolderError: it cannot be written.
        """
        file = self.root / _EVENTS
        try:
            with file.open("a", encoding="utf-8") as stream:
                stream.write(event.model_dump_json() + "\n")
        except OSError as error:
            raise folder_error(error, file) from error


def nights(data: DataFolder) -> list[NightFolder]:
    """List the nights of a data folder, the first one first."""
    root = data.root / "nights"
    numbers = sorted(int(folder.name) for folder in root.glob("*") if folder.name.isdecimal())
    return [NightFolder(root, number) for number in numbers]


def night_of(data: DataFolder, number: int | None) -> NightFolder:
    """Return a night by its number; None: the newest.

    Raises:
        PitwallError: there is no such night.
    """
    known = nights(data)
    night = next((night for night in reversed(known) if number in (None, night.number)), None)
    if night is None:
        which = "no night" if number is None else f"no night {number}"
        raise PitwallError(f"There is {which} in {data.root}.", "List them: pitwall night")
    return night
