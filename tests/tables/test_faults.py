"""Everything that is wrong with a file, in one list that ends with the options that help."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from kernelwise.tables import learn_encoding, read_table
from kernelwise.tables.problems import Fault, TableFaults


def column(name, cells, n=40):
    """A file of a column, a number and a class."""
    return f"{name},b,class\n" + "".join(f"{cells(k)},{k}.5,{'xy'[k % 2]}\n" for k in range(n))


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            lambda k: f"P-{k:05d}",
            "it has 40 different words in 40 rows, such as 'P-00000', and looks like an id",
        ),
        (
            lambda k: f"2024-01-{k + 1}",
            "it holds dates or times, such as '2024-01-1'. Leave it out with --ignore a",
        ),
        (lambda k: f"{k % 28 + 1}.03.2024 12:30", "it holds dates or times"),
        (lambda k: f"{k}.5 mg", "its numbers have the unit 'mg', as in '0.5 mg'"),
        (
            lambda k: "-" if k in (7, 9) else f"{k}.5",
            "2 of 40 cells are not numbers ('-', first in line 9). Tell",
        ),
        (lambda k: "-" if k == 7 else f"{k}.5", "1 of 40 cells is not a number ('-', first in line 9)"),
        (
            lambda k: "<5" if k < 3 else "-" if k < 5 else k,
            "('<5' 3 times, first in line 2 and '-' 2 times, first",
        ),
        (lambda k: f'"1,{100 + k}"' if k < 9 else k, "Write numbers without separators of thousands"),
        (
            lambda k: f'"1,{100 + k}.5"' if k < 30 else f"{k}.5",
            "30 of 40 cells are not numbers ('1,100.5' 1 time",
        ),
        (
            lambda k: "<5" if k < 20 else "<10" if k < 21 else f"{k}.5",
            "21 of 40 cells are not numbers ('<5' 20 times",
        ),
        (lambda k: f"x{k}" if k < 15 else k, "Correct these cells, or leave the column out with --ignore a."),
        (
            lambda k: "1e999" if k in (3, 4) else k,
            "line 5, column 'a': inf is not a finite number, nor are 1 more",
        ),
        (lambda k: "", "column 'a': it has no values. Leave it out with --ignore a."),
    ],
)
def test_a_column_that_can_be_no_feature(faults, cells, says):
    line, *more = faults(column("a", cells))
    assert [text.startswith("To continue: --") for text in more] == [True]
    assert line.startswith("f.csv, ")
    assert says in line


def test_numbers_with_decimal_commas_are_numbers(faults):
    contents = column("a", lambda k: "-" if k == 7 else f"{k}.5").replace(",", ";").replace(".", ",")
    assert "1 of 40 cells is not a number ('-', first in line 9)" in faults(contents)[0]


def test_all_faults_at_once_and_the_options_for_them(faults, tmp_path):
    header = "my id,when,c,c2,town,gap,n,outcome\n"
    rows = [
        f"P{k},2024-01-{k + 1},{'-' if k == 2 else k},{'<5' if k == 3 else k},T{k % 25},"
        f"{'' if k == 4 else k},{k}.5,{'xyz'[k % 3]}"
        for k in range(50)
    ]
    contents = header + "\n".join(rows)
    first, *lines, last = faults(contents)
    assert first == "f.csv has 4 faults:"
    names = ["my id", "when", "c", "c2"]
    assert [f"column {name!r}" in line for name, line in zip(names, lines, strict=True)] == [True] * 4
    assert last == 'To continue: --ignore "my id,when" --missing "-,<5"'
    table = read_table(tmp_path / "f.csv")
    options = {"ignore": ["my id", "when"], "missing": ["-", "<5"]}
    gaps = learn_encoding(table, **options)
    assert gaps.encoding.samples(table).shape == (50, 4 + 3 + 21)
    assert gaps.preparation[-1] == (
        "Some values are missing: 'c' (1), 'c2' (1) and 'gap' (1). A missing number is replaced by the "
        "median of its column, a missing word counts as a separate word, and a feature of 0 and 1 marks "
        "these rows."
    )
    learned = learn_encoding(table, **options, impute=True)
    X = learned.encoding.samples(table)
    assert X.shape == (50, 4 + 21)
    assert X[2, 0] == np.median([k for k in range(50) if k != 2])
    assert learned.preparation == [
        "Left out: 'my id' and 'when'.",
        "Cells that hold '-' or '<5' count as missing.",
        "Columns of words were coded as features of 0 and 1: 'town' (25 words).",
        "Column 'town' keeps its 20 most frequent words; all other words, in 10 rows, count as one word.",
        "Missing values were filled: 1 in 'c' by the median 25, 1 in 'c2' by the median 25 and 1 in 'gap' "
        "by the median 25.",
    ]


def test_faults_that_no_option_mends_are_said_to_be_in_the_file(faults):
    contents = column("a", lambda k: f"P{k}").replace(",7.5,y", ",7.5,").replace(",9.5,y", ",9.5,")
    first, target, _, last = faults(contents)
    assert first == "f.csv has 2 faults:"
    expected = "column 'class': the target is missing in 2 of 40 rows (lines 9 and 11). Remove these rows."
    assert target == f"- {expected}"
    assert last == "To continue: correct column 'class' in the file, then add --ignore a"


def test_classes_written_in_two_ways_are_to_be_corrected_in_the_same_run(faults):
    lines = faults(column("a", lambda k: f"P{k}").replace(",7.5,y", ",7.5,Y"))
    assert lines[0] == "f.csv has 2 faults:"
    assert (
        lines[-1] == "To continue: correct the spellings in column 'class' in the file, then add --ignore a"
    )


def test_a_column_may_be_mostly_empty(tmp_path):
    (tmp_path / "f.csv").write_text(column("a", lambda k: f"C{k % 8}" if k % 4 == 0 else ""))
    encoding = learn_encoding(read_table(tmp_path / "f.csv")).encoding
    assert encoding.feature_names == ["b", "a=C0", "a=C4", "a missing"]


def test_of_many_words_the_frequent_ones_are_kept_only_if_most_rows_have_one(faults, tmp_path):
    rare = column("a", lambda k: f"w{k % 90}", n=150)
    line, last = faults(rare)
    assert "the most frequent 20 are in only 40 of 150 rows. Leave it out with --ignore a, or" in line
    assert last == "To continue: --ignore a"
    table = read_table(tmp_path / "f.csv")
    assert len(learn_encoding(table, lump=True, strict=True).encoding.feature_names) == 1 + 21
    (tmp_path / "f.csv").write_text(column("a", lambda k: f"w{k}" if k < 70 else "usual", n=150))
    encoding = learn_encoding(read_table(tmp_path / "f.csv")).encoding
    assert encoding.feature_names == ["b", "a=usual", "a: other"]


def test_the_last_line_has_what_was_not_given_already(faults):
    rows = "".join(f"P{k},2024-01-{k % 28 + 1},{k}.5,{'xy'[k % 2]}\n" for k in range(60))
    *_, last = faults("id,when,n,class\n" + rows, ignore=["id"])
    assert last == "To continue: --ignore when"


def test_at_most_ten_faults_are_shown_and_all_have_their_options(faults):
    names = [f"c{k}" for k in range(14)]
    rows = [",".join([*(f"{name}-{k}" for name in names), "xy"[k % 2]]) for k in range(30)]
    lines = faults(",".join([*names, "class"]) + "\n" + "\n".join(rows))
    assert lines[0] == "f.csv has 14 faults:"
    assert len(lines) == 13
    assert lines[-2:] == ["- and 4 more of these kinds.", f"To continue: --ignore {','.join(names)}"]


@pytest.mark.parametrize(
    ("name", "typed"), [("a b", '"a b"'), ('"a,b"', "1"), ("a$b", "'a$b'"), ("größe", "größe")]
)
def test_options_can_be_typed_as_they_are(faults, tmp_path, name, typed):
    line, last = faults(column(name, lambda k: f"P{k}"))
    assert line.endswith(f"--ignore {typed}.")
    assert last == f"To continue: --ignore {typed}"
    ignored = shlex.split(typed)[0].split(",")
    table = read_table(tmp_path / "f.csv")
    assert learn_encoding(table, ignore=ignored).encoding.feature_names == ["b"]


# -- doubts --------------------------------------------------------------------------------------------------


def test_what_is_doubtful_is_listed_beside_the_faults_but_not_to_be_copied(faults):
    rows = [
        f"{k * k + 1},P{k},{'OK' if k % 3 else 'ok'},{'' if k % 4 else k}.5,2024-01-0{k % 3 + 1},"
        f"{'Mild' if k % 5 else 'mild'}"
        for k in range(60)
    ]
    contents = "people,name,state,cabin,day,class\n" + "\n".join(rows).replace(",.5,", ",,")
    *lines, last = faults(contents, impute=True)
    assert lines[0] == "f.csv has 1 fault:"
    assert lines[1].startswith("- column 'name': it has 60 different words")
    assert lines[2] == "These may also be wrong:"
    assert [line.split(": ")[1].split(",")[0].split(" differ")[0] for line in lines[3:]] == [
        "'OK' (40 rows) and 'ok' (20 rows)",
        "45 of 60 values are missing",
        "it holds dates or times",
        "'Mild' (48 rows) and 'mild' (12 rows)",
        "it numbers the rows",
    ]
    assert last == "To continue: --ignore name"  # a suspicion is no reason to leave a column out


@pytest.mark.parametrize(
    ("cells", "name", "says"),
    [
        (
            lambda k: "OK" if k % 3 else "o k",
            "words written in two ways",
            "'OK' (26 rows) and 'o k' (14 rows)",
        ),
        (lambda k: f"2024-01-0{k % 3 + 1}", "dates as words", "such as '2024-01-01', which count as words"),
        (
            lambda k: f"{k % 3 + 1} mg",
            "units as words",
            "have the unit 'mg', as in '1 mg', and count as words",
        ),
        (lambda k: k % 6 or "unknown", "numbers as words", "are numbers (but 'unknown', first in line 2)"),
    ],
)
def test_a_doubt_alone_stops_nothing_and_is_a_finding(tmp_path, cells, name, says):
    (tmp_path / "f.csv").write_text(column("a", cells))
    (finding,) = learn_encoding(read_table(tmp_path / "f.csv"), strict=True).findings
    assert (finding.name, finding.severity) == (name, "warning")
    assert finding.message.startswith("Column 'a': ")
    assert says in finding.message


def test_a_column_that_is_mostly_filled_is_a_finding(tmp_path):
    (tmp_path / "f.csv").write_text(column("a", lambda k: "" if k % 4 else k))
    (finding,) = learn_encoding(read_table(tmp_path / "f.csv"), impute=True).findings
    assert str(finding) == (
        "Column 'a': 30 of 40 values are missing, and the median 18 replaces all of them. Leave it out with "
        "--ignore a."
    )


def test_a_column_with_two_doubts_is_not_left_out(faults):
    contents = column("a", lambda k: f"2024-01-0{k % 3 + 1}" if k % 4 == 0 else "", n=60)
    contents = contents.replace("b,class", "id,class").replace(".5,", "x,")
    *_, last = faults(contents, impute=True)
    assert last == "To continue: --ignore id"


@pytest.mark.parametrize(
    ("text", "typed"), [("-", "-"), ("--", "--"), ("n.a.", "n.a."), ("#DIV/0!", "'#DIV/0!'"), (".", ".")]
)
def test_a_mark_among_few_numbers_is_a_fault(faults, text, typed):
    line, last = faults(column("a", lambda k: text if k in (7, 9) else k % 12))
    assert f"2 of 40 cells are not numbers ({text!r}, first in line 9)" in line
    assert line.endswith("If it is a separate value, write a word for it.")
    assert last == f"To continue: --missing {typed}"


@pytest.mark.parametrize("n", [5, 10, 20])
def test_names_of_rows_in_a_small_file_are_a_fault(faults, n):
    line, last = faults(column("a", lambda k: f"S{k}", n=n))
    assert f"it has {n} different words in {n} rows" in line
    assert last == "To continue: --ignore a"


def test_a_few_numbers_and_a_word_are_words_without_a_doubt(tmp_path):
    (tmp_path / "f.csv").write_text(column("doors", lambda k: ("2", "3", "4", "5more")[k % 4]))
    learned = learn_encoding(read_table(tmp_path / "f.csv"))
    assert learned.findings == []
    assert "Column 'doors' counts as words" in learned.notes[-1]


def test_a_fault_without_a_place_names_the_file():
    assert TableFaults("f", [Fault("", "it is wrong.")]).lines == ["f: it is wrong."]


# -- targets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        (lambda k: k * k // 300, "the target 'y' has 48 different whole numbers in 120 rows"),
        (
            lambda k: f"note {k}",
            "the target 'y' has 120 different values in 120 rows, such as 'note 0': these cannot be",
        ),
        (
            lambda k: "-" if k == 4 else f"{k}.25",
            "most of them numbers (but '-'): it looks like a quantity. Add --task regression",
        ),
        (
            lambda k: f"${k}.25",
            "in 120 rows, which are numbers: it looks like a quantity. Add --task regression",
        ),
        (lambda k: "", "column 'y': it is the target, and has no values."),
    ],
)
def test_a_target_that_is_no_class(faults, labels, says):
    contents = "a,b,y\n" + "".join(f"{k}.5,{-k}.5,{labels(k)}\n" for k in range(120))
    assert says in faults(contents)[0]


def test_whole_numbers_with_rows_for_each_are_classes(tmp_path):
    (tmp_path / "f.csv").write_text("a,y\n" + "".join(f"{k},{k % 30}\n" for k in range(60)))
    table = read_table(tmp_path / "f.csv")
    encoding = learn_encoding(table).encoding
    assert len(set(encoding.labels(table))) == 30
    (tmp_path / "new.csv").write_text("a,y\n" + "".join(f"{k},{k}\n" for k in range(30)))
    assert encoding.labels(read_table(tmp_path / "new.csv")).tolist() == list(range(30))
