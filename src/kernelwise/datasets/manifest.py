"""The data sets `load` knows (``manifest.toml``): sizes, parts, sources, conversions, hashes of the values.

`read_raw` turns the file that a source publishes into ours, so that a downloaded file needs no hands.
"""

from __future__ import annotations

import difflib
import hashlib
import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kernelwise.tables.read.text import read_bytes

#: What stands for a missing value.
MISSING = ("", "?", "nan")
#: Lines of a header in files of Weka and KEEL, and their comments.
HEADER = ("@", "%")
PARTS = ("train", "test")


class Entry(NamedTuple):
    """Size and origin of one data set."""

    n_samples: int
    n_features: int
    n_classes: int
    origin: str


@dataclass(frozen=True)
class Source:
    """An entry of the manifest; ``manifest.toml`` says what its fields mean."""

    origin: str
    size: tuple[int, int, int]
    url: str
    conversion: str
    sha256: str
    rows: str
    raw: str = ""
    separator: str = ","
    form: str = "table"
    label: int = -1
    drop: tuple[int, ...] = ()
    lines: tuple[int, int] | None = None
    letters: str = ""
    codes: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    openml: int | None = None
    openml_classes: tuple[tuple[int, int], ...] = ()

    @property
    def advice(self) -> str:
        """What to do by hand where no copy was found."""
        if self.raw:
            return f"Download {self.raw} from {self.url} into a folder: kernelwise reads it as it is"
        return f"Make the file from {self.url} ({self.conversion})"


def _source(**entry: object) -> Source:
    codes = entry.get("codes", {})
    if codes == "A-Z":
        codes = {letter: number for number, letter in enumerate(string.ascii_uppercase, start=1)}
    return Source(**{**entry, "codes": codes})  # type: ignore[arg-type]


#: By the name of the data set or of its part.
SOURCES: dict[str, Source] = {
    name: _source(**entry)
    for name, entry in tomllib.loads(
        files(__package__).joinpath("manifest.toml").read_text(encoding="utf-8")
    ).items()
}


#: One entry per file.
FILES = {name: Entry(*source.size, source.origin) for name, source in SOURCES.items()}
WITH_PARTS = tuple(name.removesuffix("_train") for name in FILES if name.endswith("_train"))


def available() -> dict[str, Entry]:
    """Return the size and origin of every data set that `load` knows, by name.

    A set with official parts is listed as a whole (``"letter"``) and by part (``"letter_train"`` and
    ``"letter_test"``).

    Examples
    --------
    >>> from kernelwise.datasets import available
    >>> available()["letter"].n_samples
    20000
    """
    wholes = {}
    for name in WITH_PARTS:
        train, test = (FILES[f"{name}_{part}"] for part in PARTS)
        wholes[name] = train._replace(n_samples=train.n_samples + test.n_samples)
    return dict(sorted((FILES | wholes).items()))


def resolve(name: str, part: str | None) -> list[str]:
    """Return the names of the files that make up a data set, or raise with what could have been meant."""
    known = available()
    if name not in known:
        close = difflib.get_close_matches(str(name), known, n=4)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        raise ValueError(
            f"There is no data set {name!r}; {hint}kernelwise.datasets.available() lists all names."
        )
    if part is not None and part not in PARTS:
        raise ValueError(f"'part' of load must be 'train', 'test' or None, got {part!r}.")
    if name in WITH_PARTS:
        return [f"{name}_{p}" for p in PARTS if part in (None, p)]
    if part is not None:
        raise ValueError(
            f"Data set {name!r} has no parts to choose from, so part={part!r} cannot be given; "
            f"sets with official parts are {', '.join(WITH_PARTS)}."
        )
    return [name]


def content_hash(X: np.ndarray, y: np.ndarray) -> str:
    """SHA-256 of features and labels, row by row, as little-endian float64 and int64; −0 counts as 0."""
    digest = hashlib.sha256((np.asarray(X, dtype="<f8") + 0.0).tobytes())
    digest.update(np.asarray(y, dtype="<i8").tobytes())
    return digest.hexdigest()


def rows_hash(X: np.ndarray, y: np.ndarray) -> str:
    """`content_hash` of the rows in lexical order: that of the same rows in any order."""
    order = np.lexsort((y, *X.T[::-1]))
    return content_hash(X[order], y[order])


def fields_of(path: Path, source: Source) -> Iterator[list[str]]:
    """The words of each line of a source's own file, without headers; blanks may stand for a separator."""
    lines = [line.strip() for line in read_bytes(path).decode("utf-8-sig").splitlines()]
    lines = [line for line in lines if line and not line.startswith(HEADER)]
    start, stop = source.lines or (0, len(lines))
    for line in lines[start:stop]:
        words = line.split() if source.separator == " " else line.split(source.separator)
        yield [word.strip() for word in words]


def read_raw(path: Path, source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of a source's own file; ValueError names the row and the word that is no number."""
    if source.form == "libsvm":
        return _read_libsvm(path)
    table = []
    for number, words in enumerate(fields_of(path, source), start=1):
        label = words.pop(source.label)
        row = [word for k, word in enumerate(words) if k not in source.drop]
        if source.letters:
            places = {letter: str(place) for place, letter in enumerate(source.letters, start=1)}
            row = [places.get(letter, MISSING[0]) for letter in row[-1]]
        if not any(word.lower() in MISSING for word in row):
            table.append([_number(word, source, path, number) for word in (*row, label)])
    return _split(table, path)


def _number(word: str, source: Source, path: Path, number: int) -> float:
    try:
        return float(source.codes.get(word, word))
    except ValueError:
        raise ValueError(
            f"{path}, row {number}: {word!r} is not a number. Get a new copy from {source.url}."
        ) from None


def _read_libsvm(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Lines such as "2 1:0.5 3:-1": the label, and the values of the features that are not zero."""
    lines = [line.split() for line in read_bytes(path).decode("utf-8-sig").splitlines() if line.strip()]
    pairs = [[pair.split(":") for pair in words[1:]] for words in lines]
    table = np.zeros((len(lines), 1 + max((int(k) for row in pairs for k, _ in row), default=0)))
    for row, words, values in zip(table, lines, pairs, strict=True):
        row[-1] = float(words[0])
        for k, value in values:
            row[int(k) - 1] = float(value)
    return _split(table.tolist(), path)


def _split(table: list[list[float]], path: Path) -> tuple[np.ndarray, np.ndarray]:
    if not table or len({len(row) for row in table}) > 1:
        raise ValueError(f"{path} has no rows, or rows of different lengths. Get a new copy of it.")
    numbers = np.array(table, dtype=np.float64)
    return np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1].astype(np.int64)
