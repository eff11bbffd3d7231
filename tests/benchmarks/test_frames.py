"""benchmarks.frames and benchmarks.gaps: a small run, and expected distances."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from benchmarks import frames, gaps
from kernelwise.tables import Table


@pytest.fixture
def folder(tmp_path):
    """A folder with one small table."""
    random = np.random.default_rng(0)
    town = random.choice(["Ulm", "Bonn", "Kiel"], 60)
    size = random.normal(size=60)
    y = np.where((town == "Ulm") | (size > 0.5), "u", "v")
    table = pd.DataFrame({"town": town, "size": size, "class": y})
    table.loc[::9, "town"] = None
    table.loc[::7, "size"] = None
    table.to_csv(tmp_path / "small.csv", index=False)
    return tmp_path


def test_a_run_prints_lines_and_tables(folder, capsys):
    frames.main(["--sets", "small", "nowhere", "--tables", str(folder)])
    lines, _, tables = capsys.readouterr().out.partition("\n\n## accuracy\n")
    _, small, nowhere, last = lines.splitlines()
    assert small.startswith("small")
    assert nowhere.startswith("nowhere is left out. There is no nowhere.csv")
    assert last.startswith("mean of 1")
    row = tables.partition("\n## log_loss\n\n")[2].splitlines()[2].split(" | ")
    assert 0.0 < float(row[2]) < np.log(2)
    assert tables.count("| small | 60 | ") == 3


def test_expected_distances_are_means_over_what_is_missing():
    random = np.random.default_rng(1)
    number = np.where(random.random(80) < 0.2, np.nan, random.normal(2.0, 3.0, 80))
    word = np.array([None if k % 6 == 0 else "uvw"[k % 3] for k in range(80)], dtype=object)
    frame = Table(("number", "word"), (number, word))
    X, T = gaps.distance(frame, frame)
    known, shares = number[~np.isnan(number)], np.array([np.mean(word[word != None] == w) for w in "uvw"])  # noqa: E711

    def of_numbers(a, b):
        values = [known if np.isnan(one) else np.array([one]) for one in (a, b)]
        return np.mean((values[0][:, None] - values[1][None]) ** 2) / known.var()

    def of_words(a, b):
        p, q = (shares if one is None else np.array([one == w for w in "uvw"], float) for one in (a, b))
        return 2.0 * (1.0 - p @ q) / (1.0 - shares @ shares)

    for i, j in [(0, 1), (6, 12), (3, 5), (0, 18), (2, 6)]:
        expected = of_numbers(number[i], number[j]) + of_words(word[i], word[j])
        assert_allclose(((X[i] - X[j]) ** 2).sum(), expected, rtol=1e-10)
        assert_allclose(((X[i] - T[j]) ** 2).sum(), expected, rtol=1e-10)


def test_gaps_prints_a_line_for_each_set(folder, capsys):
    gaps.main(["--sets", "small", "--tables", str(folder)])
    head, _, small, last = capsys.readouterr().out.splitlines()
    assert head.split(" | ")[2:] == ["feature", "distance", "filled |"]
    assert small.startswith("| small | 60 | ")
    assert last.startswith("| mean of 1 | ")
