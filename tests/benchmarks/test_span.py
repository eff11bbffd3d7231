"""The span estimate beside the true leave-one-out error: does the benchmark run, and do they agree?"""

from __future__ import annotations

import numpy as np

from benchmarks import span


def test_the_plain_estimate_is_close_to_the_true_error(monkeypatch):
    monkeypatch.setattr(span, "WIDTHS", (0.3, 3.0))
    monkeypatch.setattr(span, "CS", (1.0, 10.0, 100.0))  # with less, no support vector is free
    random = np.random.default_rng(0)
    signs = np.where(np.arange(30) % 2, 1.0, -1.0)
    X = random.normal(size=(30, 2)) + signs[:, None]
    smoothed, plain, five, truth, agree = span.settings_of(X, signs, 0.01).T
    assert len(truth) == 6
    for share in (smoothed, plain, five, truth):
        assert ((share >= 0.0) & (share <= 1.0)).all()
    assert np.abs(plain - truth).max() <= 0.15
    assert agree.mean() > 0.9
