"""The native core is called with arrays of the sizes and kinds that it needs: others are refused."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import _native

VALUES, INTERACTIONS = _native.shapley_values, _native.shapley_interactions
A, B, SQUARE = np.ones((3, 2)), np.ones((4, 5)), np.eye(3)
FLOATS = [np.ones(shape, np.float32) for shape in ((8, 3), (2, 3, 64), (8, 128), (8,))]
LEFT, PANELS, OUT, CHANGE = FLOATS
#: One Gaussian kernel.
TERM = np.array([[0, LEFT.shape[1], 1]]), np.ones((1, 2), np.float32)
ROWS, COLUMNS, WEIGHTS = np.ones((3, 2)), np.ones((2, 4)), np.ones((3, 4))


def frozen(array):
    array.setflags(write=False)
    return array


def count(n_x=3, n_y=4, width=2, kind=np.uint64):
    G, words = np.ones((3, 4)), np.zeros((9, width), kind)
    _native.count_pairs(G, np.ones(n_x), np.ones(n_y), 1e-9, 1.0, False, words)


def weigh(n_x=3, n_y=4, width=4, moments=None):
    G, norms = np.ones((3, 4)), (np.ones(3), np.ones(4))
    moments = np.zeros((9, width)) if moments is None else moments
    _native.weigh_pairs(G, *norms, 1e-9, 1.0, False, np.ones(n_x), np.ones(n_y), moments)


def explain(add, v=(1, 3, 2), beta=(1, 3), out=2, kind=float):
    shape = (4, *((out,) * (1 + (add is INTERACTIONS))), 1)
    add(np.ones((4, 3, 2)), np.ones(v), np.ones(beta), np.ones(1), np.ones(1), np.zeros(shape, kind))


def nodes(n_nodes, n_weights, **changed):
    parts = {"U": np.ones((4, 3, 2)), "V": np.ones((1, 3, 2)), "beta": np.ones((1, 3))} | changed
    _native.shapley_values(*parts.values(), np.ones(n_nodes), np.ones(n_weights), np.zeros((4, 2, 1)))


def solve(n=3, n_f=3, pool=None, **changed):
    parts = {"beta": np.zeros(n), "f": np.ones(n_f), "lo": np.zeros(n), "hi": np.ones(n)} | changed
    how = np.ones(1), 0, 1e-3, 10, pool or _native.SinglePool(3), 0.0, np.empty((0, n_f)), np.zeros((1, 8))
    _native.solve_path(SQUARE, parts["f"], *parts.values(), *how)


def path(table=(2, 8), coefficients=(2, 3), start=0, K=SQUARE):
    single, arrays = _native.SinglePool(3), (np.ones(3), np.zeros(3), np.ones(3), np.zeros(3), np.ones(3))
    how = np.array([1.0, 2.0]), start, 1e-3, 10, single, 0.0
    _native.solve_path(K, *arrays, *how, np.zeros(coefficients), np.zeros(table))


def problem(**changed):
    """Two machines of three and two of three samples, on two folds; the first holds out the last sample."""
    parts = {
        "members": np.array([0, 1, 2, 0, 2], np.uintp),
        "member_ends": np.array([0, 3, 5]),
        "lo": np.array([0.0, -1.0, 0.0, 0.0, -1.0]),
        "hi": np.array([1.0, 0.0, 1.0, 1.0, 0.0]),
        "p": np.array([1.0, -1.0, 1.0, 1.0, -1.0]),
        "turns": np.ones(2),
        "weights": np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]),
        "counts": None,
        "test": np.array([2], np.uintp),
        "test_ends": np.array([0, 1, 1]),
        "answers": np.array([0]),
        "n_answers": 1,
    } | changed
    return _native.PathProblem(**parts)


def run(K=SQUARE, **changed):
    parts = {
        "Cs": np.array([1.0, 2.0]),
        "rank": np.array([1, 0]),
        "folds": np.array([0, 1]),
        "decision": np.zeros((2, 2, 1)),
        "tables": np.zeros((2, 2, 2, 8)),
        "n_done": np.zeros((2, 2), np.int64),
        "last_C": np.zeros((2, 2)),
        "beta": np.zeros((2, 5)),
        "f": np.zeros((2, 5)),
        "goes_on": False,
    } | changed
    how = {"patience": 1.0, "may_guess": True, "is_whole": True, "has_seed": True, "n_threads": 1}
    problem().solve(K, tol=1e-3, max_iter=100, **how, **parts, callback=None)


FIT = (
    r"do not fit|Each (row|node|pair|sample|distance|decision value|problem)\b|Factors of rows|A panel has|"
    "There must be"
)
#: Calls with arrays of another size, and what is said of them.
WRONG_SIZES = {
    "features": (lambda: _native.city_block(A, B.T.copy(), np.zeros((3, 4)), 0), FIT),
    "features of sums": (lambda: _native.add_differences(A, B.T.copy(), WEIGHTS, np.zeros((5, 4))), FIT),
    "weights of sums": (
        lambda: _native.add_differences(A, A.T.copy(), np.ones((1, 1)), np.zeros((2, 3))),
        FIT,
    ),
    "features of signs": (lambda: _native.add_signs(A, B, WEIGHTS, np.zeros((3, 2))), FIT),
    "weights of signs": (lambda: _native.add_signs(A, A, np.ones((1, 1)), np.zeros((3, 2))), FIT),
    "sums": (lambda: _native.add_differences(ROWS, COLUMNS, WEIGHTS, np.zeros((2, 3))), FIT),
    "sums of signs": (lambda: _native.add_signs(ROWS, B[:, :2].copy(), WEIGHTS, np.zeros((3, 1))), FIT),
    "distances": (lambda: _native.city_block(ROWS, COLUMNS, np.zeros((3, 3)), 0), FIT),
    "a first column before all": (lambda: _native.city_block(ROWS, COLUMNS, np.zeros((3, 4)), -1), FIT),
    "norms": (lambda: _native.from_products(np.ones((3, 4)), np.ones(3), np.ones(3), 1e-9), FIT),
    "norms of rows": (lambda: _native.from_products(np.ones((3, 4)), np.ones(4), np.ones(4), 1e-9), FIT),
    "counted rows": (lambda: count(n_x=2), FIT),
    "counted columns": (lambda: count(n_y=3), FIT),
    "words": (lambda: count(width=1), "Each bin has two words"),
    "no words": (
        lambda: _native.count_pairs(
            WEIGHTS, np.ones(3), np.ones(4), 1e-9, 1.0, False, np.zeros((0, 2), np.uint64)
        ),
        "Each bin has two words",
    ),
    "weighed rows": (lambda: weigh(n_x=2), FIT),
    "weighed columns": (lambda: weigh(n_y=3), FIT),
    "moments": (lambda: weigh(width=3), "Each bin has four moments"),
    "no moments": (lambda: weigh(moments=np.zeros((0, 4))), "Each bin has four moments"),
    "absent factors": (lambda: explain(VALUES, v=(1, 2, 2)), FIT),
    "no absent factors": (lambda: explain(VALUES, v=(0, 3, 2)), "There are no"),
    "coefficients": (lambda: explain(VALUES, beta=(1, 2)), FIT),
    "Shapley values": (lambda: explain(VALUES, out=1), FIT),
    "Shapley interactions": (lambda: explain(INTERACTIONS, out=1), FIT),
    "weights of nodes": (lambda: nodes(2, 1), "Each node has a weight"),
    "no nodes": (lambda: nodes(0, 0), "Each node has a weight"),
    "panels": (lambda: _native.fill_kernel(*TERM, LEFT, PANELS[:, :2].copy(), OUT), FIT),
    "narrow panels": (lambda: _native.fill_kernel(*TERM, LEFT, PANELS[:, :, :32].copy(), OUT), FIT),
    "fewer rows than a block": (lambda: _native.fill_kernel(*TERM, LEFT, PANELS, OUT[:3]), FIT),
    "more rows than there are": (lambda: _native.fill_kernel(*TERM, LEFT[:4], PANELS, OUT), FIT),
    "narrow rows": (lambda: _native.fill_kernel(*TERM, LEFT, PANELS, OUT[:, :100].copy()), FIT),
    "part of a block": (lambda: _native.add_kernel(*TERM, LEFT[:6], CHANGE[:6], PANELS, np.zeros(128)), FIT),
    "change": (lambda: _native.add_kernel(*TERM, LEFT, CHANGE[:4], PANELS, np.zeros(128)), FIT),
    "total": (lambda: _native.add_kernel(*TERM, LEFT, CHANGE, PANELS, np.zeros(64)), FIT),
    "kernel values": (lambda: _native.decay(WEIGHTS, 1.0, np.zeros((4, 3))), FIT),
    "targets of sigmoids": (
        lambda: _native.fit_sigmoids(WEIGHTS, np.ones((3, 3)), WEIGHTS, np.zeros((3, 2))),
        FIT,
    ),
    "weights of sigmoids": (
        lambda: _native.fit_sigmoids(WEIGHTS, WEIGHTS, np.ones((1, 4)), np.zeros((3, 2))),
        FIT,
    ),
    "starts of sigmoids": (lambda: _native.fit_sigmoids(WEIGHTS, WEIGHTS, WEIGHTS, np.zeros((3, 1))), FIT),
    "pairs of classes": (lambda: _native.vote(np.ones((2, 4)), 3, np.zeros(4, np.int32)), FIT),
    "two classes": (lambda: _native.vote(np.ones((1, 4)), 2, np.zeros(4, np.int32)), FIT),
    "votes": (lambda: _native.vote(np.ones((3, 4)), 3, np.zeros(3, np.int32)), FIT),
    "a Gram matrix with missing columns": (lambda: _native.has_copies(np.ones((4, 3))), "a column for each"),
    "f": (lambda: solve(n_f=2), "numbers are needed"),
    "bounds": (lambda: solve(hi=np.ones(2)), "3 numbers are needed"),
    "variables": (lambda: solve(n=4, n_f=4), r"shape \(3, 3\), and there are 4 variables"),
    "a smaller pool": (
        lambda: solve(pool=_native.SinglePool(2)),
        "The pool is for 2 variables, and there are 3",
    ),
    "a larger pool": (
        lambda: solve(pool=_native.SinglePool(4)),
        "The pool is for 4 variables, and there are 3",
    ),
    "a narrow Gram matrix as pool": (
        lambda: _native.SinglePool(3, np.zeros((3, 64), np.float32)),
        "multiple of 16 columns, and at least 80",
    ),
    "a Gram matrix of others as pool": (
        lambda: _native.DoublePool(3, np.zeros((4, 80))),
        "a pool needs a multiple of 16 columns, and at least 80",
    ),
    "a Gram matrix with rows off a line of the cache as pool": (
        lambda: _native.SinglePool(30, np.zeros((30, 81), np.float32)),
        "multiple of 16 columns, and at least 80",
    ),
    "columns of K": (lambda: path(K=np.ones((3, 2))), r"shape \(3, 2\), and there are 3 variables"),
    "table": (lambda: path(table=(1, 8)), "A row for each C"),
    "kept coefficients": (lambda: path(coefficients=(1, 3)), "a row for each C, or none"),
    "kept variables": (lambda: path(coefficients=(2, 2)), "a row for each C, or none"),
    "a start behind the end": (lambda: path(start=3), "A row for each C"),
    "a start before the first": (lambda: path(start=-1), "A row for each C"),
    "bounds of members": (lambda: problem(lo=np.ones(4)), "5 numbers are needed"),
    "linear terms of members": (lambda: problem(p=np.ones(6)), "5 numbers are needed"),
    "ends of members": (lambda: problem(member_ends=np.array([0, 5])), "Each machine has an end"),
    "ends that go back": (
        lambda: problem(member_ends=np.array([0, 6, 5])),
        "The ends of members must go from 0",
    ),
    "a machine without members": (
        lambda: problem(member_ends=np.array([0, 0, 5])),
        "A machine has no members",
    ),
    "ends of held-out samples": (lambda: problem(test_ends=np.array([0, 1])), "Each fold has an end"),
    "held-out samples beyond their end": (
        lambda: problem(test_ends=np.array([0, 1, 2])),
        "must go from 0 to",
    ),
    "members beyond the samples": (
        lambda: problem(members=np.array([0, 1, 3, 0, 2], np.uintp)),
        "Members must be from 0 to 2",
    ),
    "held-out samples beyond the samples": (
        lambda: problem(test=np.array([3], np.uintp)),
        "Samples that are held out must be from 0 to 2",
    ),
    "places of answers": (lambda: problem(answers=np.array([1])), "Places of answers must be from 0 to 0"),
    "places before the first": (lambda: problem(answers=np.array([-1])), "Places of answers must be from"),
    "answers": (lambda: problem(answers=np.array([0, 0])), "has a place for its answer"),
    "counts": (lambda: problem(counts=np.ones((2, 2))), "Counts have the shape of the weights"),
    "a Gram matrix of other samples": (lambda: run(np.eye(4)), r"shape \(4, 4\), and there are 3 samples"),
    "a Gram matrix that is not square": (
        lambda: run(np.ones((3, 4))),
        r"shape \(3, 4\), and there are 3 samples",
    ),
    "no values of C": (lambda: run(Cs=np.empty(0), rank=np.empty(0, int)), "Each C has a rank"),
    "ranks": (lambda: run(rank=np.array([0])), "Each C has a rank"),
    "ranks that are equal": (lambda: run(rank=np.array([1, 1])), "Ranks are the numbers of the values of C"),
    "ranks that are too large": (lambda: run(rank=np.array([0, 2])), "Ranks are the numbers"),
    "falling C": (lambda: run(Cs=np.array([2.0, 1.0])), "The values of C must increase"),
    "unknown folds": (lambda: run(folds=np.array([2])), "There is no such fold"),
    "folds before the first": (lambda: run(folds=np.array([-1])), "There is no such fold"),
    "nothing to go on from": (lambda: run(goes_on=True), "goes on from the solution for some C"),
} | {
    f"room for {name} of shape {shape}": (
        lambda name=name, shape=shape, kind=kind: run(**{name: np.zeros(shape, kind)}),
        "room for",
    )
    for name, shape, kind in (
        ("decision", (2, 1, 1), float),
        ("decision", (2, 2, 0), float),
        ("tables", (2, 2, 2, 7), float),
        ("tables", (2, 1, 2, 8), float),
        ("n_done", (1, 2), np.int64),
        ("last_C", (2, 1), float),
        ("beta", (2, 4), float),
        ("f", (1, 5), float),
    )
}
#: Calls with arrays of another type or order, or that cannot be written to.
WRONG_KINDS = {
    "products in single precision": lambda: _native.from_products(OUT, np.ones(8), np.ones(128), 1e-9),
    "products in Fortran's order": lambda: _native.from_products(
        np.asfortranarray(WEIGHTS), np.ones(3), np.ones(4), 1e-9
    ),
    "frozen products": lambda: _native.from_products(frozen(np.ones((3, 4))), np.ones(3), np.ones(4), 1e-9),
    "strided norms": lambda: _native.from_products(np.ones((3, 4)), np.ones(6)[::2], np.ones(4), 1e-9),
    "whole rows": lambda: _native.city_block(np.ones((3, 2), int), COLUMNS, np.zeros((3, 4)), 0),
    "transposed columns": lambda: _native.city_block(ROWS, np.ones((4, 2)).T, np.zeros((3, 4)), 0),
    "frozen distances": lambda: _native.city_block(ROWS, COLUMNS, frozen(np.zeros((3, 4))), 0),
    "one sample": lambda: _native.city_block(np.ones(2), COLUMNS, np.zeros((3, 4)), 0),
    "sums in single precision": lambda: _native.add_differences(
        ROWS, COLUMNS, WEIGHTS, np.zeros((2, 4), np.float32)
    ),
    "whole sums of signs": lambda: _native.add_signs(ROWS, ROWS, np.ones((3, 3)), np.zeros((3, 2), int)),
    "words with a sign": lambda: count(kind=np.int64),
    "moments in single precision": lambda: weigh(moments=np.zeros((9, 4), np.float32)),
    "Shapley values in single precision": lambda: explain(VALUES, kind=np.float32),
    "Shapley interactions in single precision": lambda: explain(INTERACTIONS, kind=np.float32),
    "rows in double precision": lambda: _native.fill_kernel(*TERM, LEFT.astype(float), PANELS, OUT),
    "panels of three columns": lambda: _native.fill_kernel(*TERM, LEFT, PANELS[:, :, :3], OUT),
    "kernel values in double precision": lambda: _native.fill_kernel(*TERM, LEFT, PANELS, OUT.astype(float)),
    "change in double precision": lambda: _native.add_kernel(*TERM, LEFT, np.ones(8), PANELS, np.zeros(128)),
    "total in single precision": lambda: _native.add_kernel(
        *TERM, LEFT, CHANGE, PANELS, np.zeros(128, np.float32)
    ),
    "distances in single precision": lambda: _native.decay(OUT, 1.0, OUT.astype(float)),
    "frozen kernel values": lambda: _native.decay(WEIGHTS, 1.0, frozen(np.zeros((3, 4)))),
    "sigmoids in single precision": lambda: _native.fit_sigmoids(
        WEIGHTS, WEIGHTS, WEIGHTS, np.zeros((3, 2), np.float32)
    ),
    "votes of eight bytes": lambda: _native.vote(np.ones((3, 4)), 3, np.zeros(4, np.int64)),
    "votes by columns": lambda: _native.vote(np.ones((4, 3)).T, 3, np.zeros(4, np.int32)),
    "a Gram matrix of whole numbers": lambda: _native.has_copies(np.eye(3, dtype=int)),
    "coefficients in single precision": lambda: solve(beta=np.zeros(3, np.float32)),
    "frozen coefficients": lambda: solve(beta=frozen(np.zeros(3))),
    "strided f": lambda: solve(f=np.ones(6)[::2]),
    "seven columns of a table": lambda: path(table=(2, 7)),
    "K in Fortran's order": lambda: path(K=np.asfortranarray(np.triu(np.ones((3, 3))))),
    "K of whole numbers": lambda: path(K=np.eye(3, dtype=int)),
    "a pool of the other precision": lambda: _native.SinglePool(3, np.zeros((3, 80))),
    "members with a sign": lambda: problem(members=np.array([0, 1, 2, 0, 2])),
    "weights of whole numbers": lambda: problem(weights=np.ones((2, 3), int)),
    "counts of whole numbers": lambda: problem(counts=np.ones((2, 3), int)),
    "samples in Fortran's order": lambda: run(np.asfortranarray(np.triu(np.ones((3, 3))))),
    "samples of whole numbers": lambda: run(np.eye(3, dtype=int)),
    "C in single precision": lambda: run(Cs=np.array([1.0, 2.0], np.float32)),
    "frozen decision values": lambda: run(decision=frozen(np.zeros((2, 2, 1)))),
    "numbers of four bytes": lambda: run(n_done=np.zeros((2, 2), np.int32)),
}


@pytest.mark.parametrize("name", WRONG_SIZES)
def test_arrays_of_another_size_are_refused(name):
    call, says = WRONG_SIZES[name]
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_arrays_of_another_kind_are_refused(name):
    with pytest.raises(TypeError, match=r"incompatible function arguments|K must be"):
        WRONG_KINDS[name]()


def test_arrays_of_the_right_shapes_are_not():
    count()
    weigh()
    explain(VALUES)
    explain(INTERACTIONS)
    nodes(1, 1)
    _native.fill_kernel(*TERM, LEFT, PANELS, OUT)
    _native.add_kernel(*TERM, LEFT, CHANGE, PANELS, np.zeros(128))
    _native.city_block(ROWS, COLUMNS, np.zeros((3, 4)), 9)  # behind the last column: nothing is computed
    _native.vote(np.ones((3, 4)), 3, np.zeros(4, np.int32))
    solve()
    path()
    path(coefficients=(0, 3))
    path(start=2)
    run()
    run(SQUARE.astype(np.float32))
