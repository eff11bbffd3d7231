"""Kinds of files that hold no table we can read, by their first bytes: one sentence on what to do."""

from __future__ import annotations

import io
import zipfile

from kernelwise.tables.table import TableError

SHEET = "Save the sheet as CSV (in Excel: File, Save as, CSV UTF-8) and run the command on that file."
TABLE = "Write its table as CSV and run the command on that file."
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: First bytes, what begins with them, and what to do.
BEGINNINGS = (
    (OLE, "an Excel workbook or another old Office file", SHEET),
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
#: Names inside a zip archive, what such an archive is, and what to do.
INSIDE = (
    ("xl/", "an Excel workbook", SHEET),
    ("content.xml", "an OpenDocument file", SHEET),
    ("Index/", "a Numbers document", SHEET),
    ("word/", "a Word document", TABLE),
    ("model.json", "a model of kernelwise", "Give a file of rows; a model is for `kernelwise predict`."),
)


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
