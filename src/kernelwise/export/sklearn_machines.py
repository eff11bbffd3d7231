"""Machines of scikit-learn with the coefficients of ours; nothing else may set private attributes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC as LibSVC
from sklearn.svm import SVR as LibSVR

from kernelwise._core.typing import Samples
from kernelwise.exceptions import IncompatibleError
from kernelwise.export.machine import FittedMachine
from kernelwise.multiclass import STRATEGIES


def regressor(
    machine: FittedMachine, settings: dict[str, Any], mapped: Samples, mean: float, deviation: float
) -> LibSVR:
    """Return scikit-learn's SVR that predicts mean + deviation·f(x), f what the machine predicts.

    ``settings`` is the kernel in scikit-learn's words, and ``mapped``, of shape (n_SV, n_mapped), the support
    vectors after the kernel's linear map.
    """
    C, epsilon = float(deviation * machine.C), float(deviation * machine.epsilon)
    svr = LibSVR(C=C, epsilon=epsilon, **settings).fit(zeros(2, mapped), [0.0, 1.0])
    n_support = np.full(2, machine.support_.size)
    intercept = mean + deviation * machine.intercept_
    replace_machine(svr, machine.support_, mapped, n_support, deviation * machine.dual_coef_, intercept)
    _copy_record(machine, svr, machine.n_iter_)
    svr.set_params(tol=deviation * machine.tol)  # in the units of y, as C and ε are
    return svr


def classifier(
    machine: FittedMachine, settings: dict[str, Any], mapped: Samples
) -> LibSVC | OneVsRestClassifier:
    """Return scikit-learn's SVC, or a machine for each class, with the same decision values.

    Parameters are those of `regressor`, of a kernelwise SVC.
    """
    _check_labels(machine)
    if not machine.support_.size:
        raise ValueError(
            "This model has no support vectors, but scikit-learn's SVC needs some. Fit with a smaller tol."
        )
    is_one_vs_rest = len(machine.classes_) > 2 and machine.machines_ == "ovr"
    return (_one_vs_rest if is_one_vs_rest else _one_vs_one)(machine, settings, mapped)


def _check_labels(machine: FittedMachine) -> None:
    """Raise if scikit-learn's classes cannot give the same labels."""
    if STRATEGIES[machine.multiclass_].rejects:
        raise IncompatibleError(
            f"scikit-learn's SVC does not reject samples as multiclass={machine.multiclass_!r} does, so "
            "to_sklearn would change predictions. Fit with multiclass='ovo', or keep the model with "
            "save(path) or pickle."
        )


def _one_vs_one(machine: FittedMachine, settings: dict[str, Any], mapped: Samples) -> LibSVC:
    shape, break_ties = machine.decision_function_shape, machine.break_ties
    svc = LibSVC(C=float(machine.C), **settings, decision_function_shape=shape, break_ties=break_ties)
    svc.fit(zeros(len(machine.classes_), mapped), machine.classes_)
    coefficients = machine.dual_coef_, machine.intercept_
    replace_machine(svc, machine.support_, mapped, machine.n_support_, *coefficients)
    _copy_record(machine, svc, machine.n_iter_.copy())
    return svc


def _one_vs_rest(machine: FittedMachine, settings: dict[str, Any], mapped: Samples) -> OneVsRestClassifier:
    beta, intercept = machine.beta_, machine.intercept_
    svc = OneVsRestClassifier(LibSVC(C=float(machine.C), **settings))
    svc.fit(zeros(len(machine.classes_), mapped), machine.classes_)
    label = np.repeat(np.arange(len(machine.classes_)), machine.n_support_)
    for k, part in enumerate(svc.estimators_):
        rest = np.flatnonzero((beta[k] != 0) & (label != k))
        own = np.flatnonzero((beta[k] != 0) & (label == k))
        used = np.concatenate([rest, own])
        support = machine.support_[used], mapped[used], np.array([rest.size, own.size])
        replace_machine(part, *support, beta[k : k + 1, used], intercept[k : k + 1])
        _copy_record(machine, part, machine.n_iter_[k : k + 1].copy())
    return svc


def zeros(n_rows: int, mapped: Samples) -> Any:
    """Rows of zeros, dense or sparse as the machine's samples are."""
    shape = (n_rows, mapped.shape[1])
    return sparse.csr_matrix(shape) if sparse.issparse(mapped) else np.zeros(shape)


def _copy_record(machine: FittedMachine, svm: LibSVC | LibSVR, n_iter: int | np.ndarray) -> None:
    """What is written down about the training; predictions do not depend on it."""
    svm.set_params(tol=machine.tol, max_iter=machine.max_iter)
    svm.shape_fit_ = (machine.n_trained_, svm.n_features_in_)
    svm.fit_status_, svm.n_iter_ = machine.fit_status_, n_iter


def replace_machine(
    machine: Any,
    support: np.ndarray,
    support_vectors: Samples,
    n_support: np.ndarray,
    dual_coef: np.ndarray,
    intercept: np.ndarray,
) -> None:
    """Give a fitted scikit-learn SVC or SVR other support vectors and coefficients.

    What else LIBSVM wants to find on the object stays as scikit-learn itself has set it: it was fitted with
    the same classes and number of features, on dense or sparse samples as these are. ``support`` is ordered
    by class and ``n_support`` counts it by class (all of it, twice, for a regression). ``dual_coef``, of
    shape (n_classes - 1, n_SV), is in LIBSVM's layout: with two classes, positive for the second one, and one
    row for a regression.
    """
    machine.support_ = np.ascontiguousarray(support, dtype=np.int32)
    machine._n_support = np.ascontiguousarray(n_support, dtype=np.int32)
    # LIBSVM's own two-class machine is positive for the first class.
    sign = -1.0 if len(getattr(machine, "classes_", ())) == 2 else 1.0
    machine.intercept_, machine._intercept_ = np.array(intercept, dtype=float), sign * intercept
    if sparse.issparse(machine.support_vectors_):
        kind = type(machine.support_vectors_)
        machine.support_vectors_ = kind(support_vectors)
        machine.dual_coef_, machine._dual_coef_ = (_full_csr(kind, a) for a in (dual_coef, sign * dual_coef))
    else:
        machine.support_vectors_ = np.ascontiguousarray(support_vectors, dtype=float)
        machine.dual_coef_, machine._dual_coef_ = (
            np.array(a, dtype=float, order="C") for a in (dual_coef, sign * dual_coef)
        )


def _full_csr(kind: type, values: np.ndarray) -> Any:
    """A CSR matrix with every entry stored: LIBSVM reads the entries by their index."""
    n_rows, n_columns = values.shape
    indices = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
    indptr = np.arange(n_rows + 1, dtype=np.int32) * n_columns
    return kind((np.array(values, order="C").ravel(), indices, indptr), shape=values.shape)
