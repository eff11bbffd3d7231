"""Shapley values of samples, named as in the library shap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

KERNEL, INTERVENTIONAL = "kernel", "interventional"


@dataclass(frozen=True, eq=False)
class Explanation:
    """What every column contributed to the outputs for some rows.

    The values of a row add up to its output less the base value.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns) or (n_rows, n_columns, n_outputs)
        The last axis is there for more than two classes, one output for each.
    base_values : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The output if every column is absent, the same for every row.
    data : ndarray of shape (n_rows, n_columns)
        The explained rows.
    feature_names : list of str
    output_names : list of str
        Classes, if there are several outputs; empty otherwise.
    output : str
        What is explained: "decision", "probability-log-odds" or "prediction".
    value_function : {"kernel", "interventional"}
        What an absent column is: a factor of one in the kernel, or the column of a background row.
    standard_errors : ndarray of the shape of ``values``, or None
        None if the values are exact.
    relevance : ndarray of shape (n_columns,) or None
        The learned weight of each column in the distances (``relevance_`` of the model), if there is one.
    """

    values: np.ndarray
    base_values: np.ndarray
    data: np.ndarray
    feature_names: list[str]
    output_names: list[str] = field(default_factory=list)
    output: str = "decision"
    value_function: str = KERNEL
    standard_errors: np.ndarray | None = None
    relevance: np.ndarray | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the values are exact, and no estimate from samples."""
        return self.standard_errors is None

    def __len__(self) -> int:
        return len(self.values)

    def importance(self) -> np.ndarray:
        """Mean of |value| over the rows, (n_columns,) or (n_columns, n_outputs)."""
        return np.abs(self.values).mean(axis=0)

    def dependence(self, column: int | str) -> tuple[np.ndarray, np.ndarray]:
        """A column of the data, (n_rows,), and its values, (n_rows,) or (n_rows, n_outputs)."""
        k = self.feature_names.index(column) if isinstance(column, str) else column
        return self.data[:, k], self.values[:, k]

    def to_shap(self) -> Any:
        """The same as a ``shap.Explanation``, for the plots of the library shap (needs it)."""
        try:
            import shap
        except ImportError as error:
            raise ImportError("to_shap needs the library shap. Install it with pip install shap.") from error
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            feature_names=self.feature_names,
            output_names=self.output_names or None,
        )
