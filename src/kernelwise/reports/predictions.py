"""Predictions as an HTML page: how they are spread, which rows are sure or unlike the training rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_outlier_detector

from kernelwise._core.text import count
from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.reports.asking import asked, rendered
from kernelwise.reports.columns_used import sureness
from kernelwise.reports.held_out import some_of
from kernelwise.reports.sentences import PREDICTED
from kernelwise.reports.words import middle_of, quantiles_of
from kernelwise.search.wording import number

#: Rows of a list, and bars of a distribution, at most.
MOST_LISTED, MOST_BARS = 10, 12


@dataclass(frozen=True)
class Row:
    """A row in a list: what it is called, its answer in words, and its place among the rows of the page."""

    name: str
    answer: str
    place: int


@dataclass(frozen=True)
class Some:
    """A list of rows, and how many more there are."""

    id: str
    label: str
    heading: str
    rows: list[Row]
    n_more: int = 0


@dataclass(frozen=True)
class Answers:
    """The answers to rows: in words, how they are spread, and how sure each is, (n_rows,).

    Of numbers, the surest are the largest.
    """

    words: Callable[[int], str]
    bars: list[tuple[str, int]]
    sure: np.ndarray
    task: str


def predictions_page(
    model: TunedMachine,
    X: RowsLike,
    name: Callable[[int], str] = "row {}".format,
    source: str = "",
    coverage: float | None = None,
) -> str:
    """Make the page on predictions: their distribution, the most and least sure rows, and unlike ones.

    A click on a row fills the form of the section that can be asked.

    Parameters
    ----------
    model : TunedSVC, TunedSVR or TunedOneClassSVM
        Fitted.
    X : array or data frame of shape (n_rows, n_features)
        The rows to predict.
    name : callable, default="row {}".format
        From the place of a row to what it is called.
    source : str, default=""
        Where the rows came from.
    coverage : float, default=None
        If given, the intervals or sets of classes of that coverage are shown with the predictions.

    Returns
    -------
    page : str
        HTML text, which `write_page` writes. Some of the rows are in it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import predictions_page
    >>> X, y = load_iris(return_X_y=True)
    >>> page = predictions_page(TunedSVC("rbf", Cs=[1.0, 10.0]).fit(X[::2], y[::2]), X[1::2])
    >>> "The predictions for 75 rows" in page
    True
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows unlike the training rows are on the page
        found = _answers(model, X)
        if coverage is not None:
            found = replace(found, words=_with_coverage(model, X, coverage, found.words))
        chosen = dict(_chosen(model, X, found))
        rows = np.unique(np.concatenate([places[:MOST_LISTED] for places in chosen.values()]))
        section = asked(model, some_of(X, rows))
    place = {int(row): k for k, row in enumerate(rows)}
    n = len(found.sure)
    lists = []
    for key, places in chosen.items():
        label, heading = PREDICTED[key if key == "unlike" else f"{key} {found.task}"].split(": ", 1)
        shown = [Row(name(int(k)), found.words(int(k)), place[int(k)]) for k in places[:MOST_LISTED]]
        if shown:
            lists.append(Some(key, label, heading, shown, len(places) - len(shown)))
    target = getattr(model, "target_name_", None)
    title = PREDICTED["title" if target is None else "title_of"].format(rows=count(n, "row"), target=target)
    most = max(n for _, n in found.bars)
    quantiles, words = quantiles_of(model), dict(PREDICTED)
    if quantiles:
        words["spread"] = words["spread_quantile"].format(q=quantiles[middle_of(quantiles)])
    covers = ""
    if coverage is not None:
        what, record = "Intervals" if found.task == "numbers" else "Sets", model.fit_record_
        assert record is not None
        covers = PREDICTED["covers"].format(what=what, share=100.0 * coverage, whom=record.holds_for)
    parts = {"covers": covers, "bars": found.bars, "most": most, "lists": lists, "words": words}
    label = PREDICTED["label"] if not source else f"{PREDICTED['label']} · {source}"
    return rendered("predictions.html", section, label=label, title=title, about=[], **parts)


def _answers(model: Any, X: RowsLike) -> Answers:
    predicted = model.predict(X)
    if is_outlier_detector(model):
        p = model.outlier_probability(X)
        words = np.where(predicted < 0, PREDICTED["unusual"], PREDICTED["usual"])
        n_unusual = int((predicted < 0).sum())
        bars = [(PREDICTED["usual"], len(p) - n_unusual), (PREDICTED["unusual"], n_unusual)]
        said = PREDICTED["says_unusual"]
        return Answers(lambda k: said.format(label=words[k], p=f"{p[k]:.2f}"), bars, p, "one class")
    if not hasattr(model, "classes_"):
        return _numbers(predicted, quantiles_of(model))
    labels, counts = np.unique(predicted, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    bars = [(str(labels[k]), int(counts[k])) for k in order[:MOST_BARS]]
    if len(order) > MOST_BARS:
        bars.append((PREDICTED["others"], int(counts[order[MOST_BARS:]].sum())))
    sure = sureness(model, X)
    has_probability = model.sigmoids_ is not None
    said = PREDICTED["says_with" if has_probability else "says"]
    p = model.predict_proba(X) if has_probability else None
    place = {label: k for k, label in enumerate(model.classes_.tolist())}

    def words_of(k: int) -> str:
        share = "" if p is None else f"{p[k, place[predicted[k]]]:.2f}"
        return said.format(label=predicted[k], p=share)

    return Answers(words_of, bars, sure, "classes")


def _with_coverage(
    model: Any, X: RowsLike, coverage: float, words: Callable[[int], str]
) -> Callable[[int], str]:
    """The answers in words, with their interval or set of classes."""
    if hasattr(model, "classes_"):
        sets, labels = model.predict_set(X, coverage), np.array([str(label) for label in model.classes_])
        none, of_set = PREDICTED["no_class"], PREDICTED["says_set"]
        return lambda k: of_set.format(answer=words(k), labels=", ".join(labels[sets[k]]) or none)
    ends, of_interval = model.predict_interval(X, coverage), PREDICTED["says_interval"]

    def words_of(k: int) -> str:
        low, high = (number(end, 4) for end in ends[k])
        return of_interval.format(answer=words(k), low=low, high=high)

    return words_of


def _numbers(predicted: np.ndarray, quantiles: tuple[float, ...]) -> Answers:
    """The answers of a regression; of several quantiles, the one next to the middle stands for all."""
    if not quantiles:
        return Answers(lambda k: number(predicted[k], 4), _histogram(predicted), predicted, "numbers")
    columns = predicted.reshape(len(predicted), -1)
    middle, said = columns[:, middle_of(quantiles)], PREDICTED["says_quantile"]

    def words_of(k: int) -> str:
        return ", ".join(said.format(q=q, value=number(columns[k, m], 4)) for m, q in enumerate(quantiles))

    return Answers(words_of, _histogram(middle), middle, "numbers")


def _histogram(values: np.ndarray) -> list[tuple[str, int]]:
    counts, edges = np.histogram(values, bins=min(MOST_BARS, max(1, len(np.unique(values)))))
    pairs = zip(edges[:-1], edges[1:], counts, strict=True)
    return [
        (PREDICTED["between"].format(low=number(low), high=number(high)), int(n)) for low, high, n in pairs
    ]


def _chosen(model: Any, X: RowsLike, found: Answers) -> Iterator[tuple[str, np.ndarray]]:
    """Rows of each list, by its key, the first to be shown first."""
    order = np.argsort(-found.sure, kind="stable")
    yield "most", order[:MOST_LISTED]
    yield "least", order[::-1][: min(MOST_LISTED, max(0, len(order) - MOST_LISTED))]
    if not is_outlier_detector(model) and hasattr(model, "training_range_"):
        yield "unlike", model.unlike(X).rows
