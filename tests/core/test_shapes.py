"""Machine code is called with arrays of the sizes that it is given: no others are read beyond their end."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.explanation.compiled import add_interactions, add_values
from kernelwise.kernels.city_block import city_block_distances, weighted_differences, weighted_signs
from kernelwise.kernels.distances import _finish
from kernelwise.sketch.bins import count_pairs, weigh_pairs
from kernelwise.solvers.box_qp import SINGLE, BoxQP, Pool
from kernelwise.solvers.compiled import gaussian

A, B, SQUARE = np.ones((3, 2)), np.ones((4, 5)), np.eye(3)
FLOATS = [np.ones(shape, np.float32) for shape in ((8, 3), (2, 3, 64), (8, 128), (8,))]
LEFT, PANELS, OUT, CHANGE = FLOATS


def count(n_x, n_y, width):
    G, words = np.ones((3, 4)), np.zeros((9, width), np.uint64)
    count_pairs(G, np.ones(n_x), np.ones(n_y), 1e-9, 1.0, words, False)


def weigh(n_x, n_y, width):
    G, moments, norms = np.ones((3, 4)), np.zeros((9, width)), (np.ones(3), np.ones(4))
    weigh_pairs(G, *norms, 1e-9, 1.0, np.ones(n_x), np.ones(n_y), moments, False)


def explain(add, v=(1, 3, 2), beta=(1, 3), out=2):
    U = np.ones((4, 3, 2))
    add(U, np.ones(v), np.ones(beta), np.zeros((4, *((out,) * (1 + (add is add_interactions))), 1)))


def solve(n=3, n_f=3, pool=None, **changed):
    parts = {"beta": np.zeros(n), "f": np.ones(n_f), "lo": np.zeros(n), "hi": np.ones(n)} | changed
    BoxQP(SQUARE, **parts, pools={SINGLE: pool or Pool(3, SINGLE)})._smo(1e-3, 10, SINGLE)


def path(table, coefficients):
    qp = BoxQP(SQUARE, np.zeros(3), np.ones(3), np.zeros(3), np.ones(3))
    qp.path(np.ones(3), np.array([1.0, 2.0]), 0, 1e-3, 10, np.zeros(coefficients), np.zeros(table))


def thick_pool():
    pool = Pool(3, SINGLE)
    pool.size = 4
    return pool


WRONG = {
    "features": lambda: city_block_distances(A, B),
    "features of sums": lambda: weighted_differences(A, np.ones((3, 4)), B),
    "weights of sums": lambda: weighted_differences(A, np.ones((1, 1)), A),
    "features of signs": lambda: weighted_signs(A, np.ones((3, 4)), B),
    "weights of signs": lambda: weighted_signs(A, np.ones((1, 1)), A),
    "norms": lambda: _finish(np.ones((3, 4)), np.ones(3), np.ones(3), 1e-9),
    "counted rows": lambda: count(2, 4, 2),
    "counted columns": lambda: count(3, 3, 2),
    "words": lambda: count(3, 4, 1),
    "weighed rows": lambda: weigh(2, 4, 4),
    "weighed columns": lambda: weigh(3, 3, 4),
    "moments": lambda: weigh(3, 4, 3),
    "absent factors": lambda: explain(add_values, v=(1, 2, 2)),
    "coefficients": lambda: explain(add_values, beta=(1, 2)),
    "Shapley values": lambda: explain(add_values, out=1),
    "Shapley interactions": lambda: explain(add_interactions, out=1),
    "panels": lambda: gaussian.fill(LEFT, PANELS[:, :2].copy(), OUT),
    "fewer rows than a block": lambda: gaussian.fill(LEFT, PANELS, OUT[:3]),
    "more rows than there are": lambda: gaussian.fill(LEFT[:4], PANELS, OUT),
    "narrow rows": lambda: gaussian.fill(LEFT, PANELS, OUT[:, :100].copy()),
    "part of a block": lambda: gaussian.add(LEFT[:6], CHANGE[:6], PANELS, np.zeros(128)),
    "change": lambda: gaussian.add(LEFT, CHANGE[:4], PANELS, np.zeros(128)),
    "total": lambda: gaussian.add(LEFT, CHANGE, PANELS, np.zeros(64)),
    "f": lambda: solve(n_f=2),
    "bounds": lambda: solve(hi=np.ones(2)),
    "variables": lambda: solve(n=4, n_f=4),
    "a smaller pool": lambda: solve(pool=Pool(2, SINGLE)),
    "members of a pool": lambda: solve(pool=thick_pool()),
    "table": lambda: path((1, 8), (2, 3)),
    "kept coefficients": lambda: path((2, 8), (1, 3)),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_are_too_short_are_refused(name):
    with pytest.raises(ValueError, match=r"needed here|do not fit|variables"):
        WRONG[name]()


def test_arrays_of_the_right_shapes_are_not():
    count(3, 4, 2)
    weigh(3, 4, 4)
    explain(add_values)
    explain(add_interactions)
    gaussian.fill(LEFT, PANELS, OUT)
    gaussian.add(LEFT, CHANGE, PANELS, np.zeros(128))
    solve()
    path((2, 8), (2, 3))
    path((2, 8), (0, 3))
