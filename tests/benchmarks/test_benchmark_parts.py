"""The folds, grids and comparisons that make the systems' answers comparable."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.__main__ import line
from benchmarks.data import load
from benchmarks.exact_qp import distances, random_problem
from benchmarks.grid_agrees import GRIDS, N_FOLDS, cases, exact_score, verdict
from benchmarks.harness import Run, agreement, fold_counts
from benchmarks.interior_point import solve_exactly
from benchmarks.jobs import make_task, powers, warm_up
from benchmarks.systems import scikit_learn
from sklearn.svm import SVC

from benchmarks import nested
from kernelwise import GridSearchSVC


@pytest.mark.parametrize("name", ["tiny", "breast_cancer", "digits"])
def test_rows_go_to_stratified_test_parts_in_turn(name):
    data = load(name)
    for k, (_, test) in enumerate(data.folds):
        assert np.array_equal(test, np.arange(k, len(data.y), 10))
    shares = [np.bincount(data.y[test]) / len(test) for _, test in data.folds]
    assert np.ptp(shares, axis=0).max() < 0.15
    for train, test in data.folds:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(data.y)))


def test_gamma_is_scikit_learns_scale_and_wide_a_tenth_of_it():
    data = load("tiny")
    assert data.gamma == pytest.approx(SVC(gamma="scale").fit(data.X, data.y)._gamma, rel=1e-12)
    assert load("tiny_wide").gamma == pytest.approx(data.gamma / 10, rel=1e-12)


def test_the_grids_are_those_of_the_papers():
    Cs = make_task("cpath", "breast_cancer").Cs
    assert Cs.size == 35
    assert Cs[[0, 1, -1]] == pytest.approx([0.5, 2**-0.5, 65536])
    grid = make_task("grid", "breast_cancer")
    assert (grid.gammas.size, grid.Cs.size) == (35, 35)
    assert grid.gammas[[0, -1]] == pytest.approx([2.0**15, 2.0**-19])
    assert make_task("grid", "digits").gammas.size == 9
    assert powers(-1, 16, 4).tolist() == [0.5, 8, 128, 2048, 32768]


def test_the_warm_up_keeps_the_classes_and_is_small():
    task = make_task("grid", "digits", quick=True)
    small = warm_up(task)
    assert set(small.y) == set(task.y)
    assert len(small.y) == 120
    assert (small.gammas.size, small.Cs.size, len(small.folds)) == (2, 2, 2)


def test_grid_and_cpath_count_the_same_cells():
    task = make_task("grid", "tiny", quick=True)
    paths = [scikit_learn.cpath(replace(task, gammas=task.gammas[[k]])) for k in range(task.gammas.size)]
    expected = np.concatenate([fold_counts(task, labels) for labels in paths])
    assert len(np.unique(expected)) > 2
    assert np.array_equal(scikit_learn.grid(task), expected)


def test_agreement_counts_labels_and_the_worst_fold():
    task = make_task("cpath", "tiny", quick=True)
    right = np.tile(task.y, (3, 1))
    reference = Run("scikit_learn", answer=right)
    assert agreement(task, reference, Run("other", answer=right)) == "100.00% equal, worst fold 0 of 8"
    other = right.copy()
    other[1, task.folds[4][1][:3]] ^= 1
    other[2, task.folds[5][1][:1]] ^= 1
    assert agreement(task, reference, Run("other", answer=other)) == "98.33% equal, worst fold 3 of 8"
    assert agreement(task, reference, Run("other", answer=fold_counts(task, other))) == "worst fold 3 of 8"
    assert agreement(task, reference, Run("other")) == ""
    # One more and one less right are two labels that differ, though the number of right ones is the same.
    first, second = task.folds[4][1][:2]
    wrong_first, wrong_second = right.copy(), right.copy()
    wrong_first[0, first] ^= 1
    wrong_second[0, second] ^= 1
    told = agreement(task, Run("scikit_learn", answer=wrong_first), Run("other", answer=wrong_second))
    assert told == "99.17% equal, worst fold 2 of 8"


def test_a_row_without_times_shows_dashes_and_the_reason():
    row = {"job": "fit", "data": "tiny", "system": "x", "wall s": np.nan, "CPU s": np.nan, "ratio": np.nan}
    skipped = line(row | {"agreement": "absent"})
    assert skipped.split() == ["fit", "tiny", "x", "-", "-", "-", "absent"]
    measured = line(row | {"wall s": 2.0, "CPU s": 1.5, "ratio": 12.34, "agreement": ""})
    assert measured.split() == ["fit", "tiny", "x", "2.000", "1.500", "12.3x"]


def test_nested_results_as_a_markdown_table(capsys):
    layout = nested.Markdown()
    layout.head(["kernelwise", "full grid"])
    layout.row("iris", 150, 40, [95.703, 95.467], np.array([0.0602, 0.43]))
    layout.summary("most", np.array([0.0, 0.14]))
    assert capsys.readouterr().out.splitlines() == [
        "| data set | rows | kernelwise | full grid |",
        "|---|---|---|---|",
        "| iris | 150 | 95.70 (0.06 s) | 95.47 (0.43 s) |",
        "| most |  | 0.00 | 0.14 |",
    ]


def test_exact_machine_in_closed_form():
    X, y = np.array([-2.0, -1.0, 1.0, 3.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    machine = solve_exactly(np.outer(X, X), y, np.full(4, 10.0))
    np.testing.assert_allclose(machine.beta, [0.0, -0.5, 0.5, 0.0], atol=1e-9)
    np.testing.assert_allclose([machine.low, machine.high], 0.0, atol=1e-9)
    assert machine.is_exact
    # With little C all coefficients are at their bound, and the offset is anything in an interval.
    bounded = solve_exactly(np.outer(X, X), y, np.full(4, 0.01))
    np.testing.assert_allclose(bounded.beta, 0.01 * y, rtol=1e-9)
    f = y - np.outer(X, X) @ bounded.beta
    np.testing.assert_allclose([bounded.low, bounded.high], [f[:2].max(), f[2:].min()], rtol=1e-9)


@pytest.mark.parametrize("seed", [0, 2])
def test_exact_machine_is_what_the_solver_tends_to(seed):
    problem = random_problem(np.random.default_rng(seed))
    found = distances(problem, 1e-9)
    assert found is not None
    assert found.ours < 1e-6


def test_the_exact_cell_is_that_of_a_tight_search():
    case = next(cases(1, seed=3))
    search = GridSearchSVC(GRIDS["rbf"], cv=N_FOLDS, refit=False, tol=1e-9).fit(case.X, case.y)
    scores = search.cv_results_["mean_test_score"]
    for candidate, score in list(zip(search.cv_results_["params"], scores, strict=True))[::4]:
        assert exact_score(case, candidate, 0.5) == pytest.approx(score, abs=1e-9)
        assert verdict(case, candidate, score, score - 0.1) in (["ours"], ["offset", "middle"])


def test_one_fit_has_the_c_that_is_asked_for():
    assert make_task("fit", "tiny", quick=True).C == 1.0
    assert make_task("fit", "tiny", quick=True, C=10.0).C == 10.0
