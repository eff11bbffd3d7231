"""A trained machine as a Pipeline of scikit-learn's own classes.

Before the machine come the coding of words and gaps, a ColumnTransformer, and the linear map of the kernel;
around it Platt's sigmoids, and a threshold of two classes.
"""

from __future__ import annotations

import warnings
from copy import deepcopy
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC as LibSVC
from sklearn.svm import SVR as LibSVR

from kernelwise._core.typing import Samples, Transformer
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.export import FittedMachine, has_terms
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES, shown_values
from kernelwise.solvers.probability import class_probabilities, log_odds, log_threshold
from kernelwise.tables import Column, Encoder, LeftOut

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
    scaler: Transformer | None,
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


def _kernel_settings(machine: FittedMachine) -> dict[str, Any]:
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


def _check_agreement(machine: FittedMachine, last: Any, mapped: Samples, target: tuple[float, float]) -> None:
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


def _checked_rows(machine: FittedMachine) -> np.ndarray:
    """Places of the support vectors that answers are compared at."""
    return np.unique(np.linspace(0, machine.support_.size - 1, N_CHECKED).astype(int))


def _check_probabilities(
    machine: FittedMachine, svc: Any, last: Any, mapped: Samples, sigmoids: np.ndarray
) -> None:
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


def _values(machine: FittedMachine, Z: Samples, target: tuple[float, float]) -> np.ndarray:
    """What the Pipeline's machine must return for samples as ours takes them."""
    if is_regressor(machine):
        mean, deviation = target
        return mean + deviation * machine.predict(Z)
    values, n_classes = machine.machine_values(Z), len(machine.classes_)
    return shown_values(values, n_classes, machine.decision_function_shape, machine.machines_)


def regressor(
    machine: FittedMachine, settings: dict[str, Any], mapped: Samples, mean: float, deviation: float
) -> LibSVR:
    """Return scikit-learn's SVR that predicts mean + deviation·f(x), f what the machine predicts.

    ``settings`` is the kernel in scikit-learn's words, and ``mapped``, of shape (n_SV, n_mapped), the support
    vectors after the kernel's linear map.
    """
    if getattr(machine, "has_many", False):
        raise IncompatibleError(
            "scikit-learn's SVR predicts one number for each row, and this model several quantiles. Use "
            "to_onnx(path) or to_c(path), or train a model for each quantile."
        )
    zone = 0.0 if getattr(machine, "loss", "") == "pinball" else machine.epsilon
    # Fitted with a C of one: on equal rows LIBSVM's steps are 10¹² long, and C has the unit of the target.
    svr = LibSVR(**settings).fit(zeros(2, mapped), [0.0, 1.0])
    n_support = np.full(2, machine.support_.size)
    intercept = mean + deviation * machine.intercept_
    replace_machine(svr, machine.support_, mapped, n_support, deviation * machine.dual_coef_, intercept)
    _copy_record(machine, svr, machine.n_iter_)
    C, epsilon, tol = (float(deviation * value) for value in (machine.C, zone, machine.tol))
    svr.set_params(C=C, epsilon=epsilon, tol=tol)  # in the units of y
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


#: What stands for a gap among words. It has to be no word, and the last in their order.
GAP = chr(0x10FFFD) + "missing"
#: What stands for the pooled words while an encoder is fitted.
RARE = chr(0x10FFFD) + "rare"
#: Libraries whose frames a ColumnTransformer can be fitted on.
LIBRARIES = ("pandas", "polars")


def column_transformer(encoder: Encoder) -> ColumnTransformer:
    """Return a fitted ColumnTransformer that produces the encoder's features.

    It is fitted on a made-up table, which holds all that it needs. Columns are found by their names if the
    encoder has names, else by their places.
    """
    columns = encoder.columns
    for column in columns:
        if type(column) is not Column and not isinstance(column, LeftOut):
            raise IncompatibleError(
                f"to_sklearn has no step for {column.noun}s, but column {column.name!r} holds some. Keep the "
                "model with save(path)."
            )
        if column.written is not None and len(column.written) > 1:  # more than the sign of decimals in a file
            raise IncompatibleError(
                f"to_sklearn has no step that reads numbers from text, but column {column.name!r} holds such "
                "text. Convert it to numbers before training, or keep the model with save(path)."
            )
    for k in encoder.words:
        if not columns[k].is_text:
            raise IncompatibleError(
                f"to_sklearn has no step that turns numbers into words, but column {columns[k].name!r} has "
                "numbers that count as words. Convert them to text before training, or keep the model with "
                "save(path)."
            )
    named = encoder.has_names and all(isinstance(column.name, str) for column in columns)

    def keys(places: list[int]) -> list[Any]:
        return [columns[k].name if named else k for k in places]

    steps: list[tuple[str, Any, list[Any]]] = []
    if encoder.numbers:
        steps.append(("numbers", SimpleImputer(strategy="median"), keys(encoder.numbers)))
    if encoder.gaps:
        steps.append(("gaps", MissingIndicator(features="all", error_on_new=False), keys(encoder.gaps)))
    steps += [(f"words {k}", _words(columns[k]), keys([k])) for k in encoder.words]
    made = ColumnTransformer(steps, sparse_threshold=0.0).set_output(transform="default")
    return made.fit(_table(columns, named))


def _words(column: Column) -> Pipeline:
    """Words as 0 and 1: those of the table that it is fitted on twice have a feature of their own."""
    alone: dict[str, Any] = {"handle_unknown": "ignore"}
    pooled = {"handle_unknown": "infrequent_if_exist", "min_frequency": 2}
    coder = OneHotEncoder(sparse_output=False, **(pooled if column.is_pooled else alone))
    # A gap is NaN in some data frames, and None in others.
    nan, none = (
        SimpleImputer(missing_values=gap, strategy="constant", fill_value=GAP) for gap in (np.nan, None)
    )
    return Pipeline([("nan", nan), ("none", none), ("words", coder)])


def _table(columns: tuple[Column, ...], named: bool) -> Any:
    """A table that a transformer learns all of the columns from."""
    cells = [_cells(column) for column in columns]
    n_rows = max(map(len, cells))
    table = np.empty((n_rows, len(columns)), dtype=object)
    for k, values in enumerate(cells):
        table[:, k] = [values[row % len(values)] for row in range(n_rows)]
        if columns[k].is_pooled:
            # Once only, however long the table is.
            table[:, k] = [*values, *(values[0] for _ in range(n_rows - len(values)))]
    if not named:
        return table
    library = next((name for name in LIBRARIES if find_spec(name) is not None), None)
    if library is None:
        raise IncompatibleError(
            "to_sklearn needs pandas or polars to write a model of a data frame, and neither is installed. "
            "Install pandas."
        )
    lists = {column.name: table[:, k].tolist() for k, column in enumerate(columns)}
    return import_module(library).DataFrame(lists)


def _cells(column: Column) -> list[Any]:
    if isinstance(column, LeftOut):
        return [GAP]
    if not column.is_words:
        return [column.fill]
    known = [*column.words, *([GAP] if column.has_gaps else [])]
    rare = [RARE] if column.is_pooled else []
    # The first is repeated once more where the table is longer; what is pooled must not be.
    return [*known, *known, *rare] or [GAP]


#: As many as CalibratedClassifierCV has folds: its training needs a row of each class in every one.
ROWS_PER_CLASS = 5


def calibrated(svc: Any, mapped: Samples, sigmoids: np.ndarray, costs: np.ndarray | None) -> Any:
    """Return a classifier of probabilities 1/(1 + exp(A f + B)), f the values of a fitted machine.

    ``sigmoids`` has a row (A, B) for each machine: that of two classes, or one for each of more classes,
    whose probabilities are normalised. ``mapped`` are samples as ``svc`` takes them. With ``costs``, of shape
    (2, 2), labels are those of least expected cost. Fitted again, it trains the machine and its sigmoids.
    """
    start = zeros(ROWS_PER_CLASS * len(svc.classes_), mapped), np.repeat(svc.classes_, ROWS_PER_CLASS)
    found = CalibratedClassifierCV(FrozenEstimator(svc), method="sigmoid", ensemble=False).fit(*start)
    (part,) = found.calibrated_classifiers_
    part.estimator = svc
    for calibrator, (slope, offset) in zip(part.calibrators, sigmoids, strict=True):
        calibrator.a_, calibrator.b_ = float(slope), float(offset)
    found.set_params(estimator=clone(svc))
    if costs is None:
        return found
    settings = {"pos_label": svc.classes_[1], "response_method": "predict_proba"}
    answer = FixedThresholdClassifier(FrozenEstimator(found), threshold=_threshold(costs), **settings)
    return answer.fit(*start)


def _threshold(costs: np.ndarray) -> float:
    """The probability of the second of two classes above which it is answered."""
    # scikit-learn's threshold is answered by the second class, too; ours, where both cost the same, is not.
    return float(np.nextafter(expit(log_threshold(costs)), 1.0))


def map_transformer(kernel: Kernel, n_features: int) -> Any:
    """Return a fitted transformer that maps samples as the kernel does, or None if it does not map them.

    One weight per feature is a `StandardScaler` that does not centre; a matrix is a `TruncatedSVD`, the one
    decomposition whose transform is a product with a matrix and nothing else. Both take sparse samples, and
    both are known to skops and ONNX.
    """
    L = kernel.linear_map(n_features)
    if L is None:
        return None
    return _weighting(L) if L.ndim == 1 else _product(L)


def _weighting(weights: np.ndarray) -> StandardScaler:
    """x ↦ w∘x. A feature of weight zero is divided by infinity."""
    scaler = StandardScaler(with_mean=False)
    scaler.scale_ = np.divide(1.0, weights, out=np.full_like(weights, np.inf), where=weights > 0)
    scaler.var_ = scaler.scale_**2
    scaler.mean_ = np.zeros_like(weights)
    scaler.n_samples_seen_ = 0
    scaler.n_features_in_ = weights.size
    return scaler


def _product(matrix: np.ndarray) -> TruncatedSVD:
    """x ↦ xM, with M of shape (n_features, n_mapped)."""
    product = TruncatedSVD(n_components=matrix.shape[1])
    product.components_ = np.ascontiguousarray(matrix.T)
    product.singular_values_ = np.linalg.norm(matrix, axis=0)
    product.explained_variance_ = product.explained_variance_ratio_ = np.full(matrix.shape[1], np.nan)
    product.n_features_in_ = matrix.shape[0]
    return product
