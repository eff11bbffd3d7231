"""How good probabilities are: ``python -m benchmarks.calibration [--rows 500] [--sets NAME ...]``

Log-loss and expected calibration error (ten bins of the largest probability) of RBF machines on three outer
folds. "accuracy" and "log-loss" are what `TunedSVC("rbf")` maximises. The columns after them take the machine
of the first, and other calibrations of held-out values: "Platt", his targets for every pair of classes;
"plain", a sigmoid without smoothed targets; "isotonic" regression; "beta" calibration (Kull, Silva Filho and
Flach 2017) of Platt's probabilities; and "product", pairwise sigmoids coupled by products,
1/(Σ_j 1/r_ij − (k − 2)) (Price and others 1995), instead of by Wu, Lin and Weng's second method.
"""

from __future__ import annotations

import argparse
import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.datasets.manifest import FILES
from kernelwise.multiclass import class_pairs, two_class_machines
from kernelwise.solvers import svm_path
from kernelwise.solvers.probability import couple, doubt_of, fit_platt
from kernelwise.studies.study import few_rows

N_OUTER, N_INNER = 3, 5
COLUMNS = ("accuracy", "log-loss", "Platt", "plain", "isotonic", "beta", "product")
SMALLEST = 1e-6


def platt(f: np.ndarray, y: np.ndarray, g: np.ndarray, doubt: float) -> np.ndarray:
    """Probabilities of new values g by a sigmoid of held-out values f with labels ±1."""
    A, B = fit_platt(f, y, is_increasing=True, doubt=doubt)
    return expit(-(A * g + B))


def isotonic(f: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The same by isotonic regression, never quite 0 or 1."""
    fitted = IsotonicRegression(out_of_bounds="clip").fit(f, y > 0)
    return np.clip(fitted.predict(g), 1.0 / (len(f) + 2.0), 1.0 - 1.0 / (len(f) + 2.0))


def beta(f: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The same by a logistic regression on log p and −log(1 − p) of Platt's p, without falling parts."""
    A, B = fit_platt(f, y, is_increasing=True)

    def parts(values: np.ndarray) -> np.ndarray:
        p = np.clip(expit(-(A * values + B)), SMALLEST, 1.0 - SMALLEST)
        return np.column_stack([np.log(p), -np.log(1.0 - p)])

    used = [0, 1]
    while used:
        model = LogisticRegression(C=1e6, max_iter=1000).fit(parts(f)[:, used], y > 0)
        falling = [k for k, slope in zip(used, model.coef_[0], strict=True) if slope < 0]
        if not falling:
            return expit(model.decision_function(parts(g)[:, used]))
        used = [k for k in used if k not in falling]
    return np.full(len(g), (y > 0).mean())


def plain_sigmoid(f: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The same by a sigmoid without Platt's smoothing of the targets, with a little shrinkage instead."""
    unit = f.std() or 1.0
    model = LogisticRegression(C=100.0, max_iter=1000).fit(f[:, None] / unit, y > 0)
    return expit(model.decision_function(g[:, None] / unit))


def by_products(pairwise: np.ndarray, n_classes: int) -> np.ndarray:
    """Class probabilities of shape (n_samples, n_classes) from pairwise ones by products."""
    r = np.clip(pairwise, SMALLEST, 1.0 - SMALLEST)
    total = np.zeros((len(r), n_classes))
    for column, (i, j) in zip(r.T, class_pairs(n_classes), strict=True):
        total[:, i] += 1.0 / column
        total[:, j] += 1.0 / (1.0 - column)
    p = 1.0 / (total - (n_classes - 2))
    return p / p.sum(axis=1, keepdims=True)


def probabilities(model: TunedSVC, Z: np.ndarray, y: np.ndarray, new: np.ndarray, how: str) -> np.ndarray:
    """Probabilities of new rows by another calibration of held-out values of the chosen machine."""
    n_classes = len(model.classes_)
    index = np.searchsorted(model.classes_, y)
    folds = list(StratifiedKFold(N_INNER, shuffle=True, random_state=0).split(Z, index))
    held = svm_path(model.kernel_(Z), index, [model.C_], folds).decision[0].reshape(len(y), -1)
    values = model.best_estimator_.machine_values(new)
    others = {"isotonic": isotonic, "beta": beta, "plain": plain_sigmoid}
    fit = others.get(how, partial(platt, doubt=doubt_of(n_classes, "ovo") if how == "product" else 1.0))
    machines = two_class_machines(index, n_classes, "ovo")
    columns = [
        fit(held[machine.members, m], machine.signs, values[:, m]) for m, machine in enumerate(machines)
    ]
    pairwise = np.column_stack(columns)
    if n_classes == 2:
        return np.column_stack([1.0 - pairwise[:, 0], pairwise[:, 0]])
    return by_products(pairwise, n_classes) if how == "product" else couple(pairwise, n_classes)


def log_loss(p: np.ndarray, index: np.ndarray) -> float:
    """Mean of −log p of the true class; nothing counts for more than a probability of one in a million."""
    return float(-np.log(np.maximum(p[np.arange(len(p)), index], SMALLEST)).mean())


def calibration_error(p: np.ndarray, index: np.ndarray, n_bins: int = 10) -> float:
    """Mean distance, over rows, of the largest probability in a bin from the share of right labels there."""
    largest, is_right = p.max(axis=1), p.argmax(axis=1) == index
    bins = np.minimum((largest * n_bins).astype(int), n_bins - 1)
    gaps = [
        abs(largest[bins == b].mean() - is_right[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return float(np.sum(gaps))


def measure(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Log-loss and calibration error of every column, mean over the outer folds, shape (2, n_columns)."""
    found = np.zeros((N_OUTER, 2, len(COLUMNS)))
    for k, (train, test) in enumerate(StratifiedKFold(N_OUTER, shuffle=True, random_state=1).split(X, y)):
        plain = TunedSVC("rbf").fit(X[train], y[train])
        index = np.searchsorted(plain.classes_, y[test])
        by_loss = TunedSVC("rbf", scoring="neg_log_loss").fit(X[train], y[train])
        Z, new = (plain.scaler_.transform(part) for part in (X[train], X[test]))
        for c, name in enumerate(COLUMNS):
            own: dict[str, Any] = {"accuracy": plain, "log-loss": by_loss}
            if name in own:
                p = own[name].predict_proba(X[test])
            else:
                p = probabilities(plain, Z, y[train], new, name)
            found[k, :, c] = log_loss(p, index), calibration_error(p, index)
    return found.mean(axis=0)


def main() -> None:
    """Print a line for each set, then the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--sets", nargs="+", default=list(FILES), metavar="NAME")
    parser.add_argument("--markdown", action="store_true", help="print a table for a page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    line = "| {} |" if options.markdown else "{}"
    between = " | " if options.markdown else "  "
    heads = [f"{name} {what}" for what in ("log-loss of", "calibration error of") for name in COLUMNS]
    print(line.format(between.join(["set", *heads])))
    if options.markdown:
        print("|" + "---|" * (1 + len(heads)))
    tables = []
    for name in options.sets:
        X, y = few_rows(*samples(name), options.rows)
        classes, counts = np.unique(y, return_counts=True)
        keep = np.isin(y, classes[counts >= 2 * N_INNER])
        tables.append(measure(X[keep], y[keep]))
        print(
            line.format(between.join([name, *(f"{value:.4f}" for value in tables[-1].ravel())])), flush=True
        )
    mean = np.mean(tables, axis=0).ravel()
    print(line.format(between.join([f"mean of {len(tables)}", *(f"{value:.4f}" for value in mean)])))


if __name__ == "__main__":
    main()
