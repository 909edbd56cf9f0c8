"""The base address of an endpoint: trimmed, checked, and without secrets."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from pitwall.core.errors import SettingsError

EXAMPLE = "http://127.0.0.1:8080/v1"
_PATHS = re.compile(r"/(?:chat/completions|completions|embeddings|models)$")
_SECRET = re.compile(r"key|token|secret|pass|sig|auth", re.IGNORECASE)
_KEY_FIX = "Put the key into an environment variable, and name the variable with --key-variable."


def checked_address(text: str) -> str:
    """Return an endpoint's base address without blanks around it and without the path of a single request.

    Raises:
        SettingsError: it is no http(s) address, or holds a password or key, which would be kept in clear.
    """
    address = text.strip().strip("\u200b\ufeff")
    parts = split_address(address)
    if parts is None:
        guess = f"http://{address}"
        known = "://" not in address and split_address(guess) is not None
        shown = "" if "@" in address or "?" in address else f" {address!r}"
        raise SettingsError(
            f"the text{shown} is no address of an endpoint.",
            f"Did you mean {guess}?" if known and shown else f"It looks like {EXAMPLE}.",
        )
    if "@" in parts.netloc:
        raise SettingsError(
            f"the address of {host_of(address)} holds a password, which would be kept in clear.",
            _KEY_FIX,
        )
    if any(_SECRET.search(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise SettingsError(
            f"the address of {host_of(address)} holds a key, which would be kept in clear.", _KEY_FIX
        )
    return urlunsplit(parts._replace(path=_PATHS.sub("", parts.path.rstrip("/")), fragment=""))


def split_address(address: str) -> SplitResult | None:
    """Return the parts of an http(s) address; None where it is none."""
    try:
        parts = urlsplit(address)
        port = parts.port
        host = (parts.hostname or "").encode("idna")
    except ValueError:  # UnicodeError is one
        return None
    plain = address.isprintable() and not any(letter.isspace() for letter in address)
    return parts if plain and parts.scheme in ("http", "https") and host and port != 0 else None


def without_login(address: str) -> str:
    """Return an address without user name and password."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address.rpartition("@")[2] if "@" in address else address
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def host_of(address: str) -> str:
    """Return host and port of an address, for a person; the address itself where it names none."""
    plain = without_login(address)
    try:
        return urlsplit(plain).netloc or plain
    except ValueError:
        return plain
