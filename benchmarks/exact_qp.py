"""``python -m benchmarks.exact_qp``: `kernelwise.SVC` and scikit-learn's SVC beside an exact solution.

Random two-class problems, both machines with the same tolerance. Where their decision values on new points
differ by more than twice the tolerance, an interior-point method says which of the two is closer to the exact
ones. Problems whose exact offset is not unique are counted apart: there every offset of an interval is
optimal, the rule of both is its middle, and who is there is counted.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from benchmarks.interior_point import solve_exactly
from kernelwise import SVC

TOL = 1e-3
NEW_POINTS = 100
#: Pair steps that either may take, the default of ours; LIBSVM has no limit of its own.
MAX_ITER = 10_000_000
#: Offsets whose interval is wider than this are not unique.
UNIQUE = 1e-6


class Problem(NamedTuple):
    """Samples, labels ±1, new points, the machine's settings, and weights of samples."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    settings: dict[str, Any]
    weight: np.ndarray


class Distances(NamedTuple):
    """Largest differences of decision values on new points: of the two, and of each from the exact ones."""

    apart: float
    ours: float
    theirs: float
    is_unique: bool


def random_problem(random: np.random.Generator) -> Problem:
    """A problem of 10 to 80 samples, with overlapping classes, any kernel, C, and weights or none."""
    n, d = int(random.integers(10, 81)), int(random.integers(1, 7))
    y = np.where(random.random(n) < random.uniform(0.2, 0.8), 1.0, -1.0)
    y[:2] = -1.0, 1.0
    shift = random.normal(size=d) * random.choice([0.3, 1.0, 3.0])
    X = random.normal(size=(n, d)) + np.outer(y > 0, shift)
    new = random.normal(size=(NEW_POINTS, d)) + np.outer(random.random(NEW_POINTS) < 0.5, shift)
    kernel = str(random.choice(["rbf", "poly", "linear"]))
    settings = {"kernel": kernel, "C": float(10.0 ** random.uniform(-2.0, 3.0))}
    if kernel != "linear":
        settings["gamma"] = float(10.0 ** random.uniform(-1.5, 0.5) / d)
    if kernel == "poly":
        settings |= {"degree": int(random.integers(2, 4)), "coef0": float(random.choice([0.0, 1.0]))}
    weight = random.uniform(0.2, 3.0, n) if random.random() < 0.5 else np.ones(n)
    return Problem(X, y, new, settings, weight)


def distances(problem: Problem, tol: float) -> Distances | None:
    """Both machines beside the exact one; None if the exact one is not certified."""
    X, y, new, settings, weight = problem
    kernel = {name: value for name, value in settings.items() if name not in ("kernel", "C")}
    gram = {"metric": settings["kernel"], **kernel}
    exact = solve_exactly(pairwise_kernels(X, **gram), y, settings["C"] * weight)
    if not exact.is_exact:
        return None
    values = pairwise_kernels(new, X, **gram) @ exact.beta + exact.intercept
    how = {**settings, "tol": tol, "max_iter": MAX_ITER}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = SVC(**how).fit(X, y, sample_weight=weight).decision_function(new)
        theirs = sklearn.svm.SVC(**how).fit(X, y, sample_weight=weight).decision_function(new)
    return Distances(
        float(np.abs(ours - theirs).max()),
        float(np.abs(ours - values).max()),
        float(np.abs(theirs - values).max()),
        exact.high - exact.low < UNIQUE,
    )


def main() -> None:
    """Print who is closer, and by how much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--tol", type=float, default=TOL)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    found = [distances(random_problem(random), options.tol) for _ in range(options.problems)]
    for line in summary(found, options.tol):
        print(line)


def summary(found: list[Distances | None], tol: float) -> list[str]:
    """What the distances say, a line each."""
    judged = [one for one in found if one is not None]
    unique = [one for one in judged if one.is_unique]
    apart = [one for one in unique if one.apart > 2.0 * tol]
    free = [one for one in judged if not one.is_unique]
    lines = [
        f"{len(found)} problems, tol {tol:g}; {len(found) - len(judged)} without a certified exact solution",
        f"{len(unique)} with a unique solution; the two machines are more than 2 tol apart in {len(apart)}",
        f"of these ours is closer to the exact one in {sum(one.ours < one.theirs for one in apart)}",
    ]
    if unique:
        worst = max((one.ours - one.theirs) / tol for one in unique)
        lines += [
            f"ours is farther from it than scikit-learn's by at most {worst:.2g} tol",
            f"largest distance: ours {max(one.ours for one in unique) / tol:.3g} tol, "
            f"scikit-learn {max(one.theirs for one in unique) / tol:.3g} tol",
        ]
    lines.append(
        f"{len(free)} with an interval of optimal offsets; at its middle: ours "
        f"{sum(one.ours < 2.0 * tol for one in free)}, scikit-learn "
        f"{sum(one.theirs < 2.0 * tol for one in free)}"
    )
    return lines


if __name__ == "__main__":
    main()
