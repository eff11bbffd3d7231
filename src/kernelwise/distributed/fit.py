"""A tuned machine on dask collections: a sample is fetched, the rest stays where it is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from dask import delayed

from kernelwise._core.labels import check_every_class, factors_of_classes
from kernelwise._core.memory import check_memory
from kernelwise.distributed.chunks import ChunkedRows, as_given, computed
from kernelwise.distributed.nystroem import ChunkBlocks, ChunkedSamples
from kernelwise.distributed.sketch import sketch_of_rows
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import Finding
from kernelwise.large.feature_blocks import Blocks
from kernelwise.large.nystroem import NystroemMap
from kernelwise.search.landmarks import MANY, Rows
from kernelwise.search.scaling import apply_scaler
from kernelwise.search.settings import seed_of
from kernelwise.sketch.pass_over_pairs import SortedSamples
from kernelwise.sketch.sketch import DistanceSketch

#: Blocks of pairs that the sketch sees, all class pairs together, and at least so many of each.
N_BLOCKS, FEWEST_BLOCKS = 3000, 20
#: What is kept here of every row while a machine is trained: classes, weights, bounds, steps.
BYTES_A_ROW = 130


def fit_on_chunks(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """Fit a tuned machine to dask collections.

    Up to as many rows as are trained exactly, all are fetched, and the model is that of arrays in memory. Of
    more, a stratified sample is fetched for the cross-validation; the sketch that names the widths and the
    sums of the final machine are taken over all chunks, where they are.
    """
    if model._is_gram():
        raise ValueError("A precomputed Gram matrix must be in memory. Pass a numpy array.")
    rows = ChunkedRows.from_data(X, y, sample_weight)
    n_rows, n_features = int(rows.starts[-1]), len(rows.mean)
    n_here = min(n_rows, MANY)
    check_memory(
        8.0 * n_here * n_features,
        f"A sample of {n_here} rows with {n_features} features",
        "Drop features, or train on a machine with more memory.",
    )
    if n_rows <= MANY:
        here, labels, weights = rows.as_they_came()
        return model._fit(_named(here, X), labels, weights if rows.is_weighted else None)
    check_every_class(rows.n, rows.classes)
    if not isinstance(model.cv, str | int | np.integer):
        raise ValueError(
            f"'cv' of TunedSVC must be 'auto' or a number of folds for {n_rows} rows of dask collections: "
            f"the folds are those of a sample of {MANY}."
        )
    check_memory(
        BYTES_A_ROW * n_rows,
        f"What is kept of each of {n_rows} rows",
        "Train on fewer rows, or on a machine with more memory.",
    )
    sample = sampled(rows, MANY, seed_of(model.random_state))
    context = model._context()
    context.full_data = FullRows(rows, model.solver)
    labels = np.repeat(rows.classes, np.diff(sample.starts))
    return model._fit(_named(sample.Z, X), labels, sample.weights if rows.is_weighted else None, context)


def _named(here: np.ndarray, X: Any) -> Any:
    """Rows with the names of the features, if they have any."""
    names = getattr(X, "columns", None)
    if names is None:
        return here
    import pandas as pd

    return pd.DataFrame(here, columns=names)


def sampled(rows: ChunkedRows, n_rows: int, seed: int) -> SortedSamples:
    """A stratified sample of about ``n_rows`` rows of positive weight, at least two of a class."""
    samples = rows.samples(as_given, 0.0)
    places, starts = np.arange(rows.starts[-1]), rows.starts
    if rows.is_weighted:
        places = places[rows.in_places(computed([delayed(_weights)(one) for one in samples])) > 0]
        starts = np.searchsorted(places, starts)
    share = n_rows / len(places)
    rng = np.random.default_rng(seed)
    chosen = [
        first + np.sort(rng.choice(n, min(n, max(2, round(share * n))), replace=False))
        for first, n in ((first, last - first) for first, last in pairwise(starts))
    ]
    return computed(rows.gather(samples, places[np.concatenate(chosen)]))


@dataclass
class FullRows:
    """All rows of a fit whose samples are a part of them; see `kernelwise.search.context.FullData`.

    Parameters
    ----------
    rows : ChunkedRows
    solver : {"auto", "exact", "nystroem"}
        Of the final machine.
    scaler : transformer or None
        Fitted to the sample, by `scaled_by`.
    random_state : int
    """

    rows: ChunkedRows
    solver: str
    scaler: Any = None
    random_state: int = 0

    @property
    def n_rows(self) -> int:
        return int(self.rows.starts[-1])

    def scaled_by(self, scaler: Any, random_state: int) -> Finding:
        """Take a scaler that was fitted to the sample; the finding says what is done where.

        A warning says so if the final machine does not see all rows.
        """
        self.scaler, self.random_state = scaler, random_state
        said = (
            f"The distance sketch is that of all {self.n_rows} rows, from random blocks of pairs; scaling, "
            f"kernel and C come from a stratified sample of about {MANY}."
        )
        if self.solver != "exact":
            return Finding("chunks", "info", said, "")
        finding = Finding(
            "chunks",
            "warning",
            f"{said} The final machine is trained on that sample only.",
            "Use solver='auto' for a machine that sees all rows.",
        )
        warnings.warn(str(finding), KernelwiseWarning, stacklevel=5)  # where fit was called
        return finding

    def sketch(self, kernel: Any) -> DistanceSketch:
        """The distance sketch of random blocks of all scaled rows."""
        n_classes = len(self.rows.classes)
        n_blocks = max(FEWEST_BLOCKS, N_BLOCKS // (n_classes * (n_classes + 1) // 2))
        transform = partial(_scaled_and_mapped, self.scaler, kernel)
        return DistanceSketch(**sketch_of_rows(self.rows, transform, n_blocks, self.random_state))

    def training_rows(self, family: Any) -> ChunkedTrainingRows:
        """All rows, for a machine whose sums are taken chunk by chunk."""
        counts = self.rows.counts
        samples = self.rows.samples(partial(apply_scaler, self.scaler), 0.0)
        index = np.concatenate([np.repeat(np.arange(counts.shape[1]), own) for own in counts])
        weight = np.ones(len(index))
        if self.rows.is_weighted:
            weight = np.concatenate(computed([delayed(_weights)(one) for one in samples]))
        factors = factors_of_classes(family.class_weight, index, weight, self.rows.classes)
        chunks = ChunkedSamples(samples, counts.sum(axis=1))
        return ChunkedTrainingRows(chunks, index, weight, weight * factors[index], self.rows.classes)


class ChunkedTrainingRows(Rows):
    """Rows whose ``Z`` are `ChunkedSamples`."""

    def blocks(self, map_: NystroemMap, memory_limit: float) -> Blocks:
        """Nyström features, computed again where the rows are in every pass over them."""
        return ChunkBlocks(map_, self.Z)


def _scaled_and_mapped(scaler: Any, kernel: Any, X: Any) -> Any:
    return kernel.transform(apply_scaler(scaler, X))


def _weights(samples: Any) -> np.ndarray:
    return samples.weights
