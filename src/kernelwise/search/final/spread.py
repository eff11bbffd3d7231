"""What held-out answers say about new ones: for whom it holds, and how far predictions of numbers are off."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelwise.conformal import MOST_CENTRES, fit_spread, parts_of
from kernelwise.search.data.canonical import sample
from kernelwise.search.families.regression import Regression
from kernelwise.search.final.machine import FinalStep, Finished

#: For whom the coverage of intervals and sets holds, by how rows were held out.
OF_ROWS = "new rows that are drawn like the training rows"
OF_GROUPS = "rows of new groups that are drawn like the groups of the training rows"
OF_TIME = "rows that follow the training rows, as long as they change no faster than the training rows did"
OF_FOLDS = "rows that differ from the training rows as the test parts of 'cv' differ from its training parts"


def holds_for(cv: Any, has_groups: bool) -> str:
    """For whom the coverage holds that folds of ``cv`` give."""
    if type(cv).__name__ == "TimeSeriesSplit":
        return OF_TIME
    is_drawn = isinstance(cv, str | int | np.integer)
    if has_groups and (is_drawn or "Group" in type(cv).__name__):
        return OF_GROUPS
    return OF_ROWS if is_drawn or type(cv).__name__ in RANDOM else OF_FOLDS


#: Splitters of scikit-learn whose test parts are drawn like their training parts, if rows are in no order.
RANDOM = (
    *("KFold", "StratifiedKFold", "ShuffleSplit", "StratifiedShuffleSplit", "RepeatedKFold"),
    *("RepeatedStratifiedKFold", "LeaveOneOut", "LeavePOut"),
)


def with_spread(step: FinalStep, last: Finished, has_groups: bool) -> Finished:
    """What was finished, with all that intervals and sets of classes go by.

    The record of held-out answers is all that is asked, so that it does not matter what gives the answers.
    """
    validator, family = step.validator, step.validator.family
    folds, tested, samples = validator.fold_rows, validator.tested, validator.samples
    if last.held_rows is None:
        rows, fold = folds.rows[folds.asked[tested]], folds.fold[tested]
        whom = holds_for(step.settings.cv, has_groups)
    else:
        rows, fold, whom = last.held_rows, np.zeros(len(last.held_rows), int), OF_ROWS
    # A model file holds these numbers of every row.
    small = fold.astype(np.min_scalar_type(int(fold.max(initial=0))))
    record = replace(last.record, fold=small, holds_for=whom, times=len(rows) / len(np.unique(rows)))
    if not isinstance(family, Regression) or family.quantiles:
        return replace(last, record=record)
    predictions = family.standardised(record.predicted)
    errors = family.standardised(record.truth) - predictions
    places = np.arange(len(rows))
    if len(rows) > MOST_CENTRES:
        places = sample(np.zeros(len(rows), int), MOST_CENTRES, validator.random_state)
    Z = None if samples.is_gram else samples.Z[rows]
    part = parts_of(fold, rows)
    spread, of_rows = fit_spread(Z, predictions, errors, record.weight, part, places, record.times)
    record = replace(record, spread=of_rows.astype(np.float32))
    return replace(last, record=record, spread=spread)
