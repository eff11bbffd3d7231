"""Raw tables as people have them: a file and a data frame of it become the same features at the first try."""

from __future__ import annotations

import re
import warnings
import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from kernelwise import TunedSVC, explain, load
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning, TrustWarning
from kernelwise.tables import Encoding, judge_columns, learn_encoder, learn_encoding, read_table, to_table
from kernelwise.tables.column import learn_column
from kernelwise.tables.text import learn_text

N = 60
RANDOM = np.random.default_rng(0)
SIZE = RANDOM.normal(10.0, 3.0, N).round(2)
VOTES = RANDOM.permutation(5000)[:N] + 100
LABEL = np.where(SIZE > 10.0, "yes", "no")
DAYS = pd.date_range("2023-11-20", periods=N)
TOWN = RANDOM.choice(["Ulm", "Bonn", "Kiel"], N)


def table(**columns):
    """Lines of a CSV file with these columns, a size and the label."""
    columns = {**columns, "size": SIZE, "class": LABEL}
    names = ["" if name == "unnamed" else name for name in columns]
    cells = [
        [f'"{cell}"' if "," in str(cell) else str(cell) for cell in column] for column in columns.values()
    ]
    return [",".join(names), *map(",".join, zip(*cells, strict=True))]


def with_bad_cells():
    cells = [f"{value:.1f}" for value in RANDOM.normal(50.0, 9.0, N)]
    cells[7], cells[9] = "n.a.", "broken"
    return cells


RAW = {
    "row numbers of pandas": (
        table(unnamed=range(N)),
        ["size"],
        "1 column was left out, which cannot help: 'column 1' (numbers the rows, without a name).",
    ),
    "numbers of passengers": (
        table(PassengerId=RANDOM.permutation(N) + 1, Nr=np.arange(500, 500 + 7 * N, 7)),
        ["size"],
        "'PassengerId' and 'Nr' (numbers the rows)",
    ),
    "votes": (table(votes=VOTES, district_id=VOTES * 3), ["votes", "district_id", "size"], ""),
    "years": (table(year=range(1950, 1950 + N)), ["year", "size"], ""),
    "names and constants": (
        table(name=[f"P-{k:03}" for k in range(N)], unit=["mg"] * N, one=[1] * N, none=[""] * N),
        ["size"],
        "3 columns were left out, which cannot help: 'unit' and 'one' (has one value only); 'none' (has no",
    ),
    "bad cells": (
        table(weight=with_bad_cells()),
        ["weight", "size", "weight missing"],
        "Column 'weight' has 2 cells that are no numbers and now count as missing ('n.a.' and 'broken';",
    ),
    "thousands and currencies": (
        table(price=[f"${value:,}.50" for value in VOTES], people=[f"{value * 1000:,}" for value in VOTES]),
        ["price", "people", "size"],
        f"Read as numbers: 'price' (such as '${VOTES[0]:,}.50') and 'people' (such as '{VOTES[0]:,},000').",
    ),
    "per cent and accounting": (
        table(
            share=[f"{value} %" for value in SIZE],
            gain=[f"({value:,})" if value < 2500 else f"{value:,}" for value in VOTES],
        ),
        ["share", "gain", "size"],
        "Read as numbers: 'share'",
    ),
    "dates": (
        table(day=[f"{day:%d/%m/%Y}" for day in DAYS]),
        [
            *(f"day {part}" for part in ("year", "month", "weekday", "season (sin)", "season (cos)", "days")),
            "size",
        ],
        "Read as dates: 'day' (such as '20/11/2023', day first).",
    ),
    "times": (
        table(
            at=[f"{day:%b %d, %Y} {k % 12 + 1}:15 PM" for k, day in enumerate(DAYS)],
            clock=["7:30", "9:00", "23:15"] * 20,
        ),
        [
            *(
                f"at {part}"
                for part in ("year", "month", "weekday", "season (sin)", "season (cos)", "hour", "days")
            ),
            *("clock hour", "size"),
        ],
        "Read as times of the day: 'clock' (such as '7:30').",
    ),
}


@pytest.fixture
def read(tmp_path):
    """Write lines to a file, and return what was learned from it, with all that was said."""

    def read_lines(lines, **options):
        (tmp_path / "raw.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        raw = read_table(tmp_path / "raw.csv", skip=options.pop("skip", None))
        learned = learn_encoding(raw, **options)
        return learned, [*raw.notes, *learned.notes, *learned.preparation]

    return read_lines


def saved(encoding):
    """As a model file has it."""
    return Encoding.from_json(encoding.to_json(), encoding.encoder if encoding.is_coded else None)


@pytest.mark.parametrize("kind", RAW)
def test_a_file_and_its_data_frame_become_the_same_features(read, tmp_path, kind):
    lines, names, says = RAW[kind]
    learned, told = read(lines)
    assert learned.encoding.feature_names == names
    assert says in " ".join(told)
    frame = pd.read_csv(tmp_path / "raw.csv").drop(columns="class")
    raw = to_table(frame, "from_dtype", "TunedSVC")
    X = learned.encoding.samples(learned.table)
    if raw is None:  # numbers without a gap, of which none is left out
        assert_array_equal(frame.to_numpy(), X)
        return
    encoder = learn_encoder(raw)
    assert encoder.feature_names == names
    assert_allclose(encoder.transform(raw), X)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Column 'weight': 2 cells have no number")
        assert_allclose(encoder.read(frame), X)
    said = " ".join(map(str, raw.done))
    assert says.partition(":")[0].replace("column 1", "Unnamed: 0").partition(" (")[0] in said
    assert learned.encoding.encoder.columns == tuple(one for one in encoder.columns if one.features)


@pytest.mark.parametrize("kind", RAW)
def test_new_rows_are_read_as_the_training_file_writes_them(read, tmp_path, kind):
    learned, _ = read(RAW[kind][0])
    encoding = learned.encoding
    X = encoding.samples(learned.table)
    again = saved(encoding)
    header, *rows = RAW[kind][0]
    (tmp_path / "new.csv").write_text("\n".join([header, *rows[:12]]))
    assert_allclose(again.samples(read_table(tmp_path / "new.csv")), X[:12])


# -- rows ----------------------------------------------------------------------------------------------------


def test_rows_without_a_target_are_left_out(read):
    header, *rows = table(town=TOWN)
    rows[3], rows[8] = rows[3].rpartition(",")[0] + ",", rows[8].rpartition(",")[0] + ",NA"
    learned, told = read([header, *rows])
    assert told[1] == "2 rows were left out, because the target 'class' is missing (lines 5 and 10)."
    kept = [k for k in range(N) if k not in (3, 8)]
    assert learned.rows.tolist() == kept
    assert learned.table.lines.tolist() == [k + 2 for k in kept]
    assert learned.encoding.labels(learned.table).tolist() == LABEL[kept].tolist()
    assert_array_equal(learned.encoding.samples(learned.table)[:, 0], SIZE[kept])


def test_a_target_of_a_regression_is_read_as_it_is_written(read, tmp_path):
    lines = ["a,price", *(f'{size},"${votes:,}"' for size, votes in zip(SIZE, VOTES, strict=True))]
    lines[5] = "1.5,sold out"
    learned, told = read(lines, task="regression", target="price")
    kept = [k for k in range(N) if k != 4]
    assert learned.encoding.labels(learned.table).tolist() == VOTES[kept].tolist()
    assert "1 row was left out, because the target 'price' is missing (line 6)." in told
    again = saved(learned.encoding)
    (tmp_path / "test.csv").write_text('a,price\n1.5,"$1,200"\n2.5,"$3,400"\n')
    assert again.labels(read_table(tmp_path / "test.csv")).tolist() == [1200.0, 3400.0]


def test_titles_and_totals_are_skipped(read):
    lines = table(town=TOWN)
    beside = ["Sizes of towns", "", *lines, f"Total,{SIZE.sum():.2f},", "Source: our own counts"]
    learned, told = read(beside)
    assert learned.encoding.feature_names == ["size", "town=Bonn", "town=Kiel", "town=Ulm"]
    assert len(learned.table) == N
    assert [note.partition("raw.csv: ")[2] for note in told[:2]] == [
        "line 1 above the names of the columns was skipped ('Sizes of towns'); use --skip-lines 0 if it is "
        "data.",
        "lines 64 and 65 below the rows were skipped "
        f"('Total {SIZE.sum():.2f}'); use --skip-lines 0 if it is data.",
    ]
    assert len(read([*beside[:-2]], skip=2)[0].table) == N
    with pytest.raises(ValueError, match=r"line 3: expected 1 cell as in line 1, found 3"):
        read(beside, skip=0)


@pytest.mark.parametrize("n_empty", [1, 3])
def test_empty_cells_above_the_header_are_blank_lines(read, n_empty):
    lines = table(town=TOWN)
    learned, told = read([",,", *[",,"] * (n_empty - 1), *lines])
    assert learned.encoding.feature_names == ["size", "town=Bonn", "town=Kiel", "town=Ulm"]
    assert len(learned.table) == N
    assert not any("skipped" in note for note in told)
    assert (
        len(read([*lines[:5], ",,", *lines[5:]])[0].table) == N
    )  # below it, such a row is one without a class


def test_a_word_that_is_a_total_once_is_a_word_if_others_are(read):
    lines = ["kind,size,class", *(f"{'total' if k % 2 else 'part'},{SIZE[k]},{LABEL[k]}" for k in range(N))]
    assert len(read(lines)[0].table) == N


def test_a_german_file(read):
    cells = zip(VOTES, SIZE, DAYS, LABEL, strict=True)
    rows = [
        f"{v:,}".replace(",", ".") + f";{s:.2f}".replace(".", ",") + f";{d:%d.%m.%Y};{y}"
        for v, s, d, y in cells
    ]
    learned, told = read(["Stimmen;Größe;Tag;Klasse", *rows], target="Klasse")
    X = learned.encoding.samples(learned.table)
    assert learned.encoding.feature_names[:2] == ["Stimmen", "Größe"]
    assert_allclose(X[:, :2], np.column_stack([VOTES, SIZE]))
    assert_array_equal(X[:, learned.encoding.feature_names.index("Tag month")], DAYS.month)
    assert any("points in 'Stimmen' were read as separators of thousands" in note for note in told)


GERMAN = {
    "other columns have decimal commas": ("a;b;c\n4.585;980;3,5\n1.020;1.020;4,5\n", [4585, 1020], ""),
    "other columns have decimal points": ("a;b;c\n4.585;980;3.5\n1.020;1020;4.5\n", [4.585, 1.02], ""),
    "semicolons": ("a;b\n4.585;980\n1.020;7\n", [4585, 1020], "a guess because semicolons separate"),
    "dates": (
        "a\tb\n4.585\t1.12.2024\n1.020\t2.12.2024\n",
        [4585, 1020],
        "a guess because dates have points",
    ),
    "nothing": ("a\tb\n4.585\t980\n1.020\t7\n", [4.585, 1.02], "a guess because no other column tells"),
    "commas between cells": ("a,b\n4.585,980\n1.020,7\n", [4.585, 1.02], ""),
    "quoted decimal commas": ('a,b\n4.585,"3,5"\n1.020,"4,5"\n', [4585, 1020], ""),
    "both": ("a;b;c\n4.585;3,5;3.5\n1.020;4,5;4.5\n", [4.585, 1.02], "a guess because other columns have"),
    "thousands with commas": ("a\tb\n4,585\t980\n1,020\t1.5\n", ["4,585", "1,020"], ""),
    "three decimals": ("a;b\n4,585;980\n1,020;1,5\n", [4.585, 1.02], ""),
}


@pytest.mark.parametrize("kind", GERMAN)
def test_whether_a_point_separates_thousands_the_whole_file_says(tmp_path, kind):
    text, expected, says = GERMAN[kind]
    (tmp_path / "f.csv").write_text(text)
    found = read_table(tmp_path / "f.csv")
    assert found.columns[0].tolist() == expected
    assert says in " ".join(found.notes)
    assert ("a guess" in " ".join(found.notes)) == bool(says)
    other = "," if found.decimal == "." else "."
    if says:
        assert f"--decimal {other} reads them otherwise" in " ".join(found.notes)
        otherwise = [4585, 1020] if expected[0] < 5 else [4.585, 1.02]
        assert read_table(tmp_path / "f.csv", decimal=other).columns[0].tolist() == otherwise


def german(read):
    """What is learned from a file with semicolons, points between thousands and decimal commas."""
    numbers = zip(VOTES + 1000, SIZE, LABEL, strict=True)
    rows = [f"{v // 1000}.{v % 1000:03};{f'{s:.2f}'.replace('.', ',')};{y}" for v, s, y in numbers]
    learned, _ = read(["votes;size;class", *rows], target="class")
    return saved(learned.encoding)


@pytest.mark.parametrize(
    ("text", "expected", "says"),
    [
        ("votes;size\n4.585;7\n980;8\n", [[4585, 7], [980, 8]], "points in 'votes' were read as separators"),
        ("votes;size\n4585;7.5\n", [[4585, 7.5]], ""),  # which can be a decimal point only
        (
            "votes;size\n4.585;7,5\n1.020;8.5\n",
            [[4585, 7.5], [1020, 8.5]],
            "'8.5' (line 3, column 'size') can",
        ),
        (
            "votes,size\n4585,7.585\n",
            [[4585, 7.585]],
            "a guess because commas separate the cells, which they do",
        ),
        ('votes,size\n4585,"7,5"\n', [[4585, 7.5]], ""),
        (
            "votes;size\n1.020;8.25\n",
            "'8.25' (line 2, column 'size') can only be read with the other sign",
            "",
        ),
    ],
)
def test_a_new_file_is_read_as_the_training_file_writes_it(read, tmp_path, text, expected, says):
    encoding, new = german(read), tmp_path / "new.csv"
    new.write_text(text)
    raw, notes = read_table(new, usual=encoding.usual), []
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=re.escape(expected)) as refused:
            encoding.samples(raw)
        assert str(refused.value).endswith("Say with --decimal . or --decimal , which sign the file has.")
        return
    assert encoding.samples(raw, notes=notes).tolist() == expected
    assert says in " ".join([*raw.notes, *notes])
    assert bool(says) == bool([*(note for note in raw.notes if "commas in" not in note), *notes])


def test_a_sign_of_decimals_that_the_user_names_is_taken(read, tmp_path):
    encoding, new = german(read), tmp_path / "new.csv"
    new.write_text("votes;size\n1.020;8.25\n")
    signs = {sign: read_table(new, decimal=sign, usual=encoding.usual) for sign in ".,"}
    assert encoding.samples(signs["."]).tolist() == [[1.02, 8.25]]
    assert encoding.samples(signs[","]).tolist() == [[1020, 8.25]]


def test_semicolons_in_a_new_file_only_make_a_guess_of_its_points(read, tmp_path):
    learned, _ = read(table(dose=(SIZE / 7).round(3)))
    new = tmp_path / "new.csv"
    for text, dose in (("dose;size\n4.585;7\n", 4.585), ("dose;size\n4,58;7\n", 4.58)):
        new.write_text(text)
        raw = read_table(new, usual=learned.encoding.usual)
        assert learned.encoding.samples(raw).tolist() == [[dose, 7]]
        is_guess = "--decimal , reads them otherwise" in " ".join(raw.notes)
        assert is_guess == (dose == 4.585)


def test_a_column_with_another_sign_than_its_file_keeps_it(read, tmp_path):
    rows = [f"{s:.2f}".replace(".", ",") + f";{s:.2f};{y}" for s, y in zip(SIZE, LABEL, strict=True)]
    encoding = saved(read(["a;b;class", *rows])[0].encoding)
    (tmp_path / "new.csv").write_text("a;b\n4,585;4.585\n")
    assert encoding.samples(read_table(tmp_path / "new.csv", usual=encoding.usual)).tolist() == [[4.585] * 2]


def test_hundredths_are_the_same_in_text_and_in_a_workbook(read, tmp_path):
    share = (SIZE / 100).round(4)
    lines = [
        "share,class",
        *(f"{100 * value:.2f}%,{label}" for value, label in zip(share, LABEL, strict=True)),
    ]
    learned, told = read(lines)
    assert f"Read as numbers: 'share' (such as '{100 * share[0]:.2f}%', which is {share[0]:g})." in told
    assert_allclose(learned.encoding.samples(learned.table)[:, 0], share, rtol=1e-15)
    plain, _ = read(["share,class", *(f"{value},{label}" for value, label in zip(share, LABEL, strict=True))])
    for one in (learned, plain):
        encoding = saved(one.encoding)
        for text in ("0.125", "12.5%", "12.5 %"):
            (tmp_path / "new.csv").write_text(f"share\n{text}\n")
            assert encoding.samples(read_table(tmp_path / "new.csv", min_columns=1)).tolist() == [[0.125]]


def test_currencies_are_not_converted_but_told(read):
    cells = [f"{'€' if k % 3 else '$'}{size}" for k, size in enumerate(SIZE)]
    learned, told = read(table(price=cells))
    assert_array_equal(learned.encoding.samples(learned.table)[:, 0], SIZE)
    assert any(
        "Column 'price' has amounts in $ and €, which were read as numbers and not" in one for one in told
    )
    (finding,) = [one for one in learned.findings if one.name == "several currencies"]
    assert finding.severity == "warning"


def test_an_order_of_day_and_month_that_is_a_guess_is_told(read):
    days = ["03/01/2024", "01/03/2024", "02/02/2024"] * (N // 3)  # neither order of them rises
    _, told = read(table(day=days))
    assert any(
        "(such as '03/01/2024') were read with the month first. That is a guess" in one for one in told
    )
    rows = [
        f"{day};{size}".replace(".", ",") + f";{y}" for day, size, y in zip(days, SIZE, LABEL, strict=True)
    ]
    _, told = read(["day;size;class", *rows])
    assert any("were read with the day first. That is a guess" in one for one in told)
    for sure in (
        table(day=[f"{day:%d/%m/%Y}" for day in DAYS]),
        table(day=[day.replace("/", ".") for day in days]),
    ):
        assert not any("guess" in one for one in read(sure)[1])


def test_codes_with_zeros_in_front_and_truths_are_the_same_in_file_and_frame(read, tmp_path):
    zips = [f"{k:05}" for k in RANDOM.choice([1067, 99084, 4109, 20095], N)]
    lines = table(zip=zips, ok=np.where(SIZE > 9, "True", "False"), town=[f" {town} " for town in TOWN])
    learned, told = read(lines)
    first = next(code for code in zips if code.startswith("0"))
    assert f"Codes with zeros in front, which count as words: 'zip' (such as {first!r})." in told
    frame = pd.read_csv(tmp_path / "raw.csv", dtype={"zip": str}, skipinitialspace=False).drop(
        columns="class"
    )
    assert frame["ok"].dtype == bool
    assert frame["town"][0].startswith(" ")
    raw = to_table(frame, "from_dtype", "TunedSVC")
    encoder = learn_encoder(raw)
    assert encoder.feature_names == learned.encoding.feature_names
    assert_array_equal(encoder.transform(raw), learned.encoding.samples(learned.table))
    assert_array_equal(encoder.read(frame), encoder.transform(raw))
    (tmp_path / "new.csv").write_text("zip,ok,town,size\n20095,false,Ulm,5\n")
    new = learned.encoding.samples(read_table(tmp_path / "new.csv"))
    same = pd.DataFrame({"zip": ["20095"], "ok": [False], "town": ["Ulm"], "size": [5.0]})
    assert_array_equal(new, encoder.read(same))


def test_totals_are_skipped_below_lines_that_were_counted(read):
    lines = ["Our towns", *table(town=TOWN), "Total,99,"]
    assert len(read(lines, skip=1)[0].table) == N
    assert len(read(lines[1:], skip=0)[0].table) == N  # without a target
    assert len(read([*lines[1:-1], "Total,99,yes"], skip=0)[0].table) == N + 1


# -- what is refused, and what can be said against it --------------------------------------------------------


def test_a_column_may_be_used_nevertheless(read):
    learned, _ = read(table(unnamed=range(N)), use=["column 1"])
    assert learned.encoding.feature_names == ["column 1", "size"]


def test_a_dose_that_counts_is_used_if_it_is_declared(read):
    frame = pd.DataFrame({"dose": np.arange(N), "town": TOWN, "size": SIZE})
    with pytest.warns(TrustWarning, match=r"as in X.astype\(\{'dose': 'float'\}\)"):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, LABEL)
    assert model.encoder_.feature_names[0] == "size"
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*left out")
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame.astype({"dose": "float"}), LABEL)
    assert model.encoder_.feature_names[0] == "dose"
    learned, _ = read(table(dose=np.arange(N), town=TOWN), use=["dose"])
    assert learned.encoding.feature_names[0] == "dose"


def test_a_table_of_names_only_is_refused(read):
    lines = ["name,class", *(f"P-{k},{label}" for k, label in enumerate(LABEL))]
    with pytest.raises(ValueError, match="looks like an identifier"):
        read(lines)


def test_strict_leaves_out_nothing(read):
    with pytest.raises(ValueError, match="'column 1': it numbers the rows, without a name, and new rows"):
        read(RAW["row numbers of pandas"][0], strict=True)
    learned, told = read(RAW["row numbers of pandas"][0], strict=True, use=["column 1"])
    assert learned.encoding.feature_names == ["column 1", "size"]
    assert len(told) == 1
    with pytest.raises(ValueError, match="it holds dates or times"):
        read(RAW["dates"][0], strict=True)


# -- estimators ----------------------------------------------------------------------------------------------


def test_an_estimator_leaves_out_row_numbers_and_explains_by_column(tmp_path):
    frame = pd.DataFrame(
        {"Unnamed: 0": np.arange(N), "size": SIZE, "day": DAYS, "votes": [f"{v:,}" for v in VOTES]}
    )
    with pytest.warns(TrustWarning, match=r"'Unnamed: 0' \(numbers the rows, without a name\)"):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, LABEL)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert {"columns left out", "texts read as numbers"} <= {one.name for one in model.diagnostics_}
    expected = model.predict_proba(frame)
    assert_array_equal(model.predict_proba(frame.drop(columns="Unnamed: 0")), expected)
    moved = frame.assign(**{"Unnamed: 0": 7})[["votes", "day", "size", "Unnamed: 0"]]
    assert_array_equal(model.predict_proba(moved), expected)
    found = explain(model, frame[:2])
    assert list(found.feature_names) == list(frame.columns)
    assert_array_equal(found.values[:, 0], 0.0)
    model.save(tmp_path / "m.kw")
    again = load(tmp_path / "m.kw")
    assert again.encoder_ == model.encoder_
    assert_array_equal(again.predict_proba(frame), expected)
    with pytest.raises(
        IncompatibleError, match="to_sklearn has no step for dates, but column 'day' holds some"
    ):
        model.to_sklearn()


def test_numbers_from_text_are_not_exported_but_columns_that_are_left_out_are(tmp_path):
    frame = pd.DataFrame({"Unnamed: 0": np.arange(N), "size": SIZE, "town": TOWN})
    with pytest.warns(TrustWarning, match="left out"):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, LABEL)
    assert_array_equal(model.to_sklearn().predict(frame), model.predict(frame))
    text = frame.assign(size=[f"{value} mg" for value in SIZE])
    with pytest.warns(TrustWarning, match="left out"):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(text, LABEL)
    with pytest.raises(IncompatibleError, match="no step that reads numbers from text, but column 'size'"):
        model.to_sklearn()


def test_the_row_numbers_of_a_table_that_was_written_twice_are_all_left_out():
    rows = np.delete(np.arange(N + 9), [3, 5, 7, 8, 11, 20, 31, 40, 44])  # of rows that were filtered before
    frame = pd.DataFrame({"Unnamed: 0.1": rows, "Unnamed: 0": np.arange(N), "size": SIZE})
    with pytest.warns(TrustWarning, match=r"'Unnamed: 0\.1' and 'Unnamed: 0' \(numbers the rows, without a"):
        TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, LABEL)


def test_a_frame_of_numbers_and_a_few_words_is_one_of_numbers():
    cells = [*SIZE.tolist()[:-1], "broken"]
    frame = pd.DataFrame({"size": cells, "town": TOWN})
    with pytest.warns(
        TrustWarning, match=r"'size' has 1 cell that is no number and now counts .*'broken'; row 59"
    ):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, LABEL)
    assert model.encoder_.feature_names[:2] == ["size", "size missing"]
    with pytest.warns(KernelwiseWarning, match="1 cell has no number .* and counts as missing"):
        model.predict(frame)
    categories = frame.assign(size=pd.Categorical([str(cell) for cell in cells]))
    assert to_table(categories, "from_dtype", "TunedSVC").columns[0].dtype.kind == "O"


# -- text ----------------------------------------------------------------------------------------------------


FIRST = ("Anna", "Maria", "Olga", "Ruth", "Karl", "Hans", "Otto", "Paul")
LAST = ("Berg", "Winter", "Sommer", "Klein", "Neumann", "Schuster", "Lange", "Vogel", "Kraus", "Busch")


def people(n=200):
    """Names with a title, which says the class, and words of many kinds, whose last letters do."""
    random = np.random.default_rng(1)
    is_woman = random.random(n) < 0.5
    names = [
        f"{random.choice(LAST)}, {'Mrs.' if woman else 'Mr.'} {random.choice(FIRST)} {k:03}"
        for k, woman in enumerate(is_woman)
    ]
    towns = [f"{random.choice(LAST)}{random.integers(9)}{'heim' if woman else 'stadt'}" for woman in is_woman]
    notes = [" ".join(random.choice(LAST, 4)) + f" {k}" for k in range(n)]
    sizes = random.normal(size=n).round(3)
    return pd.DataFrame({"name": names, "town": towns, "note": notes, "size": sizes}), np.where(
        is_woman, "w", "m"
    )


@pytest.mark.slow
def test_text_is_coded_by_its_letters_if_that_helps(read, tmp_path):
    frame, y = people()
    raw = to_table(frame, "from_dtype", "TunedSVC")
    assert raw.left_out.keys() == {0, 2}
    judged = judge_columns(raw, y, True)
    assert judged.left_out.keys() == {2}
    assert judged.as_text == {0, 1}
    assert [str(one) for one in judged.done[1:]] == [
        "Groups of letters of the text in 'name' and 'town' are features, because they help on held-out rows."
    ]
    random = np.random.default_rng(0).permutation(y)
    assert judge_columns(raw, random, True) is raw
    frame.assign(y=y).to_csv(tmp_path / "people.csv", index=False)
    table_of_file = read_table(tmp_path / "people.csv")
    learned = learn_encoding(table_of_file, target="y")
    encoder = learn_encoder(judged)
    assert learned.encoding.feature_names == encoder.feature_names
    assert_allclose(learned.encoding.samples(table_of_file), encoder.transform(judged))
    column = encoder.columns[1]
    n_words = len(column.words)
    X = column.transform(np.array([*column.words[:2], "Xheim", None], dtype=object))
    assert_array_equal(X[:2, n_words + 1 :], 0.0)  # frequent words have no other features
    assert X[2, n_words] == 1.0
    assert np.abs(X[2, n_words + 1 :]).max() > 0.0
    assert_array_equal(X[3, : n_words + 1].sum(), 1.0)


def test_the_letters_are_those_of_scikit_learn():
    frame, _ = people()
    cells = frame["name"].to_numpy(dtype=object)
    column = learn_text(learn_column("name", cells, np.ones(len(cells))), cells)
    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, min_df=2, max_features=2000
    )
    expected = TruncatedSVD(10, random_state=0).fit(vectorizer.fit_transform(sorted(set(cells))))
    new = ["Berg, Mrs. Eva 999", "unheard of"]
    found = column.transform(np.array(new, dtype=object))
    assert_allclose(found, expected.transform(vectorizer.transform(new)), atol=1e-12)


def test_a_model_of_text_is_saved_and_explained_by_column(tmp_path):
    frame, y = people()
    with pytest.warns(TrustWarning, match="'note' .has a different word in nearly every row"):
        model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame, y)
    assert model.score(frame, y) == 1.0
    found = explain(model, frame[:3])
    assert found.feature_names == list(frame.columns)
    assert_array_equal(found.values[:, 2], 0.0)
    model.save(tmp_path / "m.kw")
    assert_array_equal(load(tmp_path / "m.kw").predict_proba(frame), model.predict_proba(frame))
    with pytest.raises(
        IncompatibleError, match="to_sklearn has no step for texts, but column 'name' holds some"
    ):
        model.to_sklearn()


# -- workbooks -----------------------------------------------------------------------------------------------


def workbook(path, rows, **more):
    """A workbook with a sheet of numbers and text, and others before it."""
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    main, office = (
        "http://schemas.openxmlformats.org/",
        "http://schemas.openxmlformats.org/officeDocument/2006/",
    )
    sheets = {**more, "Our sizes": rows}
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml.{}+xml"
    parts = {"xl/workbook.xml": types.format("sheet.main")}
    parts |= {f"xl/sheet{k}.xml": types.format("worksheet") for k in range(len(sheets))}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts.items()
    )

    def relations(*pairs):
        found = "".join(
            f'<Relationship Id="r{k}" Type="{office}relationships/{kind}" Target="{to}"/>'
            for k, (kind, to) in enumerate(pairs)
        )
        return f'{head}<Relationships xmlns="{main}package/2006/relationships">{found}</Relationships>'

    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'{head}<Types xmlns="{main}package/2006/content-types"><Default Extension="rels" '
            f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        )
        book.writestr("_rels/.rels", relations(("officeDocument", "xl/workbook.xml")))
        pairs = [("worksheet", f"sheet{k}.xml") for k in range(len(sheets))]
        book.writestr("xl/_rels/workbook.xml.rels", relations(*pairs))
        names = "".join(f'<sheet name="{n}" sheetId="{k + 1}" r:id="r{k}"/>' for k, n in enumerate(sheets))
        book.writestr(
            "xl/workbook.xml",
            f'{head}<workbook xmlns="{main}spreadsheetml/2006/main" xmlns:r="{office}relationships"><sheets>'
            f"{names}</sheets></workbook>",
        )
        for k, cells in enumerate(sheets.values()):
            lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in cells)
            sheet = (
                f'<worksheet xmlns="{main}spreadsheetml/2006/main"><sheetData>{lines}</sheetData></worksheet>'
            )
            book.writestr(f"xl/sheet{k}.xml", f"{head}{sheet}")


def cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value}</v></c>"


def test_a_workbook_is_read_as_the_file_that_it_would_be_saved_as(tmp_path, read):
    pytest.importorskip("python_calamine")
    rows = [[float(size), str(town), str(label)] for size, town, label in zip(SIZE, TOWN, LABEL, strict=True)]
    workbook(tmp_path / "sizes.xlsx", [["Sizes"], ["size", "town", "class"], *rows])
    book = read_table(tmp_path / "sizes.xlsx")
    assert book.notes[0].endswith("sizes.xlsx: the sheet 'Our sizes' was read.")
    assert book.line(0) == "row 3"
    learned, _ = read(["size,town,class", *(",".join(map(str, row)) for row in rows)])
    encoding = learn_encoding(book).encoding
    assert encoding.feature_names == learned.encoding.feature_names
    assert_array_equal(encoding.samples(book), learned.encoding.samples(learned.table))


NOTES = [["What this is about"], ["Counted by hand, see the table"], ["Author", "A. Berg"]]
PEOPLE = [["name", "age"], ["Berg", 50.0], ["Lange", 40.0], ["Vogel", 30.0]]


def test_the_sheet_that_is_read_has_the_wanted_columns_or_a_table(tmp_path):
    pytest.importorskip("python_calamine")
    rows = [["size", "class"], *([float(size), str(label)] for size, label in zip(SIZE, LABEL, strict=True))]
    workbook(tmp_path / "f.xlsx", rows, Notes=NOTES, People=PEOPLE)
    chosen = {
        "Our sizes": {"wanted": ["Class"]},
        "People": {"wanted": ["no such name"]},
        "Notes": {"sheet": "1"},
    }
    for name, options in chosen.items():
        found = read_table(tmp_path / "f.xlsx", **options)
        others = " and ".join(repr(one) for one in ("Notes", "People", "Our sizes") if one != name)
        assert found.notes[0].endswith(f"the sheet {name!r} was read. --sheet reads another one: {others}.")


def test_three_decimals_of_a_cell_with_a_type_are_decimals(tmp_path, read):
    pytest.importorskip("python_calamine")
    encoding = german(read)
    workbook(tmp_path / "new.xlsx", [["votes", "size"], [4585.0, 7.585], ["4.585", "7,5"]])
    rows = encoding.samples(read_table(tmp_path / "new.xlsx", decimal=",", usual=encoding.usual))
    assert rows.tolist() == [[4585, 7.585], [4585, 7.5]]
    frame = pd.DataFrame({"size": ["1,5", "2,25", "3,75", 4.585, *map(str, range(30))]})
    assert to_table(frame, "from_dtype", "TunedSVC").columns[0][3] == 4.585


def test_text_is_coded_alike_whatever_the_order_of_rows_and_their_copies():
    rng = np.random.default_rng(0)
    words = np.array(["red", "blue", "old", "new", "tall", "round", "flat", "loud"])
    names = [" ".join(rng.choice(words, 4)) + f" {k}" for k in range(120)]
    label = np.array(["a" if "red" in name else "b" for name in names])
    frame = pd.DataFrame({"size": rng.normal(size=120).round(3), "name": names})
    order = rng.permutation(120)

    def fitted(rows, weight=None):
        return TunedSVC("rbf", Cs=[10.0], cv=3).fit(frame.iloc[rows], label[rows], weight)

    first, moved = fitted(np.arange(120)), fitted(order)
    assert "letters" in str(first.diagnostics_)
    assert_array_equal(first.decision_function(frame), moved.decision_function(frame))
    weight = np.where(np.arange(120) < 10, 2.0, 1.0)
    copied = fitted(np.append(np.arange(120), np.arange(10)))
    np.testing.assert_allclose(
        fitted(np.arange(120), weight).decision_function(frame), copied.decision_function(frame), atol=1e-9
    )


@pytest.mark.filterwarnings("ignore:.*unlike the training rows")
def test_a_model_of_numbers_reads_them_as_people_write_them(tmp_path):
    numbers = pd.DataFrame({"size": SIZE, "share": SIZE / 100})
    model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(numbers, LABEL)
    assert not hasattr(model, "encoder_")
    text = pd.DataFrame({"share": ["12.5%", "0.05", "7 %"], "size": ["$1,234.5", "8,5", "7"]})
    same = pd.DataFrame({"size": [1234.5, 8.5, 7.0], "share": [0.125, 0.05, 0.07]})
    assert_array_equal(model.decision_function(text), model.decision_function(same))
    with pytest.warns(KernelwiseWarning, match=r"'size': 1 cell has no number \(first 'big' in row 1\)"):
        model.predict(text.assign(size=["1", "big", "7"]))
    with pytest.warns(KernelwiseWarning, match=r"'size': 1 cell has no value \(first in row 1\)"):
        model.predict(text.assign(size=["1", None, "7"]))
    doubtful = same.assign(size=["4,234", "4,734", "3,4"])
    with pytest.raises(ValueError, match=r"'3,4' \(row 2, column 'size'\) can only be .* Write numbers with"):
        model.predict(doubtful)
    thousands = same[:2].assign(size=[4234.0, 4734.0])
    assert_array_equal(model.decision_function(doubtful[:2]), model.decision_function(thousands))


def test_a_text_with_points_is_a_date_whose_day_comes_first():
    days = pd.date_range("2023-01-01", periods=N, freq="7D")
    model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(pd.DataFrame({"size": SIZE, "day": days}), LABEL)
    text = pd.DataFrame({"size": SIZE[:2], "day": ["01.12.2023", "31.12.2023"]})
    same = pd.DataFrame({"size": SIZE[:2], "day": pd.to_datetime(["2023-12-01", "2023-12-31"])})
    of_text = TunedSVC("rbf", Cs=[10.0], cv=3).fit(
        pd.DataFrame({"size": SIZE, "day": [f"{day:%Y-%m-%d}" for day in days]}), LABEL
    )
    for one in (model, of_text):
        for rows in (slice(0, 1), slice(0, 2)):
            assert_array_equal(one.decision_function(text[rows]), one.decision_function(same[rows]))
    with pytest.warns(
        KernelwiseWarning, match="whether day or month comes first, as in '01/12/2023', is a guess"
    ):
        model.predict(text[:1].assign(day="01/12/2023"))
    with pytest.raises(ValueError, match=r"'13/12/2023' .* other order of day and month, so '01/12/2023' "):
        model.predict(text.assign(day=["01/12/2023", "13/12/2023"]))


def test_days_that_follow_each_other_are_no_row_numbers():
    model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(pd.DataFrame({"day": DAYS, "size": SIZE}), LABEL)
    assert not {"row numbers", "identifiers"} & {one.name for one in model.diagnostics_}
    with pytest.warns(TrustWarning, match="'day' determines the target"):
        TunedSVC("rbf", Cs=[10.0], cv=3).fit(pd.DataFrame({"day": DAYS, "size": SIZE}), np.arange(N) < 30)


def test_dates_that_are_all_missing_are_gaps():
    days = pd.Series(pd.date_range("2023-01-01", periods=N, freq="7D"))
    days[::7] = pd.NaT
    model = TunedSVC("rbf", Cs=[10.0], cv=3).fit(pd.DataFrame({"size": SIZE, "day": days}), LABEL)
    missing = pd.DataFrame({"size": SIZE[:1], "day": pd.to_datetime([pd.NaT])})
    both = pd.DataFrame({"size": SIZE[:2], "day": [pd.NaT, days[1]]})
    assert_allclose(model.decision_function(missing), model.decision_function(both)[:1], rtol=1e-12)
