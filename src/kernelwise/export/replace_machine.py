"""Other coefficients for scikit-learn's trained SVC or SVR; nothing else may set private attributes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def replace_machine(
    machine: Any,
    support: np.ndarray,
    support_vectors: Any,
    n_support: np.ndarray,
    dual_coef: np.ndarray,
    intercept: np.ndarray,
) -> None:
    """Give a fitted scikit-learn SVC or SVR other support vectors and coefficients.

    What else LIBSVM wants to find on the object stays as scikit-learn itself has set it: it was fitted with
    the same classes and number of features, on dense or sparse samples as these are. ``support`` is ordered
    by class and ``n_support`` counts it by class (all of it, twice, for a regression). ``dual_coef``, of
    shape (n_classes - 1, n_SV), is in LIBSVM's layout: with two classes, positive for the second one, and one
    row for a regression.
    """
    machine.support_ = np.ascontiguousarray(support, dtype=np.int32)
    machine._n_support = np.ascontiguousarray(n_support, dtype=np.int32)
    # LIBSVM's own two-class machine is positive for the first class.
    sign = -1.0 if len(getattr(machine, "classes_", ())) == 2 else 1.0
    machine.intercept_, machine._intercept_ = np.array(intercept, dtype=float), sign * intercept
    if sparse.issparse(machine.support_vectors_):
        kind = type(machine.support_vectors_)
        machine.support_vectors_ = kind(support_vectors)
        machine.dual_coef_, machine._dual_coef_ = (_full_csr(kind, a) for a in (dual_coef, sign * dual_coef))
    else:
        machine.support_vectors_ = np.ascontiguousarray(support_vectors, dtype=float)
        machine.dual_coef_, machine._dual_coef_ = (
            np.array(a, dtype=float, order="C") for a in (dual_coef, sign * dual_coef)
        )


def _full_csr(kind: type, values: np.ndarray) -> Any:
    """A CSR matrix with every entry stored: LIBSVM reads the entries by their index."""
    n_rows, n_columns = values.shape
    indices = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
    indptr = np.arange(n_rows + 1, dtype=np.int32) * n_columns
    return kind((np.array(values, order="C").ravel(), indices, indptr), shape=values.shape)
