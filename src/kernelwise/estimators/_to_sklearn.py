"""A trained machine as a Pipeline of scikit-learn's own classes."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC as LibSVC

from ..exceptions import IncompatibleError, KernelwiseWarning
from ..kernels import Kernel, Linear, Polynomial, Sigmoid
from ..kernels.radial import GaussianFamily
from ._linear_map import map_transformer
from ._replace_machine import replace_machine
from .multiclass import STRATEGIES

#: By how much decision values may differ, relative to the largest.
TOLERANCE = 1e-6
#: More is an error, unless it is this little of the sum of |β_i k(x_i, x)|, which is rounding and a warning.
ROUNDING = 1e-14
#: Support vectors on which that is checked, at most.
N_CHECKED = 200


def as_pipeline(scaler: Any, machine: Any, names: np.ndarray | None = None) -> Pipeline:
    """Return the steps "scaler", "map" and "svc", without those that would change nothing.

    Parameters
    ----------
    scaler : fitted transformer or None
    machine : kernelwise.SVC
        Trained on scaled samples.
    names : ndarray of shape (n_features,), default=None
        Names of the features.

    Notes
    -----
    The coefficients are ours, not those of a second training: that would stop at its own tolerance of 1e-3,
    and agree no better. scikit-learn has no public way to set them, so a small SVC is fitted, which sets all
    that its version needs, its machine is replaced, and the decision values are compared.
    """
    settings = _kernel_settings(machine)
    _check_strategy(machine)
    step = None
    if isinstance(machine.kernel_, GaussianFamily):
        step = map_transformer(machine.kernel_, machine.n_features_in_)
    support_vectors = machine.support_vectors_
    mapped = support_vectors if step is None else step.transform(support_vectors)
    one_vs_rest = len(machine.classes_) > 2 and machine._trained_as == "ovr"
    svc = (_one_vs_rest if one_vs_rest else _one_vs_one)(machine, settings, mapped)
    _check_agreement(machine, svc, support_vectors, mapped)
    steps = [("scaler", deepcopy(scaler)), ("map", step), ("svc", svc)]
    pipeline = Pipeline([(name, part) for name, part in steps if part is not None])
    first = pipeline[0]
    if names is not None and not hasattr(type(first), "feature_names_in_"):
        first.feature_names_in_ = np.array(names, dtype=object)
    return pipeline


def _kernel_settings(machine: Any) -> dict[str, Any]:
    """The kernel in scikit-learn's words."""
    kernel = machine.kernel_
    if isinstance(kernel, GaussianFamily):
        return {"kernel": "rbf", "gamma": kernel.scale}
    if type(kernel) is Linear:
        return {"kernel": "linear"}
    if type(kernel) is Polynomial:
        degree, gamma, coef0 = int(kernel.degree), float(kernel.gamma), float(kernel.coef0)
        return {"kernel": "poly", "degree": degree, "gamma": gamma, "coef0": coef0}
    if type(kernel) is Sigmoid:
        return {"kernel": "sigmoid", "gamma": float(kernel.gamma), "coef0": float(kernel.coef0)}
    what = type(kernel).__name__ if isinstance(kernel, Kernel) else _name(machine.kernel)
    raise IncompatibleError(
        f"to_sklearn needs a kernel that scikit-learn's SVC computes by itself (Gaussian family, linear, "
        f"polynomial or sigmoid), and this machine has {what}. Keep the model with save(path) or pickle."
    )


def _name(kernel: Any) -> str:
    return f"kernel={kernel!r}" if isinstance(kernel, str) else "a function of your own"


def _check_strategy(machine: Any) -> None:
    if STRATEGIES[machine._strategy].rejects:
        raise IncompatibleError(
            f"scikit-learn's SVC does not reject samples as multiclass={machine._strategy!r} does, so "
            "to_sklearn would change predictions. Fit with multiclass='ovo', or keep the model with "
            "save(path) or pickle."
        )
    if not machine.support_.size:
        raise ValueError(
            "This machine has no support vectors, and scikit-learn's SVC needs some. Fit with a smaller tol."
        )


def _small_svc(machine: Any, settings: dict[str, Any], **more: Any) -> LibSVC:
    return LibSVC(C=float(machine.C), **settings, **more)


def _start(machine: Any, mapped: Any) -> Any:
    """One row of zeros for each class, dense or sparse as the machine's samples are."""
    shape = (len(machine.classes_), mapped.shape[1])
    return sparse.csr_matrix(shape) if sparse.issparse(mapped) else np.zeros(shape)


def _one_vs_one(machine: Any, settings: dict[str, Any], mapped: Any) -> LibSVC:
    shape, break_ties = machine.decision_function_shape, machine.break_ties
    svc = _small_svc(machine, settings, decision_function_shape=shape, break_ties=break_ties)
    svc.fit(_start(machine, mapped), machine.classes_)
    replace_machine(svc, machine.support_, mapped, machine.n_support_, machine.dual_coef_, machine.intercept_)
    _copy_record(machine, svc, machine.n_iter_)
    return svc


def _one_vs_rest(machine: Any, settings: dict[str, Any], mapped: Any) -> OneVsRestClassifier:
    svc = OneVsRestClassifier(_small_svc(machine, settings)).fit(_start(machine, mapped), machine.classes_)
    label = np.repeat(np.arange(len(machine.classes_)), machine.n_support_)
    for k, part in enumerate(svc.estimators_):
        rest = np.flatnonzero((machine._beta[k] != 0) & (label != k))
        own = np.flatnonzero((machine._beta[k] != 0) & (label == k))
        used = np.concatenate([rest, own])
        replace_machine(
            part,
            machine.support_[used],
            mapped[used],
            np.array([rest.size, own.size]),
            machine._beta[k : k + 1, used],
            machine.intercept_[k : k + 1],
        )
        _copy_record(machine, part, machine.n_iter_[k : k + 1])
    return svc


def _copy_record(machine: Any, svc: LibSVC, n_iter: np.ndarray) -> None:
    """What is written down about the training; predictions do not depend on it."""
    svc.set_params(tol=machine.tol, max_iter=machine.max_iter)
    svc.shape_fit_ = (machine._n_trained, svc.n_features_in_)
    svc.fit_status_, svc.n_iter_ = machine.fit_status_, n_iter.copy()


def _check_agreement(machine: Any, svc: Any, support_vectors: Any, mapped: Any) -> None:
    """Raise if rounding, or another version of scikit-learn, makes another machine of the coefficients."""
    rows = np.unique(np.linspace(0, machine.support_.size - 1, N_CHECKED).astype(int))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        ours = machine.decision_function(support_vectors[rows])
    theirs = svc.decision_function(mapped[rows])
    gap = np.abs(ours - theirs).max() if ours.shape == theirs.shape else np.inf
    if gap <= TOLERANCE * max(1.0, np.abs(ours).max()):
        return
    terms = (np.abs(machine._beta) @ np.abs(machine.kernel_(support_vectors, support_vectors[rows]))).max()
    if not gap <= ROUNDING * terms:
        raise RuntimeError(
            f"scikit-learn's decision values from the same coefficients differ by {gap:.1e}: the Pipeline "
            "would be another machine. This version of scikit-learn is not supported; please report it."
        )
    warnings.warn(
        f"The Pipeline's decision values differ by up to {gap:.1e}, by rounding: they are sums of terms as "
        f"large as {terms:.1e}. Scale the features, or choose a kernel with smaller values or a smaller C.",
        KernelwiseWarning,
        stacklevel=4,
    )
