"""The table of a search, in scikit-learn's layout: every candidate, and the row that is chosen."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from scipy.stats import rankdata

from kernelwise.search.choose import take
from kernelwise.search.engine.rules import most_regularised_within, standard_error
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice
from kernelwise.search.settings import ONE_ERROR


def cv_results(
    candidates: list[dict[str, Any]],
    times: dict[str, np.ndarray],
    test: dict[str, np.ndarray],
    train: dict[str, np.ndarray],
) -> dict[str, Any]:
    """Lay out times ("fit_time", "score_time") and scores by metric, all of shape (n_candidates, n_splits).

    ``train`` may be empty.
    """
    results: dict[str, Any] = {}
    for name, table in times.items():
        results[f"mean_{name}"], results[f"std_{name}"] = table.mean(axis=1), table.std(axis=1)
    results |= _parameter_columns(candidates)
    results["params"] = candidates
    for metric in test:
        results |= _score_columns(f"test_{metric}", test[metric])
        results[f"rank_test_{metric}"] = _ranks(results[f"mean_test_{metric}"])
        if train:
            results |= _score_columns(f"train_{metric}", train[metric])
    return results


def _parameter_columns(candidates: list[dict[str, Any]]) -> dict[str, np.ma.MaskedArray]:
    """One masked array for each parameter, masked where a candidate does not have it."""
    columns = {}
    for name in {name: None for params in candidates for name in params}:
        indices = [k for k, params in enumerate(candidates) if name in params]
        values = [candidates[k][name] for k in indices]
        is_plain = all(isinstance(value, (numbers.Number, np.generic)) for value in values)
        dtype = np.array(values).dtype if is_plain else np.dtype(object)
        data, mask = np.zeros(len(candidates), dtype), np.ones(len(candidates), dtype=bool)
        for k, value in zip(indices, values, strict=True):
            data[k] = value  # one by one: a value may be a sequence
        mask[indices] = False
        columns[f"param_{name}"] = np.ma.MaskedArray(data, mask=mask)
    return columns


def _score_columns(name: str, table: np.ndarray) -> dict[str, np.ndarray]:
    columns = {f"split{k}_{name}": table[:, k] for k in range(table.shape[1])}
    mean = np.average(table, axis=1)
    if not np.isfinite(mean).all():
        warnings.warn(f"One or more of the {name.split('_')[0]} scores are non-finite: {mean}", stacklevel=5)
    std = np.sqrt(np.average((table - mean[:, None]) ** 2, axis=1))
    return columns | {f"mean_{name}": mean, f"std_{name}": std}


def _ranks(mean: np.ndarray) -> np.ndarray:
    """1 is the highest mean, ties share the best rank, and a failed candidate ties with the worst."""
    if np.isnan(mean).all():
        return np.ones(mean.size, dtype=np.int32)
    return rankdata(-np.nan_to_num(mean, nan=np.nanmin(mean) - 1.0), method="min").astype(np.int32)


def tabulate(validator: CrossValidator, steering: str | None = None) -> dict[str, Any]:
    """``cv_results_`` of all kernels and values of C, with six columns more.

    ``smoothed_test_score`` is what the choice went by: the mean over neighbouring values of C.
    ``standard_error`` is that of the mean score, ``n_support`` the mean number of support vectors,
    ``scaled_C`` C times the variance in feature space (ν has none), ``path`` the number of the kernel in the
    order in which kernels were tried, and ``reason`` says why it was. Where there are several scores, the one
    that was maximised is named ``steering``, and is in ``mean_test_score``, too.
    """
    paths = validator.scored
    family = validator.family
    candidates = [family.params(path.kernel, C, path.epsilon) for path in paths for C in path.Cs]
    scores = np.concatenate([path.scores for path in paths])
    times = np.concatenate([np.full(path.scores.shape, path.seconds / path.scores.size) for path in paths])
    test = {"score": scores} if steering is None else {"score": scores, steering: scores}
    for name in validator.others:
        test[name] = np.concatenate([validator.other_scores(name, path) for path in paths])
    table = cv_results(candidates, {"fit_time": times, "score_time": np.zeros_like(times)}, test, {})
    table["smoothed_test_score"] = np.concatenate([path.smoothed for path in paths])
    table["standard_error"] = standard_error(scores, validator.n_held_out, validator.scorer.is_share)
    table["n_support"] = np.concatenate([path.n_support for path in paths])
    if family.symbol == "C":
        table["scaled_C"] = np.concatenate([path.Cs * path.variance for path in paths])
    table["path"] = np.repeat(np.arange(len(paths)), [len(path.Cs) for path in paths])
    table["reason"] = np.array([path.reason for path in paths for _ in path.Cs], dtype=object)
    return table


def row_index(
    validator: CrossValidator, choice: Choice, refit: Any, table: dict[str, Any], owner: str
) -> int:
    """The row of the table that is chosen: the choice, or what the rule ``refit`` makes of it.

    A rule changes the choice, and what is said of it.
    """
    starts = np.flatnonzero(np.diff(table["path"], prepend=-1))
    if not callable(refit) and refit != ONE_ERROR:
        number = next(k for k, scored in enumerate(validator.scored) if scored is choice.scored)
        return int(starts[number]) + choice.index
    row = _asked(refit, table, owner) if callable(refit) else one_standard_error(table)
    scored = validator.scored[table["path"][row]]
    take(validator, choice, scored, row - int(starts[table["path"][row]]))
    return row


def _asked(refit: Any, table: dict[str, Any], owner: str) -> int:
    """The row that a callable ``refit`` returns."""
    row, n_rows = refit(table), len(table["params"])
    if not isinstance(row, int | np.integer) or isinstance(row, bool) or not 0 <= row < n_rows:
        raise ValueError(
            f"'refit' of {owner} must return the number of a row of cv_results_, 0 to {n_rows - 1}, "
            f"got {row!r}."
        )
    return int(row)


def one_standard_error(table: dict[str, Any]) -> int:
    """Row of the most regularised candidate whose score is within one standard error of the best."""
    scores = table["smoothed_test_score"]
    best = int(np.argmax(scores))
    return most_regularised_within(table["scaled_C"], scores, best, table["standard_error"][best])
