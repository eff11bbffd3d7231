"""Finds and loads a benchmark data set by name."""

from __future__ import annotations

import http.client
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris

from kernelwise.datasets import openml
from kernelwise.datasets.catalog import FILES, resolve
from kernelwise.datasets.coding import CODINGS
from kernelwise.datasets.csv_file import read_coded, read_csv

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


def load(name: str, *, part: str | None = None) -> Dataset:
    """Load one of the data sets that `available` lists.

    A file ``<name>.csv`` or ``<name>.csv.gz`` is looked for in the folder named by the environment variable
    KERNELWISE_DATA (or several, as in PATH), then in every folder ``shared/data`` and ``shared/data2`` above
    the working directory and above this package.
    Without a file, `load` returns scikit-learn's own copy if there is one, or else OpenML's. These two name
    the features in their own way, and OpenML may have the rows in another order.

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
    if name in SHIPPED_WITH_SKLEARN:
        bunch = SHIPPED_WITH_SKLEARN[name]()
        table = bunch.data.astype(np.float64), bunch.target.astype(np.int64), tuple(bunch.feature_names)
        return _dataset(name, table, "scikit-learn")
    if name not in openml.COPIES:
        raise FileNotFoundError(_not_found(name))
    try:
        table = openml.fetch(name, FILES[name].n_features)
    except (OSError, http.client.HTTPException) as error:
        raise FileNotFoundError(_not_found(name, f", and OpenML could not be reached ({error})")) from error
    return _dataset(name, table, f"OpenML data set {openml.COPIES[name].data_id}")


def _dataset(name: str, table: Table, where: str) -> Dataset:
    X, y, feature_names = table
    expected = FILES[name]
    found = (*X.shape, len(np.unique(y)))
    if found != expected[:3]:
        raise ValueError(
            f"{where} should hold {name!r} with (rows, features, classes) = {expected[:3]}, but has {found}. "
            "Get a new copy of it."
        )
    return Dataset(name, X, y, feature_names, f"{expected.origin}, from {where}")


def _folders() -> list[Path]:
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    starts = [Path.cwd(), Path(__file__).resolve().parent]
    above = [folder / part for start in starts for folder in (start, *start.parents) for part in SHARED]
    return [*(Path(one).expanduser() for one in (named or "").split(os.pathsep) if one), *above]


def _find_file(name: str) -> Path | None:
    candidates = (folder / f"{name}{suffix}" for folder in _folders() for suffix in (".csv", ".csv.gz"))
    # os.path.isfile, unlike Path.is_file, says no where a folder above may not be read.
    return next((path for path in candidates if os.path.isfile(path)), None)


def _not_found(name: str, openml_says: str = "") -> str:
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    where = f"in {named} (the value of {ENVIRONMENT_VARIABLE}), nor " if named else ""
    return (
        f"Data set {name!r} needs {name}.csv or {name}.csv.gz, found neither {where}in a folder shared/data "
        f"above the working directory or the package{openml_says}: set the environment variable "
        f"{ENVIRONMENT_VARIABLE} to the folder that holds the file."
    )
