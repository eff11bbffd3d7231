"""The data that checks look at: samples, names of features, labels and a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from kernelwise._core.reading import explained
from kernelwise._core.typing import RowsLike, ScaleLike
from kernelwise._core.validation import check_labels
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel, KernelLike, as_kernel
from kernelwise.search.data.scaling import apply_scaler, fit_scaler, weigh_alike
from kernelwise.tables import Encoder, Table, by_column, learn_encoder, to_table

MAX_LISTED = 5
#: In what distances between scaled samples are measured.
UNITS = {"standard": " standard deviations", "robust": " interquartile ranges", "minmax": " column ranges"}


@dataclass(frozen=True)
class Data:
    """Checked input; values may still be NaN or infinite."""

    X: Any  # array or CSR matrix of shape (n_samples, n_features)
    names: list[str]  # how to call the features in a sentence
    classes: list[Any]
    index: np.ndarray  # of the class of each sample, shape (n_samples,)
    kernel: Kernel
    lines: np.ndarray | None = None  # of the samples in their file, shape (n_samples,)
    frame: Table | None = None  # the table that X codes, if it has words or gaps
    encoder: Encoder | None = None
    unit: str = ""  # of distances, after a space; empty for those of the columns themselves

    @classmethod
    def read(
        cls,
        X: RowsLike,
        y: ArrayLike,
        kernel: KernelLike | None,
        feature_names: Sequence[str] | np.ndarray | None = None,
        lines: ArrayLike | None = None,
        categorical_features: str | ArrayLike | None = None,
    ) -> Data:
        """Check what the user passed."""
        columns = _column_names(X) if feature_names is None else feature_names
        frame = to_table(X, categorical_features, "diagnose", is_finite=False)
        encoder = None
        if frame is None:
            with explained(X):
                samples = check_array(
                    X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, input_name="X"
                )
            n_columns = samples.shape[1]
        else:
            n_columns = frame.shape[1]
        is_named = columns is not None
        own = tuple(columns) if is_named else tuple(range(n_columns))
        names = _shown(own, is_named)
        if len(names) != n_columns:
            raise ValueError(
                f"{len(names)} names for {n_columns} features: feature_names must have one each."
            )
        if frame is not None:
            frame = replace(frame, names=own, has_names=is_named)
            encoder = learn_encoder(frame)
            samples, names = encoder.transform(frame), _shown(encoder.feature_names, is_named)
        classes, index = check_labels(y, samples.shape[0], min_classes=1)
        kernel = as_kernel("rbf" if kernel is None else kernel)
        kernel.check_takes(samples)
        if not kernel.needs_data:
            kernel._check_features(samples.shape[1])
        lines = None if lines is None else np.asarray(lines)
        return cls(samples, names, classes.tolist(), index, kernel, lines, frame, encoder)

    @property
    def columns(self) -> tuple[Any, list[str]]:
        """The user's own columns, one number for every cell, and their names."""
        if self.frame is None or self.encoder is None:
            return self.X, self.names
        return by_column(self.frame, self.encoder), _shown(self.frame.names, self.frame.has_names)

    @property
    def noun(self) -> str:
        """What a sample is called."""
        return "sample" if self.lines is None else "row"

    def where(self, *samples: int) -> str:
        """Where samples are: sample 3, or lines 5 and 7."""
        word = "sample" if self.lines is None else "line"
        numbers = [str(k if self.lines is None else self.lines[k]) for k in samples]
        return f"{word}{'s' if len(samples) > 1 else ''} {' and '.join(numbers)}"

    @property
    def counts(self) -> np.ndarray:
        """Number of samples of each class."""
        return np.bincount(self.index, minlength=len(self.classes))

    def scaled(self, scale: ScaleLike) -> Data:
        """The same samples after a scaling, as `kernelwise.TunedSVC` does it."""
        scaler = fit_scaler(scale, self.X, None, "diagnose")
        if self.encoder is not None:
            weigh_alike(scaler, self.encoder.layout)
        unit = UNITS.get(scale, "") if isinstance(scale, str) else ""
        return replace(self, X=apply_scaler(scaler, self.X), unit=unit)

    def mapped(self) -> tuple[Data, list[Finding]]:
        """The same samples after the linear map of the kernel, and what the kernel warns of in them."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", KernelwiseWarning)
            try:
                kernel = self.kernel.initialize(self.X, self.index, heuristic="keep")
            except ValueError as error:  # what no kernel of this kind can be made of is a finding, too
                return self, [catalogue.KERNEL_IMPOSSIBLE(error=error)]
        found = [catalogue.KERNEL_DOUBTFUL(warning=warning.message) for warning in caught]
        unit = "" if kernel.reach is None else self.unit  # others measure distances in their own way
        return replace(self, X=kernel.transform(self.X), kernel=kernel, unit=unit), found


def _column_names(X: RowsLike) -> Any:
    """Names of the columns of a data frame; None if X is none."""
    return getattr(X, "column_names", getattr(X, "columns", None))


def _shown(names: Iterable[Any], is_named: bool) -> list[str]:
    """Names of columns for a sentence; those of columns without a name are their places."""
    return [repr(name) if is_named else f"column {name}" for name in names]


def listed(names: Iterable[Any]) -> str:
    """Names for a sentence, the first few of them."""
    names = [str(name) for name in names]
    shown = ", ".join(names[:MAX_LISTED])
    return shown if len(names) <= MAX_LISTED else f"{shown}, … ({len(names)} in all)"
