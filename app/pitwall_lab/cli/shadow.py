"""`pitwall shadow`: an agent beside a person who plays, or beside a demonstration; nothing is sent."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.play.headless import play
from pitwall.cli.reporter import Reporter
from pitwall.core import commands, telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import PitwallError
from pitwall.core.model_telemetry import Agreement, Disagreement
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import counted
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.gsm.granting import ControlGrant
from pitwall.gsm.versions import ModuleFolder
from pitwall.link.autoplay import AutoPlay, PlayResult
from pitwall.models.registry import check_chosen_models
from pitwall.store.folder_errors import write_file

if TYPE_CHECKING:
    from pitwall.engine.replaying.replay import NamedAgent

GrantOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Give it control from this share of agreement on, for the remaining minutes. Default: never.",
    ),
]
_SHOWN = 40
"""Most disagreements in the printed text; JSON lists all of them."""


def shadow(
    agent: Annotated[
        str,
        typer.Option(help="skills, model, model:NAME, explore, random, idle, MODULE or MODULE@VERSION."),
    ],
    game: Annotated[str, typer.Option("--game", help="Id of a game that you play, or its folder.")] = "",
    demo: Annotated[str, typer.Option("--demo", help="A recorded demonstration, in place of a game.")] = "",
    minutes: Annotated[float, typer.Option(min=0.05, help="End after this many minutes.")] = 5.0,
    grant_at: GrantOption = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder that takes a picture of each disagreement.")
    ] = None,
    seed: options.SeedOption = None,
    scenario: options.ScenarioOption = "",
    window: options.WindowOption = "",
    launch: options.LaunchOption = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Say how far an agent agrees with you while you play, and where not. The stop key ends it at once."""
    from pitwall.engine.replaying.replay import named_agent  # loads the engine

    folder, report = data_folder(data), Reporter(json)
    if bool(game) == bool(demo):
        raise PitwallError("name what is played: --game GAME, or --demo ID.", "See: pitwall teach list")
    if demo:
        _beside_demonstration(folder, demo, agent, report)
        return
    known = Registry(folder).load(game)
    named = named_agent(agent, known)
    if named.module and not named.version:
        ModuleFolder(folder, known, named.module).must_drive()  # raises if nothing would decide beside you
    settings = named.settings(load_settings(folder.settings))
    check_chosen_models(settings, folder)
    opening = commands.Open(
        game=game,
        window_id=options.window_id(window),
        launch=launch,
        settings=settings,
        seed=seed,
        scenario=scenario,
        modules={named.module: named.version} if named.version else {},
    )
    beside, result = play_beside(folder, opening, named, report, seconds=minutes * 60, grant_at=grant_at)
    if pictures is not None:
        for moment in filter(lambda moment: moment.picture, beside.moments.values()):
            name = f"{_seconds(moment.at_ns, beside.began_ns):08.2f}.jpg"
            write_file(pictures / name, base64.b64decode(moment.picture))
    report.result({"game": known.game_id, **beside.body(result)}, beside.lines())


def play_beside(
    data: DataFolder,
    opening: commands.Open,
    named: NamedAgent,
    report: Reporter,
    *,
    seconds: float,
    grant_at: float | None,
) -> tuple[ShadowPlay, PlayResult]:
    """Let a person play with an agent beside them, which may get control; report the agreement."""
    beside = ShadowPlay(data, named, seconds=seconds, grant_at=grant_at, report=report)
    report.line(f"You play; {named.text} decides beside you, and nothing is sent.")
    shown = partial(_print, report=report)
    return beside, play(data, opening, beside.start, on_record=shown, autoplay=beside)


class ShadowPlay(AutoPlay):
    """Plays a person's run with an agent beside them, and the agent's own run once it is given control.

    Args:
        seconds: of both runs together. grant_at: None: the agent never gets control.

    Attributes:
        agreement, moments: the newest ones; moments by the time they began.
        watched_run: the person's run, once the agent has control. began_ns: when that run began.
    """

    def __init__(
        self,
        data: DataFolder,
        named: NamedAgent,
        *,
        seconds: float,
        grant_at: float | None,
        report: Reporter,
    ) -> None:
        self.start = commands.Start(seconds=seconds, mode=commands.PlayMode.SHADOW)
        super().__init__(self.start)
        self.agreement = Agreement()
        self.moments: dict[int, Disagreement] = {}
        self.watched_run: int | None = None
        self.began_ns = self._last_ns = 0
        self._named, self._grant_at, self._report = named, grant_at, report
        self._grant = ControlGrant(data, lambda error: typer.echo(str(error), err=True))

    @property
    def refusal(self) -> str:
        """Return why the agent is not given control; empty if it may have it, or is never to have it."""
        return "" if self._grant_at is None else self._grant.refusal(self._grant_at)

    def body(self, result: PlayResult) -> dict[str, Any]:
        """Return what was played as JSON."""
        granted = {"run_id": result.run_id, "summary": result.summary} if self.watched_run else None
        return {
            "run_id": self.watched_run or result.run_id,
            "agent": self._named.text,
            **_comparison(self.agreement, list(self.moments.values()), self.began_ns),
            "granted": granted,
            "not_granted": "" if granted else self.refusal,
            "keys_down_at_end": result.keys_down,
        }

    def lines(self) -> Iterator[str]:
        """Return the agreement in lines."""
        return _lines(self._named.text, self.agreement, list(self.moments.values()), self.began_ns)

    def react(self, record: Any) -> list[Any]:
        starts = self._grant.take(record)
        match record:
            case telemetry.RunBegan() if self.watched_run is None:
                self.began_ns = record.at_ns
            case telemetry.ShadowNote() if self.watched_run is None:
                return self._compare(record)
            case telemetry.RunEnded() if starts:
                return [replace(start, seconds=self._play_on(record)) for start in starts]
        return super().react(record)

    def _compare(self, note: telemetry.ShadowNote) -> list[Any]:
        self.agreement, self._last_ns = note.agreement, note.at_ns
        self.moments.update((moment.at_ns, moment) for moment in note.moments)
        passed = (note.at_ns - self.began_ns) / NS_PER_S
        self._report.progress(
            passed, self.start.seconds or passed, note.agreement.text(), agreement=note.agreement
        )
        return [] if self._grant_at is None else self._grant.give_control(self._grant_at)

    def _play_on(self, ended: telemetry.RunEnded) -> float:
        """Let the agent play on in the same window; return the seconds that are left to it."""
        self.watched_run, self.result.run_id = ended.run_id, None
        compared = f"{self._named.text} {self.agreement.text()}"
        self._report.line(f"{compared} It plays now; press a key to take over.")
        return max(1.0, (self.start.seconds or 0.0) - (self._last_ns - self.began_ns) / NS_PER_S)


def _beside_demonstration(data: DataFolder, demo: str, agent: str, report: Reporter) -> None:
    from pitwall_lab.cloning.demonstrated import DemonstrationShadow  # loads the engine

    beside = DemonstrationShadow.named(data, demo, agent)
    for number, episode in enumerate(beside.episodes, 1):
        beside.follow(episode)
        report.progress(number, len(beside.episodes), f"episode {number}")
    report.end_progress()
    manifest, agreement = beside.reader.manifest, beside.comparison.agreement()
    moments = list(beside.comparison.moments)
    body = {
        "demonstration": manifest.id,
        "game": beside.game.game_id,
        "agent": agent,
        "version": beside.version,
        "episodes": len(beside.episodes),
        **_comparison(agreement, moments, manifest.began_ns),
    }
    report.result(body, _lines(f"{agent} {beside.version}", agreement, moments, manifest.began_ns))


def _comparison(agreement: Agreement, moments: list[Disagreement], began_ns: int) -> dict[str, Any]:
    return {
        "agreement": agreement,
        "sentence": agreement.text(),
        "moments": [
            {"at_s": _seconds(moment.at_ns, began_ns), "person": moment.person, "agent": moment.agent}
            | {"seconds": round((moment.until_ns - moment.at_ns) / NS_PER_S, 2)}
            for moment in moments
        ],
    }


def _lines(agent: str, agreement: Agreement, moments: list[Disagreement], began_ns: int) -> Iterator[str]:
    yield f"{agent} {agreement.text()}"
    for name, press in agreement.presses.items():
        both = f"both on {press.both:,}"
        yield f"  {name}: you on {press.person:,} decisions, {agent} on {press.agent:,}, {both}"
    for moment in moments[-_SHOWN:]:
        person, would = (", ".join(keys) or "nothing" for keys in (moment.person, moment.agent))
        yield f"  {_seconds(moment.at_ns, began_ns):8.2f} s  you: {person}  {agent}: {would}"
    if len(moments) > _SHOWN:
        yield f"  and {counted(len(moments) - _SHOWN, 'earlier disagreement')} (--json lists them)"


def _seconds(at_ns: int, began_ns: int) -> float:
    return round((at_ns - began_ns) / NS_PER_S, 2)


def _print(record: Any, report: Reporter) -> None:
    match record:
        case telemetry.StateChanged(text=text) if text:
            report.state(text)
        case telemetry.Fault(what=problem, fix=fix):
            typer.echo(f"{problem} {fix}", err=True)
