"""ξα and GACV beside the true leave-one-out error: does the benchmark run, and do they agree?"""

from __future__ import annotations

import numpy as np

from benchmarks import left_out


def test_both_estimates_are_above_the_truth(monkeypatch):
    monkeypatch.setattr(left_out, "WIDTHS", (0.3, 3.0))
    monkeypatch.setattr(left_out, "CS", (1.0, 10.0, 100.0))  # with less, no support vector is free
    random = np.random.default_rng(0)
    signs = np.where(np.arange(30) % 2, 1.0, -1.0)
    X = random.normal(size=(30, 2)) + signs[:, None]
    settings = left_out.settings_of(X, signs)
    assert len(settings) == 6
    for one in settings:
        assert one.xi_alpha >= one.error
        assert one.xi_alpha >= one.xi_alpha_1
        assert one.gacv >= one.loss >= one.error
    numbers = left_out.row_of(settings)
    assert len(left_out.cells_of("mine", "30", np.array(numbers))) == len(left_out.HEAD)
    assert numbers[4] == 100.0
