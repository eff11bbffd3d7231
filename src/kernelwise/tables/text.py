"""From the bytes of a file to its text: gzip, and encodings that people have."""

from __future__ import annotations

import codecs
import gzip
import re
import sys
import zlib
from pathlib import Path

from kernelwise.tables.table import TableError

#: Marks at the beginning of a file; that of UTF-32 begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NO_TEXT = re.compile("[\x00-\x08\x0e-\x1a]")
GZIP = b"\x1f\x8b"
STANDARD_INPUT = "-"


def read_bytes(path: Path) -> bytes:
    """The contents of a file, unpacked if they are gzip's, whatever the name says; - is standard input."""
    try:
        raw = sys.stdin.buffer.read() if str(path) == STANDARD_INPUT else path.read_bytes()
    except FileNotFoundError as error:
        raise TableError(
            f"There is no file {path}. Check the name, and the folder in which you run the command."
        ) from error
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}.") from error
    if raw.startswith(GZIP):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise TableError(
                f"{path} is not a complete gzip file ({error}). Get a new copy of it."
            ) from error
    elif path.suffix == ".gz":
        raise TableError(f"{path} is not a gzip file, despite its name. Rename it, or get a new copy.")
    return raw


def decode(raw: bytes, path: Path) -> tuple[str, list[str]]:
    """The text, and a sentence if its encoding was guessed."""
    name = next((name for mark, name in MARKS if raw.startswith(mark)), "utf-8")
    notes: list[str] = []
    try:
        text = raw.decode(name)
    except UnicodeDecodeError as error:
        if name != "utf-8":
            raise TableError(
                f"{path} is not the {name.removesuffix('-sig').upper()} text that its first bytes announce. "
                "Save it as UTF-8."
            ) from error
        line = raw[: error.start].count(b"\n") + 1
        text = _windows_text(raw, path, line)
        read = "it was read as Windows-1252. Check letters with accents."
        notes.append(f"{path} is not UTF-8 (line {line}); {read}")
    if NO_TEXT.search(text):
        raise TableError(f"{path} is not a text file. Give CSV, TSV, Parquet or LIBSVM data.")
    return text, notes


def _windows_text(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path}, line {line}: the text is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from error
