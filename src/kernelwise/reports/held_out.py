"""Answers to rows that the model was not trained on: rows held out by cross-validation, and test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import auc, roc_curve

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.text import count, in_words
from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.reports.words import class_weight_of, is_share, middle_of, quantiles_of
from kernelwise.search.engine.rules import standard_error
from kernelwise.search.result import FitRecord
from kernelwise.search.wording import number
from kernelwise.tables import Table

N_BINS = 10
#: Points of a scatter plot, at most.
MAX_POINTS = 2000
#: Where rows come from, for a heading.
SOURCES = {"held out": "Held-out rows", "test": "Test rows"}
#: Corners of a curve that are drawn, at most.
MAX_CORNERS = 500


@dataclass(frozen=True, eq=False)
class Confusion:
    """True against predicted classes.

    Attributes
    ----------
    source : str
        "held out" or "test".
    labels : list of str
    counts : ndarray of shape (n_classes, n_classes) or (n_classes, n_classes + 1)
        Weights of the rows; lines are true classes, a last column is of the rejected ones.
    note : str
        Why the share of right answers is not the score that the report states; empty if it is. If it is not,
        the heading has no total that the score contradicts.
    """

    source: str
    labels: list[str]
    counts: np.ndarray
    note: str = ""

    @property
    def n_wrong(self) -> float:
        """Samples that were misclassified or rejected."""
        return float(self.counts.sum() - np.trace(self.counts))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [*self.labels, "rejected"][: self.counts.shape[1]]

    @property
    def recall(self) -> np.ndarray:
        """Share of each true class that was found, shape (n_classes,)."""
        total = self.counts.sum(axis=1)
        return np.divide(np.diag(self.counts), total, out=np.zeros(len(total)), where=total > 0)

    @property
    def precision(self) -> np.ndarray:
        """Share of what was called each class that belongs to it, NaN if nothing was, shape (n_classes,)."""
        total = self.counts.sum(axis=0)[: len(self.labels)]
        return np.divide(np.diag(self.counts), total, out=np.full(len(total), np.nan), where=total > 0)

    def worst(self, n: int = 5) -> list[tuple[str, str, float]]:
        """The most frequent confusions: true class, predicted class, count."""
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0.0)
        order = np.argsort(-wrong, axis=None, kind="stable")[:n]
        pairs = [np.unravel_index(index, wrong.shape) for index in order]
        return [(self.labels[i], self.columns[j], float(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0]

    @property
    def heading(self) -> str:
        """What the table shows."""
        parts, worst = [], self.worst(1)
        if not self.note:
            parts.append(f"{self.n_wrong:g} of {count(float(self.counts.sum()), 'row')} wrong")
        if worst:
            true, predicted, n = worst[0]
            parts.append(f"the most frequent error is “{true}” predicted as “{predicted}” ({n:g})")
        return f"{SOURCES[self.source]}: {', '.join(parts)}" if parts else SOURCES[self.source]


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predicted probabilities against observed shares, in bins of about equal weight.

    Attributes
    ----------
    source : str
        "held out" or "test".
    of : str
        What the probabilities are of.
    predicted, observed, errors, weights : ndarray of shape (n_bins,)
        Mean probability, share of samples for which it came true and its standard error, weight.
    brier : float
        Mean squared difference between probability and what came true.
    has_class_weights : bool
        Whether rows count by the class weights, as they do in the probabilities.
    """

    source: str
    of: str
    predicted: np.ndarray
    observed: np.ndarray
    errors: np.ndarray
    weights: np.ndarray
    brier: float
    has_class_weights: bool = False

    @property
    def gap(self) -> float:
        """Mean distance between predicted and observed (expected calibration error)."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.weights))

    @property
    def heading(self) -> str:
        """What the curve shows."""
        off = f"the probabilities are off by {100 * self.gap:.1f} points on average"
        weighted = ", with the class weights" if self.has_class_weights else ""
        return f"{SOURCES[self.source]}{weighted}: {off}"

    @property
    def note(self) -> str:
        """What the class weights mean for the probabilities; empty without."""
        if not self.has_class_weights:
            return ""
        return (
            " The model's probabilities include its class weights, and the rows here are weighted in the "
            "same way. In your data, a rare class is less frequent than its probability suggests."
        )


@dataclass(frozen=True, eq=False)
class Roc:
    """Shares of two classes that are above a threshold, for all thresholds.

    Attributes
    ----------
    source : str
        "held out" or "test".
    of : str
        The class that is looked for, `classes_[1]`.
    false_alarms, found : ndarray of shape (n_corners,)
        Share of the other class, and of this one, above each threshold.
    area : float
        Under the curve: the probability that a row of this class ranks above one of the other.
    """

    source: str
    of: str
    false_alarms: np.ndarray
    found: np.ndarray
    area: float

    @property
    def heading(self) -> str:
        """What the curve shows."""
        return (
            f"{SOURCES[self.source]}: a row of class “{self.of}” ranks above one of the other class in "
            f"{100 * self.area:.1f} % of all pairs (ROC AUC {self.area:.3f})"
        )


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted against observed targets.

    Attributes
    ----------
    source : str
        "held out" or "test".
    observed, predicted : ndarray of shape (n_shown,)
        Thinned to what a plot can show.
    rmse, mae, median : float
        Root of the mean squared error, mean and median of the absolute errors of all rows, in units of y.
    mean_rmse : float
        Root of the mean squared error of the answer that is always the mean of the observed targets.
    below : tuple of (float, float)
        Of predicted quantiles: each quantile, and the share of all rows that lie below it or on it. The
        predictions shown are those of the quantile next to the middle.
    """

    source: str
    observed: np.ndarray
    predicted: np.ndarray
    rmse: float
    mae: float
    median: float
    mean_rmse: float
    below: tuple[tuple[float, float], ...] = ()

    @property
    def shown(self) -> str:
        """What the points are predictions of."""
        if not self.below:
            return "Predicted values"
        quantiles = tuple(quantile for quantile, _ in self.below)
        return f"Predicted {quantiles[middle_of(quantiles)]:g} quantiles"

    @property
    def heading(self) -> str:
        """What the points show."""
        if self.below:
            return f"{SOURCES[self.source]}: {below_text(self.below)}"
        half = f"half of the predictions are within {number(self.median)}"
        return f"{SOURCES[self.source]}: {half} (RMSE {number(self.rmse)}, MAE {number(self.mae)})"


@dataclass(frozen=True, eq=False)
class Unseen:
    """Answers to rows of one source that the model was not trained on.

    Attributes
    ----------
    source : str
        "held out" or "test".
    classes : sequence
    truth, predicted : ndarray of shape (n_rows,)
        Indices of classes; −1 is a rejected row.
    probability, weight : ndarray of shape (n_rows,)
        The probability of the second of two classes, or of the predicted one of more.
    note : str
        That of `Confusion`.
    """

    source: str
    classes: Any
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    note: str = ""

    def confusion(self) -> Confusion:
        """True against predicted classes."""
        k = len(self.classes)
        counts = np.zeros((k, k + 1))
        np.add.at(counts, (self.truth, np.where(self.predicted < 0, k, self.predicted)), self.weight)
        counts = counts if counts[:, k].any() else counts[:, :k]
        return Confusion(self.source, [str(c) for c in self.classes], counts, self.note)

    def reliability(self, factor: np.ndarray) -> Reliability | None:
        """Predicted probabilities against observed shares; None without any.

        ``factor`` is what a row of each class counts for, shape (n_classes,).
        """
        p, w, f = self.probability, self.weight, factor[self.truth]
        if len(self.classes) == 2:
            return reliability(self.source, f"class “{self.classes[1]}”", p, self.truth == 1, w, f)
        kept = self.predicted >= 0
        came_true = (self.truth == self.predicted)[kept]
        return reliability(self.source, "the predicted class", p[kept], came_true, w[kept], f[kept])

    def roc(self) -> Roc | None:
        """The curve of the second of two classes; None for more, and if one of them has no rows."""
        is_it = self.truth == 1
        if len(self.classes) != 2 or not self.probability.size or is_it.all() or not is_it.any():
            return None
        false_alarms, found, _ = roc_curve(is_it, self.probability, sample_weight=self.weight)
        area = float(auc(false_alarms, found))
        keep = np.unique(np.linspace(0, len(found) - 1, MAX_CORNERS).astype(int))
        return Roc(self.source, str(self.classes[1]), false_alarms[keep], found[keep], area)


def unseen_classes(model: TunedMachine, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Confusion, reliability and, of two classes, ROC curve of held-out and test rows."""
    classes, record, unseen, factor = model.classes_, model.fit_record_, [], np.ones(len(model.classes_))
    if record is not None:
        held_out = record.truth, record.predicted, record.probability, record.weight
        unseen.append(Unseen("held out", classes, *held_out, _note(model, record)))
        factor = class_factors(model, record.truth, record.weight)
    if test is not None:
        unseen.append(_of_test(model, *test))
    curves, rocs = [one.reliability(factor) for one in unseen], [one.roc() for one in unseen]
    return {
        "confusions": [one.confusion() for one in unseen],
        "reliabilities": [curve for curve in curves if curve is not None],
        "rocs": [curve for curve in rocs if curve is not None],
    }


def reliability(
    source: str,
    of: str,
    probability: np.ndarray,
    came_true: np.ndarray,
    weight: np.ndarray,
    factor: np.ndarray | None = None,
) -> Reliability | None:
    """Bin the probabilities, those that are equal to three digits together; None without any.

    A row counts ``weight`` times, and each time by ``factor``, the weight of its class.
    """
    factor = np.ones_like(weight) if factor is None else factor
    if not (weight * factor > 0).any():
        return None
    order = np.argsort(probability, kind="stable")
    order = order[(weight * factor)[order] > 0]
    p, hit, f = probability[order], came_true[order].astype(float), factor[order]
    w = weight[order] * f
    # Else a constant probability would be ten groups that differ by chance.
    tied = np.unique(p.round(3), return_inverse=True)[1]
    middle = np.cumsum(w) - 0.5 * w
    middle = (np.bincount(tied, weights=w * middle) / np.bincount(tied, weights=w))[tied]
    bins = np.minimum((middle / w.sum() * N_BINS).astype(int), N_BINS - 1)
    bins = np.unique(bins, return_inverse=True)[1]
    weights = np.bincount(bins, weights=w)
    observed = np.bincount(bins, weights=w * hit) / weights
    return Reliability(
        source,
        of,
        np.bincount(bins, weights=w * p) / weights,
        observed,
        _share_error(observed, weights, bins, hit, w, f),
        weights,
        float(np.average((p - hit) ** 2, weights=w)),
        has_class_weights=bool((factor != 1.0).any()),
    )


def _share_error(
    observed: np.ndarray, weights: np.ndarray, bins: np.ndarray, hit: np.ndarray, w: np.ndarray, f: np.ndarray
) -> np.ndarray:
    """Standard errors of shares, shape (n_bins,): √(p(1 − p)/n), or that of a ratio under class weights.

    A few rows of a large weight ``f`` are no more rows for it.
    """
    if (f == 1.0).all():
        return standard_error(observed[:, None], weights, is_share=True)
    rest = np.bincount(bins, weights=w * f * (hit - observed[bins]) ** 2)
    return np.asarray(np.sqrt(rest) / weights)


def below_text(below: Sequence[tuple[float, float]]) -> str:
    """How many rows lie below predictions: 89.6 % of the rows lie below the predicted 0.9 quantile."""
    shares = in_words([f"{100 * share:.1f} %" for _, share in below])
    quantiles = in_words([f"{q:g}" for q, _ in below])
    return f"{shares} of the rows lie below the predicted {quantiles} quantile{'s' if len(below) > 1 else ''}"


def shares_below(
    observed: np.ndarray,
    predicted: np.ndarray,
    quantiles: tuple[float, ...],
    weight: np.ndarray | None = None,
) -> tuple[tuple[float, float], ...]:
    """Each quantile, and the share of rows that lie below its prediction or on it."""
    if not quantiles:
        return ()
    is_below = observed[:, None] <= predicted.reshape(len(predicted), -1)
    return tuple(zip(quantiles, np.average(is_below, axis=0, weights=weight).tolist(), strict=True))


def predictions(
    source: str,
    observed: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray | None = None,
    quantiles: tuple[float, ...] = (),
) -> Predictions:
    """Errors of all rows, and some of them for a plot; all arrays have the shape (n_rows,).

    Predictions of several ``quantiles`` have the shape (n_rows, n_quantiles).
    """
    below = shares_below(observed, predicted, quantiles, weight)
    if predicted.ndim == 2:
        predicted = predicted[:, middle_of(quantiles)]
    errors, centre = predicted - observed, np.average(observed, weights=weight)
    rows = some_rows(len(observed))
    return Predictions(
        source,
        observed[rows],
        predicted[rows],
        rmse=float(np.sqrt(np.average(errors**2, weights=weight))),
        mae=float(np.average(np.abs(errors), weights=weight)),
        median=float(np.median(np.abs(errors))),
        mean_rmse=float(np.sqrt(np.average((observed - centre) ** 2, weights=weight))),
        below=below,
    )


def _note(model: TunedMachine, record: FitRecord) -> str:
    """Why the held-out answers score otherwise than the report states."""
    if type(model.best_estimator_).__name__.startswith("Nystroem"):
        return (
            "These are predictions of the final model, which is an approximation, for held-out rows. The "
            "score above comes from exact models, on the folds of the search."
        )
    n = getattr(record, "n_relabelled", 0.0)
    if not n or model.result_.score != -model.result_.value or not is_share(model):
        return ""
    # A file of before says how good decision values are. Of others, as many labels are right by both rules.
    right = [record.weight[labels == record.truth].sum() for labels in (record.predicted, record.scored)]
    if right[0] == right[1]:
        return ""
    return (
        "This table has the labels that the model predicts. The score above uses the signs of decision "
        f"values, which give another class for {n:g} of {count(float(record.weight.sum()), 'row')}."
    )


def class_factors(model: TunedMachine, truth: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What a row of each class counts for, shape (n_classes,), in the population that probabilities are of.

    With class weights they are those of a population in which the classes have these weights.
    """
    k = len(model.classes_)
    # Probabilities of earlier versions know no class weights: those of files say so, pickles have no rule.
    is_former = not hasattr(model, "predict_by") or not getattr(model, "_knows_class_weights", True)
    weights = class_weight_of(model)
    if weights is None or is_former:
        return np.ones(k)
    if weights == "balanced":
        return weight.sum() / (k * np.bincount(truth, weights=weight, minlength=k))
    return np.array([float(weights.get(label, 1.0)) for label in model.classes_.tolist()])


def _of_test(model: TunedMachine, X: RowsLike, y: ArrayLike) -> Unseen:
    truth = class_index(model.classes_, y, "y of the test samples")
    labels, p = model.predict(X), model.predict_proba(X)
    known = np.isin(labels, model.classes_)  # others are rejected
    predicted = np.full(len(labels), -1)
    predicted[known] = class_index(model.classes_, labels[known], "predict")
    shown = np.ones_like(predicted) if len(model.classes_) == 2 else predicted
    p = p[np.arange(len(p)), shown]
    return Unseen("test", model.classes_, truth, predicted, p, np.ones(len(p)))


def unseen_targets(model: TunedMachine, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Predicted against observed targets of held-out and test rows."""
    found, record, quantiles = [], model.fit_record_, quantiles_of(model)
    if record is not None:
        held_out = record.truth, record.predicted, record.weight
        found.append(predictions("held out", *held_out, quantiles))
    if test is not None:
        observed = np.asarray(test[1], dtype=float)
        found.append(predictions("test", observed, model.predict(test[0]), quantiles=quantiles))
    return {"predictions": found}


def class_index(classes: np.ndarray, labels: ArrayLike, what: str) -> np.ndarray:
    """Index of each label; a label that no class has is an error."""
    labels = np.asarray(labels)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        raise ValueError(
            f"{what} has the label {labels.tolist()[row]!r} in row {row}, which is not a class of the model. "
            "Pass only samples of its classes."
        )
    return np.searchsorted(classes, labels)


def class_indices(model: TunedMachine, labels: np.ndarray) -> np.ndarray:
    """Class indices of predicted labels; −1 for the label of rejected samples."""
    index = np.searchsorted(model.classes_, labels).clip(max=len(model.classes_) - 1)
    return np.where(model.classes_[index] == labels, index, -1)


def some_rows(n: int, limit: int = MAX_POINTS, random_state: int = 0) -> np.ndarray:
    """All rows, or a random choice of them in their order."""
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(random_state).choice(n, limit, replace=False))


def some_of(X: RowsLike, rows: np.ndarray) -> Any:
    """Rows of an array, a data frame or a Table."""
    return X[rows] if isinstance(X, Table) else safe_indexing(X, rows)


def row_names(rows: np.ndarray, lines: np.ndarray | Sequence[int] | None) -> list[str]:
    """Names of rows: their lines in the file, of shape (n_rows,), if they are known."""
    return [f"row {k}" for k in rows] if lines is None else [f"line {lines[k]}" for k in rows]
