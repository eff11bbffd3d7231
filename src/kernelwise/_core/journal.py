"""A file that remembers finished work, so that an interrupted run goes on where it stopped.

The file is an SQLite database: a table of what the cells belong to, and a table of finished cells, in JSON,
each with a checksum: what was changed by hand is no finished work.
Rows are only ever added, and each is on the disk before the next cell is begun: a process that is killed
loses at most the cell that it was writing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import PathLike, RowsLike, is_sparse

#: What the header of the file says: "KWJL", and the version of the tables. Version 1 was lines of JSON, and 2
#: had no checksums.
APPLICATION, FORMAT = 0x4B574A4C, 3
MISSING = object()  # None is a value


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
    OSError
        If the file cannot be opened or written.

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

    def __init__(self, path: PathLike, about: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._cells: dict[str, Any] = {}
        self._one_writer = Lock()
        self._is_closed = False
        head = {name: _json(value) for name, value in about.items()}
        with self._errors_as_sentences():
            # An absolute path is never one of SQLite's names for databases without a file.
            self._database = sqlite3.connect(
                self.path.absolute(), timeout=0.0, isolation_level=None, check_same_thread=False
            )
            self._database.text_factory = bytes  # JSON decodes them, and refuses what cannot be decoded
            try:
                self._begin(head)
            except BaseException:
                self._database.close()
                raise
        #: Cells that were there when the journal was opened.
        self.n_found = len(self._cells)

    def _begin(self, head: dict[str, str]) -> None:
        """Lock the file until it is closed, and read it; write the head of a new one."""
        run = self._database.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        run("PRAGMA synchronous = EXTRA")
        run("BEGIN EXCLUSIVE")
        if not self.path.stat().st_size:
            run(f"PRAGMA application_id = {APPLICATION}")
            run(f"PRAGMA user_version = {FORMAT}")
            for table in ("about", "cells"):
                run(f"CREATE TABLE {table} (name TEXT NOT NULL, value TEXT NOT NULL, checksum TEXT NOT NULL)")
            for name, value in head.items():
                run("INSERT INTO about VALUES (?, ?, ?)", (name, value, _checksum(name, value)))
        self._check_head({name: json.loads(value) for name, value in head.items()})
        self._cells = self._rows("cells")
        # Writing anything makes SQLite take over, and in the end remove, the file that a killed process left.
        run(f"PRAGMA user_version = {FORMAT}")
        run("COMMIT")

    def _check_head(self, wanted: dict[str, Any]) -> None:
        application, version = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        if application != APPLICATION:
            raise ValueError(self._no_journal())
        if version != FORMAT:
            raise ValueError(
                f"The journal {self.path} has format {version}, but this version of kernelwise writes "
                f"{FORMAT}. Use another file."
            )
        found = self._rows("about")
        for name in {**wanted, **found}:
            there, here = found.get(name, MISSING), wanted.get(name, MISSING)
            if there != here:
                raise ValueError(
                    f"The journal {self.path} belongs to another run: its {name} is {_short(there)}, not "
                    f"{_short(here)}. Use another file, or remove this one to start again."
                )

    def _rows(self, table: str) -> dict[str, Any]:
        rows = self._database.execute(f"SELECT name, value, checksum FROM {table} ORDER BY rowid").fetchall()
        try:
            for name, value, check in rows:
                if _checksum(name.decode(), value.decode()) != check.decode():
                    raise ValueError(f"the part {_short(name.decode())!r} was changed")
            return {name.decode(): json.loads(value) for name, value, _ in rows}
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(self._damaged(f" ({error})")) from error

    @contextmanager
    def _errors_as_sentences(self) -> Iterator[None]:
        try:
            yield
        except UnicodeDecodeError as error:  # not even the names in the file can be read
            raise ValueError(self._damaged()) from error
        except sqlite3.Error as error:
            if self._is_closed:
                raise OSError(f"The journal {self.path} is closed. Open it again to write to it.") from None
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details
            if code == sqlite3.SQLITE_BUSY:
                raise ValueError(
                    f"The journal {self.path} is already open, here or in another process. Close it, or use "
                    "another file."
                ) from error
            if code == sqlite3.SQLITE_NOTADB:
                raise ValueError(self._no_journal()) from error
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
                raise ValueError(self._damaged()) from error
            if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                open(self.path, "ab").close()  # raises what the system says, which is clearer
            raise OSError(
                f"The journal {self.path} cannot be written: {error}. It needs a folder with write "
                "permission and free space."
            ) from error

    def _no_journal(self) -> str:
        with open(self.path, "rb") as file:
            if file.readline(30).startswith(b'{"kernelwise journal": 1'):
                return (
                    f"The journal {self.path} was written by an earlier version of kernelwise, in a format "
                    "that this version cannot read. Use another file, or remove this one to start again."
                )
        return f"{self.path} is not a journal of kernelwise and was not changed. Use another file."

    def _damaged(self, how: str = "") -> str:
        return (
            f"The journal {self.path} is damaged{how}. Use another file, or remove this one to start again."
        )

    def __getitem__(self, key: str) -> Any:
        return self._cells[key]

    def __setitem__(self, key: str, value: object) -> None:
        text = _json(value)
        with self._one_writer, self._errors_as_sentences():
            self._database.execute("INSERT INTO cells VALUES (?, ?, ?)", (key, text, _checksum(key, text)))
        self._cells[key] = value

    def __delitem__(self, key: str) -> None:
        raise TypeError("a journal only grows")

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def close(self) -> None:
        """Let others open it."""
        self._is_closed = True
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _json(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"A journal can store only what JSON can hold, neither NaN nor NumPy numbers: {error}."
        ) from None


def _checksum(name: str, value: str) -> str:
    return hashlib.sha256(f"{len(name)} {name}{value}".encode()).hexdigest()[:16]


def _short(value: object) -> str:
    text = "missing" if value is MISSING else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"


def fingerprint(X: RowsLike, y: ArrayLike) -> str:
    """A hash of samples (array or sparse matrix) and targets: their values, types and shapes."""
    digest = hashlib.sha256()
    if is_sparse(X):
        X = X.tocsr()
        parts = [np.asarray(X.shape), X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data]
    else:
        parts = [np.asarray(X)]
    for part in (*parts, np.asarray(y)):
        part = part.astype(str) if part.dtype.kind == "O" else part
        digest.update(f"{part.dtype.str} {part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
