"""Features: values no machine can use, constant ones, and scales that hide each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

from kernelwise._core.text import count
from kernelwise._core.validation import LARGE
from kernelwise.diagnostics._data import Data, listed
from kernelwise.findings import Finding
from kernelwise.tables import findings_of_table, is_missing

RATIO = 100.0  # of standard deviations


def value_findings(data: Data) -> Iterator[Finding]:
    """NaN, infinity, and numbers whose squares overflow."""
    values = data.X.data if sparse.issparse(data.X) else data.X
    bad = ~(np.abs(values) < LARGE)
    if not bad.any():
        return
    columns = data.X.indices[bad] if sparse.issparse(data.X) else np.nonzero(bad)[1]
    affected = listed(data.names[k] for k in np.unique(columns))
    n_nan, n_infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    kinds = {"NaN": n_nan, "infinite": n_infinite, f"above {LARGE:g}": int(bad.sum()) - n_nan - n_infinite}
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    yield Finding(
        "values",
        "error",
        f"X has {count(int(bad.sum()), 'unusable value')} ({counted}) in {affected}, so distances, "
        "duplicates and scales were not checked.",
        "Remove or impute them first, for example with sklearn.impute.SimpleImputer.",
        "Correct them, or leave the columns out with --ignore.",
    )


def table_findings(data: Data) -> Iterator[Finding]:
    """Gaps, and what looks odd in the words of a table."""
    if data.frame is None or data.encoder is None:
        return
    names, n = data.columns[1], len(data.frame)
    gaps = [int(is_missing(column).sum()) for column in data.frame.columns]
    if any(gaps):
        with_gaps = [f"{names[k]} ({100.0 * gaps[k] / n:.0f} %)" for k in np.argsort(gaps)[::-1] if gaps[k]]
        yield Finding(
            "gaps",
            "info",
            f"{count(len(with_gaps), 'column has', 'columns have')} gaps: {listed(with_gaps)}.",
            "TunedSVC and TunedSVR accept gaps: they replace a missing number by the median of its column "
            "and add a feature that marks it.",
        )
    yield from findings_of_table(data.frame, data.encoder)


def feature_findings(data: Data) -> Iterator[Finding]:
    """Constant and badly scaled features; X is finite."""
    X = data.X
    if X.shape[0] < 2:
        return
    if sparse.issparse(X):
        (low, high), deviation = min_max_axis(X, axis=0), np.sqrt(mean_variance_axis(X, axis=0)[1])
    else:
        low, high, deviation = X.min(axis=0), X.max(axis=0), X.std(axis=0)
    constant = low == high
    if constant.any():
        yield _constant(data, np.flatnonzero(constant))
    if not constant.all() and not data.kernel.scales_features:
        yield from _scaling(data, np.flatnonzero(~constant), deviation)


def _constant(data: Data, features: np.ndarray) -> Finding:
    is_one = len(features) == 1
    them, their = ("it", "its") if is_one else ("them", "their")
    return Finding(
        "constant",
        "warning",
        f"{count(len(features), 'feature is', 'features are')} constant: "
        f"{listed(data.names[k] for k in features)}.",
        f"Remove {them} (sklearn.feature_selection.VarianceThreshold): no kernel can use {them}, and a "
        f"Mahalanobis kernel has to invert {their} variance.",
        f"Leave {them} out with --ignore: no kernel can use {them}.",
    )


def _scaling(data: Data, varying: np.ndarray, deviation: np.ndarray) -> Iterator[Finding]:
    order = varying[np.argsort(deviation[varying], kind="stable")]
    small, large = order[0], order[-1]
    if deviation[large] <= RATIO * deviation[small]:
        return
    hidden = order[deviation[order] * RATIO < deviation[large]]
    scaler = "MaxAbsScaler" if sparse.issparse(data.X) else "StandardScaler"
    # The variance of a feature such as 1e-170 and 2e-170 is zero.
    ratio = deviation[large] / deviation[small] if deviation[small] > 0 else np.inf
    yield Finding(
        "scaling",
        "warning",
        f"The standard deviation of {data.names[large]} ({deviation[large]:.3g}) is {ratio:.3g} times that "
        f"of {data.names[small]} ({deviation[small]:.3g}). {count(len(hidden), 'feature')} more than "
        f"{RATIO:g} times smaller hardly count{'s' if len(hidden) == 1 else ''}: "
        f"{listed(data.names[k] for k in hidden)}.",
        f"Scale the features, for example with sklearn.preprocessing.{scaler}, or use a Mahalanobis kernel.",
        "Use --scale standard, which is the default.",
    )
