"""Damaged journals: refused in a sentence that names them, or the answer is that of an undamaged one."""

from __future__ import annotations

import io
import random
import sqlite3
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

from benchmarks.adversary.batches import Attempt
from benchmarks.adversary.processes import COMMANDS, answer
from benchmarks.adversary.tables import BYTES, whole_files
from kernelwise.cli.app import main as kernelwise

JOURNAL = Path("damaged.journal")
#: What is done to a row of a table, by somebody who knows SQLite but no checksums.
STATEMENTS = (
    *("UPDATE cells SET value = {}", "UPDATE cells SET name = {}", "UPDATE cells SET checksum = {}"),
    *("DELETE FROM cells", "UPDATE about SET value = {}", "UPDATE about SET name = {}"),
)


def prepare() -> Attempt:
    """A finished journal of every command, and what to try with one of them."""
    Path("table.csv").write_bytes(whole_files()["named.csv"])
    journals = {}
    for name in COMMANDS:
        JOURNAL.unlink(missing_ok=True)
        code, out, err = _run(name)
        assert code == 0, err
        journals[name] = (JOURNAL.read_bytes(), answer(out))

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        name = draw.choice(sorted(journals))
        whole, expected = journals[name]
        _damage(draw, whole)
        code, out, err = _run(name)
        if code == 2:
            return "" if str(JOURNAL) in err and "Traceback" not in err else f"{name}: {err[-300:]!r}"
        if code:
            return f"{name}: exit code {code}: {err[-300:]!r}"
        return "" if answer(out) == expected else f"{name} has another answer"

    return attempt


def _damage(draw: random.Random, whole: bytes) -> None:
    """Change bytes of the file, digits in it, or rows of its tables."""
    kind = draw.choice(["bytes", "digits", "digits", "rows"])
    if kind == "bytes":
        JOURNAL.write_bytes(draw.choice(BYTES)(draw, whole))
        return
    if kind == "digits":
        changed, digits = bytearray(whole), [k for k, byte in enumerate(whole) if 48 <= byte < 58]
        for k in draw.sample(digits, draw.choice([1, 1, 3])):
            changed[k] ^= 1 << draw.randrange(3)
        JOURNAL.write_bytes(bytes(changed))
        return
    JOURNAL.write_bytes(whole)
    with closing(sqlite3.connect(JOURNAL)) as database:
        statement = draw.choice(STATEMENTS)
        table = "about" if "about" in statement else "cells"
        rows = [row for (row,) in database.execute(f"SELECT rowid FROM {table}")]
        value = draw.choice(["'0.5'", "'[]'", "'x'", "x'ff'", "'null'", "NULL || ''", "checksum", "name"])
        try:
            database.execute(f"{statement.format(value)} WHERE rowid = {draw.choice(rows)}")
        except sqlite3.IntegrityError:  # a cell is never NULL
            database.execute(f"DELETE FROM {table} WHERE rowid = {draw.choice(rows)}")
        database.commit()


def _run(name: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = kernelwise((*COMMANDS[name], "--journal", str(JOURNAL)))
    return code, out.getvalue(), err.getvalue()
