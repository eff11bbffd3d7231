"""A file that remembers finished work, so that what was interrupted goes on where it was.

One line of JSON for each finished cell, after a first line that says what the cells belong to. Lines are only
ever added, each is on the disk before the next cell is begun, and a last line that was cut off by a crash is
dropped: a journal loses at most the cell that was being written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from scipy import sparse

from kernelwise._core.lock import lock

FORMAT = 1


def fingerprint(X: Any, y: Any) -> str:
    """A hash of samples (array or sparse matrix) and targets: their values, types and shapes."""
    digest = hashlib.sha256()
    if sparse.issparse(X):
        X = X.tocsr()
        parts = [np.asarray(X.shape), X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
    else:
        parts = [np.asarray(X)]
    for part in (*parts, np.asarray(y)):
        part = part.astype(str) if part.dtype.kind == "O" else part
        digest.update(f"{part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


class Journal(MutableMapping[str, Any]):
    """A mapping from names of cells to JSON values, kept in a file; nobody else may have it open.

    Parameters
    ----------
    path : path-like
        Made if it does not exist.
    about : mapping from str to JSON values
        What the cells depend on: a fingerprint of the data, options. A journal about something else is
        refused.

    Raises
    ------
    ValueError
        If the file is no journal, is about something else, is damaged, or is in use.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from kernelwise._core.journal import Journal
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "work.journal"
    >>> with Journal(path, {"folds": 5}) as journal:
    ...     journal["first"] = [0.9, 1.5]
    >>> with Journal(path, {"folds": 5}) as journal:
    ...     dict(journal)
    {'first': [0.9, 1.5]}
    """

    def __init__(self, path: Any, about: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._cells: dict[str, Any] = {}
        self._handle = os.open(
            self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666
        )
        try:
            if not lock(self._handle):
                raise ValueError(
                    f"The journal {self.path} is in use by another process. Wait, or name another file."
                )
            self._read(_line({"kernelwise journal": FORMAT, **about}))
        except BaseException:
            self.close()
            raise
        #: Cells that were there when the journal was opened.
        self.n_found = len(self._cells)

    def _read(self, head: bytes) -> None:
        whole, newline, torn = self.path.read_bytes().rpartition(b"\n")
        lines = whole.split(b"\n") if newline else []
        if not lines:
            if not head.startswith(torn):  # somebody's file, not a first line that was cut off
                raise ValueError(self._no_journal())
            os.ftruncate(self._handle, 0)
            self._append(head)
            return
        self._check_head(lines[0], head)
        for number, line in enumerate(lines[1:], start=2):
            self._cells.update([self._cell(line, number)])
        if torn:
            os.ftruncate(self._handle, len(whole) + 1)

    def _check_head(self, line: bytes, head: bytes) -> None:
        try:
            found = json.loads(line)
            version = found["kernelwise journal"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(self._no_journal()) from error
        if version != FORMAT:
            raise ValueError(
                f"The journal {self.path} has format {version}, and this version of kernelwise writes "
                f"{FORMAT}. Name another file."
            )
        wanted = json.loads(head)
        for name in {**wanted, **found}:
            if found.get(name) != wanted.get(name):
                raise ValueError(
                    f"The journal {self.path} is of other work: its {name} is {_short(found.get(name))}, not "
                    f"{_short(wanted.get(name))}. Name another file, or remove it to begin anew."
                )

    def _cell(self, line: bytes, number: int) -> tuple[str, Any]:
        try:
            key, value = json.loads(line)
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(
                f"The journal {self.path} is damaged in line {number}. Remove the line, or name another file."
            ) from error
        return str(key), value

    def _no_journal(self) -> str:
        return f"{self.path} is not a journal of kernelwise, and is left as it is. Name another file."

    def _append(self, line: bytes) -> None:
        """Write all of a line, and wait until it is on the disk."""
        while line:
            line = line[os.write(self._handle, line) :]
        os.fsync(self._handle)

    def __getitem__(self, key: str) -> Any:
        return self._cells[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._append(_line([key, value]))
        self._cells[key] = value

    def __delitem__(self, key: str) -> None:
        raise TypeError("a journal only grows")

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def close(self) -> None:
        """Let others open it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _short(value: Any) -> str:
    text = "missing" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
