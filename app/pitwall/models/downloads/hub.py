"""Asks a model hub for a file's address, size and hash."""

from __future__ import annotations

import re

from httpx2 import HTTPError
from huggingface_hub import get_hf_file_metadata, get_token, hf_hub_url
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from pitwall.core.errors import DownloadFailed
from pitwall.models.downloads.origin import FORMS, HUB_SPEC, Origin, file_name_of

_SHA256 = re.compile(r"[0-9a-f]{64}")
_LOOK_UP_S = 20.0


def look_up(spec: str, *, sha256: str = "", endpoint: str | None = None) -> Origin:
    """Find the file that `spec` names; only a hub is asked for size and hash.

    Args:
        spec: `hf:OWNER/REPO/FILE[@REVISION]`, or an http(s) address.
        sha256: expected by the caller; it must agree with the hub's.
        endpoint: address of the hub; None for the usual one (or $HF_ENDPOINT).

    Raises:
        DownloadFailed: no such form, file or network, or the hub does not allow it.
    """
    wanted = sha256.lower()
    if wanted and not _SHA256.fullmatch(wanted):
        raise DownloadFailed(f"{sha256!r} is no SHA-256.", "It has 64 hexadecimal digits.")
    if spec.startswith("hf:"):
        return _on_hub(spec, wanted, endpoint)
    return Origin(spec=spec, url=spec, file_name=file_name_of(spec), sha256=wanted)


def _on_hub(spec: str, wanted: str, endpoint: str | None) -> Origin:
    name = file_name_of(spec)
    match = HUB_SPEC.fullmatch(spec)
    assert match is not None
    token = get_token() or ""
    try:
        url = hf_hub_url(match["repo"], match["file"], revision=match["revision"], endpoint=endpoint)
        metadata = get_hf_file_metadata(url, token=token or False, timeout=_LOOK_UP_S, endpoint=endpoint)
    except (HFValidationError, HTTPError, EntryNotFoundError, OSError) as error:
        raise _refusal(spec, match["repo"], error) from error
    promised = metadata.etag if metadata.etag and _SHA256.fullmatch(metadata.etag) else ""
    if wanted and promised and wanted != promised:
        raise DownloadFailed(
            f"the hub's {name} has the SHA-256 {promised}, not {wanted}.",
            "Name the revision that you mean, or the hash of this one.",
        )
    return Origin(
        spec=spec,
        url=url,
        file_name=name,
        version=metadata.etag or metadata.commit_hash or "",
        sha256=wanted or promised,
        size_bytes=metadata.size or 0,
        token=token,
    )


def _refusal(spec: str, repo: str, error: Exception) -> DownloadFailed:
    if isinstance(error, GatedRepoError):
        return DownloadFailed(
            f"{repo} is given only to those who accept its terms.",
            "Accept them on its page, then put your access token into the variable HF_TOKEN.",
        )
    if isinstance(error, RevisionNotFoundError):
        return DownloadFailed(f"{repo} has no such revision: {spec}.", "Leave out @REVISION for the newest.")
    if isinstance(error, RepositoryNotFoundError):
        return DownloadFailed(
            f"the hub has no {repo}, or keeps it private.",
            "Check the spelling; for a private one put your access token into the variable HF_TOKEN.",
        )
    if isinstance(error, EntryNotFoundError):
        return DownloadFailed(f"{repo} has no such file: {spec}.", "See the files on its page.")
    if isinstance(error, HFValidationError):
        return DownloadFailed(f"{spec!r} names no file on a hub.", FORMS)
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        return DownloadFailed(f"the hub refused {spec}: HTTP {status}.", "Try again later.")
    return DownloadFailed(f"the hub cannot be reached: {error}.", "Check the network, then run it again.")
