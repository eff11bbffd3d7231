"""``python -m benchmarks.one_class [--problems 200]``: one-class machines beside scikit-learn's.

Random problems (three kernels, ν from 0.01 to 0.9, weights, sparse samples, repeated rows): decision values
of `kernelwise.OneClassSVM` and scikit-learn's, scaled to coefficients of sum one and a mean k(x, x) of one.
Where they differ by more than 1e-6 an interior-point method says whose are closer to the exact ones; offsets
that are not unique are compared with the interval of optimal ones. Then the time of 35 values of ν on one
Gram matrix, the matrix included, beside 35 fits of scikit-learn, in processor seconds. ``--many 100000`` does
something else: it fits `TunedOneClassSVM` to so many rows of 20 features, and prints seconds and memory.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from benchmarks.interior_point import ExactMachine, one_class_exactly
from benchmarks.timing import best
from kernelwise import OneClassSVM, TunedOneClassSVM
from kernelwise.kernels import RBF
from kernelwise.solvers import one_class_path

TOL = 1e-9
NEW_POINTS = 100
#: Differences of scaled decision values that are looked into.
AGREE = 1e-6
#: Scaled width of an interval of offsets from which they are not unique.
UNIQUE = 1e-7
#: Pair steps that either may take: some problems are too hard for single precision, and LIBSVM never ends.
MAX_ITER = 1_000_000
NUS = np.linspace(0.01, 0.9, 35)
WIDTHS = (0.01, 0.05, 0.2, 1.0)


class Problem(NamedTuple):
    """Samples, new points, kernel settings, ν, and weights of samples."""

    X: np.ndarray
    new: np.ndarray
    kernel: dict[str, Any]
    nu: float
    weight: np.ndarray
    is_sparse: bool


class Verdict(NamedTuple):
    """Largest differences of scaled decision values, and whether the training samples keep to ν.

    ``apart`` is between the two machines, ``ours`` and ``theirs`` are from the exact values. If the offset is
    not unique these are differences of scores, and how far the offset is outside of the interval.
    """

    apart: float
    ours: float
    theirs: float
    is_unique: bool
    is_exact: bool
    keeps_nu: bool


def random_problem(random: np.random.Generator) -> Problem:
    """A problem of 10 to 120 samples."""
    n, d = int(random.integers(10, 121)), int(random.integers(1, 7))
    centre = random.normal(size=d) * random.choice([0.0, 1.0, 4.0])
    X, new = (
        random.normal(size=(m, d)) * random.choice([1.0, 3.0], (m, 1)) + centre for m in (n, NEW_POINTS)
    )
    if random.random() < 0.3:
        X = X[random.integers(0, max(2, n // 2), n)]  # repeated rows
    kernel: dict[str, Any] = {"kernel": str(random.choice(["rbf", "rbf", "poly", "linear"]))}
    if kernel["kernel"] != "linear":
        kernel["gamma"] = float(10.0 ** random.uniform(-2.0, 1.0) / d)
    if kernel["kernel"] == "poly":
        kernel |= {"degree": int(random.integers(2, 4)), "coef0": 1.0}
    weight = random.uniform(0.2, 3.0, n) if random.random() < 0.5 else np.ones(n)
    nu = float(np.exp(random.uniform(np.log(0.01), np.log(0.9))))
    if random.random() < 0.3:
        nu = max(1, round(nu * n)) / n  # a whole number of samples: maybe no free support vector
    return Problem(X, new, kernel, nu, weight, bool(random.random() < 0.3))


def compare(problem: Problem, tol: float = TOL) -> Verdict:
    """Both machines, side by side and beside the exact one."""
    X, new, settings, nu, weight, is_sparse = problem
    gram = {"metric": settings["kernel"], **{k: v for k, v in settings.items() if k != "kernel"}}
    K = pairwise_kernels(X, **gram)
    exact = one_class_exactly(K, nu, weight)
    exact_scores = pairwise_kernels(np.vstack([X, new]), X, **gram) @ exact.beta
    how = {**settings, "nu": nu, "tol": tol, "max_iter": MAX_ITER}
    form = sparse.csr_matrix if is_sparse else np.asarray
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = OneClassSVM(**how).fit(form(X), sample_weight=weight)
        theirs = sklearn.svm.OneClassSVM(**how).fit(form(X), sample_weight=weight)
    points = form(np.vstack([X, new]))
    scores = [machine.score_samples(points) for machine in (ours, theirs)]
    offsets = [float(machine.offset_[0]) for machine in (ours, theirs)]
    scale = nu * weight.sum() * np.average(np.diagonal(K), weights=weight)
    is_unique = exact.high - exact.low < UNIQUE * scale
    far = [_distance(s, o, exact_scores, exact) / scale for s, o in zip(scores, offsets, strict=True)]
    apart = np.abs(scores[0] - offsets[0] * is_unique - scores[1] + offsets[1] * is_unique).max() / scale
    outside = weight @ (ours.predict(form(X)) < 0)
    in_support = weight[ours.support_].sum()
    keeps_nu = outside <= nu * weight.sum() * (1 + 1e-12) <= in_support * (1 + 2e-12)
    return Verdict(float(apart), far[0], far[1], is_unique, exact.is_exact, bool(keeps_nu))


def _distance(scores: np.ndarray, offset: float, exact_scores: np.ndarray, exact: ExactMachine) -> float:
    """The largest difference of decision values from those of the nearest optimal offset."""
    nearest = np.clip(offset, exact.low, exact.high)
    return float(np.abs(scores - offset - (exact_scores - nearest)).max())


def summary(found: list[Verdict]) -> list[str]:
    """What the comparisons say, a line each."""
    differ = [one for one in found if one.apart > AGREE]
    judged = [one for one in found if one.is_exact]
    return [
        f"{len(found)} problems, tol {TOL:g}, {sum(not one.is_unique for one in found)} of them with an "
        f"interval of optimal offsets, {sum(not one.is_exact for one in found)} without a certified solution",
        f"scaled decision values of ours and scikit-learn's within {AGREE:g}: "
        f"{len(found) - len(differ)}; ours closer to the exact ones in "
        f"{sum(one.ours <= one.theirs for one in differ)} of the other {len(differ)}",
        f"largest distance from certified ones: ours {max(one.ours for one in judged):.1e}, scikit-learn "
        f"{max(one.theirs for one in judged):.1e}",
        f"outliers ≤ ν ≤ support vectors: {sum(one.keeps_nu for one in found)}",
    ]


def times(n: int, gamma: float, repeat: int) -> tuple[float, float]:
    """Processor seconds of all values of ν: ours, the Gram matrix included, and scikit-learn's."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 10)) * np.where(np.arange(n) < n // 20, 3.0, 1.0)[:, None]

    def ours() -> None:
        assert one_class_path(RBF(gamma)(X), NUS).converged.all()

    def theirs() -> None:
        for nu in NUS:
            sklearn.svm.OneClassSVM(gamma=gamma, nu=nu).fit(X)

    ours()  # compiles
    pairs = [(best(ours, 1), best(theirs, 1)) for _ in range(repeat)]  # interleaved
    return min(a for a, _ in pairs), min(b for _, b in pairs)


def many(n: int) -> str:
    """Seconds and the largest memory of this process for a fit to n rows of 20 features."""
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(n - n // 50, 20)), 3.0 * random.normal(size=(n // 50, 20))])
    started, cpu_started = time.perf_counter(), time.process_time()
    TunedOneClassSVM().fit(X)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{n} rows, 20 features: {wall:.1f} s by the clock, {cpu:.1f} s of the processor, {peak:.0f} MiB"


def main(arguments: list[str] | None = None) -> None:
    """Print who is closer, then the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--many", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.many:
        print(many(options.many))
        return
    random = np.random.default_rng(options.seed)
    for line in summary([compare(random_problem(random)) for _ in range(options.problems)]):
        print(line)
    print(f"\n{NUS.size} values of ν, {options.rows} rows, 10 features: processor seconds")
    for gamma in WIDTHS:
        ours, theirs = times(options.rows, gamma, options.repeat)
        print(f"gamma {gamma:<5g} ours {ours:.3f}, scikit-learn {theirs:.2f}: {theirs / ours:.0f} times")


if __name__ == "__main__":
    main()
