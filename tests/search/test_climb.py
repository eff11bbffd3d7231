"""The width of a kernel by cross-validation, uphill."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels import RBF, Gaussian, Linear
from kernelwise.search.climb import STEP, ScaleSearch
from kernelwise.search.deadline import Deadline


class PeakedTask:
    """Scores of kernels from a curve over log₂γ instead of machines, under a clock of our own."""

    class Path:
        def __init__(self, best_score, seconds):
            self.best_score = best_score
            self.seconds = seconds

    def __init__(self, curve, budget=None):
        self.curve, self.now, self.gammas, self.announced = curve, 0.0, [], []
        self.deadline = Deadline(budget, clock=lambda: self.now)

    def ahead(self, kernels):
        self.announced += [kernel.gamma for kernel in kernels]

    def run(self, kernel, reason):
        self.now += 1.0
        self.gammas.append(kernel.gamma)
        return self.Path(self.curve(np.log2(kernel.gamma)), 1.0)


def test_the_climb_reaches_the_peak():
    task = PeakedTask(lambda x: -abs(x - 9.0))
    search = ScaleSearch(RBF(1.0), task)
    path = search.run([1.0], ["start"])
    assert path.best_score == max(-abs(np.log2(gamma) - 9.0) for gamma in task.gammas)
    assert abs(np.log2(search.best) - 9.0) <= 0.5
    assert len(task.gammas) == len(set(task.gammas)) < 12
    assert task.announced == task.gammas


def test_no_width_is_tried_twice_or_almost():
    task = PeakedTask(lambda x: -(x**2))
    ScaleSearch(RBF(1.0), task).run([1.0, 0.2, 5.0, 4.1], ["a", "b", "c", "d"])
    logs = np.sort(np.log2(task.gammas[4:]))
    assert (np.diff(logs) > 0.4).all()


def test_the_climb_stays_within_its_limits():
    task = PeakedTask(lambda x: x)
    search = ScaleSearch(RBF(1.0), task, limits=(0.1, 20.0))
    search.run([1.0], ["start"])
    assert max(task.gammas) <= 20.0
    assert search.best * STEP > 20.0


def test_a_flat_score_does_not_climb_far():
    task = PeakedTask(lambda x: 0.9)
    search = ScaleSearch(RBF(1.0), task)
    search.run([1.0], ["start"])
    assert search.best == 1.0
    assert len(task.gammas) <= 5


def test_time_stops_the_search_and_says_what_was_left_out():
    task = PeakedTask(lambda x: x, budget=2.5)
    search = ScaleSearch(RBF(1.0), task)
    path = search.run([1.0, 4.0, 16.0], ["a", "b", "c"])
    assert task.gammas == [1.0, 4.0]
    assert path is search.tried[4.0]
    assert "width factor 16 (c)" in task.deadline.skipped


def test_the_first_width_is_tried_even_without_time():
    task = PeakedTask(lambda x: x, budget=1e-9)
    assert ScaleSearch(RBF(1.0), task).run([1.0], ["a"]).best_score == 0.0


def test_a_known_best_width_is_found_from_afar(make_task, rings):
    Z, index = rings
    task = make_task(Z, index, cv=3)
    search = ScaleSearch(RBF(1e-3), task)
    path = search.run([1.0], ["start"])
    assert path.best_score > 0.98
    assert path.best_score >= max(other.best_score for other in task.paths.paths)


def test_a_kernel_that_does_not_scale_is_tried_as_it_is(make_task, rings):
    task = make_task(*rings, cv=2)
    ScaleSearch(Linear(), task).run([1.0], ["only"])
    assert len(task.paths.paths) == 1


@pytest.mark.parametrize("factor", [0.25, 9.0])
def test_factors_are_of_the_metric(factor):
    Q = np.array([[2.0, 0.5], [0.5, 1.0]])
    np.testing.assert_allclose(Gaussian(Q).rescaled(factor).Q, Q * factor)
