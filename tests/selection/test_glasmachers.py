"""Paper 002's procedure: where it starts, where it ends, what it says of an optimum at σ → 0; its curves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC as ReferenceSVC

from kernelwise.criteria import KernelTargetAlignment, RadiusMargin
from kernelwise.exceptions import BoundaryWarning
from kernelwise.kernels import RBF
from kernelwise.metrics import kernel_target_alignment, polarization
from kernelwise.optimizers import GradientDescent, LineSearch
from kernelwise.selection import glasmachers_curves, glasmachers_select

CRITERIA = ("radius-margin", "polarization", "kta", "centered-kta")
MOONS = make_moons(120, noise=0.2, random_state=0)


def grid(pair_labels):
    """30 labelled points about 1.5 apart, the classes side by side, but two of them 0.14 apart."""
    random = np.random.default_rng(3)
    places = np.array([[1.5 * a, 1.5 * b] for a in range(6) for b in range(5)])
    X = places + random.uniform(-0.3, 0.3, places.shape)
    y = np.where(X[:, 0] < 3.7, -1, 1)
    X[1] = X[0] + 0.1
    y[:2] = pair_labels
    return X, y


# -- search -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_begins_at_jaakkolas_start_and_ends_inside(criterion):
    X, y = MOONS
    chosen = glasmachers_select(X, y, criterion)
    other = [min(np.linalg.norm(X[i] - x) for x in X[y != y[i]]) for i in range(len(y))]
    assert chosen.start.gamma == pytest.approx(0.5 / np.median(other) ** 2)
    first = chosen.search.history[0]
    assert first["gamma"] == pytest.approx(chosen.start.gamma)
    assert not chosen.is_narrow
    assert chosen.search.stop_reason == "converged"
    assert chosen.kernel is chosen.search.kernel
    assert chosen.sigma == pytest.approx(np.sqrt(0.5 / chosen.kernel.gamma))
    assert chosen.search.value <= first["value"]
    assert chosen.estimator.score(X, y) > 0.9
    assert chosen.estimator.get_params()["C"] == chosen.C
    assert chosen.to_dict()["method"] == criterion


def test_C_has_the_best_cross_validation_accuracy():
    X, y = MOONS
    chosen = glasmachers_select(X, y, "kta", Cs=[0.1, 1.0, 10.0], cv=3)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = [
        (cross_val_predict(ReferenceSVC(C=C, gamma=chosen.kernel.gamma), X, y, cv=folds) == y).mean()
        for C in (0.1, 1.0, 10.0)
    ]
    np.testing.assert_allclose(chosen.accuracies, expected, atol=1e-12)
    assert chosen.C == [0.1, 1.0, 10.0][int(np.argmax(expected))]
    assert chosen.cv_accuracy == max(expected)


def test_C_of_radius_margin_is_searched_or_fixed():
    X, y = MOONS
    searched, fixed = glasmachers_select(X, y), glasmachers_select(X, y, C=3.0)
    assert searched.search.criterion.C != 1.0
    assert "C" in searched.search.history[0]
    assert fixed.search.criterion == RadiusMargin(3.0, search_C=False)
    assert len(fixed.search.theta) == 1
    # At a fixed C the found width is a minimum of the curve.
    sigmas = fixed.sigma * np.array([0.98, 1.0, 1.02])
    assert glasmachers_curves(X, y, sigmas, C=3.0).radius_margin.argmin() == 1


def test_C_of_the_plain_hinge_is_that_of_the_machine():
    chosen = glasmachers_select(*MOONS, RadiusMargin(norm=1))
    assert chosen.C == chosen.search.criterion.C
    assert np.isnan(chosen.cv_accuracy)
    assert chosen.accuracies.size == chosen.Cs.size == 0


@pytest.mark.parametrize("kernel", ["kmod", "diagonal", "gaussian", "poly", "exponential"])
def test_any_kernel(kernel):
    X, y = MOONS
    bounds = {"gamma": (1e-3, 50.0)} if kernel == "kmod" else None
    with warnings.catch_warnings():
        # KMOD grows towards an RBF without end: its γ stops at the bound.
        warnings.simplefilter("ignore" if kernel == "kmod" else "error", BoundaryWarning)
        chosen = glasmachers_select(X, y, "kta", kernel, bounds=bounds)
    assert chosen.search.value < chosen.search.history[0]["value"]
    assert chosen.estimator.score(X, y) > 0.8
    assert (chosen.verdict is None) == (kernel in ("kmod", "poly", "exponential"))
    assert np.isnan(chosen.nearest) == (kernel == "poly")
    assert np.isnan(chosen.sigma)


@pytest.mark.parametrize(
    "criterion", [*CRITERIA, RadiusMargin(strategy="ovr"), KernelTargetAlignment(strategy="ovo")]
)
def test_three_classes(iris01, criterion):
    X, y = iris01
    chosen = glasmachers_select(X[::2], y[::2], criterion)
    assert chosen.estimator.score(X[1::2], y[1::2]) > 0.9


def test_sparse_samples_and_other_optimizers_find_the_same():
    X, y = MOONS
    expected = glasmachers_select(X, y, "kta").kernel.gamma
    assert glasmachers_select(sparse.csr_array(X), y, "kta").kernel.gamma == pytest.approx(expected, rel=1e-4)
    for optimizer in (LineSearch(), GradientDescent()):
        found = glasmachers_select(X, y, "kta", optimizer=optimizer).kernel.gamma
        assert found == pytest.approx(expected, rel=1e-2)


def test_restarts_keep_every_optimum_and_are_reproducible():
    X, y = MOONS
    one, two = (glasmachers_select(X, y, "polarization", n_restarts=3, random_state=5) for _ in range(2))
    assert len(one.optima) == 4
    assert one.search.value == min(optimum.value for optimum in one.optima)
    assert len({optimum.history[0]["gamma"] for optimum in one.optima}) == 4
    assert [o.value for o in one.optima] == [o.value for o in two.optima]


# -- σ → 0 ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("criterion", CRITERIA)
def test_narrow_start_ends_at_zero_if_the_closest_labels_differ(criterion):
    """Theorems 2 and 3 seen by a search: it follows the pair to σ → 0; one from a wide start is used."""
    X, y = grid((-1, 1))
    start = RBF(np.log(1e2) / 0.02)  # the pair's kernel value is 0.01, all others are zero
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen = glasmachers_select(
            X, y, criterion, start, start="keep", C=2.0 if criterion == CRITERIA[0] else None
        )
    narrow, wide = chosen.optima
    assert narrow.kernel.gamma >= start.gamma
    assert wide.converged
    assert wide.kernel.gamma < 10
    assert chosen.kernel == wide.kernel
    assert criterion in chosen.verdict.affected
    assert chosen.verdict.pair.samples == (0, 1)
    # The classes lie side by side, so that the wide optimum is the better one: nothing to warn of.
    assert wide.value < narrow.value
    assert not chosen.is_narrow
    assert not caught


@pytest.mark.parametrize("criterion", CRITERIA)
def test_narrow_start_leads_away_from_zero_if_the_closest_labels_agree(criterion):
    X, y = grid((-1, -1))
    start = RBF(np.log(1e2) / 0.02)
    chosen = glasmachers_select(
        X, y, criterion, start, start="keep", C=2.0 if criterion == CRITERIA[0] else None
    )
    assert chosen.optima[0].kernel.gamma < start.gamma
    assert chosen.verdict.affected == ()


def noisy(pair_labels):
    """A grid with alternating labels: no width but σ → 0 suits a criterion."""
    X, _ = grid(pair_labels)
    a, b = np.divmod(np.arange(30), 5)
    y = np.where((a + b) % 2 == 0, 1, -1)
    y[:2] = pair_labels
    return X, y


@pytest.mark.parametrize("criterion", CRITERIA)
def test_optimum_at_zero_is_reported_with_its_evidence(criterion):
    X, y = noisy((1, -1))
    C = 2.0 if criterion == "radius-margin" else None
    with pytest.warns(BoundaryWarning, match=f"The best {criterion} found is at σ → 0") as caught:
        chosen = glasmachers_select(X, y, criterion, C=C)
    text = str(caught[-1].message)
    assert "samples 0 and 1, 0.1414 apart" in text
    assert "different labels (-1 and 1)" in text or "different labels (1 and -1)" in text
    assert "radius-margin and polarization have an optimum at a kernel width of zero" in text
    assert "The kernel chosen is" in text
    assert chosen.is_narrow
    assert chosen.nearest < 1e-3
    assert text in map(str, chosen.findings)
    # Wide kernels are no better here: criteria fall off or are flat, which is no optimum to fall back on.
    assert chosen.kernel == chosen.start
    assert "is the start, since no search ended at an optimum inside" in text


def test_best_optimum_inside_takes_the_place_of_one_at_zero():
    """Two halves of a square with three labels in ten wrong: a wide optimum not as good as a narrow one."""
    random = np.random.default_rng(2)
    X = random.uniform(0, 6, (60, 2))
    y = np.where(X[:, 0] < 3, -1, 1) * np.where(random.random(60) < 0.3, -1, 1)
    with pytest.warns(BoundaryWarning, match="the best optimum inside the range, RBF") as caught:
        chosen = glasmachers_select(X, y, "centered-kta")
    narrow, wide = chosen.optima
    assert chosen.is_narrow
    assert chosen.search is narrow
    assert chosen.kernel == wide.kernel
    assert narrow.value < wide.value
    assert chosen.kernel.gamma < 1.0 < 100.0 < narrow.kernel.gamma
    # The closest labels agree here: the paper's theorem is not what makes this optimum, and the text says so.
    assert chosen.verdict.sign == 1
    assert "This pair does not cause the optimum" in str(caught[0].message)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2])
def test_jaakkolas_start_avoids_optima_at_zero(share):
    """As paper 002 says it should, also with wrong labels; warnings are errors here."""
    random = np.random.default_rng(1)
    X = random.uniform(0, 6, (60, 2))
    y = np.where(X[:, 0] < 3, -1, 1) * np.where(random.random(60) < share, -1, 1)
    for criterion in CRITERIA:
        chosen = glasmachers_select(X, y, criterion, C=2.0 if criterion == "radius-margin" else None)
        assert not chosen.is_narrow
        assert len(chosen.optima) == 1


def test_another_edge_of_the_range_is_said_by_the_optimizer():
    X, y = MOONS
    start = RBF().initialize(X, y).gamma
    with pytest.warns(BoundaryWarning, match="The best gamma is the lowest of its range") as caught:
        chosen = glasmachers_select(X, y, "polarization", bounds={"gamma": (0.9 * start, 10 * start)})
    assert not chosen.is_narrow
    assert chosen.kernel.gamma == pytest.approx(0.9 * start)
    assert caught[0].filename == __file__
    assert any(finding.name == "boundary" for finding in chosen.findings)


def test_bounds_hold_in_every_search():
    X, y = noisy((1, -1))
    start = RBF().initialize(X, y).gamma
    bounds = {"gamma": (0.5 * start, 1e4)}
    with pytest.warns(BoundaryWarning, match="found is at σ → 0"):
        chosen = glasmachers_select(X, y, "kta", bounds=bounds, n_restarts=3)
    for optimum in chosen.optima:
        gammas = [row["gamma"] for row in optimum.history]
        assert min(gammas) >= 0.5 * start * (1 - 1e-12)
        assert max(gammas) <= 1e4 * (1 + 1e-12)


# -- curves -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n_classes", [2, 3])
def test_curves_are_the_criteria_of_each_width(iris01, n_classes):
    X, y = iris01[0][: 50 * n_classes], iris01[1][: 50 * n_classes]
    sigmas = np.array([0.01, 0.3, 5.0])
    curves = glasmachers_curves(X, y, sigmas[::-1], C=4.0)
    np.testing.assert_array_equal(curves.sigmas, sigmas)
    for k, sigma in enumerate(sigmas):
        K = RBF(0.5 / sigma**2)(X)
        assert curves.radius_margin[k] == pytest.approx(RadiusMargin(4.0).value(K, y), rel=1e-5)
        assert curves.polarization[k] == pytest.approx(polarization(K, y), rel=1e-12)
        assert curves.alignment[k] == pytest.approx(kernel_target_alignment(K, y), rel=1e-12)
        centred = KernelTargetAlignment(centered=True).score(K, y)
        assert curves.centered_alignment[k] == pytest.approx(centred, rel=1e-10)
    if n_classes == 2:
        np.testing.assert_allclose(curves.radius2 / curves.margin**2, curves.radius_margin, rtol=1e-5)
    rows = curves.to_rows()
    assert [row["sigma"] for row in rows] == sigmas.tolist()
    assert rows[1]["alignment"] == curves.alignment[1]


@pytest.mark.parametrize("are_different", [True, False])
def test_curves_approach_their_limits_from_the_side_of_the_theorems(are_different):
    X, y = grid((-1, 1) if are_different else (-1, -1))
    n, plus = len(y), int((y > 0).sum())
    side = 1 if are_different else -1
    curves = glasmachers_curves(X, y, np.sqrt(0.5 * 0.02 / np.log([1e9, 1e4, 1e2])), C=3.0)
    limit = 4 * plus * (n - plus) / n * (1 - 1 / n)
    assert curves.radius_margin[0] == pytest.approx(limit, rel=1e-6)
    assert (np.sign(np.diff(curves.radius_margin)) == side).all()
    for values in (curves.polarization, curves.alignment, curves.centered_alignment):
        assert (np.sign(np.diff(values)) == -side).all()


# -- bad input --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: glasmachers_select(*MOONS, "kta", C=1.0), "C is that of criterion='radius-margin'"),
        (lambda: glasmachers_select(*MOONS, "best"), "criterion must be a Criterion or one of"),
        (lambda: glasmachers_select(*MOONS, start="narrow"), "'heuristic' of initialize must be one of"),
        (lambda: glasmachers_select(*MOONS, Cs=[]), "'Cs' of glasmachers_select is empty"),
        (lambda: glasmachers_select(np.ones((6, 2)), [0, 0, 0, 1, 1, 1]), "All samples are the same point"),
        (
            lambda: glasmachers_curves(*MOONS, [0.0]),
            "'sigmas' of glasmachers_curves must be a positive float",
        ),
        (lambda: glasmachers_curves(*MOONS, [1.0], C=-1.0), "'C' of RadiusMargin must be a positive float"),
    ],
)
def test_bad_input_gets_one_sentence(call, sentence):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal samples have a warning of the start, too
        with pytest.raises(ValueError, match=sentence):
            call()
