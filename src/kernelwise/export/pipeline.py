"""A trained machine as a Pipeline of scikit-learn's own classes."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline

from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.export.calibrated import calibrated
from kernelwise.export.coding import column_transformer
from kernelwise.export.libsvm import classifier, regressor
from kernelwise.export.linear_map import map_transformer
from kernelwise.export.plain_model import has_terms
from kernelwise.kernels import Kernel
from kernelwise.multiclass import shown_values
from kernelwise.solvers.probability import class_probabilities, log_odds
from kernelwise.tables import Encoder

#: By how much decision values may differ, relative to the largest.
TOLERANCE = 1e-6
#: More is an error, unless it is this little of the sum of |β_i k(x_i, x)|, which is rounding and a warning.
ROUNDING = 1e-14
#: Support vectors on which that is checked, at most.
N_CHECKED = 200
#: Where a model can go whose kernel scikit-learn does not have.
ELSEWHERE = (
    "Export the model with to_onnx(path) or to_c(path), keep it with save(path), or fit with kernel='rbf' or "
    "kernel='diagonal', which scikit-learn has."
)


def as_pipeline(
    scaler: Any,
    machine: Any,
    names: np.ndarray | None = None,
    mean: float = 0.0,
    deviation: float = 1.0,
    sigmoids: np.ndarray | None = None,
    costs: np.ndarray | None = None,
    encoder: Encoder | None = None,
) -> Pipeline:
    """Return the steps "columns", "scaler", "map" and "svc" or "svr", without those that change nothing.

    The machine was trained on scaled samples, and ``mean`` and ``deviation`` are of the targets that a
    regression was standardised by: its predictions are linear in β and b, so that both are in the
    coefficients of the Pipeline's SVR. ``sigmoids``, of shape (n_machines, 2), are those of a classifier
    whose labels go by probabilities, None of one whose labels go by decision values; ``costs``, of shape
    (2, 2), are those that its labels go by, if any. ``encoder`` is that of a model of a table with words or
    gaps, and ``names`` are those of the table.

    The coefficients are ours, not those of a second training: that would stop at its own tolerance of 1e-3,
    and agree no better. scikit-learn has no public way to set them, so a small machine is fitted, which sets
    all that its version needs, its coefficients are replaced, and the values are compared.
    """
    settings = _kernel_settings(machine)
    # Without a support vector the machine is a constant, which needs no map.
    step = map_transformer(machine.kernel_, machine.n_features_in_) if machine.support_.size else None
    if step is not None:
        # Whatever is configured: the machine has no names for its columns.
        step.set_output(transform="default")
    mapped = machine.support_vectors_ if step is None else step.transform(machine.support_vectors_)
    if is_regressor(machine):
        last, name = regressor(machine, settings, mapped, mean, deviation), "svr"
    else:
        last, name = classifier(machine, settings, mapped), "svc"
    _check_agreement(machine, last, mapped, (mean, deviation))
    if sigmoids is not None:
        svc, last = last, calibrated(last, mapped, sigmoids, costs)
        _check_probabilities(machine, svc, last, mapped, sigmoids)
    columns = None if encoder is None else column_transformer(encoder)
    steps = [("columns", columns), ("scaler", deepcopy(scaler)), ("map", step), (name, last)]
    pipeline = Pipeline([(name, part) for name, part in steps if part is not None])
    first = pipeline[0]
    if encoder is None and names is not None and not hasattr(type(first), "feature_names_in_"):
        first.feature_names_in_ = np.array(names, dtype=object)
    return pipeline


def _kernel_settings(machine: Any) -> dict[str, Any]:
    """The kernel in scikit-learn's words."""
    kernel = machine.kernel_
    settings = kernel.sklearn_params() if isinstance(kernel, Kernel) else None
    if settings is not None:
        return settings
    if isinstance(kernel, Kernel):
        what = type(kernel).__name__
    else:
        what = f"kernel={machine.kernel!r}" if isinstance(machine.kernel, str) else "a function of your own"
    can_go = isinstance(kernel, Kernel) and has_terms(kernel)
    raise IncompatibleError(
        f"to_sklearn needs a kernel that scikit-learn's {type(machine).__name__} computes by itself "
        f"(Gaussian family, linear, polynomial or sigmoid), but this model has {what}. "
        + (ELSEWHERE if can_go else "Keep the model with save(path) or pickle.")
    )


def _check_agreement(machine: Any, last: Any, mapped: Any, target: tuple[float, float]) -> None:
    """Raise if rounding, or another version of scikit-learn, makes another machine of the coefficients."""
    if not machine.support_.size:  # a constant
        return
    rows = _checked_rows(machine)
    support_vectors = machine.support_vectors_
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        ours = _values(machine, support_vectors[rows], target)
    theirs = (last.predict if is_regressor(machine) else last.decision_function)(mapped[rows])
    gap = np.abs(ours - theirs).max() if ours.shape == theirs.shape else np.inf
    # Decision values have the unit 1; predictions that of y, whatever it is.
    largest = np.abs(ours).max() if is_regressor(machine) else max(1.0, np.abs(ours).max())
    if gap <= TOLERANCE * largest:
        return
    K = machine.kernel_(support_vectors, support_vectors[rows])
    terms = (target[1] * (np.abs(machine.beta_) @ np.abs(K))).max()
    if not gap <= ROUNDING * terms:
        raise RuntimeError(
            f"scikit-learn's decision values from the same coefficients differ by {gap:.1e}: the Pipeline "
            "would be a different model. This version of scikit-learn is not supported; please report it."
        )
    warnings.warn(
        f"The Pipeline's decision values differ by up to {gap:.1e}, by rounding: they are sums of terms as "
        f"large as {terms:.1e}. Scale the features, or choose a kernel with smaller values or a smaller C.",
        KernelwiseWarning,
        stacklevel=4,
    )


def _checked_rows(machine: Any) -> np.ndarray:
    """Places of the support vectors that answers are compared at."""
    return np.unique(np.linspace(0, machine.support_.size - 1, N_CHECKED).astype(int))


def _check_probabilities(machine: Any, svc: Any, last: Any, mapped: Any, sigmoids: np.ndarray) -> None:
    """Raise if another version of scikit-learn makes other probabilities of the sigmoids."""
    rows = _checked_rows(machine)
    values = svc.decision_function(mapped[rows]).reshape(len(rows), -1)
    ours = class_probabilities(log_odds(values, sigmoids), len(machine.classes_), machine.machines_)
    theirs = last.predict_proba(mapped[rows])
    gap = np.abs(ours - theirs).max() if ours.shape == theirs.shape else np.inf
    if not gap <= TOLERANCE:
        raise RuntimeError(
            f"scikit-learn's probabilities from the same sigmoids differ by {gap:.1e}: the Pipeline would "
            "give other probabilities. This version of scikit-learn is not supported; please report it."
        )


def _values(machine: Any, Z: Any, target: tuple[float, float]) -> np.ndarray:
    """What the Pipeline's machine must return for samples as ours takes them."""
    if is_regressor(machine):
        mean, deviation = target
        return mean + deviation * machine.predict(Z)
    values, n_classes = machine.machine_values(Z), len(machine.classes_)
    return shown_values(values, n_classes, machine.decision_function_shape, machine.machines_)
