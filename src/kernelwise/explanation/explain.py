"""Which columns made a prediction: Shapley values of kernel machines, exact where the kernel is a product."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.validation import check_jobs, check_range, check_seed
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.explanation.explanation import INTERVENTIONAL, KERNEL, Explanation
from kernelwise.explanation.outputs import Outputs, outputs_of
from kernelwise.explanation.products import Products, is_product
from kernelwise.explanation.sampling import sampled_values
from kernelwise.export.plain_model import PlainModel, plain_numbers
from kernelwise.kernels import Kernel
from kernelwise.search.scaling import apply_scaler

#: Background rows of an estimate that nobody gave a background to: support vectors, at most so many.
N_BACKGROUND = 100
#: Columns of which pairs are looked at, at most: the work grows like the fourth power.
MOST_INTERACTING = 30
#: Columns of a correlation above this make the two value functions differ.
CORRELATED = 0.9


def explain(
    model: Any,
    X: Any,
    *,
    background: Any = None,
    output: str | None = None,
    n_orders: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Explanation:
    """Shapley values: what every column contributed to the model's output for each row.

    A kernel exp(−s·D) of a squared Euclidean or city-block distance, with or without weights of columns, and
    a sum of such kernels, is a product over columns. For these the values are exact, in time that grows
    like (rows) × (support vectors) × (columns)². For other kernels (polynomial, KMOD, full metrics) they are
    estimated from random orders of the columns, with a standard error.

    There are two meanings of an absent column. Without ``background`` its factor in the kernel is one, as if
    it agreed with every support vector: the *kernel's own* value function, which needs no other data. With
    background rows, absent columns take their values from there, averaged over the rows: the
    *interventional* value function. Both are exact for products.

    Parameters
    ----------
    model : TunedSVC, TunedSVR, SVC, SVR, NystroemSVC or NystroemSVR
        Fitted.
    X : array or data frame of shape (n_rows, n_features)
    background : array or data frame of shape (n_background, n_features), default=None
    output : {"decision", "probability-log-odds", "prediction"}, default=None
        "decision" is the decision value of two classes, positive for ``classes_[1]``; of more classes, that
        of each class's machine against the rest, or the mean of its pairs. "probability-log-odds" has the log
        odds of the model's sigmoids in the same way; coupling probabilities of pairs is not part of it.
        "prediction" is that of a regression. None is "decision" or "prediction".
    n_orders : int, default=50
        Orders of the columns for each row of an estimate, each used forwards and backwards.
    random_state : int, default=0
        Of an estimate.
    n_jobs : int, default=None
        Threads; results do not depend on it.

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
    >>> bool(abs(total - model.machine_values(data.data.head())[:, 0]).max() < 1e-9)
    True
    """
    reader = _Reader(model)
    check_jobs(n_jobs, "explain")
    check_seed(random_state, "explain")
    X, data = reader.read(X)
    B = None if background is None else reader.read(background)[0]
    outputs = outputs_of(model, output)
    chosen = output or ("decision" if hasattr(model, "classes_") else "prediction")
    products = reader.products()
    errors = None
    if products is not None:
        _warn_if_correlated(X if B is None else B, reader.group, reader.names)
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
        relevance=getattr(model, "relevance_", None),
    )


def explain_pairs(
    model: Any, X: Any, *, background: Any = None, output: str | None = None, n_jobs: int | None = None
) -> np.ndarray:
    """Shapley interaction indices of pairs of columns, exact, for at most 30 columns.

    The index of a pair is what both columns contribute together beyond what they contribute one by one,
    averaged over coalitions of the others; the diagonal is zero. Parameters are those of `explain`.

    Returns
    -------
    interactions : ndarray of shape (n_rows, n_columns, n_columns) or (…, n_outputs)
        Symmetric.
    """
    reader = _Reader(model)
    check_jobs(n_jobs, "explain_pairs")
    X, _ = reader.read(X)
    B = None if background is None else reader.read(background)[0]
    products = reader.products()
    if products is None:
        raise IncompatibleError(
            "Interactions are exact for kernels that are products over columns, and this model has another. "
            "Fit with kernel='rbf', 'laplacian', 'diagonal' or 'diagonal-laplacian'."
        )
    if products.n_columns > MOST_INTERACTING:
        raise ValueError(
            f"Interactions are computed for at most {MOST_INTERACTING} columns, and the model has "
            f"{products.n_columns}. Fit it on fewer columns."
        )
    outputs = outputs_of(model, output)
    return _squeezed(outputs, products.interactions(X, B, n_jobs) @ outputs.weights)


class _Reader:
    """The samples of a fitted model, its numbers, and the names of its columns.

    ``group``, of shape (n_features,), is the column of the user's table that each feature belongs to: a
    column of words, or one with gaps, has several features.
    """

    def __init__(self, model: Any) -> None:
        check_is_fitted(model)
        if not hasattr(model, "machine_values"):
            raise IncompatibleError(
                "explain takes a TunedSVC, TunedSVR, SVC, SVR, NystroemSVC or NystroemSVR, and not a "
                f"{type(model).__name__}. Fit one of those with the parameters that were chosen."
            )
        if hasattr(model, "cv_results_") and not hasattr(model, "best_estimator_"):
            raise IncompatibleError(
                f"explain needs a trained machine, and this {type(model).__name__} was fitted with "
                "refit=False."
            )
        self.model = model
        self.machine = getattr(model, "best_estimator_", model)
        kernel = getattr(self.machine, "kernel_", None)
        if not isinstance(kernel, Kernel) or kernel.takes_distances:
            raise IncompatibleError(
                "explain needs a kernel of samples with columns, and this model has none (a precomputed "
                "matrix, or a function of your own)."
            )
        n = model.n_features_in_
        given = getattr(model, "feature_names_in_", None)
        self.names = [f"column {k}" for k in range(n)] if given is None else [str(name) for name in given]
        self.encoder = getattr(model, "encoder_", None)
        self.group = np.arange(n) if self.encoder is None else self.encoder.layout.column

    def read(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows as numbers, (n_rows, n_features), and as they are shown, (n_rows, n_columns)."""
        if self.encoder is not None:
            table = self.encoder.table(X)
            return self.encoder.transform(table), table.cells()
        X = self.model._read_new(X)
        if sparse.issparse(X):
            X = X.toarray()
        X = np.asarray(X, dtype=float)
        check_range(X)
        return X, X

    def numbers(self) -> PlainModel | None:
        """The model as plain numbers; None if it cannot be written so."""
        try:
            return plain_numbers(self.model, self.machine)
        except IncompatibleError:
            return None

    def products(self) -> Products | None:
        """The model as sums of products over columns; None if it is none."""
        plain = self.numbers()
        if plain is None or not is_product(plain):
            return None
        return Products(plain, self.group)

    def values(self, X: np.ndarray) -> np.ndarray:
        """Machine values of rows as numbers, in the units of the output, (n_rows, n_machines)."""
        mean, deviation = getattr(self.model, "target_mean_", 0.0), getattr(self.model, "target_scale_", 1.0)
        Z = apply_scaler(getattr(self.model, "scaler_", None), X)
        return mean + deviation * self.machine.machine_values(Z)

    def background(self, random_state: int) -> np.ndarray:
        """Support vectors in the units of X, at most `N_BACKGROUND`."""
        support = self.machine.support_vectors_
        support = support.toarray() if sparse.issparse(support) else np.asarray(support)
        if len(support) > N_BACKGROUND:
            support = support[np.random.default_rng(random_state).permutation(len(support))[:N_BACKGROUND]]
        scaler = getattr(self.model, "scaler_", None)
        return support if scaler is None else np.asarray(scaler.inverse_transform(support))


def _estimated(
    reader: _Reader, X: np.ndarray, B: np.ndarray | None, outputs: Outputs, n_orders: int, random_state: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Values, standard errors, base value, and the background that an estimate is over."""
    if not isinstance(n_orders, int | np.integer) or n_orders < 2:
        raise ValueError(f"'n_orders' of explain must be an integer of at least 2, got {n_orders!r}.")
    B = reader.background(random_state) if B is None else B

    def predict(rows: np.ndarray) -> np.ndarray:
        return reader.values(rows) @ outputs.weights + outputs.offset

    drawn = B[np.arange(n_orders) % len(B)]
    values, errors = sampled_values(predict, X, drawn, reader.group, random_state)
    warnings.warn(
        f"The kernel {reader.machine.kernel_.title} is no product over columns: its Shapley values are "
        f"estimated from {n_orders} orders of the columns for each row, with standard errors.",
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


def _warn_if_correlated(X: np.ndarray, group: np.ndarray, names: list[str]) -> None:
    """Warn if columns say nearly the same: what an absent column is then decides who has the credit."""
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0.0)
    if len(X) < 20 or len(varies) < 2 or len(varies) > 500:
        return
    correlation = np.abs(np.corrcoef(X[:, varies], rowvar=False))
    correlation[group[varies][:, None] == group[varies][None, :]] = 0.0
    i, j = np.unravel_index(int(np.argmax(correlation)), correlation.shape)
    if correlation[i, j] > CORRELATED:
        warnings.warn(
            f"Columns {names[group[varies[i]]]!r} and {names[group[varies[j]]]!r} have a correlation of "
            f"{correlation[i, j]:.2f}: the two value functions of explain, with and without a background, "
            "may share the credit between them differently. Compare both, or leave one of the columns out.",
            KernelwiseWarning,
            stacklevel=stacklevel_of_user(),
        )
