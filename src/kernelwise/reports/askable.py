"""A model as data that a page computes answers from: its columns, its numbers, and what explains an answer.

`static/machine.js` reads it. Arrays are base64 of little-endian numbers, matrices column by column.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_outlier_detector

from kernelwise._core.typing import RowsLike, is_sparse
from kernelwise.conformal import OF_PREDICTIONS, WIDTHS, fewest_rows
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.exceptions import IncompatibleError
from kernelwise.explanation.product_machines import nodes_for
from kernelwise.explanation.reader import Reader, outputs_of
from kernelwise.export import PlainModel, has_plain_scaling, has_terms, plain_model
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES
from kernelwise.reports.sentences import TRY
from kernelwise.reports.words import middle_of, quantiles_of
from kernelwise.solvers.probability import class_probabilities, decide, log_odds
from kernelwise.tables import Encoder
from kernelwise.tables.column import Column, LeftOut
from kernelwise.tables.dates import TIME_OF_DAY, Dates, days_of
from kernelwise.tables.text import Text

#: Letters of the data of a page, at most.
MOST_LETTERS = 2_000_000
#: Steps of the loop over Shapley values that a browser takes in some hundredths of a second, and how many
#: background rows there are, at least and at most.
MOST_STEPS, N_BACKGROUND = 3e6, (5, 100)
#: Error of the integrals that Shapley values are: far below what a bar shows.
BAR_ERROR = 1e-10
#: By how much probabilities may differ in single precision, and other values as a share of their spread.
SAME_PROBABILITY, SAME_VALUE = 5e-4, 1e-4
#: Support vectors that this is checked on, at most.
N_CHECKED = 500
#: Support vectors of a linear kernel, whose machine does not need them, that are still kept for comparison.
MOST_NEAR = 2000
#: The coverage of intervals; the sentence on them names it.
INTERVAL = 0.9
#: Values of a feature that are listed instead of repeated, at most.
MOST_LISTED = 256


def why_not(model: TunedMachine) -> str:
    """Why a page cannot compute the answers of a model, as a sentence; empty if it can."""
    if not hasattr(model, "best_estimator_"):
        return "The model was fitted with refit=False and has no final machine that could answer."
    kernel = getattr(model.best_estimator_, "kernel_", None)
    if not isinstance(kernel, Kernel) or not has_terms(kernel):
        title = kernel.title if isinstance(kernel, Kernel) else "a precomputed or own kernel"
        return f"A page cannot compute the kernel of this model ({title})."
    if not has_plain_scaling(getattr(model, "scaler_", None)):
        return f"A page cannot compute the scaling of this model ({type(model.scaler_).__name__})."
    if getattr(model, "multiclass_", None) is not None and STRATEGIES[model.multiclass_].rejects:
        return f"A page cannot reject rows as multiclass={model.multiclass_!r} does."
    if not hasattr(model, "training_range_"):
        return (
            "The model does not know the ranges of its training rows: these were sparse, or an older version "
            "has trained it."
        )
    least = 4 * model.best_estimator_.support_vectors_.size // 3  # if every number took one byte
    if least > MOST_LETTERS and not kernel.is_linear:
        return too_large(least)
    odd = [c for c in _columns(model) if type(c) not in (Column, LeftOut, Dates, Text)]
    return f"A page has no field for the column {str(odd[0].name)!r}." if odd else ""


def too_large(n_letters: int) -> str:
    """A sentence on data of a page that would have so many letters, or more."""
    size, most = (f"{n / 1e6:.1f}".removesuffix(".0") for n in (n_letters, MOST_LETTERS))
    return TRY["too_large"].format(size=size, most=most)


def askable(model: TunedMachine) -> dict[str, Any]:
    """All that a page needs to answer as a fitted model does, in JSON's own types.

    Raises
    ------
    IncompatibleError
        Saying why, if a page cannot.
    """
    reason = why_not(model)
    if reason:
        raise IncompatibleError(reason)
    machine: Any = model.best_estimator_
    plain = plain_model(model, machine)
    support = _dense(machine.support_vectors_)
    precision = "f4" if is_as_good(model, plain, _rounded(plain)) else "f8"
    # A linear machine is its weights; its support vectors are only for comparison.
    is_own = plain.support.shape == support.shape and np.array_equal(plain.support, support)
    near = None if is_own or not 0 < len(support) <= MOST_NEAR else support
    reach = getattr(model, "_reach", None)
    has_rows = bool(len(support)) and (is_own or near is not None)
    return {
        "task": _task(model),
        "target": getattr(model, "target_name_", None),
        "columns": _described(model, support / plain.factor + plain.shift),
        "shift": packed(plain.shift, "f8"),
        "factor": packed(plain.factor, "f8"),
        "support": packed_matrix(plain.support, precision),
        "near": None if near is None else packed_matrix(near, precision),
        "has_rows": has_rows,
        "terms": _terms(plain, machine, precision),
        "intercept": plain.intercept.tolist(),
        **_answers(model, plain),
        "range": model.training_range_[[0, 2]].tolist(),
        "reach": reach if has_rows and reach is not None and np.isfinite(reach) else None,
        "bars": _bars(model, plain),
        "interval": _interval(model),
    }


def _interval(model: Any) -> dict[str, Any] | None:
    """What intervals of a regression go by; None of other models, and where too few rows tell."""
    record, spread = model.fit_record_, getattr(model, "_spread", None)
    if spread is None or record is None:
        return None
    if record.weight.sum() < fewest_rows(INTERVAL) * record.own_weight:
        return None
    return {
        "limit": model._spreads_within(INTERVAL),
        "mean": float(model.target_mean_),
        "deviation": float(model.target_scale_),
        "level": spread.level,
        "coefficients": packed(spread.coefficients, "f8"),
        "predictions": packed(spread.predictions, "f8"),
        "centres": None if spread.centres is None else packed_matrix(_dense(spread.centres), "f4"),
        "scales": [width / spread.distance for width in WIDTHS],
        "of_predictions": OF_PREDICTIONS,
    }


def _task(model: TunedMachine) -> str:
    if is_outlier_detector(model):
        return "one class"
    return "classes" if hasattr(model, "classes_") else "numbers"


def _answers(model: Any, plain: PlainModel) -> dict[str, Any]:
    """What labels, probabilities and predictions go by."""
    is_one_class = is_outlier_detector(model)
    quantiles = quantiles_of(model)
    classes = (
        [] if plain.classes is None or is_one_class else [str(label) for label in plain.classes.tolist()]
    )
    tail = None
    if is_one_class:
        tail = {
            "threshold": float(model.threshold_),
            "share": float(model.contamination_),
            "strangeness": model._tail_strangeness.tolist(),
            "of_rows": model._tail_share.tolist(),
            "scale": float(model._tail_scale),
            "is_log": bool(model._tail_is_log),
            "sigmoid": model._sigmoid.tolist() if hasattr(model, "_sigmoid") else None,
        }
    return {
        "classes": classes,
        "quantiles": list(quantiles),
        "middle": middle_of(quantiles) if quantiles else 0,
        "machines": plain.machines,
        "sigmoids": None if plain.sigmoids is None else plain.sigmoids.tolist(),
        "rule": plain.rule,
        "costs": None if plain.costs is None else plain.costs.tolist(),
        "log_offset": getattr(model, "target_offset_", None),
        "tail": tail,
    }


# -- columns -------------------------------------------------------------------------------------------------


def _columns(model: Any) -> tuple[Column, ...]:
    """The columns of the user's table; those of a model without words and gaps are its features."""
    if hasattr(model, "encoder_"):
        columns: tuple[Column, ...] = model.encoder_.columns
        return columns
    names = getattr(model, "feature_names_in_", None)
    medians = model.training_range_[1].tolist()
    names = [f"column {k}" for k in range(len(medians))] if names is None else list(names)
    return tuple(Column(name, fill=fill) for name, fill in zip(names, medians, strict=True))


def _described(model: Any, rows: np.ndarray) -> list[dict[str, Any]]:
    """What a form needs of each column; ``rows`` are support vectors, (n_support, n_features)."""
    columns = _columns(model)
    encoder = Encoder(columns)
    return [
        _column(column, np.flatnonzero(encoder.layout.column == k), model.training_range_, rows)
        for k, column in enumerate(columns)
    ]


def _column(column: Column, places: np.ndarray, limits: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    found: dict[str, Any] = {"name": str(column.name), "features": places.tolist()}
    if isinstance(column, LeftOut):
        return {**found, "kind": "left out", "has_gaps": False, "typical": None}
    found |= {"has_gaps": bool(column.has_gaps)}
    if column.is_words:
        return {**found, **_of_words(column, rows[:, places])}
    low, middle, high = limits[:, places[0]].tolist() if len(places) else (0.0, 0.0, 0.0)
    fill = middle if column.fill is None else float(column.fill)
    if isinstance(column, Dates):
        at = len(places) - column.has_gaps - 1
        has_days = bool(column.parts) and column.parts[-1] == "days"
        low, high = (column.first + limits[[0, 2], places[at]]).tolist() if has_days else (fill, fill)
        unit = "time" if column.written == TIME_OF_DAY else "moment" if "hour" in column.parts else "day"
        more = {"kind": "date", "parts": list(column.parts), "first": column.first, "unit": unit}
        return {**found, **more, "is_whole": unit == "day", **_limits(low, high, fill)}
    values = np.array([low, high, *rows[:, places[0]]])
    is_whole = bool((np.abs(values - np.rint(values)) <= 1e-6 * (1.0 + np.abs(values))).all())
    return {**found, "kind": "number", "is_whole": is_whole, **_limits(low, high, fill)}


def _limits(low: float, high: float, fill: float) -> dict[str, Any]:
    """Range, what fills gaps, and the same to a thousandth of the range, which is typical."""
    digits = int(np.ceil(-np.log10((high - low) / 1000.0))) if high > low else 15
    return {"low": low, "high": high, "fill": fill, "typical": round(fill, min(digits, 300))}


def _of_words(column: Column, rows: np.ndarray) -> dict[str, Any]:
    """A column of words: the most frequent one, gap or rest among support vectors is typical of it."""
    n_plain = column._n_plain if isinstance(column, Text) else len(column.features)
    cells: list[str | None] = [*column.words, *([None] if column.has_gaps else []), ""]
    frequent = rows[:, :n_plain].mean(axis=0) if n_plain and len(rows) else np.empty(0)
    found: dict[str, Any] = {
        "kind": "words",
        "words": list(column.words),
        "is_pooled": bool(column.is_pooled),
        "fill": column.fill,
        "n_plain": n_plain,
        "typical": cells[int(np.argmax(frequent))] if len(frequent) else "",
    }
    if isinstance(column, Text):
        found |= {
            "kind": "text",
            "groups": list(column.groups),
            "rarity": packed(column.rarity, "f8"),
            "directions": [quantised(direction) for direction in column.directions],
        }
    return found


def cells_of(model: Any, X: RowsLike) -> list[list[Any]]:
    """Rows as the form of a page takes them: numbers, texts, days since 1970; None where one is missing."""
    if not hasattr(model, "encoder_"):
        return [list(map(_known, row)) for row in np.asarray(model._read_features(X), dtype=float).tolist()]
    table = model.encoder_.table(X)
    columns = [_cells(column, cells) for column, cells in zip(_columns(model), table.columns, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(column: Column, cells: np.ndarray) -> list[Any]:
    if isinstance(column, LeftOut):
        return [None] * len(cells)
    if column.is_words:
        return cells.tolist()
    return [_known(value) for value in (days_of(cells) if isinstance(column, Dates) else cells).tolist()]


def _known(value: float) -> float | None:
    return value if np.isfinite(value) else None


# -- numbers -------------------------------------------------------------------------------------------------


def _terms(plain: PlainModel, machine: Any, precision: str) -> list[dict[str, Any]]:
    """The kernels, each with its coefficients; ``weight`` is that of the kernel in distances between rows.

    Distances are those of ``kernel_``, whose parts come first; other kernels of a machine have no part in
    them.
    """
    weights = [float(weight) for weight, _ in machine.kernel_.parts()]
    weights += [0.0] * (len(plain.terms) - len(weights))
    return [
        {
            "form": term.form,
            "scale": float(term.scale),
            "coef0": float(term.coef0),
            "degree": int(term.degree),
            "L": _packed_map(term.L),
            "beta": [packed(row, precision) for row in term.weight * term.beta],
            "weight": weight,
        }
        for term, weight in zip(plain.terms, weights, strict=True)
    ]


def _packed_map(L: np.ndarray | None) -> Any:
    if L is None:
        return None
    return packed(L, "f8") if L.ndim == 1 else packed_matrix(L, "f8")


def _bars(model: Any, plain: PlainModel) -> dict[str, Any] | None:
    """What Shapley values of one row are computed from; None where they are not exact."""
    reader = Reader(model)
    if reader.products() is None:
        return None
    output = None
    if hasattr(model, "classes_"):  # one of which there are exact values, as in the report
        output = "machine-values" if model.sigmoids_ is None else "probability-log-odds"
    outputs = outputs_of(model, output)
    nodes, weights = nodes_for(len(reader.names) - 1, BAR_ERROR)
    steps = plain.support.shape[0] * len(reader.names) * len(nodes) * len(plain.terms)
    rows = reader.support_vectors(0, int(np.clip(MOST_STEPS / steps, *N_BACKGROUND)))
    return {
        "outputs": outputs.weights.tolist(),
        "offset": np.broadcast_to(outputs.offset, len(outputs.names)).tolist(),
        "is_odds": output == "probability-log-odds",
        "n_background": len(rows),
        "background": packed_matrix((rows - plain.shift) * plain.factor, "f4"),
        "nodes": packed(nodes, "f8"),
        "weights": packed(weights, "f8"),
    }


def _rounded(plain: PlainModel) -> PlainModel:
    """The same in single precision."""
    return replace(
        plain,
        support=plain.support.astype(np.float32).astype(float),
        terms=[replace(term, beta=term.beta.astype(np.float32).astype(float)) for term in plain.terms],
    )


def is_as_good(model: Any, plain: PlainModel, rounded: PlainModel) -> bool:
    """Whether labels and two digits of probabilities stay, on support vectors and the medians of columns."""
    support = _dense(model.best_estimator_.support_vectors_)
    some = np.unique(np.linspace(0, max(len(support) - 1, 0), N_CHECKED).astype(int))[: len(support)]
    X = np.vstack([support[some] / plain.factor + plain.shift, model.training_range_[1]])
    with np.errstate(over="ignore", invalid="ignore"):
        exact, found = plain.machine_values(X), rounded.machine_values(X)
        gap = np.abs(found - exact).max()
    if plain.sigmoids is not None:
        n = len(model.classes_)
        both = (class_probabilities(log_odds(f, plain.sigmoids), n, plain.machines) for f in (exact, found))
        gap, most = np.abs(np.subtract(*both)).max(), SAME_PROBABILITY
    else:
        most = SAME_VALUE * max(float(np.ptp(exact)), 1e-300)
    return bool(gap <= most) and np.array_equal(_labels(model, exact), _labels(model, found))


def _labels(model: Any, values: np.ndarray) -> np.ndarray:
    """Places of the labels of machine values; none of a regression."""
    if not hasattr(model, "classes_"):
        return values[:, 0] >= 0.0 if is_outlier_detector(model) else np.empty(0)
    sigmoids = model.sigmoids_ if model.goes_by_probability_ else None
    return decide(values, sigmoids, len(model.classes_), model.multiclass_, model.costs_)


def _dense(rows: Any) -> np.ndarray:
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=float)


def packed(values: np.ndarray, precision: str) -> dict[str, str]:
    """Numbers as base64, in double ("f8") or single precision ("f4"); few different ones by their places."""
    values = np.asarray(values, dtype=float)
    listed, places = np.unique(values, return_inverse=True)
    if len(listed) <= MOST_LISTED and len(values) + 8 * len(listed) < int(precision[1]) * len(values):
        return {"u1": _text(places.astype("u1")), "of": _text(listed.astype("<f8"))}
    return {precision: _text(values.astype(f"<{precision}"))}


def quantised(values: np.ndarray) -> dict[str, Any]:
    """Numbers that need few digits, as multiples of a thirty-thousandth of the largest."""
    unit = float(np.abs(values).max()) / 32767.0 or 1.0
    return {"i2": _text(np.rint(values / unit).astype("<i2")), "unit": unit}


def packed_matrix(values: np.ndarray, precision: str) -> list[dict[str, str]]:
    """A matrix, column by column."""
    return [packed(column, precision) for column in values.T]


def _text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
