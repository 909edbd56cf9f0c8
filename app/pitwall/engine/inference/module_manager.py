"""Chooses the driving version of each game sense module: pinned, promoted, shipped, or the manifest's rules.

A policy is tried in the host before it is loaded here (`module_candidate`). Files are read and policies are
loaded in a separate thread, or as the first run begins; the loop exchanges a module between two frames, and
nothing waits.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ConditionError, PitwallError, reason_of
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import ModulesNote, ModuleState
from pitwall.engine.inference.host_link import HostConnection
from pitwall.engine.inference.module_candidate import Candidate, PolicyTrials
from pitwall.engine.inference.module_proxy import ModuleProxy
from pitwall.games.schema.detectors import Detector
from pitwall.games.schema.profile import Game
from pitwall.gsm.cloned_module import learned_module
from pitwall.gsm.contract import GameSenseModule
from pitwall.gsm.inference import BadPolicy, DeferredPolicy, read_policy
from pitwall.gsm.pixels.module import PixelModule
from pitwall.gsm.pixels.probe import check_hash
from pitwall.gsm.pixels.runner import LinkedRunner
from pitwall.gsm.policy_module import Decision, PolicyModule
from pitwall.gsm.rule_module import RuleModule
from pitwall.gsm.version_record import ABOUT, POLICY, VersionRecord
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall.store.components import absence, component

_log = logging.getLogger(__name__)

RUNS_POLICIES = "reflexes"
"""The component that runs policies."""
_LOOK_EVERY_NS = NS_PER_S // 2

_DrivenBy = Literal["policy", "rules", "nothing"]


@dataclass(slots=True)
class _ModuleSlot:
    """The version that drives one module, and the version that is being loaded.

    Attributes:
        policy: hash of the policy that was fetched last; a version that learns while it drives changes it.
        waits: why its policy must wait until the component that runs policies is installed.
    """

    folder: ModuleFolder
    proxy: ModuleProxy
    pinned: str = ""
    version: str = ""
    wanted: str = ""
    policy: str = ""
    title: str = ""
    driven_by: _DrivenBy = "nothing"
    fault: str = ""
    detectors: tuple[Detector, ...] = ()
    stamp: tuple[int, int] | None = None
    loading: bool = False
    settled: bool = False
    waits: str = ""


def _ignore_decision(_: str, __: str, ___: Decision) -> None:
    """Ignore a decision: no run is on."""


class ModuleManager:
    """The modules of one game in play.

    Args:
        pins: module → version that drives, whatever is promoted.
        explore: share of a policy's decisions that are taken by chance; of a version that learns while it
            drives, the largest share. seed: of that chance.
        tell: sends telemetry. on_fault: called with a version's error.
        on_detectors: called with the changed detectors of the versions in force.

    Attributes:
        modules: name → the proxy that controllers use.
        failure: why a pinned version cannot drive; then the game must not be played.
        listener: called with every decision of a policy: module, version, decision.

    Raises:
        UnknownModule: a pin names an unknown module or version.
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
        self._fields = frozenset(field.name for field in game.profile.fields)
        self._explore, self._seed = explore, seed
        self._slots: dict[str, _ModuleSlot] = {}
        self.modules: dict[str, ModuleProxy] = {}
        self._add_slots(game)
        self.failure: PitwallError | None = None
        for name, version in pins.items():
            self._pin(name, version)
        self.listener: Callable[[str, str, Decision], None] = _ignore_decision
        self._trials = PolicyTrials(host, passed=self._load_in_thread, refused=self._refuse)
        self._done: queue.SimpleQueue[tuple[Candidate, GameSenseModule | PitwallError]] = queue.SimpleQueue()
        self._deferred: dict[str, DeferredPolicy] | None = {}
        """Module → the policy to load when the first run begins; None from then on."""
        self._look_at_ns = 0
        for slot in self._slots.values():  # rules need no loading: they play until a policy is there
            if slot.folder.declared.rules:
                self._install_rules(slot, RULES, slot.folder.about(RULES))
        self.follow(now_ns())

    @property
    def ready(self) -> bool:
        """Return whether every module has its version, or is known to have none."""
        return all(slot.settled and not slot.loading for slot in self._slots.values())

    @property
    def versions(self) -> dict[str, str]:
        """Return the version that drives each module, with the beginning of its content hash."""
        return {
            name: f"{slot.version} {slot.proxy.provenance.version}".strip()
            for name, slot in self._slots.items()
        }

    def join(self, game: Game) -> None:
        """Add the modules that the game got since, learned by watching."""
        self._add_slots(game)
        self._look_at_ns = 0
        self.follow(now_ns())

    def choose(self, name: str, version: str, *, explore: float = 0.0) -> None:
        """Let a version drive from now on, whatever is promoted; empty: follow the promotions again.

        Args:
            explore: as of the class, from now on.

        Raises:
            UnknownModule: there is no such module or version.
        """
        self._pin(name, version)
        self._explore = explore
        slot = self._slots[name]
        slot.settled, slot.wanted, slot.waits, self.failure = False, "", "", None
        self._look_at_ns = 0
        self.follow(now_ns())

    def load_policies(self) -> None:
        """Load the deferred policies, as a run begins.

        Raises:
            BadPolicy: a policy cannot be loaded, though the host could load it.
        """
        deferred, self._deferred = self._deferred or {}, None
        for policy in deferred.values():
            policy.load()

    def stop_listening(self) -> None:
        """Stop reporting decisions: no run is on."""
        self.listener = _ignore_decision

    def follow(self, now: int) -> None:
        """Follow promotions, the host's answers, and loaded policies. Never waits."""
        if now >= self._look_at_ns:
            self._look_at_ns = now + _LOOK_EVERY_NS
            for slot in self._slots.values():
                self._follow_promotion(slot)
        self._trials.follow(now)
        for slot in self._slots.values():
            self._drop_broken(slot)
        while not self._done.empty():
            candidate, made = self._done.get()
            slot = self._slots[candidate.name]
            if isinstance(made, PitwallError):
                self._refuse(candidate, made)
            elif slot.wanted == candidate.version:
                slot.loading = False
                self._install(slot, candidate.version, candidate.about, made, "policy")

    # ---- choosing

    def _add_slots(self, game: Game) -> None:
        self._game = game
        for module in game.profile.modules:
            if module.name not in self._slots:
                slot = _ModuleSlot(ModuleFolder(self._data, game, module.name), ModuleProxy(module))
                self._slots[module.name], self.modules[module.name] = slot, slot.proxy

    def _pin(self, name: str, version: str) -> None:
        folder = ModuleFolder(self._data, self._game, name)  # raises if there is no such module
        if version:
            folder.about(version)
        self._slots[name].pinned = version

    def _follow_promotion(self, slot: _ModuleSlot) -> None:
        stamp = None
        pinned = slot.folder.folder(slot.pinned) / ABOUT
        with contextlib.suppress(OSError):
            status = (pinned if slot.pinned else slot.folder.root / "promoted.json").stat()
            stamp = status.st_mtime_ns, status.st_ino
        if slot.waits and component(RUNS_POLICIES).present:
            slot.waits, slot.settled, slot.wanted = "", False, ""
        if slot.settled and (stamp == slot.stamp or (slot.pinned and slot.loading)):
            return
        slot.stamp, slot.settled = stamp, True
        try:
            wanted = slot.pinned or slot.folder.driving()
            if wanted and (wanted != slot.wanted or self._is_newer(slot)):
                slot.wanted = wanted
                self._fetch(slot, wanted)
        except PitwallError as error:
            self._fail_slot(slot, error)

    def _is_newer(self, slot: _ModuleSlot) -> bool:
        """Return whether a pinned version got another policy since it was fetched."""
        return bool(slot.pinned) and slot.folder.about(slot.pinned).policy_sha256 != slot.policy

    def _drop_broken(self, slot: _ModuleSlot) -> None:
        """Replace a module that can play no more by the rules, if there are some."""
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
        slot.loading, slot.policy = True, about.policy_sha256
        self._trials.add(Candidate(slot.proxy.name, version, about, file))

    def _wait_for_library(self, slot: _ModuleSlot) -> None:
        """Let the rules drive until policies can be run here; for a pinned policy that is an error."""
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

    # ---- loading

    def _load_in_thread(self, candidate: Candidate) -> None:
        threading.Thread(target=self._load, args=(candidate,), daemon=True).start()

    def _load(self, candidate: Candidate) -> None:
        """Read the file, check its hash and load it; runs in a thread."""
        made: GameSenseModule | PitwallError
        try:
            made = self._made(candidate)
        except PitwallError as error:
            made = error
        except Exception as error:
            _log.exception("a policy could not be loaded")
            made = BadPolicy(f"{candidate.file} cannot be loaded: {reason_of(error)}.", "Train it again.")
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
        explore = self._explore if about.explore is None else min(self._explore, about.explore)
        return learned_module(declared, about, policy, **options, explore=explore, seed=self._seed)

    # ---- installing

    def _install(
        self, slot: _ModuleSlot, version: str, about: VersionRecord, module: GameSenseModule, by: _DrivenBy
    ) -> None:
        slot.proxy.exchange(module)
        slot.version, slot.title, slot.driven_by, slot.fault = version, about.title, by, ""
        slot.detectors = about.detectors
        self._on_detectors(tuple(detector for other in self._slots.values() for detector in other.detectors))
        self._report()

    def _refuse(self, candidate: Candidate, error: PitwallError) -> None:
        slot = self._slots[candidate.name]
        if slot.wanted != candidate.version:
            return
        slot.loading = False
        if slot.version == candidate.version:  # its newer policy is unfit or half written: the last drives on
            _log.warning("a newer policy is not taken over: %s", error)
            slot.policy, slot.stamp = "", None
        else:
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
