"""Trained machines for other programs: plain numbers, which ONNX graphs and C files are written from.

Of scikit-learn's own classes is the Pipeline of `kernelwise.export.pipeline`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from kernelwise._core.typing import Samples, is_sparse
from kernelwise.conformal import OF_PREDICTIONS, WIDTHS
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES_OF, inner_products
from kernelwise.kernels.radial import mapped
from kernelwise.multiclass import STRATEGIES

__all__ = [
    "FittedMachine",
    "PlainModel",
    "Term",
    "has_plain_scaling",
    "has_terms",
    "plain_model",
    "plain_numbers",
    "plain_width",
]

#: By how much kernel values may differ, relative to the largest.
TOLERANCE = 1e-9
#: Support vectors on which that is checked, at most.
N_CHECKED = 100
#: What is left to do with a model that cannot be written as plain numbers.
ELSE = "Keep the model with pickle, or with save(path) if the kernel is one of kernelwise."


class FittedMachine(Protocol):
    """What is read of a fitted machine; one of numbers has no classes, and one of classes no ε."""

    C: float
    beta_: np.ndarray
    break_ties: bool
    classes_: np.ndarray
    coef_: np.ndarray
    decision_function_shape: str
    dual_coef_: np.ndarray
    epsilon: float
    fit_status_: int
    intercept_: np.ndarray
    kernel: Any
    kernel_: Any
    machines_: str
    max_iter: int
    multiclass_: str
    n_features_in_: int
    n_iter_: np.ndarray
    n_support_: np.ndarray
    n_trained_: int
    support_: np.ndarray
    support_vectors_: Samples
    tol: float

    def predict(self, X: Samples) -> np.ndarray: ...
    def kernel_columns(self) -> list[tuple[Any, np.ndarray]]: ...
    def machine_values(self, X: Samples) -> np.ndarray: ...


@dataclass(frozen=True)
class Term:
    """One kernel of a machine, times ``weight``, of samples z and s after the linear map L (see `Kernel`).

    ``form`` is a distance D of exp(−scale·D), or "linear" zᵀs, "poly" (scale·zᵀs + coef0)^degree and
    "sigmoid" tanh(scale·zᵀs + coef0). ``beta``, of shape (n_machines, n_support), has the coefficients of its
    values. The kernels of a sum have one and the same array.
    """

    title: str
    weight: float
    form: str
    beta: np.ndarray
    scale: float = 1.0
    coef0: float = 0.0
    degree: int = 1
    L: np.ndarray | None = None

    @property
    def is_distance(self) -> bool:
        """Whether the kernel is exp(−scale·D)."""
        return self.form in DISTANCES_OF

    def values(self, Z: np.ndarray, S: np.ndarray) -> np.ndarray:
        """Weighted kernel values of shape (n_rows, n_support)."""
        if self.L is not None:
            Z, S = mapped(Z, self.L), mapped(S, self.L)
        if self.is_distance:
            return self.weight * np.exp(-self.scale * DISTANCES_OF[self.form](Z, S))
        products = inner_products(Z, S)
        if self.form == "linear":
            return self.weight * products
        products = self.scale * products + self.coef0
        return self.weight * (np.tanh(products) if self.form == "sigmoid" else products**self.degree)


@dataclass(frozen=True)
class PlainModel:
    """Numbers of a machine f(x) = Σ_terms Σ_i β_i k(z_i, z) + b with z = (x − shift)∘factor.

    ``support`` has the shape (n_support, n_features), β of a term (n_machines, n_support), ``intercept``
    (n_machines,), and so on. ``classes`` is None for a regression. ``rule`` is what labels go by:
    "probability", "costs" (of shape (n_classes, n_classes)), "sign" (two classes), "largest", "votes" or
    "ranked votes" (with ``break_ties``). ``quantiles`` are those of a regression with several machines, whose
    predictions are put in order. ``width`` is there if intervals were asked for (see `plain_width`).
    """

    title: str
    names: list[str]
    shift: np.ndarray
    factor: np.ndarray
    terms: list[Term]
    support: np.ndarray
    intercept: np.ndarray
    classes: np.ndarray | None = None
    machines: str = "ovo"
    sigmoids: np.ndarray | None = None
    rule: str = ""
    costs: np.ndarray | None = None
    quantiles: tuple[float, ...] = ()
    width: PlainModel | None = None

    @property
    def sums(self) -> list[list[Term]]:
        """The terms, those of the same coefficients together: their values are added up first."""
        together: dict[int, list[Term]] = {}
        for term in self.terms:
            together.setdefault(id(term.beta), []).append(term)
        return list(together.values())

    @property
    def size(self) -> int:
        """About how many numbers there are to write."""
        copies = 1 + sum(term.L is not None and term.L.ndim == 2 for term in self.terms)
        of_width = 0 if self.width is None else self.width.size
        return copies * self.support.size + sum(terms[0].beta.size for terms in self.sums) + of_width

    def machine_values(self, X: np.ndarray) -> np.ndarray:
        """Decision values, or predictions, of shape (n_samples, n_machines)."""
        Z = (X - self.shift) * self.factor
        values = np.tile(self.intercept, (len(Z), 1))
        for terms in self.sums:
            values += sum(term.values(Z, self.support) for term in terms) @ terms[0].beta.T
        return values


def plain_model(model: Any, machine: FittedMachine) -> PlainModel:
    """Return the numbers of a fitted estimator whose trained machine is ``machine``, or raise.

    Mean and scale of a regression's targets are in β and b.
    """
    return replace(plain_numbers(model, machine), **_labels(model, machine))


def plain_width(model: Any, coverage: float) -> PlainModel:
    """The logarithm of half the width of a model's intervals, in the units of y, as a machine of its own.

    Its rows have one more feature, the prediction.
    """
    if not hasattr(model, "predict_interval"):
        raise IncompatibleError(
            f"Intervals need the held-out rows of a TunedSVR, and {type(model).__name__} has none. Leave out "
            "'interval'."
        )
    limit, spread, n_features = (
        model._spreads_within(coverage),
        model._spread,
        model.best_estimator_.n_features_in_,
    )
    shift, factor = _affine(model.scaler_, n_features)
    mean, deviation = model.target_mean_, model.target_scale_
    of_row = np.append(np.ones(n_features), 0.0)
    support, beta = np.zeros((1, n_features + 1)), np.zeros((1, 1))
    if len(spread.coefficients):
        centres = spread.centres.toarray() if is_sparse(spread.centres) else spread.centres
        support, beta = np.column_stack([centres, spread.predictions]), spread.coefficients[None, :]
    rows = [
        Term("RBF of rows", 1.0, "sqeuclidean", beta, width / spread.distance, L=of_row) for width in WIDTHS
    ]
    of_prediction = Term("RBF of the prediction", 1.0, "sqeuclidean", beta, OF_PREDICTIONS, L=1.0 - of_row)
    least = np.finfo(float).tiny  # the logarithm of no width at all is no number that a file can hold
    return PlainModel(
        title=f"intervals that contain the truth of {100.0 * coverage:g} % of new rows",
        names=[*_names(model, n_features), "prediction"],
        shift=np.append(shift, mean),
        factor=np.append(factor, 1.0 / deviation),
        terms=[*rows, of_prediction],
        support=support,
        intercept=np.array([spread.level + np.log(max(limit * deviation, least))]),
    )


def _names(model: Any, n_features: int) -> list[str]:
    """Names of the features, after words are coded."""
    names = getattr(model, "feature_names_in_", [f"feature {k}" for k in range(n_features)])
    if hasattr(model, "encoder_"):
        names = model.encoder_.feature_names
    return [str(name) for name in names]


def plain_numbers(model: Any, machine: FittedMachine) -> PlainModel:
    """The same without what labels go by: any strategy has decision values."""
    for kernel, _ in machine.kernel_columns():
        _check_kernel(machine, kernel)
    n_features = machine.n_features_in_
    shift, factor = _affine(getattr(model, "scaler_", None), n_features)
    mean, deviation = getattr(model, "target_mean_", 0.0), getattr(model, "target_scale_", 1.0)
    support, columns = _support(machine)
    terms = [term for kernel, beta in columns for term in _terms(kernel, deviation * beta, support)]
    return PlainModel(
        title=f"{type(model).__name__} with {'; '.join(str(kernel) for kernel, _ in columns)}",
        names=_names(model, n_features),
        shift=shift,
        factor=factor,
        terms=terms,
        support=support,
        intercept=mean + deviation * np.asarray(machine.intercept_, dtype=float),
    )


def _support(machine: FittedMachine) -> tuple[np.ndarray, list[tuple[Kernel, np.ndarray]]]:
    """Support vectors, (n_support, n_features), at least one, and kernels, each with (n_machines, n_support).

    The latter are the coefficients β of its values.
    """
    support, columns, n_machines = machine.support_vectors_, machine.kernel_columns(), len(machine.intercept_)
    if len(columns) == 1 and machine.kernel_.is_linear:  # weights of features are support vectors enough
        return np.asarray(machine.coef_, dtype=float), [(machine.kernel_, np.eye(n_machines))]
    if not support.shape[0]:  # a constant
        return np.zeros((1, machine.n_features_in_)), [(machine.kernel_, np.zeros((n_machines, 1)))]
    support = np.asarray(support.toarray() if is_sparse(support) else support, dtype=float)
    return support, [(kernel, np.asarray(beta, dtype=float)) for kernel, beta in columns]


def _check_terms(terms: list[Term], kernel: Kernel, support: np.ndarray) -> None:
    """Raise if a kernel, of a user's own class, is not what it says of itself."""
    S = support[:N_CHECKED]
    expected = kernel(S)
    gap = np.abs(sum(term.values(S, S) for term in terms) - expected).max()
    if not gap <= TOLERANCE * np.abs(expected).max():
        raise IncompatibleError(
            f"{type(kernel).__name__} does not agree with its 'distance', 'scale' and 'linear_map': values "
            f"differ by {gap:.1e}. {ELSE}"
        )


def _labels(model: Any, machine: FittedMachine) -> dict[str, Any]:
    """What a classifier, or a one-class machine, has beyond the numbers of a regression."""
    if is_outlier_detector(machine):
        return {"classes": np.array([-1, 1]), "rule": "sign"}
    if not hasattr(machine, "classes_"):
        return {"quantiles": tuple(model.quantile)} if getattr(machine, "has_many", False) else {}
    if STRATEGIES[machine.multiclass_].rejects:
        raise IncompatibleError(
            f"Neither to_onnx nor to_c rejects samples as multiclass={machine.multiclass_!r} does. Fit with "
            f"multiclass='ovo'. {ELSE}"
        )
    rule = "votes" if machine.machines_ == "ovo" else "largest"
    if model.goes_by_probability_:
        rule = "probability" if model.costs_ is None else "costs"
    elif len(machine.classes_) == 2:
        rule = "sign"
    elif getattr(machine, "break_ties", False):
        rule = "ranked votes" if rule == "votes" else rule
    how = {"machines": machine.machines_, "sigmoids": model.sigmoids_, "rule": rule, "costs": model.costs_}
    return {"classes": model.classes_, **how}


def _terms(kernel: Kernel, beta: np.ndarray, support: np.ndarray) -> list[Term]:
    """The kernels of the sum that a kernel is, with coefficients of shape (n_machines, n_support)."""
    terms = [_term(weight, part, beta, support.shape[1]) for weight, part in kernel.parts()]
    _check_terms(terms, kernel, support)
    if len(terms) > 1:
        return terms
    # The weight of a single kernel is one of the coefficients.
    return [replace(terms[0], weight=1.0, beta=terms[0].weight * beta)]


def _check_kernel(machine: FittedMachine, kernel: Any) -> None:
    """Raise unless a kernel of a machine is one of samples."""
    if not isinstance(kernel, Kernel):
        what = f"kernel={machine.kernel!r}" if isinstance(machine.kernel, str) else "a function of your own"
        raise IncompatibleError(
            f"to_onnx and to_c need a kernel of kernelwise, but this model has {what}. {ELSE}"
        )
    if kernel.takes_distances:
        raise IncompatibleError(
            f"to_onnx and to_c need a model of samples, but this model uses distances. {ELSE}"
        )


def has_terms(kernel: Kernel) -> bool:
    """Whether a kernel is a sum of kernels that a `Term` can be."""
    parts = [part for _, part in kernel.parts()]
    return not kernel.takes_distances and all(
        part.distance is not None or part.sklearn_params() is not None for part in parts
    )


def _term(weight: float, part: Kernel, beta: np.ndarray, n_features: int) -> Term:
    L = part.linear_map(n_features)
    if part.distance is not None:
        return Term(part.title, weight, part.distance, beta, part.scale, L=L)
    params = part.sklearn_params()
    if params is None:
        raise IncompatibleError(
            "to_onnx and to_c write kernels exp(−s·D) of a distance D, linear, polynomial and sigmoid ones, "
            f"and their sums, but this model has {type(part).__name__}. {ELSE}"
        )
    numbers = params.get("gamma", 1.0), params.get("coef0", 0.0), params.get("degree", 1)
    return Term(part.title, weight, params["kernel"], beta, *numbers, L=L)


def has_plain_scaling(scaler: object) -> bool:
    """Whether a scaler, or none, is (x − shift)∘factor."""
    kinds = (type(None), StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)
    return type(scaler) in kinds and not getattr(scaler, "clip", False)


def _affine(scaler: Any, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """A scaler as (x − shift)∘factor, each of shape (n_features,)."""
    shift, factor = np.zeros(n_features), np.ones(n_features)
    if scaler is None:
        return shift, factor
    kind = type(scaler)
    if not has_plain_scaling(scaler):
        raise IncompatibleError(
            "to_onnx and to_c write StandardScaler, MinMaxScaler without clip, MaxAbsScaler and "
            f"RobustScaler, but this model has {scaler}. {ELSE}"
        )
    if kind is MinMaxScaler:
        return -scaler.min_ / scaler.scale_, np.array(scaler.scale_)
    centre = getattr(scaler, "center_", None) if kind is RobustScaler else getattr(scaler, "mean_", None)
    if centre is not None and getattr(scaler, "with_mean", True):
        shift = np.array(centre, dtype=float)
    return shift, factor if scaler.scale_ is None else 1.0 / scaler.scale_
