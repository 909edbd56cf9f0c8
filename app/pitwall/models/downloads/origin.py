"""Parses the names of downloadable files, and finds their addresses."""

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
        spec: the name as given. url: its address. file_name: its name on disk.
        version: identifies the content at this origin; empty if only the download can show it.
        sha256: promised for the content; empty if there is no promise.
        size_bytes: promised; 0 if unknown.
        token: for the hub's own address alone, never for addresses it redirects to.
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
    """Return the local file name for `spec`.

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
