"""Random samples, targets and weights, and what people do to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

Random = np.random.Generator


class Problem(NamedTuple):
    """What a call is given; ``note`` says what was done to it."""

    X: Any
    y: Any
    weight: Any
    note: str


def draw(random: Random, is_regression: bool, matrix: str = "", d: int | None = None) -> Problem:
    """A small problem; half of them are sound, the others have one or two things wrong or unusual.

    ``matrix`` is the name of a kernel for which X is a matrix, or empty.
    """
    n, k = int(random.integers(8, 61)), int(random.integers(2, 5))
    d = int(random.integers(1, 7)) if d is None else d
    index = random.integers(0, k, n)
    X = random.normal(size=(n, d)) + 1.5 * index[:, None] * (random.random(d) < 0.6)
    y: Any = X[:, 0] + 0.1 * random.normal(size=n) if is_regression else index
    weight: Any = None if random.random() < 0.7 else random.uniform(0.5, 3.0, n)
    notes = []
    if matrix == "precomputed-distance":
        X = np.abs(X[:, None] - X).sum(axis=2)
    elif matrix:
        X = X @ X.T if random.random() < 0.7 else np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    if random.random() < 0.5:
        for _ in range(1 if random.random() < 0.7 else 2):
            part = random.choice(["X", "X", "X", "y", "weight"])
            kinds = {"X": SAMPLES, "y": TARGETS, "weight": WEIGHTS}[part]
            name = str(random.choice(list(kinds)))
            change = kinds[name]
            try:
                if part == "X":
                    X = change(X, random)
                elif part == "y":
                    y = change(y, random)
                else:
                    weight = change(n, random)
            except Exception:  # the second change does not fit the first
                continue
            notes.append(f"{part}: {name}")
    return Problem(X, y, weight, ", ".join(notes) or "sound")


def _spot(value: Any, dtype: Any = None) -> Callable[[Any, Random], Any]:
    """Put a value into one cell."""

    def change(X: Any, random: Random) -> Any:
        X = np.array(X, dtype=dtype)
        X[tuple(random.integers(0, size) for size in X.shape)] = value
        return X

    return change


def _object_with(value: Any) -> Callable[[Any, Random], Any]:
    return _spot(value, object)


def _frame_with(column: Callable[[int], Any], module: Any = pd) -> Callable[[Any, Random], Any]:
    def change(X: Any, random: Random) -> Any:
        X = np.asarray(X)
        columns = {f"f{k}": X[:, k] for k in range(X.shape[1])}
        columns["odd"] = column(len(X))
        return module.DataFrame(columns)

    return change


def _scaled(factor: float) -> Callable[[Any, Random], Any]:
    return lambda X, random: np.asarray(X, dtype=float) * factor


def _one_scaled(factor: float) -> Callable[[Any, Random], Any]:
    def change(X: Any, random: Random) -> Any:
        X = np.array(X, dtype=float)
        X[:, random.integers(X.shape[1])] *= factor
        return X

    return change


def _read_only(X: Any, random: Random) -> Any:
    X = np.array(X)
    X.setflags(write=False)
    return X


def _structured(X: Any, random: Random) -> Any:
    return np.array([tuple(row) for row in X], dtype=[(f"f{k}", float) for k in range(np.shape(X)[1])])


def _masked(X: Any, random: Random) -> Any:
    return np.ma.masked_array(X, mask=random.random(np.shape(X)) < 0.1)


SAMPLES: dict[str, Callable[[Any, Random], Any]] = {
    "NaN": _spot(np.nan),
    "inf": _spot(np.inf),
    "-inf": _spot(-np.inf),
    "NaN sparse": lambda X, r: sparse.csr_matrix(_spot(np.nan)(X, r)),
    "1e19": _scaled(1e19),
    "1e75": _scaled(1e75),
    "1e100": _scaled(1e100),
    "1e154": _scaled(1e154),
    "1e300": _scaled(1e300),
    "1e-19": _scaled(1e-19),
    "1e-100": _scaled(1e-100),
    "1e-160": _scaled(1e-160),
    "1e-310": _scaled(1e-310),
    "1e5": _scaled(1e5),
    "one 1e19": _one_scaled(1e19),
    "one 1e100": _one_scaled(1e100),
    "one 1e200": _one_scaled(1e200),
    "one 1e-100": _one_scaled(1e-100),
    "offset 1e15": lambda X, r: np.asarray(X) + 1e15,
    "huge cell": _spot(1e290),
    "large cell": _spot(1e30),
    "zeros": lambda X, r: 0.0 * np.asarray(X),
    "constant column": _one_scaled(0.0),
    "same rows": lambda X, r: np.tile(np.asarray(X)[:1], (len(X), 1)),
    "copies": lambda X, r: np.asarray(X)[r.integers(0, 3, len(X))],
    "float16": lambda X, r: np.asarray(X).astype(np.float16),
    "float32": lambda X, r: np.asarray(X).astype(np.float32),
    "float32 large": lambda X, r: (np.asarray(X) * 1e18).astype(np.float32),
    "longdouble": lambda X, r: np.asarray(X).astype(np.longdouble),
    "int8": lambda X, r: np.asarray(X).astype(np.int8),
    "uint64": lambda X, r: np.asarray(np.abs(X) * 1e18).astype(np.uint64),
    "bool": lambda X, r: np.asarray(X) > 0,
    "complex": lambda X, r: np.asarray(X) + 1j,
    "big-endian": lambda X, r: np.asarray(X).astype(">f8"),
    "list": lambda X, r: np.asarray(X).tolist(),
    "tuple": lambda X, r: tuple(map(tuple, np.asarray(X).tolist())),
    "ragged": lambda X, r: [*np.asarray(X).tolist()[:-1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]],
    "object": lambda X, r: np.asarray(X).astype(object),
    "object None": _object_with(None),
    "object text": _object_with("high"),
    "object dict": _object_with({"a": 1}),
    "object list": lambda X, r: [[[1.0, 2.0]] * 2] * len(X),
    "object bytes": _object_with(b"x"),
    "object pd.NA": _object_with(pd.NA),
    "object big integer": _object_with(10**400),
    "text": lambda X, r: np.asarray(X).astype(str),
    "words": lambda X, r: np.full(np.shape(X), "word"),
    "dates": lambda X, r: np.full(np.shape(X), np.datetime64("2020-01-01")),
    "durations": lambda X, r: np.full(np.shape(X), np.timedelta64(3, "D")),
    "structured": _structured,
    "record": lambda X, r: _structured(X, r).view(np.recarray),
    "generator": lambda X, r: (row for row in np.asarray(X)),
    "iterator": lambda X, r: iter(np.asarray(X).tolist()),
    "None": lambda X, r: None,
    "string": lambda X, r: "samples.csv",
    "dict": lambda X, r: {"a": [1, 2, 3]},
    "set": lambda X, r: {1.0, 2.0},
    "number": lambda X, r: 3.0,
    "empty list": lambda X, r: [],
    "no rows": lambda X, r: np.asarray(X)[:0],
    "no columns": lambda X, r: np.asarray(X)[:, :0],
    "one row": lambda X, r: np.asarray(X)[:1],
    "fewer rows": lambda X, r: np.asarray(X)[:-2],
    "1-d": lambda X, r: np.asarray(X)[:, 0],
    "3-d": lambda X, r: np.asarray(X)[:, :, None],
    "read-only": _read_only,
    "fortran": lambda X, r: np.asfortranarray(X),
    "every other": lambda X, r: np.repeat(np.asarray(X), 2, axis=1)[:, ::2],
    "reversed": lambda X, r: np.asarray(X)[::-1],
    "masked": _masked,
    "matrix": lambda X, r: np.asmatrix(X),
    "csr": lambda X, r: sparse.csr_matrix(X),
    "csc array": lambda X, r: sparse.csc_array(X),
    "coo": lambda X, r: sparse.coo_matrix(X),
    "bsr": lambda X, r: sparse.bsr_matrix(X),
    "dok": lambda X, r: sparse.dok_matrix(X),
    "lil": lambda X, r: sparse.lil_array(X),
    "dia": lambda X, r: sparse.dia_matrix(X),
    "csr int64 indices": lambda X, r: _long_indices(X),
    "sparse zeros": lambda X, r: sparse.csr_matrix(np.shape(X)),
    "sparse bool": lambda X, r: sparse.csr_matrix(np.asarray(X) > 0),
    "sparse complex": lambda X, r: sparse.csr_matrix(np.asarray(X) + 1j),
    "sparse 1e100": lambda X, r: sparse.csr_matrix(np.asarray(X) * 1e100),
    "pandas": lambda X, r: pd.DataFrame(X),
    "pandas names": lambda X, r: pd.DataFrame(X, columns=[f"f{k}" for k in range(np.shape(X)[1])]),
    "pandas mixed names": lambda X, r: pd.DataFrame(X, columns=[*range(np.shape(X)[1] - 1), "z"]),
    "pandas same names": lambda X, r: pd.DataFrame(X, columns=["f"] * np.shape(X)[1]),
    "pandas Int64 NA": _frame_with(lambda n: pd.array([None] + [1] * (n - 1), dtype="Int64")),
    "pandas Float64": _frame_with(lambda n: pd.array([0.5] * n, dtype="Float64")),
    "pandas words": _frame_with(lambda n: ["a", "b"] * (n // 2) + ["a"] * (n % 2)),
    "pandas dates": _frame_with(lambda n: pd.date_range("2020-01-01", periods=n)),
    "pandas zoned dates": _frame_with(lambda n: pd.date_range("2020-01-01", periods=n, tz="UTC")),
    "pandas durations": _frame_with(lambda n: pd.to_timedelta(np.arange(n), unit="D")),
    "pandas periods": _frame_with(lambda n: pd.period_range("2020-01", periods=n, freq="M")),
    "pandas categories": _frame_with(lambda n: pd.Categorical(["a", "b"] * (n // 2) + ["a"] * (n % 2))),
    "pandas number categories": _frame_with(lambda n: pd.Categorical([1, 2] * (n // 2) + [1] * (n % 2))),
    "pandas objects": _frame_with(lambda n: [None, "x", *([1.5] * (n - 2))]),
    "pandas bool": _frame_with(lambda n: [True] * n),
    "pandas NaN": _frame_with(lambda n: [np.nan] + [1.0] * (n - 1)),
    "pandas sparse": lambda X, r: pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X)),
    "series": lambda X, r: pd.Series(np.asarray(X)[:, 0]),
    "polars": lambda X, r: pl.DataFrame(np.asarray(X)),
    "polars words": _frame_with(lambda n: ["a"] * n, pl),
    "polars null": _frame_with(lambda n: [None] + [1.0] * (n - 1), pl),
    "polars dates": _frame_with(lambda n: pd.date_range("2020-01-01", periods=n).to_list(), pl),
}

TARGETS: dict[str, Callable[[Any, Random], Any]] = {
    "words": lambda y, r: np.array(["no", "maybe", "yes", "never"])[np.asarray(y).astype(int) % 4],
    "word objects": lambda y, r: np.array(["no", "yes"], dtype=object)[np.asarray(y).astype(int) % 2],
    "number words": lambda y, r: np.asarray(y).astype(str),
    "floats": lambda y, r: np.asarray(y) + 0.25,
    "bool": lambda y, r: np.asarray(y) > 0,
    "one class": lambda y, r: np.zeros(len(y)),
    "one class words": lambda y, r: ["a"] * len(y),
    "all different": lambda y, r: np.arange(len(y)),
    "a rare class": lambda y, r: np.where(np.arange(len(y)) == 0, 9, np.asarray(y) > 0),
    "NaN": _spot(np.nan, float),
    "inf": _spot(np.inf, float),
    "None": lambda y, r: None,
    "object None": _object_with(None),
    "object NaN": _object_with(np.nan),
    "object pd.NA": _object_with(pd.NA),
    "object mixed": _object_with("x"),
    "object tuple": lambda y, r: _tuples(len(y)),
    "complex": lambda y, r: np.asarray(y) + 1j,
    "dates": lambda y, r: np.datetime64("2020-01-01") + np.arange(len(y)) % 2,
    "pandas Int64 NA": lambda y, r: pd.array([None] + [1] * (len(y) - 1), dtype="Int64"),
    "pandas strings": lambda y, r: pd.Series(np.asarray(y).astype(int) % 2).map({0: "a", 1: "b"}),
    "pandas string NA": lambda y, r: pd.Series([None, *(["a", "b"] * len(y))[: len(y) - 1]], dtype="string"),
    "pandas categories": lambda y, r: pd.Categorical(np.asarray(y).astype(int)),
    "pandas frame": lambda y, r: pd.DataFrame({"target": np.asarray(y)}),
    "pandas dates": lambda y, r: pd.Series(pd.date_range("2020-01-01", periods=len(y))),
    "polars": lambda y, r: pl.Series(np.asarray(y)),
    "column": lambda y, r: np.asarray(y)[:, None],
    "two columns": lambda y, r: np.column_stack([y, y]),
    "shorter": lambda y, r: np.asarray(y)[:-1],
    "empty": lambda y, r: [],
    "number": lambda y, r: 1,
    "string": lambda y, r: "target",
    "generator": lambda y, r: (value for value in np.asarray(y)),
    "structured": lambda y, r: np.array([(value,) for value in y], dtype=[("a", float)]),
    "list": lambda y, r: np.asarray(y).tolist(),
    "huge": lambda y, r: np.asarray(y, dtype=float) * 1e200,
    "large": lambda y, r: np.asarray(y, dtype=float) * 1e100,
    "tiny": lambda y, r: np.asarray(y, dtype=float) * 1e-200,
    "constant 1e30": lambda y, r: np.full(len(y), 1e30),
    "offset 1e17": lambda y, r: np.asarray(y, dtype=float) + 1e17,
    "sparse": lambda y, r: sparse.csr_matrix(np.asarray(y)[:, None]),
    "masked": _masked,
    "3-d": lambda y, r: np.asarray(y)[:, None, None],
    "big integers": lambda y, r: np.asarray(y).astype(int) + 2**62,
    "bytes": lambda y, r: np.asarray(y).astype(int).astype("S"),
}

WEIGHTS: dict[str, Callable[[int, Random], Any]] = {
    "zeros": lambda n, r: np.zeros(n),
    "some zeros": lambda n, r: (r.random(n) < 0.5).astype(float),
    "first half": lambda n, r: np.r_[np.ones(n // 2), np.zeros(n - n // 2)],
    "one positive": lambda n, r: np.eye(n)[0],
    "negative": lambda n, r: r.normal(size=n),
    "all negative": lambda n, r: -np.ones(n),
    "NaN": lambda n, r: np.r_[np.nan, np.ones(n - 1)],
    "inf": lambda n, r: np.r_[np.inf, np.ones(n - 1)],
    "huge": lambda n, r: np.full(n, 1e200),
    "largest": lambda n, r: np.full(n, 1e308),
    "tiny": lambda n, r: np.full(n, 1e-200),
    "mixed sizes": lambda n, r: 10.0 ** r.uniform(-12, 12, n),
    "shorter": lambda n, r: np.ones(n - 1),
    "two columns": lambda n, r: np.ones((n, 2)),
    "column": lambda n, r: np.ones((n, 1)),
    "strings": lambda n, r: np.full(n, "1"),
    "words": lambda n, r: ["heavy"] * n,
    "word": lambda n, r: "balanced",
    "None inside": lambda n, r: np.array([None] + [1.0] * (n - 1), dtype=object),
    "pd.NA inside": lambda n, r: pd.array([None] + [1.0] * (n - 1), dtype="Float64"),
    "dates": lambda n, r: np.full(n, np.datetime64("2020-01-01")),
    "complex": lambda n, r: np.full(n, 1 + 1j),
    "number": lambda n, r: 2.0,
    "bool": lambda n, r: r.random(n) < 0.7,
    "int": lambda n, r: r.integers(0, 4, n),
    "list": lambda n, r: [1] * n,
    "series": lambda n, r: pd.Series(np.ones(n), index=np.arange(n)[::-1]),
    "dict": lambda n, r: {0: 1.0},
    "generator": lambda n, r: (1.0 for _ in range(n)),
    "sparse": lambda n, r: sparse.csr_matrix(np.ones((n, 1))),
    "empty": lambda n, r: [],
}


def _tuples(n: int) -> np.ndarray:
    y = np.empty(n, dtype=object)
    y[:] = [(k % 2, 0) for k in range(n)]
    return y


def _long_indices(X: Any) -> Any:
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X
