"""Which criterion should a person use, and when? All our methods on all sets, by nested cross-validation.

This study is of no single paper: it sets the criteria of all five (:mod:`kernelwise.selection`) side by side.
"nested" makes every choice inside the training part of an outer split; accuracy is that on the rest. Ranks
are over the sets, by mean accuracy; beside them stand the probabilities of being better than the first
method, practically equal, or worse.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from kernelwise._core.typing import Estimator, MatrixLike
from kernelwise.comparison import full_grid, nested_cell, peers
from kernelwise.datasets import make_two_gaussians
from kernelwise.estimators import TunedSVC
from kernelwise.optimizers import GradientDescent, Optimizer, SecondOrder
from kernelwise.selection import keerthi_lin_select
from kernelwise.studies.ranks import (
    MISSING,
    CriticalDifferencePicture,
    RankAndTimePicture,
    average_ranks,
    bayes_rows,
    bayes_sentences,
    can_compare,
    critical_difference,
    friedman_p,
)
from kernelwise.studies.study import Study, few_rows, load_or_say
from kernelwise.studies.tables import Row

TITLE = "Which criterion, and when?"
BAYES = "Better, practically equal or worse: probabilities"
N_NAMED = 3  # methods that a kind of data names


class Method(NamedTuple):
    """A way to choose a machine: kernel × criterion × search."""

    kernel: str
    criterion: str
    search: str
    estimator: Estimator

    @property
    def name(self) -> str:
        return f"{self.kernel}, {self.criterion}" + (f", {self.search}" if self.search else "")


def _tuned(kernel: str, criterion: str, search: str = "", optimizer: Optimizer | None = None) -> Method:
    return Method(kernel, criterion, search, TunedSVC(kernel, criterion=criterion, search=optimizer))


#: Criteria that choose the width of an RBF kernel.
WIDTHS: tuple[str, ...] = ("auto", "dbtc", "esdr", "j4", "kta", "centered-kta", "polarization")
WIDTHS += ("radius-margin", "regularized-margin", "cv-error", "validation-error")
#: Criteria of no paper of the five, and two that paper 001 (Ayat and others 2002) advises against. They come
#: last, so that the others keep their places in the tables.
MORE_WIDTHS: tuple[str, ...] = ("cv-likelihood", "span", "fisher")
MORE_WIDTHS += ("dbtc-unbiased", "esdr-unbiased", "j4-unbiased")
MORE_WIDTHS += ("dbtc-trimmed", "esdr-trimmed", "j4-trimmed")
MORE_WIDTHS += ("margin", "vc", "xi-alpha-smooth", "gacv", "evidence", "wu-wang", "fsm", "hsic")


class OnLine(ClassifierMixin, BaseEstimator):
    """The machine that `keerthi_lin_select` chooses, as an estimator."""

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Choose and train."""
        self.result_ = keerthi_lin_select(X, y)
        self.classes_ = self.result_.estimator.classes_
        self.n_svm_fits_ = 5 * (len(self.result_.Cs) + len(self.result_.sigmas)) + 1
        return self

    def predict(self, X: MatrixLike) -> np.ndarray:
        """The labels, of shape (n_samples,)."""
        return np.asarray(self.result_.estimator.predict(X))


METHODS: tuple[Method, ...] = (
    *(_tuned("rbf", criterion) for criterion in WIDTHS),
    _tuned("rbf", "dbtc", "second-order", SecondOrder()),
    _tuned("rbf", "radius-margin", "descent", GradientDescent()),
    _tuned("diagonal", "auto"),
    _tuned("diagonal", "centered-kta"),
    _tuned("diagonal", "regularized-margin"),
    _tuned("gaussian", "auto"),
    _tuned("poly", "auto"),
    _tuned("kmod", "auto"),
    _tuned("laplacian", "auto"),
    _tuned("diagonal-laplacian", "auto"),
    _tuned("auto", "auto"),
    Method("rbf", "full grid", "", full_grid(cv=5)),
    Method("rbf", "scikit-learn's defaults", "", peers.scaled_svc()),
    *(_tuned("rbf", criterion) for criterion in MORE_WIDTHS),
    Method("rbf", "line C = C̃σ²", "", OnLine()),
)
SETS: tuple[str, ...] = ("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd", "iris")
SETS += ("optdigits", "planning_relax", "ringnorm", "satimage", "segment", "splice", "thyroid")
SETS += ("tic_tac_toe", "titanic", "twonorm", "vertebral_2c", "waveform")
QUICK_SETS = ("banana", "iris", "vertebral_2c")
#: Rows to learn from at most, and outer splits: in full, and quick.
FULL, QUICK = (400, 4), (30, 2)
DATA = SETS
QUICK_MEANS = f"{len(QUICK_SETS)} sets, {QUICK[0]} rows to learn from, {QUICK[1]} splits"
#: Rows to test on at most.
MAX_TEST = 3000


class Data(NamedTuple):
    """A data set of the comparison, and its outer splits."""

    X: np.ndarray
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]

    def groups(self) -> tuple[str, ...]:
        """Kinds of data that a person can tell beforehand."""
        n, d = len(self.splits[0][0]), self.X.shape[1]
        return (
            "all",
            "two classes" if len(np.unique(self.y)) == 2 else "more classes",
            "up to 15 features" if d <= 15 else "more than 15 features",
            "up to 300 rows to learn from" if n <= 300 else "more than 300 rows to learn from",
        )


def load_sets(study: Study) -> dict[str, Data]:
    """The sets that can be had; classes too small for the splits are left out."""
    n_train, n_splits = study.choose(FULL, QUICK)
    found = {}
    for name in study.choose(SETS, QUICK_SETS):
        dataset = load_or_say(name)
        if dataset is not None:
            X, y = few_rows(dataset.X, dataset.y, n_train + MAX_TEST)
            classes, counts = np.unique(y, return_counts=True)
            keep = np.isin(y, classes[counts >= 2 * n_splits])
            found[name] = Data(X[keep], y[keep], outer_splits(y[keep], n_train, n_splits))
    return found


def outer_splits(y: np.ndarray, n_train: int, n_splits: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds of few rows; of many, so many drawn to learn from, and all others to test on.

    Time goes with the rows that are learned from, and the noise of an accuracy with those that are not.
    """
    if len(y) * (n_splits - 1) <= n_train * n_splits:
        return list(StratifiedKFold(n_splits, shuffle=True, random_state=0).split(y, y))
    draws = StratifiedShuffleSplit(n_splits, train_size=n_train, test_size=len(y) - n_train, random_state=0)
    return list(draws.split(y, y))


def nested(study: Study) -> None:
    """The tables, the picture and the answer."""
    sets = load_sets(study)
    if not sets:
        return
    TunedSVC().fit(*make_two_gaussians(60, random_state=0))  # imports: no cell pays for it
    # By set, method and split: accuracy, seconds, processor seconds, machines.
    cells = np.array([_set_cells(study, name, data) for name, data in sets.items()])
    scores, seconds = cells[..., 0].mean(axis=2), cells[..., 2].mean(axis=2)
    names = [method.name for method in METHODS]
    ranks, difference = average_ranks(scores), critical_difference(len(names), len(sets))
    order = np.argsort(ranks, kind="stable")
    rows = method_rows(list(sets), scores, seconds, cells[..., 3].mean(axis=2))
    study.table("methods", "Methods by average rank", [rows[k] for k in order])
    if can_compare():
        study.table("bayes", BAYES, bayes_rows(names, scores))
    study.table("accuracy", "Nested accuracy by data set", _by_set(list(sets), scores[:, order], order))
    study.table("cells", "Every set and method", cell_rows(list(sets), cells), is_shown=False)
    study.table("when", "The best for a kind of data", group_rows(sets, scores))
    caption = (
        f"Average ranks over {len(sets)} sets. Methods whose ranks differ by less than {difference:.2f} "
        "(Nemenyi, 5 %: the bars overlap) do not differ significantly."
    )
    study.figure("ranks", CriticalDifferencePicture(caption, names, ranks.tolist(), difference))
    study.figure("time", time_figure(names, ranks, seconds))
    for sentence in answer(names, scores, seconds, difference):
        study.note(sentence)
    if can_compare():
        study.note(bayes_sentences(study.tables["bayes"].rows))
    else:
        study.say(MISSING)


def _set_cells(study: Study, name: str, data: Data) -> list[list[list[float]]]:
    def cell(method: Method, k: int) -> list[float]:
        key = f"nested/{name}/{method.name}/{k}"
        return study.cell(key, nested_cell, method.estimator, data.X, data.y, *data.splits[k])

    return [[cell(method, k) for k in range(len(data.splits))] for method in METHODS]


def method_rows(sets: list[str], scores: np.ndarray, seconds: np.ndarray, machines: np.ndarray) -> list[Row]:
    """A row for each method: rank, accuracy, points lost against the best of each set, time.

    ``scores``, ``seconds`` and ``machines`` have shape (n_sets, n_methods).
    """
    ranks, losses = average_ranks(scores), 100 * (scores.max(axis=1, keepdims=True) - scores)
    return [
        {
            "kernel": method.kernel,
            "criterion": method.criterion,
            "search": method.search,
            "average rank": ranks[k],
            "accuracy %": 100 * scores[:, k].mean(),
            "loss": losses[:, k].mean(),
            "worst loss": losses[:, k].max(),
            "on": sets[int(losses[:, k].argmax())],
            "CPU seconds": float(np.exp(np.log(seconds[:, k]).mean())),
            "machines": machines[:, k].mean(),
        }
        for k, method in enumerate(METHODS)
    ]


def _by_set(sets: list[str], scores: np.ndarray, order: np.ndarray) -> list[Row]:
    """A row for each method, in that order: its accuracy on every set, in per cent."""
    return [
        {"method": METHODS[k].name, **dict(zip(sets, (100 * scores[:, position]).tolist(), strict=True))}
        for position, k in enumerate(order)
    ]


def cell_rows(sets: list[str], cells: np.ndarray) -> list[Row]:
    """A row for each set and method; the standard error is over the outer splits."""
    n_splits = cells.shape[2]
    return [
        {
            "data": name,
            "method": method.name,
            "accuracy": cells[s, m, :, 0].mean(),
            "± s.e.": cells[s, m, :, 0].std(ddof=1) / np.sqrt(n_splits),
            "seconds": cells[s, m, :, 1].mean(),
            "CPU seconds": cells[s, m, :, 2].mean(),
        }
        for s, name in enumerate(sets)
        for m, method in enumerate(METHODS)
    ]


def group_rows(sets: dict[str, Data], scores: np.ndarray) -> list[Row]:
    """The methods of lowest average rank among the sets of each kind."""
    kinds = [data.groups() for data in sets.values()]
    rows = []
    for kind in sorted({kind for several in kinds for kind in several}):
        chosen = scores[[kind in several for several in kinds]]
        ranks = average_ranks(chosen)
        best = np.argsort(ranks, kind="stable")[:N_NAMED]
        losses = 100 * (chosen.max(axis=1, keepdims=True) - chosen).mean(axis=0)
        named = {
            f"{position}.": f"{METHODS[k].name} (rank {ranks[k]:.1f}, loses {losses[k]:.2f})"
            for position, k in enumerate(best, start=1)
        }
        rows.append({"kind": kind, "sets": len(chosen), **named})
    return rows


def time_figure(names: list[str], ranks: np.ndarray, seconds: np.ndarray) -> RankAndTimePicture:
    """What a better rank costs."""
    mean = np.exp(np.log(seconds).mean(axis=0))
    caption = "Average rank and time: methods to the upper left are better and faster."
    return RankAndTimePicture(caption, names, ranks.tolist(), mean.tolist())


def answer(names: list[str], scores: np.ndarray, seconds: np.ndarray, difference: float) -> list[str]:
    """The result in sentences."""
    ranks, mean = average_ranks(scores), np.exp(np.log(seconds).mean(axis=0))
    order = np.argsort(ranks, kind="stable")
    best = order[0]
    alike = [names[k] for k in order[1:] if ranks[k] < ranks[best] + difference]
    worse = [names[k] for k in order if ranks[k] >= ranks[best] + difference]
    front = [names[k] for k in order if not np.any((ranks < ranks[k]) & (mean < mean[k]))]
    chance = friedman_p(scores)
    sentences = [
        f"Over {len(scores)} sets, '{names[best]}' has the best average rank, {ranks[best]:.2f} of "
        f"{len(names)} methods. Were all methods alike, ranks this unequal would have probability "
        f"{chance:.2g} (Friedman).",
        f"{len(alike)} methods do not differ from it significantly at 5 % (critical difference "
        f"{difference:.2f}): {'; '.join(alike) or 'none'}. Worse methods: {'; '.join(worse) or 'none'}.",
        f"No method is both faster and better ranked than any of these: {'; '.join(front)}.",
    ]
    losses = 100 * (scores.max(axis=1, keepdims=True) - scores)
    safest = int(losses.max(axis=0).argmin())
    sentences.append(
        f"'{names[safest]}' is the safest method: on no set does it lose more than "
        f"{losses[:, safest].max():.2f} points against the best method of that set."
    )
    return sentences


PARTS = {"nested": nested}
