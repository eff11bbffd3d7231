"""Hinge, squared hinge and logistic loss: ``python -m benchmarks.losses [paths] [models] [--sets NAME ...]``

``paths``: CPU seconds of kernel logistic regression for 35 values of C on four fifths of each of three sets,
beside scikit-learn's LogisticRegression and L-BFGS of SciPy on a factor of the same Gram matrix, from warm
starts as well; the factor has a line of its own. Each has the largest error of a held-out decision value,
against another method at its best.

``models``: TunedSVC with each loss on the same five folds: accuracy, log-loss and CPU seconds of a fit. For
two classes the last column has the log-loss of logistic regression whose decision values are log odds as they
are, without a sigmoid.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks.forests import cut
from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.exceptions import TrustWarning
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path
from kernelwise.solvers.dual import LOSSES

N_FOLDS = 5
N_CS, SMALLEST, LARGEST = 35, 1e-2, 1e4
PATHS = ("tic_tac_toe", "ilpd", "twonorm")
MODELS = (
    "banana",
    "banknote",
    "breast_cancer_wisconsin",
    "dna",
    "heart_statlog",
    "ilpd",
    "planning_relax",
    "ringnorm",
    "splice_ida",
    "thyroid_train",
    "tic_tac_toe",
    "titanic",
    "twonorm",
    "vertebral_2c",
    "waveform",
)
Along = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def kernelwise(tol: float) -> Along:
    """`svm_path` with the logistic loss on one fold, which holds out the last rows of K."""

    def solve(K: np.ndarray, y: np.ndarray, Cs: np.ndarray) -> np.ndarray:
        train, test = _parts(K, y)
        return svm_path(K, y, Cs, [(train, test)], loss="logistic", tol=tol).decision[:, test]

    return solve


def scikit_learn(solver: str, tol: float) -> Along:
    """LogisticRegression on a factor of the Gram matrix, each C from the solution of the last."""

    def solve(B: np.ndarray, y: np.ndarray, Cs: np.ndarray) -> np.ndarray:
        train, test = _parts(B, y)
        model = LogisticRegression(solver=solver, tol=tol, max_iter=100_000, warm_start=True)
        return np.array(
            [model.set_params(C=C).fit(B[train], y[train]).decision_function(B[test]) for C in Cs]
        )

    return solve


def lbfgs(tol: float) -> Along:
    """SciPy's L-BFGS on the same factor, with a gradient of at most ``tol``·C, each C from the last."""

    def solve(B: np.ndarray, y: np.ndarray, Cs: np.ndarray) -> np.ndarray:
        train, test = _parts(B, y)
        F, signs = B[train], 2.0 * y[train] - 1.0
        v, found = np.zeros(B.shape[1] + 1), []
        for C in Cs:

            def primal(v: np.ndarray, C: float = C) -> tuple[float, np.ndarray]:
                odds = signs * (F @ v[:-1] + v[-1])
                slope = -C * signs * expit(-odds)
                value = 0.5 * v[:-1] @ v[:-1] - C * log_expit(odds).sum()
                return value, np.append(v[:-1] + F.T @ slope, slope.sum())

            options = {"maxiter": 100_000, "maxfun": 100_000, "gtol": tol * C, "ftol": 0.0}
            v = minimize(primal, v, jac=True, method="L-BFGS-B", options=options).x
            found.append(B[test] @ v[:-1] + v[-1])
        return np.array(found)

    return solve


def _parts(K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n_train = len(y) - len(y) // N_FOLDS
    return np.arange(n_train), np.arange(n_train, len(y))


def paths(name: str, n_rows: int) -> None:
    """A line for each method along the values of C."""
    X, y = cut(*samples(name), n_rows, "classification")
    X, y = StandardScaler().fit_transform(X), (y == y.max()).astype(int)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    K = RBF(1.0 / X.shape[1])(X)
    started = time.process_time()
    values, vectors = np.linalg.eigh(K)
    B = vectors * np.sqrt(np.maximum(values, 0.0))
    n_train = len(y) - len(y) // N_FOLDS
    print(f"| {name} | {n_train} | a factor of the Gram matrix | {time.process_time() - started:.2f} | |")
    Cs = np.geomspace(SMALLEST, LARGEST, N_CS) / (1.0 - K.mean())
    methods: dict[str, tuple[Along, np.ndarray]] = {
        "kernelwise, tol 1e-3": (kernelwise(1e-3), K),
        "kernelwise, tol 1e-7": (kernelwise(1e-7), K),
        "scikit-learn, lbfgs, tol 1e-8": (scikit_learn("lbfgs", 1e-8), B),
        "scikit-learn, lbfgs, tol 1e-11": (scikit_learn("lbfgs", 1e-11), B),
        "scikit-learn, newton-cholesky": (scikit_learn("newton-cholesky", 1e-9), B),
        "L-BFGS of SciPy, 1e-6 C": (lbfgs(1e-6), B),
        "L-BFGS of SciPy, 1e-9 C": (lbfgs(1e-9), B),
    }
    exact = {"K": scikit_learn("newton-cholesky", 1e-13)(B, y, Cs), "B": kernelwise(1e-10)(K, y, Cs)}
    for method, (solve, given) in methods.items():
        started = time.process_time()
        found = solve(given, y, Cs)
        seconds = time.process_time() - started
        error = np.abs(found - exact["K" if given is K else "B"]).max()
        print(f"| {name} | {n_train} | {method} | {seconds:.2f} | {error:.0e} |", flush=True)


def models(name: str, n_rows: int) -> np.ndarray:
    """Print a line for a set, and return its numbers: accuracy, log-loss and seconds of each loss."""
    X, y = cut(*samples(name), n_rows, "classification")
    classes = np.unique(y)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=7).split(X, y))
    rows, plain = [], []
    for loss in LOSSES:
        scores = []
        for train, test in folds:
            started = time.process_time()
            model = TunedSVC(loss=loss, blend=False).fit(X[train], y[train])
            seconds = time.process_time() - started
            P = model.predict_proba(X[test])
            scores.append(
                (100 * model.score(X[test], y[test]), log_loss(y[test], P, labels=classes), seconds)
            )
            if loss == "logistic" and len(classes) == 2:
                plain.append(
                    -log_expit(np.where(y[test] == classes[1], 1, -1) * model.machine_values(X[test])[:, 0])
                )
        rows.append(np.mean(scores, axis=0))
    found = np.array(rows)
    own = f"({np.concatenate(plain).mean():.3f})" if plain else ""
    print(line(name, str(len(y)), found, own), flush=True)
    return found


def line(name: str, n_rows: str, found: np.ndarray, own: str = "") -> str:
    """A row of the table: accuracy, (log-loss) and seconds of each loss."""
    cells = (f"{right:.1f} % ({loss:.3f}), {seconds:.2f} s" for right, loss, seconds in found)
    return f"| {' | '.join([name, n_rows, *cells, own])} |"


def tell_gains(more: np.ndarray) -> None:
    """Print what each loss has more than the hinge loss, on average over sets, with standard errors."""
    means, errors = more.mean(axis=0), more.std(axis=0, ddof=1) / np.sqrt(len(more))
    for loss, gain, error in zip(LOSSES[1:], means[1:], errors[1:], strict=True):
        pairs = zip(("accuracy", "log-loss"), gain, error, strict=False)
        print(f"{loss} less hinge: " + ", ".join(f"{name} {a:+.4f} ± {b:.4f}" for name, a, b in pairs))


def main(arguments: list[str] | None = None) -> None:
    """Print the tables that are asked for, all by default."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="paths, models: both by default")
    parser.add_argument("--sets", nargs="*", metavar="NAME")
    parser.add_argument("--rows", type=int, default=800)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", TrustWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    if "paths" in options.parts or not options.parts:
        print("| set | rows | method | CPU s | largest error |\n|---|---|---|---|---|")
        for name in options.sets or PATHS:
            paths(name, options.rows)
    if "models" in options.parts or not options.parts:
        heads = ["set", "rows", *(loss.replace("_", " ") for loss in LOSSES), "logistic, no sigmoid"]
        print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
        table = np.array([models(name, options.rows) for name in options.sets or MODELS])
        print(line("mean", "", table.mean(axis=0)))
        if len(table) > 1:
            tell_gains(table - table[:, :1])


if __name__ == "__main__":
    main()
