"""Which criterion should a person use, and when? All our methods on all sets, by nested cross-validation.

This study is of no single paper: it sets the criteria of all five (:mod:`kernelwise.selection`) side by side.
"nested" makes every choice inside the training part of an outer split; accuracy is that on the rest. Ranks
are over the sets, by mean accuracy; beside them stand the probabilities of being better than the first
method, practically equal, or worse.
"""

from __future__ import annotations

import numpy as np

from kernelwise.comparison import nested_cell
from kernelwise.datasets import make_two_gaussians
from kernelwise.estimators import TunedSVC
from kernelwise.studies._bayes import MISSING, bayes_rows, bayes_sentences, can_compare
from kernelwise.studies._beyond_methods import METHODS, Data, Method, load_sets
from kernelwise.studies._ranks import (
    CriticalDifferencePicture,
    RankAndTimePicture,
    average_ranks,
    critical_difference,
    friedman_p,
)
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row

TITLE = "Which criterion, and when?"
BAYES = "Better, practically equal or worse: probabilities"
N_NAMED = 3  # methods that a kind of data names


def nested(study: Study) -> None:
    """The tables, the picture and the answer."""
    sets = load_sets(study)
    if not sets:
        return
    TunedSVC().fit(*make_two_gaussians(60, random_state=0))  # compiles, so that no cell pays for it
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
