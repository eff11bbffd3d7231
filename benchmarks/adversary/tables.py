"""Small files of every format that the command line reads, and what goes wrong with files."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

ROWS = 24
TOWNS = ("Köln", "Zürich", "Ulm")
#: What a cell may hold that is not meant for it.
ODD = (
    *(",", ";", "|", ":", "#", "'", "-", "--", ".", "?", "nan", "NaN", "inf", "-inf", "1_0", "0x1F", "1,5"),
    *("1.234,5", "<5", ">=3", "N/A", "NULL", "True", "1:1", "0:1", "-1:1", "PAR1", "PK", "%s", "{}"),
    *("[red]x[/red]", "=1+1", "2024-01-03", "12%", "<html>", "class", "a", "é", "𝔘", "", " ", '"', '""'),
    *('"a', "\t", "\r", "\n", "\x00", "\x0b", "\x1b[31mred\x1b[0m", "\u2028", "\u202e", "12 %", "€ 5"),
    *('{"a": 1}', "x" * 300),
)
#: Numbers of which some are too much for somebody.
NUMBERS = (
    *("0", "-0", "1", "-1", "1e999", "1e308", "-1e308", "1e300", "1e155", "-1e154", "1e100", "1e38", "1e19"),
    *("-1e19", "9007199254740993", "1e9", "1e-9", "1e-19", "1e-154", "1e-300", "5e-324", "1e-320", "nan"),
    *("inf", "-inf", "99999999999999999999", "3.5", "1.7976931348623157e308"),
)
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "cp437", "utf-7")
MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b", b"PAR1", b"PK\x03\x04", b"\x00", b"# note\n")


def whole_files() -> dict[str, bytes]:
    """Files without a fault: the iris data in the formats that people have, by name."""
    from sklearn.datasets import load_iris

    iris = load_iris()
    rows = [*range(0, 150, 150 // ROWS)][:ROWS]
    X, y = iris.data[rows], iris.target[rows]
    kinds = [str(iris.target_names[label]) for label in y]
    towns = [TOWNS[k % 3] for k in range(ROWS)]
    named = ["a,b,town,class", *(f"{x[0]},{x[1]},{t},{c}" for x, t, c in zip(X, towns, kinds, strict=True))]
    commas = [f"{x[0]};{x[1]};{t};{c}".replace(".", ",") for x, t, c in zip(X, towns, kinds, strict=True)]
    quoted = [",".join(f'"{cell}"' for cell in line.split(",")) for line in named]
    plain = [f"{x[0]},{x[1]},{x[2]},{label}" for x, label in zip(X, y, strict=True)]
    tabs = ["size\twidth\ty", *(f"{x[0]}\t{x[1]}\t{x[3]}" for x in X)]
    libsvm = [f"{label} 1:{x[0]} 3:{x[2]} 7:{x[3]}" for x, label in zip(X, y, strict=True)]
    texts = {
        "named.csv": named,
        "quoted.csv": quoted,
        "plain.csv": plain,
        "numbers.tsv": tabs,
        "some.svm": libsvm,
    }
    files = {name: "\n".join(lines).encode() + b"\n" for name, lines in texts.items()}
    files["commas.txt"] = "\r\n".join(["größe;breite;ort;class", *commas]).encode("cp1252")
    files["some.parquet"] = parquet({"a": X[:, 0].tolist(), "town": towns, "class": kinds})
    return files


def parquet(columns: dict[str, list[Any]]) -> bytes:
    """A Parquet file."""
    import pyarrow
    from pyarrow import parquet as writer

    sink = io.BytesIO()
    writer.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def mutated(draw: random.Random, name: str, contents: bytes) -> tuple[str, bytes]:
    """The name and contents of a file with one to four faults."""
    if name.endswith(".parquet") and draw.random() < 0.4:
        contents = _odd_parquet(draw)
    changes = BYTES if name.endswith(".parquet") else (*TEXT, *BYTES)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        contents = draw.choice(changes)(draw, contents)
    if draw.random() < 0.1:
        packed = gzip.compress(contents, mtime=0)
        name, contents = f"{name}.gz", draw.choice([packed, packed, packed[:-5], _flip(draw, packed)])
    if draw.random() < 0.05:
        name = draw.choice(["x.csv", "x.tsv", "x.svm", "x.parquet", "x.xlsx", "x", "x.csv.gz"])
    return name, contents


def _odd_parquet(draw: random.Random) -> bytes:
    columns: dict[str, list[Any]] = {
        "a": [draw.choice([1.0, None, float("nan"), float("inf"), 1e300]) for _ in range(ROWS)],
        "n": [draw.choice([2**53 + 1, -1, None]) for _ in range(ROWS)],
        "when": [datetime(2024, 1, k + 1) for k in range(ROWS)],
        "list": [[k] for k in range(ROWS)],
        "bytes": [b"\xff"] * ROWS,
        "text": [draw.choice(ODD) for _ in range(ROWS)],
        "true": [k % 2 == 0 for k in range(ROWS)],
        "none": [None] * ROWS,
    }
    kept = draw.sample(sorted(columns), draw.randint(0, 4))
    named = {draw.choice([name, "class", "", "\x1b[31m"]): columns[name] for name in kept}
    return parquet({**named, "class": [k % 2 for k in range(ROWS)]})


def _place(draw: random.Random, contents: bytes) -> int:
    return draw.randrange(len(contents) + 1)


def _flip(draw: random.Random, contents: bytes) -> bytes:
    flipped = bytearray(contents)
    for _ in range(draw.choice([1, 3, 10]) if contents else 0):
        flipped[draw.randrange(len(flipped))] ^= 1 << draw.randrange(8)
    return bytes(flipped)


def _cut(draw: random.Random, contents: bytes) -> bytes:
    begin, length = _place(draw, contents), draw.choice([1, 3, 10, 60, 10**9])
    return contents[:begin] + contents[begin + length :]


def _put(draw: random.Random, contents: bytes) -> bytes:
    place = _place(draw, contents)
    return contents[:place] + draw.choice(ODD).encode() + contents[place:]


def _mark(draw: random.Random, contents: bytes) -> bytes:
    return draw.choice(MARKS) + contents


def _recode(draw: random.Random, contents: bytes) -> bytes:
    return contents.decode("utf-8", "replace").encode(draw.choice(ENCODINGS), "replace")


def _lines(change: Callable[[random.Random, list[bytes]], Any]) -> Callable[[random.Random, bytes], bytes]:
    def changed(draw: random.Random, contents: bytes) -> bytes:
        lines = contents.split(b"\n")
        change(draw, lines)
        return b"\n".join(lines)

    return changed


def _separator(draw: random.Random, contents: bytes) -> bytes:
    old, new = (draw.choice([b",", b";", b"\t", b" ", b"|", b":", b'"']) for _ in range(2))
    return contents.replace(old, new, draw.choice([-1, 1, 5]))


def _in_line(draw: random.Random, line: bytes, odd: tuple[str, ...] = ODD) -> bytes:
    separator = next((mark for mark in (b"\t", b";", b",", b" ") if mark in line), b",")
    cells = line.split(separator)
    cells[draw.randrange(len(cells))] = draw.choice(odd).encode()
    return separator.join(cells)


def _cell(draw: random.Random, lines: list[bytes]) -> None:
    k = draw.randrange(len(lines))
    lines[k] = _in_line(draw, lines[k])


def _number(draw: random.Random, lines: list[bytes]) -> None:
    for _ in range(draw.choice([1, 1, 3, 30])):
        k = draw.randrange(len(lines))
        lines[k] = _in_line(draw, lines[k], NUMBERS)


def _scale(draw: random.Random, lines: list[bytes]) -> None:
    """Numbers of all lines get one exponent."""
    power = draw.choice([b"e300", b"e150", b"e30", b"e19", b"e-19", b"e-150", b"e-300", b"e-310"])
    place = draw.randrange(5)
    for k, line in enumerate(lines):
        cells = line.split(b",")
        if place < len(cells) and cells[place].replace(b".", b"").isdigit():
            cells[place] += power
            lines[k] = b",".join(cells)


def _column(draw: random.Random, lines: list[bytes]) -> None:
    """One column of most lines holds a few odd texts."""
    place, odd = draw.randrange(5), draw.sample(ODD, draw.randint(1, 3))
    for k, line in enumerate(lines):
        cells = line.split(b",")
        if place < len(cells) and draw.random() < 0.7:
            cells[place] = draw.choice(odd).encode()
            lines[k] = b",".join(cells)


def _repeat(draw: random.Random, lines: list[bytes]) -> None:
    k = draw.randrange(len(lines))
    lines[k:k] = [lines[k]] * draw.choice([1, 2, 10])


def _remove(draw: random.Random, lines: list[bytes]) -> None:
    k = draw.randrange(len(lines))
    del lines[k : k + draw.choice([1, 1, 5, 100])]


def _end_lines(draw: random.Random, lines: list[bytes]) -> None:
    end = draw.choice([b",", b",,", b"\r", b" ", b'"', b";", b" # note"])
    lines[:] = [line + end for line in lines]


def _shuffle(draw: random.Random, lines: list[bytes]) -> None:
    draw.shuffle(lines)


CHANGES = (
    *(_cell, _cell, _number, _number, _number, _scale, _scale, _column, _column),
    *(_repeat, _remove, _end_lines, _shuffle),
)
BYTES = (_flip, _cut, _put, _mark)
TEXT = (
    *(_separator, _recode),
    *map(_lines, CHANGES),
)
