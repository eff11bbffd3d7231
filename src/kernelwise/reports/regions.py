"""The decision of a machine along the two leading directions of its samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from kernelwise._core.typing import RowsLike
from kernelwise.estimators.kernel_argument import is_precomputed
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.kernels.base import Kernel
from kernelwise.reports.held_out import class_index, class_indices, some_of, some_rows

#: Cells of the picture along each axis, samples drawn, and neighbours whose mean fills in other directions.
N_GRID, MAX_POINTS, N_NEIGHBOURS = 100, 1000, 10
#: A picture that agrees with the model on a smaller share of the rows says little, and is not shown.
TELLING, SHOWN = 0.7, 0.6
#: A second direction with less of the first one's scatter than this is none.
SMALLEST = 1e-9


@dataclass(frozen=True, eq=False)
class Regions:
    """What a model says in a plane, and the samples projected onto it.

    The two "classes" of a one-class model are usual and unusual rows.

    Attributes
    ----------
    a, b : ndarray of shape (n_grid,)
        Coordinates of the cells along the two directions.
    values : ndarray of shape (n_grid, n_grid)
        Decision values of two classes, class indices of more (−1: rejected); ``values[j, i]`` at
        (a_i, b_j). Those of a one-class model are negative where a row would be unusual.
    points : ndarray of shape (n_points, 2)
    truth : ndarray of shape (n_points,)
        Class indices.
    is_wrong : ndarray of shape (n_points,)
        Whether the trained machine misclassifies the sample; never for one class.
    labels : list of str
    axes : tuple of str
        The features that have most to do with each direction.
    share : float
        Of the scatter that the kernel sees, what the plane shows.
    agreement : float
        Share of the samples in whose cell the picture says what the machine says of the sample itself.
    n_features : int
    """

    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    points: np.ndarray
    truth: np.ndarray
    is_wrong: np.ndarray
    labels: list[str]
    axes: tuple[str, str]
    share: float
    agreement: float
    n_features: int

    @property
    def heading(self) -> str:
        """What the picture shows."""
        agrees = f"The picture agrees with the model on {100 * self.agreement:.0f} % of the rows"
        return agrees if self.agreement >= TELLING else f"{agrees}, so it shows little of the model"


@dataclass(frozen=True)
class Plane:
    """Two leading directions: samples are centre + coordinates·loadings + residual.

    Attributes
    ----------
    coordinates : ndarray of shape (n_rows, 2)
    centre : ndarray of shape (n_features,)
    loadings : ndarray of shape (2, n_features)
    residual : ndarray of shape (n_rows, n_features)
    share : float
    """

    coordinates: np.ndarray
    centre: np.ndarray
    loadings: np.ndarray
    residual: np.ndarray
    share: float

    def filled(self, points: np.ndarray) -> np.ndarray:
        """Samples at points of the plane; other directions have the mean residual of the nearest samples."""
        n = min(N_NEIGHBOURS, len(self.coordinates))
        near = cKDTree(self.coordinates).query(points, k=n)[1].reshape(len(points), n)
        return self.centre + points @ self.loadings + self.residual[near].mean(axis=1)

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates of cells along both directions, and samples at the cells, row by row."""
        a, b = (_ticks(column) for column in self.coordinates.T)
        return a, b, self.filled(np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2))

    def axis(self, k: int, Z: np.ndarray, names: list[str]) -> str:
        """The two features of the samples Z that correlate most with a direction."""
        deviation = Z.std(axis=0)
        size = np.abs(self.loadings[k]) * self.coordinates[:, k].std()
        correlation = np.divide(size, deviation, out=np.zeros_like(size), where=deviation > 0)
        return ", ".join(names[f] for f in np.argsort(-correlation, kind="stable")[:2])


def decision_regions(model: TunedMachine, X: RowsLike, y: np.ndarray, names: list[str]) -> Regions | None:
    """The picture of a trained classifier; None if its samples have no two directions or are sparse."""
    if is_precomputed(model.kernel) or sparse.issparse(X):
        return None
    rows = some_rows(len(y))
    machine, X, truth = model.best_estimator_, some_of(X, rows), class_index(model.classes_, y[rows], "y")

    def answers(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        said = class_indices(model, machine.predict(cells))
        return machine.decision_function(cells) if len(model.classes_) == 2 else said.astype(float), said

    labels, predicted = [str(c) for c in model.classes_], class_indices(model, model.predict(X))
    return _regions(model, X, names, answers, truth, predicted, labels, some_rows(len(rows), MAX_POINTS))


def outlier_regions(model: TunedMachine, X: RowsLike, scores: np.ndarray, names: list[str]) -> Regions | None:
    """The picture of a one-class model; ``scores`` are held-out ones of the samples, shape (n_rows,)."""
    if sparse.issparse(X):
        return None
    rows = some_rows(len(scores))
    is_unusual = (scores[rows] < model.threshold_).astype(int)

    def answers(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = model.best_estimator_.decision_function(cells)
        return values, (values < 0).astype(int)

    # Unusual rows are few: they are drawn all, and of the others a part.
    drawn = np.union1d(np.flatnonzero(is_unusual), some_rows(len(rows), MAX_POINTS))
    labels = ["usual row", "unusual row"]
    return _regions(model, some_of(X, rows), names, answers, is_unusual, is_unusual, labels, drawn)


def _regions(
    model: TunedMachine,
    X: RowsLike,
    names: list[str],
    answers: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    truth: np.ndarray,
    predicted: np.ndarray,
    labels: list[str],
    drawn: np.ndarray,
) -> Regions | None:
    """The picture of a model; ``answers`` gives the values and the class indices of samples at cells."""
    Z = model.machine_samples(X)
    plane = leading_plane(model.kernel_, Z)
    if plane is None:
        return None
    a, b, cells = plane.cells()
    values, said = (one.reshape(len(b), len(a)) for one in answers(cells))
    i, j = (_nearest(axis, column) for axis, column in zip((a, b), plane.coordinates.T, strict=True))
    agreement = float(np.mean(said[j, i] == predicted))
    if agreement < SHOWN:
        return None
    return Regions(
        a,
        b,
        values,
        plane.coordinates[drawn],
        truth[drawn],
        (predicted != truth)[drawn],
        labels,
        (plane.axis(0, Z, names), plane.axis(1, Z, names)),
        plane.share,
        agreement,
        Z.shape[1],
    )


def leading_plane(kernel: Kernel, Z: np.ndarray) -> Plane | None:
    """Principal components of the samples as the kernel sees them: after its linear map, if it has one."""
    mapped = np.asarray(kernel.transform(Z), dtype=float)
    mapped = mapped - mapped.mean(axis=0)
    if min(mapped.shape) < 2:
        return None
    U, s, _ = np.linalg.svd(mapped, full_matrices=False)
    if s[1] <= SMALLEST * s[0]:
        return None
    coordinates = U[:, :2] * s[:2]
    # The coordinates are orthogonal, so that the regression of Z on them needs no system to be solved.
    centre = Z.mean(axis=0)
    loadings = coordinates.T @ (Z - centre) / s[:2, None] ** 2
    residual = Z - centre - coordinates @ loadings
    return Plane(coordinates, centre, loadings, residual, float((s[:2] ** 2).sum() / (s**2).sum()))


def _ticks(column: np.ndarray) -> np.ndarray:
    """Cells that cover the samples with a little room around them."""
    room = 0.05 * np.ptp(column)
    return np.linspace(column.min() - room, column.max() + room, N_GRID)


def _nearest(axis: np.ndarray, column: np.ndarray) -> np.ndarray:
    return np.rint((column - axis[0]) / (axis[1] - axis[0])).astype(int)
