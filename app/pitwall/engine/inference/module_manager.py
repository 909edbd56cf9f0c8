"""Chooses which version of each game sense module drives: pinned, promoted, shipped, or the manifest's rules.

A policy file is tried in the host before it is loaded here, because a bad one can end the process that loads
it. Files are read and policies are loaded in a thread of their own, before the first run at its start; the
loop exchanges a module between two frames, and nothing waits.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ConditionError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ModulesNote, ModuleState
from pitwall.engine.inference.host_link import HostConnection
from pitwall.engine.inference.module_candidate import Candidate
from pitwall.engine.inference.module_proxy import ModuleProxy
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.profile import Game
from pitwall.gsm.cloned_module import learned_module
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.inference import BadPolicy, DeferredPolicy, read_policy
from pitwall.gsm.pixels.module import PixelModule
from pitwall.gsm.pixels.probe import check_hash, require_rate
from pitwall.gsm.pixels.runner import LinkedRunner
from pitwall.gsm.policy_module import Decision, PolicyModule
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import POLICY, MeasuredRate, VersionRecord
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall.models.host_requests import HostFault, OnnxRan, RunOnnx, UnloadModel
from pitwall.models.tensors import packed
from pitwall.store.components import absence, component

_log = logging.getLogger(__name__)

RUNS_POLICIES = "reflexes"
"""The component that runs policies."""
_LOOK_EVERY_NS = NS_PER_S // 2
_PATIENCE_NS = 60 * NS_PER_S
"""For the host: to start on a busy machine, and to try a policy."""
_TRIES = 25
"""Decisions of a pixel policy on trial; the first, which loads it, does not count."""


_DrivenBy = Literal["policy", "rules", "nothing"]


@dataclass(slots=True)
class _ModuleSlot:
    """Holds the version that drives one module, and the version that is being loaded.

    Attributes:
        waits: why its policy is not there yet; it is taken up once what runs policies is installed.
    """

    folder: ModuleFolder
    proxy: ModuleProxy
    pinned: str = ""
    version: str = ""
    wanted: str = ""
    title: str = ""
    driven_by: _DrivenBy = "nothing"
    fault: str = ""
    detectors: tuple[Detector, ...] = ()
    stamp: tuple[int, int] | None = None
    loading: bool = False
    settled: bool = False
    waits: str = ""


def _ignore_decision(_: str, __: str, ___: Decision) -> None:
    """No run is on."""


class ModuleManager:
    """The modules of one game in play.

    Args:
        pins: module → version that drives whatever is promoted.
        explore: share of a policy's decisions that are taken by chance. seed: of that chance.
        tell: telemetry out. on_fault: takes what is wrong with a version.
        on_detectors: takes the detectors that the versions in force were changed with.

    Attributes:
        modules: name → what the controllers hold.
        failure: why a pinned version cannot drive; the game must not be played then.
        listener: takes every decision of a policy: module, version, decision.

    Raises:
        UnknownModule: a pin names a module or a version that is not there.
    """

    def __init__(
        self,
        game: Game,
        data: DataFolder,
        host: HostConnection,
        *,
        pins: Mapping[str, str],
        explore: float = 0.0,
        seed: int = 0,
        tell: Callable[[ModulesNote], None],
        on_fault: Callable[[PitwallError], None],
        on_detectors: Callable[[tuple[Detector, ...]], None] = lambda _: None,
    ) -> None:
        self._data = data
        self._host = host
        self._tell = tell
        self._on_fault = on_fault
        self._on_detectors = on_detectors
        self._fields = frozenset(one.name for one in game.profile.fields)
        self._explore, self._seed = explore, seed
        self._slots: dict[str, _ModuleSlot] = {}
        self.modules: dict[str, ModuleProxy] = {}
        self._add_slots(game)
        for name, version in pins.items():
            ModuleFolder(data, game, name).about(version)  # both must be there
            self._slots[name].pinned = version
        self.failure: PitwallError | None = None
        self.listener: Callable[[str, str, Decision], None] = _ignore_decision
        self._asked: dict[int, Candidate] = {}
        self._unsent: list[Candidate] = []
        self._done: queue.SimpleQueue[tuple[Candidate, GameSenseModule | PitwallError]] = queue.SimpleQueue()
        self._deferred: dict[str, DeferredPolicy] | None = {}
        """Module → what is loaded when the first run begins; None from then on."""
        self._last_id = 0
        self._look_at_ns = 0
        self._install_all_rules()
        self.follow(now_ns())

    @property
    def ready(self) -> bool:
        """Whether every module has its version, or has been found to have none."""
        return all(slot.settled and not slot.loading for slot in self._slots.values())

    @property
    def versions(self) -> dict[str, str]:
        """Module → version that drives, with the beginning of its content hash."""
        return {
            name: f"{slot.version} {slot.proxy.provenance.version}".strip()
            for name, slot in self._slots.items()
        }

    def join(self, game: Game) -> None:
        """Take in the modules that the game has got since: they were learned by watching."""
        self._add_slots(game)
        self._look_at_ns = 0
        self.follow(now_ns())

    def load_policies(self) -> None:
        """Load what drives: a run begins.

        Raises:
            BadPolicy: one cannot be loaded, though the host could.
        """
        deferred, self._deferred = self._deferred or {}, None
        for policy in deferred.values():
            policy.load()

    def stop_listening(self) -> None:
        """No run is on: nobody takes decisions."""
        self.listener = _ignore_decision

    def follow(self, now: int) -> None:
        """Take in what was promoted, what the host answered, and what is loaded. Never waits."""
        if now >= self._look_at_ns:
            self._look_at_ns = now + _LOOK_EVERY_NS
            for slot in self._slots.values():
                self._follow_promotion(slot)
        self._ask(now)
        self._take_answers(now)
        for slot in self._slots.values():
            self._drop_broken(slot)
        while not self._done.empty():
            candidate, made = self._done.get()
            if isinstance(made, PitwallError):
                self._refuse(candidate, made)
            else:
                self._exchange(candidate, made)

    # ---- who should drive

    def _add_slots(self, game: Game) -> None:
        self._game = game
        for module in game.profile.modules:
            if module.name not in self._slots:
                slot = _ModuleSlot(ModuleFolder(self._data, game, module.name), ModuleProxy(module))
                self._slots[module.name], self.modules[module.name] = slot, slot.proxy

    def _install_all_rules(self) -> None:
        """Rules play until a policy is there: they need no loading."""
        for slot in self._slots.values():
            if slot.folder.declared.rules:
                self._install_rules(slot, RULES, slot.folder.about(RULES))

    def _follow_promotion(self, slot: _ModuleSlot) -> None:
        stamp = _stamp(slot.folder.root / "promoted.json")
        if slot.waits and component(RUNS_POLICIES).present:
            slot.waits, slot.settled, slot.wanted = "", False, ""
        if slot.settled and (stamp == slot.stamp or slot.pinned):
            return
        slot.stamp, slot.settled = stamp, True
        try:
            wanted = slot.pinned or slot.folder.driving()
            if wanted and wanted != slot.wanted:
                slot.wanted = wanted
                self._fetch(slot, wanted)
        except PitwallError as error:
            self._fail_slot(slot, error)

    def _drop_broken(self, slot: _ModuleSlot) -> None:
        """A module that can play no more hands over to the rules, where there are some."""
        problem = slot.proxy.problem
        if problem is None or slot.fault:
            return
        if slot.folder.declared.rules and not slot.pinned:
            self._install_rules(slot, RULES, slot.folder.about(RULES))
        else:
            slot.version, slot.driven_by = "", "nothing"
        self._fail_slot(slot, problem)

    def _fetch(self, slot: _ModuleSlot, version: str) -> None:
        about = slot.folder.about(version)
        if about.kind == "rules":
            self._install_rules(slot, version, about)
            return
        if not component(RUNS_POLICIES).present:
            self._wait_for_library(slot)
            return
        file = slot.folder.folder(version) / POLICY
        candidate = Candidate(slot.proxy.name, version, about, file)
        candidate.until_ns = now_ns() + _PATIENCE_NS
        slot.loading = True
        self._unsent.append(candidate)

    def _wait_for_library(self, slot: _ModuleSlot) -> None:
        """Let the rules drive until policies can be run here; a pinned policy cannot be waited for."""
        lacking = PitwallError(*absence(RUNS_POLICIES))
        if slot.pinned:
            self._fail_slot(slot, lacking)
        else:
            slot.waits = f"{lacking.what} {lacking.fix}"
            self._report()

    def _install_rules(self, slot: _ModuleSlot, version: str, about: VersionRecord) -> None:
        try:
            rules = RuleModule(about.rules or slot.folder.declared, self._fields, origin=version)
        except ConditionError as error:
            raise PitwallError(f"version {version} of {slot.folder.name}: {error.what}", error.fix) from None
        self._install(slot, version, about, rules, "rules")

    # ---- the host tries it

    def _ask(self, now: int) -> None:
        for candidate in list(self._unsent):
            tensors, blob = packed(candidate.first_inputs)
            self._last_id += 1
            spec = candidate.spec
            if self._host.send(RunOnnx(request_id=self._last_id, model=spec, inputs=tensors), blob):
                self._unsent.remove(candidate)
                candidate.sent, candidate.generation = self._last_id, self._host.generation
                self._asked[self._last_id] = candidate
            elif now > candidate.until_ns:
                self._unsent.remove(candidate)
                self._refuse(candidate, BadPolicy(f"{candidate.file} could not be tried: no host starts."))

    def _take_answers(self, now: int) -> None:
        for reply in self._host.pump():
            candidate = self._asked.pop(reply.request_id, None)
            if candidate is None:
                continue
            match reply:
                case OnnxRan() if candidate.pixels is not None:
                    self._measure(candidate, reply.took_ms, reply.device)
                case OnnxRan():
                    self._last_id += 1
                    name = candidate.spec.name
                    self._host.send(UnloadModel(request_id=self._last_id, name=name))
                    threading.Thread(target=self._load, args=(candidate,), daemon=True).start()
                case HostFault(what=what, fix=fix):
                    self._refuse(candidate, BadPolicy(what, fix))
                case _:
                    self._refuse(candidate, BadPolicy(f"{candidate.file}: the host answered {reply.kind}."))
        for number, candidate in list(self._asked.items()):
            died = candidate.generation != self._host.generation
            if died or now > candidate.until_ns:
                del self._asked[number]
                why = "ended the host that tried it" if died else "was not answered for"
                self._refuse(candidate, BadPolicy(f"{candidate.file} {why}.", "Train it again."))

    def _measure(self, candidate: Candidate, took_ms: float, device: str) -> None:
        """A pixel policy decides some times more before it may drive: it must keep up with its rate."""
        candidate.times.append(took_ms)
        if len(candidate.times) < _TRIES:
            self._unsent.append(candidate)
            return
        assert candidate.pixels is not None
        p50, p95 = (float(np.percentile(candidate.times[1:], share)) for share in (50, 95))
        rate = MeasuredRate(p50_ms=p50, p95_ms=p95, hz=candidate.pixels.picture.hz, device=device)
        try:
            require_rate(f"{candidate.name} {candidate.version}", rate)
        except BadPolicy as error:
            self._refuse(candidate, error)
        else:
            threading.Thread(target=self._load, args=(candidate,), daemon=True).start()

    def _load(self, candidate: Candidate) -> None:
        """In a thread: read the file, make sure of its hash, load it."""
        made: GameSenseModule | PitwallError
        try:
            made = self._made(candidate)
        except PitwallError as error:
            made = error
        except Exception as error:
            _log.exception("a policy could not be loaded")
            made = BadPolicy(f"{candidate.file} cannot be loaded: {error}.", "Train it again.")
        self._done.put((candidate, made))

    def _made(self, candidate: Candidate) -> PolicyModule:
        about = candidate.about
        if about.learned is None:
            raise BadPolicy(f"{candidate.file}: its about.json names no learned space.", "Train it again.")
        runner: LinkedRunner | None = None
        if candidate.pixels is not None:
            check_hash(candidate.pixels, candidate.file)
            runner = LinkedRunner(self._host.another(), candidate.spec)

        def report_decision(decision: Decision) -> None:
            self.listener(candidate.name, candidate.version, decision)

        options: dict[str, Any] = {
            "screen": self._game.profile.screen,
            "fields": self._fields,
            "on_decision": report_decision,
        }
        declared = self._slots[candidate.name].folder.declared
        if runner is not None:
            return PixelModule(declared, about, runner, **options)
        policy = DeferredPolicy(read_policy(candidate.file, about.policy_sha256), about.learned)
        if (deferred := self._deferred) is not None:
            deferred[candidate.name] = policy
        else:
            policy.load()
        return learned_module(declared, about, policy, **options, explore=self._explore, seed=self._seed)

    # ---- who drives

    def _exchange(self, candidate: Candidate, made: GameSenseModule) -> None:
        slot = self._slots[candidate.name]
        if slot.wanted == candidate.version:
            slot.loading = False
            self._install(slot, candidate.version, candidate.about, made, "policy")

    def _install(
        self, slot: _ModuleSlot, version: str, about: VersionRecord, module: GameSenseModule, by: _DrivenBy
    ) -> None:
        slot.proxy.exchange(module)
        slot.version, slot.title, slot.driven_by, slot.fault = version, about.title, by, ""
        slot.detectors = about.detectors
        self._on_detectors(tuple(one for other in self._slots.values() for one in other.detectors))
        self._report()

    def _refuse(self, candidate: Candidate, error: PitwallError) -> None:
        slot = self._slots[candidate.name]
        if slot.wanted == candidate.version:
            slot.loading = False
            self._fail_slot(slot, error)

    def _fail_slot(self, slot: _ModuleSlot, error: PitwallError) -> None:
        slot.fault = error.what
        if slot.pinned:
            self.failure = self.failure or error
        else:
            drives = f"{slot.version} drives" if slot.version else "nothing drives it"
            self._on_fault(
                PitwallError(f"{slot.folder.name}: {error.what}", f"{error.fix} ({drives}.)".strip())
            )
        self._report()

    def _report(self) -> None:
        self._tell(
            ModulesNote(
                modules=tuple(
                    ModuleState(
                        name=name,
                        version=slot.version,
                        driven_by=slot.driven_by,
                        title=slot.title,
                        fault=slot.fault or slot.waits,
                        made=tuple(slot.folder.names()) if not slot.version else (),
                    )
                    for name, slot in self._slots.items()
                )
            )
        )


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino
