"""`night`: a night of a small game that crashes, freezes, vanishes or begins anew in mid-play, accelerated.

Each run ends as drawn from a seed, while a key is down. Counted are keys left down, steps that were reported
and are not in the run log, and endings that no message or no row of the digest tells. What is done is kept in
the data folder's `benches/night` (quick: `night-quick`), so an interrupted benchmark continues.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import typer

from pitwall.cli.play import agent_options
from pitwall.core import commands
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall.core.settings import load_settings, save_settings
from pitwall.store.clip import write_clip
from pitwall.store.run_reader import RunReader
from pitwall_night.digest import write_digest
from pitwall_night.messages import Message, Messenger, Receivers
from pitwall_night.play_run import play_run
from pitwall_night.record import NightEvent, NightFolder, NightOrder, nights
from pitwall_night.session import NightSession, PlayedRun
from workshop.benchmarks.report import check, figure, report
from workshop.benchmarks.results_book import ResultsBook
from workshop.fixtures.bad_endings.adding import GAME, add_ending_game
from workshop.fixtures.simulated_person import SimulatedPerson

_SHARES = {"exit": 30, "signal": 25, "close": 12, "window": 6, "dialog": 7, "freeze": 5, "respawn": 15}
"""Ending → how often it is drawn."""
_LONGEST_S, _RESPAWN_S, _EVIDENCE_S = 60.0, 14.0, 10.0
_RELEASED_S = 2.0
_BUSY = ("broker.heartbeat_ms=5000", "broker.observation_age_ms=5000", "memory.embedder=hashing-384")


def run(*, quick: bool, runs: int | None = None, minutes: float = 0.0) -> dict[str, Any]:
    """Play the runs that are missing, and report over all.

    Args:
        runs: of the night; None: 200, quick one of each ending.
        minutes: begin no run after this time; 0: play all.
    """
    root = default_data_dir() / "benches" / ("night-quick" if quick else "night")
    data = DataFolder(root / "data")
    wanted = runs or (len(_SHARES) if quick else 200)
    night = _night(data, root, wanted)
    book = ResultsBook(root / "runs.json")
    before = os.getloadavg()[0]
    until_s = time.monotonic() + 60 * minutes if minutes else float("inf")
    with _receiver(root / "messages.jsonl") as address:
        _play(data, night, book, root / "how", address, wanted, until_s, quick=quick)
    digest = Path(write_digest(night)).read_text(encoding="utf-8")
    checks = list(_checks(night, book, root / "messages.jsonl", digest, wanted))
    load = [round(before, 1), round(os.getloadavg()[0], 1)]
    facts = {"runs": len(book.facts), "endings": Counter(fact["how"] for fact in book.facts.values())}
    return report("night", checks, **facts, digest=str(night.root / "digest.html"), load=load)


def _night(data: DataFolder, root: Path, wanted: int) -> NightFolder:
    """Return the night that is played on, or begin it; a night of another length is begun anew."""
    known = nights(data)
    if known and known[-1].order().runs == wanted:
        return known[-1]
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    settings = agent_options.thinking_settings(load_settings(data.settings), data, setting=list(_BUSY))
    data.root.mkdir()
    save_settings(data.settings, settings)
    add_ending_game(data, root / "how")
    order = NightOrder(
        game=GAME, runs=wanted, failures=10**6, backoff_s=0, again_when_closed=True, planner="random"
    )
    return NightFolder.create(data, order)


def _endings(wanted: int, *, quick: bool) -> list[str]:
    """Return how each run ends, and how many seconds after its first key."""
    chance = random.Random(49)
    kinds = list(_SHARES) if quick else chance.choices(list(_SHARES), list(_SHARES.values()), k=wanted)
    return [f"{kind} {chance.uniform(0.2, 3):.2f}" for _, kind in zip(range(wanted), kinds, strict=False)]


def _play(
    data: DataFolder,
    night: NightFolder,
    book: ResultsBook,
    how: Path,
    address: str,
    wanted: int,
    until_s: float,
    *,
    quick: bool,
) -> None:
    """Play the night, or on; each run's facts go into the book."""
    endings, hands = _endings(wanted, quick=quick), SimulatedPerson()
    order = night.order()
    settings = agent_options.thinking_settings(
        load_settings(data.settings), data, control={"planner": order.planner}
    )
    opening = commands.Open(game=order.game, settings=settings)
    done = sum(event.kind in ("played", "crashed") for event in night.events())
    messenger = Messenger(Receivers(webhook=address).senders(), lambda words: typer.echo(words, err=True))

    def play(_seconds: float) -> PlayedRun:
        nonlocal done
        if time.monotonic() >= until_s:
            raise KeyboardInterrupt  # as a person stops it; the same command goes on
        ending = endings[done]
        how.write_text(ending, encoding="utf-8")
        kind = ending.split()[0]
        began_s = time.monotonic()
        run = play_run(data, opening, _RESPAWN_S if kind == "respawn" else _LONGEST_S)
        facts = {"how": kind, **asdict(run), "took_s": round(time.monotonic() - began_s, 1)}
        facts |= {"left_down": _left_down(hands), "lost": _lost(data, run)}
        done += 1
        book.keep(str(done), facts)
        ended = run.broke or "played to its end"
        typer.echo(f"{done}/{wanted} {ending}: {facts['took_s']} s, {ended[:90]}", err=True)
        return run

    def clip(run_id: int, out: Path) -> None:
        write_clip(data, run_id, -_EVIDENCE_S, 1e9, out, force=True)

    def tell(event: NightEvent) -> None:
        shared = event.model_dump(include={"at_s", "text", "run_id", "score"})
        messenger.send(Message(night=night.number, game=order.game, event=event.kind, **shared))

    try:
        if done < wanted:
            NightSession(night, play, clip, tell).run()
    finally:
        messenger.close()
        hands.close()


def _left_down(hands: SimulatedPerson) -> int:
    """Return the keys and buttons that are still down on the screen's own devices a moment after a run."""
    until_s = time.monotonic() + _RELEASED_S
    while (down := len(hands.keys_down()) + hands.buttons_down()) and time.monotonic() < until_s:
        time.sleep(0.05)
    return down


def _lost(data: DataFolder, run: PlayedRun) -> int:
    """Return how many reported steps of a run are not in its log."""
    if run.run_id is None:
        return 0
    with contextlib.closing(RunReader.open(data)) as reader:
        kept = {step.step for step in reader.steps(run.run_id)}
    return len(set(range(1, run.steps + 1)) - kept)


@contextlib.contextmanager
def _receiver(file: Path) -> Iterator[str]:
    """Yield the address of a webhook that keeps each message as a line."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with file.open("ab") as stream:
                stream.write(body + b"\n")
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="receiver")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _checks(
    night: NightFolder, book: ResultsBook, messages: Path, digest: str, wanted: int
) -> Iterator[dict[str, Any]]:
    facts = list(book.facts.values())
    crashes = sum(fact["how"] != "respawn" for fact in facts)
    restarts = crashes + sum(fact["how"] == "respawn" for fact in facts)
    last = book.facts.get(str(wanted))
    restarts -= bool(last and last["how"] != "respawn")  # after the last run nothing is started again
    events = Counter(str(event.kind) for event in night.events())
    lines = messages.read_text(encoding="utf-8").splitlines() if messages.is_file() else []
    sent = Counter(json.loads(line)["event"] for line in lines)
    happened = digest.partition("<h2>What happened</h2>")[2]
    rows = {kind: happened.count(f"</td><td>{kind}</td>") for kind in ("crashed", "restarted")}
    yield _none("keys left down", "keys", sum(fact["left_down"] + (fact["keys_down"] or 0) for fact in facts))
    yield _none("steps lost", "steps", sum(fact["lost"] for fact in facts))
    for kind, all_of_them in (("crashed", crashes), ("restarted", restarts)):
        yield _none(f"{kind}, no event", "runs", abs(all_of_them - events[kind]))
        yield _none(f"{kind}, no message", "runs", abs(all_of_them - sent[kind]))
        yield _none(f"{kind}, not in the digest", "runs", abs(all_of_them - rows[kind]))
    played = figure(len(facts))
    yield check("runs", "runs", played, aim=f"{wanted}", met=len(facts) >= wanted)


def _none(name: str, unit: str, count: int) -> dict[str, Any]:
    return check(name, unit, figure(count), aim="0", met=count == 0)
