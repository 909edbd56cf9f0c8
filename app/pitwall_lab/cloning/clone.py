"""Trains a version by cloning demonstrations: reads, splits, learns, judges and exports."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import torch

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.demonstrations.reader import DemonstrationReader
from pitwall.gsm.cloned_space import ClonedSpace, CloningRecipe
from pitwall.gsm.pixel_manifest import PixelSpace
from pitwall.gsm.pixels.probe import measured_rate
from pitwall.gsm.version_record import POLICY, VersionRecord, VersionStatus
from pitwall.gsm.versions import ModuleFolder, sha256_of
from pitwall.store.lease import FileLock
from pitwall_lab.algorithms.behaviour_cloning import BehaviourCloning, Decisions, fitted_presses
from pitwall_lab.algorithms.policy_export import export
from pitwall_lab.algorithms.policy_network import QNetwork, Shape
from pitwall_lab.cloning.agreement import judged
from pitwall_lab.cloning.decisions import decisions_of
from pitwall_lab.cloning.parting import parted
from pitwall_lab.cloning.space import space_for
from pitwall_lab.cloning.stretches import Stretch, stretches_of
from pitwall_lab.cloning.tuning import Tuning
from pitwall_lab.training.checkpoint import read_checkpoint, write_checkpoint
from pitwall_lab.training.log_writer import TrainingLogWriter
from pitwall_lab.training_log import LOCK, Cloned, HeldOut, Line, Point, State, read_control, request_control
from pitwall_lab.trials.clips import save_clip

_LEAST_DECISIONS, _LEAST_JUDGED = 60, 10
_LOOK_S = 0.2
_LEARNING = 0.85
"""Share of the recipe's minutes after which learning ends: judging and writing take the rest."""
_CLIPS, _AROUND_NS = 10, NS_PER_S
_WEIGHTS = "clone"
_THREADS = 1
"""Threads beside a game wait for each other: on two busy cores, two learned 30 pictures a second, one 215."""


def begin_clone(
    data: DataFolder,
    folder: ModuleFolder,
    demonstrations: Sequence[str],
    *,
    pixels: bool | None = None,
    start_from: str = "",
    recipe: CloningRecipe | None = None,
    title: str = "",
    why: str = "",
) -> VersionRecord:
    """Create the folder of a version that is to be cloned from demonstrations.

    Args:
        pixels: see pictures (True) or fields (False); None: fields if there are any.
        start_from: the parent clone. The new clone learns from the parent's demonstrations and these, and is
            compared with the parent. It begins with the parent's weights if the recipe says so.

    Raises:
        PitwallError: there is no such demonstration or clone, or nothing in them can be learned.
    """
    torch.set_num_threads(_THREADS)
    stretches = read_stretches(data, demonstrations)
    parent = folder.about(start_from) if start_from else None
    before = parent.learned if parent is not None else None
    if parent is not None and not isinstance(before, ClonedSpace):
        raise PitwallError(
            f"{folder.name} {start_from} was not cloned from demonstrations: its weights fit no clone.",
            "Leave --start-from out, or name a version that was.",
        )
    if isinstance(before, ClonedSpace):
        sources = sorted({*before.demonstrations, *(stretch.source for stretch in stretches)})
        recipe, pixels = recipe or before.cloning, not before.state
        before = before.model_copy(update={"demonstrations": sources, "cloning": recipe})
        stretches = stretches if before.goes_on else read_stretches(data, sources)
    space, notes = before, list[str]()
    if not isinstance(space, ClonedSpace) or not space.goes_on:
        profile, declared = folder.game.profile, folder.declared.learned
        space, notes = space_for(profile, declared, stretches, recipe or CloningRecipe(), pixels=pixels)
    return folder.new(
        VersionRecord(
            game_id=folder.game.game_id,
            module=folder.declared.name,
            version="",
            kind="policy",
            parent=start_from,
            iteration=parent.iteration if parent is not None else 0,
            title=title or f"cloned from {_named(space.demonstrations)}",
            why=why,
            profile_hash=folder.game.profile_hash,
            learned=space,
            standing=VersionStatus.PROPOSED,
            note=" ".join(notes),
        )
    )


def clone(
    data: DataFolder,
    folder: ModuleFolder,
    about: VersionRecord,
    *,
    seed: int = 0,
    on_line: Callable[[Line], None] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> VersionRecord:
    """Train a version that `begin_clone` created, from the beginning.

    Raises:
        PitwallError: a demonstration is missing, damaged or too short; log and record name the reason too.
        DataFolderError: another process trains it.
    """
    where = folder.folder(about.version)
    lock = FileLock(where / LOCK, role="training", subject=f"{folder.name} {about.version}")
    with lock, closing(TrainingLogWriter(where, listen=on_line)) as journal:
        request_control(where, "run")
        about = about.model_copy(update={"standing": VersionStatus.TRAINING, "seed": seed})
        folder.write(about)
        cloning = _Cloning(data, folder, about, journal, should_stop)
        try:
            return cloning.run()
        except Exception as error:
            why = str(error) if isinstance(error, PitwallError) else f"{type(error).__name__}: {error}"
            cloning.say("failed", why)
            folder.write(about.model_copy(update={"standing": VersionStatus.FAILED, "note": why}))
            raise


class _Cloning:
    """Runs one cloning, from the version's folder to its policy."""

    def __init__(
        self,
        data: DataFolder,
        folder: ModuleFolder,
        about: VersionRecord,
        journal: TrainingLogWriter,
        should_stop: Callable[[], bool],
    ) -> None:
        assert isinstance(about.learned, ClonedSpace)
        self._data, self._folder, self._about, self._journal = data, folder, about, journal
        self._space = about.learned
        self._should_stop = should_stop
        self._where = folder.folder(about.version)
        self._began = time.monotonic()
        self._step, self._steps = 0, 1
        self._tuning: Tuning | None = None

    def run(self) -> VersionRecord:
        """Read, learn, judge, export."""
        torch.set_num_threads(_THREADS)
        stretches = read_stretches(self._data, self._space.demonstrations)
        if isinstance(self._space, PixelSpace):
            file = self._folder.folder(self._about.parent) / POLICY
            self._tuning = Tuning(self._data, self._folder.game, file, self._space, stretches)
        kept, held_out, how = parted(stretches, self._space.cloning.held_out)
        learn, judge = (self._decisions(part) for part in (kept, held_out))
        counts = [sum(map(len, part)) for part in (learn, judge)]
        if counts[0] < _LEAST_DECISIONS or counts[1] < _LEAST_JUDGED:
            raise PitwallError(
                f"these demonstrations hold {sum(counts)} decisions of play, of which {counts[1]} can be "
                f"held out; at least {_LEAST_DECISIONS} and {_LEAST_JUDGED} are needed.",
                "Record more play: pitwall teach record --game GAME --minutes 5",
            )
        self._steps = counts[0] * self._space.cloning.epochs
        self.say("running")
        weights, before = self._parent(judge, held_out)
        if self._tuning is not None:
            self._space = self._tuning.space
        learner = BehaviourCloning(self._space, learn, judge, seed=self._about.seed, weights=weights)
        stopped = self._learn(learner)
        network = learner.keep_best()
        self._space = self._space.model_copy(update={"presses": fitted_presses(network, self._space, judge)})
        cloned = judged(network, self._space, judge, step=self._step)
        notes = tuple(note for note in (self._about.note, *self._notes) if note)
        self._journal.write(
            cloned.model_copy(
                update={
                    "before": before,
                    "parted": how,
                    "held_out": tuple(map(_span, held_out)),
                    "notes": notes,
                    "disagreements": self._placed(cloned),
                }
            )
        )
        rate = self._about.rate
        if self._tuning is not None:
            learned = self._tuning.written(network, self._space, self._where / POLICY)
            rate = measured_rate(self._data, learned.pixels, self._where / POLICY)
            self._space = learned
        else:
            write_checkpoint(self._where, {"weights": network.state_dict()}, space=_WEIGHTS)
            export(network, self._where / POLICY)
        about = self._about.model_copy(
            update={
                "learned": self._space,
                "rate": rate,
                "policy_sha256": sha256_of(self._where / POLICY),
                "steps": self._step,
                "wall_s": time.monotonic() - self._began,
                "standing": VersionStatus.TRAINED,
            }
        )
        self._folder.write(about)
        self.say("stopped" if stopped else "finished", "It was asked to stop." if stopped else "")
        return about

    def say(self, state: Any, why: str = "") -> None:
        """Write a state into the log."""
        self._journal.write(State(state=state, step=self._step, steps=self._steps, at=time.time(), why=why))

    def _learn(self, learner: BehaviourCloning) -> bool:
        """Run passes until nothing improves, time is up or a stop is requested; return whether it was."""
        last = self._began
        for epoch in learner.epochs(self._time_left):
            now = time.monotonic()
            point = Point(
                step=epoch.step,
                wall_s=now - self._began,
                at=time.time(),
                loss=epoch.loss,
                held_out=epoch.held_out,
                fps=(epoch.step - self._step) / max(1e-6, now - last),
            )
            self._step, last = epoch.step, now
            self._journal.write(point)
            self._wait_while_paused()
        return self._wish() == "stop"

    def _time_left(self) -> float:
        """Return the share of the learning time that is left; 0 if a stop is requested."""
        most_s = self._space.cloning.minutes * 60.0 * _LEARNING
        return 0.0 if self._wish() == "stop" else 1.0 - (time.monotonic() - self._began) / most_s

    def _wish(self) -> str:
        return "stop" if self._should_stop() else read_control(self._where)

    def _wait_while_paused(self) -> None:
        """Wait while a pause is requested; the pause does not count towards the recipe's time."""
        if self._wish() != "pause":
            return
        began = time.monotonic()
        self.say("paused")
        while self._wish() == "pause":
            time.sleep(_LOOK_S)
        self._began += time.monotonic() - began
        self.say("running")

    def _decisions(self, stretches: Sequence[Stretch], space: ClonedSpace | None = None) -> list[Decisions]:
        if self._tuning is not None:
            return self._tuning.decisions(stretches)
        return [
            decisions_of(stretch, space or self._space, self._folder.game.profile) for stretch in stretches
        ]

    @property
    def _notes(self) -> list[str]:
        return self._tuning.notes if self._tuning is not None else []

    def _parent(
        self, judge: Sequence[Decisions], held_out: Sequence[Stretch]
    ) -> tuple[dict[str, Any] | None, float | None]:
        """Return the parent's weights, if training begins with them, and its agreement on held-out play."""
        if not self._about.parent:
            return None, None
        if self._tuning is not None:
            return None, self._tuning.before(judge, held_out)
        parent = self._folder.about(self._about.parent)
        saved = read_checkpoint(self._folder.folder(parent.version), space=_WEIGHTS)
        if saved is None or not isinstance(parent.learned, ClonedSpace):
            raise PitwallError(
                f"{self._folder.name} {parent.version} keeps no weights to begin with.",
                "Leave --start-from out.",
            )
        network = QNetwork(Shape.of(parent.learned, parent.learned.cloning))
        network.load_state_dict(saved["weights"])
        goes_on = self._space.goes_on
        seen = judge if goes_on else self._decisions(held_out, parent.learned)
        cloned = judged(network.eval(), parent.learned, seen, step=0)
        return saved["weights"] if goes_on else None, cloned.agreement

    def _placed(self, cloned: Cloned) -> tuple[Any, ...]:
        """Add to each disagreement its second and picture number, and a clip to the strongest."""
        placed = []
        for count, disagreement in enumerate(cloned.disagreements):
            reader = DemonstrationFolder(self._data).open(disagreement.demonstration)
            number = sum(moment.at_ns < disagreement.at_ns for moment in reader.all_moments)
            at_s = (disagreement.at_ns - reader.manifest.began_ns) / NS_PER_S
            around = disagreement.at_ns - _AROUND_NS, disagreement.at_ns + _AROUND_NS
            seen = [pixels[:, :, ::-1] for _, pixels in reader.pictures(*around)] if count < _CLIPS else []
            clip = f"clips/differs-{count + 1}.webp" if seen else ""
            if seen:
                save_clip(seen, 2 * _AROUND_NS / NS_PER_MS / len(seen), self._where / clip)
            placed.append(
                disagreement.model_copy(update={"picture": number, "at_s": round(at_s, 2), "clip": clip})
            )
        return tuple(placed)


def read_stretches(data: DataFolder, demonstrations: Sequence[str]) -> list[Stretch]:
    """Read the play of demonstrations.

    Raises:
        PitwallError: a demonstration is missing or damaged, or none holds any play.
    """
    folder = DemonstrationFolder(data)
    readers: list[DemonstrationReader] = [folder.open(name) for name in dict.fromkeys(demonstrations)]
    stretches = [stretch for reader in readers for stretch in stretches_of(reader)]
    if not stretches:
        raise PitwallError(
            f"{', '.join(demonstrations) or 'no demonstration'}: there is no play to learn from.",
            "Record some: pitwall teach record --game GAME --minutes 5",
        )
    return stretches


def _span(stretch: Stretch) -> HeldOut:
    return HeldOut(
        demonstration=stretch.source, from_ns=int(stretch.at_ns[0]), to_ns=int(stretch.at_ns[-1]) + 1
    )


def _named(demonstrations: Sequence[str]) -> str:
    return demonstrations[0] if len(demonstrations) == 1 else f"{len(demonstrations)} demonstrations"
