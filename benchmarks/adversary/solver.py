"""Random problems for the native core: paths, machines, regressions, tuned models, sketches, Shapley values.

Each is compared with an exact answer where that is cheap: an interior-point method, the conditions of an
optimum, sums over all pairs, or all orders of the columns. `make sanitize` runs them on every target of the
core, where an access outside of an array would end the program.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from itertools import permutations

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks import exact_qp, one_class
from benchmarks.adversary.batches import Attempt
from benchmarks.interior_point import solve_exactly
from kernelwise import SVC, SVR, DistanceSketch, TunedSVC, TunedSVR, explain
from kernelwise.explanation import explain_pairs
from kernelwise.kernels import RBF
from kernelwise.multiclass import two_class_machines
from kernelwise.solvers import one_class_path, svm_path

#: Of decision values, in units of the solver's tolerance: the gap may be one at both ends, and an optimum may
#: be flat.
NEAR = 20.0
MAX_ITER = 200_000
#: What a machine says of itself if it may be no optimum, besides that it did not converge.
SAID = re.compile("positive semi-definite|far from zero")
#: Larger problems have no exact answer: the interior-point method would take most of the time.
SMALL = 160


def samples(random: np.random.Generator, n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples and class indices: plain, copies, whole numbers, few of one class, noise, or far apart."""
    d = int(random.integers(1, 12))
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, n - n_classes))
    X = random.normal(size=(n, d)) + random.uniform(0, 2) * random.normal(size=(n_classes, d))[y]
    kind = random.choice(["plain", "plain", "copies", "whole", "few", "noise", "far"])
    if kind == "copies":
        X = X[random.integers(0, max(3, n // 6), n)]
    if kind == "whole":
        X = X.round()
    if kind == "few":
        y[max(n_classes, n // 20) :] = 0
    if kind == "noise":
        y = random.permutation(y)
    if kind == "far":
        X *= 30.0
    return X, y


def gram(random: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """The Gram matrix of a Gaussian kernel of some width, of a linear or a cubic one, in either precision."""
    gamma = random.choice([1.0, 1.0, 1e-4, 30.0, 0.0]) / X.shape[1]
    linear = X @ X.T
    K = RBF(gamma)(X) if gamma else linear if random.random() < 0.7 else (linear + 1.0) ** 3
    return np.ascontiguousarray(K, random.choice([np.float32, np.float64]))


def splits(random: np.random.Generator, X: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Two to five folds, with equal shares of the classes if each has enough samples."""
    n_folds = int(random.choice([2, 3, 5]))
    has_enough = np.unique(y, return_counts=True)[1].min() >= n_folds
    cv = StratifiedKFold(n_folds) if has_enough else KFold(n_folds, shuffle=True, random_state=0)
    return list(cv.split(X, y))


def path(random: np.random.Generator) -> float | None:
    """A path of C on folds, continued from its middle, beside an interior-point method in one fold."""
    n_classes = int(random.choice([2, 2, 2, 3, 5, 8]))
    X, y = samples(random, int(random.integers(12, 200)), n_classes)
    K, folds = gram(random, X), splits(random, X, y)
    lowest, highest = (-2.0, 2.5) if random.random() < 0.8 else (-6.0, 6.0)
    Cs = np.sort(10.0 ** random.uniform(lowest, highest, random.integers(1, 9)))
    weight = random.uniform(0, 3, len(y)) * (random.random(len(y)) > 0.1) if random.random() < 0.4 else None
    how = {
        "sample_weight": weight,
        "strategy": str(random.choice(["ovo", "ovr"])),
        "loss": "squared_hinge" if random.random() < 0.1 else "hinge",
        "tol": float(random.choice([1e-3, 1e-3, 1e-5])),
        "n_jobs": int(random.choice([1, 2])),
        "max_iter": MAX_ITER,
    }
    middle = int(random.integers(0, Cs.size))
    before = svm_path(K, y, Cs[:middle], folds, **how) if middle else None
    found = svm_path(K, y, Cs[middle:], folds, after=before, **how)
    train, test = folds[0]
    is_small = n_classes == 2 and len(train) <= SMALL and how["loss"] == "hinge" and np.abs(K).max() < 1e3
    if not is_small or not found.converged[-1, 0].all():
        return None
    bound = Cs[-1] * (np.ones(len(y)) if weight is None else weight)[train]
    exact = solve_exactly(K[np.ix_(train, train)].astype(float), np.where(y[train] == 1, 1.0, -1.0), bound)
    if not exact.is_exact or exact.high - exact.low > exact_qp.UNIQUE:
        return None
    values = K[np.ix_(test, train)].astype(float) @ exact.beta + exact.intercept
    return float(np.abs(found.decision[-1, test] - values).max() / (NEAR * how["tol"]))


def single(random: np.random.Generator) -> float | None:
    """One machine of up to 80 samples beside an interior-point method, or of 1500 with rows on demand."""
    if random.random() < 0.8:
        found = exact_qp.distances(exact_qp.random_problem(random), exact_qp.TOL)
        if not found or not found.is_unique:
            return None
        # Polynomials magnify what is left of the gap: LIBSVM's answer, which has the same, may be as far.
        return found.ours / max(NEAR * exact_qp.TOL, found.theirs)
    X, y = samples(random, int(random.integers(500, 1500)), int(random.choice([2, 3])))
    SVC(C=float(10.0 ** random.uniform(-1, 2)), memory_limit=1, max_iter=MAX_ITER).fit(X, y).predict(X[:50])
    return None


def novelty(random: np.random.Generator) -> float | None:
    """A one-class machine beside an interior-point method, and a path of ν."""
    problem = one_class.random_problem(random)
    X = problem.X
    one_class_path(gram(random, X), random.uniform(0.01, 1.0, 4), KFold(3).split(X), max_iter=MAX_ITER)
    found = one_class.compare(problem)
    return found.ours / (NEAR * one_class.AGREE) if found.is_exact else None


def regression(random: np.random.Generator) -> float:
    """A regression, and by how much it breaks the conditions of an optimum."""
    X, _ = samples(random, int(random.integers(12, 200)), 2)
    X = X / max(1.0, np.abs(X).max() / 5.0)
    y = np.sin(X).sum(axis=1) + random.choice([0.0, 0.3]) * random.normal(size=len(X))
    C, epsilon = float(10.0 ** random.uniform(-2, 2)), float(random.choice([0.0, 0.1, 0.5]))
    tol, gamma = 1e-3, float(random.choice([1e-2, 1.0, 10.0]) / X.shape[1])
    model = SVR(kernel=RBF(gamma), C=C, epsilon=epsilon, tol=tol).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    left = y - model.predict(X)
    above, below = np.maximum(left - epsilon, 0.0), np.maximum(-left - epsilon, 0.0)
    hair = 1e-9 * C
    # What has not its largest coefficient is not above the tube, and what has a coefficient is not in it.
    broken = np.where(beta < C - hair, above, 0.0) + np.where(beta > hair - C, below, 0.0)
    broken += np.where(beta > hair, np.maximum(epsilon - left, 0.0), 0.0)
    broken += np.where(beta < -hair, np.maximum(epsilon + left, 0.0), 0.0)
    return float(broken.max() / (2.0 * tol))


def tuned(random: np.random.Generator) -> float:
    """A tuned model, whose answers may not depend on the number of threads."""
    X, y = samples(random, int(random.integers(30, 90)), int(random.choice([2, 3])))
    kernel = str(random.choice(["rbf", "laplacian", "poly", "linear"]))
    if random.random() < 0.7:
        one, two = (TunedSVC(kernel, n_jobs=n_jobs).fit(X, y).decision_function(X) for n_jobs in (1, 2))
    else:
        one, two = (TunedSVR(kernel, n_jobs=n_jobs).fit(X, X[:, 0]).predict(X) for n_jobs in (1, 2))
    return 0.0 if np.array_equal(one, two) else np.inf


def sketch(random: np.random.Generator) -> float:
    """The sums of a sketch beside those over all pairs."""
    n_classes = int(random.choice([2, 3]))
    X, y = samples(random, int(random.integers(20, 700)), n_classes)
    weight = random.uniform(0.1, 3.0, len(y)) if random.random() < 0.5 else None
    found = DistanceSketch.from_data(X, y, sample_weight=weight)
    gamma = 1.0 / max(found.histograms.quantile(0.5), 1e-12)
    w = np.eye(n_classes)[y] * (np.ones(len(y)) if weight is None else weight)[:, None]
    expected = w.T @ RBF(gamma)(X) @ w
    return float((np.abs(found.sums([gamma]).S[0] - expected) / expected.max()).max() / 1e-6)


def shapley(random: np.random.Generator) -> float:
    """Shapley values and interactions beside means over all orders in which columns may come."""
    n, d = int(random.integers(20, 80)), int(random.integers(2, 5))
    X, background = random.normal(size=(n, d)), random.normal(size=(3, d))
    y = X[:, 0] + 0.5 * random.normal(size=n) > 0
    model = SVC(gamma=float(10.0 ** random.uniform(-1, 1)) / d).fit(X, y)

    def contribution(of: int, others: list[int], known: list[int]) -> float:
        """The mean of what a column adds to those before it, where some columns are known at first."""
        total = []
        for order in permutations([of, *others]):
            rows = background.copy()
            rows[:, known] = X[0, known]
            before = list(order[: order.index(of)])
            rows[:, before] = X[0, before]
            without = model.decision_function(rows).mean()
            rows[:, of] = X[0, of]
            total.append(model.decision_function(rows).mean() - without)
        return float(np.mean(total))

    values = [contribution(j, [k for k in range(d) if k != j], []) for j in range(d)]
    far = np.abs(explain(model, X[:1], background=background).values[0] - values).max()
    others = list(range(2, d))
    both = contribution(0, others, [1]) - contribution(0, others, [])
    far_pair = np.abs(explain_pairs(model, X[:1], background=background)[0, 0, 1] - both)
    return float(max(far, far_pair) / 1e-8)


def extreme_samples(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As `samples`, of 2 to 150 rows and up to 60 columns: copies, constants, tiny, huge, other types."""
    n, d = int(random.integers(2, 151)), int(random.choice([1, 2, 5, 60]))
    n_classes = 2 if n < 12 else int(random.choice([2, 2, 3]))
    y = random.permutation(np.append(np.arange(n_classes), random.integers(0, n_classes, n - n_classes)))
    X = random.normal(size=(n, d)) + random.uniform(0, 2) * y[:, None]
    X = X[random.integers(0, max(2, n // 4), n)] if random.random() < 0.2 else X
    X[:, random.random(d) < random.choice([0.0, 0.0, 0.5])] = random.choice([0.0, 1.0, 1e6])
    X *= 10.0 ** random.choice([0.0, 0.0, 0.0, -3.0, 3.0, -100.0, 100.0, -300.0])
    kind = random.choice(["float64", "float64", "float64", "float32", "int64", "bool"])
    with np.errstate(all="ignore"):
        return X.astype(kind), y


def extreme(random: np.random.Generator) -> float | None:
    """The gap of the conditions of an optimum, computed here, of machines that stopped without a warning."""
    X, y = extreme_samples(random)
    weight = 10.0 ** random.uniform(-6, 6, len(y)) if random.random() < 0.2 else np.ones(len(y))
    settings = {
        "C": float(10.0 ** random.uniform(-6, 8)),
        "kernel": str(random.choice(["rbf", "linear", "poly", "precomputed"])),
        "gamma": str(random.choice(["scale", "auto"])),
        "degree": int(random.choice([2, 3])),
        "tol": float(random.choice([1e-3, 1e-3, 1e-5])),
    }
    given: np.ndarray = X
    if settings["kernel"] == "precomputed":
        given = gram(random, np.asarray(X, dtype=float)).astype(float)
        if random.random() < 0.3:  # indefinite
            noise = random.normal(size=given.shape) * np.abs(given).max()
            given = given + 0.1 * (noise + noise.T)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SVC(max_iter=MAX_ITER, **settings).fit(given, y, sample_weight=weight)
    if any(issubclass(one.category, ConvergenceWarning) or SAID.search(str(one.message)) for one in caught):
        return None
    K = given if settings["kernel"] == "precomputed" else model.kernel_(np.asarray(X, dtype=float))
    found = []
    for machine, coefficients in zip(
        two_class_machines(y, len(model.classes_), "ovo"), model.beta_, strict=True
    ):
        rows, signs = machine.members, machine.signs
        beta = np.zeros(len(y))
        beta[model.support_] = coefficients
        part, bound = K[np.ix_(rows, rows)], settings["C"] * weight[rows]
        values, own = part @ beta[rows], beta[rows]
        lo, hi = np.where(signs > 0, 0.0, -bound), np.where(signs > 0, bound, 0.0)
        f = signs - values
        # Rounding of sums of so many terms of this size.
        rounding = 1e-13 * len(rows) * float((np.abs(part) @ np.abs(own)).max(initial=0.0))
        hair = 1e-9 * bound
        if ((own < lo - hair) | (own > hi + hair)).any():
            return np.inf
        up, low = f[own < hi - hair].max(initial=-np.inf), f[own > lo + hair].min(initial=np.inf)
        found.append((up - low) / (2.0 * settings["tol"] + rounding))
    return float(max(found))


#: How often each kind comes in twenty-one problems; tuned models take longest.
KINDS: dict[Callable[[np.random.Generator], float | None], int] = {
    extreme: 10,
    path: 4,
    single: 2,
    novelty: 1,
    regression: 1,
    tuned: 1,
    sketch: 1,
    shapley: 1,
}


def prepare() -> Attempt:
    """What to try: how far an answer is from the exact one, in units of what its kind may differ by."""
    kinds = [kind for kind, share in KINDS.items() for _ in range(share)]

    def attempt(seed: str) -> str:
        first, number = map(int, seed.split("-"))
        kind = kinds[number % len(kinds)]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = kind(np.random.default_rng(first + number))
        except ValueError:  # a training part without one of the classes
            return ""
        is_far = found is not None and not found <= 1.0
        return f"{kind.__name__} is {found:.3g} times too far from the exact answer" if is_far else ""

    return attempt
