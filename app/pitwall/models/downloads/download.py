"""Downloads a model's file so that nothing is lost: ranged, resumable, checked, and renamed when whole.

A pause, a cut line, a killed process or a full disk may end it: the next call resumes from the part on disk.
If the server has another file by then (ETag, If-Range), the download starts over. Only a whole file with the
right hash gets its name.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import ssl
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import httpx2

from pitwall.core.errors import BadModelFile, DataFolderError, DownloadFailed
from pitwall.models.downloads.origin import Origin
from pitwall.models.downloads.partial_file import Partial, lock_of
from pitwall.models.files.gguf_header import MAGIC
from pitwall.models.files.integrity import sha256_of
from pitwall.models.files.wrong_file import looks_like_onnx, unexpected_file
from pitwall.store.folder_errors import folder_error
from pitwall.store.lease import FileLock

_log = logging.getLogger(__name__)

_CHUNK = 64 * 1024
"""A broken connection loses less than that."""
_CONNECT_S, _SILENCE_S = 15.0, 60.0
_TRIES = 4
"""Broken connections in a row, without a byte between them, before it gives up."""
_BEGINNINGS = 3
_WAIT_S = 0.5
_ROOM_LEFT = 64 << 20
"""Bytes that stay free on the disk."""
_TELL_EVERY_S = 0.1
_RUN_AGAIN = "What came so far is kept: run it again to go on."
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadProgress:
    """Reports a download.

    Attributes:
        stage: "downloading", or "checking" (the hash of what came).
        done, total: bytes; total 0 if it is unknown.
        bytes_per_s: over the last seconds of this call.
    """

    stage: str
    done: int
    total: int
    bytes_per_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """A complete file: its path, its hash, and the byte from which this call resumed."""

    path: Path
    sha256: str
    size_bytes: int
    resumed_at: int


Tell = Callable[[DownloadProgress], None]


class _Broken(Exception):
    """The connection broke or the server is busy; the part is on disk, and another try may succeed."""


class _Anew(Exception):
    """Tells that the file on disk is of no use: begin at byte 0."""


def download(
    origin: Origin, folder: Path, tell: Tell | None = None, *, retry_wait_s: float = _WAIT_S
) -> Downloaded:
    """Download a file into a folder, or resume an interrupted download.

    An exception raised by `tell`, or from outside (a signal's), ends it: the part is kept.

    Args:
        origin: see `hub.look_up`.
        folder: created if needed.
        tell: called about ten times a second.
        retry_wait_s: before the first new try after a broken connection; it doubles.

    Raises:
        DownloadFailed: refused, not found, cut off finally, not the promised content, another file of that
            name is there, or the same download runs already.
        DataFolderError: the folder cannot be written, or has no room.
    """
    target = folder / origin.file_name
    lock_file = lock_of(target)
    lock = FileLock(lock_file, role="download", subject=f"the download of {target}")
    try:
        lock.acquire()
    except DataFolderError as error:
        if error.__cause__ is not None:  # the folder itself is at fault
            raise
        raise DownloadFailed(error.what, "Wait for it, or pause it first.") from error
    try:
        return _Download(origin, target, tell or (lambda _progress: None), retry_wait_s).run()
    finally:
        if sys.platform == "win32":
            lock.release()  # an open file cannot be deleted there, by whomever it is held
        with contextlib.suppress(OSError):
            lock_file.unlink()
        lock.release()


class _Download:
    def __init__(self, origin: Origin, target: Path, tell: Tell, wait_s: float) -> None:
        self._origin = origin
        self._target = target
        self._part = Partial(origin, target)
        self._tell = tell
        self._wait_s = wait_s
        self._reported_at = 0.0
        self._reached = False
        self._pace = _Pace()
        note = self._part.note
        self._total = origin.size_bytes or (note.size_bytes if note is not None else 0)
        self._resumed_at = self._part.size

    def run(self) -> Downloaded:
        if self._target.exists():
            return self._already_there()
        fails = beginnings = 0
        while True:
            before = self._part.on_disk
            try:
                self._fetch()
                return self._finish()
            except _Anew as why:
                beginnings += 1
                if beginnings >= _BEGINNINGS:
                    raise DownloadFailed(f"{self._origin.host} does not go on: {why}.", "Try later.") from why
                _log.info("%s begins anew: %s", self._target.name, why)
                self._part.clear()
            except _Broken as why:
                fails = 0 if self._part.on_disk > before else fails + 1
                if fails >= _TRIES or not self._reached:
                    raise self._gave_up(str(why)) from why
                time.sleep(self._wait_s * 2**fails)

    def _gave_up(self, why: str) -> DownloadFailed:
        if not self._reached:
            kept = " What came earlier is kept." if self._part.size else ""
            return DownloadFailed(
                f"{self._origin.host} cannot be reached: {why}.",
                f"Check the network and the address, then run it again.{kept}",
            )
        return DownloadFailed(f"{self._origin.host} broke off: {why}.", _RUN_AGAIN)

    # ---- one connection

    def _fetch(self) -> None:
        have, note = self._part.size, self._part.note
        if have and have == self._total:
            return
        headers = {"Accept-Encoding": "identity"}
        if have and note is not None:
            headers["Range"] = f"bytes={have}-"
            if note.validator:
                headers["If-Range"] = note.validator
        try:
            with self._opened(headers) as response:
                if response.status_code == 416:
                    if response.headers.get("Content-Range", "").removeprefix("bytes */") != str(have):
                        raise _Anew("the server has no more of it")
                else:
                    self._take(response, have if response.status_code == 206 else 0)
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise _Broken(_reason(error)) from error

    @contextlib.contextmanager
    def _opened(self, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        if self._origin.token:  # httpx2 takes it away where the hub leads to another host
            headers = {**headers, "Authorization": f"Bearer {self._origin.token}"}
        timeout = httpx2.Timeout(_SILENCE_S, connect=_CONNECT_S)
        url = self._origin.url
        with httpx2.stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as response:
            self._reached = True
            self._check_status(response.status_code)
            yield response

    def _check_status(self, status: int) -> None:
        host = self._origin.host
        if status in _BUSY:
            raise _Broken(f"HTTP {status}")
        if status in (401, 403):
            raise DownloadFailed(
                f"{host} does not give out {self._target.name}: HTTP {status}.",
                "Accept the terms on its page, or put your access token into the variable HF_TOKEN.",
            )
        if status in (404, 410):
            raise DownloadFailed(f"{host} has no {self._origin.url}.", "Check the address.")
        if status not in (200, 206, 416):
            raise DownloadFailed(f"{host} answered HTTP {status}.", "Check the address, or try later.")

    def _take(self, response: httpx2.Response, start: int) -> None:
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdecimal() else 0
        if start:
            span, _, whole = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("/")
            if span.split("-")[0] != str(start):
                raise _Anew("the server sent another range")
            if total and ((whole.isdecimal() and int(whole) != total) or self._total not in (0, total)):
                raise _Anew("the file has another size now")
        else:
            etag = response.headers.get("ETag", "")
            strong = "" if etag.startswith("W/") else etag
            self._part.begin(strong or response.headers.get("Last-Modified", ""), total)
            self._resumed_at = 0
        self._total = total
        self._check_promise()
        self._check_room(start)
        chunks = response.iter_bytes(_CHUNK)
        first = next(chunks, b"")
        if not start:
            self._check_start(first)  # before the part is open: Windows deletes no open file
        try:
            with self._part.path.open("ab" if start else "wb") as file:
                for chunk in chain((first,), chunks):
                    file.write(chunk)
                    self._report("downloading", file.tell())
        except OSError as error:
            raise folder_error(error, self._part.path) from error
        if self._part.on_disk < self._total:
            raise _Broken("the connection was closed early")

    def _check_promise(self) -> None:
        promised = self._origin.size_bytes
        if promised and self._total not in (0, promised):
            self._part.clear()
            raise DownloadFailed(
                f"{self._origin.host} sends {self._total:,} bytes of {self._target.name}, not the "
                f"{promised:,} that the hub promised.",
                "Try again later.",
            )

    def _check_room(self, start: int) -> None:
        free = shutil.disk_usage(self._target.parent).free
        needed = self._total - start
        missing = needed + _ROOM_LEFT - free
        if self._total and missing > 0:
            raise DataFolderError(
                f"{self._target.name} needs {needed:,} bytes more and {free:,} are free on the disk of "
                f"{self._target.parent}: {missing:,} are missing (64 MiB stay free).",
                "Free some space, then run it again.",
            )

    def _check_start(self, chunk: bytes) -> None:
        wanted = {".gguf": chunk.startswith(MAGIC), ".onnx": looks_like_onnx(chunk)}
        if len(chunk) >= 4 and not wanted.get(self._target.suffix, True):
            kind = self._target.suffix[1:].upper()
            unexpected = unexpected_file(
                self._target, chunk[:512], self._total or len(chunk), wanted=f"a {kind} file"
            )
            self._part.clear()
            raise DownloadFailed(f"what {self._origin.host} sends {unexpected.problem}.", unexpected.fix)

    # ---- the end

    def _finish(self) -> Downloaded:
        part = self._part.path
        size = self._part.on_disk
        digest = self._hash(part)
        if self._origin.sha256 not in ("", digest):
            self._part.clear()
            raise DownloadFailed(
                f"{self._target.name} came with the SHA-256 {digest}, not {self._origin.sha256}: deleted.",
                "Run it again; if it repeats, the file on the server is not the one that you mean.",
            )
        try:
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            part.replace(self._target)
        except OSError as error:
            raise folder_error(error, self._target) from error
        self._part.clear()
        return Downloaded(path=self._target, sha256=digest, size_bytes=size, resumed_at=self._resumed_at)

    def _already_there(self) -> Downloaded:
        size = self._target.stat().st_size
        if self._origin.sha256 and self._origin.size_bytes in (0, size):
            digest = self._hash(self._target)
            if digest == self._origin.sha256:
                return Downloaded(path=self._target, sha256=digest, size_bytes=size, resumed_at=size)
        raise DownloadFailed(
            f"{self._target} is there already{', and is another file' if self._origin.sha256 else ''}.",
            "Add it with: pitwall models add, or move it away first.",
        )

    def _hash(self, path: Path) -> str:
        try:
            return sha256_of(path, lambda done, total: self._report("checking", done, total))
        except BadModelFile as error:
            self._part.clear()
            raise DownloadFailed(f"{self._target.name} {error.problem}.", "Run it again.") from error

    def _report(self, stage: str, done: int, total: int = 0) -> None:
        now = time.monotonic()
        whole = total or self._total
        if stage == "downloading":
            self._pace.add(now, done)
        if now - self._reported_at >= _TELL_EVERY_S or done == whole:
            self._reported_at = now
            rate = self._pace.bytes_per_s if stage == "downloading" else 0.0
            self._tell(DownloadProgress(stage=stage, done=done, total=whole, bytes_per_s=rate))


class _Pace:
    """Bytes a second over the last three seconds."""

    _SPAN_S, _APART_S = 3.0, 0.05

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def add(self, now_s: float, done: int) -> None:
        """Note the bytes that were there at this time."""
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()
        if len(self._seen) > 1 and now_s - self._seen[-2][0] < self._APART_S:
            self._seen.pop()
        self._seen.append((now_s, done))
        while len(self._seen) > 2 and now_s - self._seen[0][0] > self._SPAN_S:
            self._seen.popleft()

    @property
    def bytes_per_s(self) -> float:
        """Return the recent speed; 0 until it is known."""
        (first_s, first), (last_s, last) = self._seen[0], self._seen[-1]
        return (last - first) / (last_s - first_s) if last_s > first_s else 0.0


def _reason(error: Exception) -> str:
    """Say in one clause why a connection failed: the innermost cause names it."""
    if isinstance(error, httpx2.TimeoutException):
        return "no answer in time"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return "its certificate is not trusted"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        cause = cause.__cause__ or cause.__context__
    return "the connection was lost"
