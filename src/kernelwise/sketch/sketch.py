"""The distance sketch: criteria for every width of a Gaussian kernel from one pass over the pairs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.files import whole_file
from kernelwise._core.threads import cached_property
from kernelwise._core.typing import MatrixLike, PathLike, RandomState
from kernelwise._core.validation import (
    check_distances,
    check_labels,
    check_samples,
    check_weights,
    is_dask,
)
from kernelwise.criteria import Criterion
from kernelwise.criteria.sums import ClassSums
from kernelwise.kernels import KernelLike
from kernelwise.sketch.curves import (
    SketchMaximum,
    check_gammas,
    check_sums_criterion,
    global_maxima,
    jackknife,
    names_of_problems,
    range_of_gamma,
    scores,
)
from kernelwise.sketch.histograms import Bins, PairHistograms, as_moments
from kernelwise.sketch.pair_blocks import (
    all_blocks,
    check_plan,
    class_pairs,
    in_tasks,
    number_of_draws,
    sampled_blocks,
)
from kernelwise.sketch.pass_over_pairs import (
    PRECOMPUTED,
    RowGroups,
    SortedSamples,
    assign_groups,
    check_dense,
    collect,
    distance_histograms,
    distance_of,
    in_draws,
    mapped,
    merged,
    n_groups_of,
    summed,
)


@dataclass(frozen=True, eq=False)
class DistanceSketch:
    """Histograms of the distances between samples of every two classes, which serve all kernel widths.

    D is the squared Euclidean distance, unless another one is set.

    S_ab(γ) = Σ exp(−γD) over the pairs of classes a and b is the Laplace transform of the distribution of D,
    so one pass over the pairs gives the sums, their derivatives, and all criteria that are functions of them,
    for every γ and every two-class problem. Memory is O(n_classes² · n_bins); there is no n × n array. Make
    one with :meth:`from_data`.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    n, own : ndarray of shape (n_classes,)
        Σ w_i (the number of samples without weights) and Σ w_i², the pairs of a sample with itself.
    bins : Bins
    used : ndarray of shape (n_used,)
        Numbers of the bins that are not empty.
    moments : ndarray of shape (n_draws, n_class_pairs, n_used, 4 or 6)
        Of the pairs seen, each once; one draw if all pairs were seen. With weights Σ w_i w_j vʲ, j = 0 … 3;
        without, count, Σt and Σt² of both halves of a bin, from which they follow.
    n_parts, parts : int, tuple of int
        Which of the ``n_parts`` shares of the pairs are in.
    is_sampled : bool
    groups : RowGroups or None
        What groups of rows add, for standard errors; None unless ``n_groups`` was given.

    Notes
    -----
    Errors of S_ab and its first three derivatives are below 1e-6 of their values wherever the mean of the
    kernel exceeds 1e-8, for γ up to 2³⁰ over the median of D.

    Examples
    --------
    >>> from kernelwise.datasets import load
    >>> from kernelwise.sketch.sketch import DistanceSketch
    >>> X, y = load("iris")
    >>> X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    >>> best = DistanceSketch.from_data(X, y).maximize("dbtc", strategy="ovr")
    >>> (best.gammas * X.shape[1]).round(3), best.stop_reason
    (array([11.72 , 24.39 ,  9.337]), 'interior peak')
    """

    classes: np.ndarray
    n: np.ndarray
    own: np.ndarray
    bins: Bins
    used: np.ndarray = field(repr=False)
    moments: np.ndarray = field(repr=False)
    n_parts: int = 1
    parts: tuple[int, ...] = (0,)
    is_sampled: bool = False
    groups: RowGroups | None = field(default=None, repr=False)

    @classmethod
    def from_data(
        cls,
        X: MatrixLike,
        y: ArrayLike,
        *,
        distance: str | None = None,
        kernel: KernelLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_jobs: int | None = None,
        n_blocks: int | None = None,
        n_groups: int | None = None,
        random_state: RandomState = 0,
        part: tuple[int, int] = (0, 1),
    ) -> DistanceSketch:
        """Make a sketch in one pass over the pairs of samples.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features), or dask array or dataframe
            Pairs of chunks are then tasks of dask's scheduler, on a cluster if there is a client; the sketch
            is the same. Chunks of 10 000 to 100 000 rows are good.
        y : array of shape (n_samples,)
            Beside a dask collection, one with the same chunks or, if X knows their lengths, any.
        distance : {"sqeuclidean", "euclidean", "cityblock", "precomputed"}, default=None
            D of the kernels exp(−γD) that the sketch is for; "precomputed" says that X is the matrix of
            distances, of shape (n_samples, n_samples). None is that of the kernel.
        kernel : Kernel or str, default=None
            A kernel exp(−s·D): distances are computed after its linear map, and the sketch's γ is the factor
            s (``kernel.scale``). What it needs from the data is set first. None is RBF.
        sample_weight : array of shape (n_samples,), default=None
            The pair (i, j) counts w_i w_j times.
        n_jobs : int, default=None
            Threads, each with one BLAS thread. The result is the same to the bit. Dask has its own.
        n_blocks : int, default=None
            At least two: see only so many random blocks (about 320 × 320 samples) of every pair of classes
            instead of all pairs. Values are then estimates with standard errors; S_ab has no bias without
            weights, and one of order 1/n_blocks with them.
        n_groups : int, default=None
            At least two, 20 is a good number: also keep what each of so many random groups of rows adds, so
            that criteria and their peaks get standard errors, which say how they would differ with other
            rows from the same source. Takes n_groups times the memory. Not with ``n_blocks`` or dask.
        random_state : int, default=0
            Seed of the blocks or groups.
        part : (int, int), default=(0, 1)
            (k, n) does only the k-th of n shares of the work, for :meth:`merge` to combine. Not with
            dask, which divides the work itself.
        """
        check_plan(n_blocks, part)
        if n_groups is not None and (n_blocks is not None or is_dask(X)):
            raise ValueError(
                "n_groups needs all pairs of rows in memory. Do not use it with n_blocks or dask."
            )
        if is_dask(X):
            if part != (0, 1):
                raise ValueError(
                    f"part={part} works only for arrays in memory, because dask divides the work itself."
                )
            from kernelwise.distributed.dask_sketch import sketch_of_chunks  # imports dask

            return cls(**sketch_of_chunks(X, y, sample_weight, kernel, n_blocks, random_state, distance))
        distance = distance_of(kernel, distance)
        X = check_distances(X) if distance == PRECOMPUTED else check_samples(X)
        check_dense(X, distance)
        classes, index = check_labels(y, X.shape[0])
        w = check_weights(sample_weight, X.shape[0])
        n = np.bincount(index, weights=w)
        if not n.all():
            empty = classes.tolist()[int(n.argmin())]
            raise ValueError(f"All samples of class {empty!r} have weight zero. Remove the class.")
        Z = mapped(X, y, kernel, w)
        groups = None if n_groups is None else assign_groups(index, classes, n_groups, random_state)
        fine = 1 if n_groups is None else n_groups
        finer = index if groups is None else index * fine + groups
        samples = SortedSamples.from_data(Z, finer, w, len(classes) * fine, distance=distance)
        bins = samples.bins()
        blocks = all_blocks(samples.starts)
        if n_blocks is not None:
            blocks = sampled_blocks(samples.starts, n_blocks, random_state)
        tasks = islice(in_tasks(blocks), part[0], None, part[1])
        found = distance_histograms(samples, bins, tasks, n_jobs)
        own = np.bincount(index, weights=w * w)
        rest = part[1], (part[0],), n_blocks is not None
        if groups is None:
            used, moments = collect(found, number_of_draws(n_blocks), len(classes), samples.n_numbers)
            return cls(classes, n, own, bins, used, moments, *rest)
        found = in_draws(found, len(classes), fine)
        used, moments = collect(found, 1 + fine, len(classes), samples.n_numbers)
        of_groups = RowGroups(summed(index, groups, w), summed(index, groups, w * w), moments[1:])
        return cls(classes, n, own, bins, used, moments[:1], *rest, of_groups)

    def merge(self, other: DistanceSketch) -> DistanceSketch:
        """Combine two parts of the work on the same data (``part`` of :meth:`from_data`)."""
        plans = [(s.bins, s.n_parts, s.is_sampled, s._shape, n_groups_of(s.groups)) for s in (self, other)]
        same_classes = np.array_equal(self.classes, other.classes) and np.array_equal(self.n, other.n)
        if not same_classes or plans[0] != plans[1]:
            raise ValueError(
                "These sketches differ in classes, bins or shares. Merge sketches of the same X, y, weights "
                "and kernel, made with part=(0, n), (1, n), …."
            )
        if set(self.parts) & set(other.parts):
            raise ValueError(
                f"Part {min(set(self.parts) & set(other.parts))} is in both sketches. Merge different parts."
            )
        used = np.union1d(self.used, other.used)
        moments = np.zeros((*self._shape[:2], len(used), self._shape[2]))
        for sketch in (self, other):
            moments[:, :, np.searchsorted(used, sketch.used)] += sketch.moments
        groups = merged((self.groups, other.groups), (self.used, other.used), used)
        parts = tuple(sorted((*self.parts, *other.parts)))
        return replace(self, used=used, moments=moments, parts=parts, groups=groups)

    @property
    def _shape(self) -> tuple[int, int, int]:
        """Draws, class pairs, and numbers in a bin."""
        n_draws, n_pairs, _, n_numbers = self.moments.shape
        return n_draws, n_pairs, n_numbers

    def save(self, path: PathLike) -> None:
        """Save the sketch to an npz file, without pickle."""
        _write(path, {f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, path: PathLike) -> DistanceSketch:
        """Load a sketch that :meth:`save` wrote."""
        return cls(**_read(path))

    @cached_property
    def histograms(self) -> PairHistograms:
        """All ordered pairs; estimates if blocks were sampled."""
        return self._histograms(self._draws.mean(axis=0))

    @cached_property
    def _draws(self) -> np.ndarray:
        """Moments of all ordered pairs by each draw, shape (n_draws, n_class_pairs, n_used, 4)."""
        return self._ordered(self.moments, self.own)

    def _ordered(self, moments: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Moments of all ordered pairs, each row with itself too, from those of the pairs seen once."""
        if len(self.parts) < self.n_parts:
            raise ValueError(
                f"This sketch has seen {len(self.parts)} of {self.n_parts} parts of the pairs. "
                "Merge the others first."
            )
        a, b = np.array(class_pairs(len(self.n))).T
        is_square = a == b
        draws = as_moments(moments) * np.where(is_square, 2.0, 1.0)[:, None, None]
        if self.is_sampled:
            pairs = self.n[a] * self.n[b] - np.where(is_square, self.own[a], 0.0)
            seen = draws[..., 0].sum(axis=-1)
            draws *= np.divide(pairs, seen, out=np.zeros_like(seen), where=seen > 0)[..., None, None]
            # What was taken whole is in the first draw only.
            draws = np.where(seen[..., None, None] > 0, draws, draws[:1])
        draws[:, is_square, 0, 0] += own
        return draws

    def _histograms(self, moments: np.ndarray, n: np.ndarray | None = None) -> PairHistograms:
        centres, half_widths = self.bins.centres(), self.bins.half_widths()
        return PairHistograms(self.n if n is None else n, centres[self.used], half_widths[self.used], moments)

    @cached_property
    def _without_one(self) -> list[PairHistograms]:
        """Histograms without one of the draws, or groups of rows, each: the jackknife."""
        if self.groups is not None:
            return [
                self._histograms(self._ordered(self.moments - moments, self.own - own)[0], self.n - n)
                for n, own, moments in zip(*self.groups, strict=True)
            ]
        total, n_draws = self._draws.sum(axis=0), len(self._draws)
        return [self._histograms((total - draw) / (n_draws - 1)) for draw in self._draws]

    def sums(self, gammas: ArrayLike) -> ClassSums:
        """Return class sums of the kernel exp(−γD) for every γ, which is the first axis; S2 included."""
        return self.histograms.class_sums(check_gammas(gammas), squares=True)

    def derivatives(self, gamma: float, order: int = 3, return_std: bool = False) -> Any:
        """S_ab and its derivatives by γ up to ``order``, shape (order + 1, n_classes, n_classes).

        With ``return_std`` also their standard errors, of the same shape.
        """
        gamma = float(check_gammas(gamma)[0])
        values = self.histograms.derivatives(gamma, order)
        error = self._standard_error(lambda h: h.derivatives(gamma, order), values) if return_std else None
        return (values, error) if return_std else values

    def curve(
        self,
        criterion: Criterion | str,
        gammas: ArrayLike,
        strategy: str | None = None,
        return_std: bool = False,
    ) -> Any:
        """Return the criterion (the paper's quantity) for every γ, averaged over the two-class problems.

        Parameters
        ----------
        criterion : str or SumsCriterion
            "dbtc", "esdr", "j4", "polarization" or "kta".
        gammas : array of shape (n_gammas,)
        strategy : {"pooled", "ovr", "ovo"}, default=None
            None is that of the criterion, "pooled" for a name.
        return_std : bool, default=False
            Also return standard errors, both of shape (n_gammas,): of the sampling of rows if the sketch has
            groups of them (``n_groups``), of that of blocks if these were sampled, and else zero.
        """
        checked = check_sums_criterion(criterion, strategy)
        gammas = check_gammas(gammas)

        def averages(histograms: PairHistograms) -> np.ndarray:
            return np.asarray(scores(histograms, checked, gammas).mean(axis=0))

        values = averages(self.histograms)
        return (values, self._standard_error(averages, values)) if return_std else values

    def maximize(
        self,
        criterion: Criterion | str,
        strategy: str | None = "ovr",
        bounds: tuple[float, float] | None = None,
    ) -> SketchMaximum:
        """Find the global maximum of the criterion over γ for every two-class problem.

        A `BoundaryWarning` says that a problem has no peak inside the range.

        Parameters
        ----------
        criterion : str or SumsCriterion
        strategy : {"ovr", "ovo", "pooled"}, default="ovr"
            None is that of the criterion.
        bounds : (float, float), default=None
            The range of γ; None is 2⁻²⁰ … 2¹⁶ over the median squared distance, and further where many pairs
            are much closer than that.
        """
        checked = check_sums_criterion(criterion, strategy)
        bounds = range_of_gamma(self.histograms, bounds)

        def maxima(histograms: PairHistograms) -> np.ndarray:
            return np.array(global_maxima(histograms, checked, bounds)[:2])

        gammas, values, reasons = global_maxima(self.histograms, checked, bounds)
        gammas_std, values_std = self._standard_error(maxima, np.stack([gammas, values]))
        names = names_of_problems(checked.strategy, self.classes)
        found = gammas, values, gammas_std, values_std, reasons, names
        n_draws = len(self._without_one) if self._has_errors else 0
        best = SketchMaximum(*found, checked.name, checked.strategy, bounds, n_draws)
        best.warn_without_peak()
        return best

    def _standard_error(
        self, statistic: Callable[[PairHistograms], np.ndarray], values: np.ndarray
    ) -> np.ndarray:
        return jackknife(statistic, self._without_one) if self._has_errors else np.zeros_like(values)

    @property
    def _has_errors(self) -> bool:
        return self.is_sampled or self.groups is not None


#: A sketch with groups of rows has format 2; all others are read by older versions, too.
FORMAT = 2
ARRAYS = ("classes", "n", "own", "used", "moments")


def _write(path: PathLike, values: dict[str, Any]) -> None:
    """Write the fields of a sketch."""
    values = dict(values)
    bins, groups = values.pop("bins"), values.pop("groups")
    if groups is not None:
        values.update({f"groups_{name}": array for name, array in groups._asdict().items()})
    if values["classes"].dtype == object:
        values["classes"] = np.array(values["classes"].tolist())
    if values["classes"].dtype == object:
        raise ValueError("Labels must be numbers or strings to be saved; encode y first.")
    with whole_file(path) as file:
        version = FORMAT if groups is not None else 1
        np.savez_compressed(file, format=version, bottom=bins.bottom, n_octaves=bins.n_octaves, **values)


def _groups(file: Mapping[str, np.ndarray]) -> RowGroups:
    return RowGroups(*(file[f"groups_{name}"] for name in RowGroups._fields))


def _read(path: PathLike) -> dict[str, Any]:
    """What was written, or one sentence on what is wrong with the file."""
    try:
        # Opened here, because numpy leaves a file that it cannot read open.
        with open(path, "rb") as handle, np.load(handle, allow_pickle=False) as file:
            version = int(file["format"])
            if version <= FORMAT:
                return {
                    **{name: file[name] for name in ARRAYS},
                    "bins": Bins(float(file["bottom"]), int(file["n_octaves"])),
                    "n_parts": int(file["n_parts"]),
                    "parts": tuple(file["parts"].tolist()),
                    "is_sampled": bool(file["is_sampled"]),
                    "groups": _groups(file) if version == FORMAT else None,
                }
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} is not a distance sketch, or it is damaged. Make it again with "
            "DistanceSketch.from_data(X, y).save(path)."
        ) from error
    raise ValueError(
        f"{path} was written by a newer version of kernelwise (format {version}, this one reads {FORMAT}). "
        "Upgrade kernelwise, or make the sketch again."
    )
