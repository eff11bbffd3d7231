"""A small table with words, numbers, booleans, whole numbers and gaps, and files that cannot be used."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from kernelwise.tables import TableError, learn_encoding, read_table

LIBRARIES = ("pandas", "polars", "pyarrow")


def columns(n=120, seed=0):
    """Lists by name, with None where a value is missing, and the labels."""
    random = np.random.default_rng(seed)
    town = random.choice(["Ulm", "Bonn", "Kiel"], n)
    size = random.normal(10.0, 3.0, n)
    rooms = random.integers(1, 6, n)
    new = random.random(n) < 0.5
    y = np.where((town == "Ulm") ^ (size > 11.0), "yes", "no")
    lists = {"town": town.tolist(), "size": size.tolist(), "rooms": rooms.tolist(), "new": new.tolist()}
    for row in range(0, n, 11):
        lists["town"][row] = None
    for row in range(5, n, 13):
        lists["size"][row] = None
    return lists, y


def as_library(lists, library):
    """The lists as a data frame."""
    if library == "pandas":
        return pd.DataFrame({name: pd.Series(values) for name, values in lists.items()})
    return pl.DataFrame(lists) if library == "polars" else pa.table(lists)


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture
def faults(tmp_path):
    """Write a file that cannot be used as it is, and return the lines on what is wrong with it."""

    def lines_of(contents, name="f.csv", **options):
        (tmp_path / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        with pytest.raises(TableError) as caught:
            learn_encoding(read_table(tmp_path / name), strict=True, **options)
        text = str(caught.value).replace(f"{tmp_path}/", "")
        return text.splitlines()

    return lines_of
