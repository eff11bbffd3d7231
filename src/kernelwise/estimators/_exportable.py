"""Taking a trained machine away: to scikit-learn's own classes, to ONNX, to C, or to a file.

What writes them is imported when it is asked for: it takes parts of scikit-learn that no machine needs.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.files import whole_file
from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.typing import PathLike
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.export import FittedMachine

COUPLED = (
    "This model predicts by probabilities that are coupled over pairs of classes, which no class of "
    "scikit-learn does. The Pipeline has no predict_proba, and its SVC lets the pairs vote, which may give "
    "another label to rows near a boundary. Fit with multiclass='ovr' for a Pipeline with the same labels "
    "and probabilities, use to_onnx(path), or accept votes with model.set_params(predict_by='decision')."
)


def _is_coupled(machine: FittedMachine) -> bool:
    """Whether probabilities of three or more classes come from pairs of them."""
    return len(machine.classes_) > 2 and machine.machines_ == "ovo"


def _check_costs(costs: np.ndarray | None) -> None:
    """Raise if labels go by costs that no classifier of scikit-learn knows."""
    if costs is not None and len(costs) > 2:
        raise IncompatibleError(
            "scikit-learn has no classifier that predicts by costs of three or more classes. Use "
            "to_onnx(path) or to_c(path), which keep them."
        )


def _trained(model: Portable) -> Any:
    """The machine of a fitted estimator: its ``best_estimator_``, or itself."""
    check_is_fitted(model)
    if getattr(model, "target_offset_", None) is not None:
        raise IncompatibleError(
            f"This {type(model).__name__} predicts by logarithms of the target, which only kernelwise "
            "undoes. Keep it with save(path), or train on logarithms of your own and undo them yourself."
        )
    machine = getattr(model, "best_estimator_", None)
    if machine is not None:
        return machine
    check_is_fitted(model, "support_", msg="%(name)s was fitted with refit=False and has no final model.")
    return model


def _plain(model: Any, interval: float | None) -> Any:
    """The numbers of a fitted estimator, with those of its intervals if a coverage is asked for."""
    from kernelwise.export import plain_model, plain_width

    plain = plain_model(model, _trained(model))
    return plain if interval is None else replace(plain, width=plain_width(model, interval))


class Portable:
    """`save`, `to_onnx` and `to_c` of kernel machines, and of estimators with one as ``best_estimator_``."""

    def save(self, path: PathLike) -> None:
        """Write the fitted model to a file that executes nothing when `kernelwise.load` reads it.

        The loaded model predicts the same values to the last bit, and has the same fitted attributes. The
        file is written whole or not at all; it is an npz file with the model in JSON beside its arrays, a
        version and a checksum. Callbacks of the training are left out.

        Parameters
        ----------
        path : path-like
            The usual ending is ".npz".

        Raises
        ------
        IncompatibleError
            If the model has a part of your own (a kernel, a function, a scaler other than StandardScaler,
            MinMaxScaler and MaxAbsScaler): such a model can only be pickled.
        """
        from kernelwise.persistence import save  # it knows all estimators, this one included

        check_is_fitted(self)
        save(self, path)

    def to_onnx(self, path: PathLike | None = None, interval: float | None = None) -> Any:
        """Return the model as an ONNX graph in double precision, and write it to a file if there is a path.

        Kernels are exp(−s·D) of a squared Euclidean, Euclidean or city-block distance D after a linear map,
        linear, polynomial and sigmoid kernels, and sums of these. The scaler, the coupling of pairwise
        probabilities and the units of a regression's targets are in the graph. Every operator is one of
        ONNX's own, so any runtime supports it.

        Parameters
        ----------
        path : path-like, default=None
            The usual ending is ".onnx". The file is written whole or not at all.
        interval : float, default=None
            A coverage such as 0.9, for a `TunedSVR`: the graph also has the outputs "lower" and "upper",
            each (n_samples,), as ``predict_interval(X, interval)`` has them.

        Returns
        -------
        graph : onnx.ModelProto
            Its input is "X", float64 of shape (n_samples, n_features). Outputs of a classifier are "label",
            (n_samples,), as `predict` has them, "decision_values", (n_samples, n_machines), as
            `machine_values` has them, and "probabilities", (n_samples, n_classes), if the model has
            `predict_proba`; that of a regression is "prediction", (n_samples,), or (n_samples, n_quantiles)
            for a list of quantiles. A one-class SVM has the labels −1 and 1. A model that was trained on
            words or gaps needs them coded, as ``model.encoder_.read(X)`` returns them; the names of these
            features are in the graph.

        Raises
        ------
        ImportError
            If onnx is not installed (``pip install "kernelwise[onnx]"``).
        IncompatibleError
            If the kernel is none of these (KMOD, precomputed, a function of your own), if the scaler is none
            of scikit-learn's StandardScaler, MinMaxScaler, MaxAbsScaler and RobustScaler, or if the strategy
            rejects samples.
        """
        from kernelwise.export.onnx_model import onnx_model

        graph = onnx_model(_plain(self, interval))
        if path is not None:
            with whole_file(path) as file:
                file.write(graph.SerializeToString())
        return graph

    def to_c(self, path: PathLike | None = None, interval: float | None = None) -> str:
        """Return the model as one C99 source file, and write it if there is a path.

        It needs math.h and nothing else. Kernels, and what cannot be written, are those of `to_onnx`.

        Parameters
        ----------
        path : path-like, default=None
            The usual ending is ".c". The file is written whole or not at all.
        interval : float, default=None
            A coverage such as 0.9, for a `TunedSVR`: the file also has ``void predict_interval(const double
            *x, double *ends)``, the lower and the upper end.

        Returns
        -------
        source : str
            For a classifier ``int predict(const double *x)``, the place of the label in ``CLASSES``,
            ``void decision_values(const double *x, double *f)``, as `machine_values` has them, and
            ``void probabilities(const double *x, double *p)`` if the model has `predict_proba`; for a
            regression ``double predict(const double *x)``. A comment at its top lists features and classes.

        Raises
        ------
        IncompatibleError
            As `to_onnx`; and if the file would have more than five million numbers.
        """
        from kernelwise.export.c_source import c_source

        source = c_source(_plain(self, interval))
        if path is not None:
            with whole_file(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(source)
        return source


class Exportable(Portable):
    """`to_sklearn` of `SVC` and `SVR`, and of estimators with one as ``best_estimator_``."""

    def to_sklearn(self) -> Pipeline:
        """Return the model as a Pipeline of scikit-learn's own classes: scaler, linear map, SVC or SVR.

        The Pipeline has the same predictions and the same probabilities (to 1e-6, for float64 samples), and
        does not need kernelwise. Mean and scale of a regression's targets are in the coefficients of its SVR,
        whose C, epsilon and tol are in the units of y. The linear map of a Mahalanobis, diagonal, general or
        low-rank Gaussian kernel is a `StandardScaler` or `TruncatedSVD`. A step that would change nothing is
        left out. One-vs-rest models are in a `OneVsRestClassifier`.

        Returns
        -------
        pipeline : Pipeline
            Its steps are "columns", "scaler" (as it was fitted), "map" and "svc" or "svr". A model that was
            trained on dense samples accepts dense samples. "columns" is a ColumnTransformer, for a model that
            was trained on words or gaps; it accepts data frames if the model has feature names. If `predict`
            uses probabilities, "svc" is a `CalibratedClassifierCV` with an `SVC` in it, and this is in a
            `FixedThresholdClassifier` if the model has a threshold or costs of two classes. If `predict` uses
            decision values, "svc" is an `SVC`, which has the same ``decision_function`` (to 1e-6 of the
            largest value) and no probabilities.

        Raises
        ------
        IncompatibleError
            If scikit-learn has no such kernel (a sum of kernels, Laplacian, KMOD, exponential, precomputed, a
            function or class of your own), if the strategy rejects samples, or if the model has costs of
            three or more classes. `to_onnx` and `to_c` support more kernels.

        Warns
        -----
        KernelwiseWarning
            If kernel values are so large that rounding alone is more than the 1e-6; or if probabilities are
            coupled over pairs of three or more classes. scikit-learn has no class that couples them, so the
            Pipeline is that of ``predict_by="decision"``: it counts votes of the pairs, some labels near a
            boundary are different, and it has no ``predict_proba``. With ``multiclass="ovr"`` the Pipeline
            has the same labels and probabilities.

        Notes
        -----
        scikit-learn's SVC has only the hinge loss. The Pipeline of a model with another loss has the same
        predictions, but it uses the hinge loss if you fit it again. A `CalibratedClassifierCV` that is
        fitted again trains its SVC and, on five folds, its sigmoids; with a threshold it is frozen, and stays
        as it is.

        skops has to be allowed some types: "scipy.sparse._csr.csr_matrix" for a model trained on sparse
        samples, and for probabilities "sklearn.calibration._CalibratedClassifier" and
        "sklearn.calibration._SigmoidCalibration". For ONNX use `to_onnx`, or skl2onnx, which writes labels
        and probabilities::

            skl2onnx.to_onnx(pipeline, X[:1].astype("float32"), options={id(pipeline[-1]): {"zipmap": False}})

        A plain SVC needs the option "raw_scores", without which skl2onnx changes the sign of two-class values
        and the labels of one-vs-rest models::

            options = {type(pipeline[-1]): {"raw_scores": True, "zipmap": False}}
            skl2onnx.to_onnx(pipeline, X[:1].astype("float32"), options=options)

        The outputs are then labels (integers or text) and decision values (of two classes: −d and d). Single
        precision changes the values by up to 5e-7 of the sum of ``|β_i k(x_i, x)|``, and labels only of
        samples that are closer than that to a boundary; the sum is large for a polynomial of many features.
        The output of an SVR is a column of predictions.
        """
        machine: FittedMachine = _trained(self)
        if not isinstance(machine, Exportable):
            otherwise = "blend=False" if hasattr(machine, "kernels_") else "solver='exact'"
            raise IncompatibleError(
                f"to_sklearn cannot hold a {type(machine).__name__}. Train with {otherwise}, export the "
                "model with to_onnx(path) or to_c(path), or keep it with save(path)."
            )
        names = getattr(self, "feature_names_in_", None)
        target = getattr(self, "target_mean_", 0.0), getattr(self, "target_scale_", 1.0)
        by_probability = getattr(self, "goes_by_probability_", False)
        sigmoids = getattr(self, "sigmoids_", None) if by_probability else None
        costs = None if sigmoids is None else self.costs_  # type: ignore[attr-defined]
        _check_costs(costs)
        coupled = sigmoids is not None and _is_coupled(machine)
        from kernelwise.export.pipeline import as_pipeline

        pipeline = as_pipeline(
            getattr(self, "scaler_", None),
            machine,
            names,
            *target,
            sigmoids=None if coupled else sigmoids,
            costs=costs,
            encoder=getattr(self, "encoder_", None),
        )
        if coupled:
            warnings.warn(COUPLED, KernelwiseWarning, stacklevel=stacklevel_of_user())
        return pipeline
