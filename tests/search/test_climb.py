"""The width of a kernel by cross-validation, uphill."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels import RBF, Gaussian, Linear
from kernelwise.search.engine.context import Deadline, FitContext
from kernelwise.search.propose.climb import STEP, Climb


class PeakedValidator:
    """Scores of kernels from a curve over log₂γ instead of machines, under a clock of our own."""

    class Path:
        def __init__(self, best_score, seconds):
            self.best_score = best_score
            self.seconds = seconds

    def __init__(self, curve, budget=None):
        self.curve, self.now, self.gammas, self.announced = curve, 0.0, [], []
        self.announced_epsilons = []
        self.context = FitContext(Deadline(budget, clock=lambda: self.now))

    def prefetch(self, kernels, epsilons=None):
        self.announced += [kernel.gamma for kernel in kernels]
        self.announced_epsilons.append(epsilons)

    def score(self, kernel, reason, *, epsilons=None):
        self.now += 1.0
        self.gammas.append(kernel.gamma)
        return self.Path(self.curve(np.log2(kernel.gamma)), 1.0)


def test_the_climb_reaches_the_peak():
    validator = PeakedValidator(lambda x: -abs(x - 9.0))
    search = Climb(RBF(1.0), validator)
    path = search.run([1.0], ["start"])
    assert path.best_score == max(-abs(np.log2(gamma) - 9.0) for gamma in validator.gammas)
    assert abs(np.log2(search.best) - 9.0) <= 0.5
    assert len(validator.gammas) == len(set(validator.gammas)) < 12
    assert validator.announced == validator.gammas


def test_kernels_are_announced_with_the_epsilons_of_the_climb():
    validator = PeakedValidator(lambda x: -(x**2))
    Climb(RBF(1.0), validator, epsilons=[0.02]).run([1.0], ["start"])
    assert len(validator.announced_epsilons) > 1
    assert all(epsilons == [0.02] for epsilons in validator.announced_epsilons)


def test_no_width_is_tried_twice_or_almost():
    validator = PeakedValidator(lambda x: -(x**2))
    Climb(RBF(1.0), validator).run([1.0, 0.2, 5.0, 4.1], ["a", "b", "c", "d"])
    logs = np.sort(np.log2(validator.gammas[4:]))
    assert (np.diff(logs) > 0.4).all()


def test_the_climb_stays_within_its_limits():
    validator = PeakedValidator(lambda x: x)
    search = Climb(RBF(1.0), validator, limits=(0.1, 20.0))
    search.run([1.0], ["start"])
    assert max(validator.gammas) <= 20.0
    assert search.best * STEP > 20.0


def test_a_flat_score_does_not_climb_far():
    validator = PeakedValidator(lambda x: 0.9)
    search = Climb(RBF(1.0), validator)
    search.run([1.0], ["start"])
    assert search.best == 1.0
    assert len(validator.gammas) <= 5


def test_time_stops_the_search_and_says_what_was_left_out():
    validator = PeakedValidator(lambda x: x, budget=2.5)
    search = Climb(RBF(1.0), validator)
    path = search.run([1.0, 4.0, 16.0], ["a", "b", "c"])
    assert validator.gammas == [1.0, 4.0]
    assert path is search.tried[4.0]
    assert "width factor 16 (c)" in validator.context.deadline.skipped


def test_the_first_width_is_tried_even_without_time():
    validator = PeakedValidator(lambda x: x, budget=1e-9)
    assert Climb(RBF(1.0), validator).run([1.0], ["a"]).best_score == 0.0


def test_a_known_best_width_is_found_from_afar(make_validator, rings):
    Z, index = rings
    validator = make_validator(Z, index, cv=3)
    search = Climb(RBF(1e-3), validator)
    path = search.run([1.0], ["start"])
    assert path.best_score > 0.98
    assert path.best_score >= max(other.best_score for other in validator.scored)


def test_a_kernel_that_does_not_scale_is_tried_as_it_is(make_validator, rings):
    validator = make_validator(*rings, cv=2)
    Climb(Linear(), validator).run([1.0], ["only"])
    assert len(validator.scored) == 1


@pytest.mark.parametrize("factor", [0.25, 9.0])
def test_factors_are_of_the_metric(factor):
    Q = np.array([[2.0, 0.5], [0.5, 1.0]])
    np.testing.assert_allclose(Gaussian(Q).rescaled(factor).Q, Q * factor)
