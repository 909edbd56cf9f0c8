"""Finds the nearest of many vectors by cosine, exactly, and mostly without reading the vectors.

Each unit vector x has a *sketch*: its coordinates p in the 32 directions that carry most of the vectors'
length, and the length r of the rest. As p and the rest are perpendicular, q·x ≤ p_q·p_x + r_q r_x (Cauchy and
Schwarz), so one product with the sketches bounds every cosine from above. Only vectors whose bound reaches
the k-th best cosine are read. If the directions carry too little (vectors without common structure), or there
are few vectors, all are read.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Places = NDArray[np.int64]
_DIRECTIONS, _LEAST_SKETCHED, _LEAST_CARRIED = 32, 256, 0.8
_SAMPLE, _ROUNDS = 2048, 3
_FEW, _GUESSES = 64, 16
_SLACK, _REST_SLACK = 2e-5, 4e-5
"""More than single precision can err in a product, and in the square of a rest."""


class VectorIndex:
    """Unit vectors by number."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._keys = np.zeros(0, np.int64)
        self._rows: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._sketches: NDArray[np.float32] | None = None  # one a column
        self._directions: NDArray[np.float32] | None = None
        self._sketched_at = _LEAST_SKETCHED

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places

    @property
    def dims(self) -> int:
        """Return the length of the vectors; 0 while there is none."""
        return int(self._rows.shape[1])

    def put(self, key: int, vector: Vector) -> None:
        """Add or replace a vector. A zero vector, or one with NaN, is similar to nothing.

        Raises:
            ValueError: its length differs from the others'.
        """
        unit = _unit(vector)
        if not self._places and len(unit) != self.dims:
            self._reset(len(unit))
        if len(unit) != self.dims:
            raise ValueError(f"the vector of {key} has {len(unit)} numbers, the others {self.dims}")
        place = self._places.get(key)
        if place is None:
            place = self._take(key)
        self._rows[place] = unit
        if self._sketches is not None:
            self._sketches[:, place] = self._sketch(unit[None])[0]
        if len(self._places) >= self._sketched_at:
            self._make_sketches()

    def remove(self, key: int) -> None:
        """Remove a vector; unknown ids are ignored."""
        place = self._places.pop(key, None)
        if place is None:
            return
        last = len(self._places)  # whose place is free now: the last vector moves there
        if place < last:
            self._rows[place] = self._rows[last]
            self._keys[place] = self._keys[last]
            self._places[int(self._keys[last])] = place
            if self._sketches is not None:
                self._sketches[:, place] = self._sketches[:, last]

    def get(self, key: int) -> Vector | None:
        """Return a unit vector; None for an unknown id."""
        place = self._places.get(key)
        return None if place is None else self._rows[place].copy()

    def nearest(self, vector: Vector, k: int, least: float = -1.0) -> list[tuple[int, float]]:
        """Return the k nearest with a cosine of at least `least`, nearest first; ties are ordered by id.

        Raises:
            ValueError: the vector's length differs from the others'.
        """
        if not self._places or k < 1:
            return []
        query = _unit(vector)
        if len(query) != self.dims:
            raise ValueError(f"the question's vector has {len(query)} numbers, those here {self.dims}")
        places = self._near(query, k, least)
        cosines = _cosines(self._rows[places], query)
        matches = [
            (key, cosine)
            for key, cosine in zip(self._keys[places].tolist(), cosines.tolist(), strict=True)
            if cosine >= least
        ]
        return sorted(matches, key=lambda match: (-match[1], match[0]))[:k]

    # ---- how

    def _near(self, query: Vector, k: int, least: float) -> Places:
        """Return rows that include the k nearest, and few others."""
        rows = self._rows[: len(self._places)]
        if self._sketches is None:
            return _best(rows @ query, k, least)
        bounds = self._sketch(query[None])[0] @ self._sketches[:, : len(rows)]
        near: Places = np.flatnonzero(bounds >= least - _SLACK)
        if len(near) <= k:
            return near
        if len(near) > _FEW + k:
            bounds = bounds[near]
            guess = near[np.argpartition(bounds, -k - _GUESSES)[-k - _GUESSES :]]
            mark = np.partition(rows[guess] @ query, -k)[-k]
            near = near[bounds >= mark - 2 * _SLACK]
        matches: Places = near[_best(rows[near] @ query, k, least)]
        return matches

    def _take(self, key: int) -> int:
        place = len(self._places)
        if place == len(self._keys):
            self._grow()
        self._places[key] = place
        self._keys[place] = key
        return place

    def _grow(self) -> None:
        more = max(256, len(self._keys))
        self._keys = np.concatenate([self._keys, np.zeros(more, np.int64)])
        self._rows = np.concatenate([self._rows, np.zeros((more, self.dims), np.float32)])
        if self._sketches is not None:
            room = np.zeros((len(self._sketches), more), np.float32)
            self._sketches = np.concatenate([self._sketches, room], axis=1)

    def _reset(self, dims: int) -> None:
        self._keys, self._rows = np.zeros(0, np.int64), np.zeros((0, dims), np.float32)
        self._sketches = self._directions = None
        self._sketched_at = _LEAST_SKETCHED

    def _make_sketches(self) -> None:
        """Find the directions by subspace iteration over a sample; again when there are twice as many."""
        self._sketched_at = 2 * len(self._places)
        rows = self._rows[: len(self._places)]
        sample = rows[:: max(1, len(rows) // _SAMPLE)]
        basis = np.random.default_rng(0).normal(size=(self.dims, _DIRECTIONS)).astype(np.float32)
        for _ in range(_ROUNDS):
            basis = np.linalg.qr(sample.T @ (sample @ basis))[0]
        carried = float(np.square(sample @ basis).sum() / max(1.0, float(np.square(sample).sum())))
        self._directions = basis if carried >= _LEAST_CARRIED and self.dims > _DIRECTIONS else None
        self._sketches = None
        if self._directions is not None:
            self._sketches = np.zeros((_DIRECTIONS + 1, len(self._keys)), np.float32)
            self._sketches[:, : len(rows)] = self._sketch(rows).T

    def _sketch(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Coordinates in the directions, and the length of the rest or a little more."""
        assert self._directions is not None
        inside = rows @ self._directions
        rest = np.sqrt(np.maximum(1.0 - np.square(inside).sum(axis=1), 0.0) + _REST_SLACK)
        return np.concatenate([inside, rest[:, None]], axis=1, dtype=np.float32)


def _best(values: NDArray[np.float32], count: int, least: float) -> Places:
    """Return the places of the `count` greatest values from `least` on, with all ties of the last one."""
    places = np.flatnonzero(values >= least - _SLACK)
    if len(places) > count:
        inside = values[places]
        places = places[inside >= np.partition(inside, -count)[-count] - _SLACK]
    return places


def _unit(vector: Vector) -> Vector:
    values = np.asarray(vector, np.float64).ravel()
    length = math.sqrt(float(values @ values))
    if not math.isfinite(length) or length == 0.0:
        return np.zeros(len(values), np.float32)
    return (values / length).astype(np.float32)


def _cosines(rows: NDArray[np.float32], query: Vector) -> NDArray[np.float64]:
    """Compute in double precision, row by row, so that equal rows get equal cosines."""
    wide, asked = rows.astype(np.float64), query.astype(np.float64)
    squares = np.einsum("ij,ij->i", wide, wide) * np.einsum("i,i", asked, asked)
    dots = np.einsum("ij,j->i", wide, asked)
    cosines: NDArray[np.float64] = np.minimum(dots / np.sqrt(np.maximum(squares, 1e-300)), 1.0)
    return cosines
