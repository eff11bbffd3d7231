"""What the checks look at: samples, names of features, labels and a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_array

from kernelwise._core.reading import explained
from kernelwise._core.validation import check_labels
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.search.scaling import apply_scaler, fit_scaler

MAX_LISTED = 5


@dataclass(frozen=True)
class Data:
    """Checked input; values may still be NaN or infinite."""

    X: Any  # array or CSR matrix of shape (n_samples, n_features)
    names: list[str]  # how to call the features in a sentence
    classes: list[Any]
    index: np.ndarray  # of the class of each sample, shape (n_samples,)
    kernel: Kernel
    lines: np.ndarray | None = None  # of the samples in their file, shape (n_samples,)

    @classmethod
    def read(cls, X: Any, y: Any, kernel: Any, feature_names: Any = None, lines: Any = None) -> Data:
        """Check what the user passed."""
        columns = getattr(X, "columns", None) if feature_names is None else feature_names
        with explained(X):
            X = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, input_name="X")
        names = [f"column {k}" for k in range(X.shape[1])] if columns is None else [repr(c) for c in columns]
        if len(names) != X.shape[1]:
            raise ValueError(
                f"{len(names)} names for {X.shape[1]} features: feature_names must have one each."
            )
        classes, index = check_labels(y, X.shape[0], min_classes=1)
        kernel = as_kernel("rbf" if kernel is None else kernel)
        kernel.check_takes(X)
        if not kernel.needs_data:
            kernel._check_features(X.shape[1])
        lines = None if lines is None else np.asarray(lines)
        return cls(X, names, classes.tolist(), index, kernel, lines)

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

    def scaled(self, scale: Any) -> Data:
        """The same samples after a scaling, as `kernelwise.TunedSVC` does it."""
        return replace(self, X=apply_scaler(fit_scaler(scale, self.X, None, "diagnose"), self.X))

    def mapped(self) -> tuple[Data, list[Finding]]:
        """The same samples after the linear map of the kernel, and what the kernel warns of in them."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", KernelwiseWarning)
            try:
                kernel = self.kernel.initialize(self.X, self.index, heuristic="keep")
            except ValueError as error:  # what no kernel of this kind can be made of is a finding, too
                return self, [Finding("kernel", "error", str(error))]
        found = [Finding("kernel", "warning", str(warning.message)) for warning in caught]
        return replace(self, X=kernel.transform(self.X), kernel=kernel), found


def listed(names: Iterable[Any]) -> str:
    """Names for a sentence, the first few of them."""
    names = [str(name) for name in names]
    shown = ", ".join(names[:MAX_LISTED])
    return shown if len(names) <= MAX_LISTED else f"{shown}, … ({len(names)} in all)"
