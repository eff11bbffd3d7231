"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole_file(path: Any, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file under a temporary name and rename it at the end: a reader never meets half a file.

    ``mode`` and ``options`` are as of `open`.
    """
    path = Path(path).resolve()  # a link stays one
    if path.exists() and not path.is_file():  # a device or a pipe, which nothing may take the place of
        with open(path, mode, **options) as file:
            yield file
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"There is no folder for {path.name!r}", str(path.parent))
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    except OSError as error:  # of which the temporary name says nothing
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, mode, **options) as file:
            yield file
        # Temporary files are for their owner alone.
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else _usual_mode())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _usual_mode() -> int:
    """What `open` would give a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
