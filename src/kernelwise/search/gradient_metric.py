"""Weights of features, or a metric, from the machine itself: how steep its decision function is.

The average gradient outer product M = mean of ∇f(x) ∇f(x)ᵀ over the rows x says along which directions the
answer changes (Radhakrishnan, Beaglehole, Pandit & Belkin, "Mechanism for feature learning in neural networks
and backpropagation-free machine learning models", Science 383, 2024: recursive feature machines). It costs a
few matrix products after a fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.kernels import Kernel
from kernelwise.search.canonical import sample
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.kernel_journal import name_of
from kernelwise.search.scored_kernel import ScoredKernel

#: What every feature keeps, as a share of the mean weight.
FLOOR = 1e-3
#: Rows at which gradients are taken, at most.
MAX_ROWS = 1000


def gradient_outer_product(
    kernel: Kernel, Z: Any, rows: np.ndarray, coefficients: Any, weight: np.ndarray, *, full: bool
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
    """
    share = weight[rows] / weight[rows].sum()
    total: Any = 0.0
    for members, beta in coefficients:
        used = np.flatnonzero(beta)
        if not used.size:  # a constant machine
            continue
        A = np.broadcast_to(beta[used], (len(rows), len(used)))
        G = kernel.input_gradient(Z[rows], A, Z[members[used]])
        squares = np.einsum("i,ij,ij->j", share, G, G)
        size = float(squares.sum())
        if size > 0.0:
            total = total + ((share[:, None] * G).T @ G if full else squares) / size
    size = np.trace(total) if full else np.sum(total)
    if not size > 0.0:  # every machine is constant: no direction matters more than another
        d = Z.shape[1]
        return np.eye(d) / d if full else np.full(d, 1.0 / d)
    return np.asarray(total / size)


def outer_products(judge: CrossValidator, scored: ScoredKernel, *, full: bool) -> list[np.ndarray]:
    """M of the machines of a scored kernel at its best C: without each fold, and of all rows (the last)."""
    held, everyone, journal = judge.held_out, np.arange(len(judge.held_out)), judge.context.journal
    Cs = scored.Cs[scored.best : scored.best + 1]
    name = f"gradients {full} {name_of(scored.kernel, Cs, scored.epsilon)} {len(held)}"
    if journal is not None and name in journal:
        return [np.array(one) for one in journal[name]]
    folds = [*judge.folds, (everyone, everyone[:0])]
    path, _ = judge.family.solve(
        scored.kernel(held.Z),
        held.y,
        Cs,
        folds,
        bound=judge.family.bounds_on_folds(held.y, held.weight, held.bound, folds),
        epsilon=scored.epsilon,
        after=None,
        only=None,
        check=False,
        settings=judge.settings,
    )
    found = []
    for (rows, _), solved in zip(folds, path.last, strict=True):
        if len(rows) > MAX_ROWS:
            rows = rows[sample(held.strata[rows], MAX_ROWS, judge.random_state)]
        machines = [(members, one.beta) for members, one in zip(path.members, solved, strict=True)]
        found.append(gradient_outer_product(scored.kernel, held.Z, rows, machines, held.weight, full=full))
    if journal is not None:
        journal[name] = [one.tolist() for one in found]
    return found


def feature_weights(product: np.ndarray, power: float) -> np.ndarray:
    """Weights of the features from the diagonal of M, (n_features,), to some power, with a floor.

    Their mean is one over the features that count; those that do not vary have no gradient, and must not
    change the weights of the others.
    """
    counts = product > 0.0
    if not counts.any():
        return np.ones(len(product))
    weights = (product / product[counts].mean() + FLOOR) ** power
    return np.asarray(weights / weights[counts].mean())
