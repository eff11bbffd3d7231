"""Theorem 3 of paper 002 for other criteria than polarization, on random sets of unequal classes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from kernelwise.criteria import RegularizedMargin, as_criterion
from kernelwise.diagnostics import boundary_verdict
from kernelwise.kernels import RBF

N_SETS = 200
SUMS = ("polarization", "kta", "centered-kta", "dbtc", "esdr", "j4")
DOMINANCE = 1e-4  # all other kernel values over that of the closest pair


def random_set(seed, are_different):
    """Points, unequal classes with the labels of the closest pair as asked for, and γ at which it dominates.

    None in place of γ if kernel values underflow before one pair dominates.
    """
    random = np.random.default_rng(seed)
    n, d = int(random.integers(6, 25)), int(random.integers(1, 5))
    X = random.normal(size=(n, d))
    D = squareform(pdist(X, "sqeuclidean"))
    rows, columns = np.triu_indices(n, 1)
    closest, second = np.argsort(D[rows, columns])[:2]
    p, q = rows[closest], columns[closest]
    others = np.delete(np.arange(n), [p, q])
    y = np.empty(n, dtype=int)
    n_ones = int(random.integers(1, len(others)))
    y[others] = random.permutation(np.arange(len(others)) < n_ones)
    y[p] = random.integers(0, 2)
    y[q] = 1 - y[p] if are_different else y[p]
    counts = np.bincount(y, minlength=2)
    if counts.min() < 2:
        y[others[:2]] = counts.argmin()
    gap = D[rows[second], columns[second]] - D[p, q]
    # Narrow enough for the pair's own kernel value, too, to be next to nothing.
    gamma = max(np.log(n**2 / DOMINANCE) / gap, np.log(1e6) / D[p, q])
    return X, y, gamma if gamma * D[p, q] < 600 else None


@cache
def labelled(seed, are_different):
    """A random set and what the verdict says of it."""
    X, y, gamma = random_set(seed, are_different)
    return X, y, gamma, boundary_verdict(X, y).signs


def slope(criterion, X, y, gamma):
    """Sign of the change of the score as σ grows."""
    kernel = RBF(gamma)
    return int(np.sign(kernel.gradient_dot(X, criterion.adjoint(kernel(X), y))[0]))


@pytest.mark.slow
@pytest.mark.parametrize("are_different", [True, False])
@pytest.mark.parametrize("name", SUMS)
def test_criteria_of_sums(name, are_different):
    n_underflows = 0
    for seed in range(N_SETS):
        X, y, gamma, signs = labelled(seed, are_different)
        expected = -1 if are_different else 1
        assert signs[name] == expected
        if gamma is None:
            n_underflows += 1
            continue
        assert slope(as_criterion(name), X, y, gamma) == expected
    assert n_underflows < 0.1 * N_SETS


@pytest.mark.parametrize("are_different", [True, False])
def test_the_regularised_margin(are_different):
    """With ρ = 0 always; with ρ as far as the verdict goes, whatever K′ is."""
    n_said = 0
    for seed in range(N_SETS):
        X, y, gamma, signs = labelled(seed, are_different)
        if gamma is None:
            continue
        expected = -1 if are_different else 1
        assert slope(RegularizedMargin(rho=0.0, tol=1e-10), X, y, gamma) == expected
        said = signs.get("regularized-margin")
        n_said += said is not None
        for K_reference in (np.ones((len(y), len(y))), np.eye(len(y)), RBF(0.1)(X)):
            found = slope(RegularizedMargin(K_reference=K_reference, tol=1e-10), X, y, gamma)
            assert said in (None, found)
    assert n_said > 0.5 * N_SETS


def test_a_large_rho_turns_the_margin_round():
    X, y = [[0.0], [0.1], [1.0], [3.0]], [0, 1, 1, 0]
    gamma = np.log(1e4) / 0.1**2
    X = np.array(X)
    K_reference = RBF(1.0)(X)  # K′ of the closest pair is 0.99, and 2ρK′ exceeds α_p α_q = 1 for ρ = 0.6
    for rho, expected in ((0.4, -1), (0.6, 1)):
        assert slope(RegularizedMargin(1.0, rho, K_reference), X, y, gamma) == expected


def test_ties_may_part_the_criteria():
    """One equal pair of the small class and one different pair: polarization cannot say, DBTC can."""
    X = np.array([[0.0], [1.0], [2.0], [5.0], [8.0], [11.5], [15.0], [19.0]])
    y = [1, 1, 0, 0, 0, 0, 0, 0]
    verdict = boundary_verdict(X, y)
    assert verdict.pair.n_ties == 2
    assert verdict.sign == 0
    assert verdict.signs["dbtc"] == 1
    y = [0, 0, 1, 0, 0, 0, 0, 1]  # now the equal pair is of the large class, and counts less
    verdict = boundary_verdict(X, y)
    assert (verdict.sign, verdict.signs["dbtc"]) == (0, -1)
    assert "DBTC" in verdict.finding.message
    assert verdict.finding.severity == "warning"
    gamma = np.log(1e6)
    assert slope(as_criterion("dbtc"), X, y, gamma) == -1


def test_the_quotient_of_derivatives_decays_like_that_of_the_kernel():
    """Paper 002, after eq. 3: not faster; k′(x₂)/k′(x₁) = (D₂/D₁)·k(x₂)/k(x₁), which exceeds 1 for wide σ."""
    near, far = 1.0, 2.0  # distances

    def quotient(sigma):
        k, slopes = (np.exp(-(d**2) / (2 * sigma**2)) for d in (near, far)), []
        for d in (near, far):
            step = 1e-6 * sigma
            up, down = (np.exp(-(d**2) / (2 * s**2)) for s in (sigma + step, sigma - step))
            slopes.append((up - down) / (2 * step))
        first, second = k
        return second / first, slopes[1] / slopes[0]

    for sigma in (0.3, 0.5, 1.0, 3.0):
        values, derivatives = quotient(sigma)
        assert derivatives == pytest.approx((far / near) ** 2 * values, rel=1e-6)
    assert quotient(3.0)[1] > 1
