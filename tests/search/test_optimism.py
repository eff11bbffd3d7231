"""The score of the best of many settings, corrected for the choice among them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise import TunedSVC, TunedSVR
from kernelwise.estimators.tuned import fit_in_context
from kernelwise.exceptions import TrustWarning
from kernelwise.search.data.folds import FoldRows
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.result import Choice
from kernelwise.search.verdict.claim import luck_of_best
from kernelwise.search.verdict.optimism import (
    blend_luck,
    fold_correlation,
    lead_error,
    optimism,
    training_factor,
)


def scored_kernel(scores, labels=None):
    n_Cs = len(scores)
    return ScoredKernel(
        *("precomputed", "given", np.arange(1.0, n_Cs + 1.0), np.asarray(scores, float), None),
        *(np.ones(n_Cs), True, 1.0, 0.0, 1),
        labels=labels,
    )


@pytest.fixture
def validator(make_validator):
    rng = np.random.default_rng(3)
    y, weight = rng.integers(0, 2, size=40), rng.integers(1, 4, size=40).astype(float)
    made = make_validator(rng.normal(size=(40, 2)), y, cv=4, weight=weight)
    y = made.held_out.y[made.tested]
    for n_Cs in (3, 5):
        labels = rng.integers(0, 2, size=(n_Cs, len(y))).astype(np.int8)
        scores = np.repeat(((labels == y) @ weight / weight.sum())[:, None], 4, axis=1)
        made.scored.append(scored_kernel(scores, labels))
    return made


def test_constant_answers_are_among_what_might_have_been_chosen(validator):
    """A machine that always answers the more frequent class owes the choice of that class to luck."""
    y, n = validator.held_out.y, len(validator.held_out.y)
    always = np.full((1, n), int(np.bincount(y).argmax()), dtype=np.int8)
    validator.scored = [scored_kernel([[0.5] * 4] * 2, np.repeat(always, 2, axis=0))]
    weight, clusters = validator.held_out.weight, validator.clusters
    expected = luck_of_best([(y == 0)[None], (y == 1)[None]], weight, *clusters)
    assert_allclose(optimism(validator, Choice(validator.scored[0])), expected)
    assert expected.mean > 0.0


def test_one_setting_owes_nothing_to_a_choice(validator):
    validator.scored = [scored_kernel(validator.scored[0].scores[:1], validator.scored[0].labels[:1])]
    assert optimism(validator, Choice(validator.scored[0])).mean == 0.0


def test_few_rows_have_luck_that_is_a_number(make_validator):
    made = make_validator(np.arange(4.0)[:, None], np.array([0, 0, 1, 1]), cv=2)
    labels = np.array([[0, 1, 0, 1], [0, 0, 0, 1]], dtype=np.int8)
    made.scored = [scored_kernel([[0.5, 0.5], [0.7, 0.7]], labels)]
    assert 0.0 <= optimism(made, Choice(made.scored[0], 1)).mean < 0.5


def test_of_other_scores_the_folds_that_are_left_choose(validator):
    validator.scorer.is_share = False
    # The first setting is the best of all folds; without the first fold the second is.
    validator.scored = [scored_kernel([[0.9, 0.5, 0.6, 0.6]]), scored_kernel([[0.3, 0.7, 0.6, 0.7]])]
    choice = Choice(validator.scored[0])
    assert_allclose(optimism(validator, choice).mean, (0.9 - 0.3) / 4, atol=1e-12)
    validator.scored = validator.scored[:1]
    assert optimism(validator, choice).mean == 0.0


def test_the_error_of_a_lead_is_that_of_rows_which_differ(validator):
    y, weight = validator.held_out.y, validator.held_out.weight
    most = int(np.bincount(y, weights=weight).argmax())
    labels = np.repeat([most], len(y))
    labels[:5] = y[:5]
    lead = np.where((labels == y) & (y != most), 1.0, 0.0)
    p = np.average(lead, weights=weight)
    expected = np.sqrt(sum((weight * (lead - p)) ** 2)) / weight.sum()  # copies of a row differ together
    assert_allclose(lead_error(validator, labels, 0.0), expected)
    assert lead_error(validator, labels, 1.0) == 1.0
    assert lead_error(validator, None, 0.1) == 0.2


def test_the_factor_of_training_rows_is_that_of_nadeau_and_bengio(make_validator):
    """Their variance of a mean over J folds is (1/J + n₂/n₁) S², with the variance S² among the J scores.

    S² is 1 - ρ of the variance of a fold, since correlated scores differ by less than they vary by.
    """
    n, X, y = 60, np.arange(60.0)[:, None], np.arange(60) % 2
    for J in (2, 3, 5):
        made, n_held = make_validator(X, y, cv=J), n / J
        rho = fold_correlation(made)
        assert_allclose(rho, n_held / n)
        of_fold, of_rows = 0.21 / n_held, 0.21 / n
        expected = (1.0 / J + n_held / (n - n_held)) * (1.0 - rho) * of_fold
        assert_allclose(training_factor(made) * of_rows, expected)
        assert_allclose(training_factor(made), 2.0 - 1.0 / J)


@pytest.mark.parametrize("n_times", [1, 3])
def test_rows_that_are_held_out_several_times_are_no_more_rows(n_times, make_validator):
    """Half of the rows, held out by parts of three folds each time; each trains on the other rows."""
    rows, half = np.arange(60), np.arange(30)
    fold = np.concatenate([3 * k + half % 3 for k in range(n_times)])
    held, trained = np.tile(half, n_times), np.ones((3 * n_times, 60), dtype=bool)
    trained[fold, held] = False
    folds = FoldRows(rows, fold, np.ones(60), 3 * n_times, held, trained)
    made = make_validator(rows[:, None].astype(float), rows % 2, cv=folds)
    assert_allclose(fold_correlation(made), 10.0 / 60.0)
    assert_allclose(training_factor(made), 1.0 + 2.0 * 10.0 / 60.0)


def test_a_blend_owes_what_constant_answers_do(validator):
    y, weight, clusters = validator.held_out.y, validator.held_out.weight, validator.clusters
    answers = np.zeros_like(y)
    expected = luck_of_best([(y == 0)[None], (y == 1)[None]], weight, *clusters)
    assert_allclose(blend_luck(validator, None, answers), expected)
    assert expected.mean > 0.0
    assert blend_luck(validator, None, y).mean == pytest.approx(0.0, abs=1e-12)  # no draw prefers a constant
    assert blend_luck(validator, None, None).mean == 0.0


def noise(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, 10)), rng.permutation(np.arange(60) % 2)


def fitted(model, X, y, **context):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrustWarning)
        return fit_in_context(model, X, y, FitContext(**context))


def is_guess(model):
    return any(finding.name == "no better than guessing" for finding in model.diagnostics_)


def test_noise_is_said_to_be_noise():
    models = [fitted(TunedSVC("rbf"), *noise(seed)) for seed in range(20)]
    scores = np.array([model.best_score_ for model in models])
    corrected = np.array([model.result_.corrected_score for model in models])
    assert scores.mean() > 0.57  # the best of many
    assert (scores - np.sqrt(0.25 / 60) > 0.5).sum() > 10  # by the error of the held-out rows alone
    assert corrected.mean() < 0.55
    assert sum(map(is_guess, models)) >= 15
    assert all(corrected <= scores)


def test_the_warning_says_what_luck_did():
    X, y = noise(0)
    with pytest.warns(
        TrustWarning, match=r"is 0\.\d+ ± 0\.\d+ \(0\.\d+ without the luck of choosing among \d+ settings\)"
    ):
        model = TunedSVC("rbf").fit(X, y)
    assert any("owes part of its score to luck" in sentence for sentence in model.result_.why)


def test_a_blend_of_noise_says_what_luck_did():
    models = [fitted(TunedSVC("rbf", blend=True), *noise(seed)) for seed in range(5)]
    results = [model.result_ for model in models if model.result_.members]
    assert len(results) >= 3
    for result in results:
        lost = result.score - result.corrected_score
        assert lost >= 0.0
        told = any("expect about" in sentence for sentence in result.why)
        assert told == (lost > 0.5 * result.standard_error)
    assert np.mean([one.score - one.corrected_score for one in results]) > 0.01


def test_what_is_learned_is_not_called_luck():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    for model, y in ((TunedSVC("rbf"), (X[:, 0] + X[:, 1] > 0).astype(int)), (TunedSVR("rbf"), X[:, 0])):
        model.fit(X, y)
        assert not is_guess(model)
        assert model.best_score_ - model.result_.corrected_score < 0.05


def test_a_replayed_journal_finds_the_same():
    """Labels are in the journal, so that luck and an unstable choice are seen in a replayed search, too."""
    X, y = noise(1)
    journal = {}
    first = fitted(TunedSVC("rbf"), X, y, journal=journal)
    assert any(finding.name == "unstable choice" for finding in first.diagnostics_)
    again = fitted(TunedSVC("rbf"), X, y, journal=journal)
    assert again.diagnostics_ == first.diagnostics_
    assert again.result_.corrected_score == first.result_.corrected_score
    assert again.result_.why == first.result_.why


def test_small_weights_draw_as_many_rows_and_no_share_is_below_zero():
    X, y = noise(1)
    plain = fitted(TunedSVC("rbf"), X, y).diagnostics_
    lighter = TunedSVC("rbf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lighter.fit(X, y, sample_weight=np.full(len(y), 2.0**-10))
    assert {finding.name for finding in lighter.diagnostics_} == {finding.name for finding in plain}
    few = fitted(TunedSVC(), np.array([[0.0], [1.0], [0.3], [0.7]]), np.array([0, 1, 1, 0]))
    assert few.result_.corrected_score >= 0.0
