"""Machine code on disk: the files that it is made of, where it is kept, and how it is read and written."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

logger = logging.getLogger("kernelwise")

DIGEST = hashlib.sha256().digest_size
LONG_AGO = 3600.0  # seconds


class Sources:
    """Source files of compiled functions, and their ``state``: a hash of what they contained at first.

    They are looked at when Python imports them: what is imported stays as it is when a file changes later.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self.files = tuple(files)
        self.state = self._now()

    def check(self) -> None:
        """Refuse to compile what is no longer, or not at all, in the files."""
        if self.state is None:
            raise RuntimeError(
                "kernelwise compiles its loops from its source files, and they are missing here: install "
                "kernelwise with its .py files."
            )
        if self._now() != self.state:
            raise RuntimeError(
                f"The source files of kernelwise in {self.files[0].parent} have changed since Python "
                "imported them, so that they cannot be compiled now: start Python again."
            )

    def _now(self) -> str | None:
        try:
            return hashed(*(file.read_bytes() for file in self.files)) if self.files else None
        except OSError:
            return None


def folders(sources: Path) -> list[Path]:
    """Where machine code may be kept: KERNELWISE_CACHE_DIR, or else beside the sources, or with the user."""
    given = os.environ.get("KERNELWISE_CACHE_DIR")
    if given:
        return [Path(given).expanduser()]
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    # A user without a home has "~" there, which would be a folder where the program happens to run.
    return [sources / "__pycache__", *([Path(user) / "kernelwise"] if os.path.isabs(user) else [])]


def folder_for(sources: Path) -> Path | None:
    """The first folder to write to; what is in another one is used as well."""
    for folder in folders(sources):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    _say_that_nothing_is_kept()
    return None


def read(file: Path) -> bytes | None:
    """Machine code that was kept, or None if there is none. LLVM would not notice that it is damaged."""
    try:
        contents = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        logger.warning(f"The compiled code in {file} could not be loaded: {error!r}.")
        return None
    digest, code = contents[:DIGEST], contents[DIGEST:]
    if hashlib.sha256(code).digest() == digest:
        return code
    logger.warning(f"The compiled code in {file} could not be loaded: the file is damaged.")
    return None


def keep(file: Path, name: str, code: bytes) -> None:
    """Keep machine code instead of that of another state of the sources, which nobody has any more."""
    part = file.with_suffix(f".{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        part.write_bytes(hashlib.sha256(code).digest() + code)
        part.replace(file)
    except OSError as error:
        logger.warning(f"The compiled code of {name} could not be saved: {error!r}.")
        with suppress(OSError):
            part.unlink(missing_ok=True)
        return
    for other in file.parent.glob(f"{name}-*"):
        with suppress(OSError):  # in use, or gone already
            # Another process may be writing; or it did, and was ended before it was done.
            if other != file and (other.suffix == ".o" or time.time() - other.stat().st_mtime > LONG_AGO):
                other.unlink()


def hashed(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


@lru_cache
def _say_that_nothing_is_kept() -> None:
    logger.warning(
        "kernelwise found no folder to keep compiled code in, so every process compiles it again, which "
        "takes up to a second. Set KERNELWISE_CACHE_DIR to a folder with write permission."
    )
