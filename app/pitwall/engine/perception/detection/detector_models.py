"""Finds a detector's model: a file of the game's folder, or a model of the registry."""

from __future__ import annotations

from pathlib import Path

from pitwall.core.errors import BadModelFile, UnknownModel
from pitwall.core.paths import DataFolder
from pitwall.games.schema.detectors import OnnxDetector
from pitwall.games.schema.profile import Game
from pitwall.models.files.integrity import sha256_of, stamp_of
from pitwall.models.registry import ModelRegistry
from pitwall.models.spec import ModelSpec


class DetectorModels:
    """The models of one game's detectors.

    A file of the game's folder is hashed when it is first named; what the host loads must be the same.
    """

    def __init__(self, game: Game, data: DataFolder) -> None:
        self._game = game
        self._registry = ModelRegistry(data)
        self._hashed: dict[Path, ModelSpec] = {}

    def resolve(self, detector: OnnxDetector) -> ModelSpec:
        """The model that a detector names.

        Raises:
            BadModelFile: the file is not there, or it is no ONNX model.
            UnknownModel, DataFolderError: the registry has none of that name, or cannot be read.
        """
        if detector.in_folder:
            return self._file(detector.model)
        try:
            spec = self._registry.get(detector.model).spec
        except UnknownModel as error:
            fix = f"Add it: pitwall models add FILE --name {detector.model}"
            raise UnknownModel(error.what, fix) from None
        if spec.kind != "onnx":
            raise BadModelFile(spec.path or spec.url, f"is a {spec.kind} model", expected="an ONNX detector")
        return spec

    def _file(self, name: str) -> ModelSpec:
        file = self._game.folder / name
        known = self._hashed.get(file)
        if known is None:
            size, changed = stamp_of(file)
            known = self._hashed[file] = ModelSpec(
                name=f"{self._game.game_id}/{name}",
                kind="onnx",
                path=str(file),
                size_bytes=size,
                mtime_ns=changed,
                sha256=sha256_of(file),
            )
        return known
