"""What a new row says depends on the training rows alone, and never on the other rows of its file."""

from __future__ import annotations

import csv
import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from kernelwise.tables import Encoding, TableError, learn_encoding, read_table

N = 48
DAYS = [date(2023, 1, 1) + timedelta(days=11 * k) for k in range(N)]
#: For each column how it writes number k, and cells that new rows may have, in its own way or another.
COLUMNS = {
    "plain": (lambda k: f"{k % 7}.{k % 10}5", ["1.25", "7", "12.5%", "true", "1,5", "1e3", "1e400", "x"]),
    "share": (lambda k: f"{k}.5%", ["12.5%", "12.5 %", "0.125", "7", "12,5 %", "n/a"]),
    "dose": (lambda k: f"{k}.5 mg", ["5 mg", "5", "5.5 mg", "5,5 mg", "5 g", "%"]),
    "price": (lambda k: f"${k + 1},{k + 100}.50", ["1200.5", "€7", "$1.5e3", "1 200", "1.200,50", "-"]),
    "votes": (lambda k: f"{k + 1},{k * k % 83 + 100}", ["1,200", "980", "1.5", "1.250", "(1,200)", "-5"]),
    "ok": (lambda k: "TRUE" if k % 3 else "False", ["true", "False", "1", "0", "0.0", "yes"]),
    "bit": (lambda k: k % 2, ["1", "0", "True", "false", "1.0", "no"]),
    "likes": (lambda k: "yes" if k % 4 else "no", ["yes", "no", "Yes ", "1", "True", "maybe"]),
    "code": (lambda k: f"0{k % 5}", ["01", "1", "04", "1.0", "x"]),
    "kind": (lambda k: k % 3, ["1", "1.0", "2", "x", "1,0"]),  # words by --words
    "iso": (lambda k: DAYS[k].isoformat(), ["2023-05-06", "06.05.2023", "5/6/2023", "13/5/2023", "12:30"]),
    "us": (lambda k: f"{DAYS[k]:%m/%d/%Y}", ["12/31/2023", "1/2/2023", "31/12/2023", "2023-05-06", "x"]),
    "word": (lambda k: ["Ulm", "Bonn", "Kiel"][k % 3], ["Ulm", "ulm", "Rom", "7", "7.0"]),
    "gap": (lambda k: "" if k % 5 == 0 else f"{k}.5", ["", "7", "NA", "-999", "-999.0", "7.5%"]),
}
#: New rows: one of three cells is written as any of the above.
ROW = st.tuples(
    *(
        st.one_of(st.sampled_from([str(cell(k)) for k in (3, 17, 40)] * 2), st.sampled_from(["", *cells]))
        for cell, cells in COLUMNS.values()
    )
)
PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path, rows, separator=",", names=tuple(COLUMNS)):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows([names, *rows])
    return path


def training_rows():
    return [[cell(k) for cell, _ in COLUMNS.values()] for k in range(N)]


@pytest.fixture(scope="module")
def encoding(tmp_path_factory):
    rows = [[*row, "ab"[k % 2]] for k, row in enumerate(training_rows())]
    path = write(tmp_path_factory.mktemp("rows") / "train.csv", rows, names=[*COLUMNS, "class"])
    learned = learn_encoding(read_table(path), target="class", words=["kind"], missing=["-999"])
    assert [column.name for column in learned.encoding.columns] == list(COLUMNS)
    kinds = "".join("O" if column.is_words else column.dtype for column in learned.encoding.columns)
    assert kinds == "fffffffOOOMMOf"
    return Encoding.from_json(learned.encoding.to_json(), learned.encoding.encoder)


def unless_refused(read, *rows):
    """Features, or None if the rows are refused: all cells of a column, or the way in which it is written."""
    try:
        return read(*rows)
    except TableError as error:
        if "expected a " in str(error) or "can only be read with the other" in str(error):
            return None
        raise


def check_rows(read, rows):
    """Compare features of rows that are read together with those of each alone."""
    together = unless_refused(read, *rows)
    for k, row in enumerate(rows):
        alone = unless_refused(read, row)
        if together is not None and alone is not None:
            assert_array_equal(alone[0], together[k])


@PROPERTY
@given(st.lists(ROW, min_size=2, max_size=5), st.sampled_from([",", ";", "\t"]))
def test_a_row_of_a_file_says_the_same_alone(encoding, tmp_path, rows, separator):
    def read(*some):
        path = write(tmp_path / "new.csv", some, separator)
        return encoding.samples(read_table(path, True, usual=encoding.usual))

    check_rows(read, rows)


@PROPERTY
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning")
@given(st.lists(ROW, min_size=2, max_size=5), st.integers(0, 2**31))
def test_a_row_of_a_frame_says_the_same_alone(encoding, rows, seed):
    random = np.random.default_rng(seed)

    def typed(cell, is_words):
        """A number as such, in some cells of numbers; beside words it is refused."""
        try:
            if is_words:
                return cell or None
            return float(cell) if np.isfinite(float(cell)) and random.random() < 0.5 else cell
        except ValueError:
            return None if cell == "" else cell

    are_words = [column.is_words for column in encoding.columns]
    rows = [tuple(map(typed, row, are_words)) for row in rows]
    check_rows(lambda *some: encoding.encoder.read(pd.DataFrame(some, columns=list(COLUMNS))), rows)


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [
        ("plain", "12.5%", 0.125),
        ("plain", "True", 1.0),
        ("plain", "1,5", 1.5),
        ("share", "12.5 %", 0.125),
        ("share", "0.125", 0.125),
        ("dose", "5", 5.0),
        ("dose", "5,5 mg", 5.5),
        ("price", "1.200,50", 1200.5),
        ("price", "$1.5e3", 1500.0),
        ("votes", "1.250", 1.25),
        ("votes", "(1,200)", -1200.0),
        ("ok", "1", 1.0),
        ("ok", "false", 0.0),
        ("bit", "True", 1.0),
    ],
)
def test_what_single_cells_say_beside_any_other(encoding, tmp_path, column, cell, value):
    place = encoding.feature_names.index(column)
    rows = [["" for _ in COLUMNS] for _ in range(3)]
    k = list(COLUMNS).index(column)
    rows[0][k], rows[1][k], rows[2][k] = cell, COLUMNS[column][0](5), "5%"
    for some in (rows[:1], rows[:2], rows):
        table = read_table(write(tmp_path / "new.csv", some), True, usual=encoding.usual)
        assert encoding.samples(table)[0, place] == value
        frame = pd.DataFrame(some, columns=list(COLUMNS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert encoding.encoder.read(frame)[0, place] == value
