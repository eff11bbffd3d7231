"""The columns that a model uses: learned weights, and Shapley values of some rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import is_classifier

from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.explanation import Explanation, explain, explains_exactly
from kernelwise.explanation.product_machines import nodes_for
from kernelwise.findings import catalogue
from kernelwise.kernels.metric import correlations, weigh_the_same
from kernelwise.reports.held_out import row_names, some_of, some_rows
from kernelwise.reports.words import middle_of, quantiles_of
from kernelwise.search.wording import number

#: Features that are shown one by one, at most, and the share that is worth a line.
MAX_WEIGHTS, SMALLEST = 30, 1e-3
#: Rows that are explained and background rows, at most; rows below which the section is left out.
MAX_ROWS, BACKGROUNDS, MIN_ROWS = 200, (20, 5), 10
#: Steps of the compiled loop that take about a second and a half.
MOST_STEPS = 5e8
#: Columns of the bars, of the drawings, and of an explained row.
MAX_SHOWN, MAX_DRAWN, MAX_REASONS = 12, 6, 6


@dataclass(frozen=True, eq=False)
class Relevance:
    """Share of each feature in a learned metric, the largest first.

    Attributes
    ----------
    names : list of str
    shares : ndarray of shape (n_shown,)
    n_features : int
    correlations : ndarray of shape (n_shown, n_shown) or None
        Q_kl/√(Q_kk Q_ll) of a full metric, in the same order.
    screened : str
        How many columns have to do with the target, where the weights started from that; else empty.
    """

    names: list[str]
    shares: np.ndarray
    n_features: int
    correlations: np.ndarray | None = None
    screened: str = ""

    @property
    def heading(self) -> str:
        """What the weights show."""
        if weigh_the_same(self.shares, self.n_features):
            return f"All {self.n_features} columns weigh the same"
        n = _n_for(0.9, self.shares)
        return _made_up(self.names[:n], self.shares[:n], self.n_features, "the distance")


def _n_for(level: float, shares: np.ndarray) -> int:
    """How many of the largest shares add up to a level, or all if none do."""
    return min(int(np.searchsorted(np.cumsum(shares), level) + 1), len(shares))


def _made_up(names: list[str], shares: np.ndarray, n_columns: int, what: str) -> str:
    if len(names) == n_columns > 1:
        return f"All {n_columns} columns have a part in {what}, {names[0]} the largest"
    listed = f": {', '.join(names)}" if len(names) <= 3 else ""
    return f"{len(names)} of {n_columns} columns make up {100 * shares.sum():.0f} % of {what}{listed}"


def feature_names(model: TunedMachine) -> list[str]:
    """Names of the features as the model was trained on them."""
    if hasattr(model, "feature_names_in_"):
        return [str(name) for name in model.feature_names_in_]
    return [f"feature {k}" for k in range(model.n_features_in_)]


def coded_names(model: TunedMachine) -> list[str]:
    """Names of the features as the machine has them, where words and gaps are features of their own."""
    return model.encoder_.feature_names if hasattr(model, "encoder_") else feature_names(model)


def relevance_of(model: TunedMachine) -> Relevance | None:
    """What a tuned machine has learned about the features; None if its kernel treats them all alike."""
    if not hasattr(model, "relevance_"):
        return None
    names, order = feature_names(model), np.argsort(-model.relevance_, kind="stable")[:MAX_WEIGHTS]
    order = order[: max(1, int((model.relevance_[order] >= SMALLEST).sum()))]
    Q = getattr(model, "metric_", None)
    together = None
    # Those of words would be many for one pair of columns.
    if Q is not None and len(Q) == len(names) and np.count_nonzero(Q - np.diag(np.diag(Q))) > 0:
        together = correlations(Q)[np.ix_(order, order)]
    said = (one.message for one in model.diagnostics_ if one.name == catalogue.SCREENED_COLUMNS.name)
    return Relevance([names[k] for k in order], model.relevance_[order], len(names), together, next(said, ""))


class Dependence(NamedTuple):
    """A column of the rows and its values, each (n_rows,); ``of`` is the class, of more than two.

    The cells of a column of words are places among ``words``, which is empty for numbers.
    """

    name: str
    cells: np.ndarray
    values: np.ndarray
    of: str
    words: tuple[str, ...] = ()


class Explained(NamedTuple):
    """One row: what it is, what the model says, and the largest values with their columns."""

    title: str
    said: str
    start: str
    end: str
    names: list[str]
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class LooksAt:
    """Which columns a model goes by, the most important first.

    Attributes
    ----------
    names : list of str
        Of the bars; the last may be of all other columns together.
    importance : ndarray of shape (n_bars,)
        Mean of |value|, as a share of all columns.
    weights : ndarray of shape (n_bars,) or None
        Learned weights of the same columns.
    shares : dict from str to float
        The importance of all columns by their names.
    n_columns, n_rows, n_background : int
        Columns, explained rows, and rows that absent columns are taken from.
    unit : str
        What the values add up to.
    dependence : list of Dependence
    rows : list of Explained
    caution : str
        About correlated columns; empty if there is nothing to say.
    """

    names: list[str]
    importance: np.ndarray
    weights: np.ndarray | None
    shares: dict[str, float]
    n_columns: int
    n_rows: int
    n_background: int
    unit: str
    dependence: list[Dependence]
    rows: list[Explained]
    caution: str = ""

    @property
    def heading(self) -> str:
        """How many columns it takes for most of the answer."""
        n = _n_for(0.8, self.importance)
        if self.n_columns == 1:
            return "The data has only one column"
        if n > MAX_SHOWN or n == self.n_columns:
            return f"Many of the {self.n_columns} columns matter; no few of them decide alone"
        what = "the differences between predictions"
        return _made_up(self.names[:n], self.importance[:n], self.n_columns, what)


def looks_at(
    model: TunedMachine, X: RowsLike, y: np.ndarray, lines: np.ndarray | Sequence[int] | None = None
) -> LooksAt | None:
    """Explain some rows; None if the values are not exact, or even a few rows would take too long.

    ``lines``, of shape (n_rows,), are those of the rows in their file.
    """
    if not explains_exactly(model):
        return None
    size = _sizes(model, len(y))
    if size is None:
        return None
    rows = some_rows(len(y), size[0])
    output = None
    if hasattr(model, "classes_"):  # one of which there are exact values
        output = "machine-values" if model.sigmoids_ is None else "probability-log-odds"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        background = some_of(X, some_rows(len(y), size[1], random_state=1))
        found = explain(model, some_of(X, rows), background=background, output=output)
    importance = found.importance().reshape(len(found.feature_names), -1)
    mean = importance.mean(axis=1)
    share = mean / mean.sum() if mean.sum() > 0 else np.full(len(mean), 1.0 / len(mean))
    names, bars = largest(share, found.feature_names, MAX_SHOWN)
    weights = found.relevance
    if weights is not None:
        weights = largest(share, found.feature_names, MAX_SHOWN, weights)[1]
    return LooksAt(
        names,
        bars,
        weights,
        dict(zip(found.feature_names, share.tolist(), strict=True)),
        len(found.feature_names),
        len(rows),
        size[1],
        _unit(model, found),
        [_dependence(found, importance, k) for k in np.argsort(-share, kind="stable")[:MAX_DRAWN]],
        _rows(model, found, some_of(X, rows), y[rows], row_names(rows, lines)),
        next((str(one.message) for one in caught if "have a correlation of" in str(one.message)), ""),
    )


def _sizes(model: TunedMachine, n: int) -> tuple[int, int] | None:
    """Rows to explain and background rows that take no longer than a report may."""
    n_support, d = model.best_estimator_.support_vectors_.shape
    steps = max(1, n_support) * d * len(nodes_for(d - 1)[0])
    for n_background in BACKGROUNDS:
        n_background = min(n_background, n)
        n_rows = int(min(n, MAX_ROWS, MOST_STEPS / (steps * n_background)))
        if n_rows >= min(n, MIN_ROWS):
            return n_rows, n_background
    return None


def _unit(model: TunedMachine, found: Explanation) -> str:
    if found.output == "prediction":
        is_log = getattr(model, "target_offset_", None) is not None
        return "the logarithm of the prediction" if is_log else "the prediction"
    what = "log odds" if found.output == "probability-log-odds" else "decision value"
    return f"the {what} of each class" if found.output_names else f"the {what} of “{model.classes_[1]}”"


def _dependence(found: Explanation, importance: np.ndarray, k: int) -> Dependence:
    """A column, for the class that it matters most for."""
    best = int(np.argmax(importance[k]))
    part = found.of_output(best) if found.output_names else found
    of = found.output_names[best] if found.output_names else ""
    cells, values = part.dependence(k)
    if not any(isinstance(cell, str) for cell in cells):
        return Dependence(found.feature_names[k], cells.astype(float), values, of)
    texts = [cell_text(cell) for cell in cells]
    words = sorted(set(texts))
    places = np.array([words.index(text) + 0.5 for text in texts])
    return Dependence(found.feature_names[k], places, values, of, tuple(words))


def _rows(
    model: TunedMachine, found: Explanation, X: RowsLike, y: np.ndarray, names: list[str]
) -> list[Explained]:
    """A sure row, a doubtful one and a wrong one; of a regression, the ends and the largest error."""
    predicted = model.predict(X)
    if not is_classifier(model):
        of = None
        if predicted.ndim == 2:
            middle = middle_of(quantiles_of(model))
            predicted, of = predicted[:, middle], found.output_names[middle]
        chosen = {
            "The highest prediction": int(np.argmax(predicted)),
            "The lowest prediction": int(np.argmin(predicted)),
            "The largest error": int(np.argmax(np.abs(predicted - y))),
        }
        said = [
            f"predicted {number(p, 4)}, observed {number(o, 4)}" for p, o in zip(predicted, y, strict=True)
        ]
        return [_explained(found, title, k, said[k], names[k], of) for title, k in chosen.items()]
    sure, is_right = sureness(model, X), predicted == y
    # Of two classes, the probability stands beside the bars.
    has_share = model.sigmoids_ is not None and bool(found.output_names)
    shares = [f" with a probability of {_percent(p)}" if has_share else "" for p in sure]
    said = [
        f"“{p}”{share}, which is correct" if p == t else f"“{p}”{share}, but it is “{t}”"
        for p, t, share in zip(predicted, y, shares, strict=True)
    ]
    chosen = {"The least certain row": int(np.argmin(sure))}
    if is_right.any():
        chosen = {"A clear row": int(np.argmax(np.where(is_right, sure, -np.inf))), **chosen}
    if not is_right.all():
        chosen["A wrongly predicted row"] = int(np.argmax(np.where(is_right, -np.inf, sure)))
    labels = [str(label) for label in predicted]
    return [
        _explained(found, title, k, said[k], names[k], labels[k] if labels[k] in found.output_names else None)
        for title, k in chosen.items()
    ]


def sureness(model: TunedMachine, X: RowsLike) -> np.ndarray:
    """The larger, the surer the model is of its answer, (n_rows,)."""
    if model.sigmoids_ is not None:
        return np.asarray(model.predict_proba(X).max(axis=1))
    values = model.decision_function(X)
    if values.ndim == 1:
        return np.abs(values)
    ordered = np.sort(values, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def _explained(
    found: Explanation, title: str, k: int, said: str, name: str, of: str | None = None
) -> Explained:
    part = found[k]
    if found.output_names:
        part = part.of_output(0 if of is None else of)
    names, values = largest(part.values[0], cell_labels(part.feature_names, part.data[0]), MAX_REASONS)
    base = float(part.base_values[0])
    start, end = (_value(part, not found.output_names, v) for v in (base, base + part.values[0].sum()))
    return Explained(f"{title} ({name})", said, start, end, names, values)


def _value(part: Explanation, is_pair: bool, value: float) -> str:
    text = number(value, 3).replace("-", "−")
    if part.output == "probability-log-odds" and is_pair:
        return f"{text} or a probability of {_percent(float(expit(value)))}"
    return text


def _percent(p: float) -> str:
    """A probability in words that never call it certain."""
    return "< 1 %" if p < 0.01 else "> 99 %" if p > 0.99 else f"{100 * p:.0f} %"


def largest(
    lengths: np.ndarray, names: list[str], n: int, values: np.ndarray | None = None
) -> tuple[list[str], np.ndarray]:
    """Names and lengths of the n longest bars, the longest first, and one bar of all others together.

    ``values`` are other numbers of the same columns, which are then returned in the place of the lengths.
    """
    order = np.argsort(-np.abs(lengths), kind="stable")
    shown, rest = order[:n], order[n:]
    if len(rest) == 1:  # a bar of one column is that column's
        shown, rest = order, order[:0]
    found, values = [names[k] for k in shown], lengths if values is None else values
    if not len(rest):
        return found, values[shown]
    return [*found, f"{len(rest)} other columns"], np.append(values[shown], values[rest].sum())


def cell_labels(names: list[str], cells: np.ndarray) -> list[str]:
    """Columns with what a row has there, shape (n_columns,): age = 41."""
    return [f"{name} = {cell_text(cell)}" for name, cell in zip(names, cells.tolist(), strict=True)]


def cell_text(cell: object) -> str:
    """A cell of a row in a few letters."""
    if cell is None or cell != cell:  # NaN is not itself
        return "missing"
    return number(cell, 4) if isinstance(cell, float | int) else str(cell)
