"""Contributions of columns to predictions: Shapley values of kernel machines.

They are exact where the kernel is a product; elsewhere random orders of the columns give estimates.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.typing import RowsLike
from kernelwise._core.validation import check_jobs, check_seed
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.explanation.explanation import INTERVENTIONAL, KERNEL, Explanation
from kernelwise.explanation.product_machines import MOST_NUMBERS
from kernelwise.explanation.reader import WIDTH, Outputs, Reader, choices_of, outputs_of, reader_of

if TYPE_CHECKING:
    from kernelwise.estimators.kinds import Model

__all__ = ["Explanation", "explain", "explain_pairs", "explains_exactly"]

#: Columns of which pairs are looked at, at most: the work grows like the fourth power.
MOST_INTERACTING = 30
#: Columns of a correlation above this make the two value functions differ.
CORRELATED = 0.9


def explain(
    model: Model,
    X: RowsLike,
    *,
    background: RowsLike | str | None = None,
    output: str | None = None,
    n_orders: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Compute Shapley values: how much every column contributed to the model's output for each row.

    The values are exact for kernels that are products over columns: exp(−s·D) of a squared Euclidean or
    city-block distance, with or without weights of columns. They are also exact for the linear kernel and for
    sums of all these. The time grows like (rows) × (support vectors) × (columns)^1.5. For other kernels
    (polynomial, KMOD, full metrics) the values are estimated from random orders of the columns, with a
    standard error.

    A column can be absent in two ways. Without ``background``, its factor in the kernel is one, as if it
    agreed with every support vector; in a linear kernel it is zero, which is the mean of a standardised
    column. This is the *kernel's own* value function, which needs no other data. With background rows, absent
    columns get their values from these rows, averaged over all of them. This is the *interventional* value
    function, which ranks columns by what they change among real rows. With ``"support"``, these rows are
    support vectors, which the model keeps. Both value functions are exact. An estimate always uses the second
    one, with support vectors as background if none is given.

    Parameters
    ----------
    model : TunedSVC, TunedSVR, SVC, SVR, OneClassSVM, NystroemSVC, NystroemSVR or NystroemOneClassSVM
        A fitted model.
    X : array or data frame of shape (n_rows, n_features)
        The rows to explain.
    background : array or data frame of shape (n_background, n_features), or "support", default=None
        Rows to compare with, such as training rows. "support" stands for at most 100 support vectors, and
        fewer where that would take long.
    output : {"decision", "machine-values", "probability-log-odds", "prediction", "log-width"}, default=None
        What to explain. "decision" is what ``decision_function`` returns: the values of a row and the base
        value add up to it. With more than two classes and machines of pairs, its values are no sums over
        machines, and their Shapley values are estimated. "machine-values" are the values before any
        probability: that of two classes, of each class against the rest, or the mean of its pairs.
        "probability-log-odds" is the same with the log odds of the model's sigmoids, before probabilities of
        pairs are coupled. "prediction" is the prediction of a regression. "log-width" is the logarithm of the
        width of its intervals (`TunedSVR.predict_interval` of 90 %): the width is multiplied by exp(value).
        The width depends on the row and on its prediction, which is one more column here. None means
        "decision" or "prediction". A one-class model only has its decision value, negative for outliers.
    n_orders : int, default=50
        For an estimate: the number of orders of the columns for each row. Each order is used forwards and
        backwards, with one background row.
    random_state : int, default=0
        Seed of an estimate, and of the choice among support vectors.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.

    Returns
    -------
    explanation : Explanation

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from kernelwise import TunedSVC, explain
    >>> data = load_breast_cancer(as_frame=True)
    >>> model = TunedSVC("rbf").fit(data.data, data.target)
    >>> found = explain(model, data.data.head())
    >>> found.values.shape, found.is_exact
    ((5, 30), True)
    >>> total = found.values.sum(axis=1) + found.base_values
    >>> bool(abs(total - model.decision_function(data.data.head())).max() < 1e-9)
    True
    """
    reader = reader_of(model, output)
    check_jobs(n_jobs, "explain")
    check_seed(random_state, "explain")
    X, data = reader.read(X)
    B = reader.read_background(background, len(X), random_state)
    outputs = outputs_of(model, output)
    chosen = output or choices_of(model)[0]
    products = reader.products()
    errors = None
    if products is not None and outputs.shown is None:
        _warn_if_correlated(X if B is None else B, reader)
        found = products.values(X, B, n_jobs) @ outputs.weights
        base = products.absent(B) @ outputs.weights + outputs.offset
    else:
        found, errors, base, B = _estimated(reader, X, B, outputs, n_orders, random_state)
    return Explanation(
        *_shaped(outputs, found, base, len(X)),
        data=data,
        feature_names=reader.names,
        output_names=[name for name in outputs.names if name],
        output=chosen,
        value_function=KERNEL if B is None else INTERVENTIONAL,
        standard_errors=None if errors is None else _squeezed(outputs, errors),
        relevance=None if chosen == WIDTH else getattr(model, "relevance_", None),
    )


def explain_pairs(
    model: Model,
    X: RowsLike,
    *,
    background: RowsLike | str | None = None,
    output: str | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Compute exact Shapley interaction indices of pairs of columns, for at most 30 columns.

    The index of a pair is what both columns contribute together beyond what they contribute one by one,
    averaged over coalitions of the others; the diagonal is zero.

    Parameters
    ----------
    model : TunedSVC, TunedSVR, SVC, SVR, OneClassSVM, NystroemSVC, NystroemSVR or NystroemOneClassSVM
        Fitted, with a kernel that `explain` has exact values for.
    X : array or data frame of shape (n_rows, n_features)
    background : array or data frame of shape (n_background, n_features), or "support", default=None
    output : {"decision", "machine-values", "probability-log-odds", "prediction", "log-width"}, default=None
    n_jobs : int, default=None
        As in `explain`.

    Returns
    -------
    interactions : ndarray of shape (n_rows, n_columns, n_columns) or (…, n_outputs)
        Symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.explanation import explain_pairs
    >>> X, y = make_weston(100, n_noise=2, random_state=0)

    Two features tell the classes apart together, and neither does alone:

    >>> model = TunedSVC("diagonal").fit(X, y)
    >>> pairs = np.abs(explain_pairs(model, X[:30], background=X[30:60])).mean(axis=0)
    >>> pairs.shape, bool(pairs[0, 1] == pairs.max())
    ((4, 4), True)
    """
    reader = reader_of(model, output)
    check_jobs(n_jobs, "explain_pairs")
    X, _ = reader.read(X)
    B = reader.read_background(background, len(X))
    products = reader.products()
    if products is None:
        raise IncompatibleError(
            "Interactions need a kernel that is a product over columns, but this model has another one. Fit "
            "with kernel='rbf', 'laplacian', 'diagonal' or 'diagonal-laplacian'."
        )
    if products.n_columns > MOST_INTERACTING:
        raise ValueError(
            f"Interactions work for at most {MOST_INTERACTING} columns, but the model has "
            f"{products.n_columns}. Fit it on fewer columns."
        )
    outputs = outputs_of(model, output)
    if outputs.shown is not None:
        raise IncompatibleError(
            "The decision values of several classes are no sums over machines, so their interactions are not "
            "known. Use output='probability-log-odds' or output='machine-values'."
        )
    return _squeezed(outputs, products.interactions(X, B, n_jobs) @ outputs.weights)


def explains_exactly(model: Model) -> bool:
    """Return whether `explain` has exact values for a model; False if it cannot explain it at all.

    Parameters
    ----------
    model : object
        Fitted.

    Returns
    -------
    is_exact : bool

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import SVC
    >>> from kernelwise.explanation import explains_exactly
    >>> X, y = load_iris(return_X_y=True)
    >>> [explains_exactly(SVC(kernel=kernel).fit(X, y)) for kernel in ("rbf", "linear", "poly")]
    [True, True, False]
    """
    try:
        return Reader(model).products() is not None
    except (IncompatibleError, TypeError, ValueError):
        return False


def _estimated(
    reader: Reader, X: np.ndarray, B: np.ndarray | None, outputs: Outputs, n_orders: int, random_state: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, standard errors, base value, and the background that an estimate is over."""
    if not isinstance(n_orders, int | np.integer) or n_orders < 2:
        raise ValueError(f"'n_orders' of explain must be an integer of at least 2, got {n_orders!r}.")
    where = "" if B is not None else ", with support vectors as background rows"
    B = reader.support_vectors(random_state) if B is None else B

    def predict(rows: np.ndarray) -> np.ndarray:
        return outputs.of(reader.values(rows))

    # In an order of their own: rows of a file are often sorted.
    B = B[np.random.default_rng(random_state).permutation(len(B))]
    drawn = B[np.arange(n_orders) % len(B)]
    values, errors = sampled_values(predict, X, drawn, reader.group, random_state)
    is_shown = outputs.shown is not None and reader.products() is not None
    exact = " The output 'probability-log-odds' has exact ones." if is_shown else ""
    warnings.warn(
        f"{reader.why_no_products(outputs)}: Shapley values are estimates, from {n_orders} orders of the "
        f"columns for each row, with standard errors{where}.{exact}",
        KernelwiseWarning,
        stacklevel=stacklevel_of_user(),
    )
    return values, errors, predict(drawn).mean(axis=0), B


def _squeezed(outputs: Outputs, values: np.ndarray) -> np.ndarray:
    """Values without the last axis where there is one output."""
    return values[..., 0] if len(outputs.names) == 1 else values


def _shaped(
    outputs: Outputs, found: np.ndarray, base: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    return _squeezed(outputs, found), _squeezed(outputs, np.tile(base, (n_rows, 1)))


def _warn_if_correlated(X: np.ndarray, reader: Reader) -> None:
    """Warn if columns say nearly the same: what an absent column is then decides who has the credit."""
    X = X[:, : reader.n_features]  # a width also depends on the prediction, which cannot be left out
    spread = np.ptp(X, axis=0)
    varies = np.flatnonzero(spread > 0.0)
    if len(X) < 20 or len(varies) < 2 or len(varies) > 500:
        return
    column = reader.group[varies]
    # From 0 to 1, so that no square is out of the range of numbers.
    columns = (X - X.min(axis=0))[:, varies] / spread[varies]
    correlation = np.triu(column_correlations(columns, column), 1)
    i, j = np.unravel_index(int(np.argmax(correlation)), correlation.shape)
    if correlation[i, j] > CORRELATED:
        there = np.unique(column)
        warnings.warn(
            f"Columns {reader.names[there[i]]!r} and {reader.names[there[j]]!r} have a correlation of "
            f"{correlation[i, j]:.2f}, so they carry much of the same information. How their contribution is "
            "divided between the two depends on the rows to compare with (the background). Look at both "
            "columns together, or leave out one of them.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )


def column_correlations(X: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Correlations between the columns of a table, whose words and gaps are several features of X.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Features that all vary.
    column : ndarray of shape (n_features,)
        The column of each.

    Returns
    -------
    correlation : ndarray of shape (n_columns, n_columns)
        From 0 to 1, in the order of the numbers of the columns. It is the root of Escoufier's coefficient RV,
        Σ r_ij² over the features of both columns, over the geometric mean of those of each: |r| of columns
        with one feature each. Two columns that only have their gaps in common are not one.
    """
    belongs = (column[:, None] == np.unique(column)).astype(float)
    squares = belongs.T @ np.atleast_2d(np.corrcoef(X, rowvar=False)) ** 2 @ belongs
    own = np.sqrt(np.diagonal(squares))
    return np.sqrt(squares / np.outer(own, own))


def sampled_values(
    predict: Callable[[np.ndarray], np.ndarray],
    X: np.ndarray,
    background: np.ndarray,
    group: np.ndarray,
    random_state: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Shapley values over a background, and their standard errors, each (n_rows, n_columns, n_outputs).

    In each order the columns of a background row are replaced one after the other by those of the explained
    row; what a replacement changes is a sample of the column's value. Every order is used forwards and
    backwards, which balances it, and the mean of both is one sample of the standard error. A row's values add
    up to its output less the mean output of the background.

    Parameters
    ----------
    predict : callable
        From samples of shape (n, n_features) to outputs, (n, n_outputs).
    X, background : ndarray of shape (n_rows, n_features) and (n_orders, n_features)
        Each background row begins one order of the columns; there are at least two.
    group : ndarray of shape (n_features,)
        The column that each feature belongs to.
    random_state : int
    """
    random = np.random.default_rng(random_state)
    d = int(group.max()) + 1
    n_together = max(1, MOST_NUMBERS // ((d + 1) * X.shape[1]))
    values, errors = [], []
    for row in X:
        parts = []
        for first in range(0, len(background), n_together):
            starts = background[first : first + n_together]
            orders = np.array([random.permutation(d) for _ in starts])
            both = [_changes(predict, row, starts, order, group) for order in (orders, orders[:, ::-1])]
            parts.append((both[0] + both[1]) / 2.0)
        samples = np.concatenate(parts)
        values.append(samples.mean(axis=0))
        errors.append(samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))
    return np.array(values), np.array(errors)


def _changes(
    predict: Callable[[np.ndarray], np.ndarray],
    row: np.ndarray,
    starts: np.ndarray,
    orders: np.ndarray,
    group: np.ndarray,
) -> np.ndarray:
    """What every replacement changes, of shape (n_orders, n_columns, n_outputs)."""
    n_orders, d = orders.shape
    # The step at which each column is replaced; a path has d + 1 points.
    step = np.argsort(orders, axis=1)
    is_replaced = step[:, None, :] < np.arange(d + 1)[None, :, None]
    points = np.where(is_replaced[:, :, group], row, starts[:, None, :])
    outputs = predict(points.reshape(n_orders * (d + 1), -1)).reshape(n_orders, d + 1, -1)
    return np.take_along_axis(np.diff(outputs, axis=1), step[:, :, None], axis=1)
