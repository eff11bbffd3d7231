"""Shapley values of samples, named as in the library shap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise._core.text import count, html_block, html_table

#: Columns, and rows, that a notebook shows.
MOST_SHOWN = 15
KERNEL, INTERVENTIONAL = "kernel", "interventional"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Shapley values: the contribution of every column to the outputs for some rows.

    The values of a row add up to its output minus the base value.

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
        What is explained: "decision", "probability-log-odds", "prediction", ….
    value_function : {"kernel", "interventional"}
        What an absent column is: a factor of one in the kernel, or the column of a background row.
    standard_errors : ndarray of the shape of ``values``, or None
        None if the values are exact.
    relevance : ndarray of shape (n_columns,) or None
        The learned weight of each column in the distances (``relevance_`` of the model), if there is one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC, explain
    >>> data = load_iris(as_frame=True)
    >>> X, y = data.data[50:], data.target[50:]
    >>> found = explain(TunedSVC("rbf").fit(X, y), X[45:55], background=X)
    >>> found
    Explanation(10 rows, 4 columns, output='decision', value_function='interventional', exact)
    >>> found.feature_names[found.importance().argmax()]
    'petal length (cm)'

    Some rows are an explanation again, and a table has a row for each of them:

    >>> found[:3].values.shape, found[-1].values.shape
    ((3, 4), (1, 4))
    >>> found[:3].to_frame().shape
    (3, 5)
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
        """Whether the values are exact, not estimates from samples."""
        return self.standard_errors is None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: int | slice | np.ndarray | Sequence[int]) -> Explanation:
        """Some of the rows: a number, a slice, numbers, or booleans."""
        if isinstance(rows, int | np.integer):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"There is no row {rows}: the explanation has {count(len(self), 'row')}.")
            rows = [int(rows)]
        errors = self.standard_errors
        return replace(
            self,
            values=self.values[rows],
            base_values=self.base_values[rows],
            data=self.data[rows],
            standard_errors=None if errors is None else errors[rows],
        )

    def importance(self) -> np.ndarray:
        """Return the mean size of the values over the rows, (n_columns,) or (n_columns, n_outputs)."""
        return np.abs(self.values).mean(axis=0)

    def dependence(self, column: int | str) -> tuple[np.ndarray, np.ndarray]:
        """Return a column of the data, (n_rows,), and its values, (n_rows,) or (n_rows, n_outputs)."""
        k = self._place(column)
        return self.data[:, k], self.values[:, k]

    def of_output(self, output: int | str | None = None) -> Explanation:
        """Return the explanation of one output, with values of shape (n_rows, n_columns).

        Parameters
        ----------
        output : int or str, default=None
            A class, by its number or name. None means the only output.
        """
        if not self.output_names:
            if output is not None:
                raise ValueError("The explanation has only one output. Leave out 'output'.")
            return self
        names = self.output_names
        if isinstance(output, int | np.integer) and -len(names) <= output < len(names):
            k = int(output)
        elif output in names:
            k = names.index(str(output))
        else:
            raise ValueError(f"'output' must be one of {names} or its number, got {output!r}.")
        errors = self.standard_errors
        return replace(
            self,
            values=self.values[:, :, k],
            base_values=self.base_values[:, k],
            output_names=[],
            standard_errors=None if errors is None else errors[:, :, k],
        )

    def to_frame(self) -> Any:
        """Return the values as a pandas data frame, one row for each explained row (needs pandas).

        Its columns are those of the data and "base value"; of several outputs they are pairs of an output and
        a column.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas. Install it with pip install pandas.") from error
        names = [*self.feature_names, "base value"]
        if not self.output_names:
            return pd.DataFrame(np.column_stack([self.values, self.base_values]), columns=names)
        parts = [
            np.column_stack([self.values[:, :, k], self.base_values[:, k]])
            for k in range(len(self.output_names))
        ]
        pairs = pd.MultiIndex.from_product([self.output_names, names], names=["output", "column"])
        return pd.DataFrame(np.concatenate(parts, axis=1), columns=pairs)

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation``, for the plots of the library shap (needs shap)."""
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

    def _place(self, column: int | str) -> int:
        names = self.feature_names
        if isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, int | np.integer) and -len(names) <= column < len(names):
            return int(column)
        raise ValueError(f"There is no column {column!r}. The columns are {_listed(names)}.")

    def __repr__(self) -> str:
        outputs = f", {len(self.output_names)} outputs" if self.output_names else ""
        return (
            f"Explanation({count(len(self), 'row')}, {count(len(self.feature_names), 'column')}{outputs}, "
            f"output={self.output!r}, value_function={self.value_function!r}, "
            f"{'exact' if self.is_exact else 'estimated'})"
        )

    def _repr_html_(self) -> str:
        importance = self.importance().reshape(len(self.feature_names), -1)
        order = np.argsort(-importance.mean(axis=1), kind="stable")[:MOST_SHOWN]
        heads = ["column", *(f"mean |value|, {name}" for name in self.output_names)]
        heads = heads if self.output_names else ["column", "mean |value|"]
        rows = [[self.feature_names[k], *(f"{value:.4g}" for value in importance[k])] for k in order]
        if self.relevance is not None:
            heads.append("learned weight")
            rows = [[*row, f"{self.relevance[k]:.4g}"] for row, k in zip(rows, order, strict=True)]
        left_out = len(self.feature_names) - len(order)
        more = f"<p>and {count(left_out, 'more column')}</p>" if left_out else ""
        return html_block(repr(self), html_table(heads, rows), more)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:MOST_SHOWN])) + (", …" if len(names) > MOST_SHOWN else "")
