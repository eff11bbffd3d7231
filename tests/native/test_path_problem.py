"""Folds, machines and values of C in one call, against single problems solved on their own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from kernelwise.solvers import solve_svm_dual

from .conftest import Folds, Path, assert_same_bits, clouds, gram, kfold, objective, pairs_of_classes

N, TOL = 90, 1e-6
X, INDEX = clouds(N, n_classes=3)
K = gram(X, 0.4)
CS = np.array([0.05, 1.0, 20.0])
WEIGHT = np.random.default_rng(1).uniform(0.3, 3.0, (4, N)) * (np.arange(N) % 11 > 0)
#: Ways through a fold: cut out for it, or with all members, from nothing or from one start.
WAYS = [{"is_whole": False}, {"is_whole": True}, {"is_whole": True, "has_seed": True}]
COLUMNS = {"n_free": 4, "n_support": 6, "objective": 7}


def by_pairs(n_folds=4, **settings):
    return Folds(pairs_of_classes(INDEX), kfold(N, n_folds), N, **settings)


def check_against_single_problems(folds, found, gram, Cs, rank, tol=TOL):
    """Everything that a solve returns, fold by fold, machine by machine, C by C."""
    Cs = np.asarray(Cs)
    for s, (_, test) in enumerate(folds.folds):
        for m, (members, signs) in enumerate(folds.machines):
            w = folds.weight[s, members]
            used = members[w > 0]
            square = gram[np.ix_(used, used)]
            for c, C in zip(rank, Cs, strict=True):
                alone = solve_svm_dual(square, signs[w > 0], C, sample_weight=w[w > 0], tol=tol)
                value = gram[np.ix_(test, used)] @ alone.beta + alone.intercept
                np.testing.assert_allclose(found.decision[m, c, folds.answers[s]], value, atol=2e-3)
                row = found.tables[s, m, c]
                assert row[7] == pytest.approx(alone.objective, rel=1e-6)
                assert row[2] < tol
                if folds.counts is None:
                    assert abs(row[6] - np.count_nonzero(alone.beta)) <= 1
            assert found.n_done[s, m] == Cs.size
            assert found.last_C[s, m] in Cs
            beta, f = found.beta[s, folds.part(m)], found.f[s, folds.part(m)]
            bound = found.last_C[s, m] * w
            assert (beta * folds.signs[m] >= 0.0).all()
            assert (np.abs(beta) <= bound).all()
            assert abs(beta.sum()) < 1e-9 * np.abs(beta).sum()
            np.testing.assert_allclose(f, folds.p[m] - gram[np.ix_(members, members)] @ beta, atol=1e-9)
            assert row_of_last(found, s, m, rank, Cs) == pytest.approx(
                objective(gram[np.ix_(members, members)], folds.p[m], beta), rel=1e-9
            )


def row_of_last(found, s, m, rank, Cs):
    """The objective of the C that the last coefficients belong to."""
    return found.tables[s, m, rank[int(np.flatnonzero(Cs == found.last_C[s, m])[0])], 7]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_machines_are_those_of_single_problems(weight, dtype, way):
    folds, rank, given = by_pairs(weight=weight), np.array([2, 0, 1]), K.astype(dtype)
    found = folds.solve(given, CS, rank=rank, tol=TOL, **way)
    check_against_single_problems(folds, found, given.astype(float), CS, rank)
    held = np.concatenate(folds.answers)
    assert np.isfinite(found.decision[:, :, held]).all()


@pytest.mark.parametrize("way", WAYS)
def test_one_machine_of_all_samples_is_not_cut_out(way):
    signs = np.where(INDEX == 1, 1.0, -1.0)
    folds = Folds([(np.arange(N), signs)], kfold(N, 3), N)
    found = folds.solve(K, CS, tol=TOL, **way)
    check_against_single_problems(folds, found, K, CS, np.arange(3))


def test_members_in_another_order_are_numbered_by_it():
    members = np.random.default_rng(0).permutation(N)
    folds = Folds([(members, np.where(INDEX[members] == 2, 1.0, -1.0))], kfold(N, 3), N)
    check_against_single_problems(folds, folds.solve(K, CS, tol=TOL, has_seed=True), K, CS, np.arange(3))


def test_figures_are_those_of_the_coefficients():
    folds = by_pairs(2)
    found = folds.solve(K, CS[:1], tol=TOL)
    for s in range(2):
        for m, (members, _) in enumerate(folds.machines):
            beta, bound = found.beta[s, folds.part(m)], CS[0] * folds.weight[s, members]
            f, row = found.f[s, folds.part(m)], found.tables[s, m, 0]
            is_free = (beta != 0.0) & (np.abs(beta) != bound)
            assert row[COLUMNS["n_support"]] == np.count_nonzero(beta)
            assert row[COLUMNS["n_free"]] == is_free.sum()
            if is_free.any():
                assert row[3] == pytest.approx(f[is_free].mean(), abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_counts_say_how_many_support_vectors_a_sample_is(way):
    counts = np.random.default_rng(2).integers(1, 5, (3, N)).astype(float)
    plain, counted = by_pairs(3), by_pairs(3, counts=counts)
    expected, found = plain.solve(K, CS, tol=TOL, **way), counted.solve(K, CS, tol=TOL, **way)
    np.testing.assert_array_equal(found.decision, expected.decision)
    for s in range(3):
        for m, (members, _) in enumerate(plain.machines):
            beta = found.beta[s, plain.part(m)]
            bound = found.last_C[s, m] * plain.weight[s, members]
            own, last = counts[s, members], int(np.flatnonzero(found.last_C[s, m] == CS)[0])
            row = found.tables[s, m, last]
            assert row[COLUMNS["n_support"]] == own[beta != 0.0].sum()
            assert row[COLUMNS["n_free"]] == own[(beta != 0.0) & (np.abs(beta) != bound)].sum()


@pytest.mark.parametrize("way", WAYS)
def test_folds_with_one_side_answer_it_and_those_with_none_answer_zero(way):
    everyone = np.arange(N)
    trains = [everyone[INDEX != 2], everyone[INDEX == 0], everyone]
    folds = Folds(
        pairs_of_classes(INDEX),
        [(train, everyone[:5]) for train in trains],
        N,
        answers=[np.arange(5), 5 + np.arange(5), 10 + np.arange(5)],
        n_answers=15,
    )
    found = folds.solve(K, CS, tol=TOL, **way)
    first, second = found.decision[:, :, :5], found.decision[:, :, 5:10]
    assert np.ptp(first[0]) > 0.1  # the pair (0, 1) has both classes
    assert (first[1] == 1.0).all()  # (0, 2) answers 0, which is positive
    assert (first[2] == 1.0).all()
    assert (second[:2] == 1.0).all()
    assert (second[2] == 0.0).all()  # of (1, 2) the second fold has none
    for s, m in ((0, 1), (0, 2), (1, 0), (1, 1), (1, 2)):
        assert not found.tables[s, m].any()
        assert not found.beta[s, folds.part(m)].any()
        np.testing.assert_array_equal(found.f[s, folds.part(m)], folds.p[m])
        assert (found.n_done[s, m], found.last_C[s, m]) == (3, CS[-1])
    machine = everyone, np.where(INDEX == 0, -1.0, 1.0)
    turned = Folds([machine], [(everyone[INDEX == 0], everyone[:5])], N)
    assert (turned.solve(K, CS, **way).decision[0, :, :5] == -1.0).all()


@pytest.mark.parametrize("way", WAYS)
def test_a_path_goes_on_from_the_solutions_of_another(way):
    folds = by_pairs(weight=WEIGHT)
    whole, first = folds.solve(K, CS, tol=TOL, **way), folds.solve(K, CS[:2], tol=TOL, **way)
    rest = folds.solve(K, CS[2:], after=first, tol=TOL, **way)
    check_against_single_problems(folds, rest, K, CS[2:], [0])
    np.testing.assert_allclose(rest.decision[:, 0], whole.decision[:, 2], atol=1e-3)
    assert rest.tables[..., 0].sum() < whole.tables[..., 0].sum()


def test_without_bounded_support_vectors_a_solution_is_that_of_every_larger_C():
    far = X + 30.0 * np.eye(3)[INDEX]
    folds, Cs = by_pairs(3), np.array([0.01, 10.0, 100.0, 1e4])
    square = gram(far, 0.01)
    found = folds.solve(square, Cs, tol=TOL)
    assert (found.n_done == 4).all()
    assert (found.last_C < 1e4).all()
    is_repeated = found.last_C[:, :, None] < Cs
    assert (found.tables[..., 0][is_repeated] == 0.0).all()
    np.testing.assert_array_equal(found.decision[:, 3], found.decision[:, 2])
    check_against_single_problems(folds, found, square, Cs, np.arange(4))
    on = folds.solve(square, [1e5, 1e6], after=found, tol=TOL)
    assert not on.tables[..., 0].any()
    np.testing.assert_allclose(on.decision[:, 0], found.decision[:, 3], atol=1e-9)


def test_a_linear_term_of_its_own_is_that_of_a_regression():
    """Two variables for each sample, and answers that are not turned."""
    y, epsilon, test = X[:, 0] + 0.1 * X[:, 1], 0.1, np.arange(0, N, 5)
    train = np.setdiff1d(np.arange(N), test)
    signs = np.repeat([1.0, -1.0], N)
    p = np.concatenate([y - epsilon, y + epsilon])
    folds = Folds([(np.tile(np.arange(N), 2), signs)], [(train, test)], N, p=p)
    found = folds.solve(K, [0.5, 5.0], tol=TOL)
    twice = np.tile(train, 2)
    used = np.append(train, N + train)
    alone = Path(K[np.ix_(twice, twice)], signs[used], p=p[used])
    _, is_solved, table, kept = alone.solve([0.5, 5.0], tol=TOL)
    assert is_solved
    np.testing.assert_allclose(found.tables[0, 0, :, 7], table[:, 7], rtol=1e-6)
    value = K[np.ix_(test, twice)] @ kept.T + table[:, 3]
    np.testing.assert_allclose(found.decision[0][:, test], value.T, atol=1e-4)
    np.testing.assert_allclose(found.f[0], p - np.tile(K, (2, 2)) @ found.beta[0], atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_some_folds_are_what_they_are_among_all(way):
    """Their results are in the same places, and nothing else is touched."""
    folds = by_pairs(weight=WEIGHT)
    together, some = folds.solve(K, CS, **way), folds.solve(K, CS, folds=[3, 1], **way)
    for name in ("tables", "n_done", "last_C", "beta", "f"):
        np.testing.assert_array_equal(getattr(some, name)[[1, 3]], getattr(together, name)[[1, 3]])
        untouched = getattr(some, name)[[0, 2]]
        assert (untouched == -1).all() if name == "n_done" else np.isnan(untouched).all()
    asked = np.concatenate([folds.answers[1], folds.answers[3]])
    np.testing.assert_array_equal(some.decision[:, :, asked], together.decision[:, :, asked])
    assert np.isnan(np.delete(some.decision, asked, axis=2)).all()


def test_held_out_samples_may_repeat_and_have_places_of_their_own():
    splits = [(train, np.append(test, test[:4])) for train, test in kfold(N, 2)]
    sizes = [test.size for _, test in splits]
    places = np.split(np.random.default_rng(0).permutation(sum(sizes) + 3)[:-3], [sizes[0]])
    free = Folds(pairs_of_classes(INDEX), splits, N, answers=places, n_answers=sum(sizes) + 3)
    found, plain = free.solve(K, CS), by_pairs(2).solve(K, CS)
    for (_, test), place in zip(splits, places, strict=True):
        np.testing.assert_array_equal(found.decision[:, :, place], plain.decision[:, :, test])
    assert np.isnan(found.decision).sum() == 3 * 3 * 3


def test_a_fold_may_hold_out_nothing_or_more_than_a_block_of_samples():
    everyone = np.arange(N)
    many = np.resize(everyone, 700)
    splits = [(everyone, np.empty(0, int)), (everyone, many)]
    places = [np.empty(0, int), np.arange(700)]
    folds = Folds(pairs_of_classes(INDEX), splits, N, answers=places, n_answers=700)
    found = folds.solve(K, CS, tol=TOL)
    np.testing.assert_array_equal(found.decision[:, :, N : 2 * N], found.decision[:, :, :N])
    np.testing.assert_array_equal(found.beta[0], found.beta[1])
    check_against_single_problems(folds, found, K, CS, np.arange(3))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("patience", [1e6, 0.005])
def test_any_number_of_threads_gives_the_same_bits(patience, way):
    folds = by_pairs(weight=WEIGHT)
    one, *others = (folds.solve(K, CS, n_threads=n, patience=patience, **way) for n in (1, 2, 3, 20))
    for other in others:
        assert_same_bits(one, other)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_progress_is_told_to_the_end(way, n_threads):
    for _ in range(20):  # how threads end is another each time
        folds, seen = by_pairs(), []
        folds.solve(K, CS, n_threads=n_threads, callback=lambda *told, seen=seen: seen.append(told), **way)
        assert seen == [(k + 1, 12) for k in range(12)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_progress_is_told_of_what_is_solved(n_threads):
    folds, seen = by_pairs(), []
    found = folds.solve(
        K, CS, patience=0.02, n_threads=n_threads, callback=lambda *progress: seen.append(progress)
    )
    n_solved = int((found.n_done == 3).sum())
    assert 0 < n_solved < 12
    assert seen == [(k + 1, 12) for k in range(n_solved)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_the_callback_ends_the_work(n_threads):
    folds = by_pairs()

    def fail(done, total):
        raise LookupError(f"{done} of {total}")

    with pytest.raises(LookupError, match="1 of 12"):
        folds.solve(K, CS, n_threads=n_threads, callback=fail)
    assert_same_bits(folds.solve(K, CS), by_pairs().solve(K, CS))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("patience", "max_iter"), [(0.002, 10**7), (1e6, 8)])
def test_pair_steps_are_limited_and_say_where_to_go_on(patience, max_iter, way):
    folds = by_pairs(weight=WEIGHT)
    found = folds.solve(K, CS, tol=TOL, patience=patience, max_iter=max_iter, **way)
    assert (found.n_done < 3).any()
    for s in range(4):
        for m, (members, _) in enumerate(folds.machines):
            n_done, beta, f = found.n_done[s, m], found.beta[s, folds.part(m)], found.f[s, folds.part(m)]
            assert np.isnan(found.tables[s, m, n_done + 1 :]).all()
            assert np.isnan(found.decision[m, n_done:, folds.answers[s]]).all()
            assert np.isfinite(found.decision[m, :n_done, folds.answers[s]]).all()
            if n_done == 3:
                continue
            row, C = found.tables[s, m, n_done], found.last_C[s, m]
            assert C == CS[n_done]
            assert row[0] <= max_iter
            assert row[2] >= TOL
            assert (np.abs(beta) <= C * folds.weight[s, members]).all()
            np.testing.assert_allclose(f, folds.p[m] - K[np.ix_(members, members)] @ beta, atol=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_memory_that_is_used_again_leaves_no_trace(way):
    """Of a narrower kernel with larger pools, of the other precision, and of values that are not finite."""
    folds = by_pairs(weight=WEIGHT)
    expected = by_pairs(weight=WEIGHT).solve(K, CS, **way)
    wrong = K.copy()
    wrong[3, 7] = wrong[7, 3] = np.nan
    for before in (gram(X, 30.0), K.astype(np.float32), wrong, np.full_like(K, np.inf)):
        folds.solve(before, CS, n_threads=2, **way)
        assert_same_bits(expected, folds.solve(K, CS, **way))


@pytest.mark.parametrize("way", WAYS)
def test_an_error_after_values_that_are_not_finite_leaves_no_trace_either(way):
    folds = by_pairs(weight=WEIGHT)
    wrong = K.copy()
    of_two = np.flatnonzero(INDEX == 2)
    wrong[np.ix_(of_two, of_two)] = np.nan  # the pair (0, 1) is solved, and reported

    def fail(done, total):
        if done == 4:
            raise LookupError

    with pytest.raises(LookupError):
        folds.solve(wrong, CS, callback=fail, **way)
    assert_same_bits(by_pairs(weight=WEIGHT).solve(K, CS, **way), folds.solve(K, CS, **way))


def test_threads_of_python_wait_for_each_other():
    folds, Ks = by_pairs(), [gram(X, gamma) for gamma in (0.1, 0.4, 3.0)]
    expected = [folds.solve(square, CS) for square in Ks]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda square: folds.solve(square, CS, n_threads=2), Ks * 4))
    for k, one in enumerate(found):
        assert_same_bits(expected[k % 3], one)


def test_a_start_from_all_samples_saves_steps_and_not_precision():
    folds = Folds([(np.arange(N), np.where(INDEX == 1, 1.0, -1.0))], kfold(N, 5), N, weight=WEIGHT[0])
    plain, seeded = (folds.solve(K, CS[:1], has_seed=has_seed) for has_seed in (False, True))
    assert seeded.tables[..., 0].sum() < plain.tables[..., 0].sum()
    np.testing.assert_allclose(seeded.tables[..., 7], plain.tables[..., 7], rtol=1e-3)


def test_an_offset_that_is_rounding_is_computed_without_own_terms():
    """Kernel values of neighbours are 1e-20: beside own terms of 1 they would vanish from the mean of f."""
    n = 40
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    small = np.random.default_rng(0).uniform(0.5, 1.5, (n, n)) * 1e-20
    square = np.eye(n) + np.triu(small, 1) + np.triu(small, 1).T
    test = np.arange(8)
    folds = Folds([(np.arange(n), signs)], [(np.arange(8, n), test)], n)
    found = folds.solve(square, [10.0])
    beta = found.beta[0]
    others = (square - np.eye(n)).astype(np.float32).astype(float) @ beta
    offset = np.mean((signs - beta - others)[8:])
    assert found.tables[0, 0, 0, 3] == pytest.approx(offset, abs=1e-24)
    np.testing.assert_allclose(found.decision[0, 0, test], square[:8] @ beta + offset, rtol=1e-6, atol=1e-24)
