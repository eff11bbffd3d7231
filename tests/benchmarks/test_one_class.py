"""benchmarks.one_class: the lines that it prints, and its exact judge."""

from __future__ import annotations

import numpy as np
from benchmarks.interior_point import one_class_exactly

from benchmarks import one_class


def test_a_line_for_each_question_and_each_width(monkeypatch, capsys):
    monkeypatch.setattr(one_class, "WIDTHS", (0.1,))
    one_class.main(["--problems", "3", "--rows", "60", "--repeat", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 problems")
    assert lines[3] == "outliers ≤ ν ≤ support vectors: 3"
    assert lines[-1].startswith("gamma 0.1 ")


def test_the_exact_machine_of_points_on_a_line():
    """The two points nearest to the origin are at their bounds: w = 1 + 2, and scores are 3x."""
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    exact = one_class_exactly(X @ X.T, 0.5, np.ones(4))
    assert exact.is_exact
    np.testing.assert_allclose(exact.beta, [1.0, 1.0, 0.0, 0.0], atol=1e-8)
    np.testing.assert_allclose((exact.low, exact.high), (6.0, 9.0), atol=1e-7)
