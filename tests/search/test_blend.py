"""Which settings a search blends, what is quoted for them, and what does not change the choice."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_wine, make_classification, make_moons
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, ShuffleSplit

from kernelwise import TunedSVC, TunedSVR
from kernelwise.search.final import blend as blends
from kernelwise.search.final.blend import (
    chosen_weights,
    near_the_best,
    scored_as_usual,
    scored_with_others,
)
from kernelwise.search.final.machine import unseen_odds
from kernelwise.solvers.probability import log_odds


def two_classes(n=160, seed=0):
    return make_moons(n, noise=0.35, random_state=seed)


def noted(monkeypatch, losses=blends.LOSSES):
    """A list that gets the validator, the choice and the blend of every fit, with these further losses."""
    found, choose = [], blends.choose_blend
    monkeypatch.setattr(blends, "LOSSES", losses)

    def choose_and_note(validator, choice, solver):
        found.append((validator, choice, choose(validator, choice, solver)))
        return found[-1][2]

    monkeypatch.setattr("kernelwise.search.fit.choose_blend", choose_and_note)
    return found


# -- which settings ---------------------------------------------------------------------------------------
def losses(L, y):
    """What a `Pool` of log-probabilities of two classes costs, with one fold."""

    def costs(counts):
        mean = L if not counts.any() else (np.tensordot(counts, L, 1) + L) / (counts.sum() + 1.0)
        p = np.exp(mean - np.logaddexp.reduce(mean, axis=2, keepdims=True))
        return np.array([[[log_loss(y, one)]] for one in p])

    return costs


def test_additions_are_greedy():
    """Each addition is that of the lowest log-loss, by brute force; there are as many as said."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    odds = random.normal(size=(7, 60)) * 1.5 + np.where(y == 1, 1.0, -1.0)
    L = -np.logaddexp(0.0, np.stack([odds, -odds], axis=2))
    weight = chosen_weights(losses(L, y))
    alone = [log_loss(y, 1.0 / (1.0 + np.exp(-one))) for one in odds]
    counts = np.zeros(7)
    counts[np.argsort(alone)[: blends.N_START]] = 1.0
    for _ in range(blends.N_ADDED):
        tried = []
        for q in range(7):
            mean = (counts @ odds + odds[q]) / (counts.sum() + 1.0)
            tried.append(log_loss(y, 1.0 / (1.0 + np.exp(-mean))))
        counts[int(np.argmin(tried))] += 1.0
    assert_allclose(weight, counts / counts.sum())
    assert weight.sum() == pytest.approx(1.0)
    best = min(log_loss(y, 1.0 / (1.0 + np.exp(-(weight @ odds)))), *alone)
    assert log_loss(y, 1.0 / (1.0 + np.exp(-(weight @ odds)))) == best


def test_greedy_is_not_far_from_the_best_of_all_blends():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 80)
    odds = random.normal(size=(4, 80)) + np.where(y == 1, 0.8, -0.8)
    L = -np.logaddexp(0.0, np.stack([odds, -odds], axis=2))
    n = blends.N_START - 1 + blends.N_ADDED  # there are four settings only, and all of them start

    def loss(weight):
        return log_loss(y, 1.0 / (1.0 + np.exp(-(weight @ odds))))

    every = [np.array(c) / n for c in itertools.product(range(n + 1), repeat=4) if sum(c) == n]
    found = chosen_weights(losses(L, y))
    assert min(map(loss, every)) <= loss(found) + 1e-12
    assert loss(found) < min(map(loss, every)) + 0.01 < min(loss(one) for one in np.eye(4))


def test_a_fold_has_no_part_in_the_blend_that_answers_it():
    costs = np.array([[[1.0, 9.0]], [[9.0, 1.0]], [[5.0, 5.5]]])
    assert chosen_weights(lambda counts: costs, without=0).argmax() == 1
    assert chosen_weights(lambda counts: costs, without=1).argmax() == 0


def test_ties_are_decided_by_the_second_cost():
    costs = np.array([[[1.0], [3.0]], [[1.0], [2.0]], [[4.0], [0.0]]])
    assert chosen_weights(lambda counts: costs).argmax() == 1


def test_only_settings_near_the_best_take_part(monkeypatch):
    found = noted(monkeypatch, losses=())
    X, y = two_classes()
    model = TunedSVC(blend=True).fit(X, y)
    ((validator, _, blend),) = found
    top = max(one.best_score for one in validator.scored)
    least = top - 2.0 * np.sqrt(top * (1.0 - top) / len(y))
    near = near_the_best(validator, scored_as_usual(validator))
    scores = [setting.scored.smoothed[setting.place] for setting in near]
    every = np.concatenate([one.smoothed for one in validator.scored])
    assert len(scores) == (every >= least).sum() < len(every)
    assert min(scores) >= least
    assert {setting.loss for setting in near} == {"hinge"}
    assert model.result_.members == blend.members
    assert sum(one.weight for one in blend.members) == pytest.approx(1.0)
    assert [one.weight for one in blend.members] == sorted((o.weight for o in blend.members), reverse=True)


# -- what a blend says ------------------------------------------------------------------------------------
def test_log_odds_of_two_classes_are_the_weighted_mean_of_those_of_the_members(monkeypatch):
    found = noted(monkeypatch)
    X, y = two_classes()
    model = TunedSVC(blend=True, effort="best").fit(X, y)
    validator, choice, blend = found[0]
    Z, expected = model.machine_samples(X), 0.0
    tried = [*scored_as_usual(validator), *scored_with_others(validator, choice)]
    assert "squared_hinge" in {member.loss for member in blend.members}
    for member in blend.members:
        machine = model._machine(member.kernel, member.C, None).set_params(loss=member.loss)
        machine = validator.family.train(machine, validator.samples)
        same = [
            o for o, loss in tried if (o.kernel, loss) == (member.kernel, member.loss) and member.C in o.Cs
        ]
        held = same[0].decision_at(same[0].Cs.tolist().index(member.C)).astype(float)
        sigmoids, _ = validator.family.sigmoids(validator.held_out, held)
        expected = expected + member.weight * log_odds(machine.machine_values(Z), sigmoids)
    assert_allclose(model.machine_values(X), expected, rtol=1e-9, atol=1e-9)
    assert_allclose(model.decision_function(X), expected[:, 0], rtol=1e-9, atol=1e-9)
    assert_allclose(model.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-expected[:, 0])), atol=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_further_losses_are_scored_on_the_same_folds(loss, monkeypatch):
    """As a search with that loss scores the same kernels; where it is the user's, there is no other."""
    found = noted(monkeypatch, losses=(loss,))
    X, y = two_classes(120)
    model = TunedSVC("rbf", blend=True, cv=3).fit(X, y)
    validator, choice, _ = found[0]
    ((scored, of),) = scored_with_others(validator, choice)
    assert of == loss
    assert np.array_equal(np.log2(scored.Cs) % 2.0, np.zeros(4))  # powers of four
    best = max(validator.scored, key=lambda one: one.best_score)
    assert scored.kernel == best.kernel
    assert model.n_svm_fits_ >= sum(one.n_machines for one in validator.scored) + scored.n_machines
    again = replace(validator, family=replace(validator.family, loss=loss), scored=[])
    assert np.array_equal(again.score(best.scorable, "", Cs=scored.Cs).scores, scored.scores)
    assert scored_with_others(again, choice) == []


def test_the_quoted_score_is_that_of_blends_without_the_rows(monkeypatch):
    found = noted(monkeypatch, losses=())
    X, y = two_classes()
    model = TunedSVC(blend=True).fit(X, y)
    validator, choice, blend = found[0]
    is_right = (blend.values[:, 0] > 0.0) == (validator.held_out.y == 1)
    by_fold = [is_right[place].mean() for place in validator.places]
    assert model.best_score_ == pytest.approx(np.mean(by_fold), abs=1e-12)
    assert model.result_.corrected_score == model.result_.score
    # The values themselves are means of cross-fitted log odds, fold by fold.
    everything = np.ones(len(blend.values), dtype=bool)
    for k, place in enumerate(validator.places):
        pool = blends._classes(validator, near_the_best(validator, scored_as_usual(validator)))
        weight = chosen_weights(pool.costs, k)
        odds = sum(
            w * unseen_odds(validator, one.decision, everything, np.ones((1, 2)))
            for w, one in zip(weight, pool.settings, strict=True)
        )
        assert_allclose(blend.values[place], odds[place], atol=1e-9)
    assert f"{100 * choice.scored.scores[choice.index].mean():.0f}" in " ".join(model.result_.how)


def test_several_classes_have_one_temperature(monkeypatch):
    found = noted(monkeypatch)
    X, y = load_wine(return_X_y=True)
    model = TunedSVC(["rbf", "laplacian"], blend=True).fit(X[:, :3], y)
    validator, _, blend = found[0]

    def loss(values):
        from kernelwise.solvers.probability import class_probabilities

        return log_loss(validator.held_out.y, class_probabilities(values, 3, "ovo"))

    factors = np.exp([-0.25, -0.125, 0.0, 0.125, 0.25])
    assert np.argmin([loss(factor * blend.values) for factor in factors]) in (1, 2, 3)
    assert_allclose(model.predict_proba(X[:, :3]).sum(axis=1), 1.0)


def test_numbers_are_blended_by_their_score():
    X, y = load_diabetes(return_X_y=True)
    single, blend = (TunedSVR(blend=choice, cv=3).fit(X[:200], y[:200]) for choice in (False, True))
    assert single.kernel_ == blend.kernel_
    assert single.C_ == blend.C_
    members = blend.result_.members
    assert len(members) > 1
    assert len({one.epsilon for one in members}) >= 1
    expected = 0.0
    for member in members:
        machine = blend._machine(member.kernel, member.C, member.epsilon)
        machine.set_params(tol=blend.tol).fit(blend.scaler_.transform(X[:200]), _standardised(blend, y[:200]))
        expected = expected + member.weight * machine.predict(blend.scaler_.transform(X))
    predicted = (blend.predict(X) - blend.target_mean_) / blend.target_scale_
    assert np.abs(predicted - expected).max() < 0.01  # up to the tolerance of the solver


def _standardised(model, y):
    return (y - model.target_mean_) / model.target_scale_


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "neg_log_loss", "balanced_accuracy"])
def test_other_scores_choose_the_blend(scoring, monkeypatch):
    found = noted(monkeypatch)
    X, y = two_classes(120)
    model = TunedSVC(["rbf", "laplacian"], blend=True, scoring=scoring, cv=3).fit(X, y)
    assert model.result_.members
    assert model.best_score_ == pytest.approx(model.result_.score)
    validator, _, blend = found[0]
    if scoring == "neg_log_loss":
        p = 1.0 / (1.0 + np.exp(-blend.values[:, 0]))
        by_fold = [-log_loss(validator.held_out.y[place], p[place]) for place in validator.places]
        assert model.best_score_ == pytest.approx(np.mean(by_fold), abs=1e-9)


def test_a_threshold_is_that_of_the_blend():
    X, y = make_classification(200, weights=[0.8], random_state=0, flip_y=0.1)
    model = TunedSVC(["rbf", "laplacian"], blend=True, scoring="f1", threshold="auto").fit(X, y)
    assert model.result_.members
    p = model.predict_proba(X)[:, 1]
    assert np.array_equal(model.predict(X), (p > model.threshold_).astype(int))


# -- what does not matter ---------------------------------------------------------------------------------
def test_a_function_of_the_user_scores_the_labels_of_the_model():
    """As it does without a blend: a threshold counts in a score that looks at labels alone."""
    X, y = two_classes(120)

    def share(model, X, y):
        return float(np.mean(model.predict(X) == y))

    model = TunedSVC("rbf", blend=True, threshold=0.1, scoring=share, cv=3).fit(X, y)
    record = model.fit_record_
    assert model.result_.members
    assert record.n_relabelled > 0.0
    assert_allclose(model.best_score_, np.mean(record.predicted == record.truth), atol=1e-12)


@pytest.mark.parametrize("is_classes", [True, False])
def test_folds_of_groups_are_blended_as_folds(is_classes):
    """Groups hold out every row once: the blend is that of the same folds, given one by one."""
    X, y = two_classes(120)
    targets = y if is_classes else X[:, 0] ** 2 + y
    make, cv = TunedSVC if is_classes else TunedSVR, GroupKFold(3)
    group = np.random.default_rng(0).integers(0, 20, len(y))
    grouped = make("rbf", blend=True, cv=cv).fit(X, targets, groups=group)
    given = make("rbf", blend=True, cv=list(cv.split(X, y, group))).fit(X, targets)
    assert len(grouped.result_.members) > 1
    assert grouped.result_.members == given.result_.members
    assert_allclose(grouped.best_score_, given.best_score_, rtol=1e-9)
    assert_allclose(grouped.predict(X), given.predict(X), rtol=1e-9)
    assert grouped.fit_record_.holds_for.startswith("rows of new groups")
    assert make("rbf", blend=True, cv=3).fit(X, targets, groups=group).result_.members


def test_order_names_copies_and_threads_do_not_matter():
    X, y = load_wine(return_X_y=True)
    X, y = X[::2, :4], y[::2]
    how = {"kernel": ["rbf", "laplacian"], "blend": True, "cv": 3}
    model = TunedSVC(**how).fit(X, y)
    assert len(model.result_.members) > 1
    p = model.predict_proba(X)
    order = np.random.default_rng(0).permutation(len(y))
    assert np.array_equal(TunedSVC(**how).fit(X[order], y[order]).predict_proba(X), p)
    assert np.array_equal(TunedSVC(**how, n_jobs=2).fit(X, y).predict_proba(X), p)
    names = np.array(["c", "a", "b"])
    renamed = TunedSVC(**how).fit(X, names[y])
    assert_allclose(renamed.predict_proba(X)[:, [2, 0, 1]], p, atol=1e-8)
    weight = np.where(np.arange(len(y)) % 5 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    by_weight = TunedSVC(**how).fit(X, y, sample_weight=weight).predict_proba(X)
    assert np.array_equal(TunedSVC(**how).fit(X[twice], y[twice]).predict_proba(X), by_weight)


def test_a_journal_gives_the_same_blend(tmp_path):
    from kernelwise.estimators.tuned import fit_in_context
    from kernelwise.search import FitContext

    X, y = two_classes(100)
    journal = {}
    models = []
    for _ in range(2):
        model = TunedSVC(["rbf", "laplacian"], blend=True, cv=3)
        models.append(fit_in_context(model, X, y, FitContext(journal=journal)))
    first, again = models
    assert len(first.result_.members) > 1
    assert np.array_equal(first.predict_proba(X), again.predict_proba(X))
    assert first.best_score_ == again.best_score_


# -- where there is none ----------------------------------------------------------------------------------
def why_none(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert model.result_.members == ()
    (said,) = [line for line in model.result_.how if "no blend of several settings" in line]
    (told,) = [finding for finding in model.diagnostics_ if finding.name == "no blend"]
    assert told.message.partition("because ")[2] == said.partition("because ")[2]
    return said.partition("because ")[2]


def test_where_there_is_no_blend_the_result_says_why(monkeypatch):
    X, y = two_classes(120)
    monkeypatch.setattr(blends, "LOSSES", ())
    assert why_none(TunedSVC("rbf", Cs=[1.0], criterion="esdr", blend=True), X, y).startswith(
        "no other setting"
    )
    assert why_none(TunedSVC("rbf", blend=True, solver="nystroem"), X, y).startswith(
        "the final model is an app"
    )
    splits = ShuffleSplit(3, random_state=0)
    assert why_none(TunedSVC("rbf", blend=True, cv=splits), X, y).startswith(
        "the folds hold out some rows several"
    )
    lone = np.append(y[:-1], 2)
    assert why_none(TunedSVC("rbf", blend=True), X, lone).startswith("not every row is held out")


def test_a_time_budget_may_leave_no_time_for_it():
    X, y = two_classes(120)
    model = TunedSVC(blend=True, time_budget=1e-6)
    assert why_none(model, X, y).startswith("there is no time for it")


def test_a_rule_of_the_user_takes_one_setting():
    X, y = two_classes(80)
    for refit in (False, "one-standard-error", lambda table: 0):
        with pytest.raises(ValueError, match="blends settings of the search, but refit="):
            TunedSVC("rbf", blend=True, refit=refit).fit(X, y)
        with pytest.raises(ValueError, match="blends settings of the search, but refit="):
            TunedSVC("rbf", blend=np.True_, refit=refit).fit(X, y)
        assert TunedSVC(effort="best", refit=refit, cv=3).fit(X, y).result_.members == ()


def test_effort_decides_unless_the_user_names_a_kernel():
    X, y = two_classes(80)
    assert TunedSVC().fit(X, y).result_.members
    assert TunedSVC(effort="best").fit(X, y).result_.members
    for single in ({"effort": "fast"}, {"kernel": "rbf"}, {"criterion": "kta"}, {"blend": False}):
        assert TunedSVC(**single).fit(X, y).result_.members == ()
    assert TunedSVC("rbf", blend=True, effort="fast").fit(X, y).result_.members


def test_blend_is_a_word_or_a_flag():
    with pytest.raises(ValueError, match="blend"):
        TunedSVC(blend="yes").fit(*two_classes(60))


def test_a_blend_of_noise_by_another_score_owes_part_of_it_to_luck():
    X, y = np.random.default_rng(3).normal(size=(8, 60, 2)), np.arange(60) % 2
    results = [TunedSVC("rbf", scoring="roc_auc", blend=True).fit(one, y).result_ for one in X]
    assert all(result.members for result in results)
    assert np.mean([result.score - result.corrected_score for result in results]) > 0.01


def test_no_time_is_lost_on_a_blend_that_there_is_no_time_for():
    """What it costs to choose one is known after the first step."""
    X, y = two_classes(80)
    model = TunedSVC(scoring="roc_auc", time_budget=1e-3)
    with pytest.warns(match="a blend of several kernels|time budget"):
        model.fit(X, y)
    assert model.result_.members == ()
    assert any("there is no time for it" in sentence for sentence in model.result_.how)
