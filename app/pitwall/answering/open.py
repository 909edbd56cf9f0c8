"""An answerer by its kind, over one run of a data folder."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.answering.answerer import Answerer
from pitwall.core.paths import DataFolder
from pitwall.exam.sheet import AnswererKind, Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which answerer.

    Attributes:
        model: name in the registry. Needed by in-context and retrieval; recall plans its queries by it where
            one is given, and by rules alone where none is.
        memory: a snapshot (hash, its beginning, or name) that retrieval asks; empty: as it stands.
        turns: of context for in-context: the last 5 or 10 (0: as many as the inventory's source took).
        retrieved: entries of a retrieval (k).
        batch: questions of one model call.
        deadline_s: for one model call. seconds: a person has for one question.
    """

    kind: AnswererKind
    model: str = ""
    memory: str = ""
    turns: int = 0
    retrieved: int = 8
    batch: int = 4
    deadline_s: float = 120.0
    seconds: float = 60.0


def open_answerer(wanted: Wanted, data: DataFolder, sheet: Sheet) -> Answerer:
    """An answerer for a sheet's run; enter it to use it.

    Raises:
        SettingsError: it needs a model and none is named; names those that there are.
        UnknownModel, UnknownRun, UnknownSnapshot, DataFolderError.
    """
    raise NotImplementedError
