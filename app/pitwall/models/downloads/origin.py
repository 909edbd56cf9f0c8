"""Names what can be downloaded: how it is written, and where it lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pitwall.core.errors import DownloadFailed

HUB_SPEC = re.compile(r"hf:(?P<repo>[^/@\s]+/[^/@\s]+)/(?P<file>[^@\s]+)(?:@(?P<revision>\S+))?")
"""`hf:OWNER/REPO/FILE[@REVISION]`"""
FORMS = "Write hf:OWNER/REPO/FILE, with @REVISION behind it if you like, or an http address."


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A file that can be downloaded.

    Attributes:
        spec: what was asked for. url: its address. file_name: how it is called on disk.
        version: tells one content at this origin from another; empty where only the download can tell.
        sha256: promised for the content; empty where nobody promises one.
        size_bytes: promised, 0 where unknown.
        token: for the hub's own address alone, never for where it leads to.
    """

    spec: str
    url: str
    file_name: str
    version: str = ""
    sha256: str = ""
    size_bytes: int = 0
    token: str = ""

    @property
    def host(self) -> str:
        """Return the name of the server, for sentences."""
        return urlsplit(self.url).hostname or self.url


def file_name_of(spec: str) -> str:
    """Return the local name of the file that `spec` names.

    Raises:
        DownloadFailed: it names none.
    """
    match = HUB_SPEC.fullmatch(spec)
    parts = urlsplit(spec)
    name = PurePosixPath(match["file"] if match else unquote(parts.path)).name
    address = parts.scheme in ("http", "https") and bool(parts.hostname)
    if not (match or address) or not _is_file_name(name):
        raise DownloadFailed(f"{spec!r} names no file to download.", FORMS)
    return name


def _is_file_name(name: str) -> bool:
    return bool(name) and name not in (".", "..") and not re.search(r'[\x00-\x1f\\/:*?"<>|]', name)
