"""`pitwall watch`: what is played now, printed or served as a page for the phone."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import secrets
import ssl
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.link.watch_point import CAN_WATCH, Ask, look
from pitwall_night.watch.guard import Guard
from pitwall_night.watch.page import routes
from pitwall_night.watch.server import Server
from pitwall_night.watch.sight import Sight

TOKEN_VARIABLE = "PITWALL_WATCH_TOKEN"
_LEAST_TOKEN = 16
_PORT = 8790


def watch(
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve a page for a browser; Ctrl+C ends it.")
    ] = False,
    address: Annotated[
        str, typer.Option(help="Listen here; any but 127.0.0.1 needs a token and a certificate of yours.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0: any free port.")] = _PORT,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="A name by which browsers call this machine. Repeatable."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", help=f"File with the token; or put it into ${TOKEN_VARIABLE}."),
    ] = None,
    certificate: Annotated[Path | None, typer.Option("--certificate", help="TLS certificate (PEM).")] = None,
    key: Annotated[Path | None, typer.Option("--key", help="The certificate's private key (PEM).")] = None,
    allow_stop: Annotated[
        bool, typer.Option("--allow-stop", help="Let the page pause the play and pull the emergency stop.")
    ] = False,
    pause: Annotated[bool, typer.Option("--pause", help="Pause the present play.")] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="Pull the emergency stop of the present play.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is played now, or serve it as a page for the phone."""
    folder, report = data_folder(data), Reporter(json)
    if not CAN_WATCH:
        raise PitwallError("A play cannot be watched on Windows.", "Look at the console.")
    if not serve:
        if pause or stop:
            look(folder, Ask(do="stop" if stop else "pause"))
        state = Sight(folder).state()
        report.result(state, _lines(state))
        return
    local = _is_loopback(address)
    given = _given_token(token_file)
    if not local and (not given or certificate is None):
        raise PitwallError(
            f"On {address} others can reach the page: it needs a token and a certificate.",
            f"Give --token-file (or ${TOKEN_VARIABLE}), --certificate and --key.",
        )
    tls = _tls(certificate, key)
    token = given or secrets.token_urlsafe(24)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(
            _serve(folder, report, address, port, name or [], token, tls, allow_stop, shown=not given)
        )


async def _serve(
    data: DataFolder,
    report: Reporter,
    address: str,
    port: int,
    names: list[str],
    token: str,
    tls: ssl.SSLContext | None,
    allow_stop: bool,
    *,
    shown: bool,
) -> None:
    """Serve until the command is ended.

    Args:
        shown: print the token with the page's address: it was made here.
    """
    scheme = "https" if tls else "http"
    sight = Sight(data)
    language = load_settings(data.settings).console.language

    def log(line: str) -> None:
        report.event({"note": line}, line)

    paths = routes(data, sight, language=language, allow_stop=allow_stop, done=log)
    server = Server(paths, Guard(token, frozenset(), scheme), log)
    try:
        listening = await server.listen(address, port, tls)
    except OSError as error:
        why = error.strerror or str(error)
        raise PitwallError(
            f"{address} port {port} cannot be listened on: {why}.", "Give another --port."
        ) from None
    bound = listening.sockets[0].getsockname()[1]
    called = _hosts(address, names, bound, default_port=443 if tls else 80)
    server.guard = Guard(token, frozenset(called), scheme)
    page = f"{scheme}://{called[0]}/" + (f"#{token}" if shown else "")
    hint = "" if shown else " (add # and your token)"
    report.event({"address": page, "allow_stop": allow_stop}, f"Open {page}{hint}")
    try:
        async with listening:
            await listening.serve_forever()
    finally:
        sight.close()


def _hosts(address: str, names: list[str], port: int, *, default_port: int) -> list[str]:
    """Return the values of the Host header that name the server, the one to print first."""
    own = f"[{address}]" if ":" in address else address
    local = ["127.0.0.1", "localhost", "[::1]"] if _is_loopback(address) else []
    known = dict.fromkeys([*names, own, *local])
    if port == default_port:
        return [name.lower() for name in known]
    return [f"{name.lower()}:{port}" for name in known]


def _is_loopback(address: str) -> bool:
    """Return whether only this machine can reach an address.

    Raises:
        PitwallError: it is no address.
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        raise PitwallError(
            f"--address: {address!r} is no IP address.", "Like 127.0.0.1, 192.168.1.5."
        ) from None


def _given_token(file: Path | None) -> str:
    """Return the token that the user gives; empty: none.

    Raises:
        PitwallError: it is too short, or its file cannot be read.
    """
    try:
        token = (file.read_text(encoding="ascii") if file else os.environ.get(TOKEN_VARIABLE, "")).strip()
    except (OSError, ValueError) as error:
        raise PitwallError(f"--token-file: {file} cannot be read ({type(error).__name__}).") from None
    if (token or file) and (len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable()):
        raise PitwallError(
            f"The token needs at least {_LEAST_TOKEN} printable ASCII characters.",
            "Make one: openssl rand -hex 24 > token",
        )
    return token


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Load the certificate; None: there is none.

    Raises:
        PitwallError: it cannot be used.
    """
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ssl.SSLError, ValueError) as error:
        why = (
            error.reason if isinstance(error, ssl.SSLError) else getattr(error, "strerror", "") or str(error)
        )
        raise PitwallError(
            f"--certificate: {certificate} cannot be used: {why}.",
            "Give a PEM certificate with --certificate and its key, without a passphrase, with --key.",
        ) from None
    return context


def _lines(state: dict[str, Any]) -> list[str]:
    """Format the state for a terminal."""
    game = f"{state['game']}: " if state.get("game") else ""
    lines = [f"{state['sign']} {game}{state['state']}", "  " + " · ".join(state.get("figures", ()))]
    lines += [f"  {state[key]}" for key in ("text", "fault") if state.get(key)]
    for step in state.get("decisions", []):
        lines.append(f"  {step['at']}  {step['route']}  {step['action']}  {step['why']}")
    night = state["night"]
    if night is not None:
        lines += [f"{night['title']}: {night['sums']}"]
        lines += [f"  {event['at']}  {event['kind']}  {event['text']}" for event in night["events"]]
    return [line for line in lines if line.strip()]
