"""`pitwall night`: play left alone, listed, gone on with, and its digest."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.options import INTERRUPTED, DataOption, GameOption, JsonOption, command_group, data_folder
from pitwall.cli.play import agent_options as options
from pitwall.cli.reporter import Reporter
from pitwall.cli.stop_request import raising_on_stop
from pitwall.cli.virtual_screen import screen_or_virtual
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.games.registry import Registry
from pitwall.store.clip import write_clip
from pitwall.store.lease import FileLock
from pitwall_night.digest import figures, summary_lines, write_digest
from pitwall_night.messages import Message, Messenger, Receivers, Send
from pitwall_night.play_run import play_run
from pitwall_night.record import NightEvent, NightFolder, NightOrder, night_of, nights
from pitwall_night.session import NightSession

_EVIDENCE_S = 10.0
_WEBHOOK_VARIABLE = "PITWALL_WEBHOOK"
_BAD_ENDS = ("needs-you", "stopped")

NightArgument = Annotated[int | None, typer.Argument(help="Number of a night; default: the newest.")]
NotifyOption = Annotated[bool, typer.Option("--notify", help="Show a desktop notification of each event.")]
CommandOption = Annotated[
    str, typer.Option("--command", help="Run this program at each event; it reads the event as JSON.")
]
WebhookOption = Annotated[
    str,
    typer.Option(
        "--webhook",
        envvar=_WEBHOOK_VARIABLE,
        help="Send each event by POST to this address (better: in $PITWALL_WEBHOOK). It is not kept.",
    ),
]


def list_nights(data: DataOption = None, json: JsonOption = False) -> None:
    """List the nights."""
    sums = [figures(night) for night in nights(data_folder(data))]
    lines = [line for night in sums for line in summary_lines(night)]
    Reporter(json).result({"nights": sums}, lines or ["No night yet: pitwall night play --game flappy"])


def play(
    game: GameOption,
    until: Annotated[str, typer.Option(help="End at this time of day, like 07:30.")] = "",
    hours: Annotated[float | None, typer.Option(min=0.001, max=240, help="End after so many hours.")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="End after so many runs.")] = None,
    score: Annotated[float | None, typer.Option(help="End once a run reached this score.")] = None,
    run_minutes: Annotated[float, typer.Option(min=0.05, max=1440, help="Length of a run.")] = 10.0,
    failures: Annotated[int, typer.Option(min=1, help="Stop after so many broken runs in a row.")] = 5,
    backoff: Annotated[
        float, typer.Option(min=0, max=300, help="Seconds before the first restart; doubles each time.")
    ] = 2.0,
    again_when_closed: Annotated[
        bool,
        typer.Option("--again-when-closed", help="Start a game again that was closed without an error, too."),
    ] = False,
    planner: options.PlannerOption = "",
    model: options.ModelOption = "",
    module: options.ModuleOption = None,
    setting: options.SettingOption = None,
    notify: NotifyOption = False,
    command: CommandOption = "",
    webhook: WebhookOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a game until a time, a score or a number of runs; a crashed game is started again."""
    if not until and hours is None and runs is None and score is None:
        raise PitwallError("a night needs an end.", "Give --until, --hours, --runs or --score.")
    folder = data_folder(data)
    if Registry(folder).load(game).profile.launch is None:
        raise PitwallError(f"{game} has no start command, so it cannot be started again.", "Add one to it.")
    order = NightOrder(
        game=game,
        until_s=_end_s(until, hours),
        runs=runs,
        score=score,
        run_minutes=run_minutes,
        failures=failures,
        backoff_s=backoff,
        again_when_closed=again_when_closed,
        planner=planner,
        model=model,
        module=tuple(module or ()),
        setting=tuple(setting or ()),
    )
    senders = _senders(notify, command, webhook)
    opening = _opening(folder, order)  # whatever is refused is refused before a night begins
    _play(folder, NightFolder.create(folder, order), opening, senders, Reporter(json))


def resume(
    night: NightArgument = None,
    notify: NotifyOption = False,
    command: CommandOption = "",
    webhook: WebhookOption = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Go on with a night that was stopped; its runs and its best score count on."""
    folder = data_folder(data)
    senders = _senders(notify, command, webhook)
    stopped = night_of(folder, night)
    _play(folder, stopped, _opening(folder, stopped.order()), senders, Reporter(json))


def digest(night: NightArgument = None, data: DataOption = None, json: JsonOption = False) -> None:
    """Write a night's digest as a page, and print its sums."""
    folder = night_of(data_folder(data), night)
    sums = figures(folder)
    file = write_digest(folder)
    events = [event.model_dump() for event in folder.events()]
    Reporter(json).result({**sums, "file": file, "events": events}, [*summary_lines(sums), f"  {file}"])


def _senders(notify: bool, command: str, webhook: str) -> Mapping[str, Send]:
    """Return the senders; games and models' processes are not given the webhook's address."""
    os.environ.pop(_WEBHOOK_VARIABLE, None)
    return Receivers(notify=notify, command=command, webhook=webhook).senders()


def _play(
    folder: DataFolder,
    night: NightFolder,
    opening: commands.Open,
    senders: Mapping[str, Send],
    report: Reporter,
) -> None:
    def clip(run_id: int, out: Path) -> None:
        write_clip(folder, run_id, -_EVIDENCE_S, 1e9, out, force=True)

    def tell(event: NightEvent) -> None:
        shared = event.model_dump(include={"at_s", "text", "run_id", "score"})
        messenger.send(Message(night=night.number, game=opening.game, event=event.kind, **shared))
        report.event(
            event.model_dump(), f"{time.strftime('%H:%M:%S', time.localtime(event.at_s))}  {event.text}"
        )

    with FileLock(night.root / "night.lock", role="pitwall night", subject=f"night {night.number}"):
        messenger = Messenger(senders, lambda words: report.event({"note": words}, words))
        try:
            with screen_or_virtual(), raising_on_stop(KeyboardInterrupt):
                NightSession(night, lambda seconds: play_run(folder, opening, seconds), clip, tell).run()
        finally:
            messenger.close()
            file = write_digest(night)
    sums = figures(night)
    report.result({**sums, "file": file}, [*summary_lines(sums), f"  {file}"])
    if sums["state"] in _BAD_ENDS:
        raise typer.Exit(INTERRUPTED if sums["state"] == "stopped" else 1)


def _opening(folder: DataFolder, order: NightOrder) -> commands.Open:
    """Return how the game is opened for each run."""
    settings = options.thinking_settings(
        load_settings(folder.settings),
        folder,
        control={"planner": order.planner},
        model=order.model,
        setting=list(order.setting),
    )
    modules = options.pinned_modules(list(order.module))
    return commands.Open(game=order.game, settings=settings, modules=modules)


def _end_s(until: str, hours: float | None) -> float | None:
    """Return the earlier of both ends in seconds since 1970."""
    ends = []
    if hours is not None:
        ends.append(time.time() + 3_600 * hours)
    if until:
        try:
            at = datetime.strptime(until, "%H:%M")
        except ValueError:
            raise PitwallError(f"--until: {until!r} is no time of day.", "Write it like 07:30.") from None
        now = datetime.now()
        moment = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
        ends.append((moment if moment > now else moment + timedelta(days=1)).timestamp())
    return min(ends, default=None)


app = command_group(
    "Play left alone until a time, a score or a number of runs.", list_nights, play, resume, digest
)
