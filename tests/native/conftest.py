"""Problems for the native core, a plain solver for comparison, and folds with room for their results."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from kernelwise import _native

POOLS = {np.float32: _native.SinglePool, np.float64: _native.DoublePool}


def clouds(n: int, seed: int = 0, n_classes: int = 2, n_features: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Samples of overlapping classes, in turns."""
    rng = np.random.default_rng(seed)
    index = np.arange(n) % n_classes
    return rng.normal(size=(n, n_features)) + 1.2 * rng.normal(size=(n_classes, n_features))[index], index


def gram(X: np.ndarray, gamma: float) -> np.ndarray:
    """A Gaussian kernel, or inner products if γ is zero."""
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=2)) if gamma else X @ X.T


def plain_smo(K, p, lo, hi, beta, tol, n_steps=10**6):
    """β by plain SMO with second-order pairs, as in LIBSVM, and its steps; Σβ stays as it is."""
    beta = beta.copy()
    f = p - K @ beta
    for step_number in range(n_steps):
        up = np.where(beta < hi, f, -np.inf)
        i = int(up.argmax())
        slope = np.where(beta > lo, up[i] - f, 0.0)
        if slope.max() < tol:
            return beta, step_number
        curvature = np.maximum(K[i, i] + np.diagonal(K) - 2.0 * K[i], 1e-12)
        j = int(np.where(slope > 0.0, slope**2 / curvature, -1.0).argmax())
        step = min(slope[j] / curvature[j], hi[i] - beta[i], beta[j] - lo[j])
        beta[i] += step
        beta[j] -= step
        f -= step * (K[i] - K[j])
    raise AssertionError("Plain SMO did not arrive.")


def violation(f, beta, lo, hi) -> float:
    """LIBSVM's violation."""
    return f[beta < hi].max() - f[beta > lo].min()


def objective(K, p, beta) -> float:
    return 0.5 * beta @ K @ beta - p @ beta


class Path:
    """The dual of labels or other linear terms, ready for `_native.solve_path`, which changes its arrays."""

    def __init__(self, K, signs, p=None, weight=None, beta=None, pool=np.float32, shift=0.0):
        n = len(signs)
        bound = signs * (np.ones(n) if weight is None else weight)
        self.K, self.p = K, np.array(signs if p is None else p, float)
        self.lo, self.hi = np.minimum(bound, 0.0), np.maximum(bound, 0.0)
        self.beta = np.zeros(n) if beta is None else beta.copy()
        self.f = self.p.copy() if beta is None else self.p - K.astype(float) @ self.beta
        self.pool, self.shift = (POOLS[pool](n) if isinstance(pool, type) else pool), shift

    def solve(self, Cs, start=0, tol=1e-3, limit=10**7, table=None, kept=None):
        """How many C are done, whether the last is solved, the table and β of each C."""
        Cs = np.asarray(Cs, float)
        table = np.full((Cs.size, 8), np.nan) if table is None else table
        kept = np.full((Cs.size, self.p.size), np.nan) if kept is None else kept
        box = self.lo, self.hi, Cs, start, tol, limit
        done = _native.solve_path(self.K, self.p, self.beta, self.f, *box, self.pool, self.shift, kept, table)
        return *done, table, kept


class Folds:
    """Machines (members, signs), folds (train, test) and weights, as `_native.PathProblem` wants them."""

    def __init__(self, machines, folds, n, weight=None, p=None, counts=None, answers=None, n_answers=None):
        self.machines, self.folds, self.n, self.counts = machines, folds, n, counts
        given = np.broadcast_to(1.0 if weight is None else weight, (len(folds), n))
        self.weight = np.zeros((len(folds), n))
        for s, (train, _) in enumerate(folds):
            self.weight[s, train] = given[s, train]
        # The first member is positive in the core, whatever its class is called.
        self.turns = np.array([1.0 if p is not None else signs[0] for _, signs in machines])
        self.signs = [turn * signs for turn, (_, signs) in zip(self.turns, machines, strict=True)]
        self.p = self.signs if p is None else [p]
        self.ends = np.append(0, np.cumsum([members.size for members, _ in machines]))
        tests = [test for _, test in folds]
        self.answers = tests if answers is None else answers
        self.n_answers = n if n_answers is None else n_answers
        self.native = _native.PathProblem(
            members=np.concatenate([members for members, _ in machines]).astype(np.uintp),
            member_ends=self.ends,
            lo=np.minimum(np.concatenate(self.signs), 0.0),
            hi=np.maximum(np.concatenate(self.signs), 0.0),
            p=np.concatenate(self.p),
            turns=self.turns,
            weights=self.weight,
            counts=counts,
            test=np.concatenate(tests).astype(np.uintp),
            test_ends=np.append(0, np.cumsum([test.size for test in tests])),
            answers=np.concatenate(self.answers),
            n_answers=self.n_answers,
        )

    def part(self, m: int) -> slice:
        """Where the members of a machine are."""
        return slice(self.ends[m], self.ends[m + 1])

    def solve(self, K, Cs, after=None, rank=None, folds=None, **how):
        """Results of the native solve; what it does not write stays NaN."""
        Cs, n_folds, n_machines = np.asarray(Cs, float), len(self.folds), len(self.machines)
        room = SimpleNamespace(
            decision=np.full((n_machines, Cs.size, self.n_answers), np.nan),
            tables=np.full((n_folds, n_machines, Cs.size, 8), np.nan),
            n_done=np.full((n_folds, n_machines), -1),
            last_C=np.full((n_folds, n_machines), np.nan) if after is None else after.last_C.copy(),
            beta=np.full((n_folds, self.ends[-1]), np.nan) if after is None else after.beta.copy(),
            f=np.full((n_folds, self.ends[-1]), np.nan) if after is None else after.f.copy(),
        )
        settings = {"tol": 1e-3, "max_iter": 10**7, "patience": 1e6, "may_guess": True, "is_whole": True}
        settings |= {"has_seed": False, "n_threads": 1, "callback": None, "goes_on": after is not None}
        self.native.solve(
            K,
            Cs=Cs,
            rank=np.arange(Cs.size) if rank is None else rank,
            folds=np.arange(n_folds) if folds is None else np.asarray(folds),
            **vars(room),
            **(settings | how),
        )
        return room


def assert_same_bits(one, other) -> None:
    for name, values in vars(one).items():
        np.testing.assert_array_equal(getattr(other, name), values, err_msg=name)


def pairs_of_classes(index: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The members of each pair of classes, and their signs: positive for the first class."""
    n_classes, machines = index.max() + 1, []
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            members = np.flatnonzero((index == a) | (index == b))
            machines.append((members, np.where(index[members] == a, 1.0, -1.0)))
    return machines


def kfold(n: int, n_folds: int, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    parts = np.array_split(np.random.default_rng(seed).permutation(n), n_folds)
    return [(np.setdiff1d(np.arange(n), part), part) for part in parts]
