"""Reads a data file: a header, numeric features, and the class as an integer in the last column, `label`."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Read a data file, gzipped if its name ends in ``.gz``.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
    y : ndarray of shape (n_samples,), int64
    feature_names : tuple of str

    Raises
    ------
    ValueError
        Naming the file and the line, when the contents are not as described.
    """
    lines = _read_lines(path)
    names = tuple(field.strip() for field in lines[0].split(",")) if lines else ()
    if len(names) < 2 or names[-1] != "label":
        raise ValueError(f"{path}, line 1: expected a header of feature names that ends in 'label'.")
    body = {number: line for number, line in enumerate(lines[1:], start=2) if line.strip()}
    if not body:
        raise ValueError(f"{path}, line 2: expected samples after the header, found none.")
    try:
        table = _parse(list(body.values()))
    except ValueError as error:
        raise ValueError(_first_fault(path, body, len(names))) from error
    if table.shape[1] != len(names) or not _is_clean(table):
        raise ValueError(_first_fault(path, body, len(names)))
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64), names[:-1]


def _read_lines(path: Path) -> list[str]:
    raw = path.read_bytes()
    try:
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a complete gzip file ({error}). Get a new copy of it.") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not UTF-8 text. Save the file as UTF-8.") from error
    return text.splitlines()


def _parse(lines: list[str]) -> np.ndarray:
    return np.loadtxt(lines, delimiter=",", ndmin=2, comments=None)


def _is_clean(table: np.ndarray) -> bool:
    labels = table[:, -1]
    return bool(np.isfinite(table).all() and (labels == np.rint(labels)).all())


def _first_fault(path: Path, body: dict[int, str], n_columns: int) -> str:
    """Say what is wrong in the first faulty line, by reading them one at a time."""
    for number, line in body.items():
        n_fields = line.count(",") + 1
        if n_fields != n_columns:
            return f"{path}, line {number}: expected {n_columns} values as in the header, found {n_fields}."
        try:
            row = _parse([line])
        except ValueError:
            return f"{path}, line {number}: expected numbers only, found {line[:60]!r}."
        if not _is_clean(row):
            return (
                f"{path}, line {number}: expected finite features and an integer label, found {line[-60:]!r}."
            )
    raise AssertionError(f"{path}: every line reads well alone, but not together.")
