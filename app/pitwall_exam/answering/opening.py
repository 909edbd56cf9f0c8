"""Opens an answerer of a given kind over one run of a data folder."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.errors import PitwallError, SettingsError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.entry import ModelEntry
from pitwall.models.registry import ModelRegistry
from pitwall_exam.answering.answerer import Answerer
from pitwall_exam.answering.embedding import SentenceVectors
from pitwall_exam.answering.in_context import InContextAnswerer
from pitwall_exam.answering.memory_sentences import memory_of
from pitwall_exam.answering.model_calls import ModelCaller
from pitwall_exam.answering.person import AskPerson, PersonAnswerer
from pitwall_exam.answering.recall import RecallAnswerer
from pitwall_exam.answering.retrieval import RetrievalAnswerer
from pitwall_exam.answering.run_record import RunRecord, horizon_of, recorded
from pitwall_exam.answering.system_answerer import ModelReader, ObservedMemory, RulesReader
from pitwall_exam.answering.systems.catalogue import SystemName
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.sheet import AnswererKind, Sheet

K = 8
"""Memories retrieved per question, as in the source."""
BATCH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswererSpec:
    """The specification of an answerer.

    Attributes:
        model: name in the registry. In-context and retrieval need it; recall plans queries by it, and a
            system lets it read the recalled entries; both use rules without it.
        system: the memory system, for the kind of that name.
        memory: snapshot (hash, its beginning, or name) for retrieval; empty: the current memory.
        turns: turns of context for in-context; 0: the whole episode.
        retrieved: entries of a retrieval (k).
        batch: questions of one model call.
        deadline_s: for one model call. seconds: time a person has for one question.
        ask: asks a person a question.
    """

    kind: AnswererKind
    model: str = ""
    system: SystemName = "turns"
    memory: str = ""
    turns: int = 0
    retrieved: int = K
    batch: int = BATCH
    deadline_s: float = 120.0
    seconds: float = 60.0
    ask: AskPerson | None = None


def open_answerer(wanted: AnswererSpec, data: DataFolder, sheet: Sheet) -> Answerer:
    """Open an answerer for a sheet's run; enter it to use it.

    Raises:
        SettingsError: it needs a model and none is given; lists the known models.
        UnknownModel, UnknownRun, UnknownSnapshot, DataFolderError, ExamError.
    """
    entry = _model(wanted, data)
    known = recorded(data, sheet)
    asker = ModelCaller(data, entry, deadline_s=wanted.deadline_s) if entry is not None else None
    match wanted.kind:
        case "recall":
            return RecallAnswerer(sheet, known, SentenceVectors(data.logs), asker=asker)
        case "in-context":
            assert asker is not None
            return InContextAnswerer(
                sheet,
                known,
                asker,
                turns=wanted.turns,
                batch=wanted.batch,
                folder=str(data.run(sheet.run_id)),
                icons=_icons(data, sheet.game_id) if asker.sees else b"",
            )
        case "retrieval":
            assert asker is not None
            return _retrieval(wanted, data, sheet, known, asker)
        case "system":
            vectors = SentenceVectors(data.logs)
            memory = ObservedMemory(wanted.system, sheet, known, vectors, k=wanted.retrieved)
            if asker is None:
                return RulesReader(memory, sheet, known, vectors)
            return ModelReader(memory, known, asker, vectors)
        case "person-closed" | "person-open":
            assert wanted.ask is not None
            return PersonAnswerer(sheet, known, kind=wanted.kind, ask=wanted.ask, seconds=wanted.seconds)


def _retrieval(
    wanted: AnswererSpec, data: DataFolder, sheet: Sheet, known: RunRecord, asker: ModelCaller
) -> RetrievalAnswerer:
    last = horizon_of(sheet, known)
    early = any(len(record.trace) > last for record in known.records)  # else all that was learnt of it counts
    memory = memory_of(
        data, sheet.game_id, snapshot=wanted.memory, run_id=sheet.run_id, last_step=last if early else 0
    )
    return RetrievalAnswerer(
        sheet, known, asker, memory, SentenceVectors(data.logs), k=wanted.retrieved, snapshot=wanted.memory
    )


def _icons(data: DataFolder, game_id: str) -> bytes:
    """Read the picture that names what stands in a game's frames; empty where there is none."""
    try:
        game = Registry(data).load(game_id)
        table = game.profile.table(ExamTable)
        return (game.folder / table.icons).read_bytes() if table is not None and table.icons else b""
    except (PitwallError, OSError):
        return b""


def _model(wanted: AnswererSpec, data: DataFolder) -> ModelEntry | None:
    registry = ModelRegistry(data)
    if wanted.model:
        entry = registry.get(wanted.model)
        if entry.kind == "onnx":
            raise SettingsError(
                f"{entry.name} is an ONNX model: it writes no text.", "Choose a GGUF or an endpoint."
            )
        return entry
    if wanted.kind not in ("in-context", "retrieval"):
        return None
    named = [entry.name for entry in registry.all() if entry.kind != "onnx"]
    raise SettingsError(
        f"the answerer {wanted.kind} asks a language model, and none is named.",
        f"Name one by --model: {', '.join(named)}."
        if named
        else "There is none yet. Add one: pitwall models add FILE.gguf, or pitwall models download",
    )
