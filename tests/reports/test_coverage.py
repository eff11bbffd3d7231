"""The section of a report on intervals and sets of classes."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import TunedSVC, TunedSVR
from kernelwise.reports import report_data
from kernelwise.reports.coverage import ASKED, coverage_of


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(420, 1))
    return TunedSVR("rbf").fit(X, 10.0 * X[:, 0] + (0.1 + X[:, 0]) * rng.normal(size=420))


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(1)
    y = np.repeat(["often", "rare"], [450, 90])
    return TunedSVC("rbf").fit(rng.normal(size=(540, 2)) + 1.2 * (y == "rare")[:, None], y)


def test_coverage_by_size_of_the_prediction(numbers):
    found = coverage_of(numbers)
    assert found.weights.sum() == 420.0
    assert len(found.names) == 10
    assert found.names[0].split(" to ")[1] <= found.names[1]
    assert abs(found.share - ASKED) < 0.03
    assert found.share == pytest.approx(np.average(found.shares, weights=found.weights))
    assert found.widths[-1] > 3.0 * found.widths[0]
    assert found.heading.startswith("Held-out rows: 90 % intervals contain the true number of ")
    assert "new rows that are drawn like the training rows" in found.note


def test_a_fold_does_not_choose_its_own_limit(numbers):
    record = numbers.fit_record_
    family = numbers._trained_family()
    scores = np.abs(family.standardised(record.truth) - family.standardised(record.predicted)) / record.spread
    hit = np.zeros(len(scores), bool)
    for k in range(5):
        others = np.sort(scores[record.fold != k])
        limit = others[int(np.ceil(ASKED * (len(others) + 1))) - 1]
        hit[record.fold == k] = scores[record.fold == k] <= limit
    assert coverage_of(numbers).share == hit.mean()


def test_the_worst_class_is_named(rare):
    found = coverage_of(rare)
    assert found.names == ["often", "rare"]
    assert found.widths is None
    assert found.heading.endswith(f"but {100 * found.shares[1]:.0f} % for class rare")
    assert "conditional='class'" in found.note


def test_the_page_has_the_section(numbers, rare):
    page = str(numbers.report())
    assert "mean width" in page
    assert coverage_of(numbers).heading.split(" of ")[0] in page.replace("\u00a0", " ")
    assert "true class</th>" in str(rare.report())


def test_there_is_none_without_folds_of_rows():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    with pytest.warns(UserWarning, match="better than guessing"):
        model = TunedSVR("rbf", solver="nystroem").fit(X, y)
    assert report_data(model).coverage is None
