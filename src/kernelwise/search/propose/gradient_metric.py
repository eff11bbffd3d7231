"""Weights of features, or a metric, from the machine itself: how steep its decision function is.

The average gradient outer product M = mean of ∇f(x) ∇f(x)ᵀ over the rows x says along which directions the
answer changes (Radhakrishnan, Beaglehole, Pandit & Belkin, "Mechanism for feature learning in neural networks
and backpropagation-free machine learning models", Science 383, 2024: recursive feature machines). It costs a
few matrix products after a fit. A column of a user's table has one weight, though its words and gaps are
several features (`Spread`, `tied`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelwise._core.rounding import significant
from kernelwise.criteria.columns import MAX_ROWS as MAX_SCREENED
from kernelwise.criteria.columns import screened_weights
from kernelwise.kernels import DiagonalGaussian, DiagonalLaplacian, Gaussian, Kernel, KernelSum
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.kernel_journal import name_of
from kernelwise.search.engine.runner import FoldProblem
from kernelwise.search.engine.scored_kernel import FoldKernels, ScoredKernel, final_kernel, without_rounding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.candidates import median_distance
from kernelwise.solvers.path_problem import Places

#: What every feature keeps, as a share of the mean weight.
FLOOR = 1e-3
#: What a feature keeps that does not vary: it may in samples to come, and must count for nothing then.
NOTHING = 1e-6
#: Rows at which gradients are taken, at most.
MAX_ROWS = 1000
#: Entries of a metric of mean weight one are multiples of this.
STEP = 2.0**-30


class Spread:
    """How the features of each column vary together: C_B / tr C_B for the covariance C_B of its features.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
    weight : ndarray of shape (n_rows,)
    columns : ndarray of shape (n_features,)
        The column of each feature.
    """

    def __init__(self, Z: np.ndarray, weight: np.ndarray, columns: np.ndarray) -> None:
        self.columns = columns
        self.n_columns = int(columns.max()) + 1
        share = weight / weight.sum()
        self._parts = []
        for column in range(self.n_columns):
            features = np.flatnonzero(columns == column)
            part = Z[:, features] - share @ Z[:, features]
            C = (share[:, None] * part).T @ part
            trace = float(np.trace(C))
            self._parts.append((features, C / trace if trace > 0.0 else np.zeros_like(C)))

    def squared_slopes(self, G: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Mean squared slope along each column, (n_columns,), of gradients of shape (n_rows, n_features).

        The slope is taken along the directions in which the rows differ, gᵀC_B g / tr C_B: from one word of a
        column to another, but not from a word to none. That of a column with one feature is its derivative.
        """
        return np.array(
            [np.einsum("i,ij,jk,ik->", share, G[:, B], C, G[:, B], optimize=True) for B, C in self._parts]
        )


def spread_of(samples: Samples) -> Spread | None:
    """The spread of the columns; None where every column is one feature."""
    if samples.columns is None:
        return None
    return Spread(samples.Z, samples.weight, samples.columns)


def tied(kernel: Any, samples: Samples) -> Any:
    """A kernel whose features have weights, with one weight for all features of a column.

    It is their mean by variance, so that the mean distance along the column stays as it is.
    """
    q = kernel.feature_weights
    if samples.columns is None or q is None:
        return kernel
    mean = np.average(samples.Z, axis=0, weights=samples.weight)
    variance = np.average((samples.Z - mean) ** 2, axis=0, weights=samples.weight)
    variance = np.maximum(variance, np.finfo(float).tiny)
    weights = np.bincount(samples.columns, q * variance) / np.bincount(samples.columns, variance)
    return kernel.with_feature_weights(weights[samples.columns])


def deviations(samples: Samples, variance: np.ndarray) -> np.ndarray:
    """By how much two rows differ in each feature on average, over what it is for a standard normal one.

    For numbers that is taken to be the standard deviation. A feature of two values a distance r apart, as
    those of words and gaps are, has a mean difference of 2·variance/r.
    """
    found = np.sqrt(variance)
    if samples.columns is None:
        return found
    is_coded = np.bincount(samples.columns)[samples.columns] > 1
    r = np.ptp(samples.Z, axis=0)
    at_an_end = (samples.Z == samples.Z.min(axis=0)) | (samples.Z == samples.Z.max(axis=0))
    is_two = is_coded & (r > 0.0) & at_an_end.all(axis=0)
    found[is_two] = np.sqrt(np.pi) * variance[is_two] / r[is_two]
    return found


def columns_that_vary(samples: Samples) -> np.ndarray:
    """1.0 for every column that is not constant, else 0.0, shape (n_columns,)."""
    varies = np.ptp(samples.Z, axis=0) > 0.0
    if samples.columns is None:
        return varies.astype(float)
    return (np.bincount(samples.columns, varies) > 0).astype(float)


def gradient_outer_product(
    kernel: Kernel,
    Z: Any,
    rows: np.ndarray,
    coefficients: Any,
    weight: np.ndarray,
    *,
    full: bool,
    spread: Spread | None = None,
) -> np.ndarray:
    """Average of ∇f ∇fᵀ over some rows and over machines, each of trace one; of trace one itself.

    Parameters
    ----------
    kernel : Kernel
    Z : ndarray of shape (n_samples, n_features)
    rows : ndarray of shape (n_rows,)
        Indices of the samples at which gradients are taken.
    coefficients : iterable of (members, beta)
        Of each machine: indices of samples, and β of the same shape.
    weight : ndarray of shape (n_samples,)
        Of the samples in the average.
    full : bool
        Whether M of shape (n_features, n_features) is asked for, or its diagonal, (n_features,).
    spread : Spread, default=None
        Where columns have several features: the diagonal then has one entry for each column, (n_columns,).
    """
    share = weight[rows] / weight[rows].sum()
    n_features = Z.shape[1] if full or spread is None else spread.n_columns
    total = np.zeros((n_features,) * (2 if full else 1))
    for members, beta in coefficients:
        used = np.flatnonzero(beta)
        if not used.size:
            continue
        A = np.broadcast_to(beta[used], (len(rows), len(used)))
        G = kernel.input_gradient(Z[rows], A, Z[members[used]])
        if full or spread is None:
            squares = np.einsum("i,ij,ij->j", share, G, G)
        else:
            squares = spread.squared_slopes(G, share)
        size = float(squares.sum())
        if size > 0.0:
            total += ((share[:, None] * G).T @ G if full else squares) / size
    size = float(np.trace(total) if full else total.sum())
    if size == 0.0:  # every machine is constant: no direction matters more than another
        return (np.eye(n_features) if full else np.ones(n_features)) / n_features
    return total / size


#: The reason of kernels with weights of columns by their alignment with the target.
ALIGNMENT = "alignment of the columns"
#: Columns from which on some may be noise that hides the others.
MANY_COLUMNS = 20
#: Rows that tell whether that may be, and the share of columns which have to do with the target at most then.
FEW_ROWS, FEW = 200, 0.5
#: Seconds that it takes for each column and pair of rows, about, and pairs times columns at most.
SECONDS_PER_PAIR, MOST_PAIRS = 3e-9, 2.5e8


def screened_products(validator: CrossValidator) -> list[np.ndarray] | None:
    """Weights of columns by their alignment with the target: without each fold, and of all rows (the last).

    The gradients of a machine that noise keeps from learning do not tell which columns matter. None if there
    are few columns, or if most of them, or none at all, have to do with the target. Columns weigh the same
    without a fold if none of them is found there.
    """
    held, everyone = validator.in_folds, np.arange(len(validator.in_folds))
    n_columns = held.n_columns
    if n_columns < MANY_COLUMNS or (_screened(validator, everyone, FEW_ROWS, rounds=1) > 0.0).mean() > FEW:
        return None
    n_rows = min(MAX_SCREENED, max(FEW_ROWS, int(np.sqrt(MOST_PAIRS / n_columns))))
    cost = 2.0 * SECONDS_PER_PAIR * n_columns * min(n_rows, len(held)) ** 2 * (len(validator.folds) + 1)
    if not validator.context.deadline.allows("alignment of the columns", cost):
        return None
    final = _screened(validator, everyone, n_rows)
    if not 0.0 < (final > 0.0).mean() <= FEW:
        return None
    by_fold = [_screened(validator, train, n_rows) for train, _ in validator.folds]
    equal = columns_that_vary(validator.samples)
    return [*(one if one.any() else equal for one in by_fold), final]


def _screened(validator: CrossValidator, rows: np.ndarray, n_rows: int, rounds: int = 2) -> np.ndarray:
    if len(rows) > n_rows:
        rows = rows[sample(validator.in_folds.strata[rows], n_rows, validator.random_state)]
    part = validator.in_folds[rows]
    are_classes = validator.family.labels(part.y) is not None
    # Every row counts once, whatever its weight: what alignments are by chance follows from orders of rows,
    # and copies of a row cannot be told from a signal.
    once = np.ones(len(rows))
    return screened_weights(
        part.Z, part.y, once, are_classes=are_classes, columns=part.columns, rounds=rounds
    )


#: Gradients of all machines take as long as so many paths of C of the same kernel, about.
GRADIENTS = 5.0


def outer_products(
    validator: CrossValidator, scored: ScoredKernel, kernels: Kernel | FoldKernels, *, full: bool
) -> list[np.ndarray]:
    """M of the machines of a scored kernel at its best C: without each fold, and of all rows (the last).

    ``kernels`` are what was scored. Where each fold has its own kernel, its machine has that one: the final
    kernel has seen the rows that the fold holds out. Diagonals have one entry for each column.
    """
    held, everyone, journal = (
        validator.in_folds,
        np.arange(len(validator.in_folds)),
        validator.context.journal,
    )
    Cs = scored.Cs[scored.best : scored.best + 1]
    name = f"gradients {full} {name_of(kernels, Cs, scored.epsilon)} {len(held)}"
    if journal is not None and name in journal:
        return [np.array(one) for one in journal[name]]
    validator.make_room()
    folds = [*validator.folds, (everyone, everyone[:0])]
    own = [*kernels.by_fold, kernels.final] if isinstance(kernels, FoldKernels) else [kernels] * len(folds)
    K, last = None, None
    found = []
    spread = None if full else spread_of(held)
    for kernel, (rows, test) in zip(own, folds, strict=True):
        # One fold at a time: several start from the machine of all rows, which has seen what they hold out.
        problem = _problem(validator, (rows, test))
        if K is None or kernel is not last:
            K = problem.single_gram(kernel, K) if problem.is_single(kernel) else kernel(held.Z)
            last = kernel
        path = problem.solve(K, Cs, epsilon=scored.epsilon, check=False).path
        if len(rows) > MAX_ROWS:
            rows = rows[sample(held.strata[rows], MAX_ROWS, validator.random_state)]
        machines = [(members, one.beta) for members, one in zip(path.members, path.last[0], strict=True)]
        product = gradient_outer_product(
            kernel, held.Z, rows, machines, held.weight, full=full, spread=spread
        )
        found.append(product)
    if journal is not None:
        journal[name] = [one.tolist() for one in found]
    return found


def _problem(validator: CrossValidator, fold: tuple[np.ndarray, np.ndarray]) -> FoldProblem:
    """The machines of the training part of a fold, for one Gram matrix after the other."""
    held = validator.in_folds
    bound = validator.family.bounds_on_folds(held.y, held.weight, held.bound, [fold])
    places = Places([np.arange(len(fold[1]))], len(fold[1]))
    return FoldProblem(held.Z, held.y, bound, [fold], validator.family, validator.settings, places)


def metric_at(product: np.ndarray, t: float) -> np.ndarray:
    """Q(t) on the way from the plain metric, t = 0, to M, t = 1; the mean of its diagonal is 1.

    The geodesic of the affine-invariant metric from a multiple of the identity to M is M^t, up to a factor.
    M has the shape (n_features, n_features), or it is the diagonal of one, (n_features,), as is Q(t) then.
    Every direction keeps `FLOOR` of the mean weight. The result is on a grid, so that the order of the
    features does not show in its last digits; the floor is far above the grid, so that Q stays definite.
    """
    n = len(product)
    if product.ndim == 1:
        # Features that do not vary have no gradient, and must not change the weights of the others.
        counts = product > 0.0 if product.any() else np.full(n, True)
        Q = (product / product[counts].mean() + FLOOR) ** t
        Q = np.where(counts, Q / Q[counts].mean(), NOTHING)
        return np.asarray(np.rint(Q / STEP) * STEP)
    values, U = np.linalg.eigh(product * (n / np.trace(product)))
    Q = (U * (np.maximum(values, 0.0) + FLOOR) ** t) @ U.T
    Q = (Q + Q.T) / 2.0
    constant = np.diag(product) == 0.0
    if constant.any() and not constant.all():
        Q[constant] = Q[:, constant] = 0.0
        Q[constant, constant] = NOTHING
    return np.asarray(np.rint(Q * (n / np.trace(Q)) / STEP) * STEP)


def weighted(
    kernel: Any, products: Sequence[np.ndarray], t: float = 1.0, columns: np.ndarray | None = None
) -> FoldKernels:
    """An RBF or a Laplacian kernel with a metric from gradients, without each fold and in the end.

    ``products`` are those of `kernelwise.search.propose.gradient_metric.outer_products`, which are
    diagonals or, for RBF kernels, full; ``t`` is how far the metric goes from the plain one. The mean of
    the weights is that of the kernel, which a climb over widths starts from. ``columns`` is the column of
    each feature, where that is not one feature each: diagonals have a weight for every column.
    """
    # Weights of differences are the roots of those of squared differences.
    power = 0.5 * t if kernel.distance == "cityblock" else t
    metrics = [metric_at(one, power) for one in products]
    if columns is not None:
        metrics = [metric[columns] if metric.ndim == 1 else metric for metric in metrics]
    *by_fold, final = (without_rounding(_weighted(kernel, metric)) for metric in metrics)
    return FoldKernels(final, by_fold)


def _weighted(kernel: Any, weights: np.ndarray) -> Kernel:
    if kernel.distance == "cityblock":
        return DiagonalLaplacian(kernel.scale * weights)
    return (DiagonalGaussian if weights.ndim == 1 else Gaussian)(2.0 * kernel.scale * weights)


def at_widths(
    kernels: Kernel | FoldKernels, Z: np.ndarray, widths: Sequence[float]
) -> list[Kernel | FoldKernels]:
    """A kernel exp(−s·D) at every width s·(median D of the rows Z) that is named, whatever its own one is."""
    kernel: Any = final_kernel(kernels)
    (power,) = kernel.input_powers.values()
    own = float(significant(kernel.scale * median_distance(kernel.distances(Z))))
    return [kernels.rescaled((width / own) ** (1.0 / power)) for width in widths]


def summed(kernels: Sequence[Kernel | FoldKernels], n_folds: int) -> FoldKernels:
    """The sum of kernels, each as it is without a fold."""
    finals = [kernel.final if isinstance(kernel, FoldKernels) else kernel for kernel in kernels]
    by_fold = [
        KernelSum([kernel.by_fold[k] if isinstance(kernel, FoldKernels) else kernel for kernel in kernels])
        for k in range(n_folds)
    ]
    return FoldKernels(KernelSum(finals), by_fold)
