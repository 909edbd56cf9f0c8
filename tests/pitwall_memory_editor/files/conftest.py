"""The open memory of the store's tests."""

from __future__ import annotations

from tests.memory.store.conftest import apply, data, put, reader, store

__all__ = ["apply", "data", "put", "reader", "store"]
