"""Starts a Chromium for one game: fresh profile, no network, no dialogs, ended when this process ends."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from pitwall.core.errors import LaunchFailed

_END_S = 2.0
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP = 1, 24
_CAP_SYS_NICE = 23
_GRAPHICS = Path("/dev/dri")
_THEIRS = (3, 4)
"""Descriptors that `--remote-debugging-pipe` reads from and writes to."""
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--test-type",  # suppresses the bar about unusual options
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-search-engine-choice-screen",
    "--disable-session-crashed-bubble",
    "--disable-infobars",
    "--disable-notifications",
    "--disable-print-preview",
    "--deny-permission-prompts",
    "--hide-crash-restore-bubble",
    "--metrics-recording-only",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--mute-audio",
    "--allow-file-access-from-files",  # a page's own modules and data are files too; there is no network
    "--autoplay-policy=no-user-gesture-required",
)
_STEADY = (
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-hang-monitor",
    "--force-device-scale-factor=1",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--disable-pinch",
    "--overscroll-history-navigation=0",
    "--renderer-process-limit=1",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,"
    "CalculateNativeWinOcclusion,HttpsUpgrades,GlobalMediaControls,DialMediaRouteProvider,"
    "SpareRendererForSitePerProcess,BackForwardCache",
)
_PREFERENCES = {
    "browser": {"custom_chrome_frame": False, "check_default_browser": False, "has_seen_welcome_page": True},
    "translate": {"enabled": False},
    "credentials_enable_service": False,
    "profile": {
        "password_manager_enabled": False,
        "exit_type": "Normal",
        "default_content_setting_values": {"notifications": 2, "geolocation": 2, "popups": 2},
    },
    "download": {"prompt_for_download": False},
    "download_restrictions": 3,
    "search": {"suggest_enabled": False},
    "safebrowsing": {"enabled": False},
}


class Chromium:
    """A running browser.

    Args:
        process: its first process, which leads a session of its own.

    Attributes:
        read_fd, write_fd: this process's ends of its debugging pipes.
    """

    def __init__(self, process: subprocess.Popen[bytes], read_fd: int, write_fd: int) -> None:
        self._process = process
        self.read_fd = read_fd
        self.write_fd = write_fd

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> int:
        """Wait for its end, or kill it; return its exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        end_group(self._process.pid)
        return self._process.wait()


def end_group(pid: int) -> None:
    """Kill everything left of the session that a process leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def start_chromium(
    program: str, profile: Path, temporary: Path, pages: tuple[Path, str], size: tuple[int, int]
) -> Chromium:
    """Start Chromium with a window of one page.

    Args:
        profile, temporary: existing folders for it alone.
        pages: the first page, a file; and the game's page, whose host is the only one that is resolved.
        size: width × height of the page in pixels, as far as the window manager allows.

    Raises:
        LaunchFailed: it cannot be started.
    """
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(json.dumps(_PREFERENCES), encoding="utf-8")
    with _reserved(_THEIRS):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
    try:
        process = subprocess.Popen(
            [program, *_options(profile, pages, size)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(profile, temporary),
            pass_fds=_THEIRS,
            preexec_fn=_tied(to_read, from_write),
            start_new_session=True,
        )
    except OSError as error:
        raise LaunchFailed(f"{program} cannot be started: {error.strerror}.") from None
    finally:
        os.close(to_read)
        os.close(from_write)
    return Chromium(process, from_read, to_write)


def _options(profile: Path, pages: tuple[Path, str], size: tuple[int, int]) -> list[str]:
    first, url = pages
    host = urlsplit(url).hostname if url.startswith(("http://", "https://")) else None
    rules = "MAP * ~NOTFOUND" + (f" , EXCLUDE {host}" if host else "")
    options = [*_QUIET, *_STEADY, f"--user-data-dir={profile}", f"--host-resolver-rules={rules}"]
    options += [f"--app={first.as_uri()}", f"--window-size={size[0]},{size[1]}", "--window-position=0,0"]
    if sys.platform != "win32" and os.geteuid() == 0:
        options.append("--no-sandbox")  # Chromium refuses to run as root with a sandbox
    if sys.platform == "linux" and not any(_GRAPHICS.glob("render*")):
        options += [
            "--disable-gpu",
            "--enable-unsafe-swiftshader",
        ]  # software drawing without the GPU process
    return [*options, "--remote-debugging-pipe"]


def _environment(profile: Path, temporary: Path) -> dict[str, str]:
    """Return its environment variables, so that all its files go into the profile."""
    places = {
        f"XDG_{kind}_HOME": str(profile / kind.lower()) for kind in ("CONFIG", "CACHE", "DATA", "STATE")
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PITWALL_")}
    own = {"HOME": str(profile), "TMPDIR": str(temporary), "LANG": "C.UTF-8", "LANGUAGE": "en"}
    return {**kept, **places, **own}


def _tied(to_read: int, from_write: int) -> Callable[[], None]:
    """Return a function that prepares the Chromium process just before the browser starts in it.

    The function moves the pipes to the file numbers where Chromium expects them and makes Chromium die with
    this process. It also gives up the right to raise its priority, as Chromium does when run as root: it
    would outrun the agent.
    """
    libc, owner = ctypes.CDLL(None), os.getpid()

    def tie() -> None:
        os.dup2(to_read, _THEIRS[0])
        os.dup2(from_write, _THEIRS[1])
        libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
        libc.prctl(_PR_CAPBSET_DROP, _CAP_SYS_NICE)
        if os.getppid() != owner:
            os._exit(1)

    return tie


@contextlib.contextmanager
def _reserved(numbers: tuple[int, ...]) -> Iterator[None]:
    """Keep these descriptors from being used by anything that is opened in the block."""
    held: list[int] = []
    while not held or held[-1] <= max(numbers):
        held.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        for number in held:
            os.close(number)
