"""The comparison of methods in a report: what is clear, and what its heading says."""

from __future__ import annotations

import numpy as np

from kernelwise.reports.comparison import clear_from, versus
from tests.comparison.test_rivals import BETTER, HALVES, NOT_BEST, SAME, table_of


def test_few_folds_need_more_standard_errors():
    """As many standard errors as chance exceeds as rarely as two of many folds (Student, one-sided 2.3 %)."""
    assert clear_from(None) == round(clear_from(10**6), 4) == 2.0
    assert [round(clear_from(n), 2) for n in (2, 3, 5, 10)] == [13.97, 4.53, 2.87, 2.32]
    assert clear_from(1) == np.inf
    assert versus(table_of(**HALVES)).heading.startswith("No method is clearly better than kernelwise")


def test_the_report_begins_with_a_forest_that_wins():
    told = versus(table_of([[0.3] * 4, [0.2] * 4], kernelwise=SAME, random_forest=BETTER))
    assert told.heading.startswith(f"{NOT_BEST}random forest is 5.0 points better than kernelwise, ")
    assert told.columns == {"accuracy": "accuracy, %", "log_loss": "log-loss"}
    assert told.cell(told.rows[1], "log_loss") == "0.200"
