"""Finds and loads a benchmark data set by name: from a file, from scikit-learn, or from OpenML.

A file has a header, numeric features, and the class as an integer in the last column, or it is the source's
own (`manifest`). Numbers for the words of a file are written down in the manifest, so that everybody has the
same ones. Values are compared with the manifest's hashes, wherever they come from.
"""

from __future__ import annotations

import csv
import http.client
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import fetch_openml, load_digits, load_iris

from kernelwise.datasets.manifest import (
    FILES,
    MISSING,
    SOURCES,
    content_hash,
    fields_of,
    read_raw,
    resolve,
    rows_hash,
)
from kernelwise.tables.read.csv import number_matrix, numbered_lines
from kernelwise.tables.read.text import read_bytes


class Coding(NamedTuple):
    """What each word of a column stands for, by the names of the columns, and the classes.

    Rows with a missing value are left out: ``n_rows`` are in the file, and `manifest.FILES` has those that
    remain.
    """

    features: Mapping[str, Mapping[str, int]]
    label: str
    classes: Mapping[str, int]
    n_rows: int


def _numbers(words: list[str] | dict[str, int]) -> dict[str, int]:
    """What words stand for: as the manifest says, or their places in its list."""
    return words if isinstance(words, dict) else {word: number for number, word in enumerate(words)}


CODINGS = {
    name: Coding(
        {column: _numbers(words) for column, words in source.words["features"].items()},
        source.words["label"],
        _numbers(source.words["classes"]),
        source.words["rows"],
    )
    for name, source in SOURCES.items()
    if source.words
}


def coded(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str]], where: str
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return X, y and the names of the features of a table of words, without the rows that have a gap.

    ``where`` is what to call the table in an error: ValueError names the row and the word.
    """
    coding = CODINGS[name]
    columns = {**coding.features, coding.label: coding.classes}
    if list(header) != list(columns) or len(rows) != coding.n_rows:
        raise ValueError(
            f"{where} should hold {name!r} with {coding.n_rows} rows of the columns {', '.join(columns)}, "
            f"but has {len(rows)} rows of {', '.join(header)}. Get a new copy of it."
        )
    table = []
    for number, row in enumerate(rows, start=1):
        words = [word.strip().strip("'\"") for word in row]
        if any(word.lower() in MISSING for word in words):
            continue
        for (column, codes), word in zip(columns.items(), words, strict=True):
            if word not in codes:
                raise ValueError(
                    f"{where}, row {number}: {word!r} is none of the values of {column!r} "
                    f"({', '.join(codes)}). Get a new copy of the file."
                )
        table.append([codes[word] for codes, word in zip(columns.values(), words, strict=True)])
    numbers = np.array(table, dtype=np.float64)
    return np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1].astype(np.int64), tuple(coding.features)


ENVIRONMENT_VARIABLE = "KERNELWISE_DATA"
#: Folders with benchmark files that may lie above the working directory or the package.
SHARED = (Path("shared", "data"), Path("shared", "data2"))
# The same values, row by row, as our files of these names.
SHIPPED_WITH_SKLEARN = {"iris": load_iris, "optdigits_test": load_digits}

Table = tuple[np.ndarray, np.ndarray, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with its origin; unpacks as ``X, y = load(name)``.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,), int64
    feature_names : tuple of str
    source : str
        Who published the data, and where this copy was found.

    Examples
    --------
    >>> from kernelwise.datasets import load
    >>> iris = load("iris")
    >>> iris.X.shape, iris.y.shape, len(iris.feature_names)
    ((150, 4), (150,), 4)
    >>> X, y = iris
    >>> X is iris.X
    True
    """

    name: str
    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    feature_names: tuple[str, ...] = field(repr=False)
    source: str

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.X, self.y))

    @property
    def sha256(self) -> str:
        """The hash of the values, whatever file they were in: of X as float64, then of y as int64."""
        return content_hash(self.X, self.y)


def load(name: str, *, part: str | None = None) -> Dataset:
    """Load one of the data sets that `available` lists.

    A file ``<name>.csv`` or ``<name>.csv.gz`` is looked for in the folder named by the environment variable
    KERNELWISE_DATA (or several, as in PATH), then in every folder ``shared/data`` and ``shared/data2`` above
    the working directory and above this package.
    There may also be the file that the source publishes, under its own name (``ann-train.data`` of UCI),
    which `load` converts. Without a file, `load` returns scikit-learn's own copy if there is one, or else
    OpenML's. These name the features in their own way, and OpenML may have the rows in another order, which
    ``source`` then says. Values that are not those of the studies, by their hash, are refused.

    Parameters
    ----------
    name : str
        For example ``"iris"``, ``"letter"`` (both official parts, train first) or ``"letter_train"``.
    part : {"train", "test"}, default=None
        One official part; only for the sets that have them.

    Returns
    -------
    dataset : Dataset
        Features as published, labels as integers, rows in the order of the source (often sorted by class).
        Words are numbers by a fixed coding (``"breast_cancer_ljubljana"`` alone has words; its 277 rows are
        those without a gap): ranges and degrees by their order, no and left as 0, yes and right as 1,
        menopause premeno, lt40, ge40 as 0, 1, 2, the quadrants central, left_low, left_up, right_low,
        right_up as 0 to 4.

    Examples
    --------
    >>> from kernelwise.datasets import load
    >>> X, y = load("iris")
    >>> X.shape
    (150, 4)
    """
    parts = [_load_file(file) for file in resolve(name, part)]
    if len(parts) == 1:
        return parts[0]
    X, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Dataset(name, X, y, parts[0].feature_names, "; ".join(p.source for p in parts))


def _load_file(name: str) -> Dataset:
    path = _find_file(name)
    if path is not None:
        table = read_coded(path, name) if name in CODINGS else read_csv(path)
        return _dataset(name, table, str(path))
    path = _find_raw(name)
    if path is not None:
        return _dataset(name, _from_source(path, name), str(path))
    if name in SHIPPED_WITH_SKLEARN:
        bunch = SHIPPED_WITH_SKLEARN[name]()
        table = bunch.data.astype(np.float64), bunch.target.astype(np.int64), tuple(bunch.feature_names)
        return _dataset(name, table, "scikit-learn")
    if SOURCES[name].openml is None:
        raise FileNotFoundError(_not_found(name))
    try:
        table = fetch(name, FILES[name].n_features)
    except (OSError, http.client.HTTPException) as error:
        raise FileNotFoundError(_not_found(name, f", and OpenML could not be reached ({error})")) from error
    where = f"OpenML data set {SOURCES[name].openml}"
    try:
        return _dataset(name, table, where)
    except ChangedError as error:
        raise FileNotFoundError(_not_found(name, f", and {where} has other values")) from error


class ChangedError(ValueError):
    """Values that are not those of the studies."""


def _from_source(path: Path, name: str) -> Table:
    """The table of a file as its source publishes it."""
    if name in CODINGS:
        words = list(fields_of(path, SOURCES[name]))
        rows = [[*row[1:], row[0]] for row in words]  # the class comes first there
        return coded(name, [*CODINGS[name].features, CODINGS[name].label], rows, str(path))
    X, y = read_raw(path, SOURCES[name])
    return X, y, tuple(f"x{k}" for k in range(1, X.shape[1] + 1))


def _dataset(name: str, table: Table, where: str) -> Dataset:
    X, y, feature_names = table
    expected = FILES[name]
    found = (*X.shape, len(np.unique(y)))
    if found != expected[:3]:
        raise ValueError(
            f"{where} should hold {name!r} with (rows, features, classes) = {expected[:3]}, but has {found}. "
            "Get a new copy of it."
        )
    return Dataset(name, X, y, feature_names, f"{expected.origin}, from {where}{_order(name, X, y, where)}")


def _order(name: str, X: np.ndarray, y: np.ndarray, where: str) -> str:
    """What to say of the order of rows, "" if it is ours; `ChangedError` for other values."""
    known, found = SOURCES[name], content_hash(X, y)
    if found == known.sha256:
        return ""
    if rows_hash(X, y) == known.rows:
        return ", rows in another order"
    raise ChangedError(
        f"{where} has other values than the data set {name!r} of the studies: their sha256 is {found[:12]}…, "
        f"not {known.sha256[:12]}…. Get a new copy of it. {known.advice}."
    )


def _folders() -> list[Path]:
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    starts = [Path.cwd(), Path(__file__).resolve().parent]
    above = [folder / part for start in starts for folder in (start, *start.parents) for part in SHARED]
    return [*(Path(one).expanduser() for one in (named or "").split(os.pathsep) if one), *above]


def _find_file(name: str) -> Path | None:
    candidates = (folder / f"{name}{suffix}" for folder in _folders() for suffix in (".csv", ".csv.gz"))
    # os.path.isfile, unlike Path.is_file, says no where a folder above may not be read.
    return next((path for path in candidates if os.path.isfile(path)), None)


def _find_raw(name: str) -> Path | None:
    raw = SOURCES[name].raw
    candidates = (folder / raw for folder in _folders()) if raw else ()
    return next((path for path in candidates if os.path.isfile(path)), None)


def _not_found(name: str, openml_says: str = "") -> str:
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    where = f"in {named} (the value of {ENVIRONMENT_VARIABLE}), nor " if named else ""
    return (
        f"Data set {name!r} needs {name}.csv or {name}.csv.gz, found neither {where}in a folder shared/data "
        f"above the working directory or the package{openml_says}: set the environment variable "
        f"{ENVIRONMENT_VARIABLE} to the folder that holds the file. {SOURCES[name].advice}."
    )


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read X, y and the feature names of a benchmark file, gzipped or not.

    X is float64 of shape (n_samples, n_features), y int64 of shape (n_samples,). Contents that are not as
    described raise ValueError, naming the file and the line.
    """
    lines = numbered_lines(_text(path))
    names = tuple(field.strip() for field in lines.pop(1, "").split(","))
    if len(names) < 2 or names[-1] != "label":
        raise ValueError(f"{path}, line 1: expected a header of feature names that ends in 'label'.")
    if not lines:
        raise ValueError(f"{path}, line 2: expected samples after the header, found none.")
    table = number_matrix(list(lines.values()), ",")
    if table is None or table.shape[1] != len(names) or not _is_clean(table):
        raise ValueError(_first_fault(path, lines, len(names)))
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64), names[:-1]


def read_coded(path: Path, name: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read X, y and the feature names of a file of words, by the coding of the data set."""
    header, *rows = csv.reader(_text(path).splitlines())
    return coded(name, header, rows, str(path))


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from error


def _is_clean(table: np.ndarray) -> bool:
    labels = table[:, -1]
    return bool(np.isfinite(table).all() and (labels == np.rint(labels)).all())


def _first_fault(path: Path, lines: dict[int, str], n_columns: int) -> str:
    """Say what is wrong in the first faulty line, by reading them one at a time."""
    for number, line in lines.items():
        n_fields = line.count(",") + 1
        if n_fields != n_columns:
            return f"{path}, line {number}: expected {n_columns} values as in the header, found {n_fields}."
        row = number_matrix([line], ",")
        if row is None:
            return f"{path}, line {number}: expected numbers only, found {line[:60]!r}."
        if not _is_clean(row):
            wanted = "finite features and an integer label"
            return f"{path}, line {number}: expected {wanted}, found {line[-60:]!r}."
    raise AssertionError(f"{path}: the lines can be read one by one, but not together. Get a new copy of it.")


def fetch(name: str, n_features: int) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Download a data set, give it the labels of our files, and check its size and class counts.

    Returns X, float64 of shape (n_samples, n_features), y, int64 of shape (n_samples,), and the names of the
    features. OSError if OpenML cannot be reached, ValueError if the download is not what it should be.
    """
    data_id, counts = SOURCES[name].openml, dict(SOURCES[name].openml_classes)
    with warnings.catch_warnings():
        # At least one retry must be asked for. Its warning says no more than the error that may follow.
        warnings.filterwarnings("ignore", message="A network error occurred")
        # liac-arff needs no pandas.
        bunch = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff", n_retries=1, delay=0.1)
    labels = np.asarray(bunch.target).astype(str)
    classes, index, found = np.unique(labels, return_inverse=True, return_counts=True)
    expected = list(counts.values())
    if bunch.data.shape != (sum(expected), n_features) or found.tolist() != expected:
        raise ValueError(
            f"OpenML data set {data_id} should be {name!r} of shape {(sum(expected), n_features)} with class "
            f"counts {expected}, but has shape {bunch.data.shape} and counts {found.tolist()} for classes "
            f"{', '.join(classes)}; set KERNELWISE_DATA to a folder that holds {name}.csv instead."
        )
    if name in CODINGS:
        return _coded(name, bunch, labels)
    y = np.array(list(counts), dtype=np.int64)[index]
    X = np.asarray(bunch.data, dtype=np.float64)
    codes = SOURCES[name].codes
    if codes:  # OpenML numbers the words of each column, and names them
        words = [np.array([codes[word] for word in bunch.categories[one]]) for one in bunch.feature_names]
        X = np.column_stack([words[k][X[:, k].astype(int)] for k in range(n_features)]).astype(np.float64)
    is_whole = ~np.isnan(X).any(axis=1)
    return X[is_whole], y[is_whole], tuple(bunch.feature_names)


def _coded(name: str, bunch: Any, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Turn OpenML's numbers of words back into the words, and these into ours; gaps are NaN there."""
    header = list(bunch.feature_names)
    rows = []
    for values, label in zip(np.asarray(bunch.data, dtype=np.float64), labels, strict=True):
        words = [
            "" if np.isnan(value) else str(bunch.categories[column][int(value)])
            for column, value in zip(header, values, strict=True)
        ]
        rows.append([*words, label])
    return coded(name, [*header, CODINGS[name].label], rows, f"OpenML data set {SOURCES[name].openml}")
