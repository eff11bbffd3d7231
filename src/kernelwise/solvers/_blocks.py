"""Which blocks of pairs a pass over the samples visits, and how threads share them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

# Rows of a block: 320 × 320 distances stay in the second-level cache.
BLOCK = 320
# Pairs in a task, the unit that threads share: tasks are added up in one order for any number of threads.
TASK = 1 << 23
# Independent draws of blocks, whose spread gives the standard error of a sampled sketch.
N_DRAWS = 10


class Block(NamedTuple):
    """A set of rows against a set of rows, for one cell (draw, class pair) of the result."""

    cell: tuple[int, int]
    rows: Any
    columns: Any
    n_pairs: int
    is_diagonal: bool


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """(a, b) with a ≤ b, in the order of the cells."""
    return list(combinations_with_replacement(range(n_classes), 2))


def all_blocks(starts: np.ndarray) -> list[Block]:
    """Blocks of the upper triangle, class pair by class pair."""
    return [
        block
        for p, (a, b) in enumerate(class_pairs(len(starts) - 1))
        for block in _blocks(
            (0, p), _pieces(starts[a], starts[a + 1]), _pieces(starts[b], starts[b + 1]), a == b
        )
    ]


def sampled_blocks(starts: np.ndarray, n_blocks: int, random_state: Any) -> tuple[list[Block], int]:
    """About ``n_blocks`` random blocks of every class pair, in independent draws; and the number of draws.

    A draw shuffles the rows of each class and takes blocks from there, so that every pair of samples is as
    likely as any other. Class pairs that have no more blocks than asked for are taken whole, in every draw.
    """
    rng = np.random.default_rng(random_state)
    n_draws = min(N_DRAWS, n_blocks)
    n_classes = len(starts) - 1
    blocks: list[Block] = []
    for draw in range(n_draws):
        rows = [rng.permutation(np.arange(starts[a], starts[a + 1])) for a in range(n_classes)]
        pieces = [np.array_split(r, -(-len(r) // BLOCK)) for r in rows]
        for p, (a, b) in enumerate(class_pairs(n_classes)):
            candidates = _blocks((draw, p), pieces[a], pieces[b], a == b)
            if len(candidates) > n_blocks:
                size = n_blocks // n_draws + (draw < n_blocks % n_draws)
                candidates = [candidates[k] for k in rng.choice(len(candidates), size, replace=False)]
            blocks += candidates
    return blocks, n_draws


def in_tasks(blocks: list[Block]) -> list[list[Block]]:
    """Consecutive blocks put together until they have enough pairs for a task."""
    tasks: list[list[Block]] = []
    size = TASK
    for block in blocks:
        if size >= TASK:
            tasks.append([])
            size = 0
        tasks[-1].append(block)
        size += block.n_pairs
    return tasks


def _pieces(start: int, stop: int) -> list[slice]:
    cuts = np.linspace(start, stop, -(-(stop - start) // BLOCK) + 1).astype(int)
    return [slice(*ends) for ends in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]


def _blocks(cell: tuple[int, int], rows: list[Any], columns: list[Any], is_square: bool) -> list[Block]:
    """All pieces of rows against all pieces of columns; the upper triangle of them if they are the same."""
    made = []
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            if is_square and j < i:
                continue
            is_diagonal = is_square and i == j
            n, m = (s.stop - s.start if isinstance(s, slice) else len(s) for s in (r, c))
            made.append(Block(cell, r, c, n * (n - 1) // 2 if is_diagonal else n * m, is_diagonal))
    return made
