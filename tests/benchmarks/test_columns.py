"""The benchmark of columns that do not matter, on two small sets."""

import numpy as np
import pytest
from benchmarks.columns import line, main, unscreened

from kernelwise import TunedSVC
from kernelwise.datasets import make_weston


@pytest.mark.slow
def test_a_line_has_a_cell_for_every_method():
    X, y = make_weston(120, n_noise=58, random_state=0)
    without, with_columns = (
        cell.strip() for cell in line("weston", X, y, with_trees=False)[30:].split(" s") if cell
    )
    assert float(with_columns.split()[0]) > float(without.split()[0])
    numbers = line("numbers", X, np.sin(X[:, 0]), with_trees=True)
    assert numbers.startswith("numbers ")
    assert numbers.count(" s") == 4


def test_nothing_is_screened_in_the_context():
    X, y = make_weston(80, n_noise=30, random_state=0)
    with unscreened():
        assert "screened rbf" not in TunedSVC().fit(X, y).result_.forms
    assert "screened rbf" in TunedSVC().fit(X, y).result_.forms


def test_the_command_prints_the_cost_and_named_sets(capsys):
    main(["--sets", "wine", "--rows", "60"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("column_alignment, 500 rows of 500 columns: ")
    assert lines[2].split()[:3] == ["wine", "60", "13"]
