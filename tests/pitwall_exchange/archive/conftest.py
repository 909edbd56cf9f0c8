"""The store's runs, for the tests of the archive."""

from __future__ import annotations

from tests.store.conftest import data, make_call, make_step, manifest

__all__ = ["data", "make_call", "make_step", "manifest"]
