"""Linear systems in place of pair steps: the face they live on, single solves and steps from C to C."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.interior_point import solve_exactly
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR

from kernelwise.solvers import fold_path, solve_svm_dual, svm_path
from kernelwise.solvers.box_qp import BoxQP
from kernelwise.solvers.fold_path import Solved, follow
from kernelwise.solvers.newton import FreeFace
from kernelwise.solvers.path_problem import PathProblem
from kernelwise.solvers.regression import RegressionPaths
from tests.solvers.conftest import overlapping

TOL = 1e-3


def machine(n: int = 150, gamma: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A Gram matrix and labels with as much noise as signal."""
    X, y = overlapping(n, seed)
    return rbf_kernel(X, gamma=gamma), y


def program(K: np.ndarray, y: np.ndarray, C: float) -> BoxQP:
    beta = np.zeros(y.size)
    return BoxQP(K, beta, y.copy(), np.minimum(C * y, 0.0), np.maximum(C * y, 0.0))


def violation(qp: BoxQP, p: np.ndarray) -> float:
    f = p - qp.K @ qp.beta
    assert abs(qp.beta.sum()) < 1e-9 * np.abs(qp.beta).sum()
    assert (qp.lo <= qp.beta).all()
    assert (qp.beta <= qp.hi).all()
    np.testing.assert_allclose(qp.f, f, atol=1e-9)
    return float(f[qp.beta < qp.hi].max() - f[qp.beta > qp.lo].min())


def test_systems_of_changing_faces_are_solved_with_one_factor():
    K, _ = machine(60, gamma=2.0)
    rng = np.random.default_rng(0)
    face, is_free, n_factors = FreeFace(K), rng.random(60) < 0.6, 0
    for _ in range(30):
        rows, f, factor = np.flatnonzero(is_free), rng.standard_normal(60), face.factor
        found = face.solve(is_free, f, 0.7)
        assert found is not None
        n_factors += face.factor is not factor
        one = np.ones((rows.size, 1))
        system = np.block([[K[np.ix_(rows, rows)], one], [one.T, np.zeros((1, 1))]])
        *exact, b = np.linalg.solve(system, [*f[rows], 0.7])
        np.testing.assert_allclose(found[0][rows], exact, rtol=1e-7, atol=1e-7)
        assert found[1] == pytest.approx(b, rel=1e-7)
        assert not found[0][~is_free].any()
        is_free[rng.integers(60, size=3)] ^= True
    assert n_factors < 10


def test_an_indefinite_face_has_no_solution():
    assert FreeFace(-np.eye(3)).solve(np.ones(3, bool), np.ones(3), 0.0) is None


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.05, 1.0])
def test_solutions_for_larger_C_are_exact(gamma):
    """Along C from a coarse solution, without a pair step; an interior-point method is the judge."""
    K, y = machine(gamma=gamma)
    C, lo, hi = 8.0, np.minimum(y, 0.0), np.maximum(y, 0.0)
    qp, before = program(K, y, C), None
    qp.minimise(0.1, 10**6)
    assert qp.active_set(TOL)
    for _ in range(5):
        now = Solved(C, qp.beta.copy(), qp.f.copy())
        assert follow(qp, lo, hi, before, C, 1.5 * C, TOL)
        before, C = now, 1.5 * C
        assert violation(qp, y) < TOL
        exact = solve_exactly(K, y, np.full(y.size, C)).beta
        best = 0.5 * exact @ K @ exact - y @ exact
        assert -0.5 * qp.beta @ (y + qp.f) == pytest.approx(best, rel=1e-6)


def test_too_large_a_step_of_C_is_halved_or_refused():
    """With no halving left the guess is too far off; what is left is within the bounds and belongs to f."""
    K, y = machine(gamma=0.2)
    lo, hi = np.minimum(y, 0.0), np.maximum(y, 0.0)
    outcomes = {}
    for halvings in (0, 6):
        qp = program(K, y, 4.0)
        qp.minimise(1e-6, 10**6)
        outcomes[halvings] = follow(qp, lo, hi, None, 4.0, 64.0, TOL, halvings)
        assert (violation(qp, y) < TOL) == outcomes[halvings]
    assert outcomes == {0: False, 6: True}


def test_copies_with_contradicting_labels_are_solved():
    """Every face with both of them is singular."""
    X, y = overlapping(60)
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    y[::6] *= -1.0
    K = rbf_kernel(X, gamma=0.3)
    found, exact = solve_svm_dual(K, y, 100.0), solve_exactly(K, y, np.full(y.size, 100.0)).beta
    assert found.converged
    assert found.objective == pytest.approx(0.5 * exact @ K @ exact - y @ exact, rel=1e-5)


def test_paths_of_regressions_follow_C_too():
    """At C = 4096 half the way is found and the rest is not: pair steps go on, with the bounds of that C."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    y = np.sin(X[:, 0]) + 0.3 * rng.standard_normal(120)
    K, Cs, train = rbf_kernel(X, gamma=2.0), 2.0 ** np.arange(0, 13), np.arange(100)
    paths = RegressionPaths(y, [(train, np.arange(100, 120))], np.ones(120))
    path, _ = paths.solve(K, Cs, epsilon=0.05, tol=1e-3)
    assert (path.n_iter == 0).any()
    square = K[np.ix_(train, train)]
    for C, objective in zip(Cs[::4], path.objective[::4, 0, 0], strict=True):
        peer = SVR(kernel="precomputed", C=C, epsilon=0.05).fit(square, y[train])
        beta = np.zeros(100)
        beta[peer.support_] = peer.dual_coef_[0]
        theirs = 0.5 * beta @ square @ beta - y[train] @ beta + 0.05 * np.abs(beta).sum()
        assert objective == pytest.approx(theirs, rel=2e-4)


def test_a_path_that_stopped_early_continues_by_pair_steps(monkeypatch):
    """Its first limit is a guess; with what is free now, pair steps are the cheaper ones."""
    monkeypatch.setattr(PathProblem, "patience", 0.005)
    monkeypatch.setattr(BoxQP, "patience", lambda qp, m: 10**6)
    monkeypatch.setattr(fold_path, "follow", lambda *_: pytest.fail("no linear systems are needed"))
    X, y = overlapping(120)
    K, train, Cs = rbf_kernel(X, gamma=0.3), np.arange(100), np.array([1.0, 4.0, 16.0])
    path = svm_path(K, y, Cs, [(train, np.arange(100, 120))])
    assert (path.n_iter > 20).any()
    for C, objective in zip(Cs, path.objective[:, 0, 0], strict=True):
        beta = solve_exactly(K[:100, :100], y[:100], np.full(100, C)).beta
        assert objective == pytest.approx(0.5 * beta @ K[:100, :100] @ beta - y[:100] @ beta, rel=1e-5)
