"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kernelwise._core.typing import PathLike


@contextmanager
def whole_file(path: PathLike, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file under a temporary name and rename it at the end: a reader never meets half a file.

    ``mode`` and ``options`` are as of `open`.
    """
    path = Path(path).resolve()  # a link stays one
    if path.exists() and not path.is_file():  # a device or a pipe, which nothing may take the place of
        with _errors_named(path), open(path, mode, **options) as file:
            yield file
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"There is no folder for {path.name!r}", str(path.parent))
    with _errors_named(path):
        # A part of the name: a disk that takes the whole one may not take a longer one.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name[:40], suffix=".part")
    try:
        with os.fdopen(handle, mode, **options) as file:
            yield file
        # Temporary files are for their owner alone.
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else _usual_mode())
        with _errors_named(path):  # Windows refuses while another program has the file open
            os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """Raise errors with the name of the file: the temporary name says nothing to a user."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # a sentence of Python, not of the system
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None


def _usual_mode() -> int:
    """What `open` would give a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
