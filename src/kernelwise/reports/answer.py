"""The answer of a report: what was chosen, how good it is, and the first lines that say so."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelwise._core.text import count
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.estimators.tuned_one_class import TunedOneClassSVM
from kernelwise.findings import catalogue
from kernelwise.reports.held_out import below_text, class_factors, class_indices, unseen_targets
from kernelwise.reports.words import is_share, score_name, sentence, shortened, sign_of
from kernelwise.search.result import Member
from kernelwise.search.verdict.claim import error_of_rows
from kernelwise.search.verdict.reasons import COUNTS
from kernelwise.search.wording import error_text, kernel_meaning, kernel_text, model_text, number, score_text

#: Standard errors of the difference from which a test is far below cross-validation.
FAR = 3.0
UNSEEN = "on rows that the model was not trained on"
#: Classes that are named one by one.
MAX_NAMED = 12
#: Constant answers whose cost is told, each.
MAX_GUESSES = 3


@dataclass(frozen=True)
class Cost:
    """What the answers to rows that the model was not trained on cost, per row.

    Attributes
    ----------
    value, error : float
        The mean over held-out rows, and its standard error.
    always : dict from str to float
        The same of always answering a class, by the class, the cheapest first.
    test : float or None
        That of the test rows.
    is_of_weights : bool
        Whether a wrong answer costs the weight of its class; else costs were given.
    """

    value: float
    error: float
    always: dict[str, float]
    test: float | None = None
    is_of_weights: bool = False

    @property
    def is_no_better(self) -> bool:
        """Whether a constant answer costs no more, within one standard error."""
        return not min(self.always.values()) - self.value > self.error

    def text(self, value: float) -> str:
        """A cost with the digits that the standard error allows."""
        return score_text(value, False, self.error)

    @property
    def error_text(self) -> str:
        """± with the standard error."""
        return error_text(self.error, False)

    def guesses(self) -> str:
        """The costs of constant answers; of many classes, the cheapest."""
        shown = [f"{label}: {self.text(value)}" for label, value in self.always.items()]
        few = len(shown) <= MAX_GUESSES
        return f"always answering {', '.join(shown) if few else f'{shown[0]} (the cheapest)'}"


@dataclass(frozen=True)
class Answer:
    """What was chosen and how good it is.

    Attributes
    ----------
    kernel, meaning, exact : str
        The kernel with its numbers, what it does, and the kernel with all digits.
    blend : str
        What a model is called that is a blend of several settings, of which the kernel is the best; else
        empty.
    members : list of str
        These settings, each with its weight.
    C, epsilon, nu : float or None
        Those that the model has: ε of a regression, ν of one class instead of C.
    score : str
        Name of the score; of one class, that of the criterion.
    is_share : bool
        Whether scores are shares of rows.
    sign : int
        −1 for a score that is the negative of an error, which is shown as the error; else 1.
    cv_score, cv_error : float
        ``result_.score``, that of the model's answers to rows that folds held out, and its standard error.
    test_score, test_error : float or None
        Only of a share of rows is the standard error known.
    baseline_score, baseline_answer : float or None, str
        What the same score gives the best answer that ignores X, and the words for it; None for models of
        earlier versions.
    fit_found_guess : bool
        Whether the fit found that the model is no better than guessing, which counts the luck of its choice.
    has_costs : bool
        Whether answers go by costs or a threshold.
    target : str or None
        Name of what is predicted.
    corrected : float or None
        The score without the luck of the best of many settings.
    cost : Cost or None
        What answers cost, if wrong ones cost more for one class than for another.
    rmse, mean_rmse, test_rmse : float or None
        Of a regression, in units of y: of held-out rows, of always answering their mean, of test rows.
    below, test_below : tuple of (float, float)
        Of predicted quantiles: each quantile, and the share of held-out rows and of test rows below it.
    n_folds, n_candidates, n_machines, n_features : int
    n_rows : int or None
        Distinct rows that the model was trained on.
    n_test : int or None
    n_classes : int or None
    seconds : float
    """

    kernel: str
    blend: str
    members: list[str]
    meaning: str
    exact: str
    score: str
    cv_score: float
    cv_error: float
    n_folds: int
    n_candidates: int
    n_machines: int
    n_features: int
    n_rows: int | None
    seconds: float
    C: float | None = None
    epsilon: float | None = None
    nu: float | None = None
    is_share: bool = False
    sign: int = 1
    test_score: float | None = None
    test_error: float | None = None
    n_test: int | None = None
    n_classes: int | None = None
    baseline_score: float | None = None
    baseline_answer: str = ""
    fit_found_guess: bool = False
    has_costs: bool = False
    rmse: float | None = None
    mean_rmse: float | None = None
    test_rmse: float | None = None
    below: tuple[tuple[float, float], ...] = ()
    test_below: tuple[tuple[float, float], ...] = ()
    target: str | None = None
    corrected: float | None = None
    cost: Cost | None = None

    def text(self, score: float, error: float | None = None) -> str:
        """A score as it is shown: 97.2 % of a share of rows, else 0.972.

        It has the digits that its error allows; None is the error of the held-out score.
        """
        return score_text(self.sign * score, self.is_share, self.cv_error if error is None else error)

    def error(self, error: float | None) -> str:
        """± with a standard error; empty if there is none."""
        return error_text(error, self.is_share)

    @property
    def score_axis(self) -> str:
        """What an axis of scores shows: the search makes the score as large as it can."""
        name = self.score if self.sign > 0 else f"minus the {self.score}"
        return f"{name} on held-out rows"

    @property
    def has_luck(self) -> bool:
        """Whether the luck of the choice is worth a word: beside a large error it is not."""
        if self.corrected is None or self.cost is not None:
            return False
        return bool(self.cv_score - self.corrected > COUNTS * np.nan_to_num(self.cv_error))

    @property
    def is_no_better(self) -> bool:
        """Whether the score is within one standard error of what ignoring X would give, or owed to luck."""
        if self.baseline_score is None:
            return False
        if self.cost is not None:
            return self.cost.is_no_better
        if self.has_costs:  # they give up right answers for cheaper ones
            return self.fit_found_guess
        return self.fit_found_guess or not self.cv_score - self.baseline_score > np.nan_to_num(self.cv_error)

    @property
    def test_gap(self) -> tuple[float, float] | None:
        """How far the test is below cross-validation and the error of this, if that is three errors or more.

        The standard error of a test score that is no share is taken from the folds: errors of a mean go with
        one over the root of the number of rows.
        """
        if self.test_score is None or self.n_test is None:
            return None
        of_test = self.test_error
        if of_test is None:
            of_test = self.cv_error * np.sqrt((self.n_rows or self.n_test) / self.n_test)
        gap, error = self.cv_score - self.test_score, float(np.hypot(self.cv_error, of_test))
        return (gap, error) if gap > FAR * error else None


def blend_meaning(members: Sequence[Member]) -> str:
    """What a blend does, as `kernel_meaning` says it of a kernel."""
    is_one = all(one.kernel == members[0].kernel for one in members)
    how = (
        "follow the training rows more and less closely"
        if is_one
        else "judge differently which rows are alike"
    )
    return f"the mean of models that {how}, so that some errors cancel out"


@dataclass(frozen=True)
class Support:
    """Support vectors of the trained model: all, those at their bound, and the rows it was trained on.

    Of a blend nobody asks which are at their bound: each member has its own.
    """

    n_support: int
    n_bounded: int | None
    n_rows: int

    @property
    def heading(self) -> str:
        """How many there are."""
        share = 100 * self.n_support / self.n_rows
        return f"{count(self.n_support, 'support vector')}, {share:.0f} % of {count(self.n_rows, 'row')}"


def answer_of(
    model: TunedMachine | TunedOneClassSVM, test: tuple[Any, Any] | None = None, target: str | None = None
) -> Answer:
    """The answer of a fitted model, with its score on test samples; ``target`` is what it predicts."""
    members = members_of(model)
    common: dict[str, Any] = {
        "kernel": kernel_text(model.kernel_),
        "blend": getattr(model.result_, "blend", ""),
        "members": [_member_text(one) for one in members],
        "meaning": (blend_meaning(members) if members else kernel_meaning(model.kernel_, model.scale)),
        "exact": repr(model.kernel_),
        "cv_score": float(model.result_.score),
        "cv_error": model.result_.standard_error,
        "n_folds": model.n_splits_,
        "n_candidates": len(model.cv_results_["params"]),
        "n_machines": model.n_svm_fits_,
        "seconds": model.result_.seconds,
        "target": target,
    }
    if isinstance(model, TunedOneClassSVM):
        return Answer(
            nu=float(model.nu_),
            score=model.criterion_,
            n_features=int(model.best_estimator_.n_features_in_),
            n_rows=model.result_.n_rows,
            **common,
        )
    share, record = is_share(model), model.fit_record_
    # Models of earlier versions have no baseline, and some scores are not defined for a constant answer.
    baseline = getattr(model.result_, "baseline", None)
    if baseline is not None and not np.isfinite(baseline.score):
        baseline = None
    test_score = test_error = n_test = None
    if test is not None:
        test_score, n_test = score_on(model, *test), len(test[1])
        if share and test_score is not None:
            test_error = error_of_rows(test_score, n_test)
    return Answer(
        C=model.C_,
        epsilon=getattr(model, "epsilon_", None),
        score=score_name(model),
        is_share=share,
        sign=sign_of(model),
        test_score=test_score,
        test_error=test_error,
        n_features=model.n_features_in_,
        n_rows=None if record is None else record.n_rows,
        n_test=n_test,
        n_classes=len(model.classes_) if is_classifier(model) else None,
        baseline_score=None if baseline is None else float(baseline.score),
        baseline_answer="" if baseline is None else str(baseline.answer),
        has_costs=getattr(model, "costs_", None) is not None,
        fit_found_guess=any(finding.name == catalogue.NO_BETTER.name for finding in model.diagnostics_),
        corrected=getattr(model.result_, "corrected_score", None),
        cost=cost_of(model, test) if is_classifier(model) else None,
        **common,
        **({} if is_classifier(model) else _errors(model, test)),
    )


def _errors(model: TunedMachine, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Errors of a regression in units of y, or how many rows lie below predicted quantiles."""
    found: dict[str, Any] = {}
    for part in unseen_targets(model, test)["predictions"]:
        if part.below:
            found["test_below" if part.source == "test" else "below"] = part.below
            continue
        of_test = {"test_rmse": part.rmse}
        found |= of_test if part.source == "test" else {"rmse": part.rmse, "mean_rmse": part.mean_rmse}
    return found


def cost_of(model: TunedMachine, test: tuple[Any, Any] | None = None) -> Cost | None:
    """What held-out answers cost by ``costs``, or by class weights that accuracy does not see; else None."""
    record = model.fit_record_
    if record is None:
        return None
    by_class = class_factors(model, record.truth, record.weight)
    is_of_weights = getattr(model, "costs", None) is None
    if not is_of_weights:
        costs = np.asarray(model.costs_)
    elif is_share(model) and not np.allclose(by_class, 1.0):
        costs = by_class[:, None] * (1.0 - np.eye(len(by_class)))
    else:
        return None
    # A rejected row costs as much as the dearest wrong answer.
    costs = np.column_stack([costs, costs.max(axis=1)])
    per_row, weight = costs[record.truth, record.predicted], record.weight
    mean = float(np.average(per_row, weights=weight))
    error = float(np.sqrt(np.average((per_row - mean) ** 2, weights=weight) / weight.sum()))
    always = [
        (repr(label), float(np.average(costs[record.truth, k], weights=weight)))
        for k, label in enumerate(model.classes_.tolist())
    ]
    of_test = None
    if test is not None and np.isin(test[1], model.classes_).all():
        answers, truth = (class_indices(model, labels) for labels in (model.predict(test[0]), test[1]))
        of_test = float(costs[truth, answers].mean())
    return Cost(mean, error, dict(sorted(always, key=lambda pair: pair[1])), of_test, is_of_weights)


def support_of(model: TunedMachine) -> Support | None:
    """Support vectors of a trained model; None without one."""
    record = model.fit_record_
    if record is None:
        return None
    n_bounded = None if members_of(model) else record.n_bounded
    return Support(len(model.best_estimator_.support_), n_bounded, record.n_rows)


def _member_text(one: Member) -> str:
    """A setting of a blend, with its weight."""
    loss = f" ({one.loss.replace('_', ' ')} loss)" if one.loss else ""
    return f"{100 * one.weight:.0f} % {model_text(one.kernel, one.C)}{loss}"


def members_of(model: TunedMachine | TunedOneClassSVM) -> tuple[Member, ...]:
    """The settings that a model is a blend of; none of another model, or of an earlier version."""
    return getattr(model.result_, "members", ())


def headline(answer: Answer) -> str:
    """The answer in a line, with what is predicted."""
    said = verdict(answer)
    return sentence(said) if answer.target is None else f"Predicting {answer.target!r}: {said}"


def verdict(answer: Answer) -> str:
    """How good the model is beside a guess; of a test that is far below cross-validation, its score."""
    if answer.test_gap is not None:
        return _of_test(answer)
    if answer.cost is not None:
        return _of_cost(answer, answer.cost)
    if answer.rmse is not None and answer.score == "R²":
        return _of_regression(answer)
    told = _told(answer, answer.cv_score, UNSEEN, answer.cv_error)
    if answer.baseline_score is None:
        return told
    guess = answer.text(answer.baseline_score)
    below = f"; {below_text(answer.below)}" if answer.below else ""
    if answer.is_no_better:
        clearly = "not clearly" if answer.cv_score > answer.baseline_score else "no"
        return f"{told}: {clearly} better than {answer.baseline_answer} ({guess}){below}"
    return f"{told}; {answer.baseline_answer}: {guess}{below}"


def score_on(model: TunedMachine, X: Any, y: Any) -> float | None:
    """The score of a model on labelled rows, or None where it is undefined, as ROC AUC of one class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's, about classes that these rows do not have
        try:
            score = float(model.score(X, y))
        except ValueError:
            return None
    return score if np.isfinite(score) else None


def expectation(answer: Answer) -> str:
    """What to expect of new rows: the test's score, or the held-out one without the luck of the choice."""
    if answer.test_score is not None:
        where = f"on {count(answer.n_test or 0, 'test row')}"
        told = _told(answer, answer.test_score, where, answer.test_error)
        if answer.cost is not None and answer.cost.test is not None:
            return f"a cost of {answer.cost.text(answer.cost.test)} per row {where}, {told}"
        if answer.test_below:
            return f"{told}; {below_text(answer.test_below)}"
        return (
            told if answer.test_rmse is None else f"{told}: typical error (RMSE) {number(answer.test_rmse)}"
        )
    undefined = ""
    if answer.n_test:
        undefined = f"; {answer.score} is not defined on the {count(answer.n_test, 'test row')}"
    if not answer.has_luck or answer.corrected is None:
        guess = ", which is no more than a guess" if answer.is_no_better else ""
        return f"about the same for new rows of the same kind{guess}{undefined}"
    expected = answer.text(answer.corrected)
    best = "blend" if answer.blend else "best"
    lucky = f"the {best} of {answer.n_candidates} settings"
    if answer.blend and answer.is_share:
        lucky = "which class is more frequent"
    return f"about {expected} for new rows: {lucky} is partly luck{undefined}"


def setting(answer: Answer) -> str:
    """What was chosen: SVM with RBF kernel, γ = 0.0208, C = 64; or: A blend of 4 kernels."""
    if answer.C is None:
        return f"One-class support vector machine, {answer.kernel}"
    values = [f"C = {number(answer.C)}"]
    if answer.epsilon is not None:
        values.append(f"ε = {number(answer.epsilon)}")
    if answer.blend:
        return sentence(answer.blend)
    return ", ".join([f"SVM with {_kernel(answer.kernel)}", *values])


def _kernel(text: str) -> str:
    """A kernel's text (see `kernel_text`) as it stands in a sentence."""
    if text.startswith("Sum of "):
        return f"a s{text[1:]}"
    name, *numbers = text.split(", ")
    name, _, metric = name.partition(" with ")
    kernel = name.replace("Linear", "linear") if name.endswith(" kernel") else f"{name} kernel"
    return ", ".join([f"{kernel} with {metric}" if metric else kernel, *numbers])


def _told(answer: Answer, score: float, where: str, error: float | None) -> str:
    value = f"{answer.text(score, error)}{answer.error(error)}"
    return f"{value} correct {where}" if answer.is_share else f"{answer.score} {value} {where}"


def _of_test(answer: Answer) -> str:
    assert answer.test_score is not None
    where = f"on {count(answer.n_test or 0, 'test row')}"
    told = _told(answer, answer.test_score, where, answer.test_error)
    return f"{told}; cross-validation: {answer.text(answer.cv_score)}"


def _of_cost(answer: Answer, cost: Cost) -> str:
    what = "weighted cost" if cost.is_of_weights else "cost"
    value = f"{cost.text(cost.value)}{cost.error_text}"
    told = f"a {what} of {value} per row {UNSEEN}"
    right = answer.text(answer.cv_score)
    right = f"{right} are correct" if answer.is_share else f"{answer.score} {right}"
    if cost.is_no_better:
        return f"{told}: not clearly better than {cost.guesses()}; {right}"
    return f"{told}; {cost.guesses()}; {right}"


def _of_regression(answer: Answer) -> str:
    assert answer.rmse is not None
    assert answer.mean_rmse is not None
    told = _told(answer, answer.cv_score, UNSEEN, answer.cv_error)
    ours, guess = number(answer.rmse), number(answer.mean_rmse)
    if answer.is_no_better:
        clearly = "not clearly" if answer.rmse < answer.mean_rmse else "no"
        return f"{told}: {clearly} better than {answer.baseline_answer} (RMSE {ours} and {guess})"
    return f"{told}: typical error (RMSE) {ours}; that of always answering the mean: {guess}"


def class_counts(model: TunedMachine, y: np.ndarray | None) -> list[tuple[str, float]]:
    """Names of the classes and their rows: of y, or of the rows that were held out, by weight."""
    if y is not None:
        index, weight = np.searchsorted(model.classes_, y), None
    elif model.fit_record_ is not None:
        index, weight = model.fit_record_.truth, model.fit_record_.weight
    else:
        return []
    counts = np.bincount(index, weights=weight, minlength=len(model.classes_))
    return [(str(label), float(n)) for label, n in zip(model.classes_, counts, strict=True)]


def row_count(model: TunedMachine, y: np.ndarray | None) -> float | None:
    """Rows that the model was made from, by weight; None if nobody knows."""
    if y is not None:
        return float(len(y))
    return None if model.fit_record_ is None else float(model.fit_record_.weight.sum())


def classes_text(classes: list[tuple[str, float]]) -> str:
    """The classes in a line, the most frequent first: 3 classes: mild (150), severe (87), none (63)."""
    ordered = sorted(classes, key=lambda pair: -pair[1])
    named = [f"{shortened(label)} ({n:g})" for label, n in ordered[:MAX_NAMED]]
    more = [] if len(ordered) <= MAX_NAMED else [f"and {len(ordered) - MAX_NAMED} more"]
    return f"{count(len(classes), 'class', 'classes')}: {', '.join([*named, *more])}"
