"""The report on unusual rows: plain values, one page, and nothing that a name can break."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import TunedOneClassSVM
from kernelwise.reports.outliers import strangest_rows, unusual_rows
from kernelwise.reports.unusual_page import render_unusual

from .conftest import SCRIPT

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(70, 3)), columns=["a", SCRIPT, "c"])
    X.iloc[7, 1] = 12.0
    return TunedOneClassSVM("rbf", random_state=0).fit(X), X


def test_values_of_the_strangest_row_add_up_and_name_the_column(fitted):
    model, X = fitted
    first = strangest_rows(model, X, 3)[0]
    assert first.row == 7
    assert first.reasons()[0][0] == SCRIPT
    assert first.score == model.training_scores_[7]
    shares = [share for _, share in first.reasons()]
    assert shares == sorted(shares, reverse=True)
    assert 0.9 < sum(shares) <= 1 + 1e-12


def test_the_page_has_all_parts_and_escapes_names(fitted):
    pytest.importorskip("jinja2")
    model, X = fitted
    data = unusual_rows(model, X)
    page = render_unusual(data)
    assert f"{data.n_unusual} of 70 rows are unusual" in page
    assert all(f'id="{name}"' in page for name in ("strangest", "scores", "plane", "why", "repeat"))
    assert SCRIPT not in page


def test_other_rows_than_those_of_the_training_are_refused(fitted):
    model, X = fitted
    with pytest.raises(ValueError, match="needs the 70 rows that the model was trained on, got 5"):
        unusual_rows(model, X[:5])
