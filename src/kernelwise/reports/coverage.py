"""What intervals and sets of classes cover on held-out rows: of which numbers and classes, and how wide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelwise.conformal import conformal_quantile, fewest_rows
from kernelwise.search.engine.rules import standard_error
from kernelwise.search.result import FitRecord
from kernelwise.search.wording import number

#: The coverage that a report shows.
ASKED = 0.9
#: Groups of predictions, at most, and rows of a group, at least.
N_GROUPS, FEWEST = 10, 20
#: Standard errors by which the worst group is behind what was asked, to be worth a word.
BEHIND = 3.0


@dataclass(frozen=True, eq=False)
class Coverage:
    """Coverage of intervals by size of the prediction, or of sets by true class, on held-out rows.

    Attributes
    ----------
    share : float
        Of all rows that are covered.
    names : list of str
        Of the groups.
    weights, shares : ndarray of shape (n_groups,)
        Weights of the rows, and how many of them are covered.
    widths : ndarray of shape (n_groups,) or None
        Mean widths of the intervals; None of sets.
    holds_for : str
        For which new rows the coverage holds.
    """

    share: float
    names: list[str]
    weights: np.ndarray
    shares: np.ndarray
    widths: np.ndarray | None
    holds_for: str

    @property
    def worst(self) -> int:
        """The group of the least coverage."""
        return int(np.argmin(self.shares))

    @property
    def is_behind(self) -> bool:
        """Whether the worst group is covered less than asked, by more than chance."""
        error = standard_error(np.array([[ASKED]]), self.weights[[self.worst]], is_share=True)[0]
        return bool(ASKED - self.shares[self.worst] > BEHIND * error)

    @property
    def heading(self) -> str:
        """What the table shows."""
        what = "sets contain the true class" if self.widths is None else "intervals contain the true number"
        worst = ""
        if self.is_behind:
            of = "class" if self.widths is None else "predictions of"
            worst = f", but {100 * self.shares[self.worst]:.0f} % for {of} {self.names[self.worst]}"
        rows = f"of {100 * self.share:.1f} % of the rows"
        return f"Held-out rows: {100 * ASKED:.0f} % {what} {rows}{worst}"

    @property
    def note(self) -> str:
        """How the numbers were found, and for whom they hold."""
        if self.widths is None:
            made = (
                "Instead of one class, the model can answer with a set of classes that contains the true "
                f"one for {100 * ASKED:.0f} % of the rows: predict_set, or kernelwise predict --sets "
                f"{ASKED:g}. A set has the classes whose probability is high enough, which may be none where "
                "the model is unsure. What is enough"
            )
            advice = (
                " predict_set(X, conditional='class') covers every class alike." if self.is_behind else ""
            )
        else:
            made = (
                "Instead of one number, the model can answer with an interval that contains the true one "
                f"for {100 * ASKED:.0f} % of the rows: predict_interval, or kernelwise predict --interval "
                f"{ASKED:g}. It is wide where predictions of similar rows are far off. How wide it is"
            )
            advice = ""
        return (
            f"{made} for each fold comes from the other folds, so that no row has a part in "
            f"its own answer. The coverage is for {self.holds_for}.{advice}"
        )


def coverage_of(model: Any) -> Coverage | None:
    """Coverage on held-out rows; None if the model has no record of them, or too few, or has quantiles."""
    record = model.fit_record_
    if getattr(model, "quantile", None) is not None:
        return None
    if record is None or record.fold is None or len(np.unique(record.fold)) < 2:
        return None
    if is_classifier(model):
        is_in, names = _covered(-record.of_truth, record), [str(label) for label in model.classes_]
        return _grouped(record, is_in, record.truth, names, None)
    family = model._trained_family()
    values = family.standardised(record.predicted)
    errors = np.abs(family.standardised(record.truth) - values)
    limits = _limits(errors / record.spread, record)
    if limits is None:
        return None
    reach = limits * record.spread
    widths = family.in_units(values + reach) - family.in_units(values - reach)
    group, names = _by_size(record.predicted)
    return _grouped(record, errors <= reach, group, names, widths)


def _limits(scores: np.ndarray, record: FitRecord) -> np.ndarray | None:
    """The limit of each row from the scores of other folds, of shape (n,); None if there are too few."""
    assert record.fold is not None
    found = np.empty(len(scores))
    for k in np.unique(record.fold):
        others = record.fold != k
        found[~others] = conformal_quantile(scores[others], record.weight[others], ASKED, record.times)
    return found if np.isfinite(found).all() else None


def _covered(scores: np.ndarray, record: FitRecord) -> np.ndarray | None:
    limits = _limits(scores, record)
    return None if limits is None else scores <= limits


def _by_size(predicted: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Groups of about equal size, of shape (n,), from the smallest prediction to the largest; their names."""
    n_groups = max(1, min(N_GROUPS, len(predicted) // FEWEST))
    order = np.argsort(predicted, kind="stable")
    group = np.empty(len(predicted), int)
    names = []
    for k, rows in enumerate(np.array_split(order, n_groups)):
        group[rows] = k
        names.append(f"{number(predicted[rows[0]])} to {number(predicted[rows[-1]])}")
    return group, names


def _grouped(
    record: FitRecord,
    is_in: np.ndarray | None,
    group: np.ndarray,
    names: list[str],
    widths: np.ndarray | None,
) -> Coverage | None:
    if is_in is None or len(is_in) < fewest_rows(ASKED):
        return None
    weights = np.bincount(group, record.weight, minlength=len(names))
    known = weights > 0.0

    def mean(values: np.ndarray) -> np.ndarray:
        return np.bincount(group, record.weight * values, minlength=len(names))[known] / weights[known]

    return Coverage(
        float(np.average(is_in, weights=record.weight)),
        [name for name, is_known in zip(names, known, strict=True) if is_known],
        weights[known],
        mean(is_in),
        None if widths is None else mean(widths),
        record.holds_for,
    )
