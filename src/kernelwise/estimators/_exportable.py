"""Taking a trained machine away: to scikit-learn's own classes, or to a file."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.callers import stacklevel_of_user
from kernelwise.exceptions import IncompatibleError, KernelwiseWarning
from kernelwise.export.pipeline import as_pipeline

COUPLED = (
    "The labels of this model go by probabilities that are coupled over pairs of classes, and scikit-learn's "
    "SVC goes by votes of the pairs: the Pipeline may give another label to rows near a boundary. Labels are "
    "the same after model.set_params(predict_by='decision'), or with multiclass='ovr'."
)


def _is_coupled(machine: Any) -> bool:
    """Whether probabilities of three or more classes come from pairs of them."""
    return len(machine.classes_) > 2 and machine.machines_ == "ovo"


class Savable:
    """An estimator that can be written to a file."""

    def save(self, path: Any) -> None:
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


class Exportable(Savable):
    """`to_sklearn` and `save` of `SVC` and `SVR`, and of estimators with one as ``best_estimator_``."""

    def to_sklearn(self) -> Pipeline:
        """Return the model as a Pipeline of scikit-learn's own classes: scaler, linear map, SVC or SVR.

        The Pipeline has the same decision values (to 1e-6 of the largest, for float64 samples) and the same
        predictions, and does not need kernelwise. Mean and scale of a regression's targets are in the
        coefficients of its SVR, whose C, epsilon and tol are in the units of y. The linear map of a
        Mahalanobis, diagonal, general or low-rank Gaussian kernel is a `StandardScaler` or `TruncatedSVD`; a
        step that would change nothing is left out; one-vs-rest machines are in a `OneVsRestClassifier`.

        Returns
        -------
        pipeline : Pipeline
            With the steps "scaler" (as it was fitted), "map" and "svc" or "svr". A machine trained on
            dense samples takes dense samples.

        Raises
        ------
        IncompatibleError
            If scikit-learn has no such kernel (KMOD, exponential, precomputed, a function or class of your
            own), or if the strategy rejects samples.

        Warns
        -----
        KernelwiseWarning
            If kernel values are so large that rounding alone is more than the 1e-6; or if labels go by
            probabilities that are coupled over pairs of three or more classes. scikit-learn's SVC knows only
            votes of the pairs, so the Pipeline is that of ``predict_by="decision"``: some labels near a
            boundary are others. With ``multiclass="ovr"`` they are the same.

        Notes
        -----
        The Pipeline has no ``predict_proba``: scikit-learn's SVC is losing its own. But where labels go by
        probabilities its decision values are their log odds, with the sigmoids in the coefficients: the
        probability of the second of two classes is ``scipy.special.expit(pipeline.decision_function(X))``,
        and that of each of more classes is this of its column, over the sum of the row. Votes of pairs
        (``predict_by="decision"``) have no probabilities; calibrate them on held-out samples, with
        ``CalibratedClassifierCV(FrozenEstimator(pipeline)).fit(X, y)``.

        skops needs no further trusted types, except "scipy.sparse._csr.csr_matrix" for a machine trained on
        sparse samples. For ONNX, pass with an SVC the option "raw_scores", without which skl2onnx changes the
        sign of two-class values and the labels of one-vs-rest machines::

            options = {type(pipeline[-1]): {"raw_scores": True, "zipmap": False}}
            skl2onnx.to_onnx(pipeline, X[:1].astype("float32"), options=options)

        The outputs are labels (integers or text) and decision values (of two classes: −d and d). Single
        precision changes the values by up to 5e-7 of the sum of ``|β_i k(x_i, x)|``, and labels only of
        samples that are closer than that to a boundary; the sum is large for a polynomial of many features.
        The output of an SVR is a column of predictions.
        """
        check_is_fitted(self)
        machine = getattr(self, "best_estimator_", None)
        if machine is None:
            check_is_fitted(self, "support_", msg="%(name)s was fitted with refit=False and has no machine.")
            machine = self
        if not isinstance(machine, Exportable):
            raise IncompatibleError(
                f"to_sklearn has no place for a {type(machine).__name__}. Train with solver='exact', or keep "
                "the model with model.save(path)."
            )
        names = getattr(self, "feature_names_in_", None)
        target = getattr(self, "target_mean_", 0.0), getattr(self, "target_scale_", 1.0)
        by_probability = getattr(self, "goes_by_probability_", False)
        sigmoids = getattr(self, "sigmoids_", None) if by_probability else None
        if sigmoids is not None and _is_coupled(machine):
            warnings.warn(COUPLED, KernelwiseWarning, stacklevel=stacklevel_of_user())
            sigmoids = None
        return as_pipeline(getattr(self, "scaler_", None), machine, names, *target, sigmoids)
