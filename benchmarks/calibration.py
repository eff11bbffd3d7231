"""How good probabilities are: ``python -m benchmarks.calibration --tables FOLDER [--rows 800] [--sets A B]``

Log-loss, expected calibration error (ten bins of the largest probability) and accuracy of `TunedSVC` on five
outer folds: of its own probabilities, and of other calibrations of the same machine, fitted to the same
held-out values of the search:

- "pairs": a sigmoid for every machine alone, coupled; what kernelwise did before sigmoids were pooled.
- "pooled": sigmoids that learn from each other. "temperature": sigmoids of "pairs" and one factor for all.
- For two classes, where these are all the same: "quadratic", a parabola of the decision value in the place of
  the line; "beta" calibration (Kull, Silva Filho & Flach 2017); "isotonic" regression.
- For more: "vector" and "matrix" scaling of the logarithms of coupled probabilities, shrunken towards one
  temperature.

Everything is fitted to the rows of the training part alone. A line for each set, then the means and on how
many sets the log-loss is below that of "pairs", two classes and more apart.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from benchmarks.forests import cut
from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.multiclass import two_class_machines
from kernelwise.search.data.samples import Samples
from kernelwise.search.final import machine as final
from kernelwise.search.scoring.probabilities import cross_fitted_odds
from kernelwise.solvers import probability
from kernelwise.solvers.probability import (
    class_probabilities,
    doubt_of,
    fit_platt_of,
    log_odds,
    platt_probability,
    smoothed_targets,
)
from kernelwise.solvers.temperature import temperature
from kernelwise.tables import learn_encoding, read_table

N_OUTER, SMALLEST = 5, 1e-6
#: Sets of KERNELWISE_DATA, and tables of a folder.
SETS = (
    *("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd", "planning_relax", "ringnorm"),
    *("splice", "tic_tac_toe", "titanic", "twonorm", "vertebral_2c", "waveform_ida", "dna", "iris", "wine"),
    *("letter_test", "letter_train", "optdigits_test", "pendigits_test", "satimage_test", "segment"),
    *("thyroid_test", "usps_test", "waveform"),
)
TABLES = ("credit_approval", "german_credit", "phoneme", "qsar_biodegradation")
TABLES += ("car_evaluation", "mfeat_fou", "mfeat_kar", "steel_plates_faults")
#: Shrinkage of curves of two classes, and of scalings of more.
BEND, SCALED = 10.0, 30.0


class Held(NamedTuple):
    """Held-out decision values of the search, (n_held_out, n_machines), and values of new rows."""

    decision: np.ndarray
    samples: Samples
    fold: np.ndarray
    new: np.ndarray
    n_classes: int


def sigmoids(held: Held, pooled: float) -> np.ndarray:
    """A sigmoid for each machine, with so many rows of the common one beside its own."""
    part, n = held.samples, held.n_classes
    with mock.patch.object(probability, "POOLED", pooled):
        machines = two_class_machines(part.y, n, "ovo")
        return fit_platt_of(machines, held.decision, part.bound, part.weight, doubt_of(n, "ovo"))


def unseen(held: Held, pooled: float) -> np.ndarray:
    """Log odds of held-out rows by the sigmoids of the other folds."""
    with mock.patch.object(probability, "POOLED", pooled):
        return cross_fitted_odds(held.decision[None], held.samples, held.fold, held.n_classes, "ovo")[0]


def by_pairs(held: Held, pooled: float = 0.0) -> np.ndarray:
    return class_probabilities(log_odds(held.new, sigmoids(held, pooled)), held.n_classes, "ovo")


def by_temperature(held: Held) -> np.ndarray:
    part, how = held.samples, (held.n_classes, "ovo")
    factor = temperature(unseen(held, 0.0), part.y, part.bound, part.weight, *how)
    return class_probabilities(factor * log_odds(held.new, sigmoids(held, 0.0)), *how)


def two(p: np.ndarray) -> np.ndarray:
    return np.column_stack([1.0 - p, p])


def fitted(parts: np.ndarray, held: Held, shrunk: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Coefficients of a logistic regression on Platt's targets, shrunken towards ``start``."""
    part = held.samples
    target = smoothed_targets(part.y == 1, part.weight)

    def cost(point: np.ndarray) -> tuple[float, np.ndarray]:
        z, beside = parts @ point, shrunk * (point - start)
        loss = part.bound @ (np.logaddexp(0.0, z) - target * z) + 0.5 * beside @ (point - start)
        return float(loss), parts.T @ (part.bound * (expit(z) - target)) + beside

    return np.asarray(minimize(cost, start, jac=True, method="L-BFGS-B").x)


def by_parabola(held: Held) -> np.ndarray:
    unit = held.decision.std() or 1.0

    def parts(values: np.ndarray) -> np.ndarray:
        z = values[:, 0] / unit
        return np.column_stack([z, z * z, np.ones_like(z)])

    found = fitted(parts(held.decision), held, np.array([0.0, BEND, 0.0]), np.zeros(3))
    return two(expit(parts(held.new) @ found))


def by_beta(held: Held) -> np.ndarray:
    (A, B) = sigmoids(held, 0.0)[0]

    def parts(values: np.ndarray) -> np.ndarray:
        p = np.clip(platt_probability(values[:, 0], A, B), SMALLEST, 1.0 - SMALLEST)
        return np.column_stack([np.log(p), -np.log1p(-p), np.ones_like(p)])

    found = fitted(parts(held.decision), held, np.array([BEND, BEND, 0.0]), np.array([1.0, 1.0, 0.0]))
    return two(expit(parts(held.new) @ found))


def by_isotonic(held: Held) -> np.ndarray:
    part, n = held.samples, len(held.decision)
    model = IsotonicRegression(out_of_bounds="clip")
    model.fit(held.decision[:, 0], part.y == 1, sample_weight=part.bound)
    return two(np.clip(model.predict(held.new[:, 0]), 1.0 / (n + 2.0), 1.0 - 1.0 / (n + 2.0)))


def by_scaling(held: Held, is_matrix: bool) -> np.ndarray:
    """A multinomial regression on log p of each class, with one slope, offsets, and shrunken other slopes."""
    k, part = held.n_classes, held.samples
    p = class_probabilities(unseen(held, probability.POOLED), k, "ovo")
    known, new = (np.log(np.maximum(one, SMALLEST)) for one in (p, by_pairs(held, probability.POOLED)))
    free = np.ones((k, k)) if is_matrix else np.eye(k)

    def scaled(point: np.ndarray, values: np.ndarray) -> np.ndarray:
        slopes = point[0] * np.eye(k) + free * point[1 + k :].reshape(k, k)
        return np.asarray(values @ slopes + point[1 : 1 + k])

    def cost(point: np.ndarray) -> tuple[float, np.ndarray]:
        log_p = log_softmax(scaled(point, known), axis=1)
        error = part.bound[:, None] * (np.exp(log_p) - np.eye(k)[part.y])
        beside = SCALED * np.r_[0.0, point[1:]]
        gradient = np.r_[(error * known).sum(), error.sum(axis=0), (free * (known.T @ error)).ravel()]
        loss = -part.bound @ log_p[np.arange(len(log_p)), part.y] + 0.5 * beside @ point
        return float(loss), gradient + beside

    start = np.r_[1.0, np.zeros(k + k * k)]
    return np.asarray(softmax(scaled(minimize(cost, start, jac=True, method="L-BFGS-B").x, new), axis=1))


Method = Callable[[Held], np.ndarray]
TWO: dict[str, Method] = {
    "pairs": by_pairs,
    "quadratic": by_parabola,
    "beta": by_beta,
    "isotonic": by_isotonic,
}
MORE: dict[str, Method] = {
    "pairs": by_pairs,
    "pooled": lambda held: by_pairs(held, probability.POOLED),
    "temperature": by_temperature,
    "vector": lambda held: by_scaling(held, is_matrix=False),
    "matrix": lambda held: by_scaling(held, is_matrix=True),
}


def tuned(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, Held]:
    """Probabilities of new rows by `TunedSVC`, and what its sigmoids were fitted to."""
    seen: dict[str, Any] = {}
    answers = final._answers

    def noting(step: Any, *others: Any) -> Any:
        seen["step"] = step
        return answers(step, *others)

    with mock.patch.object(final, "_answers", noting):
        model = TunedSVC(random_state=0, blend=False).fit(X, y)
    validator, choice = seen["step"].validator, seen["step"].choice
    values = model.best_estimator_.machine_values(model.scaler_.transform(new))
    decision = choice.decision.astype(float)
    held = Held(decision, validator.held_out, validator.fold_rows.fold, values, len(model.classes_))
    return model.predict_proba(new), held


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


def measure(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Log-loss, calibration error and accuracy of every method, means over the outer folds."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    methods = TWO if len(np.unique(y)) == 2 else MORE
    for train, test in StratifiedKFold(N_OUTER, shuffle=True, random_state=3).split(X, y):
        index = np.searchsorted(np.unique(y[train]), y[test])
        p, held = tuned(X[train], y[train], X[test])
        for name, one in {"kernelwise": p, **{name: by(held) for name, by in methods.items()}}.items():
            right = float((one.argmax(axis=1) == index).mean())
            found.setdefault(name, []).append((log_loss(one, index), calibration_error(one, index), right))
    return {name: np.mean(of_folds, axis=0) for name, of_folds in found.items()}


def read(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """X and y of a set or a table."""
    if name not in TABLES:
        return samples(name)
    learned = learn_encoding(read_table(next(folder.glob(f"{name}.csv*"))))
    return np.asarray(learned.encoding.samples(learned.table)), learned.encoding.labels(learned.table)


def main() -> None:
    """Print a line for each set, then the means and counts of wins."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--sets", nargs="+", default=[*SETS, *TABLES], metavar="NAME")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of tables")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tables: dict[str, list[dict[str, np.ndarray]]] = {}
    for name in options.sets:
        X, y = cut(*read(name, options.tables), options.rows, "classification")
        found = measure(X, y)
        tables.setdefault("two classes" if len(np.unique(y)) == 2 else "more classes", []).append(found)
        cells = [f"{method} {loss:.4f} {100 * right:.1f}" for method, (loss, _, right) in found.items()]
        print("   ".join([f"{name:24s}", *cells]), flush=True)
    for kind, rows in tables.items():
        print(f"\n{kind}, {len(rows)} sets: log-loss, calibration error, accuracy, sets below pairs")
        for method in rows[0]:
            loss, error, right = np.mean([row[method] for row in rows], axis=0)
            n_below = sum(bool(row[method][0] < row["pairs"][0]) for row in rows)
            print(f"{method:14s}{loss:8.4f}{error:8.4f}{100 * right:8.2f}{n_below:5d}")


if __name__ == "__main__":
    main()
