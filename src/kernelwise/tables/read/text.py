"""From the bytes of a file to its text: gzip, encodings, and kinds of files that hold no table."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zipfile
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
SHEET = "Save the sheet as CSV (in Excel: File, Save as, CSV UTF-8) and run the command on that file."
TABLE = "Write its table as CSV and run the command on that file."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: First bytes, what begins with them, and what to do.
BEGINNINGS = (
    (b"%PDF-", "a PDF document", TABLE),
    (b"\x89PNG", "a picture", "Give the numbers behind it as CSV."),
    (b"\xff\xd8\xff", "a picture", "Give the numbers behind it as CSV."),
    (b"GIF8", "a picture", "Give the numbers behind it as CSV."),
    (b"BZh", "packed with bzip2", "Unpack it, or pack it with gzip."),
    (b"\xfd7zXZ", "packed with xz", "Unpack it, or pack it with gzip."),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "Unpack it, or pack it with gzip."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it and give the file that is inside."),
    (b"SQLite format 3", "a SQLite database", TABLE),
    (b"\x89HDF", "an HDF5 file", TABLE),
    (b"ARROW1", "an Arrow (Feather) file", "Write its table as Parquet or CSV."),
    (b"ORC", "an ORC file", "Write its table as Parquet or CSV."),
    (b"\x93NUMPY", "a NumPy array", "Write it as CSV, for example with numpy.savetxt."),
    (b"$FL2", "an SPSS file", TABLE),
    (b"<stata_dta>", "a Stata file", TABLE),
    (b"<?xml", "an XML file", TABLE),
    (b"<!doctype html", "a web page, whatever its name says", TABLE),
    (b"<html", "a web page, whatever its name says", TABLE),
    (b'{"', "a JSON file", TABLE),
    (b"[{", "a JSON file", TABLE),
    (b"@relation", "an ARFF file", "Keep what is below @data, with the names of the columns in line 1."),
)
WORKBOOKS = ("an Excel workbook", "an OpenDocument file")
#: Names inside a zip archive, what such an archive is, and what to do.
INSIDE = (
    ("xl/", "an Excel workbook", SHEET),
    ("content.xml", "an OpenDocument file", SHEET),
    ("Index/", "a Numbers document", SHEET),
    ("word/", "a Word document", TABLE),
    ("model.json", "a model of kernelwise", "Give a file of rows; a model is for `kernelwise predict`."),
)


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


def is_workbook(raw: bytes) -> bool:
    """Whether the bytes are those of an Excel or OpenDocument workbook, as far as their beginning tells."""
    if raw.startswith(OLE):
        return True
    return raw.startswith(ZIP) and _archive(raw)[0] in WORKBOOKS


def refuse_other_kinds(raw: bytes, path: object) -> None:
    """Raise if the bytes are those of a workbook, a picture or another file without a table to read."""
    if raw.startswith(ZIP):
        kind, advice = _archive(raw)
        raise TableError(f"{path} is {kind}. {advice}")
    beginning = raw[:100].lstrip().lower()
    for mark, kind, advice in BEGINNINGS:
        is_it = raw.startswith(mark) or (mark[:1] in b"<{[@" and beginning.startswith(mark))
        # "BZh" and the like may also be letters of a text file.
        if is_it and not (mark.isalnum() and _is_text(raw)):
            raise TableError(f"{path} is {kind}. {advice}")


def _archive(raw: bytes) -> tuple[str, str]:
    try:
        names = zipfile.ZipFile(io.BytesIO(raw)).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return "a zip archive that is not complete", "Get a new copy of it."
    for inside, kind, advice in INSIDE:
        if any(name.startswith(inside) for name in names):
            return kind, advice
    return "a zip archive", "Unpack it and give the file that is inside."


def _is_text(raw: bytes) -> bool:
    return all(byte >= 32 or byte in b"\t\r\n" for byte in raw[:200]) and b"\n" in raw[:10_000]
