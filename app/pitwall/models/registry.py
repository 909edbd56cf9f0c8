"""The models that this data folder knows: one small file, written aside and renamed under a lock.

Readers never wait and never change anything. A damaged file is reported to readers; the first writer keeps it
under another name and begins a new one.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import (
    BadModelFile,
    CorruptRegistry,
    DamagedFile,
    DataFolderError,
    ModelTaken,
    PitwallError,
    UnknownModel,
    suggestion,
)
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.models.click_scale import ClickTest
from pitwall.models.entry import Measured, ModelEntry, ModelTrial
from pitwall.models.entry_from_file import (
    USUAL_CONTEXT,
    changed,
    checked_name,
    entry_of_file,
    name_of,
    with_projector,
)
from pitwall.models.files.integrity import Progress, sha256_of, stamp_of
from pitwall.models.probed import Probed
from pitwall.models.shipped import SOURCE as SHIPPED
from pitwall.models.shipped import shipped_entry, with_shipped
from pitwall.store.folder_errors import folder_error, write_file
from pitwall.store.lease import FileLock

__all__ = ["Measured", "ModelEntry", "ModelRegistry"]

_log = logging.getLogger(__name__)
_LOCK_TRIES = 12
"""Each waits as long as a lock's own patience (0.4 s)."""


class _File(BaseModel):
    model_config = ConfigDict(frozen=True)

    version: int = 1
    models: tuple[ModelEntry, ...] = ()


class ModelRegistry:
    """The registry of a data folder. Nothing is cached: each call reads the file.

    Args:
        data: the data folder.
    """

    def __init__(self, data: DataFolder) -> None:
        self._file = data.model_registry

    # ---- read

    def all(self) -> tuple[ModelEntry, ...]:
        """Return every model in the order they were added, and the model that ships with Pitwall.

        Raises:
            CorruptRegistry: the file is damaged.
            DataFolderError: it cannot be read.
        """
        stored = self._stored()
        shipped = shipped_entry()
        if shipped is None:
            return tuple(entry for entry in stored if entry.source != SHIPPED)
        if all(entry.name != shipped.name for entry in stored):
            return (*stored, shipped)
        return tuple(_as_it_lies(entry, shipped) for entry in stored)

    def _stored(self) -> tuple[ModelEntry, ...]:
        try:
            return read_model(_File, self._file).models
        except FileNotFoundError:
            return ()
        except DamagedFile as error:
            raise CorruptRegistry(
                f"the model registry {error.what}",
                "Mend the file, or add a model: the damaged file is then kept beside a new one.",
            ) from None

    def get(self, name: str) -> ModelEntry:
        """Return the model with this name.

        Raises:
            UnknownModel: there is none; the error names the nearest.
            DataFolderError: as `all`.
        """
        return _find(self.all(), name)

    # ---- write

    def add_file(
        self,
        path: Path,
        *,
        name: str = "",
        projector: Path | None = None,
        progress: Progress | None = None,
        source: str = "",
        known_sha256: str = "",
        published_sha256: str = "",
        **options: object,
    ) -> ModelEntry:
        """Check a GGUF or ONNX file, hash it, and add it.

        Args:
            name: by default the file's name without its ending.
            projector: GGUF file that lets a text model see.
            progress: called with the progress of the hashing.
            source: its origin.
            known_sha256: its hash, if it was taken a moment ago.
            published_sha256: the hash that its maker published; empty: not known.
            options: gpu_layers, threads and flash_attention as in `ModelSpec`; context: tokens of each
                slot, 0: what the model was trained for, at most 8,192.

        Raises:
            BadModelFile: damaged, foreign, or the projector does not fit.
            ModelTaken: the name or the file is in the registry already.
            DataFolderError: the registry cannot be written.
        """
        path = path.expanduser().absolute()
        chosen = checked_name(name or name_of(path))
        entry = entry_of_file(path, chosen)
        with contextlib.suppress(CorruptRegistry):  # the writing below deals with it
            _check_free(self.all(), entry)
        if projector is not None:
            entry = with_projector(entry, projector.expanduser().absolute())
        entry = _hashed(entry, path, known_sha256, progress)
        if published_sha256 and entry.sha256 != published_sha256.strip().lower():
            raise BadModelFile(
                str(path),
                f"is not the file that was published: its SHA-256 is {entry.sha256}",
                expected=published_sha256,
                fix="Download it once more.",
            )
        entry = entry.model_copy(update={"source": source, "added_at": _now()})
        return self._add(
            changed(entry, {key: value for key, value in options.items() if value or key != "context"})
        )

    def add_remote(
        self,
        name: str,
        url: str,
        remote_model: str,
        *,
        key_variable: str = "",
        sees: bool = False,
        context: int = USUAL_CONTEXT,
    ) -> ModelEntry:
        """Add a model behind an OpenAI-compatible endpoint. Nothing is asked of the endpoint.

        Args:
            url: its base address, ending in /v1.
            key_variable: environment variable that holds the key.

        Raises:
            SettingsError: the address or the variable's name is not valid.
            ModelTaken: the name is in the registry already.
            DataFolderError: the registry cannot be written.
        """
        entry = ModelEntry(name=checked_name(name), kind="remote", added_at=_now())
        options = {"url": url, "remote_model": remote_model, "key_variable": key_variable}
        return self._add(changed(entry, {**options, "sees": sees, "context": context}))

    def change(self, name: str, **options: object) -> ModelEntry:
        """Change options of a model: context, gpu_layers, threads, flash_attention, projector (a path;
        "" for none), click_scale, and of a remote one url, remote_model, key_variable, sees.

        Raises:
            UnknownModel: there is none.
            SettingsError: no such option, or the value does not fit; the error names what fits.
            BadModelFile: the projector is none or does not fit.
            DataFolderError: the registry cannot be written.
        """
        return self._update(name, lambda entry: changed(entry, options))

    def measured(self, name: str, tokens_per_s: float, **more: object) -> ModelEntry:
        """Note a model's measurements; `more` are further fields of `Measured`.

        Raises:
            UnknownModel, DataFolderError: as `change`.
        """
        figures = Measured.model_validate({"tokens_per_s": tokens_per_s, "measured_at": _now(), **more})
        return self._update(name, lambda entry: entry.model_copy(update={"measured": figures}))

    def tried(self, name: str, trial: ModelTrial) -> ModelEntry:
        """Note the result of a trial against the skills.

        Raises:
            UnknownModel, DataFolderError: as `change`.
        """
        return self._update(name, lambda entry: entry.model_copy(update={"trial": trial}))

    def probed(self, name: str, measured: Probed) -> ModelEntry:
        """Note the abilities of a model; raises as `tried`."""
        return self._update(name, lambda entry: entry.model_copy(update={"probed": measured}))

    def clicked(self, name: str, test: ClickTest) -> ModelEntry:
        """Note the result of a model's click test; raises as `tried`."""
        return self._update(name, lambda entry: entry.model_copy(update={"click_test": test}))

    def remove(self, name: str) -> ModelEntry:
        """Forget a model and return its entry; its file stays.

        Raises:
            ModelTaken: the model ships with Pitwall.
            UnknownModel, DataFolderError: as `change`.
        """
        with self._writing() as models:
            entry = _find(models, name)
            if entry.source == SHIPPED:
                raise ModelTaken(
                    f"the model {name!r} ships with Pitwall and stays.",
                    "To think without it: pitwall settings set models.shipped false",
                )
            models.remove(entry)
        return entry

    def _add(self, entry: ModelEntry) -> ModelEntry:
        with self._writing(anew=True) as models:
            _check_free(models, entry)
            models.append(entry)
        return entry

    def _update(self, name: str, change: Callable[[ModelEntry], ModelEntry]) -> ModelEntry:
        with self._writing() as models:
            place = models.index(_find(models, name))
            models[place] = change(models[place])
            return models[place]

    @contextlib.contextmanager
    def _writing(self, *, anew: bool = False) -> Iterator[list[ModelEntry]]:
        """Yield the models for exclusive changes; they are written when the block ends without an error.

        Args:
            anew: keep a damaged file aside and begin a new one.
        """
        with _patient_lock(self._file):
            try:
                models = list(self.all())
            except CorruptRegistry as damage:
                if not anew:
                    raise
                self._keep_aside(damage)
                models = []
            yield models
            shipped = shipped_entry()
            kept = tuple(entry for entry in models if entry != shipped)
            write_file(self._file, _File(models=kept).model_dump_json(indent=1) + "\n")

    def _keep_aside(self, damage: CorruptRegistry) -> None:
        number = 1
        while (kept := self._file.with_name(f"{self._file.stem}.damaged-{number}.json")).exists():
            number += 1
        try:
            self._file.rename(kept)
        except OSError as error:
            raise folder_error(error, self._file) from error
        _log.warning("%s It is kept as %s.", damage.what, kept)


@contextlib.contextmanager
def _patient_lock(file: Path) -> Iterator[None]:
    lock = FileLock(file.with_suffix(".lock"), role="model registry", subject=f"the model registry {file}")
    for last in (*[False] * (_LOCK_TRIES - 1), True):
        try:
            lock.acquire()
            break
        except DataFolderError as error:
            if last or error.__cause__ is not None:  # a cause: the folder itself is at fault
                raise
    try:
        yield
    finally:
        lock.release()


def _as_it_lies(entry: ModelEntry, shipped: ModelEntry) -> ModelEntry:
    """Return a stored model; the shipped one with the current facts of its file."""
    if entry.source != SHIPPED:
        return entry
    named = ["path", "sha256", "size_bytes", "mtime_ns", "header", "probed"]
    if "flash_attention" not in entry.model_fields_set:  # written before there was a choice
        named.append("flash_attention")
    facts = {name: getattr(shipped, name) for name in named}
    return entry.model_copy(update=facts)


def _check_free(models: tuple[ModelEntry, ...] | list[ModelEntry], entry: ModelEntry) -> None:
    for other in models:
        same_file = entry.kind != "remote" and (
            other.path == entry.path or (entry.sha256 and other.sha256 == entry.sha256)
        )
        if same_file:
            ships = other.source == SHIPPED
            raise ModelTaken(
                f"{entry.path} is in the registry already, as {other.name!r} ({other.path}).",
                "Use that one: it ships with Pitwall."
                if ships
                else f"Use that one, or remove it first: pitwall models remove {other.name}",
            )
        if other.name == entry.name:
            raise ModelTaken(
                f"the registry has a model {entry.name!r} already ({other.path or other.url}).",
                "Choose another name with --name.",
            )


def _find(models: tuple[ModelEntry, ...] | list[ModelEntry], name: str) -> ModelEntry:
    for entry in models:
        if entry.name == name:
            return entry
    raise UnknownModel(
        f"there is no model {name!r}.",
        suggestion(name, [entry.name for entry in models], "See them with: pitwall models list"),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def check_chosen_models(settings: Settings, data: DataFolder) -> None:
    """Look for the models that settings choose for a run, before anything is opened for it.

    Raises:
        PitwallError: a model is not in the registry, or none is chosen though a model must plan.
    """
    if settings.control.planner == "model" and not with_shipped(settings).models.strategic:
        raise PitwallError(
            "no model is chosen for the strategic tier.",
            "Name one with --model, or choose it with: pitwall models use NAME --tier strategic",
        )
    registry = ModelRegistry(data)
    for name in dict.fromkeys((settings.models.strategic, settings.models.fast)):
        if name and settings.control.planner in ("auto", "model"):
            registry.get(name)


def _hashed(entry: ModelEntry, path: Path, known_sha256: str, progress: Progress | None) -> ModelEntry:
    stamp = size_bytes, mtime_ns = stamp_of(path)
    sha256 = known_sha256 or sha256_of(path, progress)
    if stamp_of(path) != stamp:
        raise BadModelFile(str(path), "changed while it was read", fix="Add it when it is whole.")
    return entry.model_copy(update={"sha256": sha256, "size_bytes": size_bytes, "mtime_ns": mtime_ns})
