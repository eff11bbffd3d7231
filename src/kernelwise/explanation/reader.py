"""What explanations read of a fitted model: rows, numbers, names of columns, and outputs.

Its outputs are linear functions of the values of its two-class machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.typing import RowsLike
from kernelwise._core.validation import check_choice, check_range
from kernelwise.exceptions import IncompatibleError
from kernelwise.explanation.product_machines import MOST_NUMBERS, Products, is_product, nodes_for
from kernelwise.export import PlainModel, has_plain_scaling, has_terms, plain_numbers, plain_width
from kernelwise.kernels import Kernel
from kernelwise.multiclass import class_pairs, two_class_machines
from kernelwise.tables import Encoder

if TYPE_CHECKING:
    from kernelwise.estimators.kinds import Model

#: What can be explained: estimators with values of their machines, by name, since they import reports.
MODELS = (
    "TunedSVC, TunedSVR, TunedOneClassSVM, SVC, SVR, OneClassSVM, NystroemSVC, NystroemSVR, "
    "NystroemOneClassSVM"
)
#: Background rows of an estimate that nobody gave a background to: support vectors, at most so many.
N_BACKGROUND = 100
#: The background that a model brings along, the least and the most rows of it, and steps of the compiled loop
#: that take about half a minute.
SUPPORT, N_SUPPORT, MOST_STEPS = "support", (10, 100), 1e10


class Reader:
    """The rows of a fitted model, its numbers, and the names of its columns.

    ``group``, of shape (n_features,), is the column of the user's table that each feature belongs to.
    """

    def __init__(self, model: Model) -> None:
        _check_model(model)
        self.model = model
        self.machine: Any = model.best_estimator_ if hasattr(model, "best_estimator_") else model
        kernel = self.machine.kernel_
        if not isinstance(kernel, Kernel) or kernel.takes_distances:
            raise IncompatibleError(
                "explain needs a kernel of samples with columns, but this model has a precomputed matrix or "
                "a kernel function."
            )
        n = model.n_features_in_
        given = getattr(model, "feature_names_in_", None)
        self.names = [f"column {k}" for k in range(n)] if given is None else [str(name) for name in given]
        self.encoder = getattr(model, "encoder_", None)
        self.group = np.arange(n) if self.encoder is None else self.encoder.layout.column
        self.n_features = len(self.group)

    def read(self, X: RowsLike) -> tuple[np.ndarray, np.ndarray]:
        """Rows as numbers, (n_rows, n_features), and as they are shown, (n_rows, n_columns)."""
        if self.encoder is not None:
            return self._coded(X, self.encoder)
        samples = self.model._read_new(X)
        samples = np.asarray(samples.toarray() if sparse.issparse(samples) else samples, dtype=float)
        check_range(samples)
        return samples, samples

    def _coded(self, X: RowsLike, encoder: Encoder) -> tuple[np.ndarray, np.ndarray]:
        """The same of a table with words and gaps, which are shown as they are: text, None and NaN."""
        table = encoder.table(X)
        coded = encoder.transform(table)
        check_range(coded)
        return coded, table.cells()

    def read_background(
        self, background: RowsLike | str | None, n_rows: int, random_state: int = 0
    ) -> np.ndarray | None:
        """The same of background rows, if there are any; an error says that it is theirs.

        "support" stands for support vectors, of which there are fewer the longer ``n_rows`` rows take.
        """
        if background is None:
            return None
        if isinstance(background, str):
            if background != SUPPORT:
                raise ValueError(
                    f"'background' of explain must be rows, None or {SUPPORT!r}, got {background!r}."
                )
            steps = max(1, n_rows) * self._support().size * len(nodes_for(len(self.names) - 1)[0])
            most = int(np.clip(MOST_STEPS / max(1, steps), *N_SUPPORT))
            return self.support_vectors(random_state, most)
        try:
            return self.read(background)[0]
        except ValueError as error:
            raise ValueError(f"In the background of explain: {error}") from error

    def products(self) -> Products | None:
        """The model as sums of products over columns; None if it is none."""
        try:
            plain = self._plain()
        except IncompatibleError:
            return None
        return Products(plain, self.group, len(self.names)) if is_product(plain) else None

    def _plain(self) -> PlainModel:
        return plain_numbers(self.model, self.machine)

    def why_no_products(self, outputs: Outputs) -> str:
        """A clause."""
        if outputs.shown is not None:
            return "With several classes, decision values are no sums over machines"
        kernel, scaler = self.machine.kernel_, getattr(self.model, "scaler_", None)
        if scaler is not None and has_terms(kernel) and not has_plain_scaling(scaler):
            return f"The scaling by {type(scaler).__name__} may mix columns"
        return f"The kernel {kernel.title} is not a product over columns"

    def values(self, X: np.ndarray) -> np.ndarray:
        """Machine values of rows that were read already, in the units of the output, (n_rows, n_machines)."""
        scaler, support = getattr(self.model, "scaler_", None), self._support()
        Z = X if scaler is None else np.asarray(scaler.transform(X))
        values = np.tile(np.asarray(self.machine.intercept_, dtype=float), (len(Z), 1))
        size = max(1, MOST_NUMBERS // max(1, len(support)))
        for first in range(0, len(Z) if len(support) else 0, size):
            part = slice(first, first + size)
            for kernel, beta in self.machine.kernel_columns():
                values[part] += kernel(Z[part], support) @ beta.T
        mean, deviation = getattr(self.model, "target_mean_", 0.0), getattr(self.model, "target_scale_", 1.0)
        return mean + deviation * values

    def _support(self) -> np.ndarray:
        support = self.machine.support_vectors_
        return support.toarray() if sparse.issparse(support) else np.asarray(support)

    def support_vectors(self, random_state: int, most: int = N_BACKGROUND) -> np.ndarray:
        """Support vectors in the units of X, at most ``most``; zeros if there are none."""
        support = self._support()
        if not len(support):
            return np.zeros((1, len(self.group)))
        if len(support) > most:
            support = support[np.random.default_rng(random_state).permutation(len(support))[:most]]
        scaler = getattr(self.model, "scaler_", None)
        if scaler is None:
            return support
        if not hasattr(scaler, "inverse_transform"):
            raise ValueError(
                f"Absent columns get their values from support vectors, which {type(scaler).__name__} cannot "
                "convert back to the units of X. Pass explain a 'background'."
            )
        return np.asarray(scaler.inverse_transform(support))


class WidthReader(Reader):
    """The same of the width of intervals, whose rows have one more column: the prediction.

    A width is q·σ, and the logarithm of σ a sum of kernels of the row and a kernel of its prediction.
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        if model.target_offset_ is not None:
            raise IncompatibleError(
                "This model has learned the logarithm of the target, so a width in units of the target is no "
                f"sum over columns. Explain the prediction, or a model without target_transform='log', by "
                f"output={WIDTH!r}."
            )
        self.limit = model._spreads_within(COVERAGE)
        self.group = np.append(self.group, len(self.names))
        self.names = [*self.names, PREDICTION]

    def read(self, X: RowsLike) -> tuple[np.ndarray, np.ndarray]:
        """Rows as numbers, (n_rows, n_features + 1), and as they are shown, (n_rows, n_columns + 1)."""
        samples, shown = super().read(X)
        samples = self._with_prediction(samples)
        return samples, np.column_stack([shown, samples[:, -1]])

    def _with_prediction(self, X: np.ndarray) -> np.ndarray:
        model: Any = self.model
        mean, deviation = model.target_mean_, model.target_scale_
        values = model._trained_family().not_negative((super().values(X) - mean) / deviation)
        return np.column_stack([X, mean + deviation * values])

    def _plain(self) -> PlainModel:
        return plain_width(self.model, COVERAGE)

    def values(self, X: np.ndarray) -> np.ndarray:
        """The logarithm of half the width, of shape (n_rows, 1)."""
        model: Any = self.model
        Z = X[:, :-1] if model.scaler_ is None else np.asarray(model.scaler_.transform(X[:, :-1]))
        spread = model._spread(Z, (X[:, -1] - model.target_mean_) / model.target_scale_)
        return np.log(np.maximum(self.limit * model.target_scale_ * spread, np.finfo(float).tiny))[:, None]

    def support_vectors(self, random_state: int, most: int = N_BACKGROUND) -> np.ndarray:
        """Support vectors with their predictions, in the units of X and y."""
        return self._with_prediction(super().support_vectors(random_state, most))


def reader_of(model: Model, output: str | None) -> Reader:
    """What reads a model for one of its outputs."""
    return WidthReader(model) if output == WIDTH and hasattr(model, "predict_interval") else Reader(model)


def _check_model(model: Model) -> None:
    if not hasattr(model, "machine_values") or not hasattr(model, "_read_new"):
        advice = ""
        if hasattr(model, "steps"):
            advice = " Pass the last step of the pipeline, and rows as this step gets them."
        elif hasattr(model, "best_estimator_"):
            advice = " Pass its best_estimator_."
        home = type(model).__module__.partition(".")[0]
        raise TypeError(
            f"explain needs one of kernelwise's {MODELS}, got {type(model).__name__} of {home}.{advice}"
        )
    check_is_fitted(model)
    if hasattr(model, "cv_results_") and not hasattr(model, "best_estimator_"):
        raise ValueError("The model was fitted with refit=False and has no final model to explain.")


CLASSIFIER_OUTPUTS = ("decision", "machine-values", "probability-log-odds")
REGRESSOR_OUTPUTS = ("prediction",)
#: The width of intervals that cover this share, and the name of the column that its explanation has beside
#: those of the table.
WIDTH, COVERAGE, PREDICTION = "log-width", 0.9, "the prediction"
ONE_CLASS_OUTPUTS = ("decision",)


class Outputs(NamedTuple):
    """Outputs o = values @ weights + offset of machine values of shape (n_rows, n_machines).

    ``names`` has a name for each output; one output of two classes or a regression has the empty one.
    ``shown`` is there instead of weights and offset if the outputs are no sums of the values.
    """

    weights: np.ndarray
    offset: np.ndarray
    names: tuple[str, ...]
    shown: Callable[[np.ndarray], np.ndarray] | None = None

    def of(self, values: np.ndarray) -> np.ndarray:
        """Outputs, of shape (n_rows, n_outputs)."""
        return values @ self.weights + self.offset if self.shown is None else self.shown(values)


def choices_of(model: Model) -> tuple[str, ...]:
    """What can be explained of a model, the usual output first."""
    if hasattr(model, "classes_"):
        return CLASSIFIER_OUTPUTS
    if is_outlier_detector(model):
        return ONE_CLASS_OUTPUTS
    return (*REGRESSOR_OUTPUTS, WIDTH) if hasattr(model, "predict_interval") else REGRESSOR_OUTPUTS


def outputs_of(model: Model, output: str | None) -> Outputs:
    """The outputs that ``output``, one of `choices_of`, asks for; None is the first of them."""
    choices = choices_of(model)
    output = choices[0] if output is None else output
    check_choice(output, "output", "explain", choices)
    if output == WIDTH:
        return Outputs(np.ones((1, 1)), np.log([2.0]), ("",))
    if not hasattr(model, "classes_"):
        # Of several quantiles: each as its machine predicts it, before those that cross are put in order.
        machine: Any = getattr(model, "best_estimator_", model)
        n = len(machine.intercept_)
        names = ("",) if n == 1 else tuple(f"quantile {q:g}" for q in model.quantile)
        return Outputs(np.eye(n), np.zeros(n), names)
    n_machines = model.n_machines_
    classes = model.classes_.tolist()
    slope, offset = np.ones(n_machines), np.zeros(n_machines)
    if output == "probability-log-odds" and model.sigmoids_ is None:
        raise ValueError(
            "output='probability-log-odds' of explain needs a model with probabilities. Train TunedSVC, or "
            "SVC with probability=True, or use output='decision'."
        )
    if output == "probability-log-odds" or (output == "decision" and model.goes_by_probability_):
        slope, offset = -model.sigmoids_.T
    is_decision, is_by_class = output == "decision", model.decision_function_shape == "ovr"
    if len(classes) == 2:
        if is_decision:  # with costs, the odds are relative to another threshold
            offset = model._shown_decision(np.zeros((1, 1)))
        return Outputs(slope[:, None], offset, ("",))
    if is_decision and model.machines_ == "ovo" and not is_by_class:
        pairs = tuple(f"{classes[i]} or {classes[j]}" for i, j in class_pairs(len(classes)))
        return Outputs(np.diag(slope), offset, pairs)
    if is_decision and (
        model.machines_ == "ovo" or (model.goes_by_probability_ and model.costs_ is not None)
    ):
        nothing = np.zeros((n_machines, len(classes)))
        return Outputs(nothing, nothing[0], tuple(map(str, classes)), model._shown_decision)
    to_class = _to_classes(len(classes), model.machines_)
    return Outputs(slope[:, None] * to_class, offset @ to_class, tuple(map(str, classes)))


def _to_classes(n_classes: int, strategy: str) -> np.ndarray:
    """Weights of shape (n_machines, n_classes): a class has its machine's value, or the mean of its pairs."""
    machines = two_class_machines(np.arange(n_classes), n_classes, strategy)
    weights = np.zeros((len(machines), n_classes))
    for m, machine in enumerate(machines):
        if strategy == "ovr":
            weights[m, machine.members[machine.signs > 0]] = 1.0
        else:
            weights[m, machine.members] = machine.signs / (n_classes - 1.0)
    return weights
