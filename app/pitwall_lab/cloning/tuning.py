"""Tunes a pixel policy that was made elsewhere: its last layers are learned from a person's own play.

The network itself stays unchanged and runs in a host. For each picture of the demonstrations its outputs (the
one named under [tune] in its manifest, else those of its presses) are the inputs of new last layers. These
are learned by behaviour cloning, and added to a copy of the policy's file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.schema.modules import StateInput
from pitwall.games.schema.profile import Game
from pitwall.gsm.agreement import AgreementTally, Pressed
from pitwall.gsm.cloned_module import PressChoice
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.gsm.pixel_manifest import PixelPolicy, PixelSpace, PressOutput, Tune
from pitwall.gsm.pixels.module import PixelInputs
from pitwall.gsm.pixels.runner import Arrays, WaitingRunner, spec_of
from pitwall.gsm.pixels.space import numbers_of, space_in
from pitwall.models.host_client import HostClient
from pitwall_lab.algorithms.behaviour_cloning import Decisions
from pitwall_lab.algorithms.policy_network import Array, QNetwork
from pitwall_lab.cloning.decisions import due_rows, taken_in
from pitwall_lab.cloning.space import space_for
from pitwall_lab.cloning.stretches import Stretch

_MOST_FEATURES = 8_192
_HIDDEN = [64]
_FEATURES = "tuned_features"
_MIDDLE = (0.5, 0.5)


class Tuning:
    """Makes decisions from a policy's outputs, and writes the policy with the layers learned from them.

    Args:
        file: the policy's. space: of the version that is tuned.

    Attributes:
        space: of the last layers; the policy's outputs are their state. notes: what was left out.

    Raises:
        PitwallError: nothing was pressed in the demonstrations that could be learned.
    """

    def __init__(
        self, data: DataFolder, game: Game, file: Path, space: PixelSpace, stretches: Sequence[Stretch]
    ) -> None:
        self._data, self._game, self._file, self._policy = data, game, file, space.pixels
        made, self.notes = space_for(game.profile, space, stretches, space.cloning, pixels=True)
        kept = [
            (action, press)
            for action, press in zip(made.actions[1:], made.presses, strict=True)
            if press.pointer is None
        ]
        if not kept:
            raise PitwallError(
                "these demonstrations hold clicks alone: where a policy points is not tuned.",
                "Train a clone of your own: pitwall gsm train GAME/MODULE --from all",
            )
        self.space: ClonedSpace = made.model_copy(
            update={
                "actions": ["", *(action for action, _ in kept)],
                "presses": [press for _, press in kept],
                "vision": None,
                "cloning": space.cloning.model_copy(update={"hidden": _HIDDEN, "past_dropout": 1.0}),
                "demonstrations": space.demonstrations,
            }
        )
        self._original = space
        self._mean = self._spread = np.zeros(0, np.float32)
        self._seen: dict[tuple[str, int], tuple[Array, Array]] = {}

    def decisions(self, stretches: Sequence[Stretch]) -> list[Decisions]:
        """Let the policy see each stretch, and return its outputs with what the person did.

        The first call fixes how the outputs are scaled.
        """
        with self._running() as runner:
            outputs = [self._given(runner, stretch) for stretch in stretches]
        if not self._mean.size:
            every = np.concatenate([features for features, _ in outputs])
            self._mean, self._spread = every.mean(0), every.std(0) + 1e-3
            self.space = self.space.model_copy(update={"state": _inputs(every.shape[1])})
        plays = []
        for stretch, (features, logits) in zip(stretches, outputs, strict=True):
            rows = due_rows(stretch.at_ns, self.space)
            self._seen[stretch.source, int(stretch.at_ns[0])] = features, logits
            taken = taken_in(stretch, self.space, self._game.profile, rows)
            plays.append(
                Decisions(
                    states=((features - self._mean) / self._spread).astype(np.float32),
                    pictures=None,
                    taken=taken,
                    places=np.full((len(rows), 2), np.nan, np.float32),
                    at_ns=stretch.at_ns[rows],
                    weight=self.space.cloning.correction_weight if stretch.correction else 1.0,
                    source=stretch.source,
                )
            )
        return plays

    def before(self, plays: Sequence[Decisions], stretches: Sequence[Stretch]) -> float | None:
        """Measure how far the untuned policy agrees with play: the share of equal decisions."""
        tally, names = AgreementTally(), self.space.actions
        for play, stretch in zip(plays, stretches, strict=True):
            _, logits = self._seen[stretch.source, int(stretch.at_ns[0])]
            choice = PressChoice(self._original)
            for row, at_ns in enumerate(play.at_ns.tolist()):
                chosen = [self._original.actions[two] for two in choice.choose(logits[row], at_ns) if two]
                done = [names[two] for two in np.flatnonzero(play.taken[row]) if two]
                tally.add(at_ns, _pressed(done), _pressed(chosen))
        return tally.agreement().share

    def written(self, network: QNetwork, space: ClonedSpace, file: Path) -> PixelSpace:
        """Write the policy with its new last layers; return the space of the version that plays with it."""
        model = onnx.load(str(self._file))
        output = _with_layers(model, self._outputs, self._mean, self._spread, network)
        content = model.SerializeToString()
        file.write_bytes(content)
        presses = [
            PressOutput(
                output=output,
                index=number,
                action=action,
                form="logit",
                threshold=press.threshold,
                tap=press.tap,
                rest_ms=press.rest_ms,
            )
            for number, (action, press) in enumerate(
                zip(space.actions[1:], space.presses, strict=True), start=1
            )
        ]
        points = self._policy.pointer
        presses += [
            press for press in self._policy.presses if points is not None and press.action == points.action
        ]
        policy = PixelPolicy.model_validate(
            {
                **self._policy.model_dump(by_alias=True),
                "sha256": hashlib.sha256(content).hexdigest(),
                "presses": [press.model_dump() for press in presses],
                "tune": Tune(features=_FEATURES).model_dump(),
            }
        )
        made = space_in(self._game, policy)
        kept = {name: getattr(space, name) for name in ("demonstrations", "reaction_ms", "at_once")}
        return made.model_copy(update={**kept, "cloning": self._original.cloning})

    @property
    def _outputs(self) -> list[str]:
        """Return the names of the outputs that the new layers read."""
        if self._policy.tune is not None:
            return [self._policy.tune.features]
        return list(dict.fromkeys(press.output for press in self._policy.presses))

    @contextmanager
    def _running(self) -> Iterator[WaitingRunner]:
        with HostClient(self._data.logs) as host:
            yield WaitingRunner(host, spec_of(self._policy, self._file))

    def _given(self, runner: WaitingRunner, stretch: Stretch) -> tuple[Array, Array]:
        """Return the policy's outputs for each decision of a stretch, raw and as a clone's logits."""
        due = set(stretch.at_ns[due_rows(stretch.at_ns, self.space)].tolist())
        sight = PixelInputs(self._policy, self._game.profile.screen)
        features, logits = [], []
        for at_ns, pixels in stretch.pictures():
            if at_ns not in due:
                continue
            runner.ask(sight.see(np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8)))
            outputs = runner.answer() or {}
            features.append(self._flat(outputs))
            logits.append(numbers_of(self._policy, outputs, _MIDDLE))
            sight.keep(outputs)
        if len(features) != len(due):
            raise PitwallError(
                f"demonstration {stretch.source}: {len(due) - len(features)} pictures are missing.",
                "Look at it: pitwall teach show ID --check",
            )
        return np.stack(features), np.stack(logits)

    def _flat(self, outputs: Arrays) -> Array:
        missing = [name for name in self._outputs if name not in outputs]
        if missing:
            raise PitwallError(
                f"{self._policy.name} has no output {missing[0]!r}: it gives {', '.join(outputs)}.",
                "Mend [tune] in its manifest.",
            )
        flat = np.concatenate([np.ravel(outputs[name]).astype(np.float32) for name in self._outputs])
        if flat.size > _MOST_FEATURES:
            raise PitwallError(
                f"{self._policy.name} would be tuned on {flat.size:,} numbers a picture; at most "
                f"{_MOST_FEATURES:,} can be.",
                "Name a smaller output under [tune] in its manifest.",
            )
        return flat


def _inputs(count: int) -> list[StateInput]:
    return [StateInput(field=f"given_{number}", low=-1.0, high=1.0) for number in range(count)]


def _pressed(names: Sequence[str]) -> Pressed:
    labels = frozenset(names)
    return Pressed(labels, labels)


def _with_layers(model: Any, outputs: Sequence[str], mean: Array, spread: Array, network: QNetwork) -> str:
    """Add the learned layers to a model behind some of its outputs; return the name of the new output."""
    graph = model.graph
    taken = {name for node in graph.node for name in node.output}
    prefix = next(f"tuned_{number}" for number in range(1, 10_000) if f"tuned_{number}_q" not in taken)
    made: list[Any] = []

    def constant(name: str, value: Array) -> str:
        graph.initializer.append(numpy_helper.from_array(np.asarray(value, np.float32), f"{prefix}_{name}"))
        return f"{prefix}_{name}"

    def node(kind: str, inputs: Sequence[str], name: str, **how: Any) -> str:
        made.append(helper.make_node(kind, list(inputs), [name], **how))
        return name

    if list(outputs) != [_FEATURES]:
        flat = [
            node("Reshape", [output, _shape(graph, f"{prefix}_row")], f"{prefix}_flat_{number}")
            for number, output in enumerate(outputs)
        ]
        node("Concat", flat, _FEATURES, axis=1)
        graph.output.append(helper.make_tensor_value_info(_FEATURES, TensorProto.FLOAT, [1, len(mean)]))
    centred = node("Sub", [_FEATURES, constant("mean", mean[None])], f"{prefix}_centred")
    now = node("Div", [centred, constant("spread", spread[None])], f"{prefix}_scaled")
    layers = [layer for layer in (*network.look, *network.decide) if isinstance(layer, nn.Linear)]
    for number, layer in enumerate(layers):
        weights = constant(f"weights_{number}", layer.weight.detach().numpy())
        bias = constant(f"bias_{number}", layer.bias.detach().numpy())
        last = number == len(layers) - 1
        now = node(
            "Gemm", [now, weights, bias], f"{prefix}_q" if last else f"{prefix}_sum_{number}", transB=1
        )
        now = now if last else node("Relu", [now], f"{prefix}_relu_{number}")
    graph.node.extend(made)
    count = layers[-1].out_features
    graph.output.append(helper.make_tensor_value_info(now, TensorProto.FLOAT, [1, count]))
    onnx.checker.check_model(model, full_check=True)
    return now


def _shape(graph: Any, name: str) -> str:
    """Return the name of a constant that reshapes any tensor into one row."""
    if all(tensor.name != name for tensor in graph.initializer):
        graph.initializer.append(numpy_helper.from_array(np.asarray([1, -1], np.int64), name))
    return name
